"""Every number, text and truth of chapter 12's prose."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from companion.page import Number, Truth
from grokbook.curves.phases import PhaseRule, phases
from grokbook.models.replayed import ReplayedToy
from grokbook_chapters.liu2022 import CAP, STEP
from grokbook_chapters.phase_diagrams import published
from grokbook_chapters.phase_diagrams.agreement import agreement, among_seeds
from grokbook_chapters.phase_diagrams.claims import SAME
from grokbook_chapters.phase_diagrams.recorded import Recorded
from grokbook_chapters.phase_diagrams.runs import SHORTER, THEIR_SEEDS
from grokbook_chapters.phase_diagrams.walks import order
from grokbook_chapters.ranges import count_of

SHORT_WALK = 0.3
LONG_WALK = 3
"""Below the one nearly all runs of 6a memorise, above the other most generalise."""


def numbers(run: xr.Dataset, recorded: Recorded, gap: int) -> dict[str, Any]:
    """What the prose uses of the small diagram that the page trains and of the recorded runs, where
    a delay of `gap` steps is grokking in the diagram that is opened."""
    rule = PhaseRule(gap=gap)
    return {
        "cap": f"{rule.cap:,}",
        "gap": f"{rule.gap:,}",
        **_trained(run),
        **_made_again(recorded.replayed, rule),
        **_walks(recorded.walks),
        **_by_seed(recorded.cells),
    }


def _trained(run: xr.Dataset) -> dict[str, Any]:
    """How many cells of the small diagram have their symbols in order."""
    phase = phases(run, PhaseRule(cap=int(run.step[-1]))).phase
    in_order = order(run.embedding) == run.sizes["token"] - 1
    general = phase.isin([*"CG"])
    return {
        "cells_all": general.size,
        "general_all": int(general.sum()),
        "general_ordered": int((in_order & general).sum()),
        "other_ordered": int((in_order & ~general).sum()),
    }


def _made_again(replayed: xr.Dataset, rule: PhaseRule) -> dict[str, Any]:
    """Agreement by `rule` with the published panel 6b; steps without decay where it groks by the
    paper's rule, and where symbols end."""
    theirs = published.panels()["b"]
    phase = phases(replayed, rule).phase.isel(seed=0).transpose(*theirs.dims)
    no_decay = phases(replayed).isel(seed=0).sel(decoder_weight_decay=0)
    late = no_decay.test_step / no_decay.fit_step
    grokking = late.where(no_decay.phase == "G")
    place = replayed.embedding.isel(seed=0, feature=0)
    length = (place.max("token") - place.min("token")).sel(decoder_lr=1e-4, method="nearest")
    start = ReplayedToy(place.sizes["token"]).draw(THEIR_SEEDS["b"])["W_E"].numpy()[:, 0]
    fast = place.sel(decoder_weight_decay=0).isel(decoder_lr=-1).values
    moved = np.abs(fast - start).mean()
    most = length.isel(decoder_weight_decay=-1).item()
    agree = agreement(phase.values, theirs.values)
    differ = phase.values != theirs.values
    fits = no_decay.fit_step.values
    return {
        "agree_again": f"{agree:.0%}",
        "again": Truth(agree >= SAME, f"{agree:.0%} of the cells have the published phase"),
        "n_differ": int(differ.sum()),
        "slow_fit": f"{fits[0]:,.0f}",
        "fast_fit": f"{fits[-1]:,.0f}",
        "late_low": f"{grokking.min().item():.1f}",
        "late_high": f"{grokking.max().item():.1f}",
        "fast_moved": f"{moved:.2f}",
        "length_none": f"{length.sel(decoder_weight_decay=0).item():.0f}",
        "length_most": f"{most:.0f}",
        "half_most": f"{most / 2:.0f}",
        "farthest": f"{STEP * CAP:.0f}",
    }


def _walks(walks: pd.DataFrame) -> dict[str, Any]:
    """Of the runs of 6a with a short walk how many memorise, with a long one how many do not."""
    few = walks.phase[walks.walk < SHORT_WALK] == "M"
    far = walks.phase[walks.walk >= LONG_WALK] != "M"
    return {
        "short_walk": SHORT_WALK,
        "long_walk": LONG_WALK,
        "short_memorise": count_of(few),
        "long_generalise": count_of(far),
    }


def _by_seed(cells: xr.DataArray) -> dict[str, Any]:
    """How far seeds of ours agree with each other, and how many cells comprehend in each."""
    theirs = published.same_cells(cells, "b")
    comprehend = (cells == "C").sum(cells.dims[1:]).values
    return {
        "many_seeds": cells.sizes["seed"],
        "shorter": f"{SHORTER:,}",
        "agree_seeds": Number.median(among_seeds(cells).agreement, ".0%"),
        "comprehend": ", ".join(map(str, comprehend)),
        "comprehend_theirs": int((theirs == "C").sum()),
    }
