"""Chapter 16: checks of its exercises."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grokbook.exercises.asked import Mistakes, exercise, near
from grokbook.theory.semiring import direct_loss, order_four_solution, order_six_solution


@exercise("ex-16-even", draws={"d": range(4, 30, 2), "u": range(1, 10), "v": range(1, 10), "w": range(1, 10)})
def even(second: Sequence[float], scale: float, *, d: int, u: int, v: int, w: int) -> Mistakes:
    """Three real numbers, and a number."""
    a, b, c = np.array([(u, v, w), second], dtype=float).T
    answer = float((a * b * c).sum())
    yield near(answer, 0), "cancels z_a z_b z_c"
    yield not near((a * a * c).sum() / answer, 0), "both nodes", "a"
    yield not near((b * b * c).sum() / answer, 0), "both nodes", "b"
    yield near(scale * answer, 1), "with its third power"
    yield near(scale**3 * u * v * w, 1), "both nodes add to the sum z_a z_b"
    yield not near(scale**3 * answer, 1), "choose the scale so that the sum"


@exercise("ex-16-scale", draws={"d": range(5, 31, 2), "t": [n / 1000 for n in range(500, 2501) if not 950 < n < 1050]})
def scale(scale: float, least: float, nothing: float, *, d: int, t: float) -> Mistakes:
    """A factor and two losses."""
    yield near(scale, 1 / 3 / t), "with its cube"
    yield near(scale, 1 / t), "two wrong ones"
    yield not near(scale, 3 ** (-1 / 3) / t), "one frequency"
    yield near(least, 2 / 3), "the loss of one frequency"
    yield not near(least, direct_loss(scale * t * order_four_solution(d))), "put your scale into the loss"
    yield not near(nothing, (d - 1) / d), "there are d - 1 frequencies"


@exercise("ex-16-copies", draws={"d": range(5, 19, 2), "y": [n / 1000 for n in range(300, 3000)]})
def copies(x: float, ratio: float, *, d: int, y: float) -> Mistakes:
    """A factor, and a quotient of two squared norms."""
    z = order_six_solution(d)
    yield near(x, 1 / (1 + y)), "third degree"
    yield direct_loss(x * (z + y * z)) > 1e-6, "with this factor the network"
    yield near(ratio, x**2), "one copy"
    yield near(ratio, x * (1 + y)), "squares"
    yield not near(ratio, x**2 * (1 + y**2)), "more than once"
