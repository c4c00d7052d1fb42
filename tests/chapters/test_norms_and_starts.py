"""Appendix to chapter 03: checks in other worlds, Theorem 3 either way, Urysohn's map."""

import numpy as np
import pytest
from scipy.linalg import circulant

from grokbook_chapters.norms_and_starts import claims as topic

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
    assert (found.numbers["free"], found.numbers["closed"]) == (2 * 7 - 2, 0)


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
