r"""The fully connected networks of Gu et al. 2025, section 6.1: the one of the authors' programs, and Gromov's.

Both are sizes here (`EmbeddingMLP`, `QuadraticMLP`) and plain functions of named tensors, as the transformer is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Integral

import torch
from torch import Tensor
from torch.nn import functional as F

from grokbook.errors import ParameterError

Parameters = Mapping[str, Tensor]


def _integers(model: object, **least: int) -> None:
    for name, low in least.items():
        value = getattr(model, name)
        if isinstance(value, bool) or not isinstance(value, Integral) or value < low:
            raise ParameterError(f"{name} = {value!r} must be an integer of {low} or more.")
        object.__setattr__(model, name, int(value))


@dataclass(frozen=True)
class EmbeddingMLP:
    """The "2-layer DNN" of the authors' programs: a trained embedding, then hidden ReLU layers, then p logits.

    The three tokens (i, j + k, cls) are looked up in one table of p + k + 1 rows and width `d_model`, put side by side
    (3 d) and sent through `n_layers` hidden layers of `width` ReLU units with biases. Raises ParameterError when a
    size is not a positive integer.

    Example:
        >>> EmbeddingMLP(97).vocabulary, EmbeddingMLP(97).width
        (98, 512)

    Source: the authors' programs of Gu et al. 2025. The paper cites Gromov 2023 for it, whose network is another one
    (see `QuadraticMLP`).
    """

    p: int
    d_model: int = 128
    width: int = 512
    n_layers: int = 2
    shift: int = 0
    kind: str = field(default="embedding_mlp", init=False)

    def __post_init__(self) -> None:
        _integers(self, p=1, d_model=1, width=1, n_layers=1, shift=0)

    @property
    def vocabulary(self) -> int:
        """Number of tokens, p + k + 1."""
        return self.p + self.shift + 1

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Name and shape of every parameter: `W_E` (vocabulary, d), `W.l` and `b.l` of hidden layer l, `W_U`, `b_U`.

        >>> EmbeddingMLP(5, d_model=2, width=3).shapes()["W.1"]
        (3, 6)
        """
        sizes = [3 * self.d_model] + [self.width] * self.n_layers
        shapes: dict[str, tuple[int, ...]] = {"W_E": (self.vocabulary, self.d_model)}
        for l in range(self.n_layers):
            shapes |= {f"W.{l + 1}": (sizes[l + 1], sizes[l]), f"b.{l + 1}": (sizes[l + 1],)}
        return shapes | {"W_U": (self.p, self.width), "b_U": (self.p,)}

    def draw(self, seed: int) -> dict[str, Tensor]:
        """Initial parameters: the embedding N(0, 1/d), every layer uniform within 1/sqrt(its inputs), as torch does.

        >>> float(EmbeddingMLP(5, d_model=2, width=3).draw(0)["W.1"].abs().max()) <= 6 ** -0.5
        True
        """
        generator = torch.Generator().manual_seed(seed)
        shapes, weights = self.shapes(), {}
        for name, size in shapes.items():
            if name == "W_E":
                weights[name] = torch.randn(size, generator=generator) / math.sqrt(self.d_model)
            else:
                bound = 1 / math.sqrt(shapes[name.replace("b", "W", 1)][1])
                weights[name] = (2 * torch.rand(size, generator=generator) - 1) * bound
        return weights

    def logits(self, w: Parameters, tokens: Tensor) -> Tensor:
        """Logits (N, p) of token sequences (N, 3)."""
        x = F.embedding(tokens, w["W_E"]).flatten(-2)
        for l in range(self.n_layers):
            x = F.relu(F.linear(x, w[f"W.{l + 1}"], w[f"b.{l + 1}"]))
        return F.linear(x, w["W_U"], w["b_U"])

    def products(self, samples: int) -> int:
        """Multiply-adds of one forward pass over `samples` samples.

        >>> EmbeddingMLP(5, d_model=2, width=3).products(10) == 10 * (6 * 3 + 3 * 3 + 3 * 5)
        True
        """
        layers = [size for name, size in self.shapes().items() if name[0] == "W" and name != "W_E"]
        return samples * sum(math.prod(size) for size in layers)

    def operand_rows(self, task_shift: int) -> tuple[slice, slice]:
        """The rows of `W_E` that the first and the second operand use."""
        return slice(0, self.p), slice(task_shift, task_shift + self.p)


@dataclass(frozen=True)
class QuadraticMLP:
    r"""Gromov's network: two layers, squares as activation, no biases, operands given as one-hot vectors.

    .. math:: f(i, j) = \sum_m V_{\cdot m} (U_{i m} + U'_{j m})^2

    with w = `width` hidden units. `W_E` (2p, w) holds U above U', drawn N(0, 1/(2p)); `W_U` (p, w) is V, drawn
    N(0, 1/w). Meant for the squared error. Raises ParameterError when a size is not a
    positive integer.

    Example:
        >>> QuadraticMLP(5, width=7).shapes()
        {'W_E': (10, 7), 'W_U': (5, 7)}

    Source: Gromov 2023, "Grokking modular arithmetic", Equation 1; scales chosen here, stated above.
    """

    p: int
    width: int = 512
    shift: int = 0
    kind: str = field(default="quadratic_mlp", init=False)

    def __post_init__(self) -> None:
        _integers(self, p=1, width=1, shift=0)

    @property
    def vocabulary(self) -> int:
        """Number of tokens that a task of this shift has, p + k + 1."""
        return self.p + self.shift + 1

    @property
    def d_model(self) -> int:
        """Width of a row of `W_E`: the number of hidden units."""
        return self.width

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Name and shape of every parameter."""
        return {"W_E": (2 * self.p, self.width), "W_U": (self.p, self.width)}

    def draw(self, seed: int) -> dict[str, Tensor]:
        """Initial parameters: normal entries of variance 1 / fan-in."""
        generator = torch.Generator().manual_seed(seed)
        scale = {"W_E": 1 / math.sqrt(2 * self.p), "W_U": 1 / math.sqrt(self.width)}
        return {name: scale[name] * torch.randn(size, generator=generator) for name, size in self.shapes().items()}

    def logits(self, w: Parameters, tokens: Tensor) -> Tensor:
        """Outputs (N, p) for token sequences (N, 3)."""
        second = tokens[..., 1] - self.shift + self.p
        hidden = F.embedding(tokens[..., 0], w["W_E"]) + F.embedding(second, w["W_E"])
        return F.linear(hidden.square(), w["W_U"])

    def products(self, samples: int) -> int:
        """Multiply-adds of one forward pass over `samples` samples.

        >>> QuadraticMLP(5, width=7).products(10)
        350
        """
        return samples * self.p * self.width

    def operand_rows(self, task_shift: int) -> tuple[slice, slice]:
        """The rows of `W_E` that the first and the second operand use: they share none."""
        return slice(0, self.p), slice(self.p, 2 * self.p)
