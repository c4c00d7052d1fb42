"""The style rules that code can check (CONTRIBUTING.md, S1 to S9); every example prints what its
docstring says."""

import ast
import doctest
import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from project_tree import PACKAGE, ROOT, dotted, modules, pyproject, read, tree

EXAMPLES = [m for m in modules() if ">>> " in (PACKAGE / m).read_text(encoding="utf-8")]
Function = ast.FunctionDef | ast.AsyncFunctionDef


def nodes(*kinds: type) -> Iterator[tuple[Path, ast.AST]]:
    """Every node of these kinds in the library, with its module."""
    return ((m, node) for m in modules() for node in ast.walk(tree(m)) if isinstance(node, kinds))


def public(*kinds: type) -> Iterator[tuple[Path, ast.AST]]:
    """The functions or classes of the modules that do not start with an underscore."""
    return (
        (m, n)
        for m in modules()
        for n in tree(m).body
        if isinstance(n, kinds) and not n.name.startswith("_")
    )


def where(found: Iterator[tuple[Path, ast.AST]]) -> list[str]:
    """`measures/med.py:12 med` for each."""
    return [f"{module}:{node.lineno} {getattr(node, 'name', '')}" for module, node in found]


def size(tree: ast.AST) -> int:
    """Syntax nodes: formatting cannot change their number."""
    return sum(1 for _ in ast.walk(tree))


def test_s1_no_function_has_more_than_800_syntax_nodes():
    functions = nodes(ast.FunctionDef, ast.AsyncFunctionDef)
    assert not where((m, f) for m, f in functions if size(f) > 800)


def test_s2_modules_and_names_that_leave_them_have_a_docstring_that_starts_with_a_sentence():
    assert not [str(m) for m in modules() if not ast.get_docstring(tree(m))]
    heads = [
        (m, n, (ast.get_docstring(n) or "").partition("\n\n")[0])
        for m, n in public(Function, ast.ClassDef)
    ]
    assert not where(
        (m, n) for m, n, head in heads if head and (head[-1] not in ".:?" or len(head) > 240)
    )
    texts = {m: set(re.findall(r"\w+", read(PACKAGE / m))) for m in modules()}
    texts |= {
        path: set(re.findall(r"\w+", path.read_text("utf-8")))
        for path in (ROOT / "notebooks").glob("*.md")
    }
    bare = [(m, n) for m, n, head in heads if not head]
    assert not where(
        (m, n)
        for m, n in bare
        if any(n.name in used for place, used in texts.items() if place != m)
    )


def test_s3_public_functions_are_typed():
    def untyped(function: Function) -> bool:
        a = function.args
        given = [*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, (a.vararg, a.kwarg))]
        return function.returns is None or any(argument.annotation is None for argument in given)

    assert not where((m, n) for m, n in public(Function) if untyped(n))


def test_no_module_that_mypy_checks_is_exempt():
    checked = pyproject()["tool"]["mypy"]
    assert checked["strict"]
    assert not checked.keys() & {"overrides", "exclude", "disable_error_code"}


def test_s4_no_module_has_more_than_5500_syntax_nodes_and_no_literal_text_200_characters_a_line():
    assert not [str(m) for m in modules() if size(tree(m)) > 5_500]
    words = {id(node.value) for _, node in nodes(ast.Expr) if isinstance(node.value, ast.Constant)}
    texts = (
        (m, n) for m, n in nodes(ast.Constant) if isinstance(n.value, str) and id(n) not in words
    )
    assert not where((m, n) for m, n in texts if max(map(len, n.value.split("\n"))) > 200)


def test_all_is_formatted_and_no_line_is_excepted():
    command = [sys.executable, "-m", "ruff", "format", "--check", "."]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert not [str(m) for m in modules() if re.search(r"# *fmt: *(skip|off)", read(PACKAGE / m))]


def test_s5_nothing_raises_a_bare_exception():
    bare = {"Exception", "BaseException", "ValueError", "RuntimeError", "AssertionError"}
    raised = (
        (m, n, n.exc.func if isinstance(n.exc, ast.Call) else n.exc) for m, n in nodes(ast.Raise)
    )
    assert not where((m, n) for m, n, error in raised if getattr(error, "id", "") in bare)


def test_s6_no_global_state_and_no_device_is_touched_at_import():
    assert not where(nodes(ast.Global))
    code = "import importlib, sys, torch\nfor name in sys.argv[1:]: importlib.import_module(name)\n"
    code += "assert not torch.cuda.is_initialized() and torch.get_default_device().type == 'cpu'"
    command = [sys.executable, "-c", code, *map(dotted, modules())]
    assert subprocess.run(command, cwd=ROOT).returncode == 0


def test_s7_eval_and_exec_are_not_used_but_for_the_exercises_of_a_chapter():
    """The code of an exercise stands in the chapter's own source, as its cells do."""
    calls = [(m, n) for m, n in nodes(ast.Call) if getattr(n.func, "id", "") in ("eval", "exec")]
    assert not where(
        (m, n)
        for m, n in calls
        if ast.unparse(n) != "exec('')"
        and (str(m) != "companion/exercises/sandbox.py" or n.func.id == "eval")
    )


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
