r"""Networks with something set by hand: their logits' scale, their start, or their linear part
alone.

Each is a network of its own (`grokbook.models.networks.Network`) round another one, whose names of
parameters it keeps.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from grokbook.errors import check_positive, checked_call
from grokbook.models.networks import ROWS, Network, Parameters, Shapes


@checked_call
@dataclass(frozen=True)
class Around:
    """Another network, as it is: what the interventions on networks have in common."""

    network: Network

    @property
    def starts(self) -> tuple[str, ...]:
        """The ways in which the network can be drawn."""
        return getattr(self.network, "starts", ("normal",))

    def shapes(self) -> Shapes:
        """Name and shape of every parameter."""
        return self.network.shapes()

    def groups(self) -> dict[str, tuple[str, ...]]:
        """The groups of parameters that can have rates of their own."""
        return getattr(self.network, "groups", dict)()

    def draw(self, seed: int, start: str = "normal") -> dict[str, Tensor]:
        """Initial parameters."""
        return self.network.draw(seed, *(() if start == "normal" else (start,)))

    def forward(self, weights: Parameters, inputs: Tensor) -> Tensor:
        """Outputs (N, ...)."""
        return self.network.forward(weights, inputs)

    def embeddings(self, weights: Parameters) -> tuple[Any, ...]:
        """The tables of the network, none where it has none."""
        return self.network.embeddings(weights) if hasattr(self.network, "embeddings") else ()

    def check(self, task: Any) -> None:
        """Raise ParameterError for a task that the network does not fit."""
        if hasattr(self.network, "check"):
            self.network.check(task)


@checked_call
@dataclass(frozen=True)
class Tempered(Around):
    r"""Outputs divided by a temperature T that is not learned, $f(w) / T$.

    Raises ParameterError for a temperature that is not positive.

    Source: arXiv:2606.18465, an output temperature outside the norm.
    """

    temperature: float = 1.0
    kind: str = field(default="tempered", init=False)

    def __post_init__(self) -> None:
        check_positive(self, "temperature")

    def forward(self, weights: Parameters, inputs: Tensor) -> Tensor:
        """Outputs (N, ...) over the temperature."""
        return self.network.forward(weights, inputs) / self.temperature


@checked_call
@dataclass(frozen=True)
class Stablemax(Around):
    r"""Logits log s(z) with s(z) = z + 1 for z >= 0, else 1 / (1 - z): cross entropy of them is
    that of StableMax.

    Since softmax(log s) = s / sum s, probabilities grow linearly in the logits and no exponential
    overflows.

    Source: Prieto et al. 2025 (arXiv:2501.04697), StableMax.
    """

    kind: str = field(default="stablemax", init=False)

    def forward(self, weights: Parameters, inputs: Tensor) -> Tensor:
        """Logits (N, M)."""
        z = self.network.forward(weights, inputs)
        return z.sign() * z.abs().log1p()


@checked_call
@dataclass(frozen=True)
class Rescaled(Around):
    """The initial parameters of the named tensors (none named: all) times `factor`.

    Raises ParameterError for a factor that is not positive.
    """

    factor: float = field(default=1.0, metadata=ROWS)
    names: tuple[str, ...] = ()
    kind: str = field(default="rescaled", init=False)

    def __post_init__(self) -> None:
        check_positive(self, "factor")

    def draw(self, seed: int, start: str = "normal") -> dict[str, Tensor]:
        """Initial parameters, rescaled."""
        drawn = super().draw(seed, start)
        for name, weight in drawn.items():
            if not self.names or name in self.names:
                drawn[name] = self.factor * weight
        return drawn


@checked_call
@dataclass(frozen=True)
class Centred(Around):
    r"""The network as a departure from its start, $\alpha\,(f(w) - f(w_0))$, or that to first order
    in $w - w_0$.

    Large $\alpha$ is the lazy end (under gradient descent with a rate of $1/\alpha^2$), `linear`
    the limit itself: $\alpha\,\nabla f(w_0) \cdot (w - w_0)$. The start is kept beside the
    parameters, as `NAME@start`, and not learned; $\alpha$ = 1 without `linear` is the sham: it
    centres alone. Under Adam, which ignores the size of a gradient, $\alpha$ with cross entropy is
    a temperature $1/\alpha$ and centring.

    Raises ParameterError for alpha that is not positive.

    Source: Chizat, Oyallon & Bach 2019, section 1.1; for grokking Kumar et al. 2023
    (arXiv:2310.06110).
    """

    alpha: float = 1.0
    linear: bool = False
    kind: str = field(default="centred", init=False)

    def __post_init__(self) -> None:
        check_positive(self, "alpha")

    def shapes(self) -> Shapes:
        """Name and shape of every parameter, then of its start."""
        own = self.network.shapes()
        return own | {f"{name}@start": shape for name, shape in own.items()}

    @property
    def statistics(self) -> tuple[str, ...]:
        """The tensors that are not learned: the start."""
        return tuple(f"{name}@start" for name in self.network.shapes())

    def draw(self, seed: int, start: str = "normal") -> dict[str, Tensor]:
        """Initial parameters, twice."""
        drawn = super().draw(seed, start)
        return drawn | {f"{name}@start": w.clone() for name, w in drawn.items()}

    def forward(
        self, weights: Parameters, inputs: Tensor, seen: dict[str, Tensor] | None = None
    ) -> Tensor:
        """Outputs (N, ...)."""
        own = self.network.shapes()
        if seen is not None:
            seen |= {name: weights[name].detach() for name in self.statistics}
        now = {name: weights[name] for name in own}
        start = {name: weights[f"{name}@start"].detach() for name in own}

        def outputs(w: Parameters) -> Tensor:
            return self.network.forward(w, inputs)

        if self.linear:
            departure = {name: now[name] - start[name] for name in own}
            slope = torch.func.jvp(outputs, (start,), (departure,))[1]
            return self.alpha * slope
        return self.alpha * (outputs(now) - outputs(start))
