"""The network of Liu et al.'s Fig. 2 against the layers that its authors' program lists."""

import dataclasses

import numpy as np
import pytest
import torch
from torch import nn

from grokbook.errors import ParameterError
from grokbook.models.midpoint import MidpointToy


def listed(depth, width, outputs):
    """The program's layers: one square layer listed depth - 1 times, then as many activations less
    one."""
    square = (nn.Linear(width, width), nn.ReLU())
    between = [layer for layer in square for _ in range(depth - 1)][:-1]
    return nn.Sequential(nn.Linear(2, width), nn.ReLU(), *between, nn.Linear(width, outputs))


@pytest.mark.parametrize("depth", [1, 2, 3, 5, 7])
def test_the_decoder_is_that_of_the_program(depth):
    net = listed(depth, 6, 9)
    model = MidpointToy(5, hidden=(6,) * min(depth, 2), outputs=9, repeats=max(1, depth - 1))
    own = dict(
        zip(
            (n for n in model.shapes() if n != "W_E"),
            (p.data for p in net.parameters()),
            strict=True,
        )
    )
    table = torch.randn(5, 2, generator=torch.Generator().manual_seed(depth))
    pairs = torch.tensor([[0, 4], [3, 3], [4, 0]])
    answers = model.forward({"W_E": table} | own, pairs)
    torch.testing.assert_close(answers, net((table[pairs[:, 0]] + table[pairs[:, 1]]) / 2))
    assert torch.equal(answers[0], answers[2])
    summed = dataclasses.replace(model, gain=2.0).forward({"W_E": table} | own, pairs)
    torch.testing.assert_close(summed, net(table[pairs[:, 0]] + table[pairs[:, 1]]))


def test_embeddings_start_normal_about_their_centre():
    table = MidpointToy(20_000, outputs=3, centre=1.0, spread=0.5).draw(0)["W_E"].numpy()
    np.testing.assert_allclose(table.mean(axis=0), 1, atol=5 * 0.5 / 20_000**0.5)
    np.testing.assert_allclose(table.std(axis=0), 0.5, rtol=0.03)


WRONG = (
    {"hidden": (4, 4, 4)},
    {"repeats": 0},
    {"product": True, "d_model": 4},
    {"gain": 0.0},
)


@pytest.mark.parametrize("wrong", WRONG)
def test_other_shapes_are_refused(wrong):
    with pytest.raises(ParameterError, match="|".join(wrong)):
        MidpointToy(5, **wrong)
