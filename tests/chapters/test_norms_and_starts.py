"""Appendix to chapter 03: checks in other worlds, Theorem 3 either way, Urysohn's map."""

import numpy as np
import pytest
from scipy.linalg import circulant

from grokbook_chapters import norms_and_starts as chapter
from grokbook_chapters.norms_and_starts import claims as topic
from grokbook_chapters.norms_and_starts.med_limit import med_limit
from written_pages import functions, names_used

WORLDS = [
    (topic.lemma_3_4, (5,), "holds", {"chain_in_bases": lambda *args: True}),
    (topic.lemma_3_4, (5,), "fails", {"chain_in_bases": lambda *args: False}),
    (topic.toeplitz_is_circulant, (5,), "holds", {"toeplitz": lambda v, row: circulant(v)}),
    (topic.toeplitz_is_circulant, (5,), "fails", {"toeplitz": lambda v, row: np.outer(v, row)}),
    (
        topic.supremum_is_a_norm,
        (),
        "holds",
        {"region_map": lambda x, same, root=False: np.zeros(len(x))},
    ),
]


@pytest.mark.parametrize(("claim", "args", "verdict", "world"), WORLDS)
def test_a_check_comes_out_otherwise_in_another_world(claim, args, verdict, world, elsewhere):
    assert elsewhere(claim, *args, **world) == verdict


def test_a_toeplitz_matrix_is_circulant_where_its_diagonals_close():
    """Eq. (19): with v'_j = v_-j; else all but the corner of the first row and column differ, 2p -
    2 entries."""
    found = topic.toeplitz_is_circulant(7)
    assert found.verdict == "holds with correction"
    assert (found.value, found.numbers["closed"]) == (2 * 7 - 2, 0)


@pytest.mark.parametrize(("divisors", "verdict"), [([], "holds"), ([1], "holds with correction")])
def test_divisibility_either_way(divisors, verdict, monkeypatch):
    """Theorem 3 (Gu 2024): d1 + d2 = 1 breaks the printed rule at each of three primes."""
    assert topic.divisibility((5, 7, 11)).value == 3
    monkeypatch.setattr(topic.sympy, "divisors", lambda p: divisors)
    assert topic.divisibility((5,)).verdict == verdict


def test_the_map_is_one_of_urysohns():
    x = np.random.default_rng(0).normal(size=(500, 2)) * 3
    value = topic.region_map(x, same=True)
    assert (value[x[:, 1] >= x[:, 0]] == 0).all()
    assert (value[np.linalg.norm(x - [2, 0], axis=1) <= 0.5] == 1).all()
    assert (value >= 0).all() and (value <= 1).all()
    assert topic.region_map(x, same=True, root=True) ** 2 == pytest.approx(value)


def test_the_bound_of_the_page_is_the_library_s():
    """Its function for one embedding, as it stands in sight."""
    (med_bound,) = functions("03a", "med_bound")
    radii = np.random.default_rng(0).uniform(0.5, 2, size=13)
    assert med_bound(radii, p=13) == pytest.approx(med_limit(radii), rel=1e-12)


@pytest.mark.parametrize(("p", "d"), [(5, 2), (13, 32)])
def test_med_is_below_its_bound_and_two_circles_attain_theirs(p, d):
    table = chapter.bounds(p, d)
    assert (table.bound - table.MED).min() > -1e-9
    assert table.MED["two circles"] == pytest.approx(table.bound["two circles"])


def test_the_spreads_of_the_prose_are_those_of_tables_that_are_drawn():
    """Squared steps of Toeplitz tables are more alike in a table and less from table to table."""
    found = chapter.numbers(97, n_tables=300)
    assert found.keys() == names_used("03a")
    rng = np.random.default_rng(1)
    within = {}
    between = {}
    for kind in ("independent", "toeplitz"):
        drawn = chapter.draw_tables(kind, 97, 300, rng)
        steps = np.array([(np.diff(table, axis=0) ** 2).sum(1) for table in drawn])
        within[kind] = np.sqrt(steps.var(axis=1).mean())
        between[kind] = steps.mean(axis=1).std()
    ratio = within["toeplitz"] / within["independent"]
    assert float(found["within_ratio"]) == pytest.approx(ratio, rel=0.1)
    ratio = between["toeplitz"] / between["independent"]
    assert float(found["between_ratio"]) == pytest.approx(ratio, rel=0.2)


def test_the_figure_has_a_line_a_kind_in_both_panels():
    draws = np.random.default_rng(0)
    tables = {kind: chapter.draw_tables(kind, 97, 5, draws) for kind in chapter.STARTS}
    left, right = chapter.steps_and_med(tables).axes
    assert len(left.lines) == len(right.lines) == len(chapter.STARTS)
    levels = left.lines[-1].get_ydata()  # all steps of a circulant table are equally long
    assert levels.min() == pytest.approx(levels.max())
