"""Chapter 16: checks of its exercises."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from companion.exercises.registry import Mistakes, divided, exercise, number, tolerance


@exercise(
    "ex-16-even",
    draws={"d": range(4, 30, 2), "u": range(1, 10), "v": range(1, 10), "w": range(1, 10)},
)
def even(second: Sequence[float], scale: float, *, d: int, u: int, v: int, w: int) -> Mistakes:
    """Three real numbers, and a number, all to three digits."""
    a, b, c = np.array([(u, v, w), second], dtype=float).T
    share = 3 * tolerance(1)  # of a product of three numbers, by which rounding moves it at most

    def vanishes(products: np.ndarray) -> bool:
        return bool(abs(products.sum()) <= share * np.abs(products).sum())

    yield vanishes(a * b * c), "cancels z_a z_b z_c"
    for name, own in (("a", a), ("b", b)):
        yield not vanishes(own * own * c), "both nodes", name
    answer = float((a * b * c).sum())
    typical = (
        ("with its third power", 1 / answer),
        ("both nodes add to the sum z_a z_b", np.cbrt(1 / (u * v * w))),
    )
    yield from number(scale, np.cbrt(1 / answer), "choose the scale so that the sum", *typical)


@exercise(
    "ex-16-scale",
    draws={
        "d": range(5, 31, 2),
        "t": divided([n for n in range(500, 2501) if not 950 < n < 1050], 1000),
    },
)
def scale(scale: float, least: float, nothing: float, *, d: int, t: float) -> Mistakes:
    """A factor and two losses, all to three digits."""
    typical = ("with its cube", 1 / (3 * t)), ("two wrong ones", 1 / t)
    yield from number(scale, 3 ** (-1 / 3) / t, "one frequency", *typical)
    empty = (d - 1) / d
    yield from number(
        least, 2 / 3 * empty, "put your scale into the loss", ("the loss of one frequency", 2 / 3)
    )
    yield from number(nothing, empty, "there are d - 1 frequencies")


@exercise("ex-16-copies", draws={"d": range(5, 19, 2), "y": divided(range(300, 3000), 1000)})
def copies(x: float, ratio: float, *, d: int, y: float) -> Mistakes:
    """A factor, and a quotient of two squared norms, both to three digits."""
    right = (1 + y**3) ** (-1 / 3)
    yield from number(x, right, "with this factor the network", ("third degree", 1 / (1 + y)))
    typical = ("one copy", right**2), ("squares", right * (1 + y))
    yield from number(ratio, right**2 * (1 + y**2), "more than once", *typical)
