"""Chapter 14: checks of its exercises."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from companion.claims import load
from companion.exercises.registry import Mistakes, divided, exercise, near, number
from grokbook.measures.principal import exceeded_by_chance, ring_share
from grokbook_chapters.transformer_representations import embedding, runs


@exercise(
    "ex-14-chance",
    draws={"few": (7, 9, 11, 13, 15, 17, 19), "many": range(51, 101, 2), "width": range(48, 97)},
    quick={"draws": 150},
)
def chance(levels: Sequence[float], *, few: int, many: int, width: int) -> Mistakes:
    """Two ring shares, as exact as a hundred draws make them."""
    right = [exceeded_by_chance(ring_share, (p, width)) for p in (few, many)]
    if near(levels, right, within=0.15 * np.array(right)):
        return
    first, second = map(float, levels)
    yield near(first, 2 / (few - 1)) or near(second, 2 / (many - 1)), "mean share of a frequency"
    yield first < second, "must fall"
    yield first < right[0] or second < right[1], "the middle of them"
    yield True, "too high"


@exercise("ex-14-circles", draws={"n": range(2, 9), "r": divided(range(1300, 3001), 1000)})
def circles(equal: float, d_eff: float, ring: float, *, n: int, r: float) -> Mistakes:
    """Two effective dimensions and a ring share, all to three digits."""

    def dimension(first: float) -> float:
        shares = np.repeat([first, *np.ones(n - 1)], 2) / (2 * (first + n - 1))
        return float(np.exp(-shares @ np.log(shares)))

    yield from number(equal, 2 * n, "all axes have one variance", ("two dimensions", n))
    typical = ("with the square", dimension(r)), ("no longer equal", 2 * n)
    yield from number(d_eff, dimension(r**2), "no longer equal", *typical)
    plane = ("of the plane", r**2 / (r**2 + n - 1))
    yield from number(ring, 1, "the plane of the first two axes", plane)


@exercise("ex-14-stranger", draws={"run": range(9), "seed": range(100_000)})
def stranger(a: float, own: float, strange: float, *, run: int, seed: int) -> Mistakes:
    """A number, and two ring shares, all to three digits."""
    small = load({"small": runs.by_decay()[runs.USUAL]})["small"]
    start, end = small.embedding.isel(seed=run, snapshot=[0, -1]).values.astype(float)
    left = float(embedding.share_left(start, end))
    cosine = ("a cosine", left * np.linalg.norm(start) / np.linalg.norm(end))
    yield from number(a, left, "the inner product of two tables", cosine)
    its_own = ("its own axes", ring_share(start))
    yield from number(own, ring_share(start, of=end), "use ring_share(start", its_own)
    other = np.random.default_rng(seed).normal(size=start.shape)
    rest = end - embedding.remains(start, np.asarray(left))
    nothing = ("nothing of the stranger", ring_share(other, of=end))
    typical = nothing, ("all of the stranger", ring_share(other, of=other + rest))
    right = ring_share(other, of=left * other + rest)
    yield from number(strange, right, "the stranger's end is a times", *typical)
