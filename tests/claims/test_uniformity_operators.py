"""Checks on norms, maps and starts can come out either way."""

from __future__ import annotations

import numpy as np
import pytest

from grokbook.claims import uniformity_operators as operators
from grokbook.theory.linear_operators import Norms


def test_a_linear_block_would_be_additive(monkeypatch):
    monkeypatch.setattr(operators, "splitting_error", lambda *args: 0.0)
    assert operators.block_is_additive().verdict == "holds"


@pytest.mark.parametrize(("answer", "verdict"), [(True, "holds"), (False, "fails")])
def test_lemma_3_4_either_way(answer, verdict, monkeypatch):
    monkeypatch.setattr(operators, "chain_in_bases", lambda *args: answer)
    assert operators.lemma_3_4(5).verdict == verdict


def test_norms_that_move_together_would_be_seen(monkeypatch):
    monkeypatch.setattr(operators, "norms", lambda m: Norms(np.linalg.norm(m), np.linalg.norm(m), 1))
    assert operators.norms_move_together(4, 20).verdict == "holds"


def test_a_right_lemma_b_1_would_be_seen(monkeypatch):
    monkeypatch.setattr(operators, "printed_norm", lambda x, r: operators.smallest_map(x, r).norm)
    assert operators.lemma_b_1((5,), 3).verdict == "holds"
    assert operators.minimum_is_a_manifold(5, 4, 3).verdict == "holds"


@pytest.mark.parametrize(("scale", "spread", "verdict"), [(0.5, 0.5, "holds"), (1, 2, "fails")])
def test_a_toeplitz_start_either_way(scale, spread, verdict, monkeypatch):
    draw, within = operators.draw_start, operators.spread_within
    shrunk = lambda kind, *rest: draw(kind, *rest) * (scale if kind == "toeplitz" else 1)  # noqa: E731
    wider = lambda kind, *rest: (spread if kind == "toeplitz" else 1) * within("independent", *rest)  # noqa: E731
    monkeypatch.setattr(operators, "draw_start", shrunk)
    monkeypatch.setattr(operators, "spread_within", wider)
    assert operators.toeplitz_is_more_uniform(13, 100).verdict == verdict
