"""Optimisers by their usual word for the rate, `lr`, and any optimiser of torch as one of a run."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from grokbook.errors import ParameterError, TrainingError, checked_call, shown, unknown
from grokbook.machine import plain_torch
from grokbook.models.networks import parts_of
from grokbook.training import accelerators, optim
from grokbook.training.optim import Group, Numbers, Shapes, State

TRIED = 12
"""Updates of an optimiser of torch that are compared with those of one that lasts; what is done
every few shows."""


@checked_call
def AdamW(
    lr: float = 1e-3,
    *,
    weight_decay: float = 1.0,
    beta1: float = 0.9,
    beta2: float = 0.98,
    eps: float = 1e-8,
    warmup: int = 10,
    groups: tuple[Group, ...] = (),
) -> optim.AdamW:
    """AdamW with linear warm-up: the settings `grokbook.training.AdamW`, with `lr` for its
    `learning_rate`.

    Raises ParameterError for a rate that is not positive, a negative decay, or a beta outside [0,
    1).

    Example:
        >>> AdamW(lr=3e-3) == optim.AdamW(learning_rate=3e-3)
        True
    """
    return optim.AdamW(lr, beta1, beta2, eps, weight_decay, warmup, groups=groups)


@checked_call
def Sgd(
    lr: float = 0.1,
    *,
    momentum: float = 0.9,
    weight_decay: float = 0.0,
    warmup: int = 0,
    groups: tuple[Group, ...] = (),
) -> optim.Sgd:
    """Gradient descent with momentum: the settings `grokbook.training.Sgd`, `momentum` for its
    `beta1`.

    Raises ParameterError for a rate that is not positive, a negative decay, or a momentum outside
    [0, 1).

    Example:
        >>> Sgd(lr=0.5, momentum=0).rate(0)
        0.5
    """
    return optim.Sgd(lr, momentum, weight_decay=weight_decay, warmup=warmup, groups=groups)


@checked_call
def Muon(
    lr: float = 1e-3,
    *,
    momentum: float = 0.95,
    weight_decay: float = 1.0,
    warmup: int = 10,
    matrices: tuple[str, ...] = (),
    groups: tuple[Group, ...] = (),
) -> accelerators.Muon:
    """Muon for hidden matrices, AdamW for the rest: the settings
    `grokbook.training.accelerators.Muon`.

    `matrices` names the parameters that Muon moves; of a network with `W_U` they are the hidden
    ones without it.

    Raises ParameterError for a momentum outside [0, 1) and whatever AdamW refuses.

    Example:
        >>> Muon(lr=2e-3).learning_rate
        0.002
    """
    return accelerators.Muon(
        lr,
        momentum=momentum,
        matrices=matrices,
        weight_decay=weight_decay,
        warmup=warmup,
        groups=groups,
    )


@dataclass(frozen=True)
class TorchOptim:
    """A class of torch.optim with its settings. Each run has an optimiser of its own on its own
    named parameters.

    Made by `from_torch_optim`. Whatever the optimiser keeps is written down between two updates, so
    that runs are checkpointed and stacked; that makes an update slower than one of the library's.
    """

    cls: type
    learning_rate: float
    weight_decay: float | None
    more: tuple[tuple[str, Any], ...]
    groups: ClassVar[tuple[Group, ...]] = ()

    @property
    def adapted(self) -> str:
        """What it is made of, as a sentence calls it."""
        return f"from_torch_optim({self.cls.__name__})"

    def _settings(self, numbers: Numbers, r: int) -> dict[str, Any]:
        """The keywords of row r."""
        settings = dict(self.more)
        for name in ("lr", "weight_decay"):
            if name in numbers:
                value = numbers[name]
                settings[name] = float(value if isinstance(value, float) else value[r, 0])
        return settings

    def _optimiser(
        self, parts: Sequence[Tensor], numbers: Numbers, r: int
    ) -> torch.optim.Optimizer:
        return self.cls(parts, **self._settings(numbers, r))

    def numbers(self, step: int) -> dict[str, float]:
        """Rate, decay, and a number that tells these settings from others, which cannot share a
        program with them."""
        spelled = repr((self.cls, self.more)).encode()[-512:]
        numbers = {
            "lr": float(self.learning_rate),
            "which": float(int.from_bytes(spelled, "big") % 999_983),
        }
        if self.weight_decay is not None:
            numbers["weight_decay"] = float(self.weight_decay)
        return numbers

    def init(self, weights: Tensor, shapes: Shapes) -> State:
        """What the optimiser will keep of each parameter, found by an update of zeros; `begun`:
        whether it has any."""
        row = torch.zeros_like(weights[0])
        parts = list(parts_of(row, shapes).values())
        _give_slopes(parts, row)
        optimiser = self._optimiser(parts, self.numbers(0), 0)
        optimiser.step()
        state = {"begun": torch.zeros(len(weights), 1, device=weights.device)}
        for at, (name, part) in enumerate(zip(shapes, parts, strict=True)):
            for key, value in optimiser.state[part].items():
                if not isinstance(value, Tensor):
                    raise ParameterError(
                        f"{self.cls.__name__} keeps {key} = {shown(value)} of {name}, but only"
                        " optimisers whose state is tensors can be taken."
                    )
                state[f"{at} {key}"] = value.new_zeros(len(weights), *value.shape)
        return state

    def update(
        self, weights: Tensor, gradient: Tensor, state: State, numbers: Numbers, shapes: Shapes
    ) -> None:
        """One update of every row in place, each by an optimiser that is given what it kept."""
        if isinstance(numbers["which"], Tensor):
            raise ParameterError(
                "runs with different optimisers of torch were put together; train them in calls."
            )
        for r in range(len(weights)):
            parts = list(parts_of(weights[r], shapes).values())
            _give_slopes(parts, gradient[r])
            optimiser = self._optimiser(parts, numbers, r)
            if state["begun"][r]:
                for at, key, table in _kept(state):
                    optimiser.state[parts[at]][key] = table[r].clone()
            before = _counted(optimiser)
            optimiser.step()
            if _counted(optimiser) != before:
                raise TrainingError(
                    f"{self.cls.__name__} counts outside `state` of its parameters, which is lost"
                    " between two updates of a run; let it keep what it counts there, as a tensor."
                )
            for at, key, table in _kept(state):
                table[r] = optimiser.state[parts[at]][key]
        state["begun"].fill_(1)


def _give_slopes(parts: Sequence[Tensor], row: Tensor) -> None:
    """Let each parameter have its part of a row (P,) of slopes."""
    slopes = row.split([part.numel() for part in parts])
    for part, slope in zip(parts, slopes, strict=True):
        part.grad = slope.view(part.shape)


def _kept(state: State) -> Iterator[tuple[int, str, Tensor]]:
    """Number of the parameter, name, and table of everything that the optimiser keeps."""
    for name, table in state.items():
        at, _, key = name.partition(" ")
        if key:
            yield int(at), key, table


@checked_call
@plain_torch()
def from_torch_optim(
    cls: type[torch.optim.Optimizer], lr: float | None = None, **settings: Any
) -> TorchOptim:
    """A class of torch.optim as an optimiser that `train` takes:
    `from_torch_optim(torch.optim.RMSprop, lr=1e-3)`.

    `settings` are keywords of the class; `lr` and `weight_decay` may vary along a grid.

    Raises ParameterError for what is no class of an optimiser, keywords that it refuses, one whose
    step needs a closure (LBFGS), one whose state is not tensors, and one that keeps more than the
    `state` of its parameters: on the same slopes it must move weights as one optimiser that lasts.
    One that begins to count elsewhere later ends its run with TrainingError.

    Example:
        >>> from_torch_optim(torch.optim.RMSprop, alpha=0.9).learning_rate
        0.01
    """
    if not isinstance(cls, type) or not issubclass(cls, torch.optim.Optimizer):
        raise ParameterError(
            f"cls = {shown(cls)} must be a class of torch.optim, such as torch.optim.RMSprop."
        )
    closure = inspect.signature(cls.step).parameters.get("closure")
    if closure is not None and closure.default is inspect.Parameter.empty:
        raise ParameterError(
            f"cls = {cls.__name__} needs a closure for its step, which runs here do not have."
        )
    known = inspect.signature(cls).parameters
    rate = getattr(known.get("lr"), "default", None) if lr is None else lr
    decay = settings.pop("weight_decay", getattr(known.get("weight_decay"), "default", None))
    if isinstance(rate, Tensor) or not isinstance(rate, int | float):
        raise ParameterError(f"lr = {shown(rate)} must be a number.")
    takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values())
    for name, value in settings.items():
        if name not in known and not takes_any:
            raise unknown(name, value, cls.__name__, list(known)[1:])
    optimiser = TorchOptim(cls, float(rate), decay, tuple(sorted(settings.items())))
    try:
        optimiser.init(torch.zeros(1, 4), {"W": (2, 2)})
        differs = _differs_from_a_lasting_one(optimiser)
    except TrainingError:  # it counts elsewhere, and at once
        differs = True
    except (TypeError, ValueError, RuntimeError, AssertionError, KeyError, AttributeError) as error:
        if isinstance(error, ParameterError):
            raise
        raise ParameterError(
            f"{cls.__name__} refuses its settings: {str(error).partition(chr(10))[0]}."
        ) from None
    if differs:
        raise ParameterError(
            f"cls = {cls.__name__} moves weights otherwise than one lasting optimiser does: what it"
            " keeps outside `state` of its parameters is lost between two updates of a run."
        )
    return optimiser


def _counted(optimiser: torch.optim.Optimizer) -> dict[str, object]:
    """The numbers that an optimiser, what it holds, its classes and its groups have, and how long
    their lists and tables are, by where they are."""
    holders: dict[str, Mapping[str, Any]] = {"": vars(optimiser)}
    for name, part in vars(optimiser).items():
        holders[name] = getattr(part, "__dict__", {})
    for at, group in enumerate(optimiser.param_groups):
        holders[f"group {at}"] = group
    for kind in type(optimiser).__mro__:
        if not _is_of_torch(kind):
            holders[kind.__qualname__] = vars(kind)
    counted: dict[str, object] = {}
    for where, holder in holders.items():
        for name, value in holder.items():
            if name == "state" or name.startswith("_warned"):
                continue
            if isinstance(value, bool | int | float | str):
                counted[f"{where} {name}"] = value
            elif isinstance(value, list | dict | set):
                counted[f"{where} {name}"] = len(value), _numbers_in(value)
    return counted


def _is_of_torch(kind: type) -> bool:
    return kind is object or kind.__module__.partition(".")[0] == "torch"


def _numbers_in(table: Collection[Any]) -> list[float]:
    """The numbers among the entries of a list or table."""
    entries = table.values() if isinstance(table, dict) else table
    return [entry for entry in entries if isinstance(entry, int | float)]


def _differs_from_a_lasting_one(optimiser: TorchOptim) -> bool:
    """Whether `TRIED` updates differ from those of one optimiser of torch that lasts, on the same
    slopes.

    So they will, sooner or later, where it counts outside the `state` of its parameters.
    """
    generator = torch.Generator().manual_seed(0)
    shapes: Shapes = {"W": (3, 2), "V": (2, 1)}
    start = torch.randn(1, 8, generator=generator)
    slopes = torch.randn(TRIED, 1, 8, generator=generator)
    parts = [nn.Parameter(part.clone()) for part in parts_of(start[0], shapes).values()]
    numbers = optimiser.numbers(0)
    with torch.random.fork_rng(devices=[]):
        ours = start.clone()
        state = optimiser.init(ours, shapes)
        lasting = optimiser._optimiser(parts, numbers, 0)
        for slope in slopes:
            optimiser.update(ours, slope, state, numbers, shapes)
            _give_slopes(parts, slope[0].clone())
            lasting.step()
    theirs = torch.cat([part.detach().reshape(-1) for part in parts])
    return not torch.allclose(ours[0], theirs, rtol=1e-5, atol=1e-7)
