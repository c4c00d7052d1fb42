"""Liu et al. 2022, appendix I: the effective loss of classes, its flow in closed form, what it
keeps and what not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from grokbook.errors import ParameterError
from grokbook_chapters.images.class_collapse import flow, loss, velocity
from grokbook_chapters.images.neural_collapse import class_parts


def drawn(seed, sizes=(3, 5, 2), d=2, shift=0.0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(sum(sizes), d)) + shift, np.repeat(np.arange(len(sizes)), sizes)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 99), st.lists(st.integers(1, 6), min_size=1, max_size=4), st.integers(1, 3))
def test_the_loss_is_that_of_the_pairs(seed, sizes, d):
    """Equation 32: the sum over unordered pairs with one label, over Z."""
    f, y = drawn(seed, tuple(sizes), d)
    pairs = sum(((f[i] - f[j]) ** 2).sum() for i in range(len(f)) for j in range(i) if y[i] == y[j])
    assert loss(f, y) == pytest.approx(pairs / (f**2).sum())


def test_the_velocity_is_minus_the_gradient():
    f, y = drawn(1)
    numeric = np.zeros_like(f)
    for at in np.ndindex(*f.shape):
        step = np.zeros_like(f)
        step[at] = 1e-5
        numeric[at] = (loss(f + step, y) - loss(f - step, y)) / 2e-5
    np.testing.assert_allclose(velocity(f, y), -numeric, atol=1e-8)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 99), st.floats(0, 5))
def test_the_closed_form_solves_the_equation(seed, shift):
    """Against an integration of Equation 33 to 1e-8; Z is kept."""
    f, y = drawn(seed, shift=shift)
    times = [0.0, 0.7, 3.0]
    found = solve_ivp(
        lambda _, v: velocity(v.reshape(f.shape), y).ravel(),
        (0, 3),
        f.ravel(),
        "DOP853",
        times,
        rtol=1e-11,
        atol=1e-12,
    )
    path = flow(f, y, times)
    np.testing.assert_allclose(path, found.y.T.reshape(path.shape), atol=1e-7)
    np.testing.assert_allclose((path**2).sum((1, 2)), (f**2).sum())


def test_in_the_limit_classes_are_points_in_the_directions_of_their_means():
    f, y = drawn(3)
    means, _, _ = class_parts(f, y)
    end = flow(f, y, [np.inf])[0]
    np.testing.assert_allclose(end, means * np.sqrt((f**2).sum() / (means**2).sum()))
    assert loss(end, y) == pytest.approx(0)


def test_one_class_about_zero_stays_where_it_is():
    """With mean 0 both g and the deviations have one factor, and Z keeps their product; .1 + .2 -
    .3 is not 0."""
    start = [[0.1], [0.2], [-0.3]]
    np.testing.assert_allclose(flow(start, [0, 0, 0], [1.0])[0], start)


def test_z_kept_does_not_keep_classes_apart():
    """Far from the origin nearly all of Z is the common mean: classes end close together, centred
    ones do not."""
    f, y = drawn(0, (100,) * 10, shift=0.0)
    far = f + np.array([3.0, 0.0])

    def spread(points):
        """Mean distance of two class means over the mean distance of two samples at the start."""
        ends = points[::100]
        return np.linalg.norm(ends[:, None] - ends, axis=-1).mean()

    start = np.linalg.norm(far[:, None] - far, axis=-1).mean()
    assert (
        spread(flow(far, y, [np.inf])[0])
        < 0.2 * start
        < 0.5 * spread(flow(f - f.mean(0), y, [np.inf])[0])
    )


@pytest.mark.parametrize(
    ("features", "labels", "times", "words"),
    [
        ([1.0, 2.0], [0, 1], [0], "must be"),
        ([[1.0]], [0.5], [0], "whole"),
        ([[1.0]], [0], [-1.0], "times"),
        ([[0.1], [0.2], [-0.3]], [0, 0, 0], [1.0, np.inf], "no limit"),
        ([[np.nan]], [0], [1.0], "not finite"),
        ([[0.0]], [0], [1.0], "all zero"),
        ([[1.0], [-1.0], [2.0], [-2.0]], [0, 0, 1, 1], [0.0, np.inf], "no limit"),
    ],
)
def test_what_cannot_be_is_refused(features, labels, times, words):
    with pytest.raises(ParameterError, match=words):
        flow(features, labels, times)
