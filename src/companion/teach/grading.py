"""Marks of a class whose students have parameters of their own, from the notebooks that were handed
in and the key."""

from __future__ import annotations

import csv
import io
import json
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from companion.exercises.parser import IMPORT, Exercise, read
from companion.page import sources
from companion.site.execute import ENVIRONMENT
from companion.site.kernel import Kernels
from companion.teach import worksheet
from grokbook.errors import ParameterError, line
from grokbook.files import no_formula, temporary_folder, whole
from grokbook.machine import duration

LONGEST = 900
LONGEST_IN_ALL = 3600.0
"""Seconds that a cell may take, as some train a network, and a notebook, whose cells need not heed
an interrupt."""

LARGEST = 50_000_000
MOST_SAID = 50_000_000
"""Bytes of a key or of a notebook that are read, and characters of all that the cells of a notebook
say."""

_COLUMNS = ("name", "file", "exercise", "points", "of", "told")
Parameters = Mapping[tuple[str, str], Mapping[str, Any]]
"""The parameters of a key by name and exercise."""


def marks(root: Path, key: Path, submitted: Path, tell: Callable[[str], Any]) -> str:
    """A CSV table with a row for each exercise of each notebook that lies in `submitted`, at any
    depth.

    Each notebook says whose variant it is. It is run, as nbgrader would run it, with what was given
    and the checks put back as they were handed out. Answers in words have no points and are `by
    hand`. A notebook that cannot be read or run costs nobody else a row.

    Raises ParameterError where the key is none, or no notebook is there.
    """
    given = parameters(key)
    exercises = {}
    for chapter in sources.load_all(root):
        for exercise in read(chapter.source):
            exercises[exercise.label] = exercise
    files = _handed_in(submitted)
    if not files:
        raise ParameterError(f"{submitted} holds no notebook, so there is nothing to mark.")
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(_COLUMNS)
    for file in files:
        place = str(file.relative_to(submitted))
        tell(f"marking {line(place)}")
        for mark in _marked(file, exercises, given):
            row = (mark.name, place, mark.exercise, mark.points, mark.of, mark.told)
            table.writerow(map(_cell, row))
    return text.getvalue()


def _handed_in(folder: Path) -> list[Path]:
    """The notebooks in a folder, without the copies of editors (`.ipynb_checkpoints`) and what
    archivers add (`__MACOSX`)."""
    files = []
    for file in sorted(folder.rglob("*.ipynb")):
        parts = file.relative_to(folder).parts
        if not any(part.startswith(".") or part == "__MACOSX" for part in parts):
            files.append(file)
    return files


def _cell(value: Any) -> Any:
    """A cell of the table, whatever a student wrote: a line that every file can hold, and no
    formula."""
    return no_formula(line(value)) if isinstance(value, str) else value


def parameters(key: Path) -> Parameters:
    """The parameters of everybody in a key that was written with an edition.

    Raises ParameterError for a file that is no such key.
    """
    try:
        found = {}
        for row in csv.DictReader(io.StringIO(whole(key, LARGEST).decode())):
            values = json.loads(row["parameters"])
            if not isinstance(values, dict):
                raise ParameterError(
                    f"the parameters of {row['name']}, {row['exercise']} are no table"
                )
            found[row["name"], row["exercise"]] = values
    except (OSError, KeyError, TypeError, ValueError, RecursionError, csv.Error) as error:
        raise ParameterError(f"{key} is no key.csv of an edition: {error}.") from None
    return found


class Mark(NamedTuple):
    """The points of an exercise in a notebook, those to be had, and what the check said."""

    name: str
    exercise: str = ""
    points: Any = ""
    of: Any = ""
    told: str = ""


def _marked(file: Path, exercises: Mapping[str, Exercise], given: Parameters) -> list[Mark]:
    """The marks of a notebook."""
    name = ""
    try:
        notebook = _read(file)
        name = _cell(str(notebook.metadata["grokbook"]["variant"]))  # as the key has it
        cells = {_called(cell): cell for cell in notebook.cells}
        asked = []
        for label, exercise in exercises.items():
            there = label in cells or f"{label}-check" in cells
            if (name, label) in given and there:
                asked.append(exercise)
                _put_back(cells, exercise, given[name, label])
        if not asked:
            return [Mark(name, told="the key has no exercise of this notebook for this name")]
        ended = _run(notebook)
        return [_mark(name, one, cells.get(f"{one.label}-check"), ended) for one in asked]
    except Exception as error:  # a notebook that somebody else made can be wrong in any place
        return [Mark(name, told=f"cannot be read: {error!r}")]


def _read(file: Path) -> Any:
    """The notebook of a file that was handed in. Raises OSError for one that is too large or no
    file."""
    import nbformat

    if file.is_symlink():
        raise ParameterError("it is a link, not a notebook")
    return nbformat.reads(whole(file, LARGEST).decode(), as_version=4)


def _called(cell: Any) -> str:
    """The name of a cell: that which nbgrader's metadata keep where an editor gives cells new
    ids."""
    return str(cell.metadata.get("nbgrader", {}).get("grade_id", cell.get("id", "")))


def _put_back(cells: Mapping[str, Any], exercise: Exercise, given: Mapping[str, Any]) -> None:
    """What was handed out: what is given, and the check."""
    if exercise.essay:
        return
    stub, call = exercise.with_given(given)
    for part, source in (("given", worksheet.divided(stub)[0]), ("check", IMPORT + call)):
        if cell := cells.get(f"{exercise.label}-{part}"):
            cell.source = source


def _run(notebook: Any) -> str:
    """Run a notebook to its end, whatever its cells raise; why it did not come to it, else nothing.

    A cell that takes longer than `LONGEST` is interrupted. The kernel has a folder of its own; it
    ends, with all that it started, after the last cell, `LONGEST_IN_ALL` or `MOST_SAID`.
    """
    from nbclient import NotebookClient
    from nbclient.exceptions import DeadKernelError

    notebook.cells = [cell for cell in notebook.cells if _called(cell) != "install"]
    kernels = Kernels()
    why = []

    def end(reason: str) -> None:
        why.append(reason)
        kernels.end()

    class Bounded(NotebookClient):
        said = 0

        def process_message(self, msg: Any, cell: Any, cell_index: int) -> Any:
            self.said += len(str(msg["content"]))
            if self.said <= MOST_SAID:
                return super().process_message(msg, cell, cell_index)
            if not why:
                end(f"its cells say more than {MOST_SAID:,} characters")
            return None

    late = threading.Timer(LONGEST_IN_ALL, end, [f"it took more than {duration(LONGEST_IN_ALL)}"])
    late.daemon = True
    limits = {"allow_errors": True, "interrupt_on_timeout": True, "timeout": LONGEST}
    with (
        temporary_folder() as place,
        temporary_folder() as folder,
        kernels.options(folder, ENVIRONMENT) as options,
    ):
        about = {"metadata": {"path": str(place)}}
        late.start()
        try:
            Bounded(notebook, resources=about, **limits, **options).execute()
        except (DeadKernelError, RuntimeError) as error:
            return why[0] if why else line(error)
        finally:
            late.cancel()
    return ""


def _mark(name: str, exercise: Exercise, check: Any, ended: str) -> Mark:
    """The mark of an exercise; where its check said nothing, why the run `ended`."""
    most = exercise.difficulty
    if exercise.essay:
        return Mark(name, exercise.label, "", most, "by hand")
    if check is None:
        return Mark(name, exercise.label, 0, most, "its check is missing")
    printed = ""  # a busy kernel may send one line in pieces
    errors = []
    for output in check.get("outputs", []):
        if output.get("name") == "stdout":
            printed += str(output.get("text", ""))
        if output.output_type == "error":
            errors.append(f"{output.ename}: {output.evalue}")
    right = printed == f"{exercise.label}: right.\n" and not errors
    told = " ".join(("; ".join(errors) or printed).split())
    return Mark(name, exercise.label, most if right else 0, most, told or ended)
