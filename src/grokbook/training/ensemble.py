"""Many runs in one call: processes side by side on a CPU, one batched program on a GPU, one dataset out."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import BinaryIO

import torch
import xarray as xr

from grokbook.errors import ParameterError, TrainingError
from grokbook.machine import cores
from grokbook.training.config import RunConfig, canonical, digest
from grokbook.training.loop import Report, Stack, make_stack, restore, save, train_stack
from grokbook.training.progress import TrainingProgress
from grokbook.training.result import collect
from grokbook.training.worker import Job, write_job

KEEP_MEMORY = dict.fromkeys(("MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"), str(2**32)) | {
    "MALLOC_TOP_PAD_": str(2**26)
}
"""Settings of glibc's allocator for workers: activations are reused step after step instead of mapped anew."""


def pick_device(device: str) -> torch.device:
    """The torch device that `device` names; "auto" is the first GPU if there is one, else the CPU.

    Raises ParameterError for a device that does not exist here.
    """
    if device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        chosen = torch.device(device)
    except RuntimeError:
        raise ParameterError(f"device = {device!r} is unknown; choose auto, cpu or cuda.") from None
    here = {"cpu": 1, "cuda": torch.cuda.device_count()}.get(chosen.type, 0)
    if (chosen.index or 0) >= here:
        raise ParameterError(f"device = {device!r} is not available on this machine; choose auto or cpu.")
    return chosen


@contextlib.contextmanager
def _threads(count: int) -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextlib.contextmanager
def one_thread_a_process() -> Iterator[None]:
    """Processes started inside have one thread each and keep the memory they have been given (`KEEP_MEMORY`)."""
    wanted = KEEP_MEMORY | {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


class _Saver:
    """Checkpoints a stack when `every` seconds have passed since the last time."""

    def __init__(self, path: str | None, every: float) -> None:
        self.path, self.every, self.last = path, every, time.monotonic()

    def __call__(self, stack: Stack) -> None:
        if self.path and time.monotonic() - self.last >= self.every:
            save(stack, self.path)
            self.last = time.monotonic()


def train_here(
    configs: list[RunConfig],
    device: str,
    checkpoint: str | None = None,
    threads: int = 1,
    checkpoint_every: float = 30.0,
    report: Report | None = None,
) -> Stack:
    """Train runs of one size in this process, from the checkpoint if there is one; checkpoint at the end too."""
    with _threads(threads if device == "cpu" else torch.get_num_threads()):
        stack = make_stack(configs, torch.device(device))
        if checkpoint:
            restore(stack, checkpoint)
        train_stack(stack, report=report, save_now=_Saver(checkpoint, checkpoint_every))
        if checkpoint:
            save(stack, checkpoint)
    return stack


def size_key(config: RunConfig) -> str:
    """Runs with equal keys can be rows of one stack: they differ in seeds and optimiser settings alone."""
    fields = config.as_dict()
    for name in ("seed", "optimizer"):
        del fields[name]
    fields["optimizer"] = type(config.optimizer).__name__
    fields["task"] = {k: v for k, v in fields["task"].items() if k not in ("seed", "train_fraction")}
    return canonical(fields | {"n_train": config.n_train})


def _groups(configs: Sequence[RunConfig]) -> list[list[int]]:
    keys = [size_key(c) for c in configs]
    return [[i for i, k in enumerate(keys) if k == key] for key in dict.fromkeys(keys)]


def _name(config: RunConfig) -> str:
    return f"p={config.task.p} {config.task.operation} d={config.model.d_model} seed={config.seed}"


class _Worker:
    """A process that trains jobs one after another; use as a context manager. Its stderr goes to `errors`."""

    def __init__(self, threads: int, errors: BinaryIO) -> None:
        environment = os.environ | KEEP_MEMORY | {"OMP_NUM_THREADS": str(threads), "MKL_NUM_THREADS": str(threads)}
        command = [sys.executable, "-m", "grokbook.training.worker"]
        self.errors = errors
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=self.errors, env=environment)

    def __enter__(self) -> _Worker:
        return self

    def __exit__(self, *error: object) -> None:
        self.process.kill()
        self.process.communicate()

    def train(self, job: Job, report: Report) -> None:
        """Send one job and wait for its end."""
        with contextlib.suppress(BrokenPipeError):
            write_job(self.process.stdin, job)
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("done"):
                return
            report(message["step"], message["metrics"])
        code = self.process.wait()
        self.errors.seek(0)
        last = (self.errors.read().decode(errors="replace").strip().splitlines() or ["no message"])[-1]
        raise TrainingError(f"the run {_name(job.config)} ended with exit code {code}: {last}")


def _work(jobs: queue.SimpleQueue[tuple[Job, Report]], stop: threading.Event) -> None:
    """Train jobs from the queue in one worker process until none is left or another worker has failed."""
    first = next(iter(_take(jobs)), None)
    if first is None:
        return
    with tempfile.TemporaryFile() as errors, _Worker(first[0].threads, errors) as worker:
        for job, report in itertools.chain([first], _take(jobs)):
            if stop.is_set():
                return
            try:
                worker.train(job, report)
            except BaseException:
                stop.set()
                raise


def _take(jobs: queue.SimpleQueue[tuple[Job, Report]]) -> Iterator[tuple[Job, Report]]:
    with contextlib.suppress(queue.Empty):
        while True:
            yield jobs.get_nowait()


def _train_processes(jobs: list[Job], workers: int, progress: bool) -> list[Stack]:
    names = [f"{_name(job.config)} #{i}" for i, job in enumerate(jobs)]
    totals = {name: job.config.steps for name, job in zip(names, jobs, strict=True)}
    waiting: queue.SimpleQueue[tuple[Job, Report]] = queue.SimpleQueue()
    stop = threading.Event()
    count = min(workers, len(jobs))
    with TrainingProgress(totals, progress) as shown, ThreadPoolExecutor(count) as pool:
        for job, name in zip(jobs, names, strict=True):
            waiting.put((job, partial(shown.update, name)))
        try:
            for future in [pool.submit(_work, waiting, stop) for _ in range(count)]:
                future.result()
        except BaseException:
            stop.set()
            raise
    return [_finished(job) for job in jobs]


def _finished(job: Job) -> Stack:
    stack = make_stack([job.config], torch.device("cpu"))
    if not restore(stack, job.checkpoint):
        raise TrainingError(f"the run {_name(job.config)} left no result.")
    return stack


def checkpoint_path(folder: str | Path, configs: list[RunConfig]) -> str:
    """Where the state of these runs is kept in `folder`."""
    return str(Path(folder) / f"{digest({'configs': [c.as_dict() for c in configs]})}.pt")


def train(
    configs: Sequence[RunConfig],
    *,
    device: str = "auto",
    progress: bool = True,
    threads: int = 1,
    workers: int | None = None,
    checkpoints: str | Path | None = None,
    checkpoint_every: float = 30.0,
) -> xr.Dataset:
    """Train every configuration and return what was logged, dims `run` and `step`.

    On a CPU each run has a process of its own with `threads` threads, as many side by side as there are cores
    (`workers`); a single run stays in this process. On a GPU runs of one size are one batched program. With
    `checkpoints`, a folder, the state of each run is kept there about every `checkpoint_every` seconds and an
    interrupted call continues; on one CPU thread the result is bit for bit that of an uninterrupted one. The
    files of finished runs stay until the caller removes the folder.

    Returns:
        Dataset with variables (run, step) in float64: losses, accuracies, weight norm and every embedding
        measure; NaN where a run had stopped. `embedding` has dims (run, snapshot, token, feature). Coordinate
        `seed` on `run`; the configurations are in `attrs["configs"]` as JSON.

    Raises:
        ParameterError: an empty list, an entry that is not a `RunConfig`, an unknown device.
        TrainingError: a loss became NaN or infinite; names step and configuration of each such run, and
            `history` is the dataset of everything logged (the other runs are finished first).

    Example:
        >>> from grokbook.models.transformer import Shape
        >>> from grokbook.tasks.arithmetic import ModularTask
        >>> config = RunConfig(ModularTask(5, train_fraction=0.5), Shape(5, d_model=8), steps=20)
        >>> train([config], device="cpu", progress=False).sizes["step"]
        3
    """
    configs = list(configs)
    if not configs or not all(isinstance(c, RunConfig) for c in configs):
        raise ParameterError("train needs a non-empty list of RunConfig objects.")
    chosen = pick_device(device)
    with contextlib.ExitStack() as scope:
        folder = Path(checkpoints or scope.enter_context(tempfile.TemporaryDirectory(prefix="grokbook-")))
        if chosen.type == "cpu" and len(configs) > 1:
            jobs = [Job(c, checkpoint_path(folder, [c]), threads, checkpoint_every) for c in configs]
            stacks = _train_processes(jobs, workers or cores(), progress)
            rows = [(stack, 0) for stack in stacks]
        else:
            keep = folder if checkpoints else None
            rows = _train_stacked(configs, chosen, keep, threads, checkpoint_every, progress)
    return collect(rows)


def _train_stacked(
    configs: list[RunConfig],
    device: torch.device,
    folder: Path | None,
    threads: int,
    every: float,
    progress: bool,
) -> list[tuple[Stack, int]]:
    rows: dict[int, tuple[Stack, int]] = {}
    for members in _groups(configs):
        group = [configs[i] for i in members]
        name = f"{_name(group[0])}" + (f" and {len(group) - 1} more" if len(group) > 1 else "")
        path = checkpoint_path(folder, group) if folder else None
        with TrainingProgress({name: group[0].steps}, progress) as shown:
            stack = train_here(group, str(device), path, threads, every, partial(shown.update, name))
        rows |= {i: (stack, r) for r, i in enumerate(members)}
    return [rows[i] for i in range(len(configs))]
