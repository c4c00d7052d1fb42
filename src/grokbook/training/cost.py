"""What a run will cost on this machine: counted products, a measured rate."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import lru_cache

import torch

from grokbook.models.networks import Network, parameter_shapes
from grokbook.models.transformer import Shape
from grokbook.training.config import RunConfig

_PER_NUMBER = (4e-9, 9e-9)  # seconds for each activation in a training step: one layer, several; measured
_PER_STEP = (3e-3, 5e-3)  # seconds of fixed work in a step (dispatch, optimiser): one layer, each of several; measured
_PER_LOG = 8e-3  # seconds of embedding measures in a logged step


GPU_RATE = 1e13
"""Multiply-adds a second in float32 that we assume of a data-centre GPU: not measured, no run of ours was on one."""

_OVER_PRODUCTS = 1.6  # on a GPU, by assumption: time of a training step over that of its matrix products alone
_GPU_STEP = 1.5e-3  # seconds assumed for the launches of one training step, whatever its size


@dataclass(frozen=True)
class Cost:
    """Predicted seconds on one core and megabytes of memory; adds up and scales."""

    seconds: float
    memory_mb: float

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.seconds + other.seconds, max(self.memory_mb, other.memory_mb))


@lru_cache(maxsize=1)
def product_rate() -> float:
    """Multiply-adds a second of float32 matrix products on one core of this machine, measured in about 0.1 s."""
    a, b = torch.randn(1024, 256), torch.randn(256, 512)
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        a @ b
        times = []
        for _ in range(15):
            start = time.perf_counter()
            a @ b
            times.append(time.perf_counter() - start)
    finally:
        torch.set_num_threads(before)
    return 1024 * 256 * 512 / sorted(times)[len(times) // 2]


def forward_products(model: Network, samples: int) -> int:
    """Multiply-adds of one forward pass over `samples` samples: the rewritten model for one layer, else the plain.

    One layer: N (d^2 + 2 d m + d p) + (2p + 1) (d^2 + d h) + 2 d^2; L layers: 3 N L (4 d^2 + 2 d m) + N d p.

    Example:
        >>> forward_products(Shape(97), samples=2822)
        454486272
    """
    if not isinstance(model, Shape):
        return model.products(samples)
    d, m, p, h = model.d_model, model.d_mlp, model.p, model.n_heads
    if model.n_layers == 1:
        return samples * (d * d + 2 * d * m + d * p) + (2 * p + 1) * (d * d + d * h) + 2 * d * d
    return 3 * samples * model.n_layers * (4 * d * d + 2 * d * m) + samples * d * p


def step_products(config: RunConfig) -> int:
    """Multiply-adds of one training step: a forward pass and twice as much for the gradient."""
    return 3 * forward_products(config.model, config.n_train)


def predict(config: RunConfig) -> Cost:
    """Predicted cost of one run on one core of this machine (logged metrics included).

    seconds = steps * (products / rate + c * activations + f) + logs * (a forward pass on all p*p cells + 8 ms), with
    c = 4 ns and f = 3 ms for one layer, and 9 ns and 5 ms a layer for several, whose attention is not rewritten;
    memory: activations of the larger pass, weights and moments, and 400 MB for Python and its libraries.
    """
    rate = product_rate()
    logs = config.log.steps(config.steps).size
    layers = config.model.n_layers if isinstance(config.model, Shape) else 1
    several, numbers = layers > 1, _activations(config.model)
    step = step_products(config) / rate + config.n_train * numbers * _PER_NUMBER[several] + layers * _PER_STEP[several]
    cells = config.task.p**2
    each_log = forward_products(config.model, cells) / rate + cells * numbers * _PER_NUMBER[several] / 3 + _PER_LOG
    weights = sum(torch.Size(s).numel() for s in parameter_shapes(config.model).values())
    floats = cells * numbers + 6 * weights
    return Cost(config.steps * step + logs * each_log, 400 + floats * 4 / 1e6)


def _activations(model: Network) -> int:
    """Numbers kept for each sample of a forward pass, about."""
    if isinstance(model, Shape):
        rows = 1 if model.n_layers == 1 else 3 * model.n_layers
        return rows * (6 * model.d_model + 2 * model.d_mlp + 2 * model.p)
    return 2 * sum(size[0] for size in model.shapes().values()) + 2 * model.p


def predict_on_gpu(config: RunConfig, runs: int = 1) -> float:
    """Seconds that `runs` seeds of a run would take as one batched program on a GPU, by assumption.

    steps * max(launches, 1.6 * products * runs / GPU_RATE), and the same for the logged passes. An order of
    magnitude to decide by, not a measurement.

    Example:
        >>> from grokbook.tasks.arithmetic import ModularTask
        >>> 10 < predict_on_gpu(RunConfig(ModularTask(97), Shape(97), steps=10_000)) < 60
        True
    """
    logs = config.log.steps(config.steps).size
    step = max(_GPU_STEP, _OVER_PRODUCTS * runs * step_products(config) / GPU_RATE)
    look = max(_GPU_STEP, _OVER_PRODUCTS * runs * forward_products(config.model, config.task.p**2) / GPU_RATE)
    return config.steps * step + logs * (look + runs * _PER_LOG)
