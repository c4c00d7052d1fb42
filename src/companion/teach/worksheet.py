"""The exercises of a chapter as a notebook, with the cell metadata of nbgrader and of otter; as
Markdown; as tests."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

from companion.exercises.parser import IMPORT, Exercise, answer_line, hints, objectives
from companion.exercises.registry import asked
from companion.exercises.sandbox import after, run, told
from companion.page.sources import Chapter
from companion.project import described
from companion.python_source import parsed
from companion.site.downloads import install_cells, released

Given = Mapping[str, Mapping[str, Any]]
"""The parameters that are drawn, by the label of their exercise."""

_ASKED = ("words", "given", "hints")
"""Cells of a question that stand before its answer; what is asked in words follows the check."""


def notebook(
    chapter: Chapter,
    exercises: Sequence[Exercise],
    given: Given,
    name: str = "",
    keyed: bool = False,
) -> Any:
    """A notebook that runs for itself: each exercise with words, what is given, a cell to fill, the
    check, hints.

    `name` is that of the variant; the metadata have it, too. With `keyed` the answers' cells hold
    solutions (between nbgrader's marks), those in words also the points of a marking key; cells
    `...-key` have a solution's words and what wrong answers are told.
    """
    from nbformat.v4 import new_notebook

    goals = [re.sub(r"\{[\w:]+\}`([^`]*)`", r"\1", goal) for goal in objectives(chapter.source)]
    head = f"# Exercises of chapter {chapter.number}: {chapter.title}\n\n{chapter.question}\n\n"
    head += "The objectives:\n\n" + "".join(f"{n}. {goal}\n" for n, goal in enumerate(goals, 1))
    head += f"\nVariant of {name}." if name else ""
    cells = [_markdown("head", head.strip())]
    for exercise in exercises:
        cells += _cells(exercise, given.get(exercise.label, {}), keyed)
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return new_notebook(cells=cells, metadata={"kernelspec": kernel, "grokbook": {"variant": name}})


def _cells(exercise: Exercise, given: Mapping[str, Any], keyed: bool) -> list[Any]:
    label = exercise.label
    points = exercise.difficulty
    about = (
        f"*Difficulty {points} of 3, {exercise.minutes} minutes, objective {exercise.objective}.*"
    )
    words = f"## {exercise.title}\n\n{about} {exercise.words}\n\n{answer_line(label)}"
    cells = [_markdown(f"{label}-words", words.rstrip())]
    if exercise.essay:
        answer = (
            f"{exercise.solution}\n\n{key_text(exercise, given)}" if keyed else "*Your answer.*"
        )
        cells.append(_markdown(label, answer, _graded(label, points, solution=True, locked=False)))
    else:
        stub, call = exercise.with_given(given)
        shown, blank = divided(stub)
        filled = (
            f"{blank}\n### BEGIN SOLUTION\n{exercise.code.strip()}\n### END SOLUTION"
            if keyed
            else blank
        )
        check = _graded(f"{label}-check", points, solution=False, locked=True)
        cells += [
            _code(f"{label}-given", shown, _nbgrader(f"{label}-given", locked=True)),
            _code(label, filled, _nbgrader(label, solution=True)),
            _code(f"{label}-check", IMPORT + call, check),
            _markdown(f"{label}-reasons", "*What else is asked, in words:*"),
        ]
    cells.append(_markdown(f"{label}-hints", hints(exercise.hints)))
    keys = (
        [_markdown(f"{label}-key", key_text(exercise, given))]
        if keyed and not exercise.essay
        else []
    )
    return [*cells, *keys]


def divided(stub: str) -> tuple[str, str]:
    """What a stub gives, and what it leaves to the reader: from the first statement on in which
    `...` stands.

    Example:
        >>> divided("p = 5\\nhalf = ...\\n")
        ('p = 5', 'half = ...')
    """
    open_at = [
        n.lineno for n in ast.walk(parsed(stub)) if isinstance(n, ast.Constant) and n.value is ...
    ]
    left = next(s for s in parsed(stub).body if s.end_lineno >= min(open_at))
    lines = stub.splitlines()
    return "\n".join(lines[: left.lineno - 1]).strip(), "\n".join(lines[left.lineno - 1 :]).strip()


def key_text(exercise: Exercise, given: Mapping[str, Any]) -> str:
    """What whoever marks an exercise reads: the solution's words and typical wrong answers with
    what they are told.

    What these are told is computed with the drawn parameters; where that trains or repeats, once
    for a whole class, with the parameters of the page's quick run.
    """
    one = asked(exercise.label)
    if exercise.essay:
        return "**Marking key**, a point each:\n\n" + "\n".join(
            f"- {point}" for point in one.points
        )
    return _slow_key(exercise) if one.quick else _key(exercise, given)


@cache
def _slow_key(exercise: Exercise) -> str:
    return _key(exercise, asked(exercise.label).quick)


def _key(exercise: Exercise, given: Mapping[str, Any]) -> str:
    label = exercise.label
    names = run(exercise, given)
    wrong = ((code, told(exercise, after(names, label, code))) for code in asked(label).wrong)
    rows = [f"```python\n{code}\n```\n\nis told: {said}" for code, said in wrong]
    return "\n\n".join([f"**Solution.** {exercise.solution}", "**Typical wrong answers**", *rows])


def otter_master(notebook: Any, exercises: Sequence[Exercise], root: Path) -> Any:
    """The keyed notebook of `exercises` as `otter assign` takes it: raw cells begin and end
    questions and parts.

    The environment in which otter marks gets this version of the library, and a student's notebook
    a cell that installs it, where `root` says where its releases are.
    """
    from nbformat.v4 import new_notebook, new_output, new_raw_cell

    cells = {cell.id: cell for cell in deepcopy(notebook.cells)}
    config = "# ASSIGNMENT CONFIG\ngenerate: true\nexport_cell:\n  pdf: false"
    if wheel := released(root):
        config += f"\nrequirements:\n  - {described(root)['name']} @ {wheel}"
    made = [new_raw_cell(config), *install_cells(root), cells["head"]]
    for exercise in exercises:
        label = exercise.label
        parts = {"SOLUTION": [cells[exercise.label]]}
        if not exercise.essay:
            answer = cells[label]
            check = cells[f"{label}-check"]
            answer.source = answer.source.replace(
                "### BEGIN SOLUTION", "# BEGIN SOLUTION NO PROMPT"
            )
            answer.source = answer.source.replace("### END", "# END")
            check.outputs = [new_output("stream", text=f"{label}: right.\n")]
            parts = {"SOLUTION": [answer, cells[f"{label}-key"]], "TESTS": [check]}
        about = {"name": label, "points": exercise.difficulty, "manual": exercise.essay}
        inside = [cells[f"{label}-{part}"] for part in _ASKED if f"{label}-{part}" in cells]
        for part, of in parts.items():
            inside += [new_raw_cell(f"# BEGIN {part}"), *of, new_raw_cell(f"# END {part}")]
        made += [
            new_raw_cell(f"# BEGIN QUESTION\n{json.dumps(about)}"),
            *inside,
            new_raw_cell("# END QUESTION"),
        ]
        if f"{label}-reasons" in cells:
            made.append(cells[f"{label}-reasons"])
    return new_notebook(cells=made, metadata=notebook.metadata)


def markdown(notebook: Any) -> str:
    """A notebook as plain Markdown, its code in fenced blocks."""
    parts = [
        c.source if c.cell_type == "markdown" else f"```python\n{c.source}\n```"
        for c in notebook.cells
    ]
    return "\n\n".join(parts) + "\n"


def _nbgrader(name: str, *, solution: bool = False, locked: bool = False) -> dict[str, Any]:
    base = {"grade_id": name, "grade": False, "solution": solution, "locked": locked, "task": False}
    return {"nbgrader": base | {"schema_version": 3}}


def _graded(name: str, points: int, *, solution: bool, locked: bool) -> dict[str, Any]:
    cell = _nbgrader(name, solution=solution, locked=locked)["nbgrader"]
    return {"nbgrader": cell | {"grade": True, "points": points}}


def _markdown(name: str, text: str, metadata: Mapping[str, Any] | None = None) -> Any:
    from nbformat.v4 import new_markdown_cell

    return new_markdown_cell(text, id=name, metadata=dict(metadata or {}))


def _code(name: str, text: str, metadata: Mapping[str, Any]) -> Any:
    from nbformat.v4 import new_code_cell

    return new_code_cell(text, id=name, metadata=dict(metadata))
