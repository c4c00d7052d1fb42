"""Liu et al.'s transformer against torch's own layers, its two forms against each other, its groups
and its start."""

import math

import pytest
import torch
from torch import nn

from grokbook.errors import ParameterError
from grokbook.models.encoder import Encoder, of_these_pairs
from grokbook.tasks.arithmetic import ModularTask

NET = Encoder(7, d_model=12, n_layers=3, d_mlp=10)
PAIRS = torch.tensor([[0, 3], [6, 6], [3, 0], [5, 1]])


def away_from_start(net, seed=0):
    """Weights of which none is zero or one, so that no parameter can be forgotten unseen."""
    generator = torch.Generator().manual_seed(seed)
    return {
        name: w + 0.3 * torch.randn(w.shape, generator=generator)
        for name, w in net.draw(seed).items()
    }


def torch_twin(net, w, dropout=0.0):
    """torch.nn.TransformerEncoderLayer as the authors use it, and their linear layer on both
    outputs."""
    d = net.d_model
    layers = [
        nn.TransformerEncoderLayer(d, 1, net.d_mlp, dropout, batch_first=True, norm_first=True)
        for _ in range(net.n_layers)
    ]
    for l, layer in enumerate(layers):
        of = {
            "self_attn.in_proj_weight": torch.cat([w[f"W_{name}.{l}"] for name in "QKV"]),
            "self_attn.in_proj_bias": torch.cat(
                [w[f"b_Q.{l}"], torch.randn(d), w[f"b_V.{l}"]]
            ),  # the keys' is unseen
            "self_attn.out_proj.weight": w[f"W_O.{l}"],
            "self_attn.out_proj.bias": w[f"b_O.{l}"],
        }
        for k in (1, 2):
            of |= {f"norm{k}.weight": w[f"gain_{k}.{l}"], f"norm{k}.bias": w[f"shift_{k}.{l}"]}
        for k, name in ((1, "in"), (2, "out")):
            of |= {f"linear{k}.weight": w[f"W_{name}.{l}"], f"linear{k}.bias": w[f"b_{name}.{l}"]}
        layer.load_state_dict(of)
    head = nn.Linear(2 * d, net.p)
    head.load_state_dict({"weight": w["W_U"], "bias": w["b_U"]})
    return lambda pairs: head(nn.Sequential(*layers)(w["W_E"][pairs]).flatten(1))


def test_logits_are_those_of_torchs_layers():
    w = away_from_start(NET)
    expected = torch_twin(NET, w)(PAIRS)
    assert torch.allclose(NET.forward(w, PAIRS), expected, atol=1e-5)
    assert torch.allclose(of_these_pairs(w, 3, PAIRS), expected, atol=1e-5)


def test_the_two_forms_have_one_gradient():
    w = {name: value.double().requires_grad_() for name, value in away_from_start(NET, 1).items()}
    every, these = (
        torch.autograd.grad(z.square().sum(), list(w.values()))
        for z in (NET.forward(w, PAIRS), of_these_pairs(w, 3, PAIRS))
    )
    assert all(torch.allclose(a, b, atol=1e-9) for a, b in zip(every, these, strict=True))


def test_where_everything_is_dropped_only_the_vectors_are_left():
    """torch's layers with dropout 1 are the identity, and so are ours: no place of dropout stands
    elsewhere."""
    w = away_from_start(NET)
    found = NET.forward(w, PAIRS, drop=torch.zeros_like)
    assert torch.allclose(found, torch_twin(NET, w, dropout=1.0)(PAIRS), atol=1e-5)


def test_turned_pairs_are_read_by_turned_weights():
    """Without positions and mask, (j, i) gives what (i, j) gives to a read-out with its halves
    exchanged."""
    w = away_from_start(NET)
    turned = w | {"W_U": torch.cat(w["W_U"].chunk(2, dim=1)[::-1], dim=1)}
    assert torch.allclose(NET.forward(w, PAIRS), NET.forward(turned, PAIRS.flip(1)), atol=1e-5)


def test_many_runs_are_one_program():
    rows = [away_from_start(NET, seed) for seed in range(3)]
    stacked = {name: torch.stack([w[name] for w in rows]) for name in rows[0]}
    found = torch.vmap(NET.forward, in_dims=(0, None))(stacked, PAIRS)
    assert torch.allclose(found, torch.stack([NET.forward(w, PAIRS) for w in rows]), atol=1e-5)


def test_the_start_is_torchs():
    """nn.Embedding: N(0, 1); one in-projection (3d, d) by Xavier's rule; linear layers within 1 /
    sqrt(inputs)."""
    net = Encoder(59, d_model=64, d_mlp=32)
    w = net.draw(0)
    assert {name: tuple(value.shape) for name, value in w.items()} == net.shapes()
    assert abs(float(w["W_E"].std()) - 1) < 0.05
    bounds = {
        "W_Q.0": math.sqrt(6 / 256),
        "W_O.1": 1 / 8,
        "W_in.0": 1 / 8,
        "b_out.0": 1 / math.sqrt(32),
        "W_U": 128**-0.5,
    }
    assert {
        name: round(float(w[name].abs().max() / bound), 1) for name, bound in bounds.items()
    } == dict.fromkeys(bounds, 1.0)
    assert all(
        (w[name] == value).all()
        for name, value in (("gain_1.0", 1), ("shift_2.1", 0), ("b_Q.0", 0))
    )


def test_products_are_those_of_the_matrices_by_a_count_of_torchs():
    net = Encoder(11, d_model=16, d_mlp=8)
    task = ModularTask(11)
    from torch.utils.flop_counter import FlopCounterMode

    with FlopCounterMode(display=False) as counted:
        net.forward(net.draw(0), torch.from_numpy(task.inputs))
    assert counted.get_total_flops() / 2 == pytest.approx(net.products(121), rel=0.02)

    dropping, drawn = Encoder(11, d_model=16, d_mlp=8, dropout=0.1), []
    with FlopCounterMode(display=False) as counted:
        dropping.forward(
            net.draw(0), torch.from_numpy(task.inputs), lambda x: drawn.append(x.numel()) or x
        )
    assert counted.get_total_flops() / 2 == pytest.approx(dropping.products(121), rel=0.02)
    assert sum(drawn) == 121 * dropping.drawn_at_random and net.drawn_at_random == 0


def test_what_does_not_fit_is_refused():
    NET.check(ModularTask(7, train_fraction=0.5))
    with pytest.raises(ParameterError, match="p = 7, shift = 0"):
        NET.check(ModularTask(7, train_fraction=0.5, shift=2))
    with pytest.raises(ParameterError, match="d_mlp"):
        Encoder(7, d_mlp=0)
