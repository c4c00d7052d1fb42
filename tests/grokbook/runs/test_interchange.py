"""Weights in and out: networks of torch and of TransformerLens put out what ours do with the same
numbers."""

import io
import itertools
import zipfile
from functools import partial

import pytest
import torch
from own_parts import Words
from torch import nn

import grokbook as gb
from grokbook import machine
from grokbook.errors import ParameterError

PAIRS = torch.cartesian_prod(torch.arange(5), torch.arange(5))


@pytest.fixture
def saved(tmp_path):
    """Keep a state dict in a file of torch, each in one of its own."""
    numbers = itertools.count()

    def save(state):
        torch.save(state, path := tmp_path / f"net{next(numbers)}.pt")
        return path

    return save


def tokens(net):
    i, j = PAIRS.T
    return torch.stack([i, j + net.shift, torch.full_like(i, net.p + net.shift)], 1)


def test_modules_of_torch_put_out_the_same_with_their_weights_here(saved):
    """A chain of layers in a training script's checkpoint, any module behind a wrapper."""
    chain, x = (
        nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2)),
        torch.randn(9, 3),
    )
    mlp = gb.MLP((3, 4, 4, 2))
    weights = gb.load_checkpoint(saved({"epoch": 3, "model_state_dict": chain.state_dict()}), mlp)
    assert torch.equal(mlp.forward(weights, x), chain(x))
    words, wrapped = gb.from_module(Words), nn.ModuleDict({"module": Words()})
    weights = gb.load_checkpoint(saved(wrapped.state_dict()), words)
    assert torch.equal(words.forward(weights, PAIRS), wrapped["module"](PAIRS))


def test_weights_that_were_saved_come_back_and_names_can_be_given(saved, tmp_path):
    net = gb.Transformer(5, d_model=8)
    task = gb.ModularTask(5, train_fraction=0.5)
    kept = gb.load(
        gb.train(task, net, seeds=1, steps=10, keep="weights", progress=False, store=False)
    )
    torch.save(kept.weights, tmp_path / "w.pt")
    back = gb.load_checkpoint(tmp_path / "w.pt", net)
    assert list(back) == list(net.shapes())
    assert all(torch.equal(back[name], kept.weights[name]) for name in back)
    other = {"table" if name == "W_E" else name: part for name, part in kept.weights.items()}
    back = gb.load_checkpoint(saved(other), net, {"W_E": "table"})
    assert torch.equal(back["W_E"], other["table"])


def test_what_does_not_fit_is_said_in_a_sentence(saved, tmp_path):
    net, state = gb.Transformer(5, d_model=8), gb.Transformer(5, d_model=8).draw(0)
    encoder = nn.TransformerEncoderLayer(8, 4, 32, batch_first=True).state_dict()
    for file, said in (
        (saved(encoder), r"net0.pt has no W_E \(6, 8\) of Shape; it has self_attn.in_proj_weight"),
        (
            saved(state | {"W_E": torch.zeros(7, 8)}),
            r"W_E of net1.pt is \(7, 8\), but the network's is \(6, 8\)",
        ),
        (
            saved(state | {"ln.w": torch.ones(8)}),
            "net2.pt also has ln.w, of which Shape knows nothing",
        ),
        (
            saved({n.replace("W_E", "W_EE"): t for n, t in state.items()}),
            "did you mean names={'W_E': 'W_EE'}",
        ),
        (saved([1, 2]), "the file holds a list, which is no state dict"),
        (saved({"lr": 0.1}), "holds no tensors by name"),
        (saved({"net": nn.Linear(2, 2)}), "cannot be read as weights: it holds more than tensors"),
        (tmp_path / "none.pt", "cannot be read as weights: No such file"),
    ):
        with pytest.raises(ParameterError, match=said):
            gb.load_checkpoint(file, net)
    with pytest.raises(ParameterError, match="MLP is no Transformer"):
        gb.to_transformer_lens(gb.MLP((2, 2)), {})
    with pytest.raises(ParameterError, match=r"weights have no W_E \(6, 8\)"):
        gb.to_transformer_lens(net, {})


NET = gb.Transformer(5, d_model=8)
LENS = gb.to_transformer_lens(NET, NET.draw(0))[1]
DTYPES = [
    torch.float64,
    torch.float16,
    torch.bfloat16,
    torch.bool,
    torch.complex64,
]
DTYPES += [torch.float8_e4m3fn]
FORMS = {
    "sparse": lambda part: part.to_sparse(),
    "meta": lambda part: part.to("meta"),
    "spread": lambda part: torch.zeros(1).expand(10**12),
    "quantised": lambda part: torch.quantize_per_tensor(part.float(), 0.1, 0, torch.qint8),
    "empty": lambda part: part[:0],
    "scalar": lambda part: part.sum(),
    "dict": lambda part: {"weight": part},
}
FORMS |= {str(dtype): partial(torch.Tensor.to, dtype=dtype) for dtype in DTYPES}


@pytest.mark.filterwarnings("ignore:.*(CSR|quantize|is deprecated|sparse)")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("state", [NET.draw(0), LENS], ids=["ours", "lens"])
def test_a_part_of_any_form_is_loaded_or_refused_in_a_sentence(saved, state, form):
    """Each part of a checkpoint in turn; what is loaded is float32, of the network's shapes, every
    number there."""
    for name in state:
        try:
            back = gb.load_checkpoint(saved(state | {name: FORMS[form](state[name])}), NET)
        except ParameterError as error:
            assert str(error).isprintable()
        else:
            assert {n: tuple(part.shape) for n, part in back.items()} == NET.shapes()
            assert all(
                part.dtype == torch.float32 and part.isfinite().all() for part in back.values()
            )
        if form in ("torch.bfloat16", "torch.float16", "torch.float64"):
            assert torch.allclose(back["W_E"], NET.draw(0)["W_E"], rtol=0.01, atol=0.01)


def test_a_file_that_never_ends_is_not_read(tmp_path):
    (tmp_path / "w.pt").symlink_to("/dev/zero")
    with pytest.raises(ParameterError, match="cannot be read as weights: it is no regular file"):
        gb.load_checkpoint(tmp_path / "w.pt", NET)


@pytest.mark.parametrize(
    "options", [{}, {"n_layers": 2, "shift": 2}, {"positional": False, "d_mlp": 12}]
)
def test_what_transformer_lens_is_given_is_the_network_as_its_documentation_writes_it(
    options, saved
):
    """Written out here from its formulas: x + sum_h softmax(mask(q k / sqrt(d_head))) v W_O, then
    the MLP; and back."""
    net = gb.Transformer(5, d_model=8, n_heads=2, **options)
    config, w = gb.to_transformer_lens(net, weights := {n: t + 0.1 for n, t in net.draw(1).items()})
    x = w["embed.W_E"][tokens(net)] + w["pos_embed.W_pos"]
    for l in range(config["n_layers"]):
        at = {name.removeprefix(f"blocks.{l}."): part for name, part in w.items()}
        q, k, v = (
            torch.einsum("ntd,hde->nhte", x, at[f"attn.W_{n}"]) + at[f"attn.b_{n}"][:, None]
            for n in "QKV"
        )
        scores = (q @ k.mT / config["d_head"] ** 0.5).masked_fill(
            torch.ones(3, 3).triu(1).bool(), -torch.inf
        )
        x = (
            x
            + torch.einsum("nhte,hed->ntd", scores.softmax(-1) @ v, at["attn.W_O"])
            + at["attn.b_O"]
        )
        x = x + (x @ at["mlp.W_in"] + at["mlp.b_in"]).relu() @ at["mlp.W_out"] + at["mlp.b_out"]
    ours = net.forward(weights, tokens(net))
    torch.testing.assert_close(
        (x @ w["unembed.W_U"] + w["unembed.b_U"])[:, -1], ours, rtol=1e-5, atol=1e-5
    )
    back = gb.load_checkpoint(saved(w | {"blocks.0.attn.IGNORE": torch.tensor(-1e5)}), net)
    assert all(torch.equal(back[name], weights[name]) for name in weights)


def tightly(state):
    """The file of torch, its numbers packed tightly, as torch writes none."""
    torch.save(state, plain := io.BytesIO())
    made = io.BytesIO()
    with zipfile.ZipFile(plain) as parts, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as tight:
        for name in parts.namelist():
            tight.writestr(name, parts.read(name))
    return made.getvalue()


def plain(state):
    torch.save(state, made := io.BytesIO())
    return made.getvalue()


HALF = torch.zeros(100_000, dtype=torch.float16)
LARGE = {
    "packed.pt": (
        tightly({"a": torch.zeros(2_000_000)}),
        "it needs 8 MB, more than the memory that is free",
    ),
    "shared.pt": (
        plain({f"a{n}": HALF for n in range(20)}),
        "it needs 8 MB, more than the memory that is free",
    ),
}


@pytest.mark.parametrize("name", LARGE)
def test_a_small_file_that_would_be_large_is_refused(tmp_path, monkeypatch, name):
    content, said = LARGE[name]
    (tmp_path / name).write_bytes(content)
    monkeypatch.setattr(machine, "free_memory_mb", lambda: 4.0)
    with pytest.raises(ParameterError, match=f"cannot be read as weights: {said}"):
        gb.load_checkpoint(tmp_path / name, gb.MLP((3, 4, 2)))
    assert len(content) < 300_000
