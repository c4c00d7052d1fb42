"""The flow of the effective theory (Liu et al. 2022, Eq. 4 to 9, appendix F) against numerical
integration."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from grokbook.theory import effective_flow as ef
from grokbook.theory.parallelograms import all_samples, grokking_rate, nullity
from refusals import refusals

TIMES = [0.0, 0.3, 2.0]
worlds = st.tuples(st.integers(3, 7), st.integers(1, 2), st.integers(0, 10**6))


def draw(world):
    """A start (p, d) that is not centred, and a random half of the samples."""
    p, d, seed = world
    rng = np.random.default_rng(seed)
    samples = all_samples(p)
    chosen = rng.permutation(len(samples))[: 1 + len(samples) // 2]
    return rng.normal(0.5, 1, size=(p, d)), [samples[k] for k in chosen]


@given(worlds)
def test_the_velocity_is_minus_the_gradient_of_the_effective_loss(world):
    """Eq. 4 and 5, by central differences."""
    start, pairs = draw(world)
    step, gradient = 1e-6, np.zeros_like(start)
    for place in np.ndindex(*start.shape):
        up, down = start.copy(), start.copy()
        up[place] += step
        down[place] -= step
        gradient[place] = (ef.effective_loss(up, pairs) - ef.effective_loss(down, pairs)) / (
            2 * step
        )
    assert np.allclose(ef.velocity(start, pairs), -gradient, atol=1e-7)


@given(worlds)
def test_the_closed_form_solves_the_normalised_flow(world):
    """R(t) = |R0| exp(-Ht) R0 / |exp(-Ht) R0| against scipy's integration of Eq. 4."""
    start, pairs = draw(world)

    def slope(_, flat):
        return ef.velocity(flat.reshape(start.shape), pairs).ravel()

    numeric = solve_ivp(
        slope, (0, TIMES[-1]), start.ravel(), t_eval=TIMES, rtol=1e-10, atol=1e-12, method="LSODA"
    )
    exact = ef.flow(start, pairs, TIMES)
    assert np.allclose(numeric.y.T.reshape(exact.shape), exact, atol=1e-7)


@given(worlds)
def test_each_flow_keeps_its_own_quantity(world):
    """Z0 for the gradient flow, with dC/dt = (2 l_eff / Z0) C; C for the linear one. Eq. 24 names
    both for one flow."""
    start, pairs = draw(world)
    sum_before, z_before = ef.conserved(start)
    for at in ef.flow(start, pairs, TIMES):
        assert ef.conserved(at)[1] == pytest.approx(z_before)
    for at in ef.flow(start, pairs, TIMES, kind="linear"):
        assert np.allclose(ef.conserved(at)[0], sum_before)
    growth = 2 * ef.effective_loss(start, pairs) / z_before
    assert np.allclose(ef.velocity(start, pairs).sum(axis=0), growth * sum_before)
    centred = start - start.mean(axis=0)
    assert np.allclose(ef.flow(centred, pairs, TIMES).sum(axis=1), 0, atol=1e-9)


def test_the_sum_is_not_conserved_where_the_paper_says_so():
    """p = 3 from (1, 0, 0): C goes from 1 to sqrt(6/5), exactly."""
    end = ef.flow([1.0, 0.0, 0.0], all_samples(3), [0.0, 200.0])
    assert end.sum(axis=1) == pytest.approx([1, np.sqrt(6 / 5)])
    assert ef.limit([1.0, 0.0, 0.0], all_samples(3)) == pytest.approx(end[-1])


@given(worlds)
def test_the_limit_is_the_projection_of_the_start(world):
    """|R0| P R0 / |P R0|: zero loss, and where late times of the flow are."""
    start, pairs = draw(world)
    end = ef.limit(start, pairs)
    assert ef.effective_loss(end, pairs) == pytest.approx(0, abs=1e-12)
    assert np.allclose(ef.flow(start, pairs, [1e5])[0], end, atol=1e-6)


@pytest.mark.parametrize("p", [4, 7])
def test_the_slowest_deviation_decays_at_the_grokking_rate(p):
    """The distance from the limit falls as exp(-lambda_3 t), lambda_3 = grokking_rate / Z0."""
    start = np.random.default_rng(1).normal(size=p)
    rate = grokking_rate(all_samples(p), p) / (start**2).sum()
    late = np.array([9.0, 10.0]) / rate
    off = np.linalg.norm(
        ef.flow(start, all_samples(p), late) - ef.limit(start, all_samples(p)), axis=1
    )
    assert np.log(off[0] / off[1]) == pytest.approx(1, abs=0.01)


@given(worlds, st.floats(-6, 6), st.sampled_from(ef.KINDS))
def test_a_start_s_times_as_long_takes_s_squared_times_as_long(world, power, kind):
    """flow(s R, s^2 t) = s flow(R, t), since H = 2 M / Z0 (Eq. 8)."""
    (start, pairs), s = draw(world), 10**power
    stretched = ef.flow(s * start, pairs, s**2 * np.array(TIMES), kind=kind)
    assert np.allclose(stretched / s, ef.flow(start, pairs, TIMES, kind=kind), atol=1e-9)


@pytest.mark.parametrize("p", [3, 6, 10, 20])
def test_an_eigenvector_of_h_is_a_fixed_point_at_all_times(p):
    """exp(-Ht) R0 is parallel to R0 (Eq. 9): what rounding adds to the start must not grow beside
    it."""
    vectors = np.linalg.eigh(ef.quadratic_form(all_samples(p), p))[1].T
    for start in ([1.0, -2.0, 1.0], *vectors) if p == 3 else vectors:
        assert np.allclose(
            ef.flow(start, all_samples(p), [0, 10, 30, 1e3]),
            start,
            atol=1e-9,
        )


@pytest.mark.parametrize(("p", "block"), [(220, 0), (80, 46)])
def test_a_long_chain_that_forces_a_line_ends_on_a_line(p, block):
    """All pairs below `block` and E_k + E_(k+2) = 2 E_(k+1) beyond: nullity 2, and eigenvalues down
    to p^-4."""
    chain = range(max(0, block - 2), p - 2)
    pairs = [
        *(all_samples(block) if block else []),
        *((k, k + 2) for k in chain),
        *((k + 1, k + 1) for k in chain),
    ]
    start = np.linspace(-1, 1, p) ** 2
    for end in (ef.limit(start, pairs), ef.flow(start, pairs, [1e14])[0]):
        assert nullity(pairs, p) == 2 and np.abs(np.diff(end, 2)).max() < 1e-6


test_bad_input_is_refused_in_a_sentence = refusals(
    (lambda: ef.flow([0.0, 0.0, 0.0], [(0, 2)], [1.0]), "not all 0"),
    (lambda: ef.flow([1.0, 0.0, 2.0], [(0, 2)], [-1.0]), "0 or more"),
    (lambda: ef.velocity([1.0, 0.0, 2.0], [(0, 2)], kind="fast"), "kind"),
    (lambda: ef.limit([1.0, -2.0, 1.0], all_samples(3)), "no part"),
)
