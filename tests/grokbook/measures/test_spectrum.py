"""The spectrum of an embedding, its principal components, the losses in key waves, parallelograms
modulo p."""

from itertools import combinations, combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from embedding_tables import circles, gaussian, relabelled, rotation, tables
from grokbook import measures as m
from grokbook.measures import fourier_losses as fl
from grokbook.measures.representation import mean_squared_defect, representation_quality, spread
from grokbook.tasks.arithmetic import ModularTask
from grokbook.theory.cyclic_classes import cyclic_classes, discrete_logarithms
from refusals import refusals


@given(tables())
def test_parseval_without_a_constant(table):
    """sum_k P_k = (1/p) sum_i |phi_i|^2, for odd and even p."""
    power = m.fourier_power(table)
    assert power.shape == (len(table) // 2 + 1,)
    assert power.sum() == pytest.approx((table**2).sum(axis=1).mean(), rel=1e-10)


@pytest.mark.parametrize("p", [7, 8])
def test_power_against_the_sum_written_out(p):
    table = gaussian(p, 3)
    for k, value in enumerate(m.fourier_power(table)):
        wave = np.exp(-2j * np.pi * k * np.arange(p) / p)
        both_sides = 1 if k in (0, p / 2) else 2
        assert value == pytest.approx(both_sides * np.sum(np.abs(wave @ table / p) ** 2), rel=1e-12)


@pytest.mark.parametrize("n", [1, 2, 5, 48])
def test_ipr_of_n_equal_circles_is_one_over_n(n):
    assert m.inverse_participation_ratio(circles(97, list(range(1, n + 1)))) == pytest.approx(
        1 / n, rel=1e-10
    )


@given(tables(), st.floats(-50, 50), st.floats(0.1, 10))
def test_ipr_lies_in_its_range_and_ignores_scale_and_offset(table, offset, scale):
    value = m.inverse_participation_ratio(table)
    assert 1 / (len(table) // 2) - 1e-12 <= value <= 1 + 1e-12
    assert m.inverse_participation_ratio(scale * table) == pytest.approx(value, rel=1e-9)
    assert m.inverse_participation_ratio(table + offset * np.std(table)) == pytest.approx(
        value, rel=1e-6
    )


@pytest.mark.parametrize("factor", [2, 3, 10])
def test_relabelling_permutes_the_powers(factor):
    """i -> ci takes frequency k to ck: the IPR and the energy share stay."""
    table = gaussian(11, 4)
    moved = relabelled(table, factor)
    k = np.arange(6)
    folded = np.minimum(factor * k % 11, -factor * k % 11)
    np.testing.assert_allclose(m.fourier_power(moved)[folded], m.fourier_power(table), rtol=1e-10)
    assert m.inverse_participation_ratio(moved) == pytest.approx(
        m.inverse_participation_ratio(table), rel=1e-10
    )
    assert m.energy_share(moved, 2) == pytest.approx(m.energy_share(table, 2), rel=1e-10)


def test_dominant_frequencies_and_their_share():
    table = circles(23, [7, 2, 9], [1.0, 3.0, 2.0])
    assert m.dominant_frequencies(table, 3) == [2, 9, 7]
    assert m.energy_share(table, 1) == pytest.approx(9 / 14)
    assert m.energy_share(table, 2) == pytest.approx(13 / 14)
    assert m.energy_share(table, 11) == pytest.approx(1.0)


@pytest.mark.parametrize("k", [1, 3, 5])
def test_a_circle_is_recovered_from_a_rotated_sum(k):
    """Circles in orthogonal planes, turned at random and moved: each plane gives back its own
    circle."""
    table = circles(11, [1, 3, 5], [1.0, 2.0, 0.1]) @ rotation(6, 4) + gaussian(1, 6, 5)
    radius = {1: 1.0, 3: 2.0, 5: 0.1}[k]
    np.testing.assert_allclose(m.circle_projection(table, k), circles(11, [k], radius), atol=1e-12)


@pytest.mark.parametrize("shape", [(9, 4), (4, 9), (6, 6)])
def test_variance_ratios_are_squared_singular_values(shape):
    table = gaussian(*shape)
    squares = np.linalg.svd(table - table.mean(axis=0), compute_uv=False) ** 2
    ratios = m.explained_variance(table)
    assert ratios.shape == (min(shape),)
    np.testing.assert_allclose(ratios, squares / squares.sum(), atol=1e-13)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_n_equal_circles_fill_2n_directions(n):
    table = circles(23, list(range(1, n + 1))) @ rotation(2 * n) + 5
    assert m.effective_dimension(table) == pytest.approx(2 * n, rel=1e-9)


def test_initial_value_of_liu2022_figure_7():
    """A 59 x 256 normal matrix: 51.64 +- 0.15 (53 x 256: 46.87 +- 0.18), over draws."""
    assert np.mean(
        [m.effective_dimension(gaussian(59, 256, s)) for s in range(40)]
    ) == pytest.approx(51.64, abs=0.1)
    assert m.effective_dimension(gaussian(59, 256, 1)) == pytest.approx(51.64, abs=0.6)
    assert np.mean(
        [m.effective_dimension(gaussian(53, 256, s)) for s in range(40)]
    ) == pytest.approx(46.87, abs=0.1)


@given(tables(), st.integers(0, 1000), st.floats(0.01, 100))
def test_effective_dimension_sees_only_shape(table, seed, scale):
    value = m.effective_dimension(table)
    assert 1 - 1e-9 <= value <= min(len(table) - 1, table.shape[1]) + 1e-9
    turned = scale * table @ rotation(table.shape[1], seed) + gaussian(1, table.shape[1], seed)
    order = np.random.default_rng(seed).permutation(len(table))
    assert m.effective_dimension(turned[order]) == pytest.approx(value, rel=1e-6)


CYCLIC = ("add", "subtract", "x2_plus_y2", "x3_plus_y3", "multiply", "2*x - 3*y + 1")


def wave(task: ModularTask, frequencies: list[int], size: float = 6.0) -> np.ndarray:
    """Logits sum_k cos(2 pi k (class of the cell - class of the answer) / n), zero where there is
    no class."""
    group = cyclic_classes(task)
    answers = np.arange(task.p) if group.order == task.p else discrete_logarithms(task.p)
    angle = 2 * np.pi * (group.classes[:, None] - answers[None, :]) / group.order
    table = size * sum(np.cos(k * angle) for k in frequencies)
    table[group.classes < 0] = 0
    table[:, answers < 0] = -size * len(frequencies)
    return table


@pytest.mark.parametrize("operation", CYCLIC)
def test_logits_of_one_frequency_keep_all_or_nothing(operation):
    """Restricted to the frequency nothing is lost; without it every answer is equally likely: ln
    p."""
    task = ModularTask(11, operation, 0.5)
    group, z = cyclic_classes(task), wave(ModularTask(11, operation), [3])
    full = fl.cross_entropy(z[group.cells], task.labels[group.cells])
    assert fl.key_frequencies(z, group, 1) == [3]
    assert fl.restricted_loss(z, task.labels, group, [3]) == pytest.approx(full, rel=1e-12)
    without = fl.excluded_loss(z, task.labels, group, [3], cells=task.train_index)
    # the answer 0 has a constant logit
    choices = np.log(11) if group.order == 11 else np.log(10 + np.exp(-6))
    assert without == pytest.approx(choices, rel=1e-9)


def test_the_projection_is_that_of_nanda_on_the_full_grid_of_a_sum():
    """On the full grid: least squares on the columns cos(w_k(a+b)), sin(w_k(a+b)) and the
    constant."""
    task = ModularTask(7)
    z = np.random.default_rng(1).normal(size=(49, 7))
    angle = 2 * np.pi * task.labels / 7
    basis = np.stack([np.ones(49), np.cos(2 * angle), np.sin(2 * angle)], axis=1)
    projected = basis @ np.linalg.lstsq(basis, z, rcond=None)[0]
    group = cyclic_classes(task)
    assert fl.restricted_loss(z, task.labels, group, [2]) == pytest.approx(
        fl.cross_entropy(projected, task.labels)
    )
    rest = z - projected + z.mean(axis=0)
    assert fl.excluded_loss(z, task.labels, group, [2]) == pytest.approx(
        fl.cross_entropy(rest, task.labels)
    )


def test_discrete_logarithms_turn_products_into_sums():
    logs = discrete_logarithms(13)
    i, j = np.divmod(np.arange(169), 13)
    kept = (i > 0) & (j > 0)
    assert np.array_equal(logs[i * j % 13][kept], (logs[i] + logs[j])[kept] % 12)
    assert sorted(logs[1:]) == list(range(12))


def test_products_with_zero_have_no_class_also_under_a_shift():
    task = ModularTask(7, "multiply", shift=3)
    group = cyclic_classes(task)
    zero = (task.pairs[:, 0] == 0) | ((task.pairs[:, 1] + 3) % 7 == 0)
    assert np.array_equal(group.classes < 0, zero) and group.order == 6


def enumerated(table: np.ndarray, tolerance: float) -> float:
    """The definition, pair by pair."""
    p = len(table)
    scale = np.sqrt(4 * ((table - table.mean(axis=0)) ** 2).sum(axis=1).mean())
    pairs = list(combinations_with_replacement(range(p), 2))
    inside = [
        np.linalg.norm(table[a] + table[b] - table[c] - table[d]) <= tolerance * scale
        for (a, b), (c, d) in combinations(pairs, 2)
        if (a + b) % p == (c + d) % p
    ]
    return float(np.mean(inside))


@pytest.mark.parametrize("p", [5, 7, 8, 11])
@pytest.mark.parametrize("tolerance", [0.3, 0.75, 1.1])
def test_it_is_the_enumeration(p, tolerance):
    table = gaussian(p, 3, seed=p)
    assert representation_quality(table, tolerance) == pytest.approx(
        enumerated(table, tolerance), abs=1e-12
    )


@given(tables(least=4))
def test_the_mean_squared_defect_is_four_times_the_spread(table):
    assert mean_squared_defect(table) == pytest.approx(4 * spread(table), rel=1e-9)


@given(st.integers(0, 999), st.floats(0.01, 100), st.integers(1, 10))
def test_invariances(seed, scale, c):
    """Scale, shift, rotation of the space; renaming i -> c i maps parallelograms to
    parallelograms."""
    table = gaussian(11, 4, seed)
    here = representation_quality(table)
    assert representation_quality(scale * table @ rotation(4, seed) + 3.0) == pytest.approx(
        here, abs=2e-3
    )
    assert representation_quality(table[np.arange(11) * c % 11]) == pytest.approx(here, abs=2e-3)
    assert 0 <= here <= 1


SUMS = cyclic_classes(ModularTask(7))
test_refusals_name_the_value_and_the_rule = refusals(
    (lambda: fl.key_frequencies(np.zeros((49, 7)), SUMS, 4), "between 1 and 3"),
    (lambda: m.fourier_power(np.eye(2)), "p = 2 rows"),
    (lambda: m.inverse_participation_ratio(np.zeros((5, 3))), "equal rows"),
    (lambda: m.circle_projection(np.eye(7), 4), "k is 4"),
    (lambda: m.explained_variance(np.zeros((5, 3))), "equal rows"),
    (lambda: fl.cross_entropy(np.zeros((2, 3)), [0, 3]), "classes from 0 to 2"),
    (lambda: discrete_logarithms(9), "prime"),
    (
        lambda: fl.class_means(np.zeros((9, 3)), cyclic_classes(ModularTask(3, "3*x"))),
        "class 1 has no cell",
    ),
    (lambda: representation_quality(np.eye(3)), "at least 4"),
    (lambda: representation_quality(np.eye(5), -1.0), "tolerance"),
)
