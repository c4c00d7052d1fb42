"""A sweep on many processes or machines: its chunks are tasks of a Dask cluster, and each is kept
once it is done.

A task is the runs of one batched program. Its result travels back as a checkpoint, which is put
where the record store looks for what an interrupted call left; the record is then made of these. So
a worker that is killed, a scheduler that is lost and a client that goes and comes back lose no
finished chunk, train none twice and change no number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import torch
import xarray as xr

from grokbook.errors import GrokbookError, ParameterError, TrainingError
from grokbook.files import atomic_write, temporary_folder
from grokbook.machine import cores, limited_threads, plain_torch
from grokbook.runs.experiment import Experiment, default_store, load_or_run
from grokbook.runs.store import Store
from grokbook.runs.sweep import ROWS, Axis, Sweep, over_grid
from grokbook.training.compiled import compiles
from grokbook.training.config import RunConfig
from grokbook.training.ensemble import How, checkpoint_path, refuse_other_process, train_here
from grokbook.training.identity import code_id, restore, run_id, save
from grokbook.training.loop import make_stack
from grokbook.training.pool import Pool

RETRIES = 5
"""How often a task whose worker died is given to another."""

MOST_CELLS = 10_000
"""Cells of the largest grid that a command may ask for."""

Told = Callable[[int, int], None]
Chunk = list[RunConfig]


def asked(
    experiment: str | Experiment, grid: Sequence[str], seeds: int, steps: int | None = None
) -> Sweep:
    """The sweep that a command asks for (`runs.sweep.over_grid`).

    Raises ParameterError for more than `MOST_CELLS` cells, before any is made.
    """
    cells = math.prod(len(Axis.parse(axis).values) for axis in grid)
    if cells > MOST_CELLS:
        raise ParameterError(f"the grid has {cells:,} cells; it may have {MOST_CELLS:,}.")
    return over_grid(experiment, grid, seeds, steps)


def trained(configs: list[RunConfig], code: str, identity: str, compiled: bool) -> bytes:
    """Train runs of one program in this process, to the end; their checkpoint, with the identity
    given.

    Raises TrainingError where the library is not that of the one who asks, or there is no place for
    the checkpoint.
    """
    if code_id(configs) != code:
        raise TrainingError(
            "this worker has another version of grokbook than the one who asks; install the same."
        )
    try:
        with temporary_folder() as folder:
            path = folder / "chunk.pt"
            stack = train_here(configs, How(compiled=compiled and any(map(compiles, configs))))
            save(stack, str(path), identity)
            return path.read_bytes()
    except OSError as error:  # left as it is, the one who asks would take it for a lost cluster
        raise TrainingError(
            f"this worker cannot keep a checkpoint: {error.strerror or error}."
        ) from error


def finished(configs: list[RunConfig], path: Path) -> bool:
    """Whether there is a checkpoint of these runs in which all of them are over."""
    if not path.is_file():
        return False
    with plain_torch(), limited_threads(1):
        stack = make_stack(configs, torch.device("cpu"))
        there = restore(stack, str(path))
        return there and (
            stack.step >= stack.config.steps or all(map(stack.over, range(len(configs))))
        )


@contextmanager
def cluster(scheduler: str) -> Iterator[object]:
    """A Dask client of the cluster at an address.

    None is made here: Dask's would listen at every address of this machine, and run what anybody
    sends it. Raises GrokbookError where Dask is not installed or nobody answers at the address.
    """
    try:
        from distributed import Client
    except ImportError:
        raise GrokbookError(
            "a sweep needs Dask: install the extra `cluster` (pip install 'grokbook[cluster]')."
        ) from None
    try:
        client = Client(scheduler, timeout=10)
    except (OSError, ValueError, TypeError) as error:
        raise GrokbookError(f"no Dask scheduler answers at {scheduler!r} ({error}).") from None
    with client:
        yield client


@dataclass(frozen=True)
class Missing:
    """The chunks of a sweep that a store has no record of, each with the file that keeps it once it
    is done."""

    experiment: Sweep
    store: Store

    @cached_property
    def folder(self) -> Path:
        """Where the files are."""
        return self.store.checkpoints(self.experiment)

    @cached_property
    def chunks(self) -> list[tuple[Chunk, Path]]:
        """Runs of one program, and their file."""
        made = self.experiment.chunks(self.experiment.missing_seeds(self.store))
        return [(chunk, Path(checkpoint_path(self.folder, chunk))) for chunk in made]

    def waiting(self) -> list[tuple[Chunk, Path]]:
        """Those that nobody has finished."""
        return [(chunk, path) for chunk, path in self.chunks if not finished(chunk, path)]

    def train(self, made: Iterator[Path], done: int, told: Told) -> None:
        """Tell of chunks as they are made, beside those that are done."""
        for _ in made:
            done += 1
            told(done, len(self.chunks))

    def record(self, compiled: bool) -> xr.Dataset:
        """The dataset of the sweep, of which all chunks are finished."""
        options = {"compiled": compiled, "device": "cpu", "rows": ROWS}
        return load_or_run(self.experiment, self.store, progress=False, **options)


def missing(experiment: Sweep, store: Store | None) -> Missing:
    """What is missing of a sweep in a store (default: this machine's).

    Raises ParameterError where the code of a class of a reader's own is not known.
    """
    if (code := experiment.code).digest is None:
        raise ParameterError(f"a sweep on a cluster needs code that is known, but {code.why}.")
    return Missing(experiment, store or default_store())


@contextmanager
def _trainer(scheduler: str | None, workers: int | None) -> Iterator[Callable[..., Iterator[Path]]]:
    """What trains chunks: a cluster, or without one processes of this machine, which nobody else
    can reach."""
    if scheduler is None:
        yield partial(_in_processes, workers=workers or cores())
    else:
        with cluster(scheduler) as client:
            yield partial(_on_cluster, client)


def sweep(
    experiment: Sweep,
    scheduler: str | None = None,
    *,
    workers: int | None = None,
    store: Store | None = None,
    compiled: bool = False,
    told: Told = lambda done, of: None,
) -> xr.Dataset:
    """The dataset of a sweep; what is missing of it is trained chunk by chunk, here or on a Dask
    cluster.

    Args:
        scheduler: address of a cluster, such as tcp://host:8786. Default: processes here, which
            need no Dask.
        workers: how many processes here; default: one a core.
        store: where the record goes (default: this machine's).
        told: called with the number of finished chunks and of all, after each.

    Raises:
        GrokbookError: there is no Dask, nobody at the address, or the cluster was lost; what was
            finished is kept.
        ParameterError: the code of a class of a reader's own is not known.
        TrainingError: a worker has another version of the library, or a task failed.
    """
    work = missing(experiment, store)
    waiting = work.waiting()
    done = len(work.chunks) - len(waiting)
    told(done, len(work.chunks))
    if waiting:
        with _trainer(scheduler, workers) as train:
            work.train(train(waiting, compiled=compiled), done, told)
    return work.record(compiled)


def place(experiment: Sweep, store: Store | None = None) -> Path | None:
    """The netCDF file that holds a sweep's dataset, in a store (default: this machine's) or in
    those behind it."""
    code, first = experiment.code, store or default_store()
    stores = (first, *first.fallbacks)
    return next(
        (where.path / found[0] for where in stores if (found := where.find(experiment.key, code))),
        None,
    )


@contextmanager
def shown() -> Iterator[Told]:
    """A line on the screen with finished chunks and the time that is left, as long as the block
    lasts."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("chunks"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("left"),
    )
    with Progress(*columns) as progress:
        task = progress.add_task("chunks", total=None)
        yield lambda done, of: progress.update(task, completed=done, total=of)


def _train_into(configs: Chunk, code: str, identity: str, compiled: bool, path: str) -> None:
    refuse_other_process(configs, identity)
    atomic_write(path, trained(configs, code, identity, compiled))


def _in_processes(
    waiting: list[tuple[Chunk, Path]], workers: int, compiled: bool
) -> Iterator[Path]:
    code = code_id(waiting[0][0][:1])
    if workers == 1:
        for chunk, path in waiting:
            atomic_write(path, trained(chunk, code, run_id(chunk), compiled))
            yield path
        return
    with Pool(min(workers, len(waiting))) as pool:
        futures = {
            pool.submit(_train_into, chunk, code, run_id(chunk), compiled, str(path)): path
            for chunk, path in waiting
        }
        for future in as_completed(futures):
            future.result()
            yield futures[future]


def _on_cluster(client: Any, waiting: list[tuple[Chunk, Path]], compiled: bool) -> Iterator[Path]:
    from distributed import as_completed
    from distributed.client import FutureCancelledError

    code = code_id(waiting[0][0][:1])
    futures = {}
    for chunk, path in waiting:
        identity = run_id(chunk)
        name = f"grokbook-{path.stem}-{identity}"
        future = client.submit(trained, chunk, code, identity, compiled, key=name, retries=RETRIES)
        futures[future] = path
    left = len(futures)
    try:
        for future in as_completed(futures):
            atomic_write(futures[future], future.result())
            left -= 1
            yield futures[future]
    except (FutureCancelledError, OSError) as error:
        raise GrokbookError(
            f"the cluster was lost with {left} of {len(futures)} chunks to go ({error}); what was"
            " finished is kept, and the same command goes on from there."
        ) from error
