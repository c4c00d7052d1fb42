"""Editions: the exercises of chosen chapters in a folder, in variants with parameters and a key of
their own."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Number
from pathlib import Path
from shutil import copyfile
from typing import Any

import numpy as np

from companion.exercises.parser import Exercise, read
from companion.exercises.registry import Given, asked, near
from companion.exercises.sandbox import blurred, run
from companion.page import sources
from companion.page.sources import Chapter
from companion.site.downloads import with_wheel
from companion.teach import worksheet
from grokbook.errors import ChapterError, ParameterError, shown
from grokbook.files import no_formula, whole_folder

TRIES = 1_000
"""How often the parameters of a variant are drawn again, so that no two share an answer."""
_COLUMNS = ("variant", "exercise", "parameters", "answer")
SLOW = "it trains or repeats; the check knows it from what the reader shows"
"""What a key says in place of an answer that takes long to compute."""


@dataclass(frozen=True)
class Drawn:
    """One exercise of one variant: its parameters, and its answers where they were computed."""

    name: str
    exercise: Exercise
    given: Given
    answers: tuple[Any, ...] | None


def chosen(root: Path, chapters: str | None) -> list[tuple[Chapter, list[Exercise]]]:
    """The chapters of a list such as `01,06`, all that have exercises without one, with their
    exercises.

    Raises ParameterError for an unknown chapter, for one without exercises that can be checked, and
    for a list of none.
    """
    if chapters is None:
        wanted = sources.load_all(root)
    else:
        wanted = [sources.find(root, name) for name in filter(str.strip, chapters.split(","))]
    pairs = {}
    for chapter in wanted:
        exercises = read(chapter.source)
        if exercises:
            pairs[chapter.name] = (chapter, exercises)
        elif chapters is not None:
            raise ParameterError(
                f"{chapter.label} has no exercises with a check, so there is nothing to hand out."
            )
    if not pairs:
        raise ParameterError(f"--chapters {shown(chapters)} names no chapter, such as 01,06.")
    return list(pairs.values())


def draw(exercises: Iterable[Exercise], names: Sequence[str]) -> list[Drawn]:
    """Parameters and answers of every exercise for each variant; no two share the answers of an
    exercise.

    A variant draws by itself. It draws again (`01 #2`) only where its answers are those of an
    earlier one, or where a typical wrong answer is right, too. Answers of slow exercises are not
    computed; their parameters differ.

    Raises ChapterError where an exercise has too few choices for so many variants.
    """
    drawn: list[Drawn] = []
    for exercise in exercises:
        taken: list[Any] = []
        print(f"{exercise.label}: {len(names) or 1} of them")
        for name in names or ("",):
            one, answers = _draw_one(exercise, name, taken)
            taken.append(answers)
            drawn.append(one)
    return drawn


def _draw_one(exercise: Exercise, name: str, taken: Sequence[Any]) -> tuple[Drawn, Any]:
    """One exercise of one variant, and what no other may share with it: its answers, else its
    parameters."""
    about = asked(exercise.label)
    computed = not exercise.essay and not about.quick
    for again in range(TRIES):
        seed = f"{name} #{again + 1}" if again else name
        given = about.drawn(seed) if name else {}
        answers, unclear = _answers(exercise, given) if computed else (None, False)
        own = tuple(given.values()) if answers is None else answers
        if not given or not (unclear or any(alike(own, other) for other in taken)):
            return Drawn(name, exercise, given, answers), own
    raise ChapterError(
        f"{exercise.label} has too few choices for {len(taken) + 1} variants to differ."
    )


def _answers(exercise: Exercise, given: Given) -> tuple[tuple[Any, ...], bool]:
    """The answers at some parameters, and whether a typical wrong one passes there, too."""
    names = run(exercise, given)
    answers = tuple(plain(names[text]) for text in exercise.answers())
    return answers, bool(given) and blurred(exercise, names)


def plain(value: Any) -> Any:
    """An answer as a key has it: numpy's values as Python's, of what is no plain value its type."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    is_plain = isinstance(value, Number | str | list | tuple | dict | set | None)
    return value if is_plain else type(value).__name__


def alike(one: Any, other: Any) -> bool:
    """Whether two answers would pass for each other: numbers to three digits, whole ones and the
    rest when equal.

    Example:
        >>> alike([1.0, "a"], [1.0001, "a"]), alike({"p": 2001}, {"p": 2002})
        (True, False)
    """
    numbers = isinstance(one, float | int) and isinstance(other, float | int)
    if numbers and float in (type(one), type(other)):
        return near(one, other) or near(other, one)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and alike([*one.values()], [other[key] for key in one])
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(alike, one, other))
    return repr(one) == repr(other)


def write(
    root: Path,
    out: Path,
    *,
    keyed: bool,
    chapters: str | None = None,
    variants: int = 0,
) -> int:
    """Write an edition to the folder `out` and give the number of its notebooks.

    - `key.csv`: the parameters and the answers of all variants.
    - For students `hand_out/[VARIANT/]NN_name/NN_name.ipynb`, as nbgrader takes what is handed in.
    - With `keyed` `keys/[VARIANT/]NN_name.md`, to mark by. Without variants `out` is then a course
      of nbgrader, too, with `source` and a configuration.

    The folder `out` appears when all is written.

    Raises ParameterError as `chosen` and `whole_folder`.
    """
    pairs = chosen(root, chapters)
    names = [f"{number:02d}" for number in range(1, variants + 1)]
    with whole_folder(out) as work:
        drawn = draw([one for _, found in pairs for one in found], names)
        for name in names or ("",):
            given = {}
            for one in drawn:
                if one.name == name:
                    given[one.exercise.label] = one.given
            for chapter, exercises in pairs:
                made = worksheet.notebook(chapter, exercises, given, name, keyed)
                place = f"{chapter.name}/{chapter.name}.ipynb"
                if not keyed:
                    _put(with_wheel(made, root), work / "hand_out" / name / place)
                    continue
                marked = work / "keys" / name / f"{chapter.name}.md"
                marked.parent.mkdir(parents=True, exist_ok=True)
                marked.write_text(worksheet.markdown(made), encoding="utf-8")
                if not names:
                    made.cells = [cell for cell in made.cells if not cell.id.endswith("-key")]
                    _put(with_wheel(made, root), work / "source" / place)
        (work / "key.csv").write_text(key(drawn), encoding="utf-8")
        if keyed and not names:
            configuration = Path(__file__).with_name("nbgrader_config.txt")
            copyfile(configuration, work / "nbgrader_config.py")
    return len(pairs) * max(1, variants)


def _put(notebook: Any, place: Path) -> None:
    import nbformat

    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(nbformat.writes(notebook), encoding="utf-8")


def key(drawn: Iterable[Drawn]) -> str:
    """The key as CSV: variant, exercise, parameters as JSON, answers."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(_COLUMNS)
    for one in drawn:
        computed = SLOW if one.answers is None else "; ".join(map(repr, one.answers))
        answer = "in words" if one.exercise.essay else computed
        parameters = json.dumps(dict(one.given))
        table.writerow([one.name, one.exercise.label, parameters, no_formula(answer)])
    return text.getvalue()
