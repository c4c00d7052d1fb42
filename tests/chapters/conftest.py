"""What the tests of the topics share: a claim in another world, and figures that are closed when a
test ends.

What a check finds as it stands is tested for every claim in tests/companion/claims/test_verdicts.py.
"""

import ast
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import MagicMock

import matplotlib.pyplot as plt
import pytest

from companion.page.sources import load
from project_tree import ROOT

NOTEBOOKS = ROOT / "notebooks"


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    plt.close("all")


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """The verdict of a claim where names that its module uses mean something else: elsewhere(claim,
    *args, med=...)."""

    def verdict(claim, *args, **changes):
        known = claim.check.__globals__  # nothing is kept of another world, nor from this one
        own = {
            name: f
            for name, f in known.items()
            if getattr(f, "__module__", "") == known["__name__"]
        }
        kept = {name: f.__wrapped__ for name, f in own.items() if hasattr(f, "cache_clear")}
        for name, value in (kept | changes).items():
            monkeypatch.setitem(known, name, value)
        return claim(*args).verdict

    return verdict


@pytest.fixture
def cell() -> Callable[..., dict[str, Any]]:
    """The names after the one cell of a chapter that has a text in it, with what it finds by name:
    cell("14", "tied =", recorded=...). The chapter's imports go before it; `page` puts nothing
    anywhere."""

    def run(chapter: str, text: str, **names: Any) -> dict[str, Any]:
        (path,) = NOTEBOOKS.glob(f"{chapter}_*.md")
        cells = [one.source for one in load(path).notebook().cells if one.cell_type == "code"]
        (chosen,) = [source for source in cells if text in source]
        first = ast.parse(next(source for source in cells if "import " in source))
        first.body = [line for line in first.body if isinstance(line, ast.Import | ast.ImportFrom)]
        scope: dict[str, Any] = {}
        with plt.rc_context():
            exec(compile(first, path.name, "exec"), scope)
            scope |= {"page": MagicMock(), **names}
            exec(compile(chosen, path.name, "exec"), scope)
        return scope

    return run
