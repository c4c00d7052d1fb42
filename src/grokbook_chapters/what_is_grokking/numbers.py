"""Every number, text and truth of chapter 01's prose."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr

from companion.page import Number, Prose, Truth
from grokbook.curves.delay import delay_summary, grok_times, median_delay, median_step
from grokbook.measures import energy_share
from grokbook.runs.experiment import Experiments
from grokbook.tasks import ModularTask
from grokbook.theory.memorisers import transpose_accuracy
from grokbook_chapters.what_is_grokking.figures import SHAPE, snapshots

WAVES = 5
"""How many of the strongest circles are asked what share of the embedding they hold."""

LONGER = "longer than the runs last"
"""A wait whose end was not seen."""

PAPER = ("runs", "generalised", "fit", "earliest", "latest", "last")
"""What is told of the runs at the paper's size, as `delay_summary` calls it."""


def numbers(
    experiments: Experiments,
    runs: xr.Dataset,
    random: xr.Dataset,
    paper: xr.Dataset | None,
) -> Prose:
    """What the prose uses of the runs on a symmetric and a random split, and of the recorded ones.

    `experiments` are those of `plan`; `paper` is None where its runs are not there.
    """
    times = grok_times(runs)
    return {
        **_setting(runs),
        **_delay(runs, times),
        **_copying(runs, random, experiments["random"].config.task),
        **_shape(runs),
        **_at_paper_size(paper),
    }


def _setting(runs: xr.Dataset) -> Prose:
    p = runs.sizes["token"]
    seeds = runs.sizes["seed"]
    return {
        "modulus": p,
        "first": p - 3,
        "n_cells": f"{p * p:,}",
        "chance": f"{1 / p:.3f}",
        "networks": "one network" if seeds == 1 else f"{seeds} networks",
    }


def _delay(runs: xr.Dataset, times: pd.DataFrame) -> Prose:
    """When the runs fit and generalise, and how the test loss behaves meanwhile."""
    last = int(runs.step[-1])
    fit = median_step(times, "fit_step")
    grok = median_step(times, "grok_step")
    generalised = int((~times.censored).sum())
    fitted = f"of the runs {times.fit_step.count()} of {len(times)} fit"
    reached = f"{fitted} and {generalised} generalise by step {last:,}"
    at_fit = runs.test_accuracy.sel(step=last if fit is None else fit, method="nearest")
    peaks = runs.test_loss.max("step")
    start = float(runs.test_loss.sel(step=0).median())
    peak = float(peaks.median())
    delay = median_delay(times)
    is_late = fit is not None and (grok is None or grok > 5 * fit)
    losses = f"the test loss is {start:.1f} at first, at most {peak:.1f}"
    return {
        "fit_median": Number(fit, ".0f", "(not reached)", seeds=times.fit_step),
        "times_later": _times_later(fit, grok),
        "delay_median": Number(delay, ",.0f", LONGER, " steps", times.delay),
        "at_fit": Number.median(at_fit, ".3f"),
        "loss_guess": f"{np.log(runs.sizes['token']):.1f}",
        "loss_peak": Number.median(peaks, ".1f"),
        "fitted": Truth(fit is not None, reached),
        "late": Truth(is_late, reached),
        "confident": Truth(peak > 2 * start, losses),
    }


def _times_later(fit: int | None, grok: int | None) -> str:
    """How much longer the held-out pairs take, in words."""
    if fit is None or grok is None:
        return LONGER
    return f"about {grok / fit:.0f} times as many steps"


def _copying(runs: xr.Dataset, random: xr.Dataset, task: ModularTask) -> Prose:
    """What copying the mirror image gives: at twice the median fit step of the random split."""
    last = int(random.step[-1])
    twice = 2 * int(median_step(grok_times(random), "fit_step") or last)
    step = min(twice, last)
    then = random.sel(step=step, method="nearest")
    symmetric = runs.test_accuracy.sel(step=step, method="nearest")
    copied = then.test_accuracy_mirrored
    others = then.test_accuracy_unmirrored
    expected = transpose_accuracy(task.p, task.train_index.size)
    accuracies = f"accuracies {copied.median():.2f} and {others.median():.2f} at step {step:,}"
    return {
        "random_fraction": f"{task.train_fraction:.0%}",
        "when": f"{int(then.step):,}",
        "copy_expected": f"{expected:.0%}",
        "copy_seen": Number.median(then.test_accuracy, ".0%"),
        "mirrored_seen": Number.median(copied, ".0%", "(no such cell)"),
        "unmirrored_seen": Number.median(others, ".0%", "(no such cell)"),
        "symmetric_seen": Number.median(symmetric, ".0%"),
        "twice": Truth(twice <= last, f"twice the median fit step is not within {last:,} steps"),
        "copies": Truth((copied > others + 0.5).all(), accuracies),
    }


def _shape(runs: xr.Dataset) -> Prose:
    """How the embedding's shape differs between the first step and the last."""
    run = runs.sel(seed=0)
    first, _, last = snapshots(run)
    share = energy_share(run.embedding.sel(snapshot=first).values, WAVES)
    last_share = energy_share(run.embedding.sel(snapshot=last).values, WAVES)
    shares = f"five circles hold {share:.0%} and then {last_share:.0%}"
    ends = runs[SHAPE].isel(step=[0, -1]).median("seed")
    ipr, last_ipr = ends.fourier_ipr.values
    dimension, last_dimension = ends.effective_dimension.values
    gathers = last_ipr > ipr and last_dimension < dimension
    measures = (
        f"participation ratio {ipr:.3f} to {last_ipr:.3f}, effective dimension {dimension:.1f} to"
        f" {last_dimension:.1f}"
    )
    return {
        "share_five_start": f"{share:.0%}",
        "share_five_end": f"{last_share:.0%}",
        "ipr_start": f"{ipr:.2f}",
        "ipr_end": f"{last_ipr:.2f}",
        "dim_start": f"{dimension:.0f}",
        "dim_end": f"{last_dimension:.0f}",
        "circles": Truth(last_share > 2 * share, shares),
        "gathers": Truth(gathers, measures),
    }


def _at_paper_size(paper: xr.Dataset | None) -> Prose:
    """Fit and delay of the recorded runs at p = 97; words where they are not there."""
    summary: Prose = dict.fromkeys(PAPER)
    missing = "(not run)"
    if paper is not None:
        summary = delay_summary(grok_times(paper))
        missing = "(not reached)"
    texts: Prose = {}
    for name in PAPER:
        texts[f"paper_{name}"] = Number(summary[name], ",.0f", missing)
    is_recorded = Truth(paper is not None or None, "the runs are not in the store")
    return texts | {"recorded": is_recorded}
