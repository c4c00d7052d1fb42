"""Every number, text and truth of chapter 11a's prose."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr

from companion.claims.finding import some, some_of
from companion.page import Number, Prose, Truth
from grokbook.theory.parallelograms import nullity
from grokbook_chapters.trained_toys.embeddings import (
    GOAL,
    crossing,
    ends_alike,
    ends_as_the_flow,
    first_steps,
    pairs_of,
    path,
    quality,
    there,
)
from grokbook_chapters.trained_toys.recorded import Recorded
from grokbook_chapters.trained_toys.runs import BATCH, LONGER
from grokbook_chapters.trained_toys.stored import PRINTED, came_out


def numbers(run: xr.Dataset, recorded: Recorded, samples: int, seed: int) -> Prose:
    """What the prose uses of the run that the page trains, with so many pairs and this seed, and of
    the recorded ones."""
    return {
        **_own_run(run, samples, seed),
        **_lines(recorded),
        **_ladder(recorded.alone),
        **_plane(recorded.shapes),
    }


def at_update(step: float) -> str:
    """When something happened, in words; NaN where it did not.

    Example:
        >>> at_update(1160.0), at_update(np.nan)
        ('at update 1,160', 'never')
    """
    return "never" if np.isnan(step) else f"at update {step:,.0f}"


def _own_run(run: xr.Dataset, samples: int, seed: int) -> Prose:
    """When the page's run is on a line and right, and whether it ends as the flow does."""
    first = run.isel(seed=0)
    texts: Prose = {}
    for name, step in first_steps(first).items():
        texts[f"run_{name}"] = at_update(step)
        texts[f"theirs_{name}"] = f"{PRINTED[name]:,}"
    numbers = path(first).numbers
    rqi = float(quality(numbers[-1]))
    pairs = pairs_of(samples, seed)
    alike = rqi > GOAL and ends_as_the_flow(numbers, pairs)
    is_forced = nullity(pairs, len(numbers[-1])) == 2
    return {
        **texts,
        "samples": samples,
        "run_forced": "force" if is_forced else "do not force",
        "alike": Truth(alike, f"its RQI is {rqi:.2f}"),
    }


def _lines(recorded: Recorded) -> Prose:
    """Lines of the recorded toys: before the fit or not, from which share on, and where none is."""
    table = recorded.measured
    lined = table[table.steps.notna()]
    early = (lined.steps < lined.fitted) | lined.fitted.isna()
    forced = np.isfinite(table["predicted steps"])
    missed = table[(table.samples <= BATCH) & table.steps.isna() & forced]
    alike = ends_alike(recorded.toys)
    again = came_out(table)
    return {
        "early": some_of(early),
        "half_runs": Number(crossing(there(table, "steps")), ".2f"),
        "half_forced": Number(crossing(there(table, "predicted steps")), ".2f"),
        "missed_loss": Number(missed.loss.max(), ".1g"),
        "missed_closed": Number.median(missed.closed, ".0%"),
        "ends_alike": some(sum(alike), len(alike)),
        "longest": f"{LONGER:,}",
        "again_accuracy": some_of(again.accuracy),
        "again_steps": some_of(again.steps),
    }


def _ladder(alone: pd.DataFrame) -> Prose:
    """How much later the decoder on a ladder knows its test pairs than its training pairs."""
    ladder = alone[alone.places == "ladder"]
    return {"ladder_late": Number.median(ladder["known at"] - ladder.fitted, ".0f")}


def _plane(shapes: pd.DataFrame) -> Prose:
    """Runs in the plane: what of the test set is known, and what the embeddings are."""
    ordered = shapes[shapes.kind == "addition"]
    unordered = shapes[shapes.kind == "addition, unordered"]
    sums = pd.concat([ordered, unordered])
    fitting = shapes[shapes.kind == "modular, bad"]
    fits = int((fitting.train > 1 - 1e-6).sum())
    return {
        "good_mirrored": Number.median(ordered.mirrored, ".0%"),
        "good_free": Number.median(ordered.free, ".0%"),
        "good_new": Number.median(ordered.new, ".0%"),
        "unordered_new": Number.median(unordered.new, ".0%"),
        "forced": some_of(sums.nullity == 2),
        "on_a_line": some_of(sums.rqi > GOAL),
        "sums_closed": Number.median(sums.closed, ".0%"),
        "fitting_all": some(fits, len(fitting)),
        "fitting_new": Number.median(fitting.new, ".0%"),
    }
