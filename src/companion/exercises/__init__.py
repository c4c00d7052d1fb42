"""Exercises: what a chapter's page asks, how an answer is checked with a reason, what differs from
student to student.

The words, stub, hints and solution stand in the notebook (`parser` reads them). A chapter's folder
has the checks and the parameters that a variant draws, `exercises.py`, and what answers are told,
`exercises.toml`.
"""

from companion.exercises.registry import check, essay, exercise, near, number

__all__ = ["check", "essay", "exercise", "near", "number"]
