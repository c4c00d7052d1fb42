"""Fill data/records: what is there, what is missing and what it costs; within a budget, resumable, any order."""

from __future__ import annotations

import time
from fnmatch import fnmatch

import pandas as pd

from grokbook.errors import ParameterError
from grokbook.experiments.base import Experiment
from grokbook.experiments.data_distribution import all_runs, table_1_variants
from grokbook.experiments.figures import figures
from grokbook.experiments.gu2025 import FIG5_STEPS, fig5
from grokbook.experiments.theory_plans_separability import fig2
from grokbook.paths import records_path
from grokbook.records.store import Store


def catalogue() -> dict[str, Experiment]:
    """Every experiment whose results are recorded, by name.

    Example:
        >>> "gu2025/fig5[p=97]" in catalogue()
        True
    """
    single = [fig5(p) for p in FIG5_STEPS] + [fig2(n_layers) for n_layers in (1, 2, 3, 4)]
    named = {experiment.name: experiment for experiment in single}
    return named | all_runs() | table_1_variants() | figures()


def choose(pattern: str | None = None, seeds: int | None = None) -> list[Experiment]:
    """The experiments whose name matches a shell pattern (all without one), with `seeds` seeds if given.

    A pattern matches a name as it is or as a wildcard pattern ("gu2025/fig5*"). Raises ParameterError when none
    matches, naming those there are.
    """
    named = catalogue()
    chosen = [e for name, e in named.items() if pattern is None or name == pattern or fnmatch(name, pattern)]
    if not chosen:
        raise ParameterError(f"no experiment matches {pattern!r}; there are {', '.join(named)}.")
    return [e if seeds is None else e.with_seeds(seeds) for e in chosen]


def records_table(pattern: str | None = None, seeds: int | None = None, store: Store | None = None) -> pd.DataFrame:
    """One row an experiment: seeds recorded and missing, and what the missing ones would cost on one core here."""
    store = store or Store(records_path())
    rows = []
    for experiment in choose(pattern, seeds):
        missing = experiment.missing_seeds(store)
        rows.append(
            {
                "experiment": experiment.name,
                "recorded": len(experiment.seeds) - len(missing),
                "missing": len(missing),
                "core minutes": round(experiment.predicted(len(missing)).seconds / 60, 1),
                "memory MB": round(experiment.predicted(1).memory_mb),
            }
        )
    return pd.DataFrame(rows)


def record(
    pattern: str | None = None,
    budget_seconds: float | None = None,
    seeds: int | None = None,
    progress: bool = True,
    store: Store | None = None,
) -> pd.DataFrame:
    """Train what is missing, cheapest experiments first, and commit each to the store as soon as it is done.

    An interrupted call loses nothing: finished experiments are recorded, the running one continues from its
    checkpoints next time. With `budget_seconds` no experiment is started after that time. Returns the table of
    what is there and what remains.
    """
    store = store or Store(records_path())
    began = time.monotonic()
    for experiment in sorted(choose(pattern, seeds), key=lambda e: e.predicted(len(e.missing_seeds(store))).seconds):
        if budget_seconds is not None and time.monotonic() - began >= budget_seconds:
            break
        if experiment.missing_seeds(store):
            store.load_or_run(experiment, progress=progress)
    return records_table(pattern, seeds, store)
