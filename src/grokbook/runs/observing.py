"""Runs that are watched: any function of the network, recorded at every logged step beside what
training logs."""

from __future__ import annotations

import dis
import hashlib
import io
import pickle
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np
import torch

from grokbook.errors import ParameterError
from grokbook.measures.complexity import network_complexity
from grokbook.measures.fourier_losses import (
    N_KEY,
    CyclicClasses,
    excluded_loss,
    key_frequencies,
    restricted_loss,
)
from grokbook.measures.representation import representation_quality
from grokbook.own_code import PACKAGES
from grokbook.runs.watched import Watched
from grokbook.theory.cyclic_classes import cyclic_classes
from grokbook.training.watching import View, preactivations
from grokbook.training.watching import Watch as Observer

COMPLEXITY_PAIRS = 64  # operand pairs about which local complexity is taken


def _waves(view: View, source: View) -> tuple[CyclicClasses, list[int]]:
    group = cyclic_classes(view.task)
    return group, key_frequencies(source.logits, group, min(N_KEY, group.order // 2))


def _restricted(view: View, source: View) -> float:
    return restricted_loss(view.logits, view.task.labels, *_waves(view, source))


def _excluded(view: View, source: View) -> float:
    return excluded_loss(
        view.logits, view.task.labels, *_waves(view, source), cells=view.task.train_index
    )


def _complexity(view: View) -> float:
    pairs = np.random.default_rng(0).integers(view.task.p, size=(COMPLEXITY_PAIRS, 2))

    def units(points: np.ndarray) -> np.ndarray:
        halves = torch.as_tensor(points, dtype=view.weights["W_E"].dtype).split(
            view.config.model.d_model, dim=1
        )
        with torch.no_grad():
            return preactivations(view.weights, view.config.model, *halves).numpy()

    return network_complexity(units, view.weights["W_E"], pairs + [0, view.task.shift])


OBSERVERS: dict[str, Observer] = {
    "restricted_loss": lambda view: _restricted(view, view.final or view),
    "restricted_loss_now": lambda view: _restricted(view, view),
    "excluded_loss": lambda view: _excluded(view, view.final or view),
    "excluded_loss_now": lambda view: _excluded(view, view),
    "local_complexity": _complexity,
    "representation_quality": lambda view: representation_quality(view.embedding),
}
"""The book's measures that training does not log itself; `_now` takes the key frequencies of the
same step."""

VERSION = 1  # of OBSERVERS: raised when what one of them computes changes


def listed_as(name: str) -> Callable[[Observer], Observer]:
    """Let an observer of the library go by a name of its own in the keys of records, on any Python,
    whatever its code.

    The name is another one once the observer computes something else.
    """

    def mark(observer: Observer) -> Observer:
        observer.listed_as = name
        return observer

    return mark


def observer_digest(observer: Observer) -> str:
    """16 hexadecimal digits of an observer's code and of what it takes from outside: another one,
    another experiment.

    Raises ParameterError for an observer that takes what cannot be written down, such as an open
    file.
    """
    try:
        return _digest(observer, ())
    except (TypeError, AttributeError, ValueError, pickle.PicklingError) as error:
        raise ParameterError(
            f"an observer may take numbers, arrays and functions from outside, not this: {error}."
        ) from None


def _digest(value: object, seen: tuple[object, ...]) -> str:
    _Spelling(stream := io.BytesIO(), seen).dump(value)
    return hashlib.sha256(stream.getvalue()).hexdigest()[:16]


class _Spelling(pickle.Pickler):
    """Writes the first function, and the reader's own that it uses, as what they do; modules and
    others by name."""

    def __init__(self, stream: io.BytesIO, seen: tuple[object, ...]) -> None:
        super().__init__(stream, protocol=4)
        self.seen = seen

    def persistent_id(self, value: object) -> object:
        if isinstance(value, ModuleType):
            return value.__name__
        if isinstance(value, set | frozenset):  # whose order is another one in each process
            return sorted(_digest(part, self.seen) for part in value)
        if isinstance(value, CodeType):
            return _digest((value.co_code, value.co_names, value.co_consts), self.seen)
        if not isinstance(value, FunctionType | type):
            return None
        if (
            value in self.seen
            or (self.seen or isinstance(value, type))
            and not _is_own(value.__module__)
        ):
            return f"{value.__module__}.{value.__qualname__}"
        return _digest(_used(value), (*self.seen, value))


def _is_own(module: str) -> bool:
    """Whether a module is a notebook's cell or a file of the reader's, not of Python, grokbook or
    what is installed."""
    file = getattr(sys.modules.get(module), "__file__", None) or ""
    return (
        module.partition(".")[0] not in {*sys.stdlib_module_names, *PACKAGES}
        and "-packages" not in file
    )


def _used(thing: FunctionType | type) -> object:
    """A function's code, globals, cells and defaults; a class's functions and constants."""
    if isinstance(thing, type):
        return {
            n: v
            for n, v in vars(thing).items()
            if isinstance(v, FunctionType | int | float | str | tuple)
        }
    names = {
        i.argval
        for part in _parts(thing.__code__)
        for i in dis.get_instructions(part)
        if i.opname in _LOADS
    }
    outside = {name: thing.__globals__[name] for name in sorted(names) if name in thing.__globals__}
    cells = [cell.cell_contents for cell in thing.__closure__ or ()]
    return thing.__code__, outside, cells, thing.__defaults__, thing.__kwdefaults__


_LOADS = ("LOAD_GLOBAL", "LOAD_NAME")


def _parts(code: CodeType) -> list[CodeType]:
    """A function's code and that of the functions inside it."""
    return [
        code,
        *(found for part in code.co_consts if isinstance(part, CodeType) for found in _parts(part)),
    ]


@dataclass(frozen=True)
class Observed(Watched):
    """An experiment that also records measures of the network at every logged step, each a variable
    (seed, step).

    `observers` maps names to functions of a `View`; the book's own (`OBSERVERS`) are always there.
    A measure is NaN where it refuses its input.

    Raises ParameterError for a name that a run already logs, or that is no identifier.
    """

    observers: Mapping[str, Observer] = field(default_factory=dict, compare=False)
    listed_as = "observed"
    look_seconds = 0.06  # measured, of all observers at the sizes of the chapter on them

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, observer in self.observers.items():
            if not name.isidentifier() or name in OBSERVERS or not callable(observer):
                raise ParameterError(
                    f"observer {name!r} must be a function under a new name made of letters, digits"
                    " and _."
                )

    def listed(self) -> dict[str, Any]:
        """The names of the measures with the version of the book's, the reader's own with a digest
        (or `listed_as`)."""
        known = self.observers.items()
        own = {
            name: getattr(observer, "listed_as", None) or observer_digest(observer)
            for name, observer in known
        }
        return dict.fromkeys(OBSERVERS, VERSION) | own

    @property
    def watched(self) -> Mapping[str, Observer]:
        """The book's observers and the reader's own."""
        return OBSERVERS | dict(self.observers)
