"""A task, a network, a measure and a torch module of a reader's own, in forty lines."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import nn


@dataclass(frozen=True)
class Parity:
    """Whether the first k of n bits have an odd sum; half of the words, drawn by the seed, are
    trained."""

    n: int = 6
    k: int = 3
    seed: int = 0

    @cached_property
    def inputs(self):
        return (np.arange(2**self.n)[:, None] >> np.arange(self.n) & 1).astype(float)

    @cached_property
    def targets(self):
        return (self.inputs[:, : self.k].sum(1) % 2).astype(np.int64)

    @cached_property
    def train_index(self):
        return np.sort(np.random.default_rng(self.seed).permutation(2**self.n)[: 2 ** (self.n - 1)])

    def groups(self):
        return {}


@dataclass(frozen=True)
class Sine:
    """One hidden layer of sines."""

    n: int = 6
    width: int = 16

    def shapes(self):
        return {"W": (self.width, self.n), "U": (2, self.width)}

    def draw(self, seed):
        generator = torch.Generator().manual_seed(seed)
        return {
            name: torch.randn(shape, generator=generator) for name, shape in self.shapes().items()
        }

    def forward(self, w, x):
        return torch.sin(x @ w["W"].T) @ w["U"].T


class Words(nn.Module):
    """Two tokens, each looked up in one table, then a layer of tanh."""

    def __init__(self, p=5, d=4):
        super().__init__()
        self.embed, self.out = nn.Embedding(p, d), nn.Linear(2 * d, p)

    def forward(self, x):
        return self.out(torch.tanh(self.embed(x[:, :2]).flatten(1)))


def largest(view):
    """The largest absolute weight."""
    return max(float(part.abs().max()) for part in view.weights.values())
