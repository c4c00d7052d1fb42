"""The style rules that code can check (CONTRIBUTING.md, S1 to S9), over the whole library."""

from __future__ import annotations

import ast
import re
import shutil
import statistics
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest
from project_tree import PACKAGE, ROOT, dotted, modules, read, tree

Function = ast.FunctionDef | ast.AsyncFunctionDef
LONGEST = 60
MEDIAN = 10


def functions(module: Path) -> Iterator[Function]:
    """Every function and method of a module, nested ones too."""
    return (node for node in ast.walk(tree(module)) if isinstance(node, Function))


def code_lines(function: Function) -> int:
    """Lines from `def` to the end, without those of the docstring."""
    first = function.body[0]
    docstring = first.end_lineno - first.lineno + 1 if ast.get_docstring(function) is not None else 0
    return function.end_lineno - function.lineno + 1 - docstring


def public(module: Path) -> list[Function | ast.ClassDef]:
    """The functions and classes of a module that do not start with an underscore."""
    kinds = Function | ast.ClassDef
    return [node for node in tree(module).body if isinstance(node, kinds) and not node.name.startswith("_")]


def where(module: Path, node: ast.stmt) -> str:
    """`measures/med.py:12 med`."""
    return f"{module}:{node.lineno} {getattr(node, 'name', '')}"


def test_s1_no_function_is_longer_than_60_lines():
    assert not [where(m, f) for m in modules() for f in functions(m) if code_lines(f) > LONGEST]


def test_s1_the_median_function_has_10_lines_or_fewer():
    assert statistics.median(code_lines(f) for m in modules() for f in functions(m)) <= MEDIAN


@pytest.mark.parametrize("docstring", ["", "  '''a'''\n", "  '''a\n\n  b'''\n"])
def test_s1_counts_lines_without_the_docstring(docstring):
    assert code_lines(ast.parse(f"def f():\n{docstring}  x = 1\n\n  return x").body[0]) == 4


def test_s2_every_public_name_has_a_docstring():
    assert not [where(m, node) for m in modules() for node in public(m) if not ast.get_docstring(node)]


def test_s2_every_module_has_a_docstring():
    assert not [str(m) for m in modules() if not ast.get_docstring(tree(m))]


def test_s2_the_first_line_of_a_public_docstring_is_a_sentence_of_its_own():
    def starts_well(node: ast.AST) -> bool:
        head = ast.get_docstring(node).partition("\n\n")[0]
        return head.endswith((".", ":", "?")) and len(head) <= 240

    documented = [(m, n) for m in modules() for n in public(m) if ast.get_docstring(n)]
    assert not [where(m, n) for m, n in documented if not starts_well(n)]


def test_s3_public_functions_are_typed():
    def untyped(function: Function) -> bool:
        a = function.args
        given = [*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, (a.vararg, a.kwarg))]
        return function.returns is None or any(argument.annotation is None for argument in given)

    named = ((m, n) for m in modules() for n in public(m) if isinstance(n, Function))
    assert not [where(m, n) for m, n in named if untyped(n)]


def test_s4_every_module_has_a_test_file():
    tests = [path.stem for path in (ROOT / "tests").rglob("test_*.py")]
    stems = {m: m.stem for m in modules() if m.stem != "__init__"}
    assert not [str(m) for m, stem in stems.items() if not any(t.startswith(f"test_{stem}") for t in tests)]


def test_s5_nothing_raises_a_bare_exception():
    bare = {"Exception", "BaseException", "ValueError", "RuntimeError", "AssertionError"}

    def name(node: ast.Raise) -> str:
        call = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        return getattr(call, "id", "")

    raises = ((m, n) for m in modules() for n in ast.walk(tree(m)) if isinstance(n, ast.Raise))
    assert not [where(m, n) for m, n in raises if name(n) in bare], "raise a class of grokbook.errors"


def test_s6_no_global_state():
    statements = ((m, n) for m in modules() for n in ast.walk(tree(m)) if isinstance(n, ast.Global))
    assert not [where(m, n) for m, n in statements]


def test_s6_no_device_is_touched_at_import():
    code = "import importlib, sys, torch\nfor name in sys.argv[1:]: importlib.import_module(name)\n"
    code += "assert not torch.cuda.is_initialized() and torch.get_default_device().type == 'cpu'"
    names = [dotted(m) for m in modules()]
    done = subprocess.run([sys.executable, "-c", code, *names], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr


def test_s7_eval_and_exec_are_not_used():
    calls = ((m, n) for m in modules() for n in ast.walk(tree(m)) if isinstance(n, ast.Call))
    assert not [where(m, n) for m, n in calls if getattr(n.func, "id", "") in ("eval", "exec")]


def test_s8_ruff_finds_nothing():
    ruff = Path(sys.executable).with_name("ruff")
    command = [str(ruff) if ruff.exists() else shutil.which("ruff"), "check", "--no-cache", "."]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_s9_no_test_asserts_a_time():
    def clocks(path: Path) -> bool:
        names = {n.attr for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Attribute)}
        return bool(names & {"perf_counter", "process_time", "monotonic", "perf_counter_ns"})

    assert not [str(p.relative_to(ROOT)) for p in (ROOT / "tests").rglob("test_*.py") if clocks(p)]


def test_the_rules_are_written_down():
    stated = set(re.findall(r"\| (S\d) \|", read("CONTRIBUTING.md")))
    tested = {f"S{n}" for n in re.findall(r"def test_s(\d)_", Path(__file__).read_text())}
    assert tested <= stated


def test_sources_are_utf8_without_tabs_for_indentation():
    for module in modules():
        with (PACKAGE / module).open("rb") as source:
            assert tokenize.detect_encoding(source.readline)[0] == "utf-8"
        assert not re.search(r"^ *\t", (PACKAGE / module).read_text(), re.MULTILINE), module
