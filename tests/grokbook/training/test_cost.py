"""Predicted cost: products counted by torch, a rate measured here, linear in the steps."""

import pytest
import torch
from small_runs import small
from torch.utils.flop_counter import FlopCounterMode

from grokbook.models.networks import products
from grokbook.models.transformer import Shape, initialise, logits
from grokbook.tasks import ModularTask
from grokbook.training import RunConfig, Schedule, cost
from grokbook.training.cost import predict


@pytest.fixture
def steady(monkeypatch):
    """A machine of exactly 10^9 multiply-adds a second."""
    monkeypatch.setattr(cost, "product_rate", lambda: 1e9)


@pytest.mark.parametrize(
    ("p", "d", "layers"), [(97, 128, 1), (31, 64, 1), (31, 64, 2), (13, 32, 3)]
)
def test_the_products_of_a_forward_pass_are_those_that_torch_counts(p, d, layers):
    shape, tokens = Shape(p, d_model=d, n_layers=layers), torch.from_numpy(ModularTask(p).tokens)
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        logits(initialise(shape, 0), tokens, shape)
    assert products(shape, p * p) == pytest.approx(counter.get_total_flops() / 2, rel=0.1)


@pytest.mark.usefixtures("steady")
def test_the_cost_is_positive_and_linear_in_the_steps():
    """Steps beyond the logged ones: equal increments of steps add equal seconds, once the log has
    its points."""
    seconds = [
        predict(small(0, steps=steps, log=Schedule(points=100))).seconds
        for steps in (10_000, 20_000, 40_000)
    ]
    assert seconds[0] > 0
    assert seconds[2] - seconds[1] == pytest.approx(2 * (seconds[1] - seconds[0]))


@pytest.mark.usefixtures("steady")
def test_memory_holds_weights_gradients_moments_and_copies_beside_the_activations():
    """Six numbers of four bytes a weight."""
    configs = [RunConfig(ModularTask(5), Shape(5, d_model=d)) for d in (64, 1024)]
    weights = [
        sum(torch.Size(s).numel() for s in config.model.shapes().values()) for config in configs
    ]
    grown = [
        predict(config).memory_mb - 400 - 25 * cost.activations(config.model) * 4e-6
        for config in configs
    ]
    assert grown == pytest.approx([24e-6 * count for count in weights], rel=1e-6)
