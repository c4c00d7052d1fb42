"""Parallelograms of the addition table (Liu et al. 2022, section 3, appendices C and E), against
counts and oracles."""

from itertools import permutations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Matrix

from grokbook.theory import linear_probability as lp
from grokbook.theory import parallelograms as pg
from grokbook.theory.finite_field import LARGE_PRIME, Echelon, rank_in_field
from refusals import refusals

# independent computation: P0.sizes, p -> (samples, unordered pairs of different samples, Eq. 1 as
# printed)
SIZES = {
    3: (6, 1, 8),
    6: (21, 13, 47),
    10: (55, 70, 195),
}
# the eight samples of appendix C in their order, and the nullity after each (nullity.partial.p6)
APPENDIX_C = [(0, 4), (1, 3), (1, 5), (2, 4), (0, 2), (1, 1), (2, 4), (3, 3)]
AFTER_EACH = [6, 5, 5, 4, 4, 3, 3, 2]
EQUATION_21 = [(0, 2), (1, 1), (0, 3), (1, 2), (1, 3), (2, 2)]


@st.composite
def training_sets(draw, least=3, most=7):
    """p and some of its samples, in either order of the symbols."""
    p = draw(st.integers(least, most))
    symbol = st.integers(0, p - 1)
    return p, draw(st.lists(st.tuples(symbol, symbol), max_size=p * (p + 1) // 2))


def slow_set(pairs):
    """Eq. 1 with each pair of different samples once, by comparing all of them."""
    samples = {tuple(sorted(pair)) for pair in pairs}
    return {frozenset((a, b)) for a, b in permutations(samples, 2) if sum(a) == sum(b)}


def slow_nullity(pairs, p):
    """p - rank A in exact arithmetic, from all parallelograms."""
    rows = [
        [(a + b).count(k) - (c + d).count(k) for k in range(p)]
        for (a, b), (c, d) in (
            tuple(map(lambda s: ([s[0]], [s[1]]), two)) for two in slow_set(pairs)
        )
    ]
    return p - (Matrix(rows).rank() if rows else 0)


@pytest.mark.parametrize("p", SIZES)
def test_all_samples_have_the_known_numbers_of_parallelograms(p):
    """floor((p + 1)(p - 1)(2p - 3) / 24) unordered ones; sum of n_s^2 by Eq. 1 as printed."""
    samples = pg.all_samples(p)
    found = [len(pg.permissible_set(samples, counting=how)) for how in pg.COUNTINGS]
    assert (len(samples), *found) == SIZES[p]
    assert found[0] == (p + 1) * (p - 1) * (2 * p - 3) // 24


@given(training_sets())
def test_sets_and_degrees_of_freedom_agree_with_slow_exact_ones(world):
    """Eq. 1 and 7, whatever the order of samples and of their symbols."""
    p, pairs = world
    assert {frozenset(two) for two in pg.permissible_set(pairs)} == slow_set(pairs)
    assert pg.nullity(pairs, p) == slow_nullity(pairs, p)
    a = pg.equations(pg.permissible_set(pairs), p)
    assert np.allclose(a.T @ a, pg.gram(pairs, p))
    assert rank_in_field(a, LARGE_PRIME) == p - pg.nullity(pairs, p)


def test_appendix_c_needs_seven_different_samples():
    """The eight samples name one twice; none of the seven can be left out."""
    assert [pg.nullity(APPENDIX_C[:t], 6) for t in range(1, 9)] == AFTER_EACH
    seven = pg.samples_of(APPENDIX_C)
    assert len(seven) == 7
    assert all(pg.nullity([s for s in seven if s != left], 6) > 2 for left in seven)


@given(training_sets(least=4))
def test_implied_parallelograms_change_no_degree_of_freedom_and_hold_on_every_solution(world):
    """Eq. 14: their equations lie in the span, so that every solution closes them, and no
    others."""
    p, pairs = world
    implied = pg.implied_set(pairs, p)
    assert set(pg.permissible_set(pairs)) <= set(implied)
    a = pg.equations(pg.permissible_set(pairs), p).astype(float)
    null = np.linalg.svd(np.vstack([a, np.zeros((p, p))]))[2][p - pg.nullity(pairs, p) :]
    solution = np.random.default_rng(0).normal(size=len(null)) @ null
    assert set(pg.closed_set(solution, 1e-6)) == set(implied)


def test_a_line_is_forced_and_still_two_samples_are_not_answered():
    """Eq. 21 at p = 4: nullity 2, the third eigenvalue 6, but sums with one sample each stay
    unknown."""
    assert pg.nullity(EQUATION_21, 4) == 2
    assert np.allclose(np.linalg.eigvalsh(pg.gram(EQUATION_21, 4)), [0, 0, 6, 10])
    assert [
        pg.grokking_rate(EQUATION_21, 4, convention=c) for c in pg.CONVENTIONS
    ] == pytest.approx([4, 12, 6])
    assert pg.ideal_model(EQUATION_21, 4) == {"rqi": 1, "accuracy": 0.6, "validation": 0}
    assert pg.ideal_model(pg.all_samples(4), 4)["accuracy"] == 1


@pytest.mark.parametrize("p", [4, 6, 10, 14])
def test_the_rate_of_all_samples_has_a_closed_form(p):
    """sigma_3^2 = p (p + 2) / 4 for even p."""
    assert pg.grokking_rate(pg.all_samples(p), p, convention="printed") == pytest.approx(
        p * (p + 2) / 4
    )


@pytest.mark.parametrize("p", [5, 60, 220])
def test_the_rate_is_zero_only_where_more_than_a_line_is_left(p):
    """E_k + E_(k+2) = 2 E_(k+1) for all k: sigma_3^2 falls as p^-4; without the last of them
    nullity is 3."""
    chain = [pair for k in range(p - 2) for pair in ((k, k + 2), (k + 1, k + 1))]
    third = np.linalg.svd(pg.equations(pg.permissible_set(chain), p), compute_uv=False)[-1] ** 2
    expected = [2 * third / (p - 2), 2 * third, third]
    assert [pg.grokking_rate(chain, p, convention=c) for c in pg.CONVENTIONS] == pytest.approx(
        expected, rel=1e-5
    )
    assert pg.nullity(chain[:-1], p) == 3 and pg.grokking_rate(chain[:-1], p) == 0


@pytest.mark.parametrize("n", [11, 12])
def test_modulo_n_real_embeddings_collapse_and_lines_over_the_field_do_not(n):
    """Nullity 1 over the reals; over F_11 the solutions are a + k b."""
    assert pg.nullity(pg.all_samples(n), n, modulus=n) == 1
    assert n == 12 or pg.nullity(pg.all_samples(n), n, modulus=n, field=n) == 2


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([2, 3, 7, LARGE_PRIME]),
    st.integers(1, 5),
    st.integers(1, 6),
)
def test_ranks_in_a_field_are_those_of_exact_elimination(seed, q, rows, columns):
    """Against sympy over GF(q); several bases side by side do not disturb one another."""
    from sympy import GF
    from sympy.polys.matrices import DomainMatrix

    m = np.random.default_rng(seed).integers(-3, 4, size=(2, rows, columns))
    bases = Echelon(2, columns, q)
    for row in m.transpose(1, 0, 2):
        bases.add(row)
    numbers = [[[GF(q)(int(v)) for v in row] for row in one] for one in m]
    exact = [DomainMatrix(one, (rows, columns), GF(q)).rank() for one in numbers]
    assert bases.rank.tolist() == exact == [rank_in_field(one, q) for one in m]


@pytest.mark.parametrize("p", [3, 4])
def test_random_orders_agree_with_looking_at_every_set(p):
    """P(nullity 2) at each size within five standard errors of exact counts; least p samples, most
    |D0| - (p - 2)."""
    samples, n = p * (p + 1) // 2, 20_000
    counts = [lp.sets_with_a_line(p, size) for size in range(samples + 1)]
    exact = np.array([count / comb(samples, size) for size, count in enumerate(counts)])
    error = np.sqrt(exact * (1 - exact) / n)
    assert (np.abs(lp.linear_probability(p, n) - exact) <= 5 * error).all()
    assert np.flatnonzero(exact)[0] == {3: 2, 4: 4}[p]
    assert np.flatnonzero(exact < 1)[-1] == samples - (p - 2)


def test_ten_symbols_have_the_published_transition():
    """Fig. 4a, by 10,000 draws of the authors: 0.427 at 22 of 55 samples, 0.580 at 23; crossing
    0.409."""
    curve = lp.linear_probability(10, 5_000, seed=1)
    assert curve[[22, 23]] == pytest.approx([0.427, 0.5795], abs=0.025)
    assert lp.critical_fraction(10, 2_000, seed=1) == pytest.approx(0.4087, abs=0.012)
    assert np.all(np.diff(curve) >= 0)


@pytest.mark.parametrize(("p", "modulus", "expected"), [(20, False, 0.225), (11, True, 0.289)])
def test_the_critical_fraction_is_not_universal(p, modulus, expected):
    """It falls with p, and is another one over the field of p elements."""
    assert lp.critical_fraction(p, 500, modulus=modulus) == pytest.approx(expected, abs=0.012)


@given(st.floats(-3, 3), st.floats(0.1, 9), st.integers(0, 99))
def test_quality_does_not_change_when_the_embedding_is_moved_or_stretched(shift, factor, seed):
    """Eq. 2 on normalised columns; Eq. 2 as printed is no such thing."""
    table = np.random.default_rng(seed).normal(size=(8, 2))
    for delta in (0.3, 1.0):
        assert pg.closed_set(table, delta) == pg.closed_set(shift + factor * table, delta)
    assert pg.representation_quality_index(1e-3 * table, normalise=False) == 1


@pytest.mark.parametrize(
    ("level", "share"), [(-0.1, 0), (0, 0), (0.1, 0.25), (0.3, 1), (0.31, np.nan)]
)
def test_a_curve_crosses_a_level_between_its_ends_or_not_at_all(level, share):
    assert lp.crossing(np.array([0.0, 0.2, 0.3]), level) == pytest.approx(share, nan_ok=True)


test_bad_input_is_refused_in_a_sentence = refusals(
    (lambda: pg.permissible_set([(0, 1, 2)]), "pair"),
    (lambda: pg.nullity([(0, 5)], 5), "between 0 and 4"),
    (lambda: pg.gram([], -1), "p is -1"),
    (lambda: pg.representation_quality_index(3.0), "shape"),
    (lambda: pg.nullity([(0, 1)], 5, field=4), "prime"),
    (lambda: pg.closed_set(np.ones(5)), "equal values"),
    (lambda: pg.closed_set(np.arange(5.0), -1), "delta"),
    (lambda: lp.first_linear(9, 5, modulus=True), "prime"),
    (lambda: lp.sets_with_a_line(8, 18), "at most 200,000"),
)


@pytest.mark.parametrize("chance", [0.3, 0.8])
def test_free_symbols_are_those_of_all_training_sets(chance):
    """By looking at all sets of p = 4; none that forces a line leaves a symbol in no equation."""
    samples, expected = pg.all_samples(4), 0.0
    for code in range(2 ** len(samples)):
        pairs = [one for k, one in enumerate(samples) if code >> k & 1]
        free = 4 - len(
            {
                symbol
                for equation in pg.permissible_set(pairs)
                for pair in equation
                for symbol in pair
            }
        )
        assert not free or pg.nullity(pairs, 4) > 2
        expected += free * chance ** len(pairs) * (1 - chance) ** (len(samples) - len(pairs))
    assert lp.expected_free(4, chance) == pytest.approx(expected, rel=1e-9)
