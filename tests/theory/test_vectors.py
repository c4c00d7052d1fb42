"""Refusals of the functions on embeddings: one sentence with the value and the rule."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from grokbook.errors import ParameterError
from grokbook.theory.vectors import odd_prime, pair, vectors


@pytest.mark.parametrize("kind", [list, np.array, torch.tensor])
def test_numpy_torch_and_lists_are_read_alike(kind):
    assert vectors(kind([[0.5, 1.0], [2.0, 3.0]])).tolist() == [[0.5, 1.0], [2.0, 3.0]]


@pytest.mark.parametrize(
    ("bad", "words"),
    [([1.0, 2.0], "has shape"), ([[np.nan]], "not finite in row 0"), ([[1.0], [np.inf]], "not finite in row 1"),
     ([["a"]], "array of real numbers"), ([[1.0], [1.0, 2.0]], "rows of one length"), (np.zeros((0, 3)), "has shape")],
)  # fmt: skip
def test_bad_rows_are_refused(bad, words):
    with pytest.raises(ParameterError, match=words):
        vectors(bad)


def test_tables_of_unequal_shape_are_refused():
    with pytest.raises(ParameterError, match="but must have the same"):
        pair([[0.0]], [[0.0], [1.0]])


@pytest.mark.parametrize(("p", "nearest"), [(4, 3), (9, 7), (2, 3), (1, 3), (96, 97), (-5, 3), (7.0, 3), (True, 3)])
def test_a_modulus_that_is_not_an_odd_prime_is_refused_with_the_nearest(p, nearest):
    with pytest.raises(ParameterError, match=f"must be an odd prime, because of it; the nearest is {nearest}"):
        odd_prime(p, "of it")


def test_odd_primes_pass():
    assert [odd_prime(p, "") for p in (3, 5, 97, np.int64(379))] == [3, 5, 97, 379]
