"""Every number, text and truth of chapter 14's prose."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from companion.claims.finding import some_of
from companion.page import Number, Truth
from grokbook.curves.phases import sandwich
from grokbook.measures.principal import exceeded_by_chance, ring_share
from grokbook_chapters.ranges import count_of
from grokbook_chapters.transformer_representations import claims, contrast, embedding, runs
from grokbook_chapters.transformer_representations.recorded import HEART, Recorded
from grokbook_chapters.transformer_representations.tickets import KEPT_AXES, KEPT_SHARE


def numbers(recorded: Recorded, beside: pd.DataFrame, own: xr.Dataset) -> dict[str, Any]:
    """What the prose uses of the recorded runs, of the controls of a ring (`beside_a_ring`) and of
    the runs of the page."""
    return {
        **_own(own),
        **_ring(recorded),
        **_dimension(recorded),
        **_start(recorded),
        **_tickets(recorded.tickets),
        **_few_axes(recorded.theirs),
        **_decay_and_dropout(recorded),
        **_diagram(recorded),
        **_controls(beside),
        **_sets(recorded.sets),
    }


def _own(own: xr.Dataset) -> dict[str, Any]:
    """How the page's first run ends: its test accuracy, the ring's share of its plane, its
    effective dimension."""
    end = own.isel(seed=0, snapshot=-1, step=-1)
    return {
        "own_p": own.sizes["token"],
        "own_right": f"{end.test_accuracy.item():.0%}",
        "own_ring": f"{ring_share(end.embedding.values):.2f}",
        "own_directions": f"{end.effective_dimension.item():.1f}",
    }


def _ring(recorded: Recorded) -> dict[str, Any]:
    chance = exceeded_by_chance(ring_share, (31, 64))
    near = recorded.circled["at_0.5"].between(1 / claims.NEAR, claims.NEAR)
    return {
        "chance": f"{chance:.0%}",
        "p_shown": recorded.shown.sizes["token"],
        "p_first": recorded.first.sizes["token"],
        "circle_near": count_of(near),
    }


def _dimension(recorded: Recorded) -> dict[str, Any]:
    """The effective dimension in the authors' setting and as published; when it is highest."""
    rows = recorded.theirs
    published = pd.Series(claims.PUBLISHED) / claims.PUBLISHED[1]
    rise = published[claims.PUBLISHED_TURN] - 1
    turn = claims.PUBLISHED_TURN / claims.PUBLISHED_GROK
    plain = recorded.lives.loc[runs.PLAIN]
    return {
        "rise": f"{rows.rise.median() - 1:.1%}",
        "rise_theirs": f"{rise:.1%}",
        "end": f"{rows.end.median():.0%}",
        "end_theirs": f"{published[claims.PUBLISHED_END]:.0%}",
        "turn": Number.median(rows.turn, ".2f"),
        "turn_theirs": f"{turn:.2f}",
        "turn_plain": Number.median(plain.turn[plain.grok.notna()], ".2f"),
    }


def _start(recorded: Recorded) -> dict[str, Any]:
    """What a start shows, and which frequency wins."""
    rows = recorded.theirs
    own = recorded.lives.loc[[runs.PAPER, runs.SMALL_RUNS, runs.GU, HEART]]
    own = own[own.grok.notna()]
    chance = embedding.chance_of_rank(own)
    rank_stranger = own.drawn.map(np.mean).mean()
    return {
        "seen": Number.median(rows.seen, ".0%"),
        "seen_own": Number.median(rows.ring_start, ".0%"),
        "seen_stranger": Number.median(rows.strange, ".0%"),
        "rank": f"{own['rank'].mean():.0%}",
        "rank_stranger": f"{rank_stranger:.0%}",
        "say": Truth(chance < claims.LEVEL, f"p = {chance:.2g}"),
    }


def _tickets(tickets: Mapping[str, pd.DataFrame]) -> dict[str, Any]:
    """Which tickets win."""
    axes = tickets["axes"].grok_step.astype(float)
    random_axes = tickets["random axes"].grok_step.astype(float).fillna(np.inf)
    return {
        "kept_axes": KEPT_AXES,
        "kept_share": f"{KEPT_SHARE:.0%}",
        "axes_first": some_of(axes < random_axes),
        "largest": _generalising(tickets["largest"]),
        "random_numbers": _generalising(tickets["random numbers"]),
    }


def _few_axes(rows: pd.DataFrame) -> dict[str, Any]:
    """What a network answers with its embedding on a few axes of its end."""
    return {
        "two_axes": Number.median(rows.best_2, ".0%"),
        "ten_axes": Number.median(rows.best_10, ".0%"),
        "enough_6": count_of(rows.best_6 >= claims.SOLVED),
        "enough_10": int((rows.best_10 >= claims.SOLVED).sum()),
        "ahead": Number.median(100 * rows.gain, ".1f"),
    }


def _generalising(times: pd.DataFrame) -> str:
    return count_of(times.grok_step.notna())


def _decay_and_dropout(recorded: Recorded) -> dict[str, Any]:
    """When the small network generalises with weight decay, and the authors' with dropout."""
    usual = recorded.decays[runs.USUAL]
    less = pd.concat([times for decay, times in recorded.decays.items() if decay < runs.USUAL])
    counts = {share: claims.by_their_count(data) for share, data in recorded.dropped.items()}
    reached = {share: claims.at_least(table) for share, table in counts.items()}
    best = min(reached, key=reached.__getitem__)
    ours = claims.rest(counts[best], "fit_step")
    theirs = claims.rest(counts[best], "their_fit")
    return {
        "decay": f"{runs.USUAL:g}",
        "with_decay": _generalising(usual),
        "less_decay": _generalising(less),
        "decay_last": f"{usual.last_step.max():,}",
        "drop_share": f"{best:.2g}",
        "drop_best": f"{reached[best]:,.0f}",
        "drop_none": f"{reached[0.0]:,.0f}",
        "delay_ours": f"{ours:.1f}",
        "delay_theirs": f"{theirs:.1f}",
    }


def _diagram(recorded: Recorded) -> dict[str, Any]:
    lines = sandwich({"": recorded.phases})
    return {
        "comprehend": count_of(np.ravel(recorded.phases) == "C"),
        "lines": int(lines.lines.sum()),
        "lines_right": int(lines["C, G, M"].sum()),
    }


def _controls(beside: pd.DataFrame) -> dict[str, Any]:
    strong = beside.loc["strong decay"]
    fresh = beside.accuracy["its embedding, a fresh decoder"]
    return {
        "fresh_right": f"{fresh:.1%}",
        "strong_ring": f"{strong['ring share']:.0%}",
        "strong_right": f"{strong.accuracy:.0%}",
    }


def _sets(rows: pd.DataFrame) -> dict[str, Any]:
    """What becomes of the four chosen training sets."""
    free = rows[~rows.line]
    ideal = contrast.predictions().ideal
    exact = np.isclose(free.test, free["training set"].map(ideal))
    of_a_set = rows.groupby("training set").agg({"right": "sum", "step": "median"})
    covered = of_a_set.loc["line, covered"]
    hole = of_a_set.loc["line, hole"]
    return {
        "exact": count_of(exact),
        "right_covered": int(covered.right),
        "right_hole": int(hole.right),
        "right_none": some_of(free.right),
        "a_set": contrast.SEEDS,
        "late_near": f"{covered.step:,.0f}",
        "late_far": f"{hole.step:,.0f}",
        "drawn": contrast.SETS * len(contrast.HELD_OUT),
    }
