"""Python source is parsed by one thread at a time."""

import ast
import time
from concurrent.futures import ThreadPoolExecutor

from companion.python_source import SOURCES, parsed


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
    paths = sorted((SOURCES / "grokbook").rglob("*.py"))[:40]
    sources = [path.read_text(encoding="utf-8") for path in paths]

    def tree(source: str) -> str:
        Pause()
        return ast.dump(parsed(source))

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(tree, 5 * sources))
    assert found == 5 * [ast.dump(parsed(source)) for source in sources]
