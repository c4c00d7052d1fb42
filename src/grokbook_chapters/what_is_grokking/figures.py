"""Figures of chapter 01 that a cell of ten lines does not draw."""

from __future__ import annotations

import xarray as xr
from matplotlib.figure import Figure

from companion.page.interactive import interactive
from grokbook.curves.delay import grok_times
from grokbook.plotting.moving import circle_over_training, moving_run
from grokbook.plotting.training import (
    curves_by_setting,
    learning_curves,
    measure_curves,
    mirrored_accuracy,
)

SHAPE = ["weight_norm", "fourier_ipr", "effective_dimension"]
"""Measures of size and of shape: norm, concentration of the spectrum, directions in use."""


CAPTION = (
    "{when}`circles; A tangle becomes a ring.`",
    "Each dot is a number as the network stores it; lines join neighbours on the circle that is",
    "strongest at the end. Right: how strong each circle is, above the accuracies.",
    "One run, seed 0, addition modulo {glue:text}`modulus`.",
)
ALT = (
    "Left: the embedded numbers in a plane, joined in the order of their angle, first a tangle,",
    "later closer to a ring. Right: the spectrum, first flat, then with a few peaks, above the two",
    "accuracies.",
)


def mirrored(random: xr.Dataset, symmetric: xr.Dataset) -> Figure:
    """Accuracy on pairs whose mirror image was trained and on the others, by the kind of split."""
    return mirrored_accuracy({"random split": random, "symmetric split": symmetric})


def shape(runs: xr.Dataset) -> Figure:
    """Norm of all weights and two measures of the embedding's shape under the accuracies."""
    return measure_curves(runs, SHAPE)


def at_paper_size(paper: xr.Dataset | None) -> Figure:
    """Accuracy and loss of the recorded runs; where they are not there, a panel that says so."""
    if paper is None:
        return curves_by_setting({"the paper's size": None})
    return learning_curves(paper, grok_times(paper))


def circle(runs: xr.Dataset) -> None:
    """Put the embedding of seed 0 on the page, with a slider over its training."""
    run = runs.sel(seed=0)
    options = moving_run(run)
    still = circle_over_training(run, snapshots(run))
    interactive("grokking_run", "fig-circle", " ".join(CAPTION), " ".join(ALT), options, still)


def snapshots(run: xr.Dataset) -> list[int]:
    """The first, the middle and the last step at which the embedding was kept."""
    kept = run.snapshot.values
    return [int(kept[0]), int(kept[len(kept) // 2]), int(kept[-1])]
