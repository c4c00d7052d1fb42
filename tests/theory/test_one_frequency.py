"""The one-frequency network: exact addition, one loss for all frequencies, different neighbour distances."""

from __future__ import annotations

import numpy as np
import pytest

from grokbook.errors import ParameterError
from grokbook.measures import med
from grokbook.theory.one_frequency import circle, full_loss, logits, products


@pytest.mark.parametrize("p", [3, 5, 11])
def test_it_adds_modulo_p_at_every_frequency(p):
    label = np.add.outer(np.arange(p), np.arange(p)) % p
    for k in range(1, p):
        assert np.array_equal(logits(p, k).argmax(axis=2), label)


@pytest.mark.parametrize("p", [5, 13])
def test_logits_are_cosines_of_the_distance_from_the_answer(p):
    i = np.arange(p)
    angle = 2 * np.pi * 2 * (i[:, None, None] + i[None, :, None] - i) / p
    assert logits(p, 2, 3.0) == pytest.approx(3 * np.cos(angle), abs=1e-12)


def test_products_are_multiplication_of_complex_numbers():
    plane = np.random.default_rng(0).normal(size=(5, 2))
    z = plane @ [1, 1j]
    assert products(plane) @ [1, 1j] == pytest.approx(np.outer(z, z))


@pytest.mark.parametrize("scale", [0.5, 4.0])
def test_loss_against_its_closed_form_at_every_frequency(scale):
    p = 11
    closed = np.log(np.exp(scale * np.cos(2 * np.pi * np.arange(p) / p)).sum()) - scale
    assert [full_loss(p, k, scale) for k in range(1, p)] == pytest.approx([closed] * (p - 1), rel=1e-12)


def test_norms_are_equal_and_med_is_not():
    p = 11
    assert [np.linalg.norm(circle(p, k)) for k in range(1, 6)] == pytest.approx([np.sqrt(p)] * 5)
    assert med(circle(p, 5)) > 3 * med(circle(p, 1))


@pytest.mark.parametrize("p", [4, 9, 2])
def test_a_modulus_with_divisors_is_refused(p):
    with pytest.raises(ParameterError, match="must be an odd prime, because every frequency"):
        circle(p, 1)


def test_a_large_scale_does_not_overflow():
    assert full_loss(7, 1, 2000.0) == pytest.approx(0, abs=1e-9)
