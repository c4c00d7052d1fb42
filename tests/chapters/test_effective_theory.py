"""Chapter 11: its plan, checks in other worlds, and figures and tables that hold what the library
computes."""

from itertools import cycle

import numpy as np
import pytest

from grokbook.errors import ParameterError
from grokbook.theory import effective_flow
from grokbook.theory.effective_flow import flow, limit, quadratic_form, velocity
from grokbook.theory.linear_probability import linear_probability
from grokbook.theory.parallelograms import all_samples, nullity, permissible_set
from grokbook_chapters import effective_theory as chapter
from grokbook_chapters.effective_theory import dynamics, figures, lines, plan
from grokbook_chapters.effective_theory import representations as rep
from written_pages import functions, names_used


def test_a_set_that_forces_a_line_needs_no_training():
    assert plan(10, 45, 0) == plan(4, 10, 3) == {}


@pytest.mark.parametrize(
    ("given", "words"),
    [((10, 56, 0), "at most 55"), ((14, 4, 0), "no number moves")],
)
def test_what_cannot_be_followed_is_refused_with_its_reason(given, words):
    with pytest.raises(ParameterError, match=words):
        plan(*given)


def linear(embedding, pairs, **options):
    """The velocity of Eq. 9, whatever kind is asked for."""
    return velocity(embedding, pairs, **{**options, "kind": "linear"})


TURN = cycle((0.0, 1.0))
WORLDS = [
    (
        rep.sample_counts,
        "fails",
        {"all_samples": lambda p: [(i, j) for i in range(p) for j in range(p)]},
    ),
    (rep.parallelograms_have_one_label, "fails", {"zero_loss": lambda embedding, pairs: True}),
    (
        rep.parallelograms_have_one_label,
        "holds",
        {
            "zero_loss": lambda embedding, pairs: (
                embedding[0] + embedding[2] == 2 * embedding[1] and embedding[1] != 1
            )
        },
    ),
    (rep.injective_decoder, "fails", {"permissible_set": lambda pairs: [((0, 0), (2, 2))]}),
    (
        rep.parallelogram_counts,
        "fails",  # Eq. 1 as printed, whatever counting is asked for
        {"permissible_set": lambda pairs, **_: permissible_set(pairs, counting="literal")},
    ),
    (rep.parallelogram_counts, "fails", {"EQUATION_19": ((0, 1, 1, 3),) * 3}),
    (rep.random_quality, "fails", {"representation_quality_index": lambda table, delta=0.01: 0.5}),
    (
        rep.random_quality,
        "holds",  # no random embedding closes one, at any tolerance
        {
            "representation_quality_index": lambda table, delta=0.01: float(
                np.ptp(np.diff(table)) == 0
            )
        },
    ),
    (rep.full_nullity, "fails", {"nullity": lambda pairs, p: nullity(pairs[:-2], p) + 1}),
    (rep.full_nullity, "fails", {"first_linear": lambda p, n: np.array([22, 30])}),
    (rep.line_without_answers, "holds", {"ideal_model": lambda pairs, p: {"accuracy": 1.0}}),
    (rep.critical_share, "fails", {"linear_probability": lambda p, n: np.linspace(0, 1, 56)}),
    (
        rep.critical_share,
        "fails",
        {"free_crossover": lambda p: np.array([1, 2, 3]) / p},
    ),  # no sharper as p grows
    (rep.least_and_typical, "fails", {"first_linear": lambda p: np.array([30, 30, 30])}),
    (
        rep.least_and_typical,
        "holds",
        {"least_set": lambda p: all_samples(p)[:22], "nullity": lambda pairs, p: 2},
    ),
    (rep.rate_by_size, "fails", {"grokking_rate": lambda pairs, p: 1.0}),
    (
        rep.rate_by_size,
        "fails",
        {"grokking_rate": lambda pairs, p: next(TURN) if len(pairs) == 20 else 2.0},
    ),
    (rep.spans, "fails", {"implied_set": lambda pairs, p: permissible_set(pairs)}),
    (rep.spans, "fails", {"augmented_set": lambda trained, known: known[-1:]}),
    (rep.spans, "fails", {"nullity": lambda pairs, p: len(pairs)}),
    (
        rep.samples_for_six,
        "holds",
        {"samples_of": list, "nullity": lambda pairs, p: 2 + (len(pairs) < 8)},
    ),
    (rep.samples_for_six, "fails", {"nullity": lambda pairs, p: 2}),
    (rep.two_tolerances, "holds", {"representation_quality_index": lambda table, delta: 0.25}),
    (rep.two_tolerances, "fails", {"representation_quality_index": lambda table, delta: 1 - delta}),
    (
        dynamics.z0_is_kept,
        "fails",
        {"flow": lambda start, pairs, times: flow(start, pairs, times, kind="linear")},
    ),
    (
        dynamics.z0_is_kept,
        "fails",
        {"quadratic_form": lambda pairs, p: 2 * quadratic_form(pairs, p)},
    ),
    (dynamics.z0_is_kept, "fails", {"grokking_rate": lambda pairs, p: 1.0}),
    (dynamics.sum_is_kept, "holds", {"limit": lambda start, pairs: np.array(start)}),
    (
        dynamics.sum_is_kept,
        "fails",
        {"flow": lambda start, pairs, times: flow(start, pairs, times) + 1},
    ),
    (dynamics.linear_flow, "holds", {"velocity": linear}),
    (
        dynamics.linear_flow,
        "fails",
        {"flow": lambda start, pairs, times, kind: flow(start, pairs, times) + (kind == "linear")},
    ),
    (
        dynamics.eigenvalues_of_h,
        "holds",
        {
            "permissible_set": lambda pairs: [0, 0],
            "quadratic_form": lambda pairs, p: 1.5 * quadratic_form(pairs, p),
        },
    ),
    (
        dynamics.eigenvalues_of_h,
        "fails",
        {"quadratic_form": lambda pairs, p: 2 * quadratic_form(pairs, p)},
    ),
    (dynamics.appendix_l, "fails", {"bias": lambda samples: 0.5}),
]


@pytest.mark.parametrize(("claim", "verdict", "world"), WORLDS)
def test_a_check_comes_out_otherwise_in_another_world(claim, verdict, world, elsewhere):
    assert elsewhere(claim, **world) == verdict


@pytest.mark.parametrize("p", [4, 5, 6, 10, 13])
def test_the_least_set_and_the_largest_failing_set(p):
    """Proposition: p samples force a line and none can be left out; |D0| - (p - 2) need not."""
    least = rep.least_set(p)
    assert len(least) == p and nullity(least, p) == 2
    assert all(nullity([one for one in least if one != out], p) > 2 for out in least)
    failing = rep.largest_failing_set(p)
    assert len(failing) == len(all_samples(p)) - (p - 2) and nullity(failing, p) == 3


def test_steps_of_descent_follow_the_velocity_and_half_the_step_has_half_the_error():
    start, pairs = lines.start(7, 2), lines.training_set(7, 15)
    times = np.arange(1, 40) / 10
    whole, half = (lines.descent(start, pairs, times, size) for size in (0.1, 0.05))
    exact = flow(start, pairs, times)
    assert np.abs(whole - exact).max() / np.abs(half - exact).max() == pytest.approx(2, abs=0.1)
    assert np.allclose(whole[0], start + 0.1 * velocity(start, pairs)[:, 0])


def places(ax, size):
    """Where the balls of one size stand, in the order in which they were drawn."""
    marks = [line for line in ax.lines if line.get_marker() == "o"]
    return [mark.get_xdata()[0] for mark in marks if mark.get_markersize() == size]


def test_the_bows_of_the_first_figure_meet_at_the_end():
    """A parallelogram on a line is two pairs with one middle; 9 time scales are nearly the end."""
    start, pairs = lines.start(10, 0), lines.training_set(10, 45)
    first, _, last = figures.closing(start, pairs).axes
    assert np.ptp(places(first, 6)) > 0.5 and np.ptp(places(last, 6)) < 1e-3
    assert np.allclose(places(first, 12), np.sort(start))
    assert np.allclose(places(last, 12), np.sort(limit(start, pairs)), atol=1e-3)


def test_the_samples_of_appendix_c_end_on_a_line():
    """What is left of a start solves the equations of the first 4, 6 and 8; only after all is it on
    one line."""
    for n in (4, 6, 8):
        points = limit(lines.start(6, 695, d=2), rep.APPENDIX_C[:n])
        assert effective_flow.effective_loss(points, rep.APPENDIX_C[:n]) == pytest.approx(
            0, abs=1e-12
        )
        assert (np.linalg.matrix_rank(np.diff(points, axis=0), tol=1e-6) == 1) == (n == 8)


def test_a_parallelogram_is_drawn_round_and_its_pairs_are_the_diagonals():
    """An outline is closed, and its diagonals, the pairs i, j and m, n, have one middle."""
    drawn = figures.stages().axes
    for outline in (line.get_xydata() for ax in drawn for line in ax.lines[:-1]):
        assert (outline[0] == outline[4]).all()
        assert np.allclose(outline[0] + outline[2], outline[1] + outline[3], atol=1e-6)
    seen = [len(permissible_set(rep.APPENDIX_C[:n])) for n in (4, 6, 8)]
    assert [len(ax.patches) for ax in drawn] == seen and all(len(ax.texts) == 6 for ax in drawn)


def test_the_critical_sizes_have_bands_that_shrink_with_the_number_of_orders():
    few, many = (lines.sizes_at_one_half([4, 6], orders) for orders in (100, 10_000))
    for table in (few, many):
        assert (table.low < table["size"]).all() and (table["size"] < table.high).all()
        assert table.share.tolist() == pytest.approx((table["size"] / [10, 21]).tolist())
    assert ((many.high - many.low) < 0.2 * (few.high - few.low)).all()
    assert (many["size"] - few["size"]).abs().max() < 1


def test_three_orders_are_too_few_for_a_band():
    """One half by 1 / sqrt(3) more is above 1, which no curve of shares reaches, and by as much
    less below 0."""
    row = lines.sizes_at_one_half([4], 3).iloc[0]
    assert row.low == 0 < row["size"] <= 10 and np.isnan(row.high)


@pytest.mark.parametrize(("samples", "forced"), [(45, True), (6, False)])
def test_the_numbers_of_the_prose_follow_the_training_set(samples, forced):
    pairs = lines.training_set(10, samples)
    curves = {10: linear_probability(10, 200)}
    found = chapter.numbers(10, pairs, curves, lines.sizes_at_one_half([4, 20], 100))
    assert (found["samples"], found["least"], found["failing"]) == (samples, 10, 47)
    assert found["line_forced"].holds == forced == (nullity(pairs, 10) == 2)
    assert 20 <= int(found["half_size"]) <= 25 and found["share_20"] in ("21%", "22%", "23%")
    assert found.keys() == names_used("11")


def test_the_equations_of_the_page_are_the_library_s():
    """Functions of the page in sight; those below use those above."""
    parallelograms, equations, freedom, page_flow = functions(
        "11", "parallelograms", "equations", "freedom", "flow"
    )
    for pairs in (lines.training_set(6, 9, 1), all_samples(6)):
        assert set(parallelograms(pairs)) == set(permissible_set(pairs))
        assert freedom(pairs, 6) == nullity(pairs, 6)
        start = lines.start(6, 3)
        assert page_flow(start, pairs, 2.5) == pytest.approx(flow(start, pairs, [2.5])[0])


def test_no_fewer_than_p_minus_two_samples_break_the_line():
    """p = 4 to 6 on the page; here p = 7, all sets of 28 samples without one to five."""
    from math import comb

    from grokbook.theory.linear_probability import sets_with_a_line

    assert [sets_with_a_line(7, 28 - k) == comb(28, k) for k in range(6)] == [True] * 5 + [False]
