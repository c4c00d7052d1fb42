"""Is grokking on images the read-out alone? The last layer refitted at every logged step."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
import xarray as xr

from companion.claims import Finding, Runs, band, claim, judge
from companion.claims.finding import decided, most
from grokbook.measures.readout import choose_ridge, fresh_readout
from grokbook.runs.experiment import Experiment
from grokbook_chapters.images.claims import LATE, reached
from grokbook_chapters.images.runs import LARGE, REACHED, read_outs

READABLE = 0.3
"""Share of the test set that a read-out of dealt training labels may not have right."""


def read_out_wait(data: xr.Dataset) -> pd.DataFrame:
    """A row a seed: `fit_step` and `grok_step` as `reached`, and of the test set what is right with
    a fresh read-out whose ridge the training images choose, where that is recorded.

    Columns: `start`, at step 0; `at_fit`; `least`, the least from step 0 to the grok step, or to
    the end; `fixed_at_fit`, with the fixed ridge; `dealt`, the highest with training labels dealt
    out; and `own_at_fit`, with the network's own read-out.
    """
    fresh = data.get("fresh_readout_chosen", data.fresh_readout)
    table = reached(data)
    rows = []
    for seed, times in table.iterrows():
        run = data.sel(seed=seed)
        end = run.step.max() if pd.isna(times.grok_step) else times.grok_step
        curve = fresh.sel(seed=seed)
        wait = curve.sel(step=slice(0, int(end)))
        row = {
            "start": float(curve.isel(step=0)),
            "least": float(wait.min()),
            "dealt": float(run.fresh_readout_dealt.max()),
        }
        if pd.notna(times.fit_step):
            fitted = run.sel(step=int(times.fit_step))
            row["at_fit"] = float(curve.sel(step=int(times.fit_step)))
            row["fixed_at_fit"] = float(fitted.fresh_readout)
            row["own_at_fit"] = float(fitted.test_accuracy)
        rows.append(row)
    return table.join(pd.DataFrame(rows, index=table.index))


def pixel_read_out(experiment: Experiment) -> float:
    """What a read-out of the pixels themselves has right of the test set, the ridge chosen by the
    training images: the median over the seeds of an experiment."""
    shares = []
    for seed in experiment.seeds:
        task: Any = replace(experiment.config.task, seed=seed)
        given = task.inputs, task.targets, task.train_index
        shares.append(fresh_readout(*given, ridge=choose_ridge(*given)))
    return float(pd.Series(shares).median())


def _misaligned(table: pd.DataFrame) -> bool | None:
    """Does a fresh read-out of most runs reach the goal at the fit, where their own does not?"""
    if table.at_fit.isna().any():
        return None
    return most((table.at_fit >= REACHED) & (table.own_at_fit < REACHED))


def _degraded(table: pd.DataFrame, fall: float) -> bool | None:
    """Does the fresh read-out of most runs fall by so much within the wait? False where in most it
    does not fall by a tenth of that."""
    lost = table.start - table.least
    return decided(most(lost >= fall) is True, most(lost <= fall / 10) is True)


@claim(
    "R02",
    "chou2026",
    "abstract",
    section="Large weights make a delay",
    runs=read_outs,
    through=read_out_wait,
    bars={"fall": (0.025, 0.1)},
    rule_changed="2026-11-30T07:57:24 5e85d711",
    says="{told}",
)
def grokking_is_the_read_out(runs: Runs, *, fall: float = 0.05) -> Finding:
    """ "In a previously reported MNIST grokking example [...], apparent delayed or non-monotone
    generalization is shown to arise from representation degradation and readout misalignment
    induced by non-standard training recipes".

    Our reading, of 1,000 images of MNIST and weights eight times as large: in most runs a last
    layer that is refitted on the training images reaches 60 % of the test set at the fit already,
    where the network's own does not (misalignment); within the wait it loses five points of what
    it has on the features of step 0 (degradation); and from the usual start there is no wait (the
    recipe). Shams: training labels dealt out, and the pixels themselves. Only the abstract was at
    hand; what is refitted, and how, is ours. Predicted before the runs: all three parts hold.

    At first the ridge was fixed, a thousandth. In seeds 0 to 2 the first part failed by that (30 %
    at the fit of seed 0), and with a hundred times as much it held (71 %): the word hung on the
    ridge. So the training images choose it, by five folds, and seeds 3 to 5 decide.
    """
    large = runs[LARGE]
    usual = runs[1.0]
    if large is None or usual is None:
        return judge(None, told="not run")
    sham_reads = bool(large.dealt.max() >= READABLE)
    late = usual.grok_step - usual.fit_step > LATE
    pixels = pixel_read_out(runs.experiments[LARGE])
    value, low, high = band(large.at_fit)
    told = (
        f"right of the test set with a fresh read-out: {large.start.median():.0%} at step 0,"
        f" {value:.0%} at the fit, {large.least.median():.0%} at its least; with a fixed ridge"
        f" {large.fixed_at_fit.median():.0%}, the network itself {large.own_at_fit.median():.0%} at"
        f" the fit; of pixels {pixels:.0%}"
    )
    return judge(
        None if sham_reads else _misaligned(large),
        None if sham_reads else _degraded(large, fall),
        most(~late.fillna(False)),
        value=value,
        low=low,
        high=high,
        told=told,
    )
