"""What a check finds: a verdict, a value with its band, named numbers; and the words for counts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from grokbook.errors import ParameterError

VERDICTS = (
    "holds",
    "holds with correction",
    "needs an assumption",
    "vacuous",
    "fails",
    "informal",
    "undecided",
    "not run",
)
UNDECIDED = "undecided"
ENOUGH = 3
"""Seeds from which runs may bear out a statement. One run is enough to refute a statement about
every run."""

Says = str | Mapping[str, str]
Part = bool | None
"""A part of a statement: true, false, or not known from what is recorded."""


@dataclass(frozen=True)
class Finding:
    """What a check found: a verdict, our number with its band, and the evidence in a sentence.

    `value` is the number the verdict rests on (None where nothing decides), `low` and `high` its
    band (the range over seeds, or a tolerance), `published` the paper's number where there is one,
    `runs` how many recorded runs it rests on. `numbers` are the named numbers of the sentence: a
    claim with a template fills `evidence` from them. `stands` counts a statement's parts that are
    as printed and all of them, where it has several; `at` is the verdict at each other bar of the
    claim.

    Raises ParameterError for a verdict that there is not.
    """

    verdict: str
    evidence: str = ""
    value: float | None = None
    low: float | None = None
    high: float | None = None
    published: str = ""
    runs: int = field(default=0, compare=False)
    numbers: Mapping[str, Any] = field(default_factory=dict, compare=False)
    stands: tuple[int, int] = field(default=(0, 0), compare=False)
    at: Mapping[str, str] = field(default_factory=dict, compare=False)

    @property
    def mixed(self) -> bool:
        """Whether some parts of the statement are as printed and others are not."""
        return self.verdict == "fails" and 0 < self.stands[0] < self.stands[1]

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise ParameterError(
                f"verdict = {self.verdict!r} is unknown; choose one of {', '.join(VERDICTS)}."
            )

    def told(self, says: Says) -> Finding:
        """The finding with its evidence: `says` filled with its numbers; as it is where it has
        evidence already.

        `says` is a template: a text, or one a verdict ("" for the others).
        """
        if self.evidence or not says:
            return self
        template = says if isinstance(says, str) else says.get(self.verdict, says.get("", ""))
        bars = ", ".join(f"at {bar} {verdict}" for bar, verdict in self.at.items())
        if bars and "{bars}" not in template:
            template += " (other bars: {bars})"
        evidence = template.format(**(vars(self) | {"bars": bars} | dict(self.numbers))).strip()
        if self.mixed:
            evidence += f"; {self.stands[0]} of {self.stands[1]} parts are as printed"
        return replace(self, evidence=evidence)


def judge(
    *parts: Part,
    corrected: Part = False,
    assumed: Part = False,
    anything: Part = False,
    elsewhere: bool = False,
    value: Any = None,
    low: Any = None,
    high: Any = None,
    **numbers: Any,
) -> Finding:
    """The finding on a statement of these parts, each as printed true, false or not known, with the
    numbers it rests on; its word is that of the rule (`verdicts.RULE`), in order. A truth or number
    may be NumPy's, or an array of no dimension.

    `corrected` is whether it is true with a change that keeps its conclusion, `assumed` whether it
    is with a hypothesis that the paper's own setting meets, `anything` whether what has nothing to
    do with it has all parts too; `elsewhere` says that the runs differ from the paper's in what the
    paper does not print.

    Example:
        >>> judge(True).verdict, judge(True, None).verdict, judge(False, corrected=True).verdict
        ('holds', 'undecided', 'holds with correction')
    """
    stands = (sum(map(bool, parts)), len(parts))
    verdict = _word(parts, corrected, assumed, anything, elsewhere)
    plain = {name: _plain(number) for name, number in numbers.items()}
    return Finding(
        verdict, "", _plain(value), _plain(low), _plain(high), numbers=plain, stands=stands
    )


def _plain(number: Any) -> Any:
    """Python's number in place of NumPy's, and of an array of no dimension; else what it is."""
    return number.item() if getattr(number, "shape", None) == () else number


def _word(
    parts: tuple[Part, ...], corrected: Part, assumed: Part, anything: Part, elsewhere: bool
) -> str:
    if False not in parts:
        if not parts or None in (*parts, anything):
            return UNDECIDED
        return "vacuous" if anything else "holds"
    if corrected:
        return "holds with correction"
    if corrected is not None and assumed:
        return "needs an assumption"
    return UNDECIDED if elsewhere or None in (corrected, assumed) else "fails"


def of_companions(found: Finding) -> Finding:
    """What runs at another size than the paper's find of a sentence about its own: told, and
    undecided.

    They neither bear it out nor refute it; the word that they would have is the number
    `companions`.

    Example:
        >>> of_companions(judge(True)).verdict, of_companions(judge(True)).numbers
        ('undecided', {'companions': 'holds'})
    """
    return replace(found, verdict=UNDECIDED, numbers={**found.numbers, "companions": found.verdict})


def enough(*data: xr.Dataset | pd.DataFrame | None, least: int = ENOUGH) -> bool:
    """Whether each of these, a dataset (dim `seed`), a table (a row a run) or None, holds at least
    `least` runs.

    Example:
        >>> enough(None), enough(pd.DataFrame({"grok_step": [1, 2, 3]}))
        (False, True)
    """
    for each in data:
        if each is None:
            return False
        count = len(each) if isinstance(each, pd.DataFrame) else each.sizes["seed"]
        if count < least:
            return False
    return True


def some(count: int, of: int) -> str:
    """A count of runs as words that stand before a plural.

    Example:
        >>> some(0, 3), some(2, 3), some(3, 3)
        ('none of 3', '2 of 3', 'all 3')
    """
    if not count:
        return f"none of {of}"
    return f"all {of}" if count == of else f"{count} of {of}"


def some_of(flags: pd.Series | np.ndarray) -> str:
    """How many of these flags are true, as `some` words it; a missing one is not.

    Example:
        >>> some_of(pd.Series([True, False, True]))
        '2 of 3'
    """
    return some(int(flags.sum()), len(flags))


def decided(yes: bool, no: bool) -> Part:
    """A part of a statement: True where it is seen, False where the opposite is, None where neither
    is.

    Example:
        >>> decided(True, False), decided(False, True), decided(False, False)
        (True, False, None)
    """
    if yes:
        return True
    return False if no else None


def most(flags: Iterable[Part]) -> Part:
    """True where most runs have it, false where most have not; unknown for fewer than three.

    A missing flag, as of a run that ended before it could be seen, may be either: it must not
    matter which.

    Example:
        >>> most([True, True, False]), most([True]), most([True, None, False])
        (True, None, None)
    """
    given = list(flags)
    known = [bool(flag) for flag in given if not pd.isna(flag)]
    could = sum(known) + len(given) - len(known)
    if len(given) < ENOUGH or 2 * sum(known) <= len(given) < 2 * could:
        return None
    return 2 * sum(known) > len(given)


def reaches(values: pd.Series, least: float) -> Part:
    """True where most values are `least` or more, False where most are a tenth of it or less; else
    not known.

    Example:
        >>> large, small = pd.Series([2.0, 1.0, None, 3.0]), pd.Series([0.1, 0.0, 0.0])
        >>> reaches(large, 1), reaches(large, 2), reaches(small, 1)
        (True, None, False)
    """
    is_known = values.notna()
    large = most((values >= least).where(is_known))
    small = most((values <= least / 10).where(is_known))
    return decided(large is True, small is True)


def agreed(answers: Collection[Part]) -> Part:
    """The answer that all of these give; None where they differ, and where there is none.

    Example:
        >>> agreed([True, True]), agreed([True, False]), agreed([])
        (True, None, None)
    """
    kinds = set(answers)
    return kinds.pop() if len(kinds) == 1 else None


def band(values: Iterable[float]) -> dict[str, float]:
    """The number and the band that `judge` is given of some values: their median, the smallest and
    the largest.

    Example:
        >>> band([3.0, 1.0, 2.0])
        {'value': 2.0, 'low': 1.0, 'high': 3.0}
    """
    series = pd.Series(values, dtype=float)
    ends = {"low": float(series.min()), "high": float(series.max())}
    return {"value": float(series.median()), **ends}
