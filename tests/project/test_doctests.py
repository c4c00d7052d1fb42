"""Every example in a docstring of the library runs and prints what it says."""

from __future__ import annotations

import doctest
import importlib

import pytest
from project_tree import PACKAGE, dotted, modules

EXAMPLES = [m for m in modules() if ">>> " in (PACKAGE / m).read_text(encoding="utf-8")]


@pytest.mark.parametrize("module", EXAMPLES, ids=str)
def test_examples_run(module, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GROKBOOK_STORE", str(tmp_path / "store"))
    options = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    result = doctest.testmod(importlib.import_module(dotted(module)), optionflags=options)
    assert result.attempted > 0 and result.failed == 0, "see the printed report"
