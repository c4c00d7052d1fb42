"""A pull of hidden activations to a sphere: d_i = (1 - r/|h_i|) h_i, as large as the gradient of
the loss."""

import dataclasses

import pytest
import torch
from torch.nn import functional as F

from grokbook.errors import ParameterError
from grokbook.models.held_radius import HeldRadius
from grokbook.models.quadratic import Quadratic
from grokbook.tasks import ModularTask
from grokbook.training import AdamW, RunConfig, split_weights
from grokbook.training.ensemble import How, train_here

NETWORK = Quadratic(7, width=12)
PAIRS = torch.as_tensor(ModularTask(7).inputs)
LABELS = PAIRS.sum(1) % 7


def gradients(network, weights):
    leaves = {name: w.clone().requires_grad_() for name, w in weights.items()}
    loss = F.cross_entropy(network.forward(leaves, PAIRS), LABELS)
    return dict(zip(leaves, torch.autograd.grad(loss, list(leaves.values())), strict=True))


@pytest.mark.parametrize("radius", [0.0, 0.3, 5.0])
def test_the_gradient_is_that_of_the_loss_and_of_the_penalty_as_large(radius):
    """By the chain rule on h itself: dL/dh = (p - y) W_U / N, d by autograd of the penalty as
    written."""
    weights, network = NETWORK.draw(3), HeldRadius(NETWORK, radius=radius, strength=0.7)
    torch.testing.assert_close(network.forward(weights, PAIRS), NETWORK.forward(weights, PAIRS))
    table = weights["W_E"].clone().requires_grad_()
    h = NETWORK.features(weights | {"W_E": table}, PAIRS)
    r = radius or 12**0.5
    (d,) = torch.autograd.grad(0.5 * (h.norm(dim=1) - r).square().sum(), h, retain_graph=True)
    g = (
        (NETWORK.forward(weights, PAIRS).softmax(1) - F.one_hot(LABELS, 7))
        @ weights["W_U"]
        / len(LABELS)
    )
    (wanted,) = torch.autograd.grad(h, table, g + 0.7 * g.norm() * d / d.norm())
    found = gradients(network, weights)
    torch.testing.assert_close(found["W_E"], wanted)
    torch.testing.assert_close(found["W_U"], gradients(NETWORK, weights)["W_U"])


def test_the_pull_goes_to_the_radius_from_both_sides_and_its_sham_has_no_radial_part():
    inside, outside = torch.ones(1, 400), 3 * torch.ones(1, 400)  # radii 20 and 60
    to_40, sham = HeldRadius(NETWORK, radius=40.0), HeldRadius(NETWORK, radius=40.0, scrambled=True)
    assert (to_40.pull(inside) < 0).all() and (to_40.pull(outside) > 0).all()
    for hidden in (inside, outside):
        pull, scrambled = to_40.pull(hidden), sham.pull(hidden)
        assert scrambled.norm() == pytest.approx(pull.norm().item())
        # 400 signs: sum within 4 sd
        assert abs((scrambled * hidden).sum()) < 0.2 * (pull * hidden).sum().abs()


@pytest.mark.parametrize("scrambled", [False, True])
def test_runs_side_by_side_are_those_alone_and_only_the_pull_brings_activations_nearer_to_the_radius(
    scrambled,
):
    """In one program the rows are mapped (vmap): the size of the pull is each run's own."""
    held = HeldRadius(NETWORK, radius=2.0, strength=3.0, scrambled=scrambled)
    config = RunConfig(ModularTask(7, train_fraction=0.6), held, AdamW(1e-2), steps=40, snapshots=0)
    both = [dataclasses.replace(config, seed=seed) for seed in (0, 1)]
    found = {}
    free = [dataclasses.replace(both[1], model=NETWORK)]
    for name, runs in {"together": both, "alone": both[1:], "free": free}.items():
        weights = split_weights(runs[-1], train_here(runs, How()).weights[-1])
        found[name] = NETWORK.features(weights, PAIRS).norm(dim=1)
    torch.testing.assert_close(found["together"], found["alone"], rtol=1e-4, atol=1e-5)
    off = {name: (radii - 2.0).abs().mean() for name, radii in found.items()}
    assert (off["alone"] < 0.5 * off["free"]) == (not scrambled)


@pytest.mark.parametrize("wrong", [{"radius": -1.0}, {"strength": 0.0}, {"readout": "W"}])
def test_what_is_no_radius_no_strength_and_no_layer_is_refused(wrong):
    with pytest.raises(ParameterError, match="radius = -1.0|strength = 0.0|parameter 'W'"):
        HeldRadius(NETWORK, **wrong)
