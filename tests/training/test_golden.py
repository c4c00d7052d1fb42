"""No change of the library may change what was recorded: every key, and what one small run of each kind logs."""

import json

import golden_runs
import numpy as np
import pytest

GOLDEN = json.loads(golden_runs.FILE.read_text())


def test_no_record_has_another_key():
    """Records may be added."""
    assert GOLDEN["keys"].items() <= golden_runs.keys().items()


@pytest.mark.parametrize("kind", GOLDEN["runs"])
def test_each_kind_of_run_logs_what_it_did(kind):
    """Equal to rounding: another processor may add in another order."""
    found, expected = golden_runs.logged(kind), GOLDEN["runs"][kind]
    assert set(found) == set(expected)
    for name, values in expected.items():
        np.testing.assert_allclose(found[name], values, rtol=1e-5, atol=1e-6, err_msg=name)
