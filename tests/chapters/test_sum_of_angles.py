"""Adding by angles: the margin, and how many frequencies a margin takes (theorem of chapter 02a),
by exhaustion."""

from itertools import combinations

import numpy as np
import pytest
from scipy.special import i0

from grokbook.errors import ParameterError
from grokbook_chapters.how_a_network_adds import sum_of_angles as angles
from grokbook_chapters.how_a_network_adds.frequencies import margins, waves

PRIMES = (5, 7, 11, 13, 17, 19)


@pytest.mark.parametrize("p", [7, 23, 113])
def test_one_frequency_has_the_margin_of_one_step(p):
    """Margin a (1 - cos(2 pi/p)) whichever the frequency; all (p-1)/2 have a p/2."""
    for k in (1, 2, (p - 1) // 2):
        assert angles.margin(p, [k], [2.5]) == pytest.approx(5 * np.sin(np.pi / p) ** 2, rel=1e-9)
    assert angles.margin(p, range(1, (p + 1) // 2)) == pytest.approx(p / 2)


def test_the_margin_is_that_of_the_logits():
    """g(0) - max g(d) is the margin of every pair of logits sum a_k cos w_k(i + j - c)."""
    logits = waves(23, [0.5, 0, 2.0, 0, 0, 1.0])
    np.testing.assert_allclose(margins(logits), angles.margin(23, [1, 3, 6], [0.5, 2, 1]))


def test_a_pizza_fades_with_the_difference():
    """z = sum a_k |cos(w_k e/2)| cos w_k d, computed entry by entry."""
    p, ks = 11, (1, 4)
    for e in range(p):
        g = [
            sum(abs(np.cos(np.pi * k * e / p)) * np.cos(2 * np.pi * k * d / p) for k in ks)
            for d in range(p)
        ]
        assert angles.faded(p, ks)[e] == pytest.approx(g[0] - max(g[1:]))


@pytest.mark.parametrize("p", PRIMES)
def test_the_bounds_hold_for_every_set(p):
    """No set passes `box_bound` or `moment_bound`; the best one of each size reaches
    `random_bound`."""
    for m in range(1, (p + 1) // 2):
        every = np.array(list(combinations(range(1, (p + 1) // 2), m)))
        found = angles.shares(p, every)
        assert found.max() <= min(angles.box_bound(p, m), angles.moment_bound(p, m)) + 1e-12
        assert found.max() >= angles.random_bound(p, m)
        assert angles.best(p, m)[0] == pytest.approx(found.max(), abs=1e-12)
        assert angles.margin(p, angles.best(p, m)[1]) / m == pytest.approx(found.max(), abs=1e-12)


@pytest.mark.parametrize("p", PRIMES)
def test_the_second_moment_is_attained_by_all_frequencies(p):
    """Sum over d != 0 of g is -m, of g^2 it is pm/2 - m^2; with all of them the bound is
    p/(p-1)."""
    g = angles.profile(p, [1, 2])[1:]
    assert g.sum() == pytest.approx(-2) and (g**2).sum() == pytest.approx(p - 4)
    assert angles.moment_bound(p, (p - 1) // 2) == pytest.approx(p / (p - 1))


@pytest.mark.parametrize("p", PRIMES)
@pytest.mark.parametrize("share", [0.25, 0.5, 0.9])
def test_the_least_number_lies_between_the_bounds(p, share):
    assert angles.needed(p, share) <= angles.least(p, share) <= angles.enough(p, share)


@pytest.mark.parametrize("p", [3, 7, 113])
def test_the_moments_of_a_random_frequency(p):
    """Mean of exp(s cos(2 pi k d/p)) over k = 1, ..., (p-1)/2 is at most I_0(s), which is at most
    exp(s^2/4)."""
    for s in (0.1, 1.0, 5.0, 20.0):
        for d in (1, (p - 1) // 2):
            mean = np.exp(s * np.cos(2 * np.pi * np.arange(1, (p + 1) // 2) * d / p)).mean()
            assert mean <= i0(s) * (1 + 1e-12) and i0(s) <= np.exp(s**2 / 4)


def test_random_sets_keep_the_chernoff_bound():
    """P(max g >= delta m) <= (p-1)/2 exp(-m delta^2); at p = 31, m = 12, delta = 0.6 that is
    0.2."""
    missed = (angles.drawn(31, 12, 2000) <= 1 - 0.6).mean()
    assert missed <= 15 * np.exp(-12 * 0.36)


def test_boxes():
    assert [angles.sides(8, 3), angles.sides(9, 3), angles.sides(2, 5)] == [1, 2, 1]


def test_what_is_refused():
    for call in (
        lambda: angles.profile(9, [1]),
        lambda: angles.profile(7, [4]),
        lambda: angles.profile(7, []),
        lambda: angles.profile(7, [1, 1]),
        lambda: angles.margin(7, [1], [-1.0]),
        lambda: angles.enough(7, 1.0),
        lambda: angles.least(7, 1.5),
        lambda: angles.best(7, 4),
    ):
        with pytest.raises(ParameterError):
            call()
