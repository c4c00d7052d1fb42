"""Networks with something set by hand, against the formula of each."""

import numpy as np
import pytest
import torch

from grokbook.errors import ParameterError
from grokbook.models.intervened import Centred, Rescaled, Stablemax, Tempered
from grokbook.models.quadratic import Quadratic
from grokbook.models.transformer import Shape
from grokbook.tasks import ModularTask
from grokbook.training import AdamW, RunConfig
from grokbook.training.ensemble import How, train_here
from grokbook.training.forward import split_weights

TASK = ModularTask(5, train_fraction=0.5, split="symmetric")
NETWORKS = [Shape(5, d_model=8), Quadratic(5, width=6)]
TOKENS = torch.from_numpy(TASK.tokens)


@pytest.mark.parametrize("network", NETWORKS, ids=["transformer", "quadratic"])
def test_temperature_divides_the_logits_and_stablemax_makes_probabilities_linear_in_them(network):
    """softmax(log s(z)) = s(z) / sum s(z), s(z) = z + 1 or 1 / (1 - z) (arXiv:2501.04697)."""
    weights = network.draw(0)
    z = 5 * network.forward(weights, TOKENS)
    np.testing.assert_allclose(Tempered(network, 0.2).forward(weights, TOKENS), z, rtol=1e-5)
    s = torch.where(z >= 0, z + 1, 1 / (1 - z))
    found = Stablemax(Tempered(network, 0.2)).forward(weights, TOKENS).softmax(dim=1)
    np.testing.assert_allclose(found, s / s.sum(1, keepdim=True), rtol=1e-5)


@pytest.mark.parametrize("network", NETWORKS, ids=["transformer", "quadratic"])
def test_a_centred_network_is_zero_at_its_start_and_to_first_order_its_linear_part(network):
    """alpha (f(w0 + e d) - f(w0)) = alpha e grad f . d + O(e^2): the remainder falls a hundredfold
    with e / 10."""
    centred, linear = Centred(network, 3.0), Centred(network, 3.0, linear=True)
    weights = {name: w.double() for name, w in centred.draw(0).items()}
    assert (
        centred.forward(weights, TOKENS).abs().max() == 0
        and linear.forward(weights, TOKENS).abs().max() == 0
    )
    generator, remainders = torch.Generator().manual_seed(1), []
    away = {
        name: torch.randn(w.shape, generator=generator, dtype=torch.float64)
        for name, w in network.draw(0).items()
    }
    for e in (1e-5, 1e-6):
        moved = weights | {name: weights[name] + e * d for name, d in away.items()}
        remainders.append(
            float((centred.forward(moved, TOKENS) - linear.forward(moved, TOKENS)).abs().max())
        )
        here = {name: moved[name] for name in away}
        plain = 3 * (
            network.forward(here, TOKENS) - network.forward({n: weights[n] for n in away}, TOKENS)
        )
        np.testing.assert_allclose(centred.forward(moved, TOKENS), plain, atol=1e-12)
    assert remainders[0] / remainders[1] == pytest.approx(100, rel=0.2)


@pytest.mark.parametrize("linear", [False, True])
def test_the_start_is_neither_trained_nor_decayed_nor_counted_in_the_norm(linear):
    model = Centred(NETWORKS[0], 2.0, linear)
    config = RunConfig(TASK, model, AdamW(warmup=0), steps=5, snapshots=0)
    stack = train_here([config.with_seed(seed) for seed in (0, 1)], How())
    for r in (0, 1):
        ends, drawn = split_weights(config, stack.weights[r]), NETWORKS[0].draw(r)
        assert all(torch.equal(ends[f"{name}@start"], w) for name, w in drawn.items())
        assert not torch.equal(ends["W_E"], drawn["W_E"])
        assert stack.history[r]["weight_norm"][0] == pytest.approx(
            float(sum(w.square().sum() for w in drawn.values())) ** 0.5
        )


def test_a_rescaled_start_is_the_start_times_its_factor():
    drawn = Rescaled(NETWORKS[0], 0.5, ("W_U",)).draw(2)
    for name, w in NETWORKS[0].draw(2).items():
        assert torch.equal(drawn[name], 0.5 * w if name == "W_U" else w)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Tempered(NETWORKS[0], 0.0),
        lambda: Centred(NETWORKS[0], -1.0),
        lambda: Rescaled(NETWORKS[0], float("inf")),
    ],
)
def test_a_number_that_makes_no_sense_is_refused(make):
    with pytest.raises(ParameterError, match="must be a positive number"):
        make()
