"""Activations by stage end in the model's own logits."""

import pytest
import torch

from grokbook.models.activations import SUM, activations
from grokbook.models.transformer import Shape, initialise, logits
from grokbook.tasks import ModularTask


def every_pair(p, shift=0):
    return torch.from_numpy(ModularTask(p, train_fraction=0.5, shift=shift).tokens)


@pytest.mark.parametrize(
    ("layers", "positional", "shift"), [(1, True, 0), (1, False, 0), (2, True, 3), (3, False, 7)]
)
def test_the_last_stage_is_the_model(layers, positional, shift):
    shape = Shape(7, d_model=8, n_layers=layers, shift=shift, positional=positional)
    w = initialise(shape, 1)
    tokens = every_pair(7, shift)
    found = activations(w, tokens, shape)
    torch.testing.assert_close(found["logits"], logits(w, tokens, shape), rtol=1e-5, atol=1e-6)
    assert len(found) == 3 * layers + 2


@pytest.mark.parametrize("positional", [True, False])
def test_the_sum_is_symmetric_with_and_without_positions(positional):
    """phi(i) + phi(j) plus one vector a position: exchanging i and j changes nothing, up to
    rounding."""
    shape = Shape(5, d_model=8, positional=positional)
    found = activations(initialise(shape, 0), every_pair(5), shape)[SUM].view(5, 5, 8)
    torch.testing.assert_close(found, found.transpose(0, 1))


def test_all_classes_have_the_same_mean_sum():
    """The common-point theorem on an untrained network: class means of phi_1(i) + phi_2(j)
    coincide."""
    shape = Shape(11, d_model=8, shift=11)
    task = ModularTask(11, shift=11, train_fraction=0.5)
    found = activations(initialise(shape, 0), torch.from_numpy(task.tokens), shape)[SUM].double()
    means = torch.stack([found[torch.from_numpy(task.labels) == r].mean(0) for r in range(11)])
    torch.testing.assert_close(means, means[:1].expand_as(means), rtol=0, atol=1e-6)
