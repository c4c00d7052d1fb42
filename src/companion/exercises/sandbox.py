"""The code of an exercise run as a reader would: stub, then solution or another answer, then the
check."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Mapping
from typing import Any
from unittest import mock

from companion.exercises.parser import IMPORT, Exercise
from companion.exercises.registry import Given, asked
from grokbook.errors import ChapterError, WrongAnswer


def run(exercise: Exercise, given: Given) -> dict[str, Any]:
    """The names after stub and solution with the parameters `given`; nothing else is defined.

    Raises ChapterError naming exercise and error. What the code prints is not shown.
    """
    stub, _ = exercise.with_given(given)
    return after({}, exercise.label, f"{stub}\n{exercise.code}")


def after(names: Mapping[str, Any], label: str, code: str) -> dict[str, Any]:
    """These names, and what `code` makes of them; they are not changed themselves. Raises
    ChapterError as `run`."""
    found = dict(names)
    with mock.patch.dict(os.environ), contextlib.redirect_stdout(io.StringIO()):
        os.environ.pop("GROKBOOK_FINDINGS", None)  # what other pages were given is not asked for
        try:
            exec(compile(code, f"<{label}>", "exec"), found)
        except WrongAnswer:
            raise
        except Exception as error:
            raise ChapterError(f"{label}: {type(error).__name__}: {error}") from error
    return found


def blurred(exercise: Exercise, names: Mapping[str, Any]) -> bool:
    """Whether a typical wrong answer would pass, too, at the parameters among `names`, which hold
    the right answers."""

    def meets(label: str, *answers: Any, **given: Any) -> bool:
        return any(wrong is None for wrong, *_ in asked(label).check(*answers, **given))

    return after({**names, "check": meets}, exercise.label, f"found = {exercise.call}")["found"]


def told(exercise: Exercise, names: Mapping[str, Any]) -> str | None:
    """What the check says of the answers among `names`: the reason, or None where they are
    right."""
    try:
        after(names, exercise.label, IMPORT + exercise.call)
    except WrongAnswer as wrong:
        return str(wrong).removeprefix(f"{exercise.label}: ")
    return None
