"""Digests of Python source: changed by code, not by words."""

import shutil
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from companion import python_source as module
from companion.python_source import code_digest, code_fingerprint

PACKAGE = module.SOURCES / "grokbook"
BASE = "def f(x):\n    return x + 1\n"


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


@pytest.mark.parametrize(
    "change", [("1", "2"), ("f(", "g("), ("(x)", "(x, y=1)"), ("(x)", "(x: int)"), ("1", "'1'")]
)
def test_any_change_of_code_counts(change):
    assert code_digest(BASE.replace(*change)) != code_digest(BASE)


def test_the_digest_of_some_code_is_the_same_on_every_python():
    """Python 3.12 and 3.13 write trees in other words: without and with type parameters, with and
    without lists."""
    assert code_digest("def f(): return 1").startswith("00a0b18f7a82")
    assert code_digest("class A:\n    def f(self, x=(1,), *y): return f(*y, **{})").startswith(
        "9a5feec31d59"
    )


def test_the_fingerprint_of_rooms_is_that_of_all_their_code(tmp_path, monkeypatch):
    shutil.copytree(
        PACKAGE, tmp_path / "grokbook", ignore=shutil.ignore_patterns("__pycache__", "_data")
    )
    monkeypatch.setattr(module, "SOURCES", tmp_path)

    def rooms() -> str:
        return code_fingerprint.__wrapped__(("grokbook/tasks", "grokbook/plotting"))

    before = rooms()
    (tmp_path / "grokbook" / "plotting" / "new.py").write_text("x = 1\n")
    assert rooms() != before


class Pause:
    """Garbage that lets other threads run while it is collected, in the middle of whatever was
    going on."""

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        time.sleep(1e-4)


def test_threads_that_parse_at_once_do_not_disturb_each_other():
    """CPython 3.11 counts the depth of all threads in one place; chapters are built side by
    side."""
    sources = [path.read_text(encoding="utf-8") for path in sorted(PACKAGE.rglob("*.py"))[:40]]

    def digest(source: str) -> str:
        Pause()
        return code_digest.__wrapped__(source)  # parsed each time, not remembered

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(digest, 5 * sources))
    assert found == 5 * [code_digest(source) for source in sources]
