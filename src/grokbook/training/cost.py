"""What a run will cost on this machine: counted products, a measured rate."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import torch

from grokbook.machine import limited_threads
from grokbook.models.networks import Network, activations, products, sizes_of
from grokbook.training.config import RunConfig, sizes
from grokbook.training.forward import PIECE
from grokbook.training.loop import advance, make_stack

# seconds for each activation in a training step, by `_kind`; measured
_PER_NUMBER = (4e-9, 9e-9, 5e-9)
# seconds of fixed work in a step (dispatch, optimiser), a layer of several; measured
_PER_STEP = (3e-3, 5e-3, 17e-3)
_PER_DRAW = 12e-9  # seconds for each number drawn by dropout; measured
_PER_LOG = 8e-3  # seconds of embedding measures in a logged step


@dataclass(frozen=True)
class Cost:
    """Predicted seconds on one core and megabytes of memory; adds up and scales."""

    seconds: float
    memory_mb: float

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.seconds + other.seconds, max(self.memory_mb, other.memory_mb))


@lru_cache(maxsize=1)
def product_rate() -> float:
    """Multiply-adds a second of float32 matrix products on one core of this machine, measured in
    about 0.1 s of it."""
    a, b = torch.randn(1024, 256), torch.randn(256, 512)
    with limited_threads(1):
        a @ b
        times = []
        for _ in range(15):
            start = time.thread_time()  # what others do meanwhile does not count
            a @ b
            times.append(time.thread_time() - start)
    return 1024 * 256 * 512 / sorted(times)[len(times) // 2]


def predict(config: RunConfig, rows: int = 1) -> Cost:
    """Predicted cost of one run on one core of this machine (logged metrics included); nothing is
    drawn for it.

    `rows` runs share a program, and the fixed work of its steps:

    seconds = steps * (products / rate + c * activations + f / rows) + logs * (a forward pass on all
    samples + 8 ms), with c = 4 ns and f = 3 ms for one layer, 9 ns and 5 ms a layer for several,
    whose attention is not rewritten, and 5 ns and 17 ms for ResNet-18, and 12 ns for each number
    that dropout draws; memory: activations of the larger pass, weights and moments, and 400 MB for
    Python and its libraries.
    """
    rate = product_rate()
    model = config.model
    samples, n_train = sizes(config.task)
    seen = config.batch_size or n_train
    kind = _kind(model)
    layers = getattr(model, "n_layers", 1) if kind == 1 else 1
    of_a_sample = activations(model) * _PER_NUMBER[kind]
    step = 3 * products(model, seen) / rate + seen * of_a_sample + layers * _PER_STEP[kind] / rows
    step += seen * getattr(model, "drawn_at_random", 0) * _PER_DRAW
    log = products(model, samples) / rate + samples * of_a_sample / 3 + _PER_LOG
    seconds = config.steps * step + config.log.steps(config.steps).size * log
    together = max(seen, PIECE) if hasattr(config.task, "show") else samples
    floats = min(samples, together) * activations(model)
    floats += 6 * sum(sizes_of(model.shapes()))
    return Cost(seconds, 400 + floats * 4 / 1e6)


def _kind(model: Network) -> int:
    """0 for one layer or a few dense ones, 1 for several layers with attention not rewritten, 2 for
    ResNet-18."""
    return 2 if hasattr(model, "statistics") else int(getattr(model, "full_sequence", False))


def step_seconds(configs: Mapping[str, RunConfig], turns: int) -> dict[str, list[float]]:
    """Seconds of each of `turns` updates of each configuration on one thread, one update of each
    after the other.

    Taking turns, whatever else the machine does falls on all of them alike.

    Example:
        >>> from grokbook.models.transformer import Shape
        >>> from grokbook.tasks.arithmetic import ModularTask
        >>> config = RunConfig(ModularTask(5, train_fraction=0.5), Shape(5, d_model=8))
        >>> [len(seconds) for seconds in step_seconds({"a": config, "b": config}, 3).values()]
        [3, 3]
    """
    stacks = {name: make_stack([config], torch.device("cpu")) for name, config in configs.items()}
    seconds: dict[str, list[float]] = {name: [] for name in stacks}
    with limited_threads(1):
        for _ in range(turns):
            for name, stack in stacks.items():
                begun = time.perf_counter()
                advance(stack)
                seconds[name].append(time.perf_counter() - begun)
    return seconds
