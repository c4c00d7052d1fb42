"""Layers with rates of their own."""

import pytest
import torch

from grokbook.models.layered import Layered
from grokbook.models.quadratic import Quadratic
from grokbook.models.transformer import Shape
from grokbook.tasks import ModularTask
from grokbook.training import AdamW, Group, RunConfig
from grokbook.training.ensemble import How, train_here
from grokbook.training.forward import split_weights

TASK = ModularTask(5, train_fraction=0.5, split="symmetric")


@pytest.mark.parametrize(
    "network", [Shape(5, d_model=8), Quadratic(5, width=6)], ids=["transformer", "quadratic"]
)
def test_layers_are_all_parameters_once_and_have_decays_of_their_own(network):
    """With an enormous eps the decay alone moves them, w (1 - lr d)^n (Loshchilov & Hutter 2019,
    Algorithm 2)."""
    groups = Layered(network).groups()
    assert sorted(sum(groups.values(), ())) == sorted(network.shapes())
    optimizer = AdamW(
        0.1, weight_decay=1.0, eps=1e12, warmup=0, groups=(Group("output", weight_decay=0.0),)
    )
    config = RunConfig(TASK, Layered(network), optimizer, steps=3, snapshots=0)
    start = config.model.draw(config.seed)
    for name, w in split_weights(config, train_here([config], How()).weights[0]).items():
        torch.testing.assert_close(
            w, start[name] * (1 if name == "W_U" else 0.9**3), rtol=1e-5, atol=1e-6
        )
