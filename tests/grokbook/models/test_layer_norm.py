"""The transformer with LayerNorm: a whole-sequence reference, what it cannot see, groups, rows of a
stack."""

import pytest
import torch
from torch.nn import functional as F

from grokbook.errors import ParameterError
from grokbook.models import layer_norm
from grokbook.models.layer_norm import GroupedShape, NormedShape, normalise
from grokbook.models.transformer import Shape
from grokbook.tasks import ModularTask
from grokbook.training import AdamW, Group, RunConfig, split_weights, train

STREAM = ("W_E", "W_pos", "W_O.0", "W_out.0", "b_out.0")  # the parameters whose sum the stream is


def random_weights(shape, seed=3):
    """Initial weights in float64 with biases that are not zero, so that their gradients are tested
    too."""
    generator = torch.Generator().manual_seed(seed + 1)
    drawn = {
        n: w + 0.1 * torch.randn(w.shape, generator=generator) for n, w in shape.draw(seed).items()
    }
    return {name: w.double().requires_grad_() for name, w in drawn.items()}


def whole_sequence_normed(w, tokens, shape):
    """Logits (N, p) by torch's own attention on all three rows, F.layer_norm before attention, MLP
    and read-out."""

    def n(x):
        return F.layer_norm(x, (shape.d_model,))

    x = w["W_E"][tokens] + (w["W_pos"] if shape.positional else 0)
    heads = (n(x) @ w[f"W_{name}.0"].T for name in "QKV")
    q, k, v = (a.unflatten(-1, (shape.n_heads, -1)).transpose(1, 2) for a in heads)
    x = (
        x
        + F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2)
        @ w["W_O.0"].T
    )
    x = x + (n(x) @ w["W_in.0"].T + w["b_in.0"]).clamp(min=0) @ w["W_out.0"].T + w["b_out.0"]
    return n(x)[:, 2] @ w["W_U"].T


def losses(function, w, task):
    """Logits on every cell, and the gradient of the training loss in every parameter."""
    z, rows = function(w, torch.from_numpy(task.tokens)), torch.from_numpy(task.train_index)
    loss = F.cross_entropy(z[rows], torch.from_numpy(task.labels)[rows])
    return z.detach(), dict(zip(w, torch.autograd.grad(loss, list(w.values())), strict=True))


@pytest.fixture
def model():
    shape = NormedShape(7, d_model=16, n_heads=4)
    return shape, random_weights(shape), ModularTask(7, train_fraction=0.5)


@pytest.mark.parametrize("positional", [True, False], ids=["positions", "no-positions"])
@pytest.mark.parametrize("shift", [0, 4, 7])
def test_the_rewriting_equals_the_whole_sequence_with_layer_norm(shift, positional):
    shape = NormedShape(7, d_model=16, n_heads=4, shift=shift, positional=positional)
    task, w = ModularTask(7, train_fraction=0.5, shift=shift), random_weights(shape)
    ours, ours_gradients = losses(shape.forward, w, task)
    plain, gradients = losses(lambda w, x: whole_sequence_normed(w, x, shape), w, task)
    torch.testing.assert_close(ours, plain, rtol=0, atol=1e-11)
    for name, gradient in gradients.items():
        torch.testing.assert_close(ours_gradients[name], gradient, rtol=0, atol=1e-11, msg=name)
        assert gradient.abs().max() > 1e-5, f"{name}: a gradient of zero tests nothing"


def test_a_row_is_normalised_by_its_own_mean_and_variance():
    """n(x) = (x - mean) / sqrt(var + eps): (1, -1, 3, 1) has mean 1 and variance 2."""
    expected = torch.tensor([0, -2, 2, 0]) / (2 + layer_norm.EPSILON) ** 0.5
    torch.testing.assert_close(normalise(torch.tensor([[1.0, -1, 3, 1]]))[0], expected)


def test_the_scale_of_the_stream_is_not_seen_where_epsilon_is_zero(model, monkeypatch):
    """n(c x) = n(x) at epsilon = 0; so, by Euler, the gradient is orthogonal to what the stream is
    made of."""
    monkeypatch.setattr(layer_norm, "EPSILON", 0.0)
    shape, w, task = model
    scaled = {name: 3 * value if name in STREAM else value for name, value in w.items()}
    (z, gradients), (other, smaller) = (
        losses(shape.forward, w, task),
        losses(shape.forward, scaled, task),
    )
    torch.testing.assert_close(other, z, rtol=0, atol=1e-10)
    torch.testing.assert_close(smaller["W_E"], gradients["W_E"] / 3, rtol=0, atol=1e-12)
    parts = [(gradients[name] * w[name]).sum().item() for name in STREAM]
    assert abs(sum(parts)) < 1e-12 < 1e-4 < max(map(abs, parts))


@pytest.mark.parametrize("kind", [GroupedShape, NormedShape])
@pytest.mark.parametrize("positional", [True, False])
def test_groups_part_the_parameters_in_three(kind, positional):
    shape = kind(5, d_model=8, positional=positional)
    groups = shape.groups()
    assert list(groups) == ["embedding", "hidden", "output"] and groups["output"] == ("W_U",)
    assert groups["embedding"] == (("W_E", "W_pos") if positional else ("W_E",))
    assert sorted(name for names in groups.values() for name in names) == sorted(shape.shapes())


@pytest.mark.parametrize("kind", [Shape, GroupedShape, NormedShape])
def test_seeds_of_a_stack_are_the_runs_alone_and_kinds_have_names_of_their_own(kind):
    model, task = kind(5, d_model=8), ModularTask(5, train_fraction=0.5)
    configs = [RunConfig(task, model, steps=20, seed=seed) for seed in (0, 1)]
    together = train(configs, rows=2, device="cpu", progress=False)
    alone = train(configs[1:], device="cpu", progress=False)
    assert together.test_loss.values[1] == pytest.approx(alone.test_loss.values[0], rel=1e-4)
    named = {Shape: None, GroupedShape: "grouped", NormedShape: "normed"}
    assert configs[0].as_dict()["model"].get("kind") == named[kind]


def test_a_group_with_rates_of_its_own_trains_as_if_it_were_alone():
    """Without decay or rate on the embedding and the read-out only the hidden layers move."""
    still = (Group("embedding", 1e-12, 0.0), Group("output", 1e-12, 0.0))
    model, task = GroupedShape(5, d_model=8), ModularTask(5, train_fraction=0.5)
    config = RunConfig(task, model, AdamW(weight_decay=0.1, groups=still), steps=20)
    moved = train([config], device="cpu", progress=False, keep_weights=True).weights.values[0]
    drawn = model.draw(0)
    for name, end in split_weights(config, torch.from_numpy(moved)).items():
        assert ((end - drawn[name]).abs().max() > 1e-4) == (name in model.groups()["hidden"]), name


def test_more_layers_than_one_are_refused():
    with pytest.raises(ParameterError, match="n_layers = 2"):
        NormedShape(5, d_model=8, n_layers=2)
