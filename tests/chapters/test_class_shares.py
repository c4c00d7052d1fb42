"""What classes explain of vectors on the grid, and sums of two parts of classes (Gu et al. 2025,
Remark 3.6, appendix B.4)."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linprog
from scipy.sparse import csr_array

from grokbook.errors import ParameterError
from grokbook.tasks.arithmetic import ModularTask
from grokbook.theory.one_frequency import circle
from grokbook.theory.uniformity import closeness
from grokbook_chapters.uniformity.class_shares import (
    additive_fit,
    additive_share,
    circle_delta,
    class_gap,
    class_share,
    label_share,
)
from refusals import refusals

TABLES = arrays(
    float, st.tuples(st.integers(2, 9), st.integers(1, 3)), elements=st.integers(-9, 9).map(float)
)
REAL = TABLES.filter(lambda t: np.ptp(t, axis=0).max() > 0)


def residues(p):
    return np.add.outer(np.arange(p), np.arange(p)) % p


@pytest.mark.parametrize("p", [3, 5, 11, 13])
def test_every_class_of_every_circle_needs_the_closed_form(p):
    """1 + cos(pi / p); at p = 97 an independent computation has 1.99948 (the example of
    `circle_delta`)."""
    for k in range(1, p):
        assert closeness(circle(p, k)).deltas == pytest.approx(
            np.full(p, circle_delta(p)), rel=1e-9
        )


@given(REAL)
def test_close_exactly_if_equivalent_is_impossible(phi):
    """Remark 3.6: some pair of different classes is closer than some pair of one class,
    strictly."""
    same, other = class_gap(phi, residues(len(phi)))
    assert other <= same * (1 - 1 / len(phi)) + 1e-9


@given(REAL)
def test_classes_explain_nothing_of_sums_and_sums_nothing_of_classes(phi):
    p = len(phi)
    assert class_share(phi[:, None] + phi[None]) < 1e-12
    assert additive_share(np.eye(p)[residues(p)]) < 1e-12


def test_share_against_a_decomposition_by_hand():
    """Features x = class part + additive part + rest: shares of orthogonal parts add up."""
    p, rng = 7, np.random.default_rng(0)
    x = rng.normal(size=(p, p, 1))
    label = residues(p)
    fitted = np.array([x[label == r].mean() for r in range(p)])[label]
    assert class_share(x) == pytest.approx(fitted.var() / x.var())
    rows, columns = x.mean(axis=1, keepdims=True), x.mean(axis=0, keepdims=True)
    assert additive_share(x) == pytest.approx((rows + columns).var() / x.var())
    assert class_share(x) + additive_share(x) <= 1


def test_a_gap_of_classes_does_not_change_under_a_shift():
    """Remark 3.6 speaks of distances alone: those of 0, ..., 3 without a modulus, from 100,000,000
    on."""
    i = np.arange(4)
    assert class_gap(i[:, None] + 1e8, np.add.outer(i, i)) == (0, 1)


def test_additive_logits_fit_exactly_where_linear_programming_says():
    """The largest lead z_r - z_s over all trained cells, entries of F and G within [-1, 1], by
    scipy's solver."""
    for p, seed, there in ((13, 0, True), (23, 1, True), (23, 2, False)):
        task = ModularTask(p, train_fraction=0.3, seed=seed)
        labels = task.labels.reshape(p, p)
        i, j = np.nonzero(task.train_mask)
        cell, wrong = np.nonzero(np.arange(p) != labels[i, j][:, None])
        i, j, right, rows = i[cell], j[cell], labels[i, j][cell], np.arange(cell.size)
        where = [
            i * p + wrong,
            p * p + j * p + wrong,
            i * p + right,
            p * p + j * p + right,
            0 * rows + 2 * p * p,
        ]
        weights = np.repeat([1.0, 1.0, -1.0, -1.0, 1.0], rows.size)
        limits = csr_array(
            (weights, (np.tile(rows, 5), np.concatenate(where))), shape=(rows.size, 2 * p * p + 1)
        )
        bounds = [(-1, 1)] * (2 * p * p) + [(0, 1)]
        lead = -linprog(
            np.eye(2 * p * p + 1)[-1] * -1, limits, 0 * rows, bounds=bounds, method="highs-ipm"
        ).fun
        found = additive_fit(labels, task.train_mask)
        assert (found.trained == 1) == there == (lead > 0.01)
        assert (found.margin == np.inf) == there and (there or lead <= found.margin < 1e-3)


def test_plain_sums_are_fitted_and_no_trained_cell_is_refused():
    sums = np.add.outer(np.arange(37), np.arange(37))
    mask = ModularTask(37, train_fraction=0.3).train_mask
    assert additive_fit(sums, mask).trained == 1 > additive_fit(sums % 37, mask).trained
    with pytest.raises(ParameterError, match="trained holds no cell"):
        additive_fit(sums, mask & False)


test_refusals_name_the_value_and_the_rule = refusals(
    (lambda: circle_delta(4), "p = 4 must be an odd prime"),
    (lambda: class_share(np.ones((3, 3))), "must be \\(p, p, d\\)"),
    (lambda: class_share(np.full((2, 2, 1), np.nan)), "not finite"),
    (lambda: label_share(np.eye(3), np.zeros(2)), "must be \\(3,\\)"),
    *(
        (partial(additive_share, np.full((n, n, 3), 0.1)), "needs some variance")
        for n in (3, 5, 7, 9, 200)
    ),
)
