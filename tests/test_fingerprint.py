"""The fingerprint of the library's code: changed by code, not by words, and complete."""

from __future__ import annotations

import ast
import re
import shutil
from pathlib import Path

import pytest

from grokbook import fingerprint as module
from grokbook.fingerprint import TRAINING, code_digest, fingerprint, modules_behind, rooms_fingerprint

PACKAGE = Path(module.__file__).parent
BASE = "def f(x):\n    return x + 1\n"


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A copy of the library that may be edited; the fingerprint functions read it."""
    root = tmp_path / "grokbook"
    shutil.copytree(PACKAGE, root, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(module, "__file__", str(root / "fingerprint.py"))
    fingerprint.cache_clear()
    rooms_fingerprint.cache_clear()
    yield root
    fingerprint.cache_clear()
    rooms_fingerprint.cache_clear()


def edited(root, name, change):
    """The fingerprint after one file's text has been changed."""
    path = root / name
    path.write_text(change(path.read_text()))
    fingerprint.cache_clear()
    return fingerprint()


@pytest.mark.parametrize(
    "source",
    [
        '"""Words."""\ndef f(x):\n    """More."""\n    return x + 1\n',
        "# a comment\n\n\ndef f(x):  # another\n    return (x\n        + 1)\n",
        'def f(x):\n    return x + 1\n"""A note on f."""\n',
    ],
)
def test_words_comments_and_layout_do_not_count(source):
    assert code_digest(source) == code_digest(BASE)


@pytest.mark.parametrize(
    "source",
    [
        "def f(x):\n    return x + 2\n",
        "def f(x):\n    return 1 + x\n",
        "def g(x):\n    return x + 1\n",
        "def f(x, y=1):\n    return x + 1\n",
        "def f(x: int):\n    return x + 1\n",
        BASE + "f(1)\n",
        "def f(x):\n    return x + '1'\n",
    ],
)
def test_any_change_of_code_counts(source):
    assert code_digest(source) != code_digest(BASE)


def test_a_function_of_words_alone_has_a_digest():
    assert code_digest('def f():\n    "words"\n') == code_digest("def f(): pass")


@pytest.mark.parametrize(
    "name",
    [
        "tasks/arithmetic.py",
        "tasks/polynomials.py",
        "models/transformer.py",
        "measures/embedding_difference.py",
        "measures/fourier.py",
        "training/loop.py",
        "training/optim.py",
        "training/config.py",
        "training/schedule.py",
        "training/result.py",
    ],
)
def test_code_that_a_number_goes_through_changes_the_fingerprint(copy, name):
    before = fingerprint()
    assert re.fullmatch(r"[0-9a-f]{16}", before)
    assert edited(copy, name, lambda text: text + "\n# words\n") == before
    assert edited(copy, name, lambda text: text + "\nADDED = 1\n") != before


PLUMBING = ["training/progress.py", "training/worker.py", "training/ensemble.py", "training/checkpoint.py", "paths.py"]


@pytest.mark.parametrize("name", PLUMBING)
def test_code_that_touches_no_number_does_not_change_it(copy, name):
    before = fingerprint()
    assert edited(copy, name, lambda text: text + "\nADDED = 1\n") == before


def test_the_fingerprint_of_rooms_is_that_of_all_their_code(copy):
    before = rooms_fingerprint(("tasks", "plotting"))
    (copy / "plotting" / "new.py").write_text("x = 1\n")
    rooms_fingerprint.cache_clear()
    assert rooms_fingerprint(("tasks", "plotting")) != before


def sources():
    return [PACKAGE.joinpath(*name.split(".")[1:]).with_suffix(".py") for name in modules_behind()]


def test_the_modules_behind_a_run_are_those_of_its_rooms():
    rooms = {name.split(".")[1] for name in modules_behind()}
    assert rooms == {"tasks", "models", "measures", "training"} and set(TRAINING) <= set(modules_behind())
    assert all(path.is_file() for path in sources())


def test_no_covered_module_imports_in_a_way_that_the_fingerprint_does_not_follow():
    """Only `from grokbook.room.module import name`: no relative import, no import of a whole room."""
    for path in sources():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                assert not any(alias.name.startswith("grokbook") for alias in node.names), path
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0, path
                if (node.module or "").startswith("grokbook"):
                    source = PACKAGE.joinpath(*node.module.split(".")[1:]).with_suffix(".py")
                    assert source.is_file(), f"{path} imports from the package {node.module}"
