"""Chapter 09's runs as tables of their grok steps, their spread, and a race of optimisers."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping

import pandas as pd
import xarray as xr
from scipy.stats import binomtest

from companion.claims.runs import load
from companion.claims.words import spread
from grokbook.curves.comparison import same_seed
from grokbook.curves.delay import ONSET, grok_times
from grokbook.curves.limits import LimitRule, limits
from grokbook.curves.oscillation import falls
from grokbook.runs.experiment import Experiment
from grokbook.training.cost import step_seconds
from grokbook_chapters.width_and_initialisation.planning import pooled_spread
from grokbook_chapters.width_and_initialisation.runs import ACCELERATORS, by_optimiser

WARM = 3
TURNS = 10
"""Steps of each optimiser that are timed, after `WARM` that are not."""


def times(dataset: xr.Dataset) -> pd.DataFrame:
    """`grok_times` of some runs, their `best` test accuracy, that `late`, in the last fifth, and
    whether it `rises`.

    Late is the median of what is logged there and `swing` the largest fall; a curve rises where
    that fifth raises its upper limit (`limits`). At `onset_step` the accuracy on test cells whose
    transpose was not trained reaches `ONSET`.
    """
    end = dataset.test_accuracy.where(
        dataset.step >= (1 - LimitRule().end) * dataset.step.max(), drop=True
    )
    found = {"best": dataset.test_accuracy.max("step").values, "late": end.median("step").values}
    found["swing"] = [falls(end.sel(seed=seed)).largest for seed in dataset.seed]
    unmirrored = dataset.assign(test_accuracy=dataset.test_accuracy_unmirrored)
    begun = grok_times(unmirrored, threshold=ONSET).grok_step
    curves = [dataset.test_accuracy.sel(seed=seed).dropna("step") for seed in dataset.seed]
    found["rises"] = [limits(curve.step.values, curve.values).truncated for curve in curves]
    return grok_times(dataset).assign(**found, onset_step=begun)


def levels(tables: Mapping[str, pd.DataFrame]) -> str:
    """Test accuracy of the runs of each of these settings at their end and at best, and how many
    still rise."""
    return "; ".join(
        f"{label}: test accuracy {spread(table.late, '.2f')} in the last fifth of"
        f" {int(table.last_step.max()):,} steps, best {spread(table.best, '.2f')}, still rising in"
        f" {int(table.rises.sum())} of {len(table)}"
        for label, table in tables.items()
    )


def sign_test(first: pd.DataFrame, second: pd.DataFrame) -> tuple[int, int, float]:
    """Of how many pairs of one seed the run of `first` is later, of how many earlier, and p of "no
    more are later"."""
    ratios = same_seed(first, second)
    later, before = int((ratios.low > 1).sum()), int((ratios.high < 1).sum())
    return (
        later,
        before,
        float(binomtest(later, max(later + before, 1), alternative="greater").pvalue),
    )


def longest(runs: Mapping[str, pd.DataFrame | xr.Dataset], label: str) -> str | None:
    """Of the recorded settings `label` and "`label`, more steps" the one with the longest runs;
    None for neither."""
    there = [name for name in runs if name == label or name.startswith(f"{label}, ")]
    ends = {name: runs[name]["step" if "step" in runs[name] else "last_step"] for name in there}
    return max(there, key=lambda name: (int(ends[name].max()), name), default=None)


def recorded_spread(groups: Iterable[Mapping[str, Experiment]]) -> tuple[float, int, int]:
    """Pooled spread of ln(grok step) over every recorded setting of some groups; runs and settings
    that enter.

    The runs are those that generalised, the settings those where a run did and that have two. Runs
    of one seed that differ in their length alone count once, as the longest.
    """
    each = {(e.key, len(e.seeds)): e for settings in groups for e in settings.values()}
    longest_last = sorted(
        load(each, times).items(), key=lambda item: (int(item[1].last_step.max()), len(item[1]))
    )
    # all are given the same number of steps, since their length must not matter
    alike = {
        repr(dataclasses.replace(each[name].config, steps=10_000)): table
        for name, table in longest_last
    }
    tables = [t for t in alike.values() if len(t) > 1 and t.grok_step.notna().any()]
    return pooled_spread(tables), sum(int(t.grok_step.notna().sum()) for t in tables), len(tables)


def race(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """How many networks of each optimiser generalise, when, and what a step costs
    beside one of AdamW, measured now.

    `tables` are those of `runs.by_optimiser`; other learning rates than the first are left out.
    """
    config = by_optimiser()["adamw"].config
    configs = {
        name: dataclasses.replace(config, optimizer=kind()) for name, kind in ACCELERATORS.items()
    }
    turns = pd.DataFrame(step_seconds(configs, WARM + TURNS))
    seconds = turns[WARM:].median()
    rows = {}
    for name in configs:
        steps = tables[name].grok_step
        rows[name] = {
            "networks": len(steps),
            "generalise": int(steps.count()),
            "steps": spread(steps.dropna(), ",.0f"),
            "a step costs": f"{seconds[name] / seconds['adamw']:.2f}",
        }
    return pd.DataFrame(rows).T.rename_axis("optimiser")
