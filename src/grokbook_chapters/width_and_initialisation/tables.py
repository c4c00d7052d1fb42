"""Chapter 09's runs as tables of their grok steps, their spread, and a race of optimisers."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any, NamedTuple

import pandas as pd
import xarray as xr
from scipy.stats import binomtest

from companion.claims.runs import load
from grokbook.curves.comparison import same_seed
from grokbook.curves.delay import ONSET, grok_times
from grokbook.curves.limits import END, limits
from grokbook.curves.oscillation import falls
from grokbook.runs.experiment import Experiments
from grokbook.training.cost import step_seconds
from grokbook_chapters.labelled import Tables
from grokbook_chapters.ranges import spread
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
    accuracy = dataset.test_accuracy
    end = accuracy.where(dataset.step >= (1 - END) * dataset.step.max(), drop=True)
    swing = []
    rises = []
    for seed in dataset.seed:
        curve = accuracy.sel(seed=seed).dropna("step")
        rises.append(limits(curve.step.values, curve.values).truncated)
        swing.append(falls(end.sel(seed=seed)).largest)
    unmirrored = dataset.assign(test_accuracy=dataset.test_accuracy_unmirrored)
    return grok_times(dataset).assign(
        best=accuracy.max("step").values,
        late=end.median("step").values,
        swing=swing,
        rises=rises,
        onset_step=grok_times(unmirrored, threshold=ONSET).grok_step,
    )


def levels(tables: Tables) -> str:
    """Test accuracy of the runs of each of these settings at their end and at best, and how many
    still rise."""
    return "; ".join(f"{label}: {_level(table)}" for label, table in tables.items())


def _level(table: pd.DataFrame) -> str:
    late = spread(table.late, ".2f")
    best = spread(table.best, ".2f")
    last = int(table.last_step.max())
    rising = int(table.rises.sum())
    return (
        f"test accuracy {late} in the last fifth of {last:,} steps, best {best}, still rising in"
        f" {rising} of {len(table)}"
    )


class Signs(NamedTuple):
    """Pairs of one seed by which run is later, and p of "no more are later"."""

    later: int
    earlier: int
    p_value: float


def sign_test(first: pd.DataFrame, second: pd.DataFrame) -> Signs:
    """Of how many pairs of one seed the run of `first` is later, and of how many earlier."""
    ratios = same_seed(first, second)
    later = int((ratios.low > 1).sum())
    earlier = int((ratios.high < 1).sum())
    test = binomtest(later, max(later + earlier, 1), alternative="greater")
    return Signs(later, earlier, test.pvalue)


def longest(runs: Tables, label: str) -> str | None:
    """Of the recorded settings `label` and "`label`, more steps" the one with the longest runs;
    None for neither."""
    alike = [name for name in runs if name == label or name.startswith(f"{label}, ")]
    return max(alike, key=lambda name: (int(runs[name].last_step.max()), name), default=None)


class Spread(NamedTuple):
    """A pooled standard deviation of ln(grok step), and how many runs and settings it is from."""

    value: float
    runs: int
    settings: int


def recorded_spread(groups: Iterable[Experiments]) -> Spread:
    """Pooled spread of ln(grok step) over every recorded setting of some groups.

    The runs are those that generalised, the settings those where a run did and that have two. Runs
    of one seed that differ in their length alone count once, as the longest.
    """
    experiments: Experiments = {}
    for settings in groups:
        for experiment in settings.values():
            experiments[experiment.key, len(experiment.seeds)] = experiment
    longest_of: Tables = {}
    for name, table in sorted(load(experiments, times).items(), key=_length):
        # all are given the same number of steps, since their length must not matter
        alike = repr(dataclasses.replace(experiments[name].config, steps=10_000))
        longest_of[alike] = table
    tables = [t for t in longest_of.values() if len(t) > 1 and t.grok_step.notna().any()]
    runs = sum(int(table.grok_step.count()) for table in tables)
    return Spread(pooled_spread(tables), runs, len(tables))


def _length(item: tuple[Any, pd.DataFrame]) -> tuple[int, int]:
    """Steps and number of the runs of a setting, by which the longest come last."""
    _, table = item
    return int(table.last_step.max()), len(table)


def race(tables: Tables) -> pd.DataFrame:
    """How many networks of each optimiser generalise, when, and what a step costs
    beside one of AdamW, measured now.

    `tables` are those of `runs.by_optimiser`; other learning rates than the first are left out.
    """
    config = by_optimiser()["adamw"].config
    configs = {}
    for name, kind in ACCELERATORS.items():
        configs[name] = dataclasses.replace(config, optimizer=kind())
    turns = pd.DataFrame(step_seconds(configs, WARM + TURNS))
    seconds = turns[WARM:].median()
    rows = {}
    for name in configs:
        steps = tables[name].grok_step
        rows[name] = {
            "networks": len(steps),
            "generalise": int(steps.count()),
            "grok steps": spread(steps.dropna(), ",.0f"),
            "a step costs": f"{seconds[name] / seconds['adamw']:.2f}",
        }
    return pd.DataFrame(rows).T.rename_axis("optimiser")
