"""Chapter 14: checks of its exercises."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grokbook.chapters.transformer_representations import embedding, runs
from grokbook.claims import load
from grokbook.exercises.asked import Mistakes, exercise, near
from grokbook.measures.principal import ring_share


@exercise(
    "ex-14-chance",
    draws={"few": (7, 9, 11, 13, 15, 17, 19), "many": range(51, 101, 2), "width": range(48, 97)},
    quick={"draws": 150},
)
def chance(levels: Sequence[float], *, few: int, many: int, width: int) -> Mistakes:
    """Two ring shares."""
    first, second = map(float, levels)
    yield near(first, 2 / (few - 1)) or near(second, 2 / (many - 1)), "mean share of a frequency"
    yield first < second, "must fall"
    right = [embedding.chance_ring(p, width) for p in (few, many)]
    if near(first / right[0], 1, 0.15) and near(second / right[1], 1, 0.15):
        return
    yield first < right[0] or second < right[1], "the middle of them"
    yield True, "too high"


@exercise("ex-14-circles", draws={"n": range(2, 9), "r": [k / 1000 for k in range(1050, 3001)]})
def circles(equal: float, d_eff: float, ring: float, *, n: int, r: float) -> Mistakes:
    """Two effective dimensions and a ring share."""

    def dimension(first: float) -> float:
        shares = np.repeat([first, *np.ones(n - 1)], 2) / (2 * (first + n - 1))
        return float(np.exp(-shares @ np.log(shares)))

    if not near(equal, 2 * n):
        yield near(equal, n), "two dimensions"
        yield True, "all axes have one variance"
    if not near(d_eff, dimension(r**2), 1e-4):
        yield near(d_eff, dimension(r), 1e-4), "with the square"
        yield True, "no longer equal"
    if near(ring, 1):
        return
    yield near(ring, r**2 / (r**2 + n - 1)), "of the plane"
    yield True, "the plane of the first two axes"


@exercise("ex-14-stranger", draws={"run": range(6), "seed": range(100_000)})
def stranger(a: float, own: float, strange: float, *, run: int, seed: int) -> Mistakes:
    """A number, and two ring shares."""
    small = load({"small": runs.by_decay()[runs.USUAL]})["small"]
    start, end = small.embedding.isel(seed=run, snapshot=[0, -1]).values.astype(float)
    left = float(embedding.share_left(start, end))
    if not near(a, left):
        yield near(a, left * np.linalg.norm(start) / np.linalg.norm(end)), "a cosine"
        yield True, "the inner product of two tables"
    if not near(own, ring_share(start, of=end)):
        yield near(own, ring_share(start)), "its own axes"
        yield True, "use ring_share(start"
    other = np.random.default_rng(seed).normal(size=start.shape)
    rest = end - embedding.kept(start, np.asarray(left))
    if near(strange, ring_share(other, of=left * other + rest)):
        return
    yield near(strange, ring_share(other, of=end)), "nothing of the stranger"
    yield near(strange, ring_share(other, of=other + rest)), "all of the stranger"
    yield True, "the stranger's end is a times"
