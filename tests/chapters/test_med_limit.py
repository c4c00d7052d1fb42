"""MED bounded by the variances of the classes (what follows Gu et al. 2025, Theorem 3.8)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from grokbook.measures import med
from grokbook.theory.one_frequency import circle
from grokbook.theory.uniformity import closeness
from grokbook_chapters.norms_and_starts.med_limit import med_limit

ODD = arrays(
    float,
    st.tuples(st.sampled_from([3, 5, 7, 9]), st.integers(1, 3)),
    elements=st.integers(-9, 9).map(float),
).filter(lambda t: np.ptp(t, axis=0).max() > 0)


@given(ODD, st.integers(0, 99))
def test_med_is_bounded_by_the_variances_of_the_classes(phi, seed):
    """(4/3) cos(pi/2p) rms(delta_r) for one table; for two, sqrt(2) cos(pi/2p) times it bounds the
    rms of both MEDs."""
    assert med(phi) <= med_limit(closeness(phi).deltas) * (1 + 1e-9)
    second = np.random.default_rng(seed).normal(size=phi.shape)
    both = np.sqrt((med(phi) ** 2 + med(second) ** 2) / 2)
    assert both <= med_limit(closeness(phi, second).deltas, shared=False) * (1 + 1e-9)


@pytest.mark.parametrize("p", [3, 5, 13])
def test_where_the_bounds_of_med_are_attained(p):
    """Two circles of frequency (p-1)/2 at right angles; one table at p = 3; the radius 3/2 sqrt(V)
    by unit vectors."""
    top, flat = circle(p, p // 2), np.zeros((p, 2))
    one, two = np.hstack([top, flat]), np.hstack([flat, top])
    assert med(one) == pytest.approx(med_limit(closeness(one, two).deltas, shared=False))
    assert closeness(np.eye(p)).deltas == pytest.approx(np.full(p, 1.5 * np.sqrt(1 - 1 / p)))
    ratio = med(top) / med_limit(closeness(top).deltas)
    assert ratio == pytest.approx(0.75 / np.cos(np.pi / (2 * p)) ** 2)  # 1 at p = 3, else less
