"""Two processes against one on 200 small runs: `python benchmarks/workers.py [ROUNDS]` says what each took, in turns.

The cookbook's network, at ten rates, ten decays and two seeds. By the clock, start of the processes included: where the
machine does something else too, the ratio says little. The processors' seconds say what the second process costs.
"""

from __future__ import annotations

import resource
import statistics
import sys
import time

import numpy as np

import grokbook as gb
from grokbook.runs.sweep import spaced

GRID = {"lr": spaced(1e-3, 1e-2, 10), "weight_decay": tuple(np.linspace(0, 2, 10))}


def trained(workers: int) -> tuple[float, float]:
    """Seconds by the clock and of the processors in which so many processes train the grid."""
    bits = np.arange(128)[:, None] >> np.arange(7) & 1
    task = gb.task(bits.astype(float), bits[:, :2].sum(1) % 2, train_fraction=0.5)
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    gb.sweep(task, gb.MLP((7, 32, 2)), grid=GRID, seeds=2, steps=600, workers=workers, store=False, progress=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter() - began, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Measure and print."""
    turns = [(trained(1), trained(2)) for _ in range(int(sys.argv[1]) if sys.argv[1:] else 5)]
    for what, place in (("by the clock", 0), ("of the processors", 1)):
        one, two = (statistics.median(turn[side][place] for turn in turns) for side in (0, 1))
        ratio = statistics.median(turn[0][place] / turn[1][place] for turn in turns)
        print(f"seconds {what}: one process {one:.1f}, two {two:.1f}, ratio {ratio:.2f}")


if __name__ == "__main__":
    main()
