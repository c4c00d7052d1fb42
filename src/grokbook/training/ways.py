"""Whether an eager or a compiled update is the faster on this machine, by a measurement."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

import torch

from grokbook.machine import limited_threads, subnormals_as_zero
from grokbook.training.compiled import compile_update, compiles
from grokbook.training.config import RunConfig
from grokbook.training.loop import advance, make_stack

MEASURED = 0.5
"""Seconds for which the updates of each way are timed."""


class Way(NamedTuple):
    """A way to train, and what it takes."""

    compiled: bool
    starts: float  # seconds until the first update is done, compilation included
    update: float  # seconds of an update

    def __str__(self) -> str:
        return f"{'compiled' if self.compiled else 'eager'} ({1e3 * self.update:.3g} ms an update)"


def measured(configs: Sequence[RunConfig], compiled: bool, seconds: float = MEASURED) -> Way:
    """One way, timed on fresh copies of runs that are one program, on one thread."""
    with limited_threads(1), subnormals_as_zero():
        began = time.perf_counter()
        stack = make_stack(list(configs), torch.device("cpu"))
        move = compile_update(stack) if compiled else advance
        move(stack)
        first = time.perf_counter()
        move(stack)
        count, then = 0, time.perf_counter()
        while not count or time.perf_counter() - then < seconds:
            move(stack)
            count += 1
        return Way(compiled, first - began, (time.perf_counter() - then) / count)


def fastest(configs: Sequence[RunConfig], *, seconds: float = MEASURED) -> list[Way]:
    """Both ways to train runs that are one program, the one that is done first with all their updates in front.

    There is one where the update does not compile.

    Example:
        >>> from grokbook.models.transformer import Shape
        >>> from grokbook.tasks.arithmetic import ModularTask
        >>> run = RunConfig(ModularTask(5, train_fraction=0.5), Shape(5, d_model=8), steps=1)
        >>> fastest([run], seconds=0.0)[0].compiled  # one update is not worth compiling
        False
    """
    ways = [measured(configs, compiled, seconds) for compiled in ((False, True) if compiles(configs[0]) else (False,))]
    return sorted(ways, key=lambda way: way.starts + configs[0].steps * way.update)
