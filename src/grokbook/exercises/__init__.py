"""Exercises: what a chapter's page asks, how an answer is checked with a reason, what differs from student to student.

The words, stub, hints and solution stand in the notebook (`form` reads them). One module a chapter, named as its
notebook, has the checks and the parameters that a variant draws; a file of TOML beside it, what answers are told.
"""

from grokbook.exercises.asked import check, essay, exercise, near, number

__all__ = ["check", "essay", "exercise", "near", "number"]
