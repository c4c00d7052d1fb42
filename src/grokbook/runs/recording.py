"""Fill data/records: what is there, what is missing and what it costs; resumable."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import lru_cache
from importlib.metadata import entry_points

import pandas as pd
import torch

from grokbook.errors import ParameterError, check_choice, nearest, shown
from grokbook.machine import cores
from grokbook.paths import records_path
from grokbook.runs.experiment import Experiment, load_or_run
from grokbook.runs.store import Store
from grokbook.training.pool import Pool

GROUP = "grokbook.experiments"


def catalogue() -> dict[str, Experiment]:
    """Every experiment whose results are recorded, by name.

    An installed package brings them with an entry point of the group `grokbook.experiments`, which
    names a function without arguments; it gives functions, each of which gives experiments by some
    label.
    """
    functions: list[Callable[[], dict[str, Experiment]]] = []
    for point in entry_points(group=GROUP):
        functions += point.load()()
    return dict(_by_name(tuple(functions)))


@lru_cache(maxsize=1)
def _by_name(functions: tuple[Callable[[], dict[str, Experiment]], ...]) -> dict[str, Experiment]:
    by_name = {}
    for labelled in functions:
        for experiment in labelled().values():
            by_name[experiment.name] = experiment
    return by_name


def choose(pattern: str | None = None, seeds: int | None = None) -> list[Experiment]:
    """The experiments whose name matches a shell pattern (all without one), with `seeds` seeds if
    given.

    A pattern matches a name as it is or as a wildcard pattern ("gu2025/fig5*"). Raises
    ParameterError when none matches, naming the one most like it.
    """
    known = catalogue()
    chosen = []
    for name, experiment in known.items():
        if pattern is None or name == pattern or fnmatch(name, pattern):
            chosen.append(experiment if seeds is None else experiment.with_seeds(seeds))
    if not chosen:
        near = nearest(str(pattern), known, 0)
        hint = f", {near} the nearest" if near else ""
        raise ParameterError(
            f"no experiment matches {shown(pattern)}; `grokbook record --list` names the"
            f" {len(known)} there are{hint}."
        )
    return chosen


def records_table(
    pattern: str | None = None,
    seeds: int | None = None,
    store: Store | None = None,
) -> pd.DataFrame:
    """One row an experiment: seeds recorded and missing, and what the missing ones cost on one core
    here."""
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


@dataclass(frozen=True)
class SeedJob:
    """One more seed of an experiment: what is asked of the store, predicted seconds, value per
    second."""

    experiment: Experiment
    seconds: float
    worth: float


def next_jobs(experiments: Sequence[Experiment], store: Store) -> list[SeedJob]:
    """The next missing seed of each experiment, in falling order of value per second; nothing for
    what is complete.

    One more of n recorded seeds is worth 1 / (n + 1), the fall of the variance of a mean.
    All missing seeds of an experiment are one job where they are one program: on a GPU, and
    `together`.
    """
    jobs = []
    for experiment in experiments:
        missing = experiment.missing_seeds(store)
        if missing:
            taken = missing if experiment.together or torch.cuda.is_available() else missing[:1]
            have = [s for s in experiment.seeds if s not in missing]
            seconds = experiment.predicted(len(taken)).seconds
            wanted = dataclasses.replace(experiment, seeds=tuple(sorted({*have, *taken})))
            jobs.append(SeedJob(wanted, seconds, 1 / (len(have) + 1) / seconds))
    return sorted(jobs, key=lambda job: -job.worth)


def _record_one(store: Store, experiment: Experiment, progress: bool, update: str) -> float:
    """Train what is missing of one experiment and keep it; returns the seconds it took."""
    began = time.monotonic()
    load_or_run(experiment, store, progress=progress, compiled=update == "compiled")
    return time.monotonic() - began


def record(
    pattern: str | None = None,
    seeds: int | None = None,
    progress: bool = True,
    store: Store | None = None,
    workers: int | None = None,
    update: str = "eager",
) -> pd.DataFrame:
    """Train what is missing in the order of value per second, and commit each run to the store as
    soon as it is done.

    A run more of an experiment that has n of them is worth 1 / (n + 1). On a CPU `workers` runs
    (default: one a core) go on side by side, each in a process with one thread; on a GPU the seeds
    of an experiment are one program. `update` is eager, or compiled where there is a compiler; a
    record's provenance says which it was. An interrupted call loses nothing: finished runs are
    recorded, the running ones continue from their checkpoints next time. Returns the table of what
    is there and what remains, with its cost.

    Raises ParameterError for an unknown pattern or update, TrainingError and RecordError as
    `load_or_run` does.
    """
    check_choice("update", update, ("eager", "compiled"))
    store = store or Store(records_path())
    count = 1 if torch.cuda.is_available() else workers or cores()
    chosen = choose(pattern, seeds)

    def following(busy: set[str]) -> SeedJob | None:
        free = [experiment for experiment in chosen if experiment.key not in busy]
        return next(iter(next_jobs(free, store)), None)

    if count == 1:
        while (job := following(set())) is not None:
            _say(job, _record_one(store, job.experiment, progress, update), progress)
    else:
        _record_side_by_side(following, store, progress, count, update)
    return records_table(pattern, seeds, store)


def _record_side_by_side(
    following: Callable[[set[str]], SeedJob | None],
    store: Store,
    progress: bool,
    count: int,
    update: str,
) -> None:
    running: dict[Future[float], SeedJob] = {}
    with Pool(count) as pool:
        while True:
            busy = {job.experiment.key for job in running.values()}
            job = following(busy) if len(running) < count else None
            if job is not None:
                name = f"a run of {job.experiment.name}"
                running[
                    pool.submit(_record_one, store, job.experiment, False, update, name=name)
                ] = job
                continue
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                _say(running.pop(future), future.result(), progress)


def _say(job: SeedJob, seconds: float, progress: bool) -> None:
    if progress:
        done = job.experiment
        print(
            f"recorded {done.name}, {len(done.seeds)} of its seeds, {seconds:.0f} s (predicted"
            f" {job.seconds:.0f} s)"
        )
