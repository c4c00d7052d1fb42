"""The errors a user can meet. Each message is one sentence that names the value and the rule it breaks."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher
from numbers import Integral, Real
from os.path import commonprefix

LONGEST_SHOWN = 60
"""A message shows at most so many characters of a value."""


class GrokbookError(Exception):
    """Base of every error grokbook raises on purpose; its message is written for the person at the keyboard."""


class ParameterError(GrokbookError, ValueError):
    """A name, type, value or pair of values was refused before anything was computed."""


class TrainingError(GrokbookError, RuntimeError):
    """Training could not go on; `history` holds what was logged until then (or is None)."""

    def __init__(self, message: str, history: object = None) -> None:
        super().__init__(message)
        self.history = history


class RecordError(GrokbookError, RuntimeError):
    """A record could not be written, read or verified."""


class ChapterError(GrokbookError, RuntimeError):
    """A chapter could not be read, executed or built."""


class WrongAnswer(GrokbookError):
    """An answer to an exercise is not right; the message is the reason. A notebook shows it without a traceback."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


def nearest(name: str, choices: Iterable[str], likeness: float = 0.6) -> str | None:
    """The choice most like `name`, capitals aside, or None where none is that alike (0: not at all, 1: equal).

    Of equally similar ones the one that begins like it.
    """

    def alike(other: str) -> tuple[float, int]:
        pair = name[:LONGEST_SHOWN].lower(), other.lower()
        return SequenceMatcher(None, *pair).ratio(), len(commonprefix(pair))

    best = max(choices, key=alike, default=None)
    return best if best is not None and alike(best)[0] >= likeness else None


def shown(value: object) -> str:
    """A value as a message shows it: its repr, of a long one the beginning and the end."""
    text, half = repr(value), (LONGEST_SHOWN - 3) // 2
    return text if len(text) <= LONGEST_SHOWN else f"{text[: half + 1]}...{text[-half:]}"


def line(value: object) -> str:
    """The text of a value on one line: line breaks and control characters become spaces.

    >>> line("a\\n\\n:::\\x1b[31m b")
    'a ::: [31m b'
    """
    return " ".join("".join(c if c.isprintable() else " " for c in str(value)).split())


def check_share(owner: object, name: str) -> None:
    """Refuse a field that is no number from 0 to 1: ParameterError naming field, value and rule."""
    value = getattr(owner, name)
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= value <= 1:
        raise ParameterError(f"{name} = {shown(value)} must be a number between 0 and 1.")


def check_integers(owner: object, **least: int) -> None:
    """Refuse fields of a frozen dataclass that are no integers of at least the given values; the others become `int`.

    Raises ParameterError naming field, value and rule.
    """
    for name, low in least.items():
        value = getattr(owner, name)
        if isinstance(value, bool) or not isinstance(value, Integral) or value < low:
            raise ParameterError(f"{name} = {value!r} must be an integer of {low} or more.")
        object.__setattr__(owner, name, int(value))
