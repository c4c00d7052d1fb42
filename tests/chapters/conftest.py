"""What the tests of the topics share: a claim in another world, and figures that are closed when a test ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import matplotlib.pyplot as plt
import pytest


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    plt.close("all")


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """The verdict of a claim where names that its module uses mean something else: elsewhere(claim, *args, med=...)."""

    def verdict(claim, *args, **changes):
        for name, value in changes.items():
            monkeypatch.setitem(claim.check.__globals__, name, value)
        return claim(*args).verdict

    return verdict
