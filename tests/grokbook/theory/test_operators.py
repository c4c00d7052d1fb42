"""Linear maps and starts (Gu et al. 2025, Lemmas 3.4 and B.1, Appendix B.3, Eq. 19; Gu 2024, Eq.
13)."""

from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ortho_group

from grokbook.theory import toeplitz_start as ts
from grokbook.theory.linear_operators import (
    chain_in_bases,
    in_bases,
    norms,
    splitting_error,
)
from grokbook_chapters.uniformity.minimal_map import pair_sums, printed_norm, smallest_map
from refusals import refusals


@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 1000))
def test_the_chain_with_the_rank(m, n, seed):
    rng = np.random.default_rng(seed)
    rank = rng.integers(1, min(m, n) + 1)
    found = norms(rng.normal(size=(m, rank)) @ rng.normal(size=(rank, n)))
    assert found.rank == rank
    assert 1 - 1e-12 <= found.frobenius / found.operator <= np.sqrt(rank) + 1e-12


@pytest.mark.parametrize("seed", range(20))
def test_orthonormal_bases_keep_both_norms(seed):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(3, 4))
    v, w = ortho_group.rvs(4, random_state=seed), ortho_group.rvs(3, random_state=seed)
    assert norms(in_bases(a, v, w)).operator == pytest.approx(norms(a).operator)
    assert np.linalg.norm(in_bases(a, v, w)) == pytest.approx(np.linalg.norm(a))
    assert chain_in_bases(a, v, w)


@pytest.mark.parametrize("scale", [0.1, 10.0])
def test_a_scaled_basis_breaks_either_end(scale):
    """M = l / scale: with 0.1 the right inequality fails, with 10 the left one."""
    assert in_bases([[1.0]], [[1.0]], [[scale]]) == pytest.approx(1 / scale)
    assert not chain_in_bases([[1.0]], [[1.0]], [[scale]])


@given(st.integers(0, 500))
def test_the_split_is_exact_under_a_frozen_pattern_only(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, 8, 4))
    w_in, w_out = rng.normal(size=(4, 16)), rng.normal(size=(16, 4))
    assert splitting_error(a, b, w_in, w_out, rng.integers(0, 2, 16)) < 1e-12
    assert splitting_error(a, b, w_in, w_out) > 0.01


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


@lru_cache
def draws(kind, p, d, n=20_000):
    """The squared steps of n tables; drawn once for all that is said of them."""
    rng = np.random.default_rng(0)
    return np.array([ts.squared_steps(ts.draw_start(kind, p, d, rng)) for _ in range(n)])


STARTS = [("independent", 8, 5), ("toeplitz", 8, 4), ("toeplitz", 5, 9), ("circulant", 6, 6)]


@pytest.mark.parametrize(("kind", "p", "d"), STARTS)
def test_mean_covariances_and_spreads_of_the_squared_steps(kind, p, d):
    means = draws(kind, p, d)[:4000].mean(axis=1)
    assert abs(means.mean() - 2 * d) < 4 * means.std() / np.sqrt(len(means))
    steps = draws(kind, p, d)[:, :-1]
    expected = [ts.step_covariance(kind, d, h) for h in range(p - 1)]
    assert np.abs(np.cov(steps.T)[0] - expected).max() < 0.06 * expected[0]
    steps = steps / (2 * d)
    assert steps.var(axis=1).mean() == pytest.approx(
        ts.spread_within(kind, p, d), rel=0.05, abs=1e-12
    )
    assert steps.mean(axis=1).var() == pytest.approx(ts.spread_between(kind, p, d), rel=0.05)


def test_circulant_tables_have_equal_steps():
    assert ts.spread_within("circulant", 97, 97) == pytest.approx(0, abs=1e-12)
    steps = ts.squared_steps(ts.draw_start("circulant", 11, 11, np.random.default_rng(1)))
    assert steps == pytest.approx(np.full(11, steps[0]))


test_refusals_name_the_value_and_the_rule = refusals(
    (lambda: in_bases(np.eye(2), np.eye(3), np.eye(2)), "do not fit"),
    (lambda: in_bases(np.eye(2), np.ones((2, 2)), np.eye(2)), "singular"),
    (lambda: norms([[np.nan]]), "not finite"),
    (lambda: smallest_map([[1, 1], [1, 0], [-1, 0]], [1.0]), "0 lies in the affine hull"),
    (lambda: smallest_map([[1.0]], [0.0]), "r is zero"),
    (lambda: printed_norm([[0.0]], [1.0]), "are zero"),
    (lambda: ts.draw_start("random", 3, 3, np.random.default_rng(0)), "is unknown"),
    (lambda: ts.draw_start("circulant", 3, 4, np.random.default_rng(0)), "the nearest has d = 3"),
)
