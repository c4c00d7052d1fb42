"""Every example in a docstring of the library runs and prints what it says."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest
from project_tree import PACKAGE, dotted, modules

OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def with_examples() -> list[Path]:
    """The modules that have an example."""
    return [m for m in modules() if ">>> " in (PACKAGE / m).read_text(encoding="utf-8")]


@pytest.mark.parametrize("module", with_examples(), ids=str)
def test_examples_run(module, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GROKBOOK_STORE", str(tmp_path / "store"))
    result = doctest.testmod(importlib.import_module(dotted(module)), optionflags=OPTIONS)
    assert result.attempted > 0, "the module has examples that doctest does not find"
    assert result.failed == 0, "see the printed report"


@pytest.mark.parametrize("room", ["tasks", "models", "measures", "theory"])
def test_the_rooms_of_mathematics_show_examples(room):
    sources = [m for m in modules() if m.parts[0] == room and m.stem != "__init__"]
    if sources:
        assert {m for m in with_examples() if m.parts[0] == room}
