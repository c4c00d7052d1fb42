"""What is asked: a check that gives a reason, typical wrong answers, parameters that a variant
draws.

The texts stand beside a chapter's module, in a file of TOML: `[ex-06-clock.wrong]` and
`[ex-06-clock.reasons]`, or `[ex-06-own]` of an essay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from companion.project import current
from grokbook.errors import ParameterError, WrongAnswer, nearest, shown
from grokbook.files import beside

Mistakes = Iterator[tuple[Any, ...]]
"""What a check yields, a mistake at a time: whether it was made, the name of its reason, numbers
for the reason.

None in place of "made": at these parameters this wrong answer is right, too.
"""
Check = Callable[..., Mistakes]
Given = Mapping[str, Any]
"""Values of the parameters of an exercise, by name."""

DIGITS = 3
"""Significant digits to which a number is right; what counts something is right exactly."""

_ZERO = 1e-12
"""What is smaller than this is zero, and what is left of it comes from rounding on the machine."""

ROUGH = "rounded too far"
_ROUGH_REASON = (
    f"these are the right digits, but too few of them: give {DIGITS} significant digits."
)


@dataclass(frozen=True)
class Asked:
    """What a chapter's module says of one exercise; an essay has `points` of a marking key in place
    of a check.

    `wrong` maps the code of a typical wrong answer, which runs after the solution, to words that it
    must be told. `reasons` are whole sentences by name, in which parameters, `{p}`, and numbers of
    the check, `{0:.3g}`, are put. `draws` are the choices for parameters of the stub; `quick` are
    values of them with which a test runs it.
    """

    label: str
    check: Check | None = None
    wrong: Mapping[str, str] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)
    draws: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    quick: Given = field(default_factory=dict)
    points: tuple[str, ...] = ()

    @property
    def expected(self) -> str:
        """What an answer is, and to how many digits: the first line of the check's docstring; of an
        essay nothing."""
        said = (self.check and self.check.__doc__) or ""
        return " ".join(said.partition("\n\n")[0].split())

    def drawn(self, name: str) -> dict[str, Any]:
        """The parameters of the variant `name`: a hash of label, parameter and name picks from each
        list of choices.

        Example:
            >>> Asked("ex-a", draws={"p": (5, 7, 11)}).drawn("Ada")
            {'p': 5}
        """

        found = {}
        for parameter, choices in self.draws.items():
            digest = sha256(f"{self.label}\n{parameter}\n{name}".encode()).digest()
            found[parameter] = choices[int.from_bytes(digest[:8]) % len(choices)]
        return found


def exercise(
    label: str,
    *,
    draws: Mapping[str, Sequence[Any]] | None = None,
    quick: Given | None = None,
) -> Callable[[Check], Asked]:
    """Make the function below the check of the exercise `label`; the fields are those of `Asked`.

    It is called with the answers of the stub's last line and the parameters by name, and yields
    `Mistakes`: the first that was made is told, and what comes after it is not computed; where none
    was, the answer is right. The first line of its docstring says what an answer is, for pages,
    editions and messages; numbers are compared by `number` or `near`, and the line then ends with
    "to three digits".
    """
    return lambda check: Asked(
        label, check, draws=draws or {}, quick=quick or {}, **_texts().get(label, {})
    )


def essay(label: str) -> Asked:
    """An exercise that is answered in words."""
    return Asked(label, **_texts().get(label, {}))


@cache
def _files() -> Mapping[str, Mapping[str, Any]]:
    """What the file `exercises.toml` of each of the project's chapters has, by the module beside
    it."""
    project = current()
    package = project.package()
    paths: list[Path] = []
    for folder in project.folders():
        paths += folder.glob("*/exercises.toml")
    return {f"{package}.{path.parent.name}.exercises": beside(path) for path in sorted(paths)}


@cache
def _texts() -> Mapping[str, Mapping[str, Any]]:
    """By label what the chapters' files of texts have: `wrong` and `reasons`, or `points`."""
    found: dict[str, Mapping[str, Any]] = {}
    for texts in _files().values():
        found |= texts
    return found


@cache
def modules() -> Mapping[str, str]:
    """The name of the module of each exercise, by label. That of another chapter need not be loaded
    to check one."""
    found: dict[str, str] = {}
    for module, texts in _files().items():
        found |= dict.fromkeys(texts, module)
    return found


@cache
def asked(label: str) -> Asked:
    """What its chapter's module says of the exercise `label`.

    Raises ParameterError for an exercise that no module has.
    """
    if label not in modules():
        raise ParameterError(
            f"no exercise is called {shown(label)}; the nearest is {nearest(label, modules(), 0)}."
        )
    for found in vars(import_module(modules()[label])).values():
        if isinstance(found, Asked) and found.label == label:
            return found
    raise ParameterError(f"{modules()[label]} has words for {label} and does not check it.")


def check(label: str, *answers: Any, **given: Any) -> None:
    """Say that the answers to an exercise are right, or raise WrongAnswer with the reason.

    Example:
        >>> check("ex-06-clock", 400, steps=100, fit_step=400)
        Traceback (most recent call last):
        grokbook.errors.WrongAnswer: ex-06-clock: at the fit itself none of the fall is made yet.
    """
    about = asked(label)
    if about.check is None:
        raise ParameterError(
            f"{label} is answered in words; there is nothing to check by a program."
        )
    needed = f"Needed is: {about.expected}"
    if any(answer is ... for answer in answers):
        raise WrongAnswer(f"{label}: an answer is still `...`. {needed}")
    reasons = {ROUGH: _ROUGH_REASON, **about.reasons}
    try:
        for wrong, name, *values in about.check(*answers, **given):
            if wrong:
                raise WrongAnswer(f"{label}: {reasons[name].format(*values, **given)}")
    except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError) as error:
        raise WrongAnswer(f"{label}: this answer cannot be read ({error}). {needed}") from error
    print(f"{label}: right.")


def tolerance(right: Any) -> Any:
    """How far rounding to `DIGITS` significant digits moves numbers at most: half a unit of the
    last one, of each.

    Zero has `DIGITS` of them behind the point.

    Example:
        >>> float(tolerance(469.3147)), float(tolerance(0.25)), float(tolerance(0))
        (0.5, 0.0005, 0.0005)
    """
    size = np.abs(np.asarray(right, dtype=float))
    known = np.isfinite(size) & (size > _ZERO)
    return 0.5 * 10.0 ** (np.floor(np.log10(np.where(known, size, 0.1))) - DIGITS + 1)


def _numbers(value: Any, right: Any) -> tuple[Any, Any]:
    """Both as arrays of numbers; a table of one number is that number, a column its numbers."""
    given = np.asarray(value, dtype=float)
    wanted = np.asarray(right, dtype=float)
    return (given.reshape(wanted.shape) if given.size == wanted.size else given), wanted


def near(value: Any, right: Any, *, within: float = 0.0) -> bool:
    """Whether numbers, one or a sequence, are the right ones, rounded to `DIGITS` significant
    digits or not rounded.

    `within` is a tolerance that is larger than that of rounding: 1 for a step, of which both whole
    ones beside it are right, or the spread of an estimate.

    Example:
        >>> (
        ...     near(3.1415, 3.14159),
        ...     near(3.14, 3.14159),
        ...     near(3.1, 3.14159),
        ...     near(470, 469.3147, within=1),
        ... )
        (True, True, False, True)
    """
    given, wanted = _numbers(value, right)
    # half a digit is itself rounded by the machine
    allowed = np.maximum(tolerance(wanted), within) * (1 + 1e-6)
    return given.shape == wanted.shape and bool((np.abs(given - wanted) <= allowed).all())


def number(
    value: Any, right: Any, otherwise: str, *typical: tuple[str, Any], within: float = 0.0
) -> Mistakes:
    """What is wrong with an answer in numbers: nothing where it is `near` the right one, whatever
    else it is near.

    Args:
        value: the answer, a number or a sequence of numbers.
        right: the right one.
        otherwise: name of the reason of an answer that is no typical one.
        typical: names of reasons, each with the value of the typical wrong answer that it explains.
        within: as for `near`.
    """
    if near(value, right, within=within):
        for name, wrong in typical:
            if near(wrong, right, within=within):
                yield None, name
        return
    for name, wrong in typical:
        yield near(value, wrong), name
    yield too_rough(value, right), ROUGH
    yield True, otherwise


def too_rough(value: Any, right: Any) -> bool:
    """Whether numbers are the right ones, some of them rounded to one digit less than is asked
    for."""
    given, wanted = _numbers(value, right)
    if given.shape != wanted.shape:
        return False
    for one, full in zip(given.ravel(), wanted.ravel(), strict=True):
        if not near(one, full) and one != float(f"{full:.{DIGITS - 1}g}"):
            return False
    return True
