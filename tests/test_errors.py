"""The errors a user can meet."""

from __future__ import annotations

import inspect

import pytest

from grokbook import errors
from grokbook.errors import ChapterError, GrokbookError, ParameterError, RecordError, TrainingError, nearest, shown

CLASSES = [c for _, c in inspect.getmembers(errors, inspect.isclass) if c.__module__ == errors.__name__]


@pytest.mark.parametrize("kind", CLASSES)
def test_every_error_is_one_of_grokbooks_and_keeps_its_sentence(kind):
    assert issubclass(kind, GrokbookError) and str(kind("One sentence.")) == "One sentence."


@pytest.mark.parametrize(
    ("kind", "builtin"),
    [
        (ParameterError, ValueError),
        (TrainingError, RuntimeError),
        (RecordError, RuntimeError),
        (ChapterError, RuntimeError),
    ],
)
def test_an_error_is_also_of_the_kind_that_python_has_for_it(kind, builtin):
    assert issubclass(kind, builtin)


def test_a_training_error_carries_what_was_logged():
    assert TrainingError("lost.", history=[1, 2]).history == [1, 2]
    assert TrainingError("lost.").history is None


def test_the_nearest_name_does_not_mind_capitals_and_of_equals_begins_alike():
    assert nearest("g12", ["X12", "G12", "G21"]) == "G12"
    assert nearest("G99", ["T90", "G90"], 0) == "G90"
    assert nearest("zebra", ["smoke"]) is None and nearest("x", [], 0) is None


def test_a_value_of_any_length_is_shown_in_sixty_characters():
    assert len(shown("x" * 100_000)) == 60 and shown("x") == "'x'"
