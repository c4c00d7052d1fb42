"""What this machine lets a process use, and what we let it use: cores, threads, memory; how long it
takes in words."""

from __future__ import annotations

import contextlib
import ctypes
import os
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from subprocess import Popen
from typing import Any, TextIO

from grokbook.errors import ParameterError

CORES = "GROKBOOK_CORES"
"""Name of the environment variable with a process's share of the cores; a build sets it for each
chapter."""


def cores() -> int:
    """How many processes may compute side by side: `$GROKBOOK_CORES` where it is set, else every
    core there is."""
    share = os.environ.get(CORES, "")
    return int(share) if share.isdecimal() and int(share) else os.cpu_count() or 1


def free_memory_mb() -> float:
    """Memory that can be had without swapping, in MB: of the machine, and of the control group
    where it has a limit.

    Infinite where the system does not say.

    Example:
        >>> free_memory_mb() > 0
        True
    """
    return min(_available(), _left_in_group())


def check_fits(needed: float) -> None:
    """Refuse so many bytes where they are more than the memory that is free (ParameterError).

    Example:
        >>> check_fits(1e3)
    """
    if needed > free_memory_mb() * 1e6:
        raise ParameterError(f"it needs {needed / 1e6:,.0f} MB, more than the memory that is free")


def say(text: str) -> None:
    """Tell the person at the keyboard on standard error, in a line that says who speaks."""
    print(f"grokbook: {text}", file=sys.stderr, flush=True)


def duration(seconds: float) -> str:
    """Seconds as a person says them.

    Example:
        >>> [duration(s) for s in (0.4, 38, 200, 4_000, 90_000)]
        ['1 s', '38 s', '3 min', '1.1 h', '25 h']
    """
    if seconds < 100:
        return f"{max(round(seconds), 1)} s"
    if seconds < 3600:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 36_000 else f"{seconds / 3600:.0f} h"


def _available(path: Path = Path("/proc/meminfo")) -> float:
    try:
        lines = [line.split() for line in path.read_text("utf-8").splitlines()]
    except OSError:
        return float("inf")
    return next(
        (int(words[1]) * 1024 / 1e6 for words in lines if words[:1] == ["MemAvailable:"]),
        float("inf"),
    )


def _left_in_group(folder: Path = Path("/sys/fs/cgroup")) -> float:
    """The limit of the control group less what is in use; files that were read and can be forgotten
    are not in use."""
    try:
        limit, used = (
            int((folder / name).read_text("utf-8")) for name in ("memory.max", "memory.current")
        )
        stat = dict(
            line.split() for line in (folder / "memory.stat").read_text("utf-8").splitlines()
        )
    except (OSError, ValueError):  # no control group, or the limit is "max"
        return float("inf")
    return (limit - used + int(stat.get("inactive_file", 0))) / 1e6


KEEP_MEMORY = dict.fromkeys(("MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"), str(2**32)) | {
    "MALLOC_TOP_PAD_": str(2**26)
}
"""Settings of glibc's allocator for workers: activations are reused step after step instead of
mapped anew."""

MALLOPT = {"MALLOC_TRIM_THRESHOLD_": -1, "MALLOC_TOP_PAD_": -2, "MALLOC_MMAP_THRESHOLD_": -3}
"""The numbers of these settings in glibc's malloc.h."""


def keep_freed_memory(most: int = 2**30) -> None:
    """Let this process reuse freed memory, up to `most` bytes, as `KEEP_MEMORY` lets those that it
    starts.

    By default glibc gives large blocks back, and the system fills each page with zeros when they
    are asked for again, which can be half of a training step. A process whose environment has such
    settings, or that has another allocator, stays as it is.

    Source: mallopt(3).
    """
    if sys.platform != "linux" or KEEP_MEMORY.keys() & os.environ.keys():
        return
    set_option = getattr(ctypes.CDLL(None), "mallopt", None)
    if set_option:
        for name, number in MALLOPT.items():
            set_option(number, min(int(KEEP_MEMORY[name]), most))


@contextlib.contextmanager
def limited_threads(count: int | None) -> Iterator[None]:
    """Let torch use `count` threads inside (None: as many as before), and as many as before
    afterwards.

    Example:
        >>> import torch
        >>> with limited_threads(1):
        ...     torch.get_num_threads()
        1
    """
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(count or before)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextlib.contextmanager
def plain_torch(device: str = "cpu") -> Iterator[None]:
    """Let torch be inside as a fresh process finds it, whatever this one has set; afterwards as
    before.

    That is: numbers in float32, made on the CPU, slopes noted, no inference mode, no autocast and,
    for what is computed on a CPU (`device`), no products of rounded factors. So a run has the same
    numbers in every session.

    Example:
        >>> import torch
        >>> with torch.inference_mode(), plain_torch():
        ...     torch.is_inference_mode_enabled()
        False
    """
    import torch

    with contextlib.ExitStack() as scope:
        scope.callback(torch.set_default_dtype, torch.get_default_dtype())
        torch.set_default_dtype(torch.float32)
        precision = torch.get_float32_matmul_precision()
        if device == "cpu" and precision != "highest":
            scope.callback(torch.set_float32_matmul_precision, precision)
            torch.set_float32_matmul_precision("highest")
        if torch.get_default_device().type != "cpu":
            scope.enter_context(torch.device("cpu"))
        for kind in ("cpu", "cuda"):
            if torch.is_autocast_enabled(kind):
                scope.enter_context(torch.autocast(kind, enabled=False))
        scope.enter_context(torch.inference_mode(False))
        scope.enter_context(torch.enable_grad())
        yield


@contextlib.contextmanager
def subnormals_as_zero() -> Iterator[None]:
    """Let torch take subnormal numbers (in float32 below 1.2e-38) for 0 inside, in this thread, as
    before afterwards.

    A processor takes many times as long over them, and weights that decay and Adam's means end
    among them; no sum with a number that matters is changed by them.
    """
    import torch

    before = not torch.tensor(1e-30).mul(1e-10).count_nonzero()
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(before)


_ANSWERS = "GROKBOOK_ANSWERS"


def started(
    command: Sequence[str], environment: Mapping[str, str], **options: Any
) -> tuple[Popen[bytes], TextIO]:
    """A process of ours, and what it answers, on a pipe that is its and ours alone.

    Standard output is everybody's: a start-up file of Python, a library or a call may print there.
    The process takes its end with `answers`; when it ends, so does the pipe. `options` are Popen's.
    """
    reading, writing = os.pipe()
    variables = {**environment, _ANSWERS: str(writing)}
    try:
        process = Popen(command, env=variables, pass_fds=(writing,), **options)
    except BaseException:
        os.close(reading)
        raise
    finally:
        os.close(writing)
    return process, os.fdopen(reading, encoding="utf-8")


def answers() -> TextIO:
    """Where this process, one that `started` began, answers; what it starts itself has no part in
    it."""
    place = int(os.environ.pop(_ANSWERS))
    os.set_inheritable(place, False)
    return os.fdopen(place, "w", encoding="utf-8")


def process_environment() -> dict[str, str]:
    """Environment of a process with one thread, which keeps the memory it was given.

    It finds the modules that this process finds, in the current folder only where this process
    does.
    """
    limits = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    folders = os.pathsep.join(path or os.getcwd() for path in sys.path)
    ours = {"PYTHONPATH": folders, "TORCHINDUCTOR_COMPILE_THREADS": "1"}
    return {**os.environ, **KEEP_MEMORY, **limits, **ours}


@contextlib.contextmanager
def generators_kept() -> Iterator[None]:
    """No generator of the process is another one afterwards: Python's, numpy's, torch's on the CPU.

    Example:
        >>> before = random.getstate()
        >>> with generators_kept():
        ...     seed = random.random()
        >>> random.getstate() == before
        True
    """
    import numpy as np
    import torch

    before = random.getstate(), np.random.get_state()
    with torch.random.fork_rng(devices=[]):
        try:
            yield
        finally:
            random.setstate(before[0])
            np.random.set_state(before[1])
