r"""Muon, Grokfast and clipping on a stack of runs: what a reader would try in place of AdamW, same
protocol."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor

from grokbook.errors import ParameterError, check_positive, checked_call, shown
from grokbook.training.optim import LATER, AdamW, Numbers, Shapes, State, column, columns_of

NEWTON_SCHULZ = (3.4445, -4.7750, 2.0315)
"""Coefficients of the quintic iteration of Jordan et al. 2024, also torch.optim.Muon's."""


@checked_call
@dataclass(frozen=True)
class Muon(AdamW):
    r"""Muon for the hidden matrices, AdamW (the inherited settings) for embeddings, positions,
    read-out and biases.

    A hidden matrix W (m, n) with gradient G moves by

    .. math::
        M \leftarrow \mu M + (1-\mu) G, \quad
        W \leftarrow (1 - lr\,wd)\,W - 0.2 \sqrt{\max(m, n)}\, lr\, O\bigl((1-\mu) G + \mu M\bigr)

    where O replaces the singular values by values near 1 (`orthogonalise`) and the factor gives the
    update the root mean square of an AdamW update. `momentum` is mu; learning rate, warm-up and
    decay are those of AdamW. `matrices` names other parameters to be moved so; a `plain` update is
    lr O(M), without factor and look ahead.

    Raises ParameterError for momentum outside [0, 1), a name that is no matrix, and whatever AdamW
    refuses.

    Example:
        >>> Muon(momentum=0.9).learning_rate
        0.001

    Source: Jordan et al. 2024, "Muon"; the factor is that of
    torch.optim.Muon(adjust_lr_fn="match_rms_adamw"). Tian 2025 has the plain update of `W_E`, with
    momentum .99 and other coefficients of the iteration.
    """

    momentum: float = 0.95
    kind: str = field(default="muon", init=False)
    matrices: tuple[str, ...] = field(default=(), kw_only=True, metadata=LATER)
    plain: bool = field(default=False, kw_only=True, metadata=LATER)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "matrices", tuple(self.matrices))
        if not 0 <= self.momentum < 1:
            raise ParameterError(f"momentum = {shown(self.momentum)} must be in [0, 1).")

    def init(self, weights: Tensor, shapes: Shapes) -> State:
        """AdamW's."""
        for name in self.matrices:
            if len(shapes.get(name, ())) != 2:
                raise ParameterError(
                    f"matrices: {name!r} is none of the network's; choose of {', '.join(shapes)}."
                )
        return super().init(weights, shapes)

    def numbers(self, step: int) -> dict[str, float]:
        """AdamW's and the momentum."""
        return super().numbers(step) | {"momentum": self.momentum}

    def update(
        self, weights: Tensor, gradient: Tensor, state: State, numbers: Numbers, shapes: Shapes
    ) -> None:
        """AdamW's update, replaced on the hidden matrices; their momentum lives in the first
        moment."""
        before = weights.clone()
        momentum = state["mean"].clone()
        super().update(weights, gradient, state, numbers, shapes)
        mu, rate, keep = (column(numbers[name], weights) for name in ("momentum", "lr", "decay"))
        for name, part in columns_of(shapes).items():
            shape = shapes[name]
            is_moved = name in self.matrices if self.matrices else is_hidden(name, shape)
            if not is_moved:
                continue
            m = momentum[:, part].lerp(gradient[:, part], 1 - _of(mu, part))
            state["mean"][:, part] = m
            direction = m if self.plain else torch.lerp(gradient[:, part], m, _of(mu, part))
            factor = 1 if self.plain else 0.2 * max(shape) ** 0.5
            turned = orthogonalise(direction.unflatten(1, shape)).flatten(1)
            step = factor * _of(rate, part) * turned
            weights[:, part] = _of(keep, part) * before[:, part] - step


@checked_call
@dataclass(frozen=True)
class Grokfast(AdamW):
    r"""AdamW on the gradient with its slow part amplified: g + `gain` * s, s <- `memory` * s + (1 -
    `memory`) g.

    Here s starts at zero; the authors' program starts it at the first gradient. The two differ by
    that gradient times `memory` to the number of steps.

    Raises ParameterError for memory outside [0, 1), a negative gain and whatever AdamW refuses.

    Example:
        >>> Grokfast(gain=5.0).memory
        0.98

    Source: Lee et al. 2024, "Grokfast", the exponential moving average (their alpha = 0.98, lambda
    = 2).
    """

    memory: float = 0.98
    gain: float = 2.0
    kind: str = field(default="grokfast", init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.memory < 1:
            raise ParameterError(f"memory = {shown(self.memory)} must be in [0, 1).")
        if not 0 <= self.gain < float("inf"):
            raise ParameterError(f"gain = {shown(self.gain)} must be zero or more.")

    def init(self, weights: Tensor, shapes: Shapes) -> State:
        """AdamW's state and the slow gradient, zero."""
        return super().init(weights, shapes) | {"slow": torch.zeros_like(weights)}

    def numbers(self, step: int) -> dict[str, float]:
        """AdamW's, memory and gain."""
        return super().numbers(step) | {"memory": self.memory, "gain": self.gain}

    def update(
        self, weights: Tensor, gradient: Tensor, state: State, numbers: Numbers, shapes: Shapes
    ) -> None:
        """AdamW's update on the amplified gradient."""
        memory, gain = (column(numbers[name], weights) for name in ("memory", "gain"))
        state["slow"].lerp_(gradient, 1 - memory)
        super().update(weights, gradient + gain * state["slow"], state, numbers, shapes)


@checked_call
@dataclass(frozen=True)
class Clipped(AdamW):
    r"""AdamW on the clipped gradient: g times min(1, c / |g|), c = `largest`, |g| the Euclidean
    norm over all weights.

    Raises ParameterError for a largest norm that is not positive and whatever AdamW refuses.

    Example:
        >>> Clipped(largest=0.5).learning_rate
        0.001

    Source: Pascanu et al. 2013, Algorithm 1; torch.nn.utils.clip_grad_norm_ on each run.
    """

    largest: float = 1.0
    kind: str = field(default="clipped", init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive(self, "largest")

    def numbers(self, step: int) -> dict[str, float]:
        """AdamW's and the largest norm."""
        return super().numbers(step) | {"largest": self.largest}

    def update(
        self, weights: Tensor, gradient: Tensor, state: State, numbers: Numbers, shapes: Shapes
    ) -> None:
        """AdamW's update on the clipped gradient."""
        largest = column(numbers["largest"], weights)[:, :1]
        share = (largest / gradient.norm(dim=1, keepdim=True)).clamp(max=1)
        super().update(weights, gradient * share, state, numbers, shapes)


def _of(numbers: Tensor, part: slice) -> Tensor:
    """The columns of some parameters, where each parameter has its own."""
    return numbers if numbers.shape[-1] == 1 else numbers[:, part]


def orthogonalise(matrices: Tensor) -> Tensor:
    r"""Singular vectors kept, singular values brought near 1, for matrices (..., m, n).

    Five steps of the Newton-Schulz iteration $X \leftarrow aX + (bA + cA^2)X$, $A = XX^\top$, from
    $X = G / \lVert G \rVert_F$. With these coefficients it does not converge to 1: values end
    between about 0.7 and 1.2.

    Example:
        >>> values = torch.linalg.svdvals(orthogonalise(torch.diag(torch.tensor([1.0, 0.1]))))
        >>> bool(((0.6 < values) & (values < 1.3)).all())
        True

    Source: Jordan et al. 2024.
    """
    a, b, c = NEWTON_SCHULZ
    tall = matrices.shape[-2] > matrices.shape[-1]
    x = matrices.mT if tall else matrices
    x = x / x.flatten(-2).norm(dim=-1).clamp_min(1e-7)[..., None, None]
    for _ in range(5):
        square = x @ x.mT
        x = a * x + (b * square + c * square @ square) @ x
    return x.mT if tall else x


def is_hidden(name: str, shape: tuple[int, ...]) -> bool:
    """Whether Muon moves a parameter: a matrix that is neither embedding, positions nor
    read-out."""
    return len(shape) == 2 and name not in ("W_E", "W_pos", "W_U")
