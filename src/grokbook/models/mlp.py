r"""Fully connected networks: a plain one (`MLP`), and those of Gu et al. 2025, section 6.1, on
pairs modulo p.

The latter are the one of the authors' programs (`EmbeddingMLP`) and Gromov's (`QuadraticMLP`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from grokbook.errors import ParameterError, check_integers, check_positive, checked_call, shown
from grokbook.models.networks import ROWS, ModularNetwork, Parameters, Shapes
from grokbook.models.start import STARTS, embedding_start


def layer_shapes(sizes: tuple[int, ...]) -> Shapes:
    """Shapes of a chain of layers: `W.l` (outputs, inputs) and `b.l` of layer l = 1, 2, ...

    >>> layer_shapes((2, 3, 1))
    {'W.1': (3, 2), 'b.1': (3,), 'W.2': (1, 3), 'b.2': (1,)}
    """
    shapes: Shapes = {}
    for l, (inputs, outputs) in enumerate(zip(sizes, sizes[1:], strict=False), start=1):
        shapes |= {f"W.{l}": (outputs, inputs), f"b.{l}": (outputs,)}
    return shapes


def draw_layers(shapes: Shapes, generator: torch.Generator) -> dict[str, Tensor]:
    """Parameters `W...` and `b...` of layers, uniform within 1 / sqrt(inputs of the layer), as
    torch draws them."""

    def draw(name: str, size: tuple[int, ...]) -> Tensor:
        bound = 1 / math.sqrt(shapes[name.replace("b", "W", 1)][1])
        return (2 * torch.rand(size, generator=generator) - 1) * bound

    return {name: draw(name, size) for name, size in shapes.items()}


def relu_layers(w: Parameters, x: Tensor, count: int) -> Tensor:
    """The first `count` layers, each followed by ReLU."""
    for l in range(1, count + 1):
        x = F.relu(F.linear(x, w[f"W.{l}"], w[f"b.{l}"]))
    return x


@checked_call
@dataclass(frozen=True)
class MLP:
    """A chain of layers with ReLU between them on real inputs (N, sizes[0]); outputs (N,
    sizes[-1]).

    Every initial parameter is `spread` times torch's. The last layer is the group "last", the
    others are "rest".

    Raises ParameterError for fewer than two sizes or one that is not a positive integer, a spread
    that is not positive, and for a task of other sizes.
    """

    sizes: tuple[int, ...]
    spread: float = field(default=1.0, kw_only=True, metadata=ROWS | {"later": True})

    def __post_init__(self) -> None:
        object.__setattr__(self, "sizes", tuple(self.sizes))
        if len(self.sizes) < 2 or not all(isinstance(n, Integral) and n > 0 for n in self.sizes):
            raise ParameterError(
                f"sizes = {shown(self.sizes)} must be two or more integers of 1 or more."
            )
        object.__setattr__(self, "sizes", tuple(map(int, self.sizes)))
        check_positive(self, "spread")

    def groups(self) -> dict[str, tuple[str, ...]]:
        """The parameters that can have rates of their own."""
        last = tuple(f"{kind}.{len(self.sizes) - 1}" for kind in "Wb")
        return {"rest": tuple(name for name in self.shapes() if name not in last), "last": last}

    def shapes(self) -> Shapes:
        """Name and shape of every parameter."""
        return layer_shapes(self.sizes)

    def draw(self, seed: int) -> dict[str, Tensor]:
        """Initial parameters: `spread` times what torch draws for its linear layers."""
        drawn = draw_layers(self.shapes(), torch.Generator().manual_seed(seed))
        return {name: self.spread * part for name, part in drawn.items()}

    def forward(self, weights: Parameters, inputs: Tensor) -> Tensor:
        """Outputs (N, sizes[-1]) of real inputs (N, sizes[0])."""
        last = len(self.sizes) - 1
        hidden = relu_layers(weights, inputs, last - 1)
        return F.linear(hidden, weights[f"W.{last}"], weights[f"b.{last}"])

    def check(self, task: Any) -> None:
        """Raise ParameterError for a task whose inputs have another width."""
        if task.inputs.shape[1:] != self.sizes[:1]:
            raise ParameterError(
                f"sizes = {self.sizes} must begin with the width of inputs {task.inputs.shape}."
            )


@checked_call
@dataclass(frozen=True)
class EmbeddingMLP(ModularNetwork):
    """The "2-layer DNN" of the authors' programs: a trained embedding, then hidden ReLU layers,
    then p logits.

    The three tokens (i, j + k, cls) are looked up in one table of p + k + 1 rows and width
    `d_model`, put side by side (3 d) and sent through `n_layers` hidden layers of `width` ReLU
    units with biases. Raises ParameterError when a size is not a positive integer.

    Example:
        >>> EmbeddingMLP(97).vocabulary, EmbeddingMLP(97).width
        (98, 512)

    Source: the authors' programs of Gu et al. 2025. The paper cites Gromov 2023 for it, whose
    network is another one (see `QuadraticMLP`).
    """

    p: int
    d_model: int = 128
    width: int = 512
    n_layers: int = 2
    shift: int = 0
    kind: str = field(default="embedding_mlp", init=False)
    starts = STARTS

    def __post_init__(self) -> None:
        check_integers(self, p=1, d_model=1, width=1, n_layers=1, shift=0)

    def shapes(self) -> Shapes:
        """Name and shape of every parameter: `W_E` (vocabulary, d), `W.l` and `b.l` of hidden layer
        l, `W_U`, `b_U`."""
        layers = layer_shapes((3 * self.d_model, *[self.width] * self.n_layers))
        return (
            {"W_E": (self.vocabulary, self.d_model)}
            | layers
            | {"W_U": (self.p, self.width), "b_U": (self.p,)}
        )

    def draw(self, seed: int, start: str = "normal") -> dict[str, Tensor]:
        """Initial parameters: the embedding N(0, 1/d) or another start, every layer as torch draws
        it."""
        generator = torch.Generator().manual_seed(seed)
        table = torch.randn(self.vocabulary, self.d_model, generator=generator) / math.sqrt(
            self.d_model
        )
        if start != "normal":
            table = embedding_start(start, self.vocabulary, self.d_model, seed)
        layers = {name: size for name, size in self.shapes().items() if name != "W_E"}
        return {"W_E": table} | draw_layers(layers, generator)

    def forward(self, weights: Parameters, inputs: Tensor) -> Tensor:
        """Logits (N, p) of token sequences (N, 3)."""
        x = F.embedding(inputs, weights["W_E"]).flatten(-2)
        return F.linear(relu_layers(weights, x, self.n_layers), weights["W_U"], weights["b_U"])


@checked_call
@dataclass(frozen=True)
class QuadraticMLP(ModularNetwork):
    r"""Gromov's network: two layers, squares as activation, no biases, operands given as one-hot
    vectors.

    .. math:: f(i, j) = \sum_m V_{\cdot m} (U_{i m} + U'_{j m})^2

    with w = `width` hidden units. `W_E` (2p, w) holds U above U', drawn N(0, 1/(2p)); `W_U` (p, w)
    is V, drawn N(0, 1/w). Meant for the squared error. Runs that are recorded have it; nothing new
    should: `grokbook.models.quadratic.Quadratic` is the same network. Raises ParameterError when a
    size is not a positive integer.

    Example:
        >>> QuadraticMLP(5, width=7).shapes()
        {'W_E': (10, 7), 'W_U': (5, 7)}

    Source: Gromov 2023, "Grokking modular arithmetic", Equation 1; scales chosen here, stated
    above.
    """

    p: int
    width: int = 512
    shift: int = 0
    kind: str = field(default="quadratic_mlp", init=False)

    def __post_init__(self) -> None:
        check_integers(self, p=1, width=1, shift=0)

    @property
    def d_model(self) -> int:
        """Width of a row of `W_E`: the number of hidden units."""
        return self.width

    def shapes(self) -> Shapes:
        """Name and shape of every parameter."""
        return {"W_E": (2 * self.p, self.width), "W_U": (self.p, self.width)}

    def draw(self, seed: int) -> dict[str, Tensor]:
        """Initial parameters: normal entries of variance 1 / fan-in."""
        generator = torch.Generator().manual_seed(seed)
        scale = {"W_E": 1 / math.sqrt(2 * self.p), "W_U": 1 / math.sqrt(self.width)}
        return {
            name: scale[name] * torch.randn(size, generator=generator)
            for name, size in self.shapes().items()
        }

    def forward(self, weights: Parameters, inputs: Tensor) -> Tensor:
        """Outputs (N, p) for token sequences (N, 3)."""
        second = inputs[..., 1] - self.shift + self.p
        table = weights["W_E"]
        hidden = F.embedding(inputs[..., 0], table) + F.embedding(second, table)
        return F.linear(hidden.square(), weights["W_U"])

    def embeddings(self, weights: Parameters) -> tuple[Tensor, Tensor]:
        """The rows of `W_E` that the first and the second operand use, (p, w) each: they share
        none."""
        return weights["W_E"][: self.p], weights["W_E"][self.p :]
