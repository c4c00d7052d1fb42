"""Editions: the exercises of chosen chapters in a folder, for each student with parameters and a key of their own."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Number
from pathlib import Path
from typing import Any

import numpy as np

from grokbook.errors import ChapterError, ParameterError, shown
from grokbook.exercises.asked import asked, near
from grokbook.exercises.attempted import run
from grokbook.exercises.form import Exercise, read
from grokbook.files import PLAIN, given, inside, is_plain, no_formula, whole_folder
from grokbook.page import sources
from grokbook.page.sources import Chapter
from grokbook.teach import worksheet

TRIES = 1_000
"""How often a student's parameters are drawn again, so that no two of a class share an answer."""
_COLUMNS = ("name", "exercise", "parameters", "answer")
SLOW = "it trains or repeats; ask with --full-key"
"""What a key says in place of an answer that it does not compute unasked."""


@dataclass(frozen=True)
class Drawn:
    """One exercise of one student: its parameters, and its answers where they were computed."""

    name: str
    exercise: Exercise
    given: Mapping[str, Any]
    answers: tuple[Any, ...] | None


def chosen(root: Path, chapters: str | None) -> list[tuple[Chapter, list[Exercise]]]:
    """The chapters of a list such as `01,06`, all that have exercises without one, with their exercises.

    Raises ParameterError for an unknown chapter and for one without exercises that can be checked.
    """
    wanted = [part for part in (chapters or "").split(",") if part.strip()]
    found = [sources.find(root, part) for part in wanted] if wanted else sources.load_all(root)
    pairs = [(chapter, read(chapter.source)) for chapter in {one.name: one for one in found}.values()]
    for chapter, exercises in pairs:
        if wanted and not exercises:
            raise ParameterError(f"{chapter.label} has no exercises with a check, so there is nothing to hand out.")
    return [(chapter, exercises) for chapter, exercises in pairs if exercises]


LARGEST = 1_000_000
"""Bytes of a class that are read: ten thousand names and their columns."""


def names_in(path: Path) -> list[str]:
    """The names of a class: the column `name` of a CSV file.

    Raises ParameterError for a file that cannot be read, has no such column or no name, or has one twice or one that
    cannot name a folder.
    """
    try:
        content = given(path, LARGEST)
        rows = list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ParameterError(f"{path} cannot be read as a CSV file: {error}.") from None
    if len(content) > LARGEST:
        raise ParameterError(f"{path} has more than {LARGEST:,} bytes, so it is no list of a class.")
    if not rows or "name" not in rows[0]:
        raise ParameterError(f"{path} needs a first line with a column `name`, and a student on each line below.")
    names = [(row["name"] or "").strip() for row in rows]
    for at, name in enumerate(names):
        refuse_name(name)
        if name.casefold() in (one.casefold() for one in names[:at]):
            raise ParameterError(f"{path} has the name {shown(name)} twice; a variant needs a name of its own.")
    return names


def refuse_name(name: str) -> None:
    """Refuse a name that cannot be a folder's: ParameterError."""
    if not is_plain(name):
        raise ParameterError(f"{shown(name)} cannot name a variant; a name has {PLAIN}.")


def draw(exercises: Iterable[Exercise], names: Sequence[str], full: bool, tell: Callable[[str], Any]) -> list[Drawn]:
    """Parameters and answers of every exercise for each name; no two names share the answers of an exercise.

    A name draws by itself; only where its answers are those of an earlier name, it draws again (`name #2`). Answers of
    slow exercises are computed if `full`; otherwise their parameters differ.

    Raises ChapterError where an exercise has too few choices for so many names.
    """
    made: list[Drawn] = []
    for exercise in exercises:
        one, taken = asked(exercise.label), []
        tell(f"{exercise.label}: {len(names) or 1} of them")
        for name in names or ("",):
            computed = not exercise.essay and (full or not one.quick)
            for again in range(TRIES):
                given = one.drawn(f"{name} #{again + 1}" if again else name) if name else {}
                answers = _answers(exercise, given) if computed else None
                seen = tuple(given.values()) if answers is None else answers
                if not one.draws or not any(alike(seen, other) for other in taken):
                    break
            else:
                raise ChapterError(f"{exercise.label} has too few choices for {len(names)} students to differ.")
            taken.append(seen)
            made.append(Drawn(name, exercise, given, answers))
    return made


def _answers(exercise: Exercise, given: Mapping[str, Any]) -> tuple[Any, ...]:
    names = run(exercise, given)
    return tuple(plain(names[text]) for text in exercise.answers())


def plain(value: Any) -> Any:
    """An answer as a key has it: numpy's values as Python's, of what is no plain value its type."""
    value = value.tolist() if isinstance(value, np.ndarray | np.generic) else value
    return value if isinstance(value, Number | str | list | tuple | dict | set | None) else type(value).__name__


def alike(one: Any, other: Any) -> bool:
    """Whether two answers would pass for each other: numbers up to a thousandth, the rest when equal.

    Example:
        >>> alike([1.0, "a"], [1.0001, "a"]), alike({"p": 2}, {"p": 3})
        (True, False)
    """
    if isinstance(one, Number) and isinstance(other, Number) and not isinstance(one, complex):
        return near(one, float(other))  # type: ignore[arg-type]
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(alike, one, other))
    return repr(one) == repr(other)


def write(
    root: Path,
    out: Path,
    *,
    keyed: bool,
    chapters: str | None = None,
    names: Sequence[str] = (),
    full: bool = False,
    tell: Callable[[str], Any] = lambda text: None,
) -> int:
    """Write an edition to the folder `out` and give the number of its notebooks.

    `out/[NAME/]NN_name/` has `NN_name.ipynb`, `NN_name.md` and `tests/`; `out/key.csv` the parameters and answers of
    everybody. With `keyed` that folder is a source of nbgrader, which hands out what lies in it and takes out marked
    solutions alone; with all keys, beside it, are `NN_name.md`, and `otter/NN_name.ipynb` for `otter assign`. The
    folder `out` appears when all is written.

    Raises ParameterError as `chosen` and `whole_folder`.
    """
    pairs = chosen(root, chapters)
    with whole_folder(out) as work:
        drawn = draw([one for _, found in pairs for one in found], names, full, tell)
        for name in names or ("",):
            given = {one.exercise.label: one.given for one in drawn if one.name == name}
            for chapter, exercises in pairs:
                _chapter(work / name / chapter.name, chapter, exercises, given, name, keyed)
        (work / "key.csv").write_text(key(drawn), encoding="utf-8")
    return len(pairs) * max(1, len(names))


def _chapter(
    folder: Path, chapter: Chapter, exercises: list[Exercise], given: worksheet.Given, name: str, keyed: bool
) -> None:
    import nbformat

    (folder / "tests").mkdir(parents=True)
    made = worksheet.notebook(chapter, exercises, given, name, keyed)
    plain = (folder.parent if keyed else folder) / f"{chapter.name}.md"
    plain.write_text(worksheet.markdown(made), encoding="utf-8")
    if keyed:
        master = folder.parent / "otter" / f"{chapter.name}.ipynb"
        master.parent.mkdir(exist_ok=True)
        master.write_text(nbformat.writes(worksheet.otter_master(made, exercises)), encoding="utf-8")
        made.cells = [cell for cell in made.cells if not cell.id.endswith("-key")]
    (folder / f"{chapter.name}.ipynb").write_text(nbformat.writes(made), encoding="utf-8")
    for one in exercises:
        if not one.essay:
            test = worksheet.otter_test(one, given.get(one.label, {}))
            inside(folder / "tests", f"{one.label}.py").write_text(test, encoding="utf-8")


def key(drawn: Iterable[Drawn]) -> str:
    """The key as CSV: name, exercise, parameters as JSON, answers."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(_COLUMNS)
    for one in drawn:
        computed = SLOW if one.answers is None else "; ".join(map(repr, one.answers))
        answer = "in words" if one.exercise.essay else computed
        table.writerow(map(no_formula, [one.name, one.exercise.label, json.dumps(dict(one.given)), answer]))
    return text.getvalue()
