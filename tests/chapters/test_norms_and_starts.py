"""Appendix to chapter 03: checks in other worlds, Theorem 3 either way, Urysohn's map."""

import numpy as np
import pytest
import xarray as xr
from scipy.linalg import circulant

from grokbook.chapters import norms_and_starts as topic
from grokbook.claims import Runs
from grokbook.runs.gu2025 import fig5
from grokbook.theory.linear_operators import Norms

WORLDS = [
    (topic.lemma_3_4, (5,), "holds", {"chain_in_bases": lambda *args: True}),
    (topic.lemma_3_4, (5,), "fails", {"chain_in_bases": lambda *args: False}),
    (topic.norms_move_together, (4, 20), "holds", {"norms": lambda m: Norms(*[np.linalg.norm(m)] * 2, 1)}),
    (topic.norms_move_together, (4, 20), "fails", {"norms": lambda m: Norms(np.linalg.norm(m), 1 / np.max(m), 1)}),
    (topic.toeplitz_is_circulant, (5,), "holds", {"toeplitz": lambda v, row: circulant(v)}),
    (topic.toeplitz_is_circulant, (5,), "fails", {"toeplitz": lambda v, row: np.outer(v, row)}),
    (topic.supremum_is_a_norm, (), "holds", {"region_map": lambda x, same, root=False: np.zeros(len(x))}),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "args", "verdict", "world"), WORLDS)
def test_a_check_comes_out_otherwise_in_another_world(claim, args, verdict, world, elsewhere):
    assert elsewhere(claim, *args, **world) == verdict


def test_a_toeplitz_matrix_is_circulant_where_its_diagonals_close():
    """Eq. (19): with v'_j = v_-j; else all but the corner of the first row and column differ, 2p - 2 entries."""
    found = topic.toeplitz_is_circulant(7)
    assert found.verdict == "holds with correction"
    assert (found.numbers["free"], found.numbers["closed"]) == (2 * 7 - 2, 0)


@pytest.mark.parametrize(("theorem", "verdict"), [(True, "fails"), (False, "holds")])
def test_distances_can_be_proportional_without_theorem_3(theorem, verdict):
    assert topic.linear_distance(11, theorem).verdict == verdict


@pytest.mark.parametrize(("divisors", "verdict"), [([], "holds"), ([1], "holds with correction")])
def test_divisibility_either_way(divisors, verdict, monkeypatch):
    """Theorem 3 (Gu 2024): d1 + d2 = 1 has two solutions for each of three primes, which break the printed rule."""
    assert topic.divisibility((5, 7, 11)).value == 6
    monkeypatch.setattr(topic.sympy, "divisors", lambda p: divisors)
    assert topic.divisibility((5,)).verdict == verdict


@pytest.mark.parametrize(
    ("late", "verdict"), [([2.0, 3.0], "vacuous"), ([2.0, np.inf], "holds"), ([np.inf, 2.0], "fails")]
)
def test_a_bound_says_something_only_if_it_tells_runs_apart(late, verdict):
    ones = np.ones((2, 30))
    curves = {"test_accuracy": [1.0, 0.4], "med": late}
    dataset = xr.Dataset({name: (("seed", "step"), np.array(v)[:, None] * ones) for name, v in curves.items()})
    table = topic.late_and_best(dataset)
    assert topic.bounded_in_the_end(Runs({97: table})).verdict == verdict
    assert topic.bounded_in_the_end(Runs({97: table}, {p: fig5(p) for p in (47, 97)})).verdict == "undecided"


def test_the_map_is_one_of_urysohns():
    x = np.random.default_rng(0).normal(size=(500, 2)) * 3
    value = topic.region_map(x, same=True)
    assert (value[x[:, 1] >= x[:, 0]] == 0).all()
    assert (value[np.linalg.norm(x - [2, 0], axis=1) <= 0.5] == 1).all()
    assert (value >= 0).all() and (value <= 1).all()
    assert topic.region_map(x, same=True, root=True) ** 2 == pytest.approx(value)
