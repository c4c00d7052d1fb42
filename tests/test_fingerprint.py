"""The fingerprint of the library's code: changed by code, not by words, and complete."""

import ast
import re
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from grokbook import fingerprint as module
from grokbook.fingerprint import TRAINING, code_digest, fingerprint, modules_behind, rooms_fingerprint

PACKAGE = Path(module.__file__).parent
BASE = "def f(x):\n    return x + 1\n"


@pytest.fixture
def edited(tmp_path, monkeypatch):
    """The fingerprint of a copy of the library to whose files text is added, `edited({"tasks/tables.py": text})`."""
    root = tmp_path / "grokbook"
    shutil.copytree(PACKAGE, root, ignore=shutil.ignore_patterns("__pycache__", "_data"))
    monkeypatch.setattr(module, "__file__", str(root / "fingerprint.py"))

    def with_text(added: dict[str, str], compute=fingerprint.__wrapped__) -> str:
        for name, text in added.items():
            (root / name).write_text(((root / name).read_text() if (root / name).exists() else "") + text)
        return compute()

    return with_text


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
    assert code_digest('def f():\n    "words"\n') == code_digest("def f(): pass")


@pytest.mark.parametrize("change", [("1", "2"), ("f(", "g("), ("(x)", "(x, y=1)"), ("(x)", "(x: int)"), ("1", "'1'")])
def test_any_change_of_code_counts(change):
    assert code_digest(BASE.replace(*change)) != code_digest(BASE)


def test_the_digest_of_some_code_is_the_same_on_every_python():
    """Python 3.12 and 3.13 write trees in other words: without and with type parameters, with and without lists."""
    assert code_digest("def f(): return 1").startswith("00a0b18f7a82")
    assert code_digest("class A:\n    def f(self, x=(1,), *y): return f(*y, **{})").startswith("9a5feec31d59")


def test_code_that_a_number_goes_through_changes_the_fingerprint_and_plumbing_does_not(edited):
    through = [PACKAGE.joinpath(*name.split(".")[1:]).with_suffix(".py") for name in modules_behind()]
    names = [path.relative_to(PACKAGE).as_posix() for path in through]
    assert {"tasks", "models", "measures", "training"} == {name.split("/")[0] for name in names}
    assert set(TRAINING) <= set(modules_behind())
    before = edited({})
    assert re.fullmatch(r"[0-9a-f]{16}", before)
    others = ("training/progress.py", "training/pool.py", "training/ensemble.py", "training/checkpoint.py", "paths.py")
    assert edited(dict.fromkeys(names, "\n# words\n") | dict.fromkeys(others, "\nADDED = 1\n")) == before
    for name in {name.split("/")[0]: name for name in names}.values():
        now = edited({name: "\nADDED = 1\n"})
        assert now != before, name
        before = now


def test_the_fingerprint_of_rooms_is_that_of_all_their_code(edited):
    def rooms() -> str:
        return rooms_fingerprint.__wrapped__(("tasks", "plotting"))

    assert edited({}, rooms) != edited({"plotting/new.py": "x = 1\n"}, rooms)


def test_no_covered_module_imports_in_a_way_that_the_fingerprint_does_not_follow():
    """Only `from grokbook.room.module import name`: no relative import, no import of a whole room."""
    for name in modules_behind():
        path = PACKAGE.joinpath(*name.split(".")[1:]).with_suffix(".py")
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                assert not any(alias.name.startswith("grokbook") for alias in node.names), path
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0, path
                if (node.module or "").startswith("grokbook"):
                    source = PACKAGE.joinpath(*node.module.split(".")[1:]).with_suffix(".py")
                    assert source.is_file(), f"{path} imports from the package {node.module}"


class Pause:
    """Garbage that lets other threads run while it is collected, in the middle of whatever was going on."""

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        time.sleep(1e-4)


def test_threads_that_parse_at_once_do_not_disturb_each_other():
    """CPython 3.11 counts the depth of all threads in one place; chapters are built side by side."""
    sources = [path.read_text(encoding="utf-8") for path in sorted(PACKAGE.rglob("*.py"))[:40]]

    def digest(source: str) -> str:
        Pause()
        return code_digest.__wrapped__(source)  # parsed each time, not remembered

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(digest, 5 * sources))
    assert found == 5 * [code_digest(source) for source in sources]
