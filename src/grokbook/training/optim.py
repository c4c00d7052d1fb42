r"""Optimisers as settings: `init` makes the state of a stack of runs, `update` moves it; each row
has its own numbers.

The parameters of R runs are the rows of one matrix (R, P). An optimiser of a reader's own is a
frozen dataclass with three methods (`Optimizer`); whatever it keeps from step to step stands in the
dictionary that `init` returns.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, dataclass, field
from itertools import accumulate, pairwise
from typing import Any, ClassVar, Protocol

import torch
from torch import Tensor

from grokbook.errors import ParameterError, checked_call, shown
from grokbook.models.networks import sizes_of

LATER = {"later": True}
"""Metadata of a field that was added after records were made: at its default a run is named as
before."""

Shapes = dict[str, tuple[int, ...]]
State = dict[str, Tensor]
Number = float | Tensor
Numbers = Mapping[str, Number]


class Optimizer(Protocol):
    """What training asks of the settings of an optimiser, in the manner of optax's
    GradientTransformation."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def init(self, weights: Tensor, shapes: Shapes) -> State:
        """The state before the first update, of R runs with weights (R, P)."""

    def numbers(self, step: int) -> dict[str, float]:
        """What the update that follows `step` earlier ones needs of this run's settings."""

    def update(
        self, weights: Tensor, gradient: Tensor, state: State, numbers: Numbers, shapes: Shapes
    ) -> None:
        """Move weights (R, P) and state in place; numbers are floats, or tensors (R, 1) or (R, P)
        where rows differ."""


@checked_call
@dataclass(frozen=True)
class Group:
    """Rates of their own for a named group of a network's parameters; None leaves the optimiser's.

    Example:
        >>> AdamW(groups=(Group("decoder", weight_decay=5.0),)).of("decoder").weight_decay
        5.0
    """

    name: str
    learning_rate: float | None = None
    weight_decay: float | None = None

    def changes(self) -> dict[str, Any]:
        """The rates that differ from the optimiser's."""
        changes = {"learning_rate": self.learning_rate, "weight_decay": self.weight_decay}
        return {name: value for name, value in changes.items() if value is not None}


@checked_call
@dataclass(frozen=True)
class AdamW:
    r"""Settings of AdamW with linear warm-up, as in Gu et al. 2025: decay acts on every parameter.

    In step t = 1, 2, ... the learning rate is `learning_rate` * min((t - 1) / warmup, 1): the first
    step moves nothing, as in the authors' schedule. warmup = 0 switches it off. `groups` gives
    named groups of the network's parameters rates of their own. With g the gradient,

    .. math:: m \leftarrow \beta_1 m + (1-\beta_1) g, \quad v \leftarrow \beta_2 v + (1-\beta_2)
        g^2, \quad w \leftarrow (1 - lr\,wd)\,w - lr\,\frac{m / (1-\beta_1^t)}{\sqrt{v /
        (1-\beta_2^t)} + \epsilon}.

    Raises ParameterError for a rate that is not positive, a negative decay, or a beta outside [0,
    1).

    Source: Loshchilov & Hutter 2019, Algorithm 2; equal to torch.optim.AdamW, which has one rate
    for all rows.
    """

    learning_rate: float = 1e-3
    beta1: float = 0.9
    beta2: float = 0.98
    eps: float = 1e-8
    weight_decay: float = 1.0
    warmup: int = 10
    groups: tuple[Group, ...] = field(default=(), kw_only=True, metadata=LATER)

    def __post_init__(self) -> None:
        rules = {
            "learning_rate": (0 < self.learning_rate < float("inf"), "a positive number"),
            "beta1": (0 <= self.beta1 < 1, "in [0, 1)"),
            "beta2": (0 <= self.beta2 < 1, "in [0, 1)"),
            "eps": (0 < self.eps < float("inf"), "a positive number"),
            "weight_decay": (0 <= self.weight_decay < float("inf"), "zero or more"),
            "warmup": (self.warmup >= 0, "zero or more"),
        }
        for name, (is_valid, rule) in rules.items():
            if not is_valid:
                raise ParameterError(f"{name} = {shown(getattr(self, name))} must be {rule}.")
        for group in self.groups:
            if not isinstance(group, Group):
                raise ParameterError(
                    f"groups has {shown(group)}, but each must be a Group, such as"
                    " Group('decoder')."
                )
            self.of(group.name)

    def of(self, group: str) -> AdamW:
        """These settings for the parameters of one group."""
        for own in self.groups:
            if own.name == group:
                return dataclasses.replace(self, groups=(), **own.changes())
        return self

    def rate(self, step: int) -> float:
        """The learning rate of the update that follows `step` earlier ones."""
        return self.learning_rate * (min(step / self.warmup, 1.0) if self.warmup else 1.0)

    def init(self, weights: Tensor, shapes: Shapes) -> State:
        """First and second moment, zero."""
        return {"mean": torch.zeros_like(weights), "square": torch.zeros_like(weights)}

    def numbers(self, step: int) -> dict[str, float]:
        """Rate, what decay leaves, the betas, both corrections of their bias and epsilon, after
        `step` updates."""
        t = step + 1
        lr = self.rate(step)
        return {
            "lr": lr,
            "decay": 1 - lr * self.weight_decay,
            "beta1": self.beta1,
            "beta2": self.beta2,
            "correction1": 1 - self.beta1**t,
            "root2": (1 - self.beta2**t) ** 0.5,
            "eps": self.eps,
        }

    def update(
        self, weights: Tensor, gradient: Tensor, state: State, numbers: Numbers, shapes: Shapes
    ) -> None:
        """One AdamW update of R runs in place."""
        n = numbers
        mean = state["mean"]
        square = state["square"]
        mean.lerp_(gradient, 1 - n["beta1"])
        square.mul_(n["beta2"]).addcmul_(gradient, gradient * (1 - n["beta2"]))
        denominator = square.sqrt().div_(n["root2"]).add_(n["eps"])
        weights.mul_(n["decay"]).addcdiv_(mean * (-n["lr"] / n["correction1"]), denominator)


@checked_call
@dataclass(frozen=True)
class Adam(AdamW):
    r"""Settings of Adam with coupled L2 decay: the gradient is $g + wd\,w$, both moments see it.

    Fields, groups and errors are those of `AdamW`, with torch's betas, no warm-up and no decay as
    defaults.

    Example:
        >>> Adam(weight_decay=1e-4).numbers(0)["decay"], Adam().rate(0)
        (1, 0.001)

    Source: Kingma & Ba 2015, Algorithm 1; equal to torch.optim.Adam.
    """

    beta2: float = 0.999
    weight_decay: float = 0.0
    warmup: int = 0

    def numbers(self, step: int) -> dict[str, float]:
        """Those of AdamW without decay of its own, and the decay."""
        return super().numbers(step) | {"decay": 1, "coupled": self.weight_decay}

    def update(
        self, weights: Tensor, gradient: Tensor, state: State, numbers: Numbers, shapes: Shapes
    ) -> None:
        """One Adam update of R runs in place."""
        super().update(weights, gradient + numbers["coupled"] * weights, state, numbers, shapes)


@checked_call
@dataclass(frozen=True)
class Sgd(AdamW):
    r"""Settings of gradient descent with momentum and coupled L2 decay.

    .. math:: m \leftarrow \mu\,m + g + wd\,w, \quad w \leftarrow w - lr\,m

    with $\mu$ = `beta1`; `beta2` and `eps` have no use. Fields, groups and errors are those of
    `AdamW`.

    Source: torch.optim.SGD without dampening, to which it is equal.
    """

    learning_rate: float = 0.1
    beta1: float = 0.9
    weight_decay: float = 0.0
    warmup: int = 0

    def init(self, weights: Tensor, shapes: Shapes) -> State:
        """The momentum, zero."""
        return {"mean": torch.zeros_like(weights)}

    def numbers(self, step: int) -> dict[str, float]:
        """Rate, momentum and decay."""
        return {"lr": self.rate(step), "beta1": self.beta1, "coupled": self.weight_decay}

    def update(
        self, weights: Tensor, gradient: Tensor, state: State, numbers: Numbers, shapes: Shapes
    ) -> None:
        """One update of R runs in place."""
        mean = (
            state["mean"].mul_(numbers["beta1"]).add_(gradient).add_(numbers["coupled"] * weights)
        )
        weights.sub_(numbers["lr"] * mean)


def column(number: Number, like: Tensor) -> Tensor:
    """A number as a tensor that broadcasts against `like` (R, P)."""
    if isinstance(number, Tensor):
        return number
    return torch.tensor([[number]], dtype=like.dtype, device=like.device)


def columns_of(shapes: Shapes) -> dict[str, slice]:
    """The columns of the weight matrix that each parameter has."""
    ends = list(accumulate(sizes_of(shapes), initial=0))
    return {name: slice(*pair) for name, pair in zip(shapes, pairwise(ends), strict=True)}


class Columns:
    """The numbers of R settings step by step: a float where all agree, else a tensor (R, 1), or (R,
    P) with groups.

    Args:
        settings: one for each row, all of one class.
        shapes: the parameters in the order in which a row holds them.
        groups: the network's, group -> names of parameters.
        like: the weights (R, P), for type and device.

    Raises ParameterError for a group that the network does not have.
    """

    def __init__(
        self,
        settings: Sequence[Any],
        shapes: Shapes,
        groups: Mapping[str, Sequence[str]],
        like: Tensor,
    ) -> None:
        named: set[str] = set()
        for optimizer in settings:
            named |= {group.name for group in getattr(optimizer, "groups", ())}
        if unknown := named - set(groups):
            known = ", ".join(groups) or "none"
            raise ParameterError(
                f"the group {min(unknown)!r} is none of the network's; it has {known}."
            )
        self.like = like
        self.last: dict[str, tuple[list[list[float]], Tensor]] = {}
        # of each row the settings of all other parameters, then those of each group
        self.settings = [[optimizer] for optimizer in settings]
        column_of = dict.fromkeys(shapes, 0)
        for number, group in enumerate(sorted(named), start=1):
            for row in self.settings:
                row.append(row[0].of(group))
            column_of |= dict.fromkeys(groups[group], number)
        self.segments: Tensor | None = None
        if named:
            columns = torch.tensor([column_of[name] for name in shapes])
            sizes = torch.tensor(sizes_of(shapes))
            self.segments = columns.repeat_interleave(sizes).to(like.device)

    def __call__(self, step: int) -> Numbers:
        """The numbers of the update that follows `step` earlier ones."""
        tables: dict[str, list[list[float]]] = {}
        for row in self.settings:
            numbers = [settings.numbers(step) for settings in row]
            for name in numbers[0]:
                values = [of_group[name] for of_group in numbers]
                tables.setdefault(name, []).append(values)
        return {name: self._column(name, table) for name, table in tables.items()}

    def _column(self, name: str, values: list[list[float]]) -> Number:
        first = values[0][0]
        if all(number == first for row in values for number in row):
            return first
        # after the warm-up most numbers stay as they are
        if self.last.get(name, (None,))[0] != values:
            table = torch.tensor(values, dtype=self.like.dtype, device=self.like.device)
            self.last[name] = values, table if self.segments is None else table[:, self.segments]
        return self.last[name][1]


def as_tensors(
    numbers: Callable[[int], Numbers], like: Tensor
) -> Callable[[int], dict[str, Tensor]]:
    """The same numbers as tensors all of them, which a compiled program can take without being
    compiled anew."""
    return lambda step: {name: column(value, like) for name, value in numbers(step).items()}
