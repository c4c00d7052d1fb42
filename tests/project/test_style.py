"""The style rules that code can check (CONTRIBUTING.md, S3 to S9); every example prints what its
docstring says."""

import ast
import doctest
import importlib
import re
import subprocess
import sys

import pytest

from project_tree import PACKAGE, ROOT, dotted, modules, read, tree

EXAMPLES = [m for m in modules() if ">>> " in (PACKAGE / m).read_text(encoding="utf-8")]


def test_all_is_formatted_and_no_line_is_excepted():
    command = [sys.executable, "-m", "ruff", "format", "--check", "."]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert not [str(m) for m in modules() if re.search(r"# *fmt: *(skip|off)", read(PACKAGE / m))]


def test_s5_nothing_raises_a_bare_exception():
    bare = {"Exception", "BaseException", "ValueError", "RuntimeError", "AssertionError"}
    for module in modules():
        for node in ast.walk(tree(module)):
            if isinstance(node, ast.Raise):
                error = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
                assert getattr(error, "id", "") not in bare, f"{module}:{node.lineno}"


def test_s6_no_device_is_touched_at_import():
    code = "import importlib, sys, torch\nfor name in sys.argv[1:]: importlib.import_module(name)\n"
    code += "assert not torch.cuda.is_initialized() and torch.get_default_device().type == 'cpu'"
    command = [sys.executable, "-c", code, *map(dotted, modules())]
    assert subprocess.run(command, cwd=ROOT).returncode == 0


def test_s8_ruff_finds_nothing():
    command = [sys.executable, "-m", "ruff", "check", "--no-cache", "."]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_s9_no_test_asserts_a_time():
    clocks = re.compile(r"\b(perf_counter|process_time|monotonic)(_ns)?\(")
    tests = (ROOT / "tests").rglob("test_*.py")
    assert not [path.name for path in tests if clocks.search(path.read_text("utf-8"))]


@pytest.mark.parametrize("module", EXAMPLES, ids=str)
def test_examples_run(module, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GROKBOOK_STORE", str(tmp_path / "store"))
    options = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    result = doctest.testmod(importlib.import_module(dotted(module)), optionflags=options)
    assert result.attempted > 0 and result.failed == 0, "see the printed report"
