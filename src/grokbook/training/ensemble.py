"""Many runs in one call: processes side by side on a CPU, one batched program on a GPU, one dataset
out."""

from __future__ import annotations

import contextlib
import itertools
import pickle
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import torch
import xarray as xr

from grokbook.errors import ParameterError, TrainingError, checked_call, shown
from grokbook.files import temporary_folder
from grokbook.machine import (
    cores,
    keep_freed_memory,
    limited_threads,
    plain_torch,
    say,
    subnormals_as_zero,
)
from grokbook.measures.inputs import whole
from grokbook.training.accelerators import Muon
from grokbook.training.compiled import compile_update, compiles
from grokbook.training.config import RunConfig, code_of, digest
from grokbook.training.contract import check_runs, check_watches
from grokbook.training.graphed import graph_update
from grokbook.training.identity import restore, run_id, save
from grokbook.training.loop import Report, Stack, make_stack, train_stack
from grokbook.training.pool import Pool
from grokbook.training.progress import TrainingProgress
from grokbook.training.result import collect
from grokbook.training.together import program_key
from grokbook.training.watching import Watch, try_watches, watched


def pick_device(device: str) -> torch.device:
    """The torch device that `device` names; "auto" is the first GPU if there is one, else the CPU.

    Raises ParameterError for a device that does not exist here.
    """
    if device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        chosen = torch.device(device)
    except (RuntimeError, TypeError):
        raise ParameterError(
            f"device = {shown(device)} is unknown; choose auto, cpu or cuda."
        ) from None
    here = {"cpu": 1, "cuda": torch.cuda.device_count()}.get(chosen.type, 0)
    if (chosen.index or 0) >= here:
        raise ParameterError(
            f"device = {shown(device)} is not available on this machine; choose auto or cpu."
        )
    return chosen


class _Saver:
    """Checkpoints a stack after a second, then after twice as long each time, until it is `every`
    seconds.

    So runs that are killed every few seconds get on too.
    """

    def __init__(self, path: str | None, identity: str | None, every: float) -> None:
        self.path = path
        self.identity = identity
        self.every = every
        self.wait = min(1.0, every)
        self.last = time.monotonic()

    def __call__(self, stack: Stack) -> None:
        if self.path and time.monotonic() - self.last >= self.wait:
            save(stack, self.path, self.identity)
            self.wait = min(2 * self.wait, self.every)
            self.last = time.monotonic()


@dataclass(frozen=True)
class How:
    """How runs are trained, whatever they are: device, checkpoints, what is kept, where to stop."""

    device: str = "cpu"
    checkpoint_every: float = 30.0
    keep: bool = False
    steps: int | None = None
    compiled: bool = False


def train_here(
    configs: list[RunConfig],
    how: How,
    checkpoint: str | None = None,
    report: Report | None = None,
    identity: str | None = None,
) -> Stack:
    """Train runs of one size in this process, from the checkpoint if there is one; checkpoint at
    the end too.

    `identity` is their `run_id`, where it is known.
    """
    if checkpoint and identity is None:
        identity = run_id(configs, how.keep)
    keep_freed_memory()
    threads = 1 if how.device == "cpu" else None
    with plain_torch(torch.device(how.device).type), limited_threads(threads), subnormals_as_zero():
        stack = make_stack(configs, torch.device(how.device), how.keep)
        resumed = checkpoint is not None and restore(stack, checkpoint, identity)
        if resumed and how.steps is not None and stack.step > how.steps:
            stack = make_stack(configs, torch.device(how.device), how.keep)
        if how.device != "cpu":
            stack.compiled = partial(graph_update, fused=how.compiled)
        elif how.compiled:
            stack.compiled = compile_update
        saver = _Saver(checkpoint, identity, how.checkpoint_every)
        train_stack(stack, report=report, save_now=saver, steps=how.steps)
        if checkpoint:
            save(stack, checkpoint, identity)
    return stack


def refuse_other_process(configs: list[RunConfig], identity: str, keep: bool = False) -> None:
    """Raise TrainingError in a process in which these runs are other ones than where they were
    asked for."""
    if run_id(configs, keep) != identity:
        raise TrainingError(
            "a process of its own computes other numbers than this one: a value that the network,"
            " task or optimiser reads was set after its module was loaded; make it a field, or"
            " train with workers=1."
        )


def _train_there(
    configs: list[RunConfig], how: How, checkpoint: str, identity: str, report: Report
) -> None:
    """The same in a process of its own: the checkpoint is the result."""
    refuse_other_process(configs, identity, how.keep)
    train_here(configs, how, checkpoint, report, identity)


def groups(configs: Sequence[RunConfig], rows: int | None) -> list[list[int]]:
    """Which runs share a program, at most `rows` of them (None: any number), by their places in the
    list."""
    if rows == 1:
        return [[i] for i in range(len(configs))]
    together: dict[str, list[int]] = {}
    for i, config in enumerate(configs):
        together.setdefault(program_key(config), []).append(i)
    most = rows or len(configs)
    programs = []
    for places in together.values():
        for k in range(0, len(places), most):
            programs.append(places[k : k + most])
    return programs


def _name(configs: Sequence[RunConfig]) -> str:
    """What a group of runs is called on a screen."""
    config = configs[0]
    more = f" and {len(configs) - 1} more" if len(configs) > 1 else ""
    task = config.task
    named = type(task).__name__
    if hasattr(task, "p") and hasattr(task, "operation"):
        named = f"p={task.p} {task.operation}"
    width = f" d={config.model.d_model}" if hasattr(config.model, "d_model") else ""
    return f"{named}{width} seed={config.seed}{more}"


def checkpoint_path(folder: str | Path, configs: list[RunConfig], keep: bool = False) -> str:
    """Where the state of these runs is kept in `folder`."""
    name = digest({"configs": [c.as_dict() for c in configs]})
    return str(Path(folder) / f"{name}{'-kept' if keep else ''}.pt")


def _travels(configs: list[RunConfig]) -> bool:
    """Whether another process can be sent these runs: not where a class of theirs was written in a
    notebook's cell."""
    try:
        return b"__main__" not in pickle.dumps(configs)
    except (pickle.PicklingError, AttributeError, TypeError):
        return False


@checked_call
def train(
    configs: Sequence[RunConfig],
    *,
    device: str = "auto",
    progress: bool = True,
    watch: Mapping[str, Watch] | None = None,
    keep_weights: bool = False,
    steps: int | None = None,
    rows: int | None = None,
    compiled: bool = False,
    workers: int | None = None,
    checkpoints: str | Path | None = None,
    checkpoint_every: float = 30.0,
) -> xr.Dataset:
    """Train every configuration and return what was logged, dims `run` and `step`.

    On a CPU each run has a process of its own with one thread, as many side by side as there are
    cores (`workers`); a single run, and every run where there is one core, stays in this
    process. `rows` lets so many runs of one size share a program, which pays for small networks; on
    a GPU all runs of one size do. With `checkpoints`, a folder, the state of each run is kept there
    after a second and then ever more seldom, at last every `checkpoint_every` seconds, and an
    interrupted call continues; on a CPU the result is bit for bit that of an uninterrupted
    one. The files of finished runs stay until the caller removes them. Where the code is not known
    (a class of a reader's own without source, a lambda) none is kept, and a line says so.

    Args:
        watch: name -> function of a `View` of the network at a logged step; each is a variable
            (run, step).
        keep_weights: whether the parameters at the end are a variable `weights` (run, parameter),
            which `grokbook.training.split_weights` takes apart.
        steps: where to stop before the last step; the dataset ends there.
        compiled: whether the update is compiled, which takes a minute, makes long runs faster and
            changes rounding; it stays eager where there is no C++ compiler. `attrs["update"]` says
            which it was.

    Returns:
        Dataset with variables (run, step) in float64: losses, accuracies, weight norm and, where
        the network has embeddings, every embedding measure; NaN where a run had stopped.
        `embedding` has dims (run, snapshot, token, feature). Coordinates on `run`: `seed`, and
        every setting in which the configurations differ, such as `learning_rate`; the
        configurations are in `attrs["configs"]` as JSON.

    Raises:
        ParameterError: an empty list, an entry that is not a `RunConfig`, an unknown device, no
            steps, snapshots of embeddings that do not fit into one dataset, Muon without `matrices`
            for a network without `W_U`.
        TrainingError: a loss became NaN or infinite; names step and configuration of each such run,
            and `history` is the dataset of everything logged (the other runs are finished first).

    Example:
        >>> from grokbook.models.transformer import Shape
        >>> from grokbook.tasks.arithmetic import ModularTask
        >>> config = RunConfig(ModularTask(5, train_fraction=0.5), Shape(5, d_model=8), steps=20)
        >>> train([config], device="cpu", progress=False).sizes["step"]
        3
        >>> train(
        ...     [config], progress=False, steps=10, watch={"now": lambda view: view.step}
        ... ).now.values.tolist()
        [[0.0, 10.0]]
    """
    given = configs
    configs = [] if isinstance(given, RunConfig) else list(given)
    if not configs or not all(isinstance(c, RunConfig) for c in configs):
        raise ParameterError(f"configs = {shown(given)} must be a list of one RunConfig or more.")
    for name, value in (("steps", steps), ("rows", rows), ("workers", workers)):
        if value is not None:
            whole(value, name)
    chosen = pick_device(device)
    with plain_torch(chosen.type):
        _check(configs, watch or {})
        compiled = compiled and any(map(compiles, configs))
        how = How(str(chosen), checkpoint_every, bool(watch), steps, compiled)
        on_cpu = chosen.type == "cpu"
        programs = groups(configs, rows or (1 if on_cpu else None))
        count = min(workers or cores(), len(programs)) if on_cpu else 1
        grouped = [[configs[i] for i in places] for places in programs]
        trained = _in_order(programs, _train_programs(grouped, how, checkpoints, count, progress))
        update = "compiled" if compiled else "eager"
        if not on_cpu:
            update += ", as a graph"
        dataset = collect(trained, keep_weights, steps).assign_attrs(update=update)
        return watched(dataset, trained, watch) if watch else dataset


def _check(configs: Sequence[RunConfig], watches: Mapping[str, Watch]) -> None:
    """Refuse runs and watches that could not be trained, or not together (ParameterError)."""
    check_watches(watches)
    check_runs(configs)
    _refuse_unequal_snapshots(configs)
    _refuse_muon_without_matrices(configs)
    try_watches(configs[0], watches)


def _in_order(
    programs: Sequence[Sequence[int]], stacks: Sequence[Stack]
) -> list[tuple[Stack, int]]:
    """The stack and the row of each run, in the order in which the runs were given."""
    rows: dict[int, tuple[Stack, int]] = {}
    for places, stack in zip(programs, stacks, strict=True):
        for row, place in enumerate(places):
            rows[place] = stack, row
    return [rows[place] for place in sorted(rows)]


def _refuse_unequal_snapshots(configs: Sequence[RunConfig]) -> None:
    """Raise ParameterError, before anything is trained, where snapshots of embeddings have no
    common shape."""
    snapshots = set()
    for config in configs:
        if config.snapshots and hasattr(config.model, "embeddings"):
            shapes = config.model.shapes()
            empty = {name: torch.empty(shape, device="meta") for name, shape in shapes.items()}
            snapshots.add(tuple(config.model.embeddings(empty)[0].shape))
    if len(snapshots) > 1:
        sizes = ", ".join(map(str, sorted(snapshots)))
        raise ParameterError(
            f"snapshots of embeddings of shapes {sizes} do not fit into one dataset;"
            " set snapshots=0, or train these runs in calls of their own."
        )


def _refuse_muon_without_matrices(configs: Sequence[RunConfig]) -> None:
    """Muon knows embeddings and read-out by the names of the transformer; of others it would move
    the read-out."""
    for config in configs:
        optimizer = config.optimizer
        names = config.model.shapes()
        if isinstance(optimizer, Muon) and not optimizer.matrices and "W_U" not in names:
            raise ParameterError(
                "Muon needs matrices=(...) for a network without W_U; choose of"
                f" {', '.join(names)}."
            )


def _train_programs(
    programs: Sequence[list[RunConfig]],
    how: How,
    checkpoints: str | Path | None,
    count: int,
    progress: bool,
) -> list[Stack]:
    """Train runs by programs: in `count` processes where they can travel and their code is known,
    else here."""
    configs = list(itertools.chain(*programs))
    apart = count > 1 and _travels(configs)
    folder = checkpoints
    # the code of a reader's own is read only where a process or a file depends on it
    if (apart or folder is not None) and (code := code_of(*configs)).digest is None:
        if folder is not None:
            say(f"no checkpoint of these runs is kept: {code.why}.")
        apart = False
        folder = None
    if not apart:
        return [_train_job(_Job(program, folder, how), progress) for program in programs]
    with contextlib.nullcontext(folder) if folder is not None else temporary_folder() as place:
        return _train_apart([_Job(program, place, how) for program in programs], count, progress)


@dataclass(frozen=True)
class _Job:
    """Runs that share a program, the folder of their checkpoint, and how they are trained."""

    configs: list[RunConfig]
    folder: str | Path | None
    how: How

    @property
    def checkpoint(self) -> str | None:
        """The file of their state."""
        if self.folder is None:
            return None
        return checkpoint_path(self.folder, self.configs, self.how.keep)

    @cached_property
    def identity(self) -> str:
        """By what that file is known."""
        return run_id(self.configs, self.how.keep)


def _train_job(job: _Job, progress: bool) -> Stack:
    name = _name(job.configs)
    with TrainingProgress({name: job.configs[0].steps}, progress) as bars:
        return train_here(job.configs, job.how, job.checkpoint, partial(bars.update, name))


def _train_apart(jobs: list[_Job], workers: int, progress: bool) -> list[Stack]:
    """Train each job in a process of its own, `workers` of them side by side, and fetch the
    results."""
    named = {f"{_name(job.configs)} #{i}": job for i, job in enumerate(jobs)}
    totals = {name: job.configs[0].steps for name, job in named.items()}
    with (
        TrainingProgress(totals, progress) as bars,
        Pool(workers) as pool,
    ):
        futures = []
        for name, job in named.items():
            future = pool.submit(
                _train_there,
                job.configs,
                job.how,
                job.checkpoint,
                job.identity,
                name=f"the run {_name(job.configs)}",
                report=partial(bars.update, name),
            )
            futures.append(future)
        for future in as_completed(futures):
            future.result()
    stacks = []
    for job in jobs:
        stack = make_stack(job.configs, torch.device("cpu"), job.how.keep)
        assert job.checkpoint is not None  # by which the other process gave its result
        if not restore(stack, job.checkpoint, job.identity):
            raise TrainingError(f"the run {_name(job.configs)} left no result.")
        stacks.append(stack)
    return stacks
