"""The examples in the docstrings of this room run, and every public function has one."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil

import pytest

from grokbook import measures

MODULES = [f"grokbook.measures.{module.name}" for module in pkgutil.iter_modules(measures.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted > 0 and result.failed == 0


@pytest.mark.parametrize("name", [n for n in measures.__all__ if inspect.isfunction(getattr(measures, n))])
def test_every_public_function_has_an_example_and_says_what_it_raises(name):
    text = inspect.getdoc(getattr(measures, name))
    assert ">>>" in text
    assert name == "registry" or "Raises ParameterError" in text
