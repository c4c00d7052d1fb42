"""What is asked: a check that gives a reason, typical wrong answers, parameters that a variant draws.

The texts stand beside a chapter's module, in a file of TOML: `[ex-06-clock.wrong]` and `[ex-06-clock.reasons]`, or
`[ex-06-own]` of an essay.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

from grokbook.errors import ParameterError, WrongAnswer, nearest, shown
from grokbook.files import beside

Mistakes = Iterator[tuple[Any, ...]]
"""What a check yields, a mistake at a time: whether it was made, the name of its reason, numbers for the reason."""
Check = Callable[..., Mistakes]
_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Asked:
    """What a chapter's module says of one exercise; an essay has `points` of a marking key in place of a check.

    `wrong` maps the code of a typical wrong answer, which runs after the solution, to words that it must be told.
    `reasons` are whole sentences by name, in which parameters, `{p}`, and numbers of the check, `{0:.3g}`, are put.
    `draws` are the choices for parameters of the stub; `quick` are values of them with which a test runs it.
    """

    label: str
    check: Check | None = None
    wrong: Mapping[str, str] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)
    draws: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    quick: Mapping[str, Any] = field(default_factory=dict)
    points: tuple[str, ...] = ()

    def drawn(self, name: str) -> dict[str, Any]:
        """The parameters of the variant `name`: a hash of label, parameter and name picks from each list of choices.

        Example:
            >>> Asked("ex-a", draws={"p": (5, 7, 11)}).drawn("Ada")
            {'p': 5}
        """

        def number(parameter: str) -> int:
            return int.from_bytes(sha256(f"{self.label}\n{parameter}\n{name}".encode()).digest()[:8])

        return {one: choices[number(one) % len(choices)] for one, choices in self.draws.items()}


def exercise(
    label: str, *, draws: Mapping[str, Sequence[Any]] | None = None, quick: Mapping[str, Any] | None = None
) -> Callable[[Check], Asked]:
    """Make the function below the check of the exercise `label`; the fields are those of `Asked`.

    It is called with the answers of the stub's last line and the parameters by name, and yields `Mistakes`: the first
    that was made is told, and what comes after it is not computed; where none was, the answer is right. The first line
    of its docstring says what an answer is.
    """
    return lambda check: Asked(label, check, draws=draws or {}, quick=quick or {}, **_texts().get(label, {}))


def essay(label: str) -> Asked:
    """An exercise that is answered in words."""
    return Asked(label, **_texts().get(label, {}))


@cache
def _texts() -> Mapping[str, Mapping[str, Any]]:
    """By label what the chapters' files of texts have: `wrong` and `reasons`, or `points`."""
    return {label: texts for path in _HERE.glob("*.toml") for label, texts in beside(path).items()}


@cache
def every() -> Mapping[str, Asked]:
    """What the modules of all chapters ask, by label."""
    modules = [import_module(f"grokbook.exercises.{path.stem}") for path in sorted(_HERE.glob("*.toml"))]
    return {one.label: one for module in modules for one in vars(module).values() if isinstance(one, Asked)}


def asked(label: str) -> Asked:
    """What its chapter's module says of the exercise `label`.

    Raises ParameterError for an exercise that no module has.
    """
    if label not in every():
        raise ParameterError(f"no exercise is called {shown(label)}; the nearest is {nearest(label, every(), 0)}.")
    return every()[label]


def check(label: str, *answers: Any, **given: Any) -> None:
    """Say that the answers to an exercise are right, or raise WrongAnswer with the reason.

    Example:
        >>> check("ex-06-clock", 400, steps=100, fit_step=400)
        Traceback (most recent call last):
        grokbook.errors.WrongAnswer: ex-06-clock: at the fit itself none of the fall is made yet.
    """
    one = asked(label)
    if one.check is None:
        raise ParameterError(f"{label} is answered in words; there is nothing to check by a program.")
    expected = (one.check.__doc__ or "").partition("\n")[0]
    if any(answer is ... for answer in answers):
        raise WrongAnswer(f"{label}: an answer is still `...`. Needed is: {expected}")
    try:
        made = ((name, values) for wrong, name, *values in one.check(*answers, **given) if wrong)
        reason = next((one.reasons[name].format(*values, **given) for name, values in made), None)
    except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError) as error:
        raise WrongAnswer(f"{label}: this answer cannot be read ({error}). Needed is: {expected}") from error
    if reason is not None:
        raise WrongAnswer(f"{label}: {reason}")
    print(f"{label}: right.")


def near(value: Any, right: float, tolerance: float = 1e-3) -> bool:
    """Whether a number is the right one up to a relative `tolerance` (absolute where the right one is below 1).

    Example:
        >>> near(3.1415, 3.14159), near(3.2, 3.14159)
        (True, False)
    """
    return math.isclose(float(value), right, rel_tol=tolerance, abs_tol=tolerance if abs(right) < 1 else 0)
