"""No change of the library may change what was recorded: every key, and what one small run of each
kind logs."""

import json

import golden_runs
import numpy as np
import pytest

GOLDEN = json.loads(golden_runs.FILE.read_text())


def test_no_record_has_another_key():
    """Records may be added."""
    assert GOLDEN["keys"].items() <= golden_runs.keys().items()


BAND = {"bfloat16": (2**-8, 1 / 8)}
"""Relative difference, and that of an accuracy, up to which a run is what it was; (1e-5, 1e-6) for
every other kind.

Numbers of bfloat16 have 8 bits. Processors with units for them round sums once, others every
product: 24 steps then end 1e-3 apart, and one pair of the smallest part of a set, 8 pairs, may be
answered otherwise.
"""


@pytest.mark.parametrize("kind", GOLDEN["runs"])
def test_each_kind_of_run_logs_what_it_did(kind):
    """Equal to rounding: another processor may add in another order."""
    found, expected = golden_runs.logged(kind), GOLDEN["runs"][kind]
    assert set(found) == set(expected)
    rounding, one_pair = BAND.get(kind, (1e-5, 1e-6))
    for name, values in expected.items():
        least = one_pair if "accuracy" in name else 1e-6
        np.testing.assert_allclose(found[name], values, rtol=rounding, atol=least, err_msg=name)
