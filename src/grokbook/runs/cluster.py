"""A sweep on many processes or machines: its chunks are tasks of a Dask cluster, and each is kept once it is done.

A task is the runs of one batched program. Its result travels back as a checkpoint, which is put where the record store
looks for what an interrupted call left; the record is then made of these. So a worker that is killed, a scheduler that
is lost and a client that goes and comes back lose no finished chunk, train none twice and change no number.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import torch
import xarray as xr

from grokbook.errors import GrokbookError, ParameterError, TrainingError
from grokbook.files import atomic_write
from grokbook.machine import cores, limited_threads
from grokbook.runs.experiment import default_store, load_or_run
from grokbook.runs.store import Store
from grokbook.runs.sweep import ROWS, Axis, Sweep, over_grid
from grokbook.training.compiled import compiler_here
from grokbook.training.config import RunConfig, code_of
from grokbook.training.ensemble import How, checkpoint_path, train_here
from grokbook.training.loop import make_stack, restore

RETRIES = 5
"""How often a task whose worker died is given to another."""

MOST_CELLS = 10_000
"""Cells of the largest grid that a command may ask for."""

Told = Callable[[int, int], None]


def asked(experiment: str, grid: Sequence[str], seeds: int, steps: int | None = None) -> Sweep:
    """The sweep that a command asks for (`runs.sweep.over_grid`).

    Raises ParameterError for more than `MOST_CELLS` cells, before any is made.
    """
    cells = math.prod(len(Axis.parse(axis).values) for axis in grid)
    if cells > MOST_CELLS:
        raise ParameterError(f"the grid has {cells:,} cells; it may have {MOST_CELLS:,}.")
    return over_grid(experiment, grid, seeds, steps)


def trained(configs: list[RunConfig], code: str, compiled: bool) -> bytes:
    """Train runs of one program in this process, to the end; their checkpoint.

    Raises TrainingError where the library is not that of the one who asks, or there is no place for the checkpoint.
    """
    if code_of(*configs).digest != code:
        raise TrainingError("this worker has another version of grokbook than the one who asks; install the same.")
    try:
        with tempfile.TemporaryDirectory(prefix="grokbook-") as folder:
            path = Path(folder) / "chunk.pt"
            train_here(configs, How(compiled=compiled and compiler_here()), str(path))
            return path.read_bytes()
    except OSError as error:  # left as it is, the one who asks would take it for a lost cluster
        raise TrainingError(f"this worker cannot keep a checkpoint: {error.strerror or error}.") from error


def finished(configs: list[RunConfig], path: Path) -> bool:
    """Whether there is a checkpoint of these runs in which all of them are over."""
    if not path.is_file():
        return False
    with limited_threads(1):
        stack = make_stack(configs, torch.device("cpu"))
        there = restore(stack, str(path))
        return there and (stack.step >= stack.config.steps or all(map(stack.over, range(len(configs)))))


@contextmanager
def cluster(scheduler: str | None, workers: int | None = None) -> Iterator[object]:
    """A Dask client: of the cluster at an address, or of one made here for as long as the block lasts.

    Raises GrokbookError where Dask is not installed or nobody answers at the address.
    """
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise GrokbookError(
            "a sweep needs Dask: install the extra `cluster` (pip install 'grokbook[cluster]')."
        ) from None
    if scheduler is None:
        each = {"threads_per_worker": 1, "dashboard_address": ":0"}  # any free port: two sweeps may run side by side
        with LocalCluster(n_workers=workers or cores(), **each) as local, Client(local) as client:
            yield client
        return
    try:
        client = Client(scheduler, timeout=10)
    except (OSError, ValueError, TypeError) as error:
        raise GrokbookError(f"no Dask scheduler answers at {scheduler!r} ({error}).") from None
    with client:
        yield client


def sweep(
    experiment: Sweep,
    scheduler: str | None = None,
    *,
    workers: int | None = None,
    store: Store | None = None,
    compiled: bool = False,
    told: Told = lambda done, of: None,
) -> xr.Dataset:
    """The dataset of a sweep; what is missing of it is trained on a Dask cluster, chunk by chunk.

    Args:
        scheduler: address of a cluster, such as tcp://host:8786; None: `workers` processes (one a core) for this call.
        store: where the record goes (default: this machine's).
        told: called with the number of finished chunks and of all, after each.

    Raises:
        GrokbookError: there is no Dask, nobody at the address, or the cluster was lost; what was finished is kept.
        ParameterError: the code of a class of a reader's own is not known.
        TrainingError: a worker has another version of the library, or a task failed.
    """
    if (code := experiment.code).digest is None:
        raise ParameterError(f"a sweep on a cluster needs code that is known, but {code.why}.")
    store = store or default_store()
    folder = store.checkpoints(experiment)
    chunks = experiment.chunks(experiment.missing_seeds(store))
    paths = [Path(checkpoint_path(folder, chunk)) for chunk in chunks]
    waiting = [(chunk, path) for chunk, path in zip(chunks, paths, strict=True) if not finished(chunk, path)]
    done = len(chunks) - len(waiting)
    told(done, len(chunks))
    if waiting:
        with cluster(scheduler, workers) as client:
            for path, content in _results(client, waiting, compiled):
                folder.mkdir(parents=True, exist_ok=True)
                atomic_write(path, content)
                done += 1
                told(done, len(chunks))
    return load_or_run(experiment, store, progress=False, compiled=compiled, device="cpu", rows=ROWS)


def place(experiment: Sweep) -> Path | None:
    """The netCDF file that holds a sweep's dataset, in this machine's store or in the records."""
    code, stores = experiment.code, (default_store(), *default_store().fallbacks)
    return next((store.path / found[0] for store in stores if (found := store.find(experiment.key, code))), None)


@contextmanager
def shown() -> Iterator[Told]:
    """A line on the screen with finished chunks and the time that is left, as long as the block lasts."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("chunks"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("left")
    with Progress(*columns) as progress:
        task = progress.add_task("chunks", total=None)
        yield lambda done, of: progress.update(task, completed=done, total=of)


def _results(
    client: object, waiting: list[tuple[list[RunConfig], Path]], compiled: bool
) -> Iterator[tuple[Path, bytes]]:
    from distributed import as_completed
    from distributed.client import FutureCancelledError

    code = code_of(waiting[0][0][0]).digest
    futures = {
        client.submit(trained, chunk, code, compiled, key=f"grokbook-{path.stem}-{code}", retries=RETRIES): path
        for chunk, path in waiting
    }
    left = len(futures)
    try:
        for future in as_completed(futures):
            content = future.result()
            left -= 1
            yield futures[future], content
    except (FutureCancelledError, OSError) as error:
        raise GrokbookError(
            f"the cluster was lost with {left} of {len(futures)} chunks to go ({error}); what was finished is kept, "
            "and the same command goes on from there."
        ) from error
