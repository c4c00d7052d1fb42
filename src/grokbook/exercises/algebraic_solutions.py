"""Chapter 16: checks of its exercises."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grokbook.exercises.asked import exercise, near
from grokbook.theory import zero_loss
from grokbook.theory.semiring import block, direct_loss, frequency_losses, order_four_solution, order_six_solution


@exercise("ex-16-even", draws={"d": range(4, 30, 2), "u": range(1, 10), "v": range(1, 10), "w": range(1, 10)})
def even(second: Sequence[float], scale: float, *, d: int, u: int, v: int, w: int) -> str | None:
    """Three real numbers, and a number."""
    (a, b, c), nodes = np.array([(u, v, w), second], dtype=float).T, [(u, v, w), tuple(second)]
    answer = float((a * b * c).sum())
    if near(answer, 0):
        return "the second node cancels z_a z_b z_c, the one sum that is needed."
    for name, own in (("a", a), ("b", b)):
        if not near((own * own * c).sum() / answer, 0):
            return f"the sum of z_{name} z_{name} z_c over both nodes must be zero, and is not."
    if frequency_losses(float(scale) * block(d, d // 2, nodes))[d // 2 - 1] < 1e-6:
        return None
    if near(scale * answer, 1):
        return "a factor of three coordinates enters their product with its third power."
    if near(scale**3 * u * v * w, 1):
        return "both nodes add to the sum z_a z_b z_c."
    return "choose the scale so that the sum of z_a z_b z_c over both nodes is one."


@exercise("ex-16-scale", draws={"d": range(5, 31, 2), "t": [n / 1000 for n in range(500, 2501) if not 950 < n < 1050]})
def scale(scale: float, least: float, nothing: float, *, d: int, t: float) -> str | None:
    """A factor and two losses."""
    network = t * order_four_solution(d)
    zero, one, minus = (direct_loss(x * network) for x in (0.0, 1.0, -1.0))  # the loss is a parabola of the cube
    cube = (minus - one) / (2 * (one + minus - 2 * zero))
    if not near(scale, np.cbrt(cube)):
        if near(scale, cube * t**2):
            return "a factor multiplies every sum of three coordinates with its cube."
        if near(scale, 1 / t):
            return "this makes the right sum one, but the two wrong ones grow too; less of all is better."
        return "write the loss of one frequency as (x - 1)^2 + 2 x^2, and find the least of it."
    if not near(least, direct_loss(float(np.cbrt(cube)) * network)):
        if near(least, 2 / 3):
            return "this is the loss of one frequency; the loss is their sum over d, and there are d - 1."
        return "put your scale into the loss."
    return (
        None if near(nothing, zero) else "there are d - 1 frequencies, each with the loss 1, and their sum is over d."
    )


@exercise("ex-16-copies", draws={"d": range(5, 19, 2), "y": [n / 1000 for n in range(300, 3000)]})
def copies(x: float, ratio: float, *, d: int, y: float) -> str | None:
    """A factor, and a quotient of two squared norms."""
    z = order_six_solution(d)
    if direct_loss(float(x) * (z + y * z)) > 1e-6:
        if near(x, 1 / (1 + y)):
            return "the sums that must be one are of third degree in the coordinates."
        return "with this factor the network is no solution: its sums are x^3 (1 + y^3) times those of z."
    if near(ratio, zero_loss.squared_norm(float(x) * (z + y * z)) / zero_loss.squared_norm(z)):
        return None
    if near(ratio, x**2):
        return "this is the squared norm of one copy."
    if near(ratio, x * (1 + y)):
        return "a squared norm adds up squares: x^2 and (x y)^2."
    return "the squared norm of both copies is more than once that of z, x^2 (1 + y^2) times."
