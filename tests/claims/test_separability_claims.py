"""Checks on separability (Gu et al. 2025, Definition 5.1) and on cited theorems can come out either way."""

from __future__ import annotations

import numpy as np
import pytest

from grokbook.claims import separability as checks
from grokbook.measures import class_separability


def test_density_of_simple_functions_depends_on_the_topology():
    """Eq. 6: in L1 always, uniformly for bounded functions alone, not at all for 1/x (no L1 function)."""
    assert checks.dense_simple_functions().verdict == "needs an assumption"
    assert checks.dense_simple_functions(np.sqrt).verdict == "holds"
    assert checks.dense_simple_functions(lambda x: 1 / x).verdict == "fails"


def test_l1_error_of_the_inverse_root_is_the_closed_form():
    """The tail above n has integral 1/n; the steps add at most 2^-n."""
    assert checks.dense_simple_functions(level=20).value == pytest.approx(1 / 20, abs=1e-4)


@pytest.mark.parametrize(("second", "verdict"), [((0.0, 1.0), "fails"), ((1.0, 0.0), "holds")])
def test_order_of_subspace_and_convex(second, verdict):
    assert checks.subspace_is_stronger(second, trials=20).verdict == verdict


@pytest.mark.parametrize(("second", "verdict"), [((1.0,), "fails"), ((3.0,), "holds"), ((2.0,), "holds")])
def test_order_of_convex_and_topological(second, verdict):
    assert checks.topological_is_stronger(second=second).verdict == verdict


def test_separability_of_a_read_out_is_vacuous_and_says_more_elsewhere(monkeypatch):
    assert checks.read_out_is_separable().verdict == "vacuous"
    monkeypatch.setattr(checks, "sums_by_class", lambda p, d: (np.eye(p), np.arange(p)))
    assert checks.read_out_is_separable().verdict == "holds"


def test_class_means_of_all_cells_coincide():
    """Why no pair is separable: every class has the mean 2 mean(phi)."""
    points, labels = checks.sums_by_class(7, 5)
    means = np.array([points[labels == r].mean(axis=0) for r in range(7)])
    assert np.ptp(means, axis=0).max() < 1e-12


def test_cited_theorems_on_known_examples():
    """|sin|^3 has a jump in its third derivative, so c_n ~ n^-4; the return map's slope is exp(-4 pi)."""
    assert checks.fourier_decay() == pytest.approx(-4, abs=0.15)
    assert checks.return_slope() == pytest.approx(np.exp(-4 * np.pi), rel=1e-2)
    assert checks.cited_theorems().verdict == "holds"
    assert checks.cited_theorems(measurements=6).verdict == "fails"


@pytest.mark.parametrize(("ks", "verdict"), [(None, "fails"), ((3,), "holds")])
def test_sparse_waves_are_rough_or_smooth(ks, verdict):
    assert checks.sparse_is_not_smooth(97, ks).verdict == verdict


def test_one_missing_cell_of_two_classes_makes_their_sums_separable():
    """With p prime the 2p cells of two classes are one alternating cycle, the only affine dependence between them."""
    p = 11
    first, second = np.random.default_rng(0).normal(size=(2, p, 40))
    i, j = np.indices((p, p)).reshape(2, -1)
    points, labels = first[i] + second[j], (i + j) % p
    kept = np.setdiff1d(np.arange(p * p), [np.flatnonzero(labels == r)[0] for r in range(p)])
    assert class_separability(points, labels).share == 0
    assert class_separability(points[kept], labels[kept]).share == 1


def test_noise_is_a_progress_measure_and_a_constant_is_none():
    """G25: a mapping exists exactly if no value occurs both before and after the event."""
    assert checks.any_number_tells().verdict == "vacuous"
    assert checks.any_number_tells(values=np.zeros(10), event=5).verdict == "fails"
    assert checks.any_number_tells(values=np.arange(10), event=5).verdict == "holds"
