"""The deviation of the rewriting that chapter 02 prints is rounding."""

import pytest
import torch

from grokbook.models.transformer import Shape, cls_logits
from grokbook.tasks import ModularTask
from grokbook_chapters.task_and_model import exactness


def deviation(p, d, shift=0, **options):
    """What chapter 02 prints: the rewriting against the whole sequence, on every pair."""
    task = ModularTask(p, shift=shift)
    shape = Shape(p, d_model=d, shift=shift, positional=options.pop("positional", True))
    return exactness.rewriting_deviation(shape, task.tokens, task.labels, **options)


@pytest.mark.parametrize("shift", [0, 4, 13])
@pytest.mark.parametrize("positional", [True, False])
def test_the_deviation_is_rounding_only(shift, positional):
    found = deviation(11, 16, shift, positional=positional)
    assert max(found.logits, found.gradient) < 1e-13


def test_single_precision_is_within_1e_5():
    found = deviation(23, 32, dtype=torch.float32)
    assert 0 < found.logits < 1e-5 and 0 < found.gradient < 1e-5


def test_a_wrong_rewriting_is_seen(monkeypatch):
    monkeypatch.setattr(exactness, "cls_logits", lambda w, x, s: 1.001 * cls_logits(w, x, s))
    found = deviation(11, 16)
    assert found.logits > 1e-4 and found.gradient > 1e-6
