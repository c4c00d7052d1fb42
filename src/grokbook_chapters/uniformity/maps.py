"""Claims on additive blocks and on the smallest map (Gu et al. 2025, section 3, App. B)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from companion.claims import Finding, claim, judge
from grokbook.measures import med
from grokbook.measures.geometry import diameter
from grokbook.theory.linear_operators import splitting_error
from grokbook_chapters.uniformity.minimal_map import printed_norm, smallest_map

LEMMA = "The smallest map"


@claim(
    "G01",
    "gu2025",
    "section 3.2, appendix B.3",
    section="No additive network can add",
    kind="formula",
    shown_by="counterexample",
    says=(
        "for a block B of width {d} as it starts, B(a + b) differs from B(a) + B(b) by up to "
        "{value:.2f} of the largest output, by {frozen:.0e} when the same units are on for every "
        "cell"
    ),
)
def block_is_additive(d: int = 16, cells: int = 200) -> Finding:
    """The output at cls is a truncated linear map of phi(i) plus one of phi(j).

    The form also leaves out that the weights of attention depend on both operands at once. With a
    pattern of switched-on units that is the same for a, b and a + b the block is linear; where
    truncations depend on both operands the form is exact and no sum of two parts. The error of
    writing the block's output as a function of i plus a function of j.
    """
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, cells, d)) / np.sqrt(d)
    w_in = rng.normal(size=(d, 4 * d)) / np.sqrt(d)
    w_out = rng.normal(size=(4 * d, d)) / np.sqrt(d)
    free = splitting_error(a, b, w_in, w_out)
    frozen = splitting_error(a, b, w_in, w_out, rng.integers(0, 2, 4 * d))
    return judge(free < 1e-9, value=free, d=d, frozen=frozen)


def _least_over_printed(x: np.ndarray) -> float:
    return smallest_map(x, [1.0]).norm / printed_norm(x, [1.0])


def on_the_sphere(x: np.ndarray) -> np.ndarray:
    """The rows of x, each divided by its length."""
    return x / np.linalg.norm(x, axis=1, keepdims=True)


@claim(
    "G13",
    "gu2025",
    "after Lemma B.1, Remark 3.9",
    section=LEMMA,
    kind="theorem",
    shown_by="proof",
    also=("G12", "G56"),
    says=(
        "with all x_i equal the least norm is {collapsed:.3f} times |r|/2M and MED is {med:.0f}; "
        "for {draws} other choices on the sphere it is at least {value:.3f} times. Equality forces "
        "x_i = x_-i = v/2: one point. By the other reading, against the same directions with "
        "lengths from 1/2 to 1, the sphere has the smaller norm in {outward} of {draws}: a matter "
        "of length, not of being spread"
    ),
)
def minimum_is_a_manifold(p: int = 11, d: int = 8, draws: int = 50) -> Finding:
    """By Lemma B.1 embeddings "uniformly distributed on the n - 1 dimensional manifold will reduce
    the sum of norms".

    Remark 3.9 does not say against what; our reading of "distributed on a smooth manifold" after
    the lemma, which one point of a sphere satisfies as printed. What the x of norm at most M look
    like for which the least norm |r| / 2M is attained, and whether moving x out to the sphere
    lowers the norm.
    """
    rng = np.random.default_rng(0)
    same = np.tile(rng.normal(size=d), (p, 1))
    collapsed = _least_over_printed(same)
    spread = []
    outward = 0
    for _ in range(draws):
        x = on_the_sphere(same + rng.uniform(0.1, 1) * rng.normal(size=(p, d)))
        spread.append(_least_over_printed(x))
        inner = smallest_map(rng.uniform(0.5, 1, size=(p, 1)) * x, [1.0])
        outward += smallest_map(x, [1.0]).norm < inner.norm
    alone = abs(collapsed - 1) < 1e-9 and min(spread) > 1 + 1e-9 and med(same) == 0
    return judge(
        not alone,
        value=float(min(spread)),
        collapsed=collapsed,
        med=med(same),
        draws=draws,
        outward=outward,
    )


def descend(x: np.ndarray, steps: int, rate: float = 0.1) -> np.ndarray:
    """Vectors on the unit sphere while the least norm of Lemma B.1 falls: x at each step, (steps +
    1, p, d).

    The norm is 1/|v| with v the nearest point of the hull, and x_i and x_-i move it by their
    weights: each x_i is moved along its weight times v/|v| and put back on the sphere.
    """
    path = [on_the_sphere(np.asarray(x, dtype=float))]
    for _ in range(steps):
        best = smallest_map(path[-1], [1.0])
        weights = best.weights + best.weights[-np.arange(len(x)) % len(x)]
        step = rate * np.outer(weights, best.nearest) * best.norm
        path.append(on_the_sphere(path[-1] + step))
    return np.stack(path)


def descents(p: int = 11, d: int = 8, draws: int = 20, steps: int = 200) -> pd.DataFrame:
    """Descents of `descend` from spread starts on a sphere: a row a draw and step, with the least
    `norm` of one class, MED as `med` and the `diameter` of the vectors."""
    rng = np.random.default_rng(0)
    rows = []
    for draw in range(draws):
        start = rng.normal(size=d) + 0.7 * rng.normal(size=(p, d))
        for step, x in enumerate(descend(start, steps)):
            norm = smallest_map(x, [1.0]).norm
            rows.append((draw, step, norm, med(x), diameter(x)))
    return pd.DataFrame(rows, columns=["draw", "step", "norm", "med", "diameter"])
