"""The deviation that chapter 02 prints is rounding, and is not zero for a model that differs."""

from __future__ import annotations

import pytest
import torch

from grokbook.models import exactness
from grokbook.models.exactness import rewriting_deviation
from grokbook.models.transformer import Shape, cls_logits
from grokbook.tasks import ModularTask


def _data(p: int, shift: int) -> tuple[torch.Tensor, torch.Tensor]:
    task = ModularTask(p, shift=shift)
    return torch.from_numpy(task.tokens), torch.from_numpy(task.labels)


@pytest.mark.parametrize("shift", [0, 4, 13])
@pytest.mark.parametrize("positional", [True, False])
def test_rounding_only(shift, positional):
    found = rewriting_deviation(Shape(11, d_model=16, shift=shift, positional=positional), *_data(11, shift))
    assert found.logits < 1e-13
    assert found.gradient < 1e-13


def test_single_precision_is_within_1e_5():
    found = rewriting_deviation(Shape(23, d_model=32), *_data(23, 0), dtype=torch.float32)
    assert 0 < found.logits < 1e-5
    assert 0 < found.gradient < 1e-5


def test_a_wrong_rewriting_is_seen(monkeypatch):
    monkeypatch.setattr(exactness, "cls_logits", lambda w, x, s: 1.001 * cls_logits(w, x, s))
    found = rewriting_deviation(Shape(11, d_model=16), *_data(11, 0))
    assert found.logits > 1e-4
    assert found.gradient > 1e-6
