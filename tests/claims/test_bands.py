"""The value of a claim lies in its own band, where it has one: a reader compares a new number with that band.

The numbers are the settled ones; `test_verdicts.py` holds them equal to what the checks find.
"""

import pytest

from . import settled_numbers

ROUNDING = 1e-9
"""Of the value: a formula and its integration differ by that."""


def outside(value, low, high) -> bool:
    """Is the value below its band, or above it? What is not given does not bound."""
    if value is None:
        return False
    slack = ROUNDING * abs(value)
    below = low is not None and value < low - slack
    above = high is not None and value > high + slack
    return below or above


@pytest.mark.parametrize(
    ("value", "low", "high", "expected"),
    [(1.0, 0.0, 2.0, False), (3.0, 0.0, 2.0, True), (-1.0, 0.0, 2.0, True), (3.0, None, 2.0, True),
     (3.0, 0.0, None, False), (None, 0.0, 2.0, False), (2.0, 2.0, 2.0, False),
     (1 + 1e-12, 1.0, 1.0, False), (1 + 1e-6, 1.0, 1.0, True)],
)  # fmt: skip
def test_a_value_outside_its_band_is_seen(value, low, high, expected):
    assert outside(value, low, high) is expected


def test_every_value_lies_in_its_own_band():
    settled = settled_numbers.settled()
    wrong = {name: numbers[:3] for name, numbers in settled.items() if outside(*numbers[:3])}
    assert settled and wrong == {}
