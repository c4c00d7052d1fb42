"""The smallest map that sends sums to a class (Gu et al. 2025, Lemma B.1)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grokbook_chapters.uniformity.minimal_map import pair_sums, printed_norm, smallest_map
from refusals import refusals


def gaussian(p, d, seed=0):
    return np.random.default_rng(seed).normal(size=(p, d))


@pytest.mark.parametrize(("p", "d", "m"), [(3, 2, 1), (5, 4, 2), (7, 9, 3), (11, 8, 1), (6, 5, 2)])
def test_the_map_meets_its_constraints_and_has_its_norm(p, d, m):
    x, r = gaussian(p, d), gaussian(1, m, seed=1)[0]
    found = smallest_map(x, r)
    for i in range(p):
        assert found.matrix @ (x[i] + x[-i % p]) == pytest.approx(r)
    assert np.linalg.norm(found.matrix, 2) == pytest.approx(found.norm)
    assert np.linalg.norm(found.matrix) == pytest.approx(found.norm), "rank one: both norms agree"


@given(st.sampled_from([3, 5, 7, 11]), st.integers(0, 200))
def test_no_map_is_smaller_by_duality(p, seed):
    """The weights prove it: sum(a) = 1, so every admissible map sends v = sum a_i s_i to r."""
    x = gaussian(p, p, seed)
    found = smallest_map(x, [2.0])
    assert found.weights.sum() == pytest.approx(1)
    assert found.weights @ pair_sums(x) == pytest.approx(found.nearest, abs=1e-9)
    assert 2 / np.linalg.norm(found.nearest) == pytest.approx(found.norm)


@pytest.mark.parametrize("p", [3, 5, 8])
def test_the_printed_value_is_right_exactly_at_collapse(p):
    """Equal vectors attain it; moving one of them by 1e-3 does not."""
    x = np.tile([3.0, 4.0], (p, 1))
    assert smallest_map(x, [1.0]).norm == pytest.approx(printed_norm(x, [1.0])) == 0.1
    moved = x.copy()
    moved[1] += [1e-3 * 4 / 5, -1e-3 * 3 / 5]
    assert smallest_map(moved, [1.0]).norm > printed_norm(moved, [1.0]) * (1 + 1e-9)


test_refusals_name_the_value_and_the_rule = refusals(
    (lambda: smallest_map([[1, 1], [1, 0], [-1, 0]], [1.0]), "0 lies in the affine hull"),
    (lambda: smallest_map([[1.0]], [0.0]), "r is zero"),
    (lambda: printed_norm([[0.0]], [1.0]), "are zero"),
)
