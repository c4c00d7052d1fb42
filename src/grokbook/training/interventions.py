r"""Interventions: what sets a quantity of a run by hand while it is trained, as hooks round any
optimiser.

`Hooked(AdamW(), (Freeze(("W_E",)), Clamp(20.0)))` is an optimiser: it lets each hook change the
gradient, makes the optimiser's own update, and lets each hook change the weights. A hook is a
frozen dataclass with any of three methods; `numbers(step)` gives what it needs at a step, so that
runs that differ in numbers alone are rows of one program.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from torch import Tensor

from grokbook.errors import ParameterError, check_choice, check_whole_numbers, checked_call, shown
from grokbook.models.intervened import Around
from grokbook.models.networks import sizes_of
from grokbook.training.config import RunConfig
from grokbook.training.ensemble import How, train_here
from grokbook.training.forward import split_weights
from grokbook.training.optim import (
    LATER,
    Number,
    Numbers,
    Optimizer,
    Shapes,
    State,
    column,
    columns_of,
)


@checked_call
@dataclass(frozen=True)
class Hook:
    """What does nothing: a hook overrides what it needs. Each acts on updates `start` to `stop` - 1
    (None: to the end).

    Raises ParameterError for a start below zero or a stop that is not after it.
    """

    start: int = field(default=0, kw_only=True)
    stop: int | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if self.start < 0 or (self.stop is not None and self.stop <= self.start):
            raise ParameterError(
                f"start = {shown(self.start)}, stop = {shown(self.stop)} must be 0 <= start < stop."
            )

    def acts(self, step: int) -> bool:
        """Whether the update that follows `step` earlier ones is among those it acts on."""
        return self.start <= step and (self.stop is None or step < self.stop)

    def numbers(self, step: int) -> dict[str, float]:
        """What the hook needs at this step; `on` is 1 where it acts, else 0."""
        return {"on": float(self.acts(step))}

    def gradient(
        self, weights: Tensor, gradient: Tensor, numbers: Numbers, shapes: Shapes
    ) -> Tensor:
        """The gradient (R, P) that the optimiser sees."""
        return gradient

    def after(self, before: Tensor, weights: Tensor, numbers: Numbers, shapes: Shapes) -> None:
        """Change the moved weights (R, P) in place; `before` is where they were."""


@checked_call
@dataclass(frozen=True)
class Hooked:
    """An optimiser with hooks, in their order; its own groups, rates and state are untouched.

    Raises ParameterError for what is no hook.

    Example:
        >>> from grokbook.training import AdamW
        >>> Hooked(AdamW(), (Freeze(("W_E",), stop=100),)).numbers(0)["0.on"]
        1.0

    Source: the interventions of chapter 19; the protocol is that of
    `grokbook.training.optim.Optimizer`.
    """

    optimizer: Optimizer
    hooks: tuple[Hook, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "hooks", tuple(self.hooks))
        for hook in self.hooks:
            if not isinstance(hook, Hook):
                raise ParameterError(
                    f"hooks has {hook!r}, but each must be a Hook, such as Freeze(('W_E',))."
                )

    @property
    def groups(self) -> tuple[Any, ...]:
        """The optimiser's groups of parameters."""
        return getattr(self.optimizer, "groups", ())

    def of(self, group: str) -> Hooked:
        """These settings for the parameters of one group."""
        optimizer: Any = self.optimizer  # one with groups has `of`
        return dataclasses.replace(self, optimizer=optimizer.of(group))

    def init(self, weights: Tensor, shapes: Shapes) -> State:
        """The optimiser's state."""
        return self.optimizer.init(weights, shapes)

    def numbers(self, step: int) -> dict[str, float]:
        """The optimiser's numbers, and those of hook k as `k.name`."""
        numbers = dict(self.optimizer.numbers(step))
        for k, hook in enumerate(self.hooks):
            for name, value in hook.numbers(step).items():
                numbers[f"{k}.{name}"] = value
        return numbers

    def update(
        self, weights: Tensor, gradient: Tensor, state: State, numbers: Numbers, shapes: Shapes
    ) -> None:
        """The hooks' gradient, the optimiser's update, what the hooks do afterwards; one that is
        off is not asked."""
        active: list[tuple[Hook, Numbers]] = []
        for k, hook in enumerate(self.hooks):
            own: dict[str, Number] = {}
            for name, value in numbers.items():
                if name.startswith(f"{k}."):
                    own[name.removeprefix(f"{k}.")] = value
            if isinstance(own["on"], Tensor) or own["on"]:
                active.append((hook, own))
        before = weights.clone() if active else weights
        for hook, given in active:
            gradient = hook.gradient(weights, gradient, given, shapes)
        self.optimizer.update(weights, gradient, state, numbers, shapes)
        for hook, given in active:
            hook.after(before, weights, given, shapes)


@lru_cache(maxsize=64)
def _marked(names: tuple[str, ...], shapes: tuple[tuple[str, tuple[int, ...]], ...]) -> Tensor:
    """Which of the P columns belong to the named parameters, bool (1, P); all for no names."""
    known = dict(shapes)
    if unknown := set(names) - set(known):
        raise ParameterError(
            f"the parameter {min(unknown)!r} is none of the network's, {', '.join(known)}."
        )
    is_named = torch.tensor([not names or name in names for name in known])
    return is_named.repeat_interleave(torch.tensor(sizes_of(known)))[None]


def marked(names: Sequence[str], shapes: Shapes, like: Tensor) -> Tensor:
    """Which columns of the weight matrix belong to the named parameters (none named: to any), bool
    (1, P).

    Raises ParameterError for a name that the network does not have.

    Example:
        >>> marked(("b",), {"W": (1, 2), "b": (1,)}, torch.zeros(1, 3)).tolist()
        [[False, False, True]]
    """
    fixed = tuple((name, tuple(shape)) for name, shape in shapes.items())
    return _marked(tuple(names), fixed).to(like.device)


def _on(numbers: Numbers, like: Tensor) -> Tensor:
    return column(numbers["on"], like)[:, :1] > 0


@checked_call
@dataclass(frozen=True)
class Freeze(Hook):
    """Named parameters stay where they are; the optimiser's moments of them go on as if they moved.

    Example:
        >>> Freeze(("W_E",), start=500).acts(499)
        False
    """

    names: tuple[str, ...]
    kind: str = field(default="freeze", init=False)

    def after(self, before: Tensor, weights: Tensor, numbers: Numbers, shapes: Shapes) -> None:
        """Put the named parameters back."""
        held = marked(self.names, shapes, weights) & _on(numbers, weights)
        weights.copy_(torch.where(held, before, weights))


@checked_call
@dataclass(frozen=True)
class Clamp(Hook):
    r"""After each update the named parameters (none named: all) are rescaled to a given norm, $w
    \leftarrow r\,w/|w|$.

    `radius` is a number, or a path ((step, radius), ...) between whose points the norm is
    interpolated linearly.

    Raises ParameterError for a radius that is not positive or a path whose steps do not increase.

    Example:
        >>> Clamp(((0, 10.0), (100, 20.0))).numbers(49)["radius"]
        15.0

    Source: the clamp of arXiv:2606.13753, who hold the norm of all weights at a multiple of its
    value in free runs.
    """

    radius: float | tuple[tuple[int, float], ...]
    names: tuple[str, ...] = ()
    kind: str = field(default="clamp", init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.radius, int | float):
            try:
                path = tuple((int(t), float(r)) for t, r in self.radius)
            except (TypeError, ValueError):
                rule = "a number, or pairs of a step and a number"
                raise ParameterError(f"radius = {shown(self.radius)} must be {rule}.") from None
            object.__setattr__(self, "radius", path)
        steps, radii = self._path
        is_positive = radii and min(radii) > 0 and math.isfinite(sum(radii))
        if not is_positive or steps != sorted(set(steps)):
            raise ParameterError(
                f"radius = {shown(self.radius)} must be positive, a path's steps must increase."
            )

    @property
    def _path(self) -> tuple[list[int], list[float]]:
        """Steps, and the norms there."""
        if not isinstance(self.radius, tuple):
            return [0], [float(self.radius)]
        return [step for step, _ in self.radius], [radius for _, radius in self.radius]

    def numbers(self, step: int) -> dict[str, float]:
        """The norm after this update."""
        return super().numbers(step) | {"radius": float(np.interp(step + 1, *self._path))}

    def after(self, before: Tensor, weights: Tensor, numbers: Numbers, shapes: Shapes) -> None:
        """Rescale."""
        held = marked(self.names, shapes, weights)
        norm = (weights * held).norm(dim=1, keepdim=True)
        factor = column(numbers["radius"], weights)[:, :1] / norm.clamp_min(1e-30)
        weights.copy_(torch.where(held & _on(numbers, weights), weights * factor, weights))


@checked_call
@dataclass(frozen=True)
class Hold(Hook):
    r"""Named parameters (none named: all) keep the norm that they have when it begins, $w
    \leftarrow |w_0|\,w/|w|$.

    Each update is rescaled to the norm before it: a `Clamp` whose radius need not be known
    beforehand.

    Example:
        >>> Hold(start=500).acts(500)
        True
    """

    names: tuple[str, ...] = ()
    kind: str = field(default="hold", init=False)

    def after(self, before: Tensor, weights: Tensor, numbers: Numbers, shapes: Shapes) -> None:
        """Rescale to the norm before."""
        held = marked(self.names, shapes, weights)
        was = (before * held).norm(dim=1, keepdim=True)
        now = (weights * held).norm(dim=1, keepdim=True)
        scaled = weights * (was / now.clamp_min(1e-30))
        weights.copy_(torch.where(held & _on(numbers, weights), scaled, weights))


@checked_call
@dataclass(frozen=True)
class Decay(Hook):
    r"""Decoupled decay of some of the parameters, $w \leftarrow w - c\,w_{\text{before}}$ with c =
    `rate`.

    `rate` is the product of learning rate and decay. Beside AdamW without decay of its own this is
    AdamW's decay on these parameters alone. `share` < 1 takes a random part of the named numbers
    instead of all, drawn by `seed`.

    Raises ParameterError for a share outside (0, 1].

    Source: Loshchilov & Hutter 2019, line 12 of Algorithm 2, for a part of the weights.
    """

    rate: float
    names: tuple[str, ...] = ()
    share: float = 1.0
    seed: int = 0
    kind: str = field(default="decay", init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.share <= 1:
            raise ParameterError(f"share = {shown(self.share)} must be in (0, 1].")

    def numbers(self, step: int) -> dict[str, float]:
        """The share of the weights that is taken away."""
        return super().numbers(step) | {"rate": self.rate}

    def after(self, before: Tensor, weights: Tensor, numbers: Numbers, shapes: Shapes) -> None:
        """Take the decay away."""
        held = marked(self.names, shapes, weights)
        if self.share < 1:
            drawn = torch.rand(held.shape, generator=torch.Generator().manual_seed(self.seed))
            held = held & (drawn < self.share).to(held.device)
        weights.sub_(column(numbers["rate"], weights) * before * (held & _on(numbers, weights)))


@checked_call
@dataclass(frozen=True)
class Project(Hook):
    r"""The gradient without its part along a direction u, $g - (g \cdot u)\,u / |u|^2$.

    `along` = "weights" takes u = w (then no step of gradient descent changes the norm to first
    order), "random" one direction drawn by `seed`, the same in all runs: its sham. With `each`
    every parameter loses the part along its own u, else all together the part along one.

    Raises ParameterError for another direction.

    Source: the orthogonal gradient of Prieto et al. 2025 (arXiv:2501.04697), there for `each`
    matrix.
    """

    along: str = "weights"
    seed: int = 0
    kind: str = field(default="project", init=False)
    each: bool = field(default=False, kw_only=True, metadata=LATER)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("along", self.along, ("weights", "random"))

    def gradient(
        self, weights: Tensor, gradient: Tensor, numbers: Numbers, shapes: Shapes
    ) -> Tensor:
        """The projected gradient."""
        u = weights
        if self.along == "random":
            generator = torch.Generator().manual_seed(self.seed)
            u = torch.randn(1, weights.shape[1], generator=generator).to(weights)
        sizes = [weights.shape[1]]
        if self.each:
            sizes = [math.prod(shape) for shape in shapes.values()]
        parts = []
        for g, direction in zip(gradient.split(sizes, 1), u.split(sizes, 1), strict=True):
            length = direction.square().sum(1, keepdim=True).clamp_min(1e-30)
            along = (g * direction).sum(1, keepdim=True) / length
            parts.append(g - along * direction)
        return torch.where(_on(numbers, weights), torch.cat(parts, 1), gradient)


@checked_call
@dataclass(frozen=True)
class RingPenalty(Hook):
    r"""A pull of the embedding towards a ring, as strong as the gradient of the loss: adds
    $s\,|g_E|\,d / |d|$.

    d is the gradient of the relative length of the closed path through the rows of `table` in the
    given order,

    .. math:: \tfrac1n \sum_i |E_{\pi(i+1)} - E_{\pi(i)}| \Bigm/ \bigl(\tfrac2n \sum_i |E_i - \bar
        E|^2\bigr)^{1/2},

    the mean embedding difference over the root mean square distance of two rows: no rescaling of E
    changes it. g_E is the loss's gradient with respect to the table, s = `strength`; a negative one
    pulls away from the ring.

    Args:
        order: $\pi$, numbers of rows; other rows are left alone.
        strength: s.
        table: the parameter whose rows they are.

    Raises ParameterError for an order with a repeated row, or fewer than three.

    Source: MED is Gu et al. 2025, Definition 4.2; the penalty is ours.
    """

    order: tuple[int, ...]
    strength: float = 1.0
    table: str = "W_E"
    kind: str = field(default="ring_penalty", init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole_numbers(self, "order")
        if len(set(self.order)) < max(len(self.order), 3):
            raise ParameterError(
                f"order has {len(self.order)} rows, but must be three or more, each once."
            )

    def numbers(self, step: int) -> dict[str, float]:
        """The strength."""
        return super().numbers(step) | {"strength": self.strength}

    def gradient(
        self, weights: Tensor, gradient: Tensor, numbers: Numbers, shapes: Shapes
    ) -> Tensor:
        """The gradient with the pull."""
        part = columns_of(shapes)[self.table]
        pull = self._pull(weights[:, part].unflatten(1, shapes[self.table])).flatten(1)
        length = pull.norm(dim=1, keepdim=True).clamp_min(1e-30)
        size = gradient[:, part].norm(dim=1, keepdim=True) / length
        strength = column(numbers["strength"], weights)[:, :1] * _on(numbers, weights)
        moved = gradient.clone()
        moved[:, part] += strength * size * pull
        return moved

    def _pull(self, tables: Tensor) -> Tensor:
        with torch.enable_grad():
            tables = tables.detach().requires_grad_()
            length = relative_length(tables[:, list(self.order)]).sum()
            return torch.autograd.grad(length, tables)[0]


def relative_length(rings: Tensor) -> Tensor:
    """Mean step of the closed path through rows (R, n, d), over the root mean square distance of
    two of them, (R,).

    Example:
        >>> square = torch.tensor([[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]])
        >>> relative_length(square).tolist()
        [1.0]
    """
    steps = (rings.roll(-1, 1) - rings).norm(dim=2).mean(dim=1)
    spread = 2 * (rings - rings.mean(dim=1, keepdim=True)).square().sum(dim=2).mean(dim=1)
    return steps / spread.sqrt()


@checked_call
@dataclass(frozen=True)
class Transplanted(Around):
    r"""The start with named parameters of a trained run, the donor, in place of the drawn ones.

    The donor is trained with the seed of the run itself, or with the seed plus `other`. Rows of
    `W_E` may come renamed: row i from row $c\,i \bmod p$ of the donor, which is the same function
    of renamed symbols since $c(i + j) = ci + cj$ (`renaming` = c); or shuffled by a permutation
    drawn from the seed (`renaming` = 0), which is another function. Where W_E has more than one
    range of p rows (first and second operand), each is renamed alike.

    Raises ParameterError for a name that the network does not have, or c that is 0 modulo p.

    Example:
        >>> from grokbook.models.transformer import Shape
        >>> from grokbook.tasks import ModularTask
        >>> donor = RunConfig(ModularTask(5, train_fraction=0.5), Shape(5, d_model=8), steps=3)
        >>> own = Transplanted(donor.model, donor, ("W_E",)).draw(1)["W_E"]
        >>> renamed = Transplanted(donor.model, donor, ("W_E",), renaming=2).draw(1)["W_E"]
        >>> bool((renamed[:5] == own[[0, 2, 4, 1, 3]]).all())
        True
    """

    donor: RunConfig
    names: tuple[str, ...] = ("W_E",)
    renaming: int = 1
    other: int = 0
    kind: str = field(default="transplanted", init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(self.names))
        if unknown := set(self.names) - set(self.network.shapes()):
            raise ParameterError(f"the parameter {min(unknown)!r} is none of the network's.")
        p = getattr(self.network, "p", None)
        if self.renaming not in (0, 1) and (p is None or not self.renaming % p):
            raise ParameterError(
                f"renaming = {self.renaming} must be a unit modulo p = {p}, or 0 for a shuffle."
            )

    def draw(self, seed: int, start: str = "normal") -> dict[str, Tensor]:
        """Initial parameters, the named ones the donor's."""
        donor = trained(self.donor, seed + self.other)
        weights = super().draw(seed, start)
        for name in self.names:
            weights[name] = donor[name].clone()
        if "W_E" in self.names and self.renaming != 1:
            weights["W_E"] = weights["W_E"][self._rows(seed, len(weights["W_E"]))]
        return weights

    def _rows(self, seed: int, count: int) -> Tensor:
        """Which row of the donor each row is taken from."""
        network: Any = self.network  # renamed only where it has `p`
        p = network.p
        new = torch.arange(p) * self.renaming % p
        if self.renaming == 0:
            new = torch.randperm(p, generator=torch.Generator().manual_seed(seed))
        rows = torch.arange(count)
        for begin in range(0, count - count % p, p):
            rows[begin : begin + p] = begin + new
        return rows


@checked_call
@dataclass(frozen=True)
class Reflected(Transplanted):
    r"""`Transplanted` for sums without a modulus: `renaming` = -1 takes row i from row p - 1 - i of
    the donor.

    With it the sum i + j becomes 2(p - 1) - (i + j): an answer that is a number of mean 0 changes
    its sign, and nothing else does. Other renamings are as for `Transplanted`; i -> c i mod p does
    not keep all equal sums of a line equal.

    Example:
        >>> from grokbook.models.toy import Toy
        >>> from grokbook.tasks.addition import AdditionTask
        >>> from grokbook.training.config import RunConfig
        >>> donor = RunConfig(
        ...     AdditionTask(5, 0.6, "number"), Toy(5, outputs=1), loss="squared_error", steps=3
        ... )
        >>> own, turned = (
        ...     Reflected(donor.model, donor, renaming=c).draw(1)["W_E"] for c in (1, -1)
        ... )
        >>> bool((turned == own.flip(0)).all())
        True
    """

    kind: str = field(default="reflected", init=False)

    def _rows(self, seed: int, count: int) -> Tensor:
        return torch.arange(count).flip(0) if self.renaming == -1 else super()._rows(seed, count)


@lru_cache(maxsize=256)
def trained(config: RunConfig, seed: int) -> dict[str, Tensor]:
    """The parameters with which a run ends, trained here with this seed; kept in memory for the
    process."""
    config = config.with_seed(seed)
    row = train_here([config], How()).weights[0].clone()
    return split_weights(config, row)
