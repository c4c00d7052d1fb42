"""Checks on class sums can come out either way; their helpers against counting by hand."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from grokbook.claims import uniformity_classes as classes
from grokbook.theory.enclosing_ball import Ball
from grokbook.theory.uniformity import closeness


def test_without_balls_the_theorems_would_say_something(monkeypatch):
    monkeypatch.setattr(classes, "smallest_ball", lambda x: Ball(x[0], np.inf, np.ones(1)))
    assert classes.outputs_in_balls(5).verdict == "holds"


def test_an_embedding_without_delta_would_make_mastery_count(monkeypatch):
    real = closeness
    monkeypatch.setattr(
        classes, "closeness", lambda phi: dataclasses.replace(real(phi), deltas=np.full(len(phi), np.inf))
    )
    assert classes.sums_in_balls(5).verdict == "holds"


def test_small_balls_would_be_seen(monkeypatch):
    real = closeness
    monkeypatch.setattr(
        classes, "closeness", lambda phi: dataclasses.replace(real(phi), deltas=0.1 * real(phi).deltas)
    )
    assert classes.sums_in_small_balls(97, 5).verdict == "holds"
    assert classes.neighbours_by_averaging(5).verdict == "holds with correction"


def test_a_bound_that_is_broken_is_seen(monkeypatch):
    real = closeness
    monkeypatch.setattr(classes, "closeness", lambda phi: dataclasses.replace(real(phi), bound=0.1))
    assert classes.neighbours_by_averaging(5).verdict == "fails"


def test_shrinking_balls_would_be_seen(monkeypatch):
    monkeypatch.setattr(classes, "radii_on", lambda phi, rows, columns: np.full(len(phi), 1 / len(rows)))
    assert classes.balls_shrink_with_data(11).verdict == "holds"


def test_radii_are_monotone_in_the_set_of_cells():
    """Appendix B.3 read the other way round: more cells, no smaller balls."""
    phi = np.random.default_rng(0).normal(size=(7, 2))
    small, large = classes.radii_on(phi, [0, 1, 2], [0, 3]), classes.radii_on(phi, range(5), range(7))
    assert (small <= large + 1e-12).all()
    assert classes.radii_on(phi, range(7), range(7)) == pytest.approx(closeness(phi).deltas)


def test_without_a_modulus_closeness_can_be_an_equivalence():
    """Remark 3.6 on i + j without mod p: the line has it."""
    assert classes.close_exactly_if_equivalent(7, modular=False).verdict == "holds"
    assert classes.close_exactly_if_equivalent(7).verdict == "fails"


def test_additive_targets_can_be_met():
    """Targets f(i) + g(j) are explained; one-hot targets of another operation in part."""
    i = np.arange(7.0)
    assert classes.additive_targets(7, np.add.outer(i, i * i)[..., None]).verdict == "holds"
    maximum = np.maximum.outer(np.arange(7), np.arange(7))
    assert classes.additive_targets(7, np.eye(7)[maximum]).verdict == "holds"


def test_a_wrong_bound_of_med_is_seen(monkeypatch):
    monkeypatch.setattr(classes, "med_bound", lambda t: 0.5)
    assert classes.bound_on_med(11).verdict != "vacuous"


def test_the_embeddings_tried_are_of_many_shapes():
    shapes = [phi.shape for phi in classes.embeddings(7, draws=5)]
    assert len(shapes) == 1 + 3 + 10
    assert {d for _, d in shapes} >= {1, 2, 4, 8, 16}
