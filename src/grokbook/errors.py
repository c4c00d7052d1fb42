"""The errors a user can meet. Each message is one sentence that names the value and the rule it
breaks."""

from __future__ import annotations

import inspect
import operator
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from difflib import SequenceMatcher
from functools import wraps
from numbers import Integral, Real
from os.path import commonprefix
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    import xarray as xr

Called = TypeVar("Called", bound=Callable[..., Any])

LONGEST_SHOWN = 60
"""A message shows at most so many characters of a value."""


class GrokbookError(Exception):
    """Base of every error grokbook raises on purpose; its message is written for the person at the
    keyboard."""


class ParameterError(GrokbookError, ValueError):
    """A name, type, value or pair of values was refused before anything was computed."""


class TrainingError(GrokbookError, RuntimeError):
    """Training could not go on; `history` holds what was logged until then (or is None)."""

    def __init__(self, message: str, history: xr.Dataset | None = None) -> None:
        super().__init__(message)
        self.history = history


class RecordError(GrokbookError, RuntimeError):
    """A record could not be written, read or verified."""


class ChapterError(GrokbookError, RuntimeError):
    """A chapter could not be read, executed or built."""


class WrongAnswer(GrokbookError):
    """An answer to an exercise is not right; the message is the reason. A notebook shows it without
    a traceback."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


def nearest(name: str, choices: Iterable[str], likeness: float = 0.6) -> str | None:
    """The choice most like `name`, capitals aside, or None where none is that alike (0: not at all,
    1: equal).

    Of equally similar ones the one that begins like it.
    """

    def alike(other: str) -> tuple[float, int]:
        pair = name[:LONGEST_SHOWN].lower(), other.lower()
        return SequenceMatcher(None, *pair).ratio(), len(commonprefix(pair))

    best = max(choices, key=alike, default=None)
    return best if best is not None and alike(best)[0] >= likeness else None


def nearest_primes(n: int) -> tuple[int, ...]:
    """The primes next to n: the largest below it (where there is one) and the smallest above it.

    Example:
        >>> nearest_primes(57), nearest_primes(2)
        ((53, 59), (3,))
    """
    import sympy  # takes most of a second

    above = (int(sympy.nextprime(max(n, 1))),)
    return (int(sympy.prevprime(n)), *above) if n > 2 else above


OTHER_WORDS = {
    "betas": ("beta1", "beta2"),
    "lr": ("learning_rate",),
    "learning_rate": ("lr",),
    "wd": ("weight_decay",),
    "decay": ("weight_decay",),
    "l2": ("weight_decay",),
    "momentum": ("beta1",),
    "beta1": ("momentum",),
    "epochs": ("steps",),
    "iterations": ("steps",),
    "seed": ("seeds", "split_seed"),
    "random_state": ("seed", "seeds"),
    "criterion": ("loss",),
    "net": ("model",),
    "network": ("model",),
    "dataset": ("task",),
    "data": ("task", "inputs"),
    "X": ("inputs",),
    "x": ("inputs",),
    "y": ("targets",),
    "labels": ("targets",),
    "train_size": ("train_fraction",),
    "callbacks": ("watch",),
    "num_workers": ("workers",),
    "n_jobs": ("workers",),
    "verbose": ("progress",),
    "modulus": ("p",),
    "hidden": ("width", "d_model", "sizes"),
    "hidden_size": ("width", "d_model", "sizes"),
    "layers": ("n_layers", "sizes"),
    "dim": ("d_model",),
    "nhead": ("n_heads",),
    "num_layers": ("n_layers",),
    "mse": ("squared_error",),
    "mse_loss": ("squared_error",),
    "MSELoss": ("squared_error",),
    "CrossEntropyLoss": ("cross_entropy",),
}
"""Words of torch and of other libraries, and what they are called here."""


def meant(name: str, choices: Collection[str]) -> str:
    """What a name means among choices: by `OTHER_WORDS`, else the nearest one; "" where nothing is.

    Example:
        >>> meant("betas", ["lr", "beta1", "beta2"]), meant("optimiser", ["optimizer"])
        ('beta1, beta2', 'optimizer')
    """
    known = [word for word in OTHER_WORDS.get(name, ()) if word in choices]
    return ", ".join(known) or nearest(name, choices) or ""


def unknown(name: str, value: object, of: str, choices: Collection[str]) -> ParameterError:
    """The error for an argument that something has not: its value, and what was meant or there is.

    Example:
        >>> str(unknown("wd", 1, "AdamW", ["lr", "weight_decay"]))
        'wd = 1 is no argument of AdamW; did you mean weight_decay?'
    """
    near = meant(name, choices)
    hint = f"did you mean {near}?" if near else f"it takes {', '.join(choices) or 'none'}."
    return ParameterError(f"{line(name)} = {shown(value)} is no argument of {of}; {hint}")


def checked_call(called: Called) -> Called:
    """A function or class that refuses arguments which it does not take, or of another kind, in a
    sentence.

    A call of a function is looked at once it has failed, so that a good one costs nothing; a class
    of settings has no field of another kind than it says.

    Example:
        >>> @checked_call
        ... def train(steps): ...
        >>> train(step=3)
        Traceback (most recent call last):
        grokbook.errors.ParameterError: step = 3 is no argument of train; did you mean steps?
    """
    decorated: Any = called
    is_class = isinstance(called, type)
    function = decorated.__init__ if is_class else called
    kinds, bound = _kinds(function), int(is_class)

    @wraps(function)
    def call(*given: Any, **named: Any) -> Any:
        try:
            value = function(*given, **named)
        # of a part that it makes, whose words are others: lr is learning_rate
        except GrokbookError as error:
            refused = None
            if not str(error).startswith(tuple(f"{name} =" for name in kinds)):
                refused = _of_another_kind(kinds, given[bound:], named)
            if refused is None:
                raise
        # torch has a RuntimeError for what others call a TypeError
        except (
            TypeError,
            AttributeError,
            ValueError,
            LookupError,
            ArithmeticError,
            RuntimeError,
        ):
            refused = _misfit(function, called.__name__, given, named)
            refused = refused or _of_another_kind(kinds, given[bound:], named)
            if refused is None:
                raise
        else:
            refused = _of_another_kind(kinds, given[bound:], named) if is_class else None
            if refused is None:
                return value
        raise refused

    if not is_class:
        return cast(Called, call)
    decorated.__init__ = call
    return called


_RULES = {
    "float": "a number",
    "int": "a whole number",
    "str": "a text",
    "bool": "True or False",
    "tuple": "a tuple",
}
_RULES |= {
    "Path": "a path",
    "Dataset": "a Dataset",
    "DataFrame": "a DataFrame",
    "Mapping": "values by their names",
    "Iterable": "several values",
    "Sequence": "a list",
    "Tensor": "a tensor",
    "Network": "a network, with shapes, draw and forward",
    "RunConfig": "a RunConfig",
    "Shape": "a Transformer",
    "Schedule": "a Schedule",
    "StopRule": "a StopRule",
    "PhaseRule": "a PhaseRule",
    "Store": "a Store",
    "ReadAtEnd": "a function of a run and its parameters",
}
"""The kinds of arguments that are held against what is given, by the last word of their annotation,
in words."""


def _kinds(function: Callable[..., Any]) -> dict[str, tuple[str, ...]]:
    """The kinds that an argument may have, by its name, in order; () where any will do.

    Example:
        >>> def made(p: int, shape: tuple[int, ...] | None, task: Any): ...
        >>> _kinds(made)
        {'p': ('int',), 'shape': ('tuple', 'None'), 'task': ()}
    """
    kinds = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if name == "self" or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        parts = re.split(r" \| (?![^\[]*\])", str(parameter.annotation))
        words = tuple(part.split("[")[0].rpartition(".")[2] for part in parts)
        kinds[name] = words if set(words) <= {*_RULES, "None"} else ()
    return kinds


def _of_another_kind(
    kinds: Mapping[str, tuple[str, ...]], given: tuple[Any, ...], named: Mapping[str, Any]
) -> ParameterError | None:
    """Why an argument is of another kind than it may be; None where all are what they may be."""
    for name, value in (*zip(kinds, given, strict=False), *named.items()):
        wanted = kinds.get(name)
        if wanted and not any(_is_of(kind, value) for kind in wanted):
            rule = " or ".join(_RULES.get(kind, kind) for kind in wanted)
            return ParameterError(f"{name} = {shown(value)} must be {rule}.")
    return None


def _is_of(kind: str, value: Any) -> bool:
    """Whether a value is of a kind; True is no number, and neither is what a float cannot hold."""
    if kind == "None":
        return value is None
    if kind == "str":
        return isinstance(value, str)
    if kind == "bool":
        return isinstance(value, bool) or type(value).__name__ == "bool_"
    if kind == "ReadAtEnd":
        return callable(value)
    if kind == "Network":
        methods = (getattr(value, name, None) for name in ("shapes", "draw", "forward"))
        return not isinstance(value, type) and all(map(callable, methods))
    if kind == "Iterable":
        return isinstance(value, Iterable) and not isinstance(value, str | bytes)
    if kind not in ("int", "float", "tuple", "Sequence"):
        named = {base.__name__ for base in type(value).__mro__}
        return isinstance(value, Mapping) if kind == "Mapping" else kind in named
    if kind in ("tuple", "Sequence"):
        several = isinstance(value, Sequence) or getattr(value, "ndim", 0) > 0
        return several and not isinstance(value, str | bytes)
    if isinstance(value, bool) or not isinstance(value, Integral if kind == "int" else Real):
        return False
    with suppress(OverflowError):
        return float(value) is not None
    return False


def _misfit(
    function: Callable[..., Any], name: str, given: tuple[Any, ...], named: Mapping[str, Any]
) -> ParameterError | None:
    """Why a function cannot be called with these arguments; None where it can."""
    signature = inspect.signature(function)
    try:
        signature.bind(*given, **named)
        return None
    except TypeError as error:
        takes = []
        for parameter in signature.parameters.values():
            if parameter.name != "self" and parameter.kind is not parameter.VAR_KEYWORD:
                takes.append(parameter.name)
        for argument, value in named.items():
            if argument not in takes:
                return unknown(argument, value, name, takes)
        return ParameterError(f"{name} cannot be called so, {error}; it takes {', '.join(takes)}.")


def shown(value: object) -> str:
    """A value as a message shows it: its repr in a line, of a long one the beginning and the end.

    >>> shown([1, 2]), shown("x" * 99)
    ('[1, 2]', "'xxxxxxxxxxxxxxxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxxxxxxxxxxx'")
    """
    text = repr(value)
    if not text.isprintable():  # that of a table has many lines
        text = line(text)
    half = (LONGEST_SHOWN - 3) // 2
    return text if len(text) <= LONGEST_SHOWN else f"{text[: half + 1]}...{text[-half:]}"


def line(value: object) -> str:
    """The text of a value on one line: line breaks and control characters become spaces.

    >>> line("a\\n\\n:::\\x1b[31m b")
    'a ::: [31m b'
    """
    return " ".join("".join(c if c.isprintable() else " " for c in str(value)).split())


def check_choice(name: str, value: str, choices: Collection[str]) -> str:
    """The value, refused where it is none of the choices: ParameterError naming it and them."""
    if value not in list(choices):
        raise ParameterError(
            f"{name} = {shown(value)} is unknown; choose one of {', '.join(choices)}."
        )
    return value


def check_positive(owner: object, name: str) -> None:
    """Refuse a field that is no positive, finite number: ParameterError naming field and value."""
    value = getattr(owner, name)
    if not 0 < value < float("inf"):
        raise ParameterError(f"{name} = {shown(value)} must be a positive number.")


def check_share(owner: object, name: str) -> None:
    """Refuse a field that is no number from 0 to 1: ParameterError naming field, value and rule."""
    value = getattr(owner, name)
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= 1:
        raise ParameterError(f"{name} = {shown(value)} must be a number between 0 and 1.")


def check_integers(owner: object, **least: int) -> None:
    """Refuse fields of a frozen dataclass that are no integers of at least the given values; the
    others become `int`.

    Raises ParameterError naming field, value and rule.
    """
    for name, low in least.items():
        value = getattr(owner, name)
        if isinstance(value, bool) or not isinstance(value, Integral) or value < low:
            raise ParameterError(f"{name} = {shown(value)} must be an integer of {low} or more.")
        object.__setattr__(owner, name, int(value))


def check_whole_numbers(owner: object, name: str) -> None:
    """Refuse a field of a frozen dataclass that is no sequence of whole numbers; it becomes a tuple
    of `int`.

    Raises ParameterError naming field, value and rule.
    """
    value = getattr(owner, name)
    try:
        object.__setattr__(owner, name, tuple(map(operator.index, value)))
    except TypeError:
        raise ParameterError(f"{name} = {shown(value)} must be whole numbers.") from None
