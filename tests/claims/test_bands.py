"""The value of a claim lies in its own band, where it has one: a reader compares a new number with that band.

The numbers are the settled ones; `test_verdicts.py` holds them equal to what the checks find.
"""

import pytest

from . import settled_numbers


def outside(value, low, high) -> bool:
    """Is the value below its band, or above it? What is not given does not bound."""
    if value is None:
        return False
    below = low is not None and value < low
    above = high is not None and value > high
    return below or above


@pytest.mark.parametrize(
    ("value", "low", "high", "expected"),
    [(1.0, 0.0, 2.0, False), (3.0, 0.0, 2.0, True), (-1.0, 0.0, 2.0, True), (3.0, None, 2.0, True),
     (3.0, 0.0, None, False), (None, 0.0, 2.0, False), (2.0, 2.0, 2.0, False)],
)  # fmt: skip
def test_a_value_outside_its_band_is_seen(value, low, high, expected):
    assert outside(value, low, high) is expected


def test_every_value_lies_in_its_own_band():
    settled = settled_numbers.settled()
    wrong = {name: numbers[:3] for name, numbers in settled.items() if outside(*numbers[:3])}
    assert settled and wrong == {}
