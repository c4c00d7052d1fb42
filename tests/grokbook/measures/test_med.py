"""MED, norms and the registry: closed forms, identities between the definitions, invariances and
bounds."""

from math import cos, pi, sqrt

import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from embedding_tables import circles, gaussian, relabelled, rotation, tables
from grokbook import measures as m
from grokbook.measures.registry import claimed_directions
from grokbook.runs.instruments import INSTRUMENTS, READ_OUTS
from grokbook_chapters.lead_tasks import watched_run
from refusals import refusals

PRIMES = [3, 5, 7, 11, 47, 97]


def steps_of(table: np.ndarray) -> list[float]:
    """|phi(i+1) - phi(i)| for i = 0..p-2, written out."""
    return [float(np.sqrt(sum((b - a) ** 2))) for a, b in zip(table[:-1], table[1:], strict=True)]


@pytest.mark.parametrize("p", PRIMES)
def test_circles_in_orthogonal_planes(p):
    frequencies = list(range(1, p // 2 + 1))[:3]
    amplitudes = [1.0, 0.3, 2.0][: len(frequencies)]
    expected = 2 * sqrt(
        sum((a * np.sin(pi * k / p)) ** 2 for a, k in zip(amplitudes, frequencies, strict=True))
    )
    assert m.med(circles(p, frequencies, amplitudes)) == pytest.approx(expected, rel=1e-12)
    squares = [(a * m.circle_med(p, k)) ** 2 for a, k in zip(amplitudes, frequencies, strict=True)]
    assert sqrt(sum(squares)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("p", [2, 5, 8])
def test_a_line_walks_out_and_jumps_back(p):
    slope = np.array([3.0, -4.0])
    line = 7 + np.outer(np.arange(p), slope)
    assert m.med(line) == pytest.approx(2 * (p - 1) * 5 / p)


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
@pytest.mark.parametrize("name", m.MED_DEFINITIONS)
def test_each_named_definition_is_what_its_source_says(name, p):
    first, second = gaussian(p, 5, 1), gaussian(p, 5, 2)
    assert m.med_as(name, first, second) == pytest.approx(by_hand(name, first, second), rel=1e-12)
    assert m.med_as(name, first) == pytest.approx(by_hand(name, first, first), rel=1e-12)


@given(tables(), st.integers(0, 1000), st.integers(0, 22), st.floats(0.01, 100))
def test_rotation_translation_shift_reversal_and_scale(table, seed, shift, scale):
    value = pytest.approx(m.med(table), rel=1e-7)
    assert m.med(table @ rotation(table.shape[1], seed)) == value
    assert m.med(table + gaussian(1, table.shape[1], seed)) == value
    assert m.med(np.roll(table, shift, axis=0)) == value
    assert m.med(table[::-1]) == value
    assert m.med(-scale * table) / scale == value
    assert m.normalised_med(scale * table) == pytest.approx(m.normalised_med(table), rel=1e-9)


@pytest.mark.parametrize("factor", [2, 5, 48, -1, 100])
def test_relabelling_a_circle_moves_its_frequency(factor):
    """Gu et al. 2025, Appendix B.4: an automorphism i -> ci leaves the task alone and changes
    MED."""
    table = relabelled(circles(97, [1]), factor)
    assert m.med(table) == pytest.approx(m.circle_med(97, factor), rel=1e-10)


@given(st.sampled_from([5, 7, 11, 13]), st.integers(1, 12), st.integers(0, 100))
def test_least_med_does_not_depend_on_the_labels(p, factor, seed):
    assume(factor % p)
    table = gaussian(p, 4, seed)
    value, best = m.least_med(table)
    assert value == pytest.approx(m.med(relabelled(table, best)))
    assert value <= m.med(table)
    assert m.least_med(relabelled(table, factor))[0] == pytest.approx(value)


@given(tables(least=3))
def test_bounds_hold_in_order(table):
    slack = 1 + 1e-9
    assert m.med_diameter_bound(table) <= m.med(table) * slack
    assert m.med(table) <= m.med_spectral_bound(table) * slack
    assert m.med_spectral_bound(table) <= m.med_bound(table) * slack
    assert m.normalised_med(table) <= 2 * slack


@given(tables())
def test_spectral_bound_is_the_root_mean_square_step(table):
    """Parseval: (1/p) sum |phi(i+1) - phi(i)|^2 = sum_k 4 sin^2(pi k/p) P_k."""
    squares = ((np.roll(table, -1, axis=0) - table) ** 2).sum(axis=1)
    assert m.med_spectral_bound(table) == pytest.approx(sqrt(squares.mean()), rel=1e-9)


@pytest.mark.parametrize("p", PRIMES)
def test_the_norm_bound_is_reached_by_the_highest_frequency_and_for_even_p_by_alternation(p):
    table = circles(p, [(p - 1) // 2], 3.0)
    assert m.med_bound(table) == pytest.approx(2 * cos(pi / (2 * p)) * 3.0, rel=1e-12)
    assert m.med(table) == pytest.approx(m.med_bound(table), rel=1e-12)
    table = np.array([[(-1.0) ** i] for i in range(p + 1)])
    assert m.med(table) == pytest.approx(2.0) == m.med_bound(table)


@pytest.mark.parametrize("name", m.MED_DEFINITIONS)
def test_expected_initial_value_is_the_mean_over_draws(name):
    """The mean of 400 draws lies within four standard errors of it."""
    std = 6**-0.5
    values = [
        m.med_as(name, std * gaussian(11, 6, s), std * gaussian(11, 6, s + 10**6))
        for s in range(400)
    ]
    error = np.std(values) / sqrt(len(values))
    assert abs(np.mean(values) - m.expected_initial_med(11, 6, definition=name)) < 4 * error


def test_weight_norm_is_that_of_the_concatenated_weights():
    parts = {"W": gaussian(3, 4), "b": gaussian(1, 5)[0], "s": np.array(2.0)}
    everything = np.concatenate([part.ravel() for part in parts.values()])
    assert m.weight_norm(parts) == pytest.approx(np.linalg.norm(everything), rel=1e-12)
    model = torch.nn.Linear(7, 5)  # its weights want a gradient, and get none of this
    expected = sqrt(sum(float((w.detach() ** 2).sum()) for w in model.parameters()))
    for weights in (model.parameters(), dict(model.named_parameters()), model.state_dict()):
        assert m.weight_norm(weights) == pytest.approx(expected, rel=1e-6)


def test_every_watched_run_records_every_measure_of_the_registry():
    """What training logs and what the book's instruments and its fresh read-out add are together
    the registry's curves, once each."""
    config = watched_run(5, d_model=8, steps=10, points=2, n_seeds=1, watch=READ_OUTS)
    assert set(claimed_directions()) <= set(config.run(progress=False).data_vars)
    assert set(INSTRUMENTS) <= set(m.registry())
    assert set(claimed_directions().values()) == {"rises", "falls"}


def test_what_is_logged_is_the_registry():
    table = gaussian(11, 6)
    logged = m.embedding_measures(table)
    entries = {name: entry for name, entry in m.registry().items() if entry.of == "embedding"}
    assert list(logged) == list(entries)
    for name, value in logged.items():
        assert type(value) is float
        assert value == pytest.approx(entries[name].function(table), rel=1e-12)


def test_the_second_operand_enters_only_the_two_range_forms():
    first, second = gaussian(11, 6, 1), gaussian(11, 6, 2)
    alone, both = m.embedding_measures(first), m.embedding_measures(first, second)
    assert {name for name in alone if alone[name] != both[name]} == {"med_gu2024", "med_code_base"}
    assert both["med_gu2024"] == pytest.approx(
        m.med(first, cyclic=False, reduction="sum") + m.med(second, cyclic=False, reduction="sum")
    )
    coded = [m.med(table[:-1], cyclic=False) for table in (first, second)]
    assert both["med_code_base"] == pytest.approx(sum(coded) / 2)


def test_a_collapsed_table_has_no_shape_but_a_run_goes_on():
    logged = m.embedding_measures(np.ones((5, 3)))
    assert logged["med"] == 0
    assert np.isnan([logged["fourier_ipr"], logged["effective_dimension"]]).all()
    assert np.isnan(m.embedding_measures(np.zeros((5, 3)))["normalised_med"])
    assert np.isnan(m.embedding_measures(np.eye(2))["med_code_base"])


test_refusals_name_the_value_and_the_rule = refusals(
    (lambda: m.weight_norm([]), "empty"),
    (
        lambda: m.med(np.eye(3), reduction="summ"),
        "reduction = 'summ' is unknown; choose one of mean, sum",
    ),
    (lambda: m.med(np.eye(3), second=np.eye(4)), r"second has shape \(4, 4\).*\(3, 3\)"),
    (lambda: m.med(np.eye(2), cyclic=False, omit_last=True), "p = 2 rows.*at least 3"),
    (
        lambda: m.med_as("gu2025_def_42", np.eye(3)),
        "name = 'gu2025_def_42' is unknown; choose one of gu2025_def_4_2",
    ),
    (lambda: m.normalised_med(np.zeros((3, 2))), "zero everywhere"),
    (lambda: m.circle_med(7, 1.5), "k is 1.5"),
    (lambda: m.expected_initial_med(5, 4, definition="base"), "definition = 'base' is unknown"),
    (lambda: m.embedding_measures(np.eye(3), np.eye(4)), "second has shape"),
)
