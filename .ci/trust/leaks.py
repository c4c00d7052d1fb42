"""Thousands of training runs in one process, and hundreds of chapter runs: does memory grow, is
anything left open?

`train` and `load_or_run` are called again and again in this process; then a chapter is run again
and again, each time in a fresh kernel. After a tenth of the calls as warm-up, the resident memory
must not grow by more than 1 % (median of the last tenth of the readings over that of the first),
and no process, open file, thread, lock or temporary file may be there that was not there before.

    python .ci/trust/leaks.py          10,000 calls of each, 500 chapter runs
    python .ci/trust/leaks.py 0.05     a twentieth of these
"""

from __future__ import annotations

import dataclasses
import functools
import gc
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil

from companion.page import sources
from companion.site.rerun import rerun
from grokbook.models.toy import Toy
from grokbook.paths import project_root
from grokbook.runs import load_or_run, provenance
from grokbook.runs.experiment import Experiment
from grokbook.runs.store import Store
from grokbook.training import RunConfig, Schedule, train
from grokbook_chapters.liu2022 import addition

GROWTH = 0.01
WARM_UP = 10  # one call in so many


def held() -> dict[str, int]:
    """What this process holds once what can be collected was: open files, threads, children,
    temporary files.
    """
    gc.collect()
    me = psutil.Process()
    temporary = sum(1 for _ in Path(tempfile.gettempdir()).rglob("*"))
    return {
        "files": me.num_fds(),
        "threads": threading.active_count(),
        "children": len(me.children(True)),
        "temporary": temporary,
    }


@dataclass(frozen=True)
class Found:
    """What many calls left: growth of the memory after the warm-up, as a share, and what is there
    more than before."""

    calls: int
    megabytes: float
    growth: float
    left: dict[str, int]
    seconds: float

    def describe(self) -> str:
        """The finding as a line."""
        more = ", ".join(f"{number} {kind}" for kind, number in self.left.items())
        memory = f"{self.megabytes:.0f} MB, {self.growth:+.2%}"
        return f"{self.calls:,} times, {memory}; left: {more}; {self.seconds / 60:.0f} min"

    @property
    def wrong(self) -> bool:
        """Whether anything grew."""
        return self.growth > GROWTH or any(more > 0 for more in self.left.values())


def repeated(call: Callable[[int], object], calls: int) -> Found:
    """Make the call so often, with its number, and compare the last tenth with the tenth after the
    warm-up."""
    begun, readings = time.monotonic(), []
    warm, every = max(calls // WARM_UP, 2), max(calls // WARM_UP // 10, 1)
    for number in range(calls):
        call(number)
        if number == warm - 1:
            before = held()
        if number >= warm and number % every == 0:
            readings.append(psutil.Process().memory_info().rss / 2**20)
    after, tenth = held(), max(len(readings) // 9, 1)
    first, last = statistics.median(readings[:tenth]), statistics.median(readings[-tenth:])
    left = {kind: after[kind] - before[kind] for kind in after}
    return Found(calls, last, last / first - 1, left, time.monotonic() - begun)


def small(seed: int) -> RunConfig:
    """The smallest run."""
    log = Schedule(dense_until=0, points=2)
    plain = addition(steps=10)
    return dataclasses.replace(plain, model=Toy(10, hidden=(8,)), log=log, stop=None, seed=seed)


def trained(number: int) -> None:
    """A call of `train`: another seed each time, a checkpoint each tenth time."""
    with tempfile.TemporaryDirectory() as folder:
        kept = folder if number % 10 == 0 else None
        train([small(number)], device="cpu", progress=False, checkpoints=kept)


def recorded(number: int) -> None:
    """A call of `load_or_run` with a store of its own: locks, manifest, record."""
    with tempfile.TemporaryDirectory() as folder:
        one = Experiment("leaks/one", small(0), (number,))
        load_or_run(one, Store(folder), progress=False, device="cpu")
    provenance.USED.clear()  # what a page would print


def executed(number: int) -> None:
    """A run of chapter 08 at the smoke preset, as the command `run` makes it."""
    root = project_root()
    with tempfile.TemporaryDirectory() as folder:
        rerun(sources.find(root, "08").page("smoke"), root, Path(folder))


CALLS = {trained: 10_000, recorded: 10_000, executed: 500}
"""How often each is called."""


def main(share: float) -> bool:
    """Repeat this share of all calls and print what was found; whether anything grew."""
    wrong = False
    with tempfile.TemporaryDirectory(prefix="leaks-") as place:
        tempfile.tempdir = os.environ["TMPDIR"] = place
        provenance.commit = functools.cache(provenance.commit)  # else git is asked in every call
        os.environ["GROKBOOK_CORES"] = "1"
        for call, times in CALLS.items():
            found = repeated(call, int(share * times))
            print(f"{call.__name__}: {found.describe()}", flush=True)
            wrong = wrong or found.wrong
        tempfile.tempdir = None
    return wrong


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if sys.argv[1:] else 1.0))
