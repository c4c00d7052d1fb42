"""Tables of chapter 09: settings against a baseline, the tables that an embedding starts from, the cost of one step."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
import xarray as xr
from scipy.stats import chi2

from grokbook.claims.runs import load
from grokbook.errors import ParameterError
from grokbook.experiments.base import Experiment
from grokbook.experiments.missing import with_missing
from grokbook.measures import grok_times, mean_norm, med
from grokbook.measures.comparison import compare, pooled_spread, span
from grokbook.models.start import STARTS, embedding_start
from grokbook.theory.toeplitz_start import squared_steps
from grokbook.topics.width_and_initialisation.settings import ACCELERATORS
from grokbook.training.config import RunConfig
from grokbook.training.cost import step_seconds
from grokbook.training.optim import AdamW


def times(dataset: xr.Dataset) -> pd.DataFrame:
    """`grok_times` of some runs, with their `best` test accuracy."""
    return grok_times(dataset).assign(best=dataset.test_accuracy.max("step").values)


def times_of(settings: Mapping[str, Experiment]) -> dict[str, pd.DataFrame | None]:
    """`times` of what is recorded of some settings by label, None where nothing is; nothing is trained.

    Example:
        >>> times_of({})
        {}
    """
    found = load(settings, times)
    return {label: found[label] for label in settings}


def recorded_spread(groups: Iterable[Mapping[str, Experiment]]) -> tuple[float, int, int]:
    """Pooled spread of ln(grok step) over every recorded setting of some groups; runs and settings that enter.

    Example:
        >>> recorded_spread([])[1:]
        (0, 0)
    """
    each = {e.key: e for settings in groups for e in settings.values()}
    tables = [t for t in load(each, times).values() if t.grok_step.notna().sum() > 1]
    return pooled_spread(tables), sum(int(t.grok_step.notna().sum()) for t in tables), len(tables)


def spread_interval(spread: float, runs: int, settings: int, level: float = 0.95) -> tuple[float, float]:
    r"""Interval of a pooled spread s for independent normal logarithms: $s \sqrt{f / \chi^2_f}$, f = runs - settings.

    Example:
        >>> [round(float(end), 2) for end in spread_interval(0.5, 12, 4)]
        [0.34, 0.96]
    """
    freedom = max(runs - settings, 1)
    ends = chi2.ppf([(1 + level) / 2, (1 - level) / 2], freedom)
    return tuple(float(end) for end in spread * np.sqrt(freedom / ends))


def comparison_table(settings: Mapping[str, Experiment], baseline: str) -> pd.DataFrame:
    """One row a setting: seeds, grok steps, ratio to the setting `baseline`, p values, what is missing at what cost.

    `ratio` is that of the median grok steps (bounds where censored), `over pairs` its range over pairs of runs, `same
    seed` over runs with one seed, `p` the exact one-sided p value of "not earlier than the baseline".

    Example:
        >>> from grokbook.topics.width_and_initialisation.settings import by_start
        >>> comparison_table(by_start(0.2), "normal").columns.tolist()[:3]
        ['setting', 'seeds', 'generalise']
    """
    tables = times_of(settings)
    base = tables.get(baseline)
    rows = [_row(label, table, None if label == baseline else base) for label, table in tables.items()]
    order = ["setting", "seeds", "generalise", "grok steps", "best accuracy", "ratio", "over pairs", "same seed", "p"]
    return with_missing(rows, settings.values(), [*order, "at best"])


def _row(label: str, table: pd.DataFrame | None, base: pd.DataFrame | None) -> dict[str, object]:
    if table is None:
        return {"setting": label, "seeds": 0, "generalise": ""}
    count = f"{table.grok_step.notna().sum()} of {len(table)}"
    row = {"setting": label, "seeds": len(table), "generalise": count, "grok steps": _steps(table)}
    row["best accuracy"] = float(table.best.median())
    if base is not None:
        found = compare(table, base)
        row |= {"ratio": between(found.low, found.high), "over pairs": between(*found.pairs)}
        row |= {"p": found.p_value, "at best": found.least, "same seed": ", ".join(f"{r:.2f}" for r in found.same_seed)}
    return row


def _steps(table: pd.DataFrame) -> str:
    seen = sorted(table.grok_step.dropna().astype(int))
    late = f"> {int(table.last_step.max())}" if len(seen) < len(table) else ""
    return ", ".join([*map(str, seen), *([late] * (len(table) - len(seen)))])


def between(low: float, high: float) -> str:
    """Bounds of a ratio for a table; an infinite upper bound is no bound.

    Example:
        >>> between(0.5, 0.5), between(0.5, 1.0), between(1.5, np.inf)
        ('0.50', '0.50 to 1.00', '> 1.50')
    """
    return f"{low:.2f}" if np.isclose(low, high) else span(low, high, above=">", below="<")


def start_table(p: int = 97, d: int = 128, draws: int = 20) -> pd.DataFrame:
    r"""MED, mean length, MED over mean length, and the relative spread of the steps of each start, means over `draws`.

    `expected step` is $\sqrt{\mathrm{E}\lVert\phi(i+1) - \phi(i)\rVert^2}$: $\sqrt2$ for entries of variance 1/d,
    $\sqrt{1/6}$ for those uniform in [0, 1) over $\sqrt d$; `centred length` is the root mean square length once the
    mean vector is taken away.

    Raises ParameterError for no draws.

    Example:
        >>> start_table(11, 16, 2).start.tolist()
        ['normal', 'toeplitz', 'positive', 'circulant', 'toeplitz_normal']
    """
    if draws < 1:
        raise ParameterError(f"draws = {draws} must be 1 or more.")
    rows = []
    for kind in STARTS:
        found = [_start_row(embedding_start(kind, p, d, seed).double().numpy()) for seed in range(draws)]
        step = np.sqrt(2.0 if "normal" in kind else 1 / 6)
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


def step_costs(config: RunConfig, optimisers: Mapping[str, AdamW] = ACCELERATORS, repeats: int = 15) -> pd.DataFrame:
    """Milliseconds of one training step by optimiser, on one thread, and the ratio to the first optimiser.

    The optimisers take turns, a step each, so that whatever else the machine does falls on all of them alike; the
    medians of `repeats` turns are compared, after three turns that do not count.

    Raises ParameterError for fewer than one turn.

    Example:
        >>> from grokbook.experiments.gu2025 import modular_run
        >>> table = step_costs(modular_run(5, 0.5, d_model=8, steps=10), repeats=2)
        >>> table.optimiser.tolist(), float(table.ratio[0])
        (['adamw', 'muon', 'grokfast'], 1.0)
    """
    if repeats < 1:
        raise ParameterError(f"repeats = {repeats} must be 1 or more.")
    seconds = step_seconds({n: dataclasses.replace(config, optimizer=o) for n, o in optimisers.items()}, repeats + 3)
    middle = {name: float(np.median(values[3:])) for name, values in seconds.items()}
    first = next(iter(middle.values()))
    rows = [{"optimiser": n, "ms a step": 1e3 * s, "ratio": s / first} for n, s in middle.items()]
    return pd.DataFrame(rows)
