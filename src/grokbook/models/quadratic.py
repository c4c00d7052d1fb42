r"""The two-layer network of Tian's papers: one-hot operands, one hidden layer without biases,
squares as activation."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from grokbook.errors import ParameterError, check_choice, check_integers, checked_call, shown
from grokbook.models.networks import ModularNetwork, Parameters, Shapes

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "square": torch.square,
    "relu": F.relu,
    "relu_square": lambda x: F.relu(x).square(),
    "silu": F.silu,
}


@checked_call
@dataclass(frozen=True)
class Quadratic(ModularNetwork):
    r"""Sizes of the network $o(a, b) = V\,\sigma(w_a + w'_b)$ on pairs of `p` symbols, with K =
    `width` hidden units.

    `W_E` (2p, K) holds the rows $w_a$ above the rows $w'_b$, `W_U` (p, K) is V; `activation` is
    $\sigma$.

    With `ridge` = $\eta$ > 0 the output layer is not learned but solved (`settle`), and has a bias
    `b_U` (p,): with F the features of the n training samples and $\tilde F$, $\tilde Y$ features
    and one-hot labels less their means,

    .. math:: V^\top = (\tilde F^\top \tilde F + \eta I)^{-1} \tilde F^\top \tilde Y, \quad b = \bar
        Y - V \bar F,

    so that the gradient of the squared error with respect to F is that of the centred problem,
    $-(\tilde Y - \tilde F V^\top) V$ times 2 / (n p).

    Raises ParameterError for a size that is not a positive integer, an unknown activation or a
    negative ridge.

    Example:
        >>> Quadratic(5, width=7).shapes(), Quadratic(5, width=7, ridge=0.1).shapes()["b_U"]
        ({'W_E': (10, 7), 'W_U': (5, 7)}, (5,))

    Source: Tian 2024 (x², three matrices) and Tian 2025, Equation 1 and section 4 (ridge). Gromov's
    network (`grokbook.models.mlp.QuadraticMLP`) is this one on token sequences.
    """

    p: int
    width: int = 256
    activation: str = "square"
    ridge: float = 0.0
    kind: str = field(default="quadratic", init=False)
    starts = ("normal", "uniform", "linear", "zero_output")
    shift = 0

    def __post_init__(self) -> None:
        check_integers(self, p=2, width=1)
        check_choice("activation", self.activation, ACTIVATIONS)
        if not 0 <= self.ridge < math.inf:
            raise ParameterError(
                f"ridge = {shown(self.ridge)} must be zero (the output layer is learned) or"
                " positive."
            )

    @property
    def solved(self) -> bool:
        """Whether training leaves parameters to `settle`."""
        return self.ridge > 0

    @property
    def d_model(self) -> int:
        """Width of a row of `W_E`: the number of hidden units."""
        return self.width

    def shapes(self) -> Shapes:
        """Name and shape of every parameter."""
        shapes: Shapes = {"W_E": (2 * self.p, self.width), "W_U": (self.p, self.width)}
        return shapes | ({"b_U": (self.p,)} if self.ridge else {})

    def groups(self) -> dict[str, tuple[str, ...]]:
        """The parameters that can have rates of their own."""
        return {
            "hidden": ("W_E",),
            "output": tuple(name for name in self.shapes() if name != "W_E"),
        }

    def draw(self, seed: int, start: str = "normal") -> dict[str, Tensor]:
        """Initial `W_E` and `W_U`: "normal" N(0, 1/(2p)) and N(0, 1/K), "uniform" within 1/sqrt(p)
        and 1/sqrt(K).

        "linear" is uniform within 1/sqrt(2p) and 1/sqrt(K), as torch draws the layers of a network
        on both one-hot vectors side by side; "zero_output" the same with `W_U` zero. Raises
        ParameterError for another start.
        """
        check_choice("start", start, self.starts)
        generator = torch.Generator().manual_seed(seed)
        fan = {"W_E": self.p if start == "uniform" else 2 * self.p, "W_U": self.width}

        def table(name: str) -> Tensor:
            shape = self.shapes()[name]
            if start == "normal":
                drawn = torch.randn(shape, generator=generator)
            else:
                drawn = 2 * torch.rand(shape, generator=generator) - 1
            return drawn / math.sqrt(fan[name])

        drawn = {name: table(name) for name in fan}
        if start == "zero_output":
            drawn["W_U"] = torch.zeros_like(drawn["W_U"])
        return drawn | ({"b_U": torch.zeros(self.p)} if self.ridge else {})

    def features(self, weights: Parameters, inputs: Tensor) -> Tensor:
        """The hidden units (N, K) of pairs (N, 2), or of token sequences of which the first two are
        read."""
        first = F.embedding(inputs[..., 0], weights["W_E"])
        second = F.embedding(inputs[..., 1] + self.p, weights["W_E"])
        return ACTIVATIONS[self.activation](first + second)

    def forward(self, weights: Parameters, inputs: Tensor) -> Tensor:
        """Outputs (N, p) of pairs (N, 2)."""
        return F.linear(self.features(weights, inputs), weights["W_U"], weights.get("b_U"))

    def settle(self, weights: Parameters, inputs: Tensor, targets: Tensor) -> dict[str, Tensor]:
        """The weights with the output layer solved on samples (n, 2) and labels (n,)."""
        features = self.features(weights, inputs)
        wanted = F.one_hot(targets, self.p).to(weights["W_U"])
        mean = features.mean(0)
        share = wanted.mean(0)
        f = features - mean
        y = wanted - share
        if f.shape[-2] < self.width:  # the smaller of the two equal systems
            ridge = self.ridge * torch.eye(f.shape[-2]).to(f)
            solved = f.mT @ torch.linalg.solve(f @ f.mT + ridge, y)
        else:
            ridge = self.ridge * torch.eye(self.width).to(f)
            solved = torch.linalg.solve(f.mT @ f + ridge, f.mT @ y)
        return {"W_E": weights["W_E"], "W_U": solved.mT, "b_U": share - mean @ solved}

    def embeddings(self, weights: Parameters) -> tuple[Any, Any]:
        """The rows of `W_E` that the first and the second operand use, (p, K) each: they share
        none."""
        return weights["W_E"][: self.p], weights["W_E"][self.p :]
