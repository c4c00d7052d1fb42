"""Chapter 14: checks of its exercises."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grokbook.chapters.transformer_representations import embedding, runs
from grokbook.claims import load
from grokbook.exercises.asked import exercise, near
from grokbook.measures.principal import ring_share


@exercise(
    "ex-14-chance",
    draws={"few": (7, 9, 11, 13, 15, 17, 19), "many": range(51, 101, 2), "width": range(48, 97)},
    quick={"draws": 150},
)
def chance(levels: Sequence[float], *, few: int, many: int, width: int) -> str | None:
    """Two ring shares."""
    first, second = map(float, levels)
    if near(first, 2 / (few - 1)) or near(second, 2 / (many - 1)):
        return "this is the mean share of a frequency; a ring share is that of the strongest one."
    if first < second:
        return "it must fall with the number of symbols, for more frequencies share the power."
    right = [embedding.chance_ring(p, width) for p in (few, many)]
    if near(first / right[0], 1, 0.15) and near(second / right[1], 1, 0.15):
        return None
    if first < right[0] or second < right[1]:
        return (
            "more than 5 % of the draws exceed this; take the 0.95 quantile of the ring shares, not the middle of them."
        )
    return "this is too high: fewer than 5 % of the draws exceed it."


@exercise("ex-14-circles", draws={"n": range(2, 9), "r": [k / 1000 for k in range(1050, 3001)]})
def circles(equal: float, d_eff: float, ring: float, *, n: int, r: float) -> str | None:
    """Two effective dimensions and a ring share."""

    def dimension(first: float) -> float:
        shares = np.repeat([first, *np.ones(n - 1)], 2) / (2 * (first + n - 1))
        return float(np.exp(-shares @ np.log(shares)))

    if not near(equal, 2 * n):
        return "a circle needs two dimensions." if near(equal, n) else "all axes have one variance: count them."
    if not near(d_eff, dimension(r**2), 1e-4):
        if near(d_eff, dimension(r), 1e-4):
            return "a variance grows with the square of the size."
        return "the variances are no longer equal, so the effective dimension is less than the number of axes."
    if near(ring, 1):
        return None
    if near(ring, r**2 / (r**2 + n - 1)):
        return "this is the share of the plane in all variance; a ring share is that of a frequency within the plane."
    return "the plane of the first two axes holds the largest circle alone, and that has one frequency."


@exercise("ex-14-stranger", draws={"run": range(6), "seed": range(100_000)})
def stranger(a: float, own: float, strange: float, *, run: int, seed: int) -> str | None:
    """A number, and two ring shares."""
    small = load({"small": runs.by_decay()[runs.USUAL]})["small"]
    start, end = small.embedding.isel(seed=run, snapshot=[0, -1]).values.astype(float)
    left = float(embedding.share_left(start, end))
    if not near(a, left):
        if near(a, left * np.linalg.norm(start) / np.linalg.norm(end)):
            return "this is a cosine; divide by the square of the start's length alone."
        return "the inner product of two tables is the sum of the products of their entries."
    if not near(own, ring_share(start, of=end)):
        return (
            "this is the start on its own axes." if near(own, ring_share(start)) else "use ring_share(start, of=end)."
        )
    other = np.random.default_rng(seed).normal(size=start.shape)
    rest = end - embedding.kept(start, np.asarray(left))
    if near(strange, ring_share(other, of=left * other + rest)):
        return None
    if near(strange, ring_share(other, of=end)):
        return "this end has nothing of the stranger in it, and the true one has a part of its start: no fair control."
    if near(strange, ring_share(other, of=other + rest)):
        return "this end has all of the stranger in it, but of the true start only the part a is left."
    return "the stranger's end is a times the stranger, and what training has put there."
