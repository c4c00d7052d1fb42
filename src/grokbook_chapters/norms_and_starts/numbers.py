"""What the appendix to chapter 03 computes: tables at random, bounds, spreads of steps."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from grokbook.measures import med
from grokbook.theory.one_frequency import circle
from grokbook.theory.toeplitz_start import draw_start, spread_between, spread_within
from grokbook.theory.uniformity import closeness
from grokbook_chapters.norms_and_starts.med_limit import med_limit


def bounds(p: int, d: int) -> pd.DataFrame:
    """MED of three embeddings beside its bound by the radii of the classes.

    They are normal numbers of shape (p, d), a circle of frequency (p - 1) / 2, and this circle in
    two planes at right angles, one an operand.

    Example:
        >>> bounds(3, 2).round(4).loc["circle"].tolist()
        [1.7321, 1.7321]
    """
    drawn = np.random.default_rng(0).normal(size=(p, d))
    ring = circle(p, p // 2)
    first = np.hstack([ring, np.zeros_like(ring)])
    second = np.hstack([np.zeros_like(ring), ring])
    rows = {
        "random": (med(drawn), med_limit(closeness(drawn).deltas)),
        "circle": (med(ring), med_limit(closeness(ring).deltas)),
        "two circles": (med(first), med_limit(closeness(first, second).deltas, shared=False)),
    }
    table = pd.DataFrame.from_dict(rows, orient="index", columns=["MED", "bound"])
    return table.rename_axis("embedding")


def draw_tables(kind: str, size: int, count: int, draws: np.random.Generator) -> list[np.ndarray]:
    """Tables of one kind of start, `size` symbols of as many entries, of variance one."""
    return [draw_start(kind, size, size, draws) for _ in range(count)]


def numbers(size: int, n_tables: int) -> dict[str, str]:
    """What the prose says of Toeplitz starts of `size` symbols: how much the squared steps spread
    in one table, and their mean between tables, over the spread for independent entries."""

    def ratio(spread: Callable[[str, int, int], float]) -> float:
        return np.sqrt(spread("toeplitz", size, size) / spread("independent", size, size))

    return {
        "size": f"{size}",
        "n_tables": f"{n_tables:,}",
        "within_ratio": f"{ratio(spread_within):.2f}",
        "between_ratio": f"{ratio(spread_between):.1f}",
    }
