"""Fig. 4 of Gu et al. 2025 as measured: right answers on x^2 + xy + y^2, apart by whether the transpose was trained."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import xarray as xr

from grokbook.experiments.base import available
from grokbook.experiments.data_distribution import FIG_4_FRACTIONS, fig_4_run
from grokbook.measures.limits import LimitRule, limits, moving_mean
from grokbook.tasks.arithmetic import ModularTask


def recorded_fractions(n_seeds: int = 3) -> dict[float, xr.Dataset]:
    """The recorded runs of Fig. 4, training fractions without any left out: fraction -> dataset of its seeds."""
    found = {fraction: available(fig_4_run(fraction, n_seeds=n_seeds)) for fraction in FIG_4_FRACTIONS}
    return {fraction: runs for fraction, runs in found.items() if runs is not None}


def counted_cells(
    runs: Mapping[float, xr.Dataset], p: int = 97, rule: LimitRule | None = None, operation: str = "x2_plus_xy_plus_y2"
) -> pd.DataFrame:
    """One row a run: where its right answers on the test set are, at its upper limit, as shares of all N = p^2 cells.

    Columns: fraction, seed, `accuracy` (the upper limit, see `limits`), `truncated`, `product` = accuracy * (1 - frac),
    `memoriser` = share of cells that are test cells with a trained transpose, `mirrored` and `unmirrored` = shares of
    cells answered with and without a trained transpose, and the `accuracy mirrored` and `accuracy unmirrored`.
    product = mirrored + unmirrored, since every test cell is of one kind.
    """
    rule = rule or LimitRule()
    rows = [
        {"fraction": fraction, "seed": int(seed)}
        | _count(data.sel(seed=seed), ModularTask(p, operation, fraction, seed=int(seed)), rule)
        for fraction, data in runs.items()
        for seed in data.seed.values
    ]
    return pd.DataFrame(rows)


def _count(run: xr.Dataset, task: ModularTask, rule: LimitRule) -> dict[str, float | bool]:
    """The numbers of one run (dims: step) on its task."""
    curve = run.test_accuracy.dropna("step")
    found = limits(curve.step.values, curve.values, rule)
    share = {name: task.test_groups()[name].mean() for name in ("mirrored", "unmirrored")}
    right = {name: _at(run[f"test_accuracy_{name}"].dropna("step"), found.upper_step, rule) for name in share}
    answered = {name: share[name] * right[name] for name in share}
    accuracies = {f"accuracy {name}": right[name] for name in share}
    test = 1 - task.train_index.size / task.p**2
    whole = {"accuracy": found.upper, "truncated": found.truncated, "product": found.upper * test}
    return whole | {"memoriser": share["mirrored"]} | answered | accuracies


def _at(curve: xr.DataArray, step: int, rule: LimitRule) -> float:
    return float(np.interp(step, *moving_mean(curve.step.values, curve.values, rule.window)))


def by_fraction(cells: pd.DataFrame) -> pd.DataFrame:
    """`counted_cells` summarised: a row a fraction, medians over `seeds`, range of the product, runs still rising."""
    if not len(cells):
        return cells
    groups = cells.groupby("fraction")
    median = groups.median(numeric_only=True).drop(columns=["seed", "truncated"], errors="ignore")
    rising = groups.truncated.sum().astype(int)
    return median.assign(low=groups["product"].min(), high=groups["product"].max(), seeds=groups.size(), rising=rising)
