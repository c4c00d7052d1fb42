"""The exercises of a chapter as a notebook, with the cell metadata of nbgrader; as Markdown."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from companion.exercises.parser import IMPORT, Exercise, answer_line, hints, objectives
from companion.exercises.registry import Given, asked
from companion.exercises.sandbox import after, run, told
from companion.notebooks import markdown_cell
from companion.page.sources import Chapter
from companion.python_source import parsed
from grokbook.errors import ChapterError


def notebook(
    chapter: Chapter,
    exercises: Sequence[Exercise],
    given: Mapping[str, Given],
    name: str = "",
    keyed: bool = False,
) -> Any:
    """A notebook that runs for itself: each exercise with words, what is given, a cell to fill, the
    check, hints.

    `given` has what is drawn, by the label of its exercise; `name` is that of the variant. With
    `keyed` the answers' cells hold solutions (between nbgrader's marks), those in words also the
    points of a marking key; cells `...-key` have a solution's words and what wrong answers are
    told.
    """
    from nbformat.v4 import new_notebook

    head = f"# Exercises of chapter {chapter.number}: {chapter.title}\n\n{chapter.question}\n\n"
    head += "The objectives:\n\n"
    for number, goal in enumerate(objectives(chapter.source), 1):
        words = re.sub(r"\{[\w:]+\}`([^`]*)`", r"\1", goal)
        head += f"{number}. {words}\n"
    head += f"\nVariant {name}." if name else ""
    cells = [markdown_cell(head.strip(), "head")]
    for exercise in exercises:
        cells += _cells(exercise, given.get(exercise.label, {}), keyed)
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return new_notebook(cells=cells, metadata={"kernelspec": kernel})


def _cells(exercise: Exercise, given: Given, keyed: bool) -> list[Any]:
    label = exercise.label
    points = exercise.difficulty
    about = (
        f"*Difficulty {points} of 3, {exercise.minutes} minutes, objective {exercise.objective}.*"
    )
    text = f"## {exercise.title}\n\n{about} {exercise.words}\n\n{answer_line(label)}"
    cells = [markdown_cell(text.rstrip(), f"{label}-words")]
    folded = markdown_cell(hints(exercise.hints), f"{label}-hints")
    key = key_text(exercise, given) if keyed else ""
    if exercise.essay:
        answer = f"{exercise.solution}\n\n{key}" if keyed else "*Your answer.*"
        in_words = markdown_cell(answer, label, _nbgrader(label, solution=True, points=points))
        return [*cells, in_words, folded]
    stub, call = exercise.with_given(given)
    shown, answer = divided(stub)
    if keyed:
        answer += f"\n### BEGIN SOLUTION\n{exercise.code.strip()}\n### END SOLUTION"
    check = _nbgrader(f"{label}-check", locked=True, points=points)
    cells += [
        _code(f"{label}-given", shown, _nbgrader(f"{label}-given", locked=True)),
        _code(label, answer, _nbgrader(label, solution=True)),
        _code(f"{label}-check", IMPORT + call, check),
        markdown_cell("*What else is asked, in words:*", f"{label}-reasons"),
        folded,
    ]
    if keyed:
        cells.append(markdown_cell(key, f"{label}-key"))
    return cells


def divided(stub: str) -> tuple[str, str]:
    """What a stub gives, and what it leaves to the reader: from the first statement on in which
    `...` stands.

    Example:
        >>> divided("p = 5\\nhalf = ...\\n")
        ('p = 5', 'half = ...')
    """
    lines = stub.splitlines()
    for statement in parsed(stub).body:
        nodes = ast.walk(statement)
        if any(isinstance(node, ast.Constant) and node.value is ... for node in nodes):
            first = statement.lineno - 1
            return "\n".join(lines[:first]).strip(), "\n".join(lines[first:]).strip()
    raise ChapterError(f"the stub leaves nothing to the reader: {stub!r}")


def key_text(exercise: Exercise, given: Given) -> str:
    """What whoever marks an exercise reads: the solution's words and typical wrong answers with
    what they are told.

    What these are told is computed with the drawn parameters; where that trains or repeats, once
    for a whole class, with the parameters of the page's quick run.
    """
    about = asked(exercise.label)
    if exercise.essay:
        points = "\n".join(f"- {point}" for point in about.points)
        return f"**Marking key**, a point each:\n\n{points}"
    return _slow_key(exercise) if about.quick else _key(exercise, given)


@cache
def _slow_key(exercise: Exercise) -> str:
    return _key(exercise, asked(exercise.label).quick)


def _key(exercise: Exercise, given: Given) -> str:
    label = exercise.label
    names = run(exercise, given)
    parts = [f"**Solution.** {exercise.solution}", "**Typical wrong answers**"]
    for code in asked(label).wrong:
        reason = told(exercise, after(names, label, code))
        parts.append(f"```python\n{code}\n```\n\nis told: {reason}")
    return "\n\n".join(parts)


def markdown(notebook: Any) -> str:
    """A notebook as plain Markdown, its code in fenced blocks."""
    parts = []
    for cell in notebook.cells:
        is_code = cell.cell_type == "code"
        parts.append(f"```python\n{cell.source}\n```" if is_code else cell.source)
    return "\n\n".join(parts) + "\n"


def _nbgrader(
    name: str, *, solution: bool = False, locked: bool = False, points: int | None = None
) -> dict[str, Any]:
    """What nbgrader wants to know of a cell; one with points is graded."""
    about = {
        "grade_id": name,
        "grade": points is not None,
        "solution": solution,
        "locked": locked,
        "task": False,
        "schema_version": 3,
    }
    if points is not None:
        about["points"] = points
    return {"nbgrader": about}


def _code(name: str, text: str, metadata: Mapping[str, Any]) -> Any:
    from nbformat.v4 import new_code_cell

    return new_code_cell(text, id=name, metadata=dict(metadata))
