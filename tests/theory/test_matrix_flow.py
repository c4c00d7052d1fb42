"""The matrix flow (Gu et al. 2025, Equations 8-10), its invariants and its exact three-variable reduction."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from grokbook.errors import ParameterError
from grokbook.theory import matrix_flow as mf
from grokbook.theory.triple_product import conserved, flow

TIMES = np.linspace(0, 4, 5)


def random_state(seed=0, p=5, d=4, n=6, scale=0.6):
    rng = np.random.default_rng(seed)
    return mf.matrix_state(*(scale * rng.normal(size=s) for s in ((p, d), (d, n), (n,))))


def one_hot(i, p=5):
    return np.eye(p)[i]


@pytest.mark.parametrize("loss", ["squared", "cross_entropy"])
def test_equations_are_minus_the_gradient(loss):
    """Equations 8-10 against automatic differentiation of the loss."""
    state, c = random_state(), one_hot(2)
    parts = [torch.tensor(v, requires_grad=True) for v in (state.W_U, state.W, state.x)]
    logits = parts[0] @ (parts[1] @ parts[2])
    target = torch.tensor(c)
    value = ((target - logits) ** 2).sum() / 2 if loss == "squared" else -(target * logits.log_softmax(0)).sum()
    value.backward()
    found = mf.matrix_velocity(state, c, loss=loss)
    for part, speed in zip(parts, (found.W_U, found.W, found.x), strict=True):
        assert np.allclose(speed, -part.grad.numpy(), atol=1e-13)


@pytest.mark.parametrize("loss", ["squared", "cross_entropy"])
def test_invariants_do_not_drift_for_either_loss(loss):
    path = mf.matrix_flow(random_state(1), one_hot(0), TIMES, loss=loss)
    for matrix in mf.invariants(path):
        assert np.abs(matrix - matrix[0]).max() < 1e-9
    assert np.abs(path.W[-1] - path.W[0]).max() > 0.01


@pytest.mark.parametrize(("target", "start"), [(1, (0.3, -0.8, -1.1)), (1, (-0.2, 0.5, 0.9)), (0, (0.7, 0.9, 1.2)),
                                               (-0.5, (0.4, 0.4, 0.6))])  # fmt: skip
def test_aligned_states_follow_the_three_variable_system_exactly(target, start):
    """Theorem C.8 with a map that is not constant: Equations 11-13 from Equations 8-10."""
    rng = np.random.default_rng(4)
    a, b, e = (v / np.linalg.norm(v) for v in (rng.normal(size=5), rng.normal(size=4), rng.normal(size=6)))
    path = mf.matrix_flow(mf.rank_one(start, a, b, e), target * a, TIMES)
    points, rest = mf.coordinates(path, a, b, e)
    assert np.abs(points - flow(start, TIMES, target=target)).max() < 1e-8
    assert rest.max() < 1e-9


def test_along_a_wrong_class_the_label_pulls_the_state_out_of_the_family():
    """delta_{s,c} = 0 is not the flow along class s of a one-hot label c: only a target vector 0 gives it."""
    a, b, e = one_hot(1), [1, 0], [1, 0]
    path = mf.matrix_flow(mf.rank_one([0.7, 0.9, 1.2], a, b, e), one_hot(0), TIMES)
    points, rest = mf.coordinates(path, a, b, e)
    assert rest[-1] > 0.1
    assert np.abs(points[-1] - flow([0.7, 0.9, 1.2], TIMES, target=0)[-1]).max() > 0.05


def test_matrix_invariants_are_the_scalar_ones():
    state = mf.rank_one([0.3, 0.8, -1.1], one_hot(1), [0, 1], [1, 1, 0])
    first, second = mf.invariants(state)
    x_w, w_u = conserved([0.3, 0.8, -1.1])
    assert np.trace(first) == pytest.approx(-w_u)
    assert np.trace(second) == pytest.approx(-x_w)


def test_an_equilibrium_with_a_wrong_answer():
    """Section 4.2 of the 2024 paper: gamma = 0 at every equilibrium but the trivial one."""
    state = mf.idle_equilibrium(p=5, d=4, n=6)
    for loss in ("squared", "cross_entropy"):
        speed = mf.matrix_velocity(state, one_hot(3), loss=loss)
        assert not any(part.any() for part in (speed.W_U, speed.W, speed.x))
        assert np.abs(mf.residual(state, one_hot(3), loss=loss)).max() > 0.5
    assert state.W.any() and state.x.any()


def test_cross_entropy_has_no_equilibrium_with_gamma_0():
    path = mf.matrix_flow(mf.rank_one([1, 1, 1], one_hot(0), [1, 0], [1, 0]), one_hot(0), [0, 10, 1000],
                          loss="cross_entropy")  # fmt: skip
    size = np.linalg.norm([mf.residual(path[i], one_hot(0), loss="cross_entropy") for i in range(3)], axis=1)
    assert size[0] > size[1] > size[2] > 0
    assert path.logits[2, 0] > path.logits[1, 0]


def test_another_sample_is_learned_only_where_it_overlaps():
    a, b, e = [1, 0, 0], [1, 0], [1, 0]
    path = mf.matrix_flow(mf.rank_one([0.5, 0.5, 0.5], a, b, e), a, [0, 40])
    assert np.allclose(mf.other_sample_loss(path, [0, 1], [0, 1, 0]), 0.5, atol=1e-15)
    shared = mf.other_sample_loss(path, [1, 0], a)
    assert shared[-1] < 1e-12 < shared[0]


def test_one_time_is_the_start():
    state = random_state()
    assert np.array_equal(mf.matrix_flow(state, one_hot(0), [2.0])[0].W, state.W)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: mf.matrix_state(np.ones((5, 2)), np.ones((3, 4)), np.ones(4)), "do not fit"),
        (lambda: mf.matrix_state(np.ones((5, 2)), np.full((2, 4), np.nan), np.ones(4)), "not finite"),
        (lambda: mf.matrix_flow(random_state(), [1, 0], TIMES), "a finite value a class"),
        (lambda: mf.matrix_flow(random_state(), one_hot(0), [1, 0]), "must increase"),
        (lambda: mf.matrix_flow(random_state(), one_hot(0), TIMES, loss="hinge"), "cross_entropy"),
        (lambda: mf.rank_one([1, 2, 3], [0, 0], [1], [1]), "a must be"),
        (lambda: mf.idle_equilibrium(3, 2, 1), "n is 1"),
        (lambda: mf.other_sample_loss(random_state(), [1, 2], one_hot(0)), "lengths"),
    ],
)
def test_bad_input_is_refused(call, words):
    with pytest.raises(ParameterError, match=words):
        call()
