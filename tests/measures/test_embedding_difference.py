"""MED against closed forms, identities between its definitions, invariances and bounds."""

from __future__ import annotations

from math import cos, pi, sqrt

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from grokbook.errors import ParameterError
from grokbook.measures import (
    MED_DEFINITIONS,
    circle_med,
    expected_initial_med,
    least_med,
    linear_med,
    med,
    med_as,
    med_bound,
    med_diameter_bound,
    med_spectral_bound,
    normalised_med,
    operand_distance,
    relabelled,
)

from .tables import circles, gaussian, rotation, tables

PRIMES = [3, 5, 7, 11, 47, 97]


def steps_of(table: np.ndarray) -> list[float]:
    """|phi(i+1) - phi(i)| for i = 0..p-2, written out."""
    return [float(np.sqrt(sum((b - a) ** 2))) for a, b in zip(table[:-1], table[1:], strict=True)]


# Closed forms of Gu et al. 2025, Definition 4.2


@pytest.mark.parametrize("p", PRIMES)
def test_circles_in_orthogonal_planes(p):
    frequencies = list(range(1, p // 2 + 1))[:3]
    amplitudes = [1.0, 0.3, 2.0][: len(frequencies)]
    expected = 2 * sqrt(sum((a * np.sin(pi * k / p)) ** 2 for a, k in zip(amplitudes, frequencies, strict=True)))
    assert med(circles(p, frequencies, amplitudes)) == pytest.approx(expected, rel=1e-12)
    assert circle_med(p, frequencies, amplitudes) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("p", PRIMES)
def test_all_frequencies_give_root_p(p):
    frequencies = list(range(1, (p - 1) // 2 + 1))
    assert med(circles(p, frequencies)) == pytest.approx(sqrt(p), rel=1e-12)
    assert circle_med(p, frequencies) == pytest.approx(sqrt(p), rel=1e-12)


@pytest.mark.parametrize("p", [2, 5, 8])
def test_a_line_walks_out_and_jumps_back(p):
    slope = np.array([3.0, -4.0])
    line = 7 + np.outer(np.arange(p), slope)
    assert med(line) == pytest.approx(2 * (p - 1) * 5 / p)
    assert linear_med(p, 5.0) == pytest.approx(2 * (p - 1) * 5 / p)


def test_a_circulant_table_has_equal_steps():
    first = gaussian(1, 7)[0]
    table = np.stack([np.roll(first, i) for i in range(7)])
    assert med(table) == pytest.approx(np.linalg.norm(np.roll(first, 1) - first), rel=1e-12)
    assert med_spectral_bound(table) == pytest.approx(med(table), rel=1e-12)


def test_one_hot_rows():
    assert med(np.eye(6)) == pytest.approx(sqrt(2))


def test_reference_values(oracle):
    assert med(circles(97, [1])) == pytest.approx(float(oracle("MED.circle p=97 k=[1]")), rel=1e-12)
    assert med(circles(97, [16])) == pytest.approx(float(oracle("MED.circle p=97 k=[16]")), rel=1e-12)
    assert circle_med(11, [2]) == pytest.approx(float(oracle("MED.circle p=11 k=[2]")), rel=1e-12)
    assert med(circles(97, list(range(1, 49)))) == pytest.approx(float(oracle("MED.allfreq p=97")), rel=1e-12)
    assert med_bound(circles(97, [48])) == pytest.approx(float(oracle("MED.max")), rel=1e-12)


# The definitions


def by_hand(name: str, first: np.ndarray, second: np.ndarray) -> float:
    """Each definition in plain Python, from its description."""
    p = len(first)
    wrap = float(np.linalg.norm(first[0] - first[-1]))
    coded = [sum(steps_of(t)[: p - 2]) / (p - 2) for t in (first, second)]
    return {
        "gu2025_def_4_2": (sum(steps_of(first)) + wrap) / p,
        "gu2025_fig_5": sum(steps_of(first)) + wrap,
        "gu2024_eq_12": sum(steps_of(first)) + sum(steps_of(second)),
        "code_base": 0.5 * (coded[0] + coded[1]),
        "code_str": coded[0] + coded[1],
        "code_rec": (p - 1) * coded[0] + (p - 1) * coded[1],
        "code_mlp": 0.5 * (coded[0] + coded[1]),
    }[name]


@pytest.mark.parametrize("p", [3, 8, 97])
@pytest.mark.parametrize("name", MED_DEFINITIONS)
def test_each_named_definition_is_what_its_source_says(name, p):
    first, second = gaussian(p, 5, 1), gaussian(p, 5, 2)
    assert med_as(name, first, second) == pytest.approx(by_hand(name, first, second), rel=1e-12)
    assert med_as(name, first) == pytest.approx(by_hand(name, first, first), rel=1e-12)


def test_at_p_97_rec_multiplies_its_means_by_96():
    first, second = gaussian(97, 4, 1), gaussian(97, 4, 2)
    assert med_as("code_rec", first, second) == pytest.approx(96 * med_as("code_str", first, second), rel=1e-12)


def test_every_definition_is_reached_by_arguments_of_med():
    first, second = gaussian(9, 3, 1), gaussian(9, 3, 2)
    for name, definition in MED_DEFINITIONS.items():
        other = second if definition.ranges == 2 else None
        assert med(first, second=other, **definition.arguments) == med_as(name, first, second)
        assert definition.source and "lVert" in definition.formula


def test_definitions_cannot_be_changed():
    with pytest.raises(TypeError):
        MED_DEFINITIONS["mine"] = MED_DEFINITIONS["code_str"]
    with pytest.raises(TypeError):
        MED_DEFINITIONS["code_str"].arguments["combine"] = "average"


@settings(max_examples=30, deadline=None)
@given(tables(), st.integers(0, 1000))
def test_two_range_sum_converts_to_the_cyclic_mean(first, seed):
    """Gu et al. 2024, Definition 6 (Eq. 12) = p (MED_1 + MED_2) - |wrap_1| - |wrap_2|."""
    p = len(first)
    second = first + gaussian(*first.shape, seed)
    wraps = np.linalg.norm(first[0] - first[-1]) + np.linalg.norm(second[0] - second[-1])
    expected = p * (med(first) + med(second)) - wraps
    assert med_as("gu2024_eq_12", first, second) == pytest.approx(expected, rel=1e-9)
    shared = 2 * p * med(first) - 2 * np.linalg.norm(first[0] - first[-1])
    assert med_as("gu2024_eq_12", first) == pytest.approx(shared, rel=1e-9)


def test_sum_is_p_times_the_mean():
    table = gaussian(7, 3)
    assert med(table, reduction="sum") == pytest.approx(7 * med(table), rel=1e-12)


def test_the_last_token_counts_only_if_it_is_not_omitted():
    table = gaussian(7, 3)
    moved = table.copy()
    moved[-1] += 100
    assert med(table, cyclic=False, omit_last=True) == med(moved, cyclic=False, omit_last=True)
    assert med(table, cyclic=False) != med(moved, cyclic=False)


def test_operand_distance_is_the_frobenius_norm():
    first, second = gaussian(5, 3, 1), gaussian(5, 3, 2)
    assert operand_distance(first, second) == pytest.approx(sqrt(((first - second) ** 2).sum()))


# Invariances


@settings(max_examples=40, deadline=None)
@given(tables(), st.integers(0, 1000), st.integers(0, 22), st.floats(0.01, 100))
def test_rotation_translation_shift_reversal_and_scale(table, seed, shift, scale):
    value = pytest.approx(med(table), rel=1e-7)
    assert med(table @ rotation(table.shape[1], seed)) == value
    assert med(table + gaussian(1, table.shape[1], seed)) == value
    assert med(np.roll(table, shift, axis=0)) == value
    assert med(table[::-1]) == value
    assert med(-scale * table) / scale == value
    assert normalised_med(scale * table) == pytest.approx(normalised_med(table), rel=1e-9)


def test_without_the_wrap_a_shift_of_the_tokens_matters():
    table = np.arange(5.0)[:, None]
    assert med(np.roll(table, 2, axis=0), cyclic=False) != med(table, cyclic=False)


@pytest.mark.parametrize("factor", [2, 5, 48, -1, 100])
def test_relabelling_a_circle_moves_its_frequency(factor):
    """Gu et al. 2025, Appendix B.4: an automorphism i -> ci leaves the task alone and changes MED."""
    table = relabelled(circles(97, [1]), factor)
    assert med(table) == pytest.approx(circle_med(97, [factor]), rel=1e-10)


def test_the_same_function_can_have_any_med():
    values = [med(relabelled(circles(97, [1]), c)) for c in range(1, 49)]
    assert min(values) == pytest.approx(0.0648, abs=1e-4)
    assert max(values) == pytest.approx(1.9997, abs=1e-4)


@settings(max_examples=20, deadline=None)
@given(st.sampled_from([5, 7, 11, 13]), st.integers(1, 12), st.integers(0, 100))
def test_least_med_does_not_depend_on_the_labels(p, factor, seed):
    assume(factor % p)
    table = gaussian(p, 4, seed)
    value, best = least_med(table)
    assert value == pytest.approx(med(relabelled(table, best)))
    assert value <= med(table)
    assert least_med(relabelled(table, factor))[0] == pytest.approx(value)


# Bounds (Gu et al. 2025, Theorem 3.8, made sharp)


@settings(max_examples=60, deadline=None)
@given(tables(least=3))
def test_bounds_hold_in_order(table):
    slack = 1 + 1e-9
    assert med_diameter_bound(table) <= med(table) * slack
    assert med(table) <= med_spectral_bound(table) * slack
    assert med_spectral_bound(table) <= med_bound(table) * slack
    assert normalised_med(table) <= 2 * slack


@settings(max_examples=30, deadline=None)
@given(tables())
def test_spectral_bound_is_the_root_mean_square_step(table):
    """Parseval: (1/p) sum |phi(i+1) - phi(i)|^2 = sum_k 4 sin^2(pi k/p) P_k."""
    squares = ((np.roll(table, -1, axis=0) - table) ** 2).sum(axis=1)
    assert med_spectral_bound(table) == pytest.approx(sqrt(squares.mean()), rel=1e-9)


@pytest.mark.parametrize("p", PRIMES)
def test_the_norm_bound_is_reached_by_the_highest_frequency(p):
    table = circles(p, [(p - 1) // 2], 3.0)
    assert med_bound(table) == pytest.approx(2 * cos(pi / (2 * p)) * 3.0, rel=1e-12)
    assert med(table) == pytest.approx(med_bound(table), rel=1e-12)


@pytest.mark.parametrize("p", [2, 4, 10])
def test_for_even_p_the_bound_is_reached_by_alternation(p):
    table = np.array([[(-1.0) ** i] for i in range(p)])
    assert med(table) == pytest.approx(2.0) == med_bound(table)


def test_the_norm_bound_is_strict_for_other_frequencies():
    assert med(circles(97, [1])) < 0.04 * med_bound(circles(97, [1]))


def test_spectral_bound_is_reached_only_by_equal_steps():
    equal = circles(11, [1, 4], [1.0, 2.0])
    assert med(equal) == pytest.approx(med_spectral_bound(equal), rel=1e-12)
    uneven = equal.copy()
    uneven[3] *= 1.5
    assert med(uneven) < med_spectral_bound(uneven) * (1 - 1e-3)


def test_diameter_bound_is_reached_on_a_segment():
    line = np.arange(9.0)[:, None]
    assert med(line) == pytest.approx(med_diameter_bound(line)) == pytest.approx(16 / 9)


def test_diameter_bound_uses_the_farthest_pair():
    table = gaussian(6, 3)
    diameter = max(np.linalg.norm(a - b) for a in table for b in table)
    assert med_diameter_bound(table) == pytest.approx(2 * diameter / 6)


# The initial value


def test_expected_step_of_gaussian_rows(oracle):
    for d, value in zip((128, 256), oracle("MED.iid"), strict=True):
        assert expected_initial_med(97, d, 1.0) == pytest.approx(float(value), rel=1e-12)


def test_expected_initial_values_of_the_sources():
    """W_E ~ N(0, 1/128): 1.41 a step, 137 at p = 97 (Fig. 5), 118.6 and 271 at p = 43 and 97 (2024, Eq. 12)."""
    assert expected_initial_med(97, 128) == pytest.approx(sqrt(2) * (1 - 1 / 512), rel=1e-5)
    assert expected_initial_med(97, 128, definition="gu2025_fig_5") == pytest.approx(136.9, abs=0.1)
    assert expected_initial_med(43, 128, definition="gu2024_eq_12") == pytest.approx(118.6, abs=0.1)
    assert expected_initial_med(97, 128, definition="gu2024_eq_12") == pytest.approx(271, abs=0.1)
    assert expected_initial_med(97, 128, definition="code_str") == pytest.approx(2.823, abs=1e-3)


@pytest.mark.parametrize("name", MED_DEFINITIONS)
def test_expected_initial_value_is_the_mean_over_draws(name):
    """The mean of 400 draws lies within four standard errors of it."""
    values = [med_as(name, 0.5 * gaussian(11, 6, s), 0.5 * gaussian(11, 6, s + 10**6)) for s in range(400)]
    error = np.std(values) / sqrt(len(values))
    assert abs(np.mean(values) - expected_initial_med(11, 6, 0.5, definition=name)) < 4 * error


# Refusals


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: med(np.eye(3), reduction="summ"), "reduction is 'summ'.*did you mean 'sum'"),
        (lambda: med(np.eye(3), combine="both"), "combine is 'both'"),
        (lambda: med(np.eye(3), second=np.eye(4)), r"second has shape \(4, 4\).*\(3, 3\)"),
        (lambda: med(np.eye(3), second=np.full((3, 3), np.nan)), "second has a value that is not finite"),
        (lambda: med(np.eye(2), cyclic=False, omit_last=True), "p = 2 rows.*at least 3"),
        (lambda: med_as("gu2025_def_42", np.eye(3)), "did you mean 'gu2025_def_4_2'"),
        (lambda: normalised_med(np.zeros((3, 2))), "zero everywhere"),
        (lambda: relabelled(np.eye(6), 4), "factor is 4.*no divisor with p = 6"),
        (lambda: circle_med(1, [1]), "p is 1"),
        (lambda: circle_med(7, [1.5]), "frequency is 1.5"),
        (lambda: circle_med(7, [1, 2], [1.0, 2.0, 3.0]), "amplitudes has 3 values"),
        (lambda: linear_med(1), "p is 1"),
        (lambda: expected_initial_med(2, 4), "p is 2"),
        (lambda: expected_initial_med(5, 0), "d is 0"),
        (lambda: expected_initial_med(5, 4, -1.0), "std is -1.0"),
        (lambda: expected_initial_med(5, 4, definition="base"), "definition is 'base'"),
    ],
)
def test_refusals_name_the_value_and_the_rule(call, message):
    with pytest.raises(ParameterError, match=message):
        call()
