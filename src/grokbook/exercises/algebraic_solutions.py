"""Chapter 16: checks of its exercises."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grokbook.exercises.asked import Mistakes, exercise, near
from grokbook.theory import zero_loss
from grokbook.theory.semiring import block, direct_loss, frequency_losses, order_four_solution, order_six_solution


@exercise("ex-16-even", draws={"d": range(4, 30, 2), "u": range(1, 10), "v": range(1, 10), "w": range(1, 10)})
def even(second: Sequence[float], scale: float, *, d: int, u: int, v: int, w: int) -> Mistakes:
    """Three real numbers, and a number."""
    (a, b, c), nodes = np.array([(u, v, w), second], dtype=float).T, [(u, v, w), tuple(second)]
    answer = float((a * b * c).sum())
    yield near(answer, 0), "cancels z_a z_b z_c"
    for name, own in (("a", a), ("b", b)):
        yield not near((own * own * c).sum() / answer, 0), "both nodes", name
    if frequency_losses(float(scale) * block(d, d // 2, nodes))[d // 2 - 1] < 1e-6:
        return
    yield near(scale * answer, 1), "with its third power"
    yield near(scale**3 * u * v * w, 1), "both nodes add to the sum z_a z_b"
    yield True, "choose the scale so that the sum"


@exercise("ex-16-scale", draws={"d": range(5, 31, 2), "t": [n / 1000 for n in range(500, 2501) if not 950 < n < 1050]})
def scale(scale: float, least: float, nothing: float, *, d: int, t: float) -> Mistakes:
    """A factor and two losses."""
    network = t * order_four_solution(d)
    zero, one, minus = (direct_loss(x * network) for x in (0.0, 1.0, -1.0))  # the loss is a parabola of the cube
    cube = (minus - one) / (2 * (one + minus - 2 * zero))
    if not near(scale, np.cbrt(cube)):
        yield near(scale, cube * t**2), "with its cube"
        yield near(scale, 1 / t), "two wrong ones"
        yield True, "one frequency"
    if not near(least, direct_loss(float(np.cbrt(cube)) * network)):
        yield near(least, 2 / 3), "the loss of one frequency"
        yield True, "put your scale into the loss"
    yield not near(nothing, zero), "there are d - 1 frequencies"


@exercise("ex-16-copies", draws={"d": range(5, 19, 2), "y": [n / 1000 for n in range(300, 3000)]})
def copies(x: float, ratio: float, *, d: int, y: float) -> Mistakes:
    """A factor, and a quotient of two squared norms."""
    z = order_six_solution(d)
    if direct_loss(float(x) * (z + y * z)) > 1e-6:
        yield near(x, 1 / (1 + y)), "third degree"
        yield True, "with this factor the network"
    if near(ratio, zero_loss.squared_norm(float(x) * (z + y * z)) / zero_loss.squared_norm(z)):
        return
    yield near(ratio, x**2), "one copy"
    yield near(ratio, x * (1 + y)), "squares"
    yield True, "more than once"
