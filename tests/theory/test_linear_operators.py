"""Lemma 3.4 and the additive form of the MLP block (Gu et al. 2025, Eqs. 2 and 3, Appendix B.3)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ortho_group

from grokbook.errors import ParameterError
from grokbook.theory.linear_operators import Norms, chain_in_bases, in_bases, norms, relu_block, splitting_error


@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 1000))
def test_the_chain_with_the_rank(m, n, seed):
    rng = np.random.default_rng(seed)
    rank = rng.integers(1, min(m, n) + 1)
    found = norms(rng.normal(size=(m, rank)) @ rng.normal(size=(rank, n)))
    assert found.rank == rank
    assert found.chain_holds


def test_the_chain_can_fail_for_made_up_numbers():
    assert not Norms(1.0, 3.0, 4).chain_holds
    assert not Norms(2.0, 1.0, 4).chain_holds


@pytest.mark.parametrize("n", [1, 2, 5])
def test_both_ends_are_attained(n):
    """Left by a map of rank one, right by one whose singular values are equal."""
    one = norms(np.outer(np.arange(1, n + 1), np.ones(n)))
    assert one.operator == pytest.approx(one.frobenius)
    even = norms(3 * np.eye(n))
    assert even.frobenius == pytest.approx(np.sqrt(n) * even.operator)


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


def test_frobenius_can_fall_while_the_operator_norm_rises():
    before, after = norms(np.diag([1.0, 1.0])), norms(np.diag([1.2, 0.0]))
    assert after.frobenius < before.frobenius
    assert after.operator > before.operator


def test_a_block_against_a_loop():
    rng = np.random.default_rng(0)
    x, w_in, w_out = rng.normal(size=(3, 2)), rng.normal(size=(2, 5)), rng.normal(size=(5, 2))
    for row, out in zip(x, relu_block(x, w_in, w_out), strict=True):
        hidden = [max(sum(row[k] * w_in[k, h] for k in range(2)), 0.0) for h in range(5)]
        assert out == pytest.approx([row[c] + sum(hidden[h] * w_out[h, c] for h in range(5)) for c in range(2)])


@given(st.integers(0, 500))
def test_the_split_is_exact_under_a_frozen_pattern_only(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, 8, 4))
    w_in, w_out = rng.normal(size=(4, 16)), rng.normal(size=(16, 4))
    assert splitting_error(a, b, w_in, w_out, rng.integers(0, 2, 16)) < 1e-12
    assert splitting_error(a, b, w_in, w_out) > 0.01


def test_relu_of_one_and_minus_one():
    """ReLU(1 + (-1)) = 0, not ReLU(1) + ReLU(-1) = 1."""
    assert relu_block([[0.0]], [[1.0]], [[1.0]]) == 0
    assert relu_block([[1.0]], [[1.0]], [[1.0]]) + relu_block([[-1.0]], [[1.0]], [[1.0]]) == 1


@pytest.mark.parametrize(
    ("call", "words"),
    [(lambda: in_bases(np.eye(2), np.eye(3), np.eye(2)), "do not fit"),
     (lambda: in_bases(np.eye(2), np.ones((2, 2)), np.eye(2)), "singular"),
     (lambda: norms([[np.nan]]), "not finite"), (lambda: relu_block([[np.inf]], [[1.0]], [[1.0]]), "not finite")],
)  # fmt: skip
def test_refusals(call, words):
    with pytest.raises(ParameterError, match=words):
        call()
