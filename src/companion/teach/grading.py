"""Marks of a class whose students have parameters of their own, from the notebooks that were handed
in and the key."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from companion.exercises.parser import IMPORT, Exercise, read
from companion.page import sources
from companion.teach import worksheet
from grokbook.errors import ParameterError
from grokbook.files import no_formula

LONGEST = 900
"""Seconds that a cell may take: some train a network."""

_COLUMNS = ("name", "file", "exercise", "points", "of", "told")
Parameters = Mapping[tuple[str, str], Mapping[str, Any]]
"""The parameters of a key by name and exercise."""


def marks(root: Path, key: Path, submitted: Path, tell: Callable[[str], Any]) -> str:
    """A CSV table with a row for each exercise of each notebook that lies in `submitted`, at any
    depth.

    Each notebook says whose variant it is. It is run, as nbgrader would run it, with what was given
    and the checks put back as they were handed out. Answers in words have no points and are `by
    hand`.

    Raises ParameterError where the key is none, or no notebook is there.
    """
    given = parameters(key)
    exercises = {
        one.label: one for chapter in sources.load_all(root) for one in read(chapter.source)
    }
    files = sorted(submitted.rglob("*.ipynb"))
    if not files:
        raise ParameterError(f"{submitted} holds no notebook, so there is nothing to mark.")
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(_COLUMNS)
    for file in files:
        tell(f"marking {file.relative_to(submitted)}")
        for row in _marked(file, exercises, given):
            table.writerow([row[0], *map(no_formula, [str(file.relative_to(submitted)), *row[1:]])])
    return text.getvalue()


def parameters(key: Path) -> Parameters:
    """The parameters of everybody in a key that was written with an edition.

    Raises ParameterError for a file that is no such key.
    """
    try:
        rows = list(csv.DictReader(io.StringIO(key.read_text(encoding="utf-8"))))
        return {(row["name"], row["exercise"]): json.loads(row["parameters"]) for row in rows}
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise ParameterError(f"{key} is no key.csv of an edition: {error}.") from None


def _marked(
    file: Path, exercises: Mapping[str, Exercise], given: Parameters
) -> list[tuple[Any, ...]]:
    """Name, exercise, points, points to be had, and what the check said, for each exercise of a
    notebook."""
    import nbformat

    try:
        notebook = nbformat.read(file, as_version=4)
        name = no_formula(str(notebook.metadata["grokbook"]["variant"]))  # as the key has it
    except (
        OSError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        nbformat.ValidationError,
    ) as error:
        return [("", "", "", "", f"cannot be read: {error!r}")]
    cells = {_called(cell): cell for cell in notebook.cells}
    asked = [
        label
        for label in exercises
        if (name, label) in given and {label, f"{label}-check"} & cells.keys()
    ]
    if not asked:
        return [(name, "", "", "", "the key has no exercise of this notebook for this name")]
    for label in asked:
        if not exercises[label].essay:
            stub, call = exercises[label].with_given(given[name, label])
            _put_back(cells, f"{label}-given", worksheet.divided(stub)[0])
            _put_back(cells, f"{label}-check", IMPORT + call)
    _run(notebook)
    return [
        (name, label, *_points(exercises[label], cells.get(f"{label}-check"))) for label in asked
    ]


def _called(cell: Any) -> str:
    """The name of a cell: that which nbgrader's metadata keep where an editor gives cells new
    ids."""
    return str(cell.metadata.get("nbgrader", {}).get("grade_id", cell.get("id", "")))


def _put_back(cells: Mapping[str, Any], name: str, source: str) -> None:
    if name in cells:
        cells[name].source = source


def _run(notebook: Any) -> None:
    """Run a notebook to its end, whatever its cells raise; one that takes longer than `LONGEST` is
    interrupted."""
    from nbclient import NotebookClient

    notebook.cells = [cell for cell in notebook.cells if _called(cell) != "install"]
    options = {
        "allow_errors": True,
        "interrupt_on_timeout": True,
        "timeout": LONGEST,
        "kernel_name": "python3",
    }
    NotebookClient(notebook, **options).execute()


def _points(exercise: Exercise, check: Any) -> tuple[Any, ...]:
    """Points, points to be had, and what the check said."""
    most = exercise.difficulty
    if exercise.essay:
        return "", most, "by hand"
    if check is None:
        return 0, most, "its check is missing"
    said = [str(one.get("text", "")) for one in check.outputs if one.get("name") == "stdout"]
    errors = [f"{one.ename}: {one.evalue}" for one in check.outputs if one.output_type == "error"]
    right = said == [f"{exercise.label}: right.\n"] and not errors
    return most if right else 0, most, " ".join("; ".join(errors or said).split())
