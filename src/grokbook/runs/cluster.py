"""A sweep on many machines: its chunks are tasks of a Dask cluster, and each is kept once it is
done.

A task is the runs of one batched program. Its result travels back as a checkpoint, which is put
where the record store looks for what an interrupted call left; the record is then made of these. So
a worker that is killed, a scheduler that is lost and a client that goes and comes back lose no
finished chunk, train none twice and change no number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
import xarray as xr

from grokbook.errors import GrokbookError, ParameterError, TrainingError
from grokbook.files import atomic_write, temporary_folder
from grokbook.machine import limited_threads, plain_torch
from grokbook.runs.experiment import default_store, load_or_run
from grokbook.runs.store import Store
from grokbook.runs.sweep import ROWS, Sweep
from grokbook.training.config import RunConfig
from grokbook.training.ensemble import How, checkpoint_path, train_here
from grokbook.training.identity import code_id, restore, run_id, save
from grokbook.training.loop import make_stack
from grokbook.training.progress import TrainingProgress

RETRIES = 5
"""How often a task whose worker died is given to another."""

Chunk = list[RunConfig]


def sweep(
    experiment: Sweep,
    scheduler: str,
    *,
    store: Store | None = None,
    progress: bool = False,
    report: Callable[[int, int], None] = lambda done, total: None,
) -> xr.Dataset:
    """The dataset of a sweep; what is missing of it is trained chunk by chunk.

    Args:
        scheduler: address of a Dask cluster, such as tcp://host:8786.
        store: where the record goes (default: this machine's).
        report: called with the number of finished chunks and of all, after each.

    Raises:
        GrokbookError: there is no Dask, nobody at the address, or the cluster was lost; what was
            finished is kept.
        ParameterError: the code of a class of a reader's own is not known.
        TrainingError: a worker has another version of the library, or a task failed.
    """
    store = store or default_store()
    if (code := experiment.code).digest is None:
        raise ParameterError(f"a sweep on a cluster needs code that is known, but {code.why}.")
    folder = store.checkpoints(experiment)
    chunks = experiment.chunks(experiment.missing_seeds(store))
    waiting = {}
    for chunk in chunks:
        path = Path(checkpoint_path(folder, chunk))
        if not finished(chunk, path):
            waiting[path] = chunk
    done = len(chunks) - len(waiting)
    report(done, len(chunks))
    if waiting:
        with (
            client_of(scheduler) as client,
            TrainingProgress({"chunks": len(chunks)}, progress) as bars,
        ):
            for _ in _trained_there(client, waiting):
                done += 1
                bars.update("chunks", done, {})
                report(done, len(chunks))
    return load_or_run(experiment, store, progress=False, device="cpu", rows=ROWS)


def finished(configs: Chunk, path: Path) -> bool:
    """Whether there is a checkpoint of these runs in which all of them are over."""
    if not path.is_file():
        return False
    with plain_torch(), limited_threads(1):
        stack = make_stack(configs, torch.device("cpu"))
        if not restore(stack, str(path)):
            return False
        return stack.step >= stack.config.steps or all(map(stack.over, range(len(configs))))


def trained(configs: Chunk, code: str, identity: str) -> bytes:
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
            stack = train_here(configs, How())
            save(stack, str(path), identity)
            return path.read_bytes()
    except OSError as error:  # left as it is, the one who asks would take it for a lost cluster
        raise TrainingError(
            f"this worker cannot keep a checkpoint: {error.strerror or error}."
        ) from error


@contextmanager
def client_of(scheduler: str) -> Iterator[Any]:
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


def _trained_there(client: Any, waiting: dict[Path, Chunk]) -> Iterator[Path]:
    """The files of chunks, each once its task is done and it is written."""
    from distributed import as_completed
    from distributed.client import FutureCancelledError

    futures = {}
    for path, chunk in waiting.items():
        identity = run_id(chunk)
        name = f"grokbook-{path.stem}-{identity}"
        code = code_id(chunk[:1])
        future = client.submit(trained, chunk, code, identity, key=name, retries=RETRIES)
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
