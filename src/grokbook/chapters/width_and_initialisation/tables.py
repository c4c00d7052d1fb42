"""Tables of chapter 09: settings against a baseline, the tables that an embedding starts from, the cost of one step."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
import xarray as xr

from grokbook.chapters.width_and_initialisation.settings import ACCELERATORS
from grokbook.claims.runs import cost, load
from grokbook.errors import ParameterError
from grokbook.measures import mean_norm, med
from grokbook.models.start import STARTS, embedding_start
from grokbook.runs.comparison import (
    compare,
    false_alarms,
    median_bounds,
    oracles,
    pooled_spread,
    same_seed,
    span,
)
from grokbook.runs.delay import grok_times
from grokbook.runs.experiment import Experiment
from grokbook.runs.limits import LimitRule, limits_table
from grokbook.runs.oscillation import falls
from grokbook.runs.tracking import ONSET
from grokbook.theory.toeplitz_start import squared_steps
from grokbook.training.config import RunConfig
from grokbook.training.cost import step_seconds
from grokbook.training.optim import AdamW

FIRST = 10_000
"""Steps at which settings are compared that may differ in their length."""


def times(dataset: xr.Dataset) -> pd.DataFrame:
    """`grok_times` of some runs, their `best` test accuracy, that `late`, in the last fifth, and whether it `rises`.

    Late is the median of what is logged there and `swing` the largest fall; a curve rises where that fifth raises its
    upper limit (`limits`). At `onset_step` the accuracy on test cells whose transpose was not trained reaches `ONSET`.
    """
    end = dataset.test_accuracy.where(dataset.step >= (1 - LimitRule().end) * dataset.step.max(), drop=True)
    found = {"best": dataset.test_accuracy.max("step").values, "late": end.median("step").values}
    found["swing"] = [falls(end.sel(seed=seed)).largest for seed in dataset.seed]
    unmirrored = dataset.assign(test_accuracy=dataset.test_accuracy_unmirrored)
    begun = grok_times(unmirrored, threshold=ONSET).grok_step
    return grok_times(dataset).assign(**found, onset_step=begun, rises=limits_table(dataset).truncated.to_numpy())


def times_of(settings: Mapping[str, Experiment]) -> dict[str, pd.DataFrame | None]:
    """`times` of what is recorded of some settings by label, None where nothing is; nothing is trained.

    Example:
        >>> times_of({})
        {}
    """
    found = load(settings, times)
    return {label: found[label] for label in settings}


def longest(recorded: Mapping[str, pd.DataFrame | xr.Dataset], label: str) -> str | None:
    """Of the recorded settings `label` and "`label`, more steps" the one with the longest runs; None for neither.

    Example:
        >>> runs = {"d = 64": pd.DataFrame({"last_step": [9]}), "d = 64, 20 steps": pd.DataFrame({"last_step": [20]})}
        >>> longest(runs, "d = 64"), longest(runs, "d = 128")
        ('d = 64, 20 steps', None)
    """
    there = [name for name in recorded if name == label or name.startswith(f"{label}, ")]
    ends = {name: recorded[name]["step" if "step" in recorded[name] else "last_step"] for name in there}
    return max(there, key=lambda name: (int(ends[name].max()), name), default=None)


def recorded_spread(groups: Iterable[Mapping[str, Experiment]]) -> tuple[float, int, int]:
    """Pooled spread of ln(grok step) over every recorded setting of some groups; runs and settings that enter.

    The runs are those that generalised, the settings those where a run did and that have two. Runs of one seed that
    differ in their length alone count once, as the longest.

    Example:
        >>> recorded_spread([])[1:]
        (0, 0)
    """
    each = {(e.key, len(e.seeds)): e for settings in groups for e in settings.values()}
    longest_last = sorted(load(each, times).items(), key=lambda item: (int(item[1].last_step.max()), len(item[1])))
    alike = {repr(dataclasses.replace(each[name].config, steps=FIRST)): table for name, table in longest_last}
    tables = [t for t in alike.values() if len(t) > 1 and t.grok_step.notna().any()]
    return pooled_spread(tables), sum(int(t.grok_step.notna().sum()) for t in tables), len(tables)


def comparison_table(groups: Mapping[str, tuple[Mapping[str, Experiment], str]]) -> pd.DataFrame:
    """One row a recorded setting: grok steps, accuracies, and its ratio to the baseline of its group, with p values.

    `groups`: name -> (settings by label, label of the baseline). `ratio` is that of the median grok steps and `same
    seed` the median of the ratios of runs with one seed (bounds where censored), `p` and `paired p` the exact one-sided
    p values of "not earlier than the baseline". What is not recorded has no row: see `left_out`.

    Example:
        >>> from grokbook.chapters.width_and_initialisation.settings import by_start
        >>> comparison_table({"20 %": (by_start(0.2), "normal")}).columns.tolist()[:3]
        ['where', 'setting', 'generalise']
    """
    rows = []
    for where, (settings, baseline) in groups.items():
        there = {label: table for label, table in times_of(settings).items() if table is not None}
        for label, table in there.items():
            base = None if label == baseline else there.get(baseline)
            rows.append({"where": where, "setting": label} | _row(table, base))
    columns = ["where", "setting", "generalise", "grok steps", "best accuracy", "ratio", "p", "same seed", "paired p"]
    return pd.DataFrame(rows, columns=columns)


def _row(table: pd.DataFrame, base: pd.DataFrame | None) -> dict[str, object]:
    seen = table.grok_step.dropna().astype(int)
    late = f"> {int(table.last_step.max())}" if len(seen) < len(table) else ""
    span_of_steps = " to ".join(dict.fromkeys(map(str, (seen.min(), seen.max())))) if len(seen) else ""
    row = {
        "generalise": f"{len(seen)} of {len(table)}",
        "grok steps": ", ".join(filter(None, (span_of_steps, late))),
        "best accuracy": f"{table.best.min():.2f} to {table.best.max():.2f}",
    }
    if base is None:
        return row
    found = compare(table, base)
    ratios = {"ratio": between(found.low, found.high), "same seed": between(*found.same_seed)}
    return row | ratios | {"p": found.p_value, "paired p": found.paired}


def left_out(*settings: Mapping[str, Experiment]) -> str:
    """What is not recorded of some settings, and what it would cost on one core, in a sentence.

    Example:
        >>> left_out({})
        'Every run of these settings is recorded.'
    """
    each = [(label, e, len(e.missing_seeds())) for one in settings for label, e in one.items() if e.missing_seeds()]
    if not each:
        return "Every run of these settings is recorded."
    if len(each) == sum(map(len, settings)) and all(n == len(e.seeds) for _, e, n in each):
        return f"Nothing of these settings is recorded: {cost(e for _, e, _ in each)}."
    named = "; ".join(label + (f" ({n} of {len(e.seeds)} runs)" if n < len(e.seeds) else "") for label, e, n in each)
    return f"Not recorded: {named}. In all, {cost(e for _, e, _ in each)}."


def over_predicted(settings: Iterable[Mapping[str, Experiment]]) -> tuple[float, float, float]:
    """Seconds that recorded runs took over those predicted for this machine: least, median and largest of a setting.

    NaN where nothing is recorded.

    Example:
        >>> bool(np.isnan(over_predicted([])[1]))
        True
    """
    each = {e.key: e for one in settings for e in one.values()}
    took = load(each, _seconds_of_a_run)
    ratios = [seconds / each[key].predicted(1).seconds for key, seconds in took.items()] or [np.nan]
    return float(np.min(ratios)), float(np.median(ratios)), float(np.max(ratios))


def _seconds_of_a_run(dataset: xr.Dataset) -> float:
    made = json.loads(dataset.attrs["provenance"])
    return sum(part["seconds"] for part in made) / sum(len(part["seeds"]) for part in made)


def between(low: float, high: float) -> str:
    """Bounds of a ratio for a table; an infinite upper bound is no bound.

    Example:
        >>> between(0.5, 0.5), between(0.5, 1.0), between(1.5, np.inf)
        ('0.50', '0.50 to 1.00', '> 1.50')
    """
    return span(low, high, above=">", below="<")


def at_own_best(settings: Mapping[str, Experiment]) -> dict[str, tuple[str, int]]:
    """Of each optimiser of `by_optimiser` the label with the earliest median grok step, and how many rates were run.

    A run that did not generalise counts as later than its last step; an optimiser without runs has no entry.

    Example:
        >>> at_own_best({})
        {}
    """
    there = {label: table for label, table in times_of(settings).items() if table is not None}
    found: dict[str, tuple[str, int]] = {}
    for name in dict.fromkeys(label.partition(",")[0] for label in there):
        rates = [label for label in there if label.partition(",")[0] == name]
        found[name] = min(rates, key=lambda label: median_bounds(there[label])[::-1]), len(rates)
    return found


def pairs_of(
    groups: Mapping[str, tuple[Mapping[str, Experiment], str]],
) -> dict[str, dict[str, pd.DataFrame]]:
    """Of the groups of `comparison_table` the pairs of runs with one seed (`same_seed`), by group and setting.

    Example:
        >>> pairs_of({"nothing": ({}, "normal")})
        {}
    """
    found = {}
    for where, (settings, baseline) in groups.items():
        there = {label: table for label, table in times_of(settings).items() if table is not None}
        base = there.pop(baseline, None)
        if there and base is not None:
            found[where] = {label: same_seed(table, base) for label, table in there.items()}
    return found


def start_controls(settings: Mapping[str, Experiment]) -> tuple[float, float, float]:
    """Controls of the tests on these starts: `false_alarms` of the normal one, both `oracles`, that of pairs at worst.

    NaN where nothing is recorded.

    Example:
        >>> bool(np.isnan(start_controls({})[0]))
        True
    """
    there = {label: table for label, table in times_of(settings).items() if table is not None}
    normal = there.pop("normal", None)
    if normal is None:
        return (np.nan,) * 3
    paired = [oracles(table, normal)[1] for table in there.values()] or [np.nan]
    return false_alarms(normal), oracles(normal, normal)[0], float(np.max(paired))


def start_table(p: int = 97, d: int = 128, draws: int = 20) -> pd.DataFrame:
    r"""MED, mean length, MED over mean length, and the relative spread of the steps of each start, means over `draws`.

    `expected step` is $\sqrt{\mathrm{E}\lVert\phi(i+1) - \phi(i)\rVert^2}$: $\sqrt2$ for entries of variance 1/d,
    $\sqrt{1/6}$ for those of variance 1/(12 d), such as numbers uniform in [0, 1) over $\sqrt d$; `centred length` is
    the root mean square length once the mean vector is taken away.

    Raises ParameterError for no draws.

    Example:
        >>> start_table(11, 16, 2).start.tolist()
        ['normal', 'toeplitz', 'positive', 'circulant', 'toeplitz_normal', 'small_normal', 'normal_mean']
    """
    if draws < 1:
        raise ParameterError(f"draws = {draws} must be 1 or more.")
    rows = []
    for kind in STARTS:
        found = [_start_row(embedding_start(kind, p, d, seed).double().numpy()) for seed in range(draws)]
        step = np.sqrt(2.0 if kind in ("normal", "toeplitz_normal", "normal_mean") else 1 / 6)
        rows.append({"start": kind, "expected step": step} | pd.DataFrame(found).mean().to_dict())
    order = ["start", "MED", "expected step", "mean length", "centred length", "MED / mean length", "step spread"]
    return pd.DataFrame(rows)[order]


def _start_row(table: np.ndarray) -> dict[str, float]:
    steps = np.sqrt(squared_steps(table))
    length, value = mean_norm(table), med(table)
    centred = table - table.mean(axis=0)
    return {
        "MED": value,
        "mean length": length,
        "centred length": float(np.sqrt((centred**2).sum(axis=1).mean())),
        "MED / mean length": value / length,
        "step spread": float(steps.std() / steps.mean()),
    }


def step_costs(config: RunConfig, optimisers: Mapping[str, AdamW] | None = None, repeats: int = 15) -> pd.DataFrame:
    """Milliseconds of one training step by optimiser (default: the three compared), on one thread, ratio to the first.

    The optimisers take turns, a step each, so that whatever else the machine does falls on all of them alike; the
    medians of `repeats` turns are compared, after three turns that do not count.

    Raises ParameterError for fewer than one turn.

    Example:
        >>> from grokbook.runs.gu2025 import modular_run
        >>> table = step_costs(modular_run(5, 0.5, d_model=8, steps=10), repeats=2)
        >>> table.optimiser.tolist(), float(table.ratio[0])
        (['adamw', 'muon', 'grokfast'], 1.0)
    """
    if repeats < 1:
        raise ParameterError(f"repeats = {repeats} must be 1 or more.")
    optimisers = optimisers or {name: kind() for name, kind in ACCELERATORS.items()}
    seconds = step_seconds({n: dataclasses.replace(config, optimizer=o) for n, o in optimisers.items()}, repeats + 3)
    middle = {name: float(np.median(values[3:])) for name, values in seconds.items()}
    first = next(iter(middle.values()))
    rows = [{"optimiser": n, "ms a step": 1e3 * s, "ratio": s / first} for n, s in middle.items()]
    return pd.DataFrame(rows)
