"""A norm that is held."""

import dataclasses

import pytest
import torch

from grokbook.models.transformer import Shape
from grokbook.tasks import ModularTask
from grokbook.training import AdamW, RunConfig
from grokbook.training.ensemble import How, train_here
from grokbook.training.forward import split_weights
from grokbook.training.holding import Hold
from grokbook.training.interventions import Clamp, Hooked

MODEL = Shape(5, d_model=8)
BASE = RunConfig(
    ModularTask(5, train_fraction=0.5, split="symmetric"),
    MODEL,
    AdamW(warmup=0),
    steps=12,
    snapshots=0,
)


def rows(*hooks, **changes):
    """The weights (2, P) with which two runs end."""
    config = dataclasses.replace(BASE, optimizer=Hooked(BASE.optimizer, hooks), **changes)
    return train_here([config.with_seed(seed) for seed in (0, 1)], How()).weights


def test_a_held_norm_is_a_clamp_at_the_norm_where_it_begins():
    start = MODEL.draw(0)
    norm = float(torch.cat([w.flatten() for w in start.values()]).norm())
    torch.testing.assert_close(rows(Hold())[0], rows(Clamp(norm))[0], rtol=1e-4, atol=1e-5)
    late, at_five = rows(Hold(start=5)), rows(steps=5)
    torch.testing.assert_close(late.norm(dim=1), at_five.norm(dim=1), rtol=1e-5, atol=0)
    assert not torch.equal(late, rows())


def test_named_parameters_alone_are_held():
    start, ends = MODEL.draw(0), split_weights(BASE, rows(Hold(("W_U",)))[0])
    assert float(ends["W_U"].norm()) == pytest.approx(float(start["W_U"].norm()), rel=1e-5)
    assert float(ends["W_E"].norm()) != pytest.approx(float(start["W_E"].norm()), rel=1e-5)
