"""Weights from outside and to outside: checkpoints of torch for networks of ours, and ours for
TransformerLens."""

from __future__ import annotations

import pickle
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from grokbook.errors import ParameterError, checked_call, line, nearest, shown
from grokbook.files import given
from grokbook.machine import check_fits, plain_torch
from grokbook.models.mlp import MLP
from grokbook.models.networks import Network
from grokbook.models.transformer import Shape
from grokbook.tensor_files import load_tensors

WRAPPED = ("state_dict", "model_state_dict", "model", "weights")
"""Keys under which training scripts keep a state dict beside other things."""
_WRAPPER = re.compile(r"^(module\.|_orig_mod\.)+")


@checked_call
def load_checkpoint(
    path: str | Path, model: Network, names: Mapping[str, str] | None = None
) -> dict[str, Tensor]:
    """The weights in a file of torch as those of a network: `model.forward(weights,
    inputs)` runs it.

    A state dict is the file, or what stands below `state_dict`, `model_state_dict`, `model` or
    `weights` in it. Its names are those of the network; or those of an nn.Sequential of nn.Linear
    for an `MLP`, or of TransformerLens for a `Transformer`; else `names` says which is which. Only
    numbers are read from a file, no code is run.

    Args:
        path: .pt, .pth, .bin (torch.save).
        model: the network: `Transformer`, `MLP`, `from_module(factory)`, or another with
            `shapes()`.
        names: name here -> name in the file, for names that differ.

    Raises ParameterError for a file that holds no weights, and with the first name or shape that
    does not fit.

    Example:
        >>> from torch import nn
        >>> net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
        >>> torch.save(net.state_dict(), "net.pt")
        >>> weights, x = load_checkpoint("net.pt", MLP((3, 4, 2))), torch.ones(1, 3)
        >>> bool(torch.equal(MLP((3, 4, 2)).forward(weights, x), net(x)))
        True
    """
    path = Path(path)
    shapes = model.shapes()
    kind = type(model).__name__
    weights = {}
    for name, part in _read(path).items():
        weights[name if name in shapes else _WRAPPER.sub("", name)] = part
    if names is not None:
        renamed = {ours: weights[theirs] for ours, theirs in names.items() if theirs in weights}
        for theirs in names.values():
            weights.pop(theirs, None)
        weights |= renamed
    elif isinstance(model, MLP) and len(weights) == len(shapes) and all(map(_is_of_line, weights)):
        weights = dict(zip(shapes, weights.values(), strict=True))
    elif isinstance(model, Shape) and "embed.W_E" in weights:
        weights = _from_lens(weights)
    for name, shape in shapes.items():
        if name not in weights:
            like = nearest(name, weights)
            hint = f"it has {', '.join(list(weights)[:12])}."
            if like:
                hint = f"did you mean names={{{name!r}: {like!r}}}?"
            raise ParameterError(f"{path.name} has no {name} {shape} of {kind}; {hint}")
        given = tuple(weights[name].shape)
        if given != tuple(shape):
            raise ParameterError(f"{name} of {path.name} is {given}, but the network's is {shape}.")
    if more := [name for name in weights if name not in shapes]:
        raise ParameterError(
            f"{path.name} also has {', '.join(more[:6])}, of which {kind} knows nothing; if they"
            " change no output, give their network by from_module."
        )
    return {name: weights[name].to(torch.float32).contiguous() for name in shapes}


def _is_of_line(name: str) -> bool:
    """Whether a name is that of a parameter of an nn.Sequential of nn.Linear."""
    return re.fullmatch(r"(.*\.)?\d+\.(weight|bias)", name) is not None


@checked_call
@plain_torch()
def to_transformer_lens(
    model: Shape, weights: Mapping[str, Tensor]
) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """A transformer of ours for TransformerLens: settings of a HookedTransformerConfig, and a state
    dict.

    Logits at the last of the three positions are equal. The package itself, the extra `lens`, makes
    the network:

    .. code-block:: python

        config, state = gb.to_transformer_lens(net, gb.load(runs).weights)
        hooked = HookedTransformer(HookedTransformerConfig(**config))
        hooked.load_state_dict(state, strict=False)  # its masks are no weights
        hooked(tokens)[:, -1]

    Shapes: W_Q, W_K, W_V (heads, d, d_head), W_O (heads, d_head, d); biases and positions that ours
    has not are 0.

    Raises ParameterError for another network, and for weights that are not its own.

    Example:
        >>> net = Shape(5, d_model=8)
        >>> config, state = to_transformer_lens(net, net.draw(0))
        >>> config["d_vocab"], state["blocks.0.attn.W_Q"].shape
        (6, torch.Size([4, 8, 2]))
    """
    if not isinstance(model, Shape):
        raise ParameterError(
            f"model = {type(model).__name__} is no Transformer, so TransformerLens does not"
            " have it."
        )
    for name, shape in model.shapes().items():
        if name not in weights or tuple(weights[name].shape) != shape:
            raise ParameterError(f"weights have no {name} {shape}, which this transformer has.")
    d = model.d_model
    h = model.n_heads
    config = {
        "n_layers": model.n_layers,
        "d_model": d,
        "n_ctx": 3,
        "d_head": model.d_head,
        "n_heads": h,
        "d_mlp": model.d_mlp,
        "d_vocab": model.vocabulary,
        "d_vocab_out": model.p,
        "act_fn": "relu",
        "normalization_type": None,
        "device": "cpu",
    }
    state = {
        "embed.W_E": weights["W_E"],
        "pos_embed.W_pos": weights.get("W_pos", torch.zeros(3, d)),
    }
    for l in range(model.n_layers):
        at = f"blocks.{l}."
        for name in "QKV":
            state[f"{at}attn.W_{name}"] = weights[f"W_{name}.{l}"].view(h, -1, d).transpose(1, 2)
            state[f"{at}attn.b_{name}"] = torch.zeros(h, model.d_head)
        state[f"{at}attn.W_O"] = weights[f"W_O.{l}"].T.reshape(h, -1, d)
        state[f"{at}attn.b_O"] = torch.zeros(d)
        for name in ("in", "out"):
            state[f"{at}mlp.W_{name}"] = weights[f"W_{name}.{l}"].T
            state[f"{at}mlp.b_{name}"] = weights[f"b_{name}.{l}"]
    state |= {"unembed.W_U": weights["W_U"].T, "unembed.b_U": torch.zeros(model.p)}
    return config, {name: part.detach().contiguous().clone() for name, part in state.items()}


def _from_lens(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The inverse: names and shapes of ours; what ours has not, and what is not 0 there, keeps its
    name."""
    ours = {}
    for name, part in state.items():
        named = re.fullmatch(r"blocks\.(\d+)\.(?:attn|mlp)\.([Wb])_(\w+)", name)
        layer, kind, letter = named.groups() if named else ("", "", "")
        heads = kind == "W" and part.ndim == 3 and part.numel()
        if name == "embed.W_E":
            ours["W_E"] = part
        elif name == "unembed.W_U" and part.ndim == 2:
            ours["W_U"] = part.T
        elif heads and letter in ("Q", "K", "V"):
            ours[f"W_{letter}.{layer}"] = part.transpose(1, 2).reshape(-1, part.shape[1])
        elif heads and letter == "O":
            ours[f"W_O.{layer}"] = part.reshape(-1, part.shape[2]).T
        elif letter in ("in", "out") and part.ndim == (2 if kind == "W" else 1):
            ours[f"{kind}_{letter}.{layer}"] = part.T if kind == "W" else part
        elif name == "pos_embed.W_pos" and part.any():
            ours["W_pos"] = part
        elif part.any() and not re.fullmatch(".*(mask|IGNORE)", name):
            ours[name] = part
    return ours


LARGEST = 4_000_000_000
"""Bytes of a file that are read."""


def _read(path: Path) -> dict[str, Tensor]:
    """The tensors of a file by name, as float32.

    Raises ParameterError where one has no numbers (meta), leaves some out (sparse) or packs them
    (quantised).
    """
    try:
        state: Any = _torch(given(path, LARGEST))
    except Exception as error:  # torch and pickle raise many kinds
        why = getattr(error, "strerror", None) or str(error).partition("\n")[0]
        if isinstance(error, pickle.UnpicklingError):
            why = "it holds more than tensors, numbers and texts"
        raise ParameterError(
            f"{path} cannot be read as weights: {line(why).rstrip('.')}."
        ) from None
    for key in WRAPPED:
        if isinstance(state.get(key), Mapping):
            state = state[key]
    tensors: dict[str, Tensor] = {}
    needed = 0
    for name, part in state.items():
        if not isinstance(part, Tensor):
            continue
        if not _is_dense(part):
            kind = f"{part.dtype}, {part.layout}, {part.device}"
            raise ParameterError(
                f"{line(name)} of {path.name} is no table of numbers ({kind}); save it as a dense"
                " one."
            )
        tensors[line(name)] = part
        needed += 0 if part.dtype == torch.float32 else 4 * part.numel()
    if not tensors:
        raise ParameterError(f"{path} holds no tensors by name, but {shown(list(state)[:5])}.")
    try:
        check_fits(needed)
    except ParameterError as error:
        raise ParameterError(
            f"{path} cannot be read as weights: {str(error).rstrip('.')}."
        ) from None
    return {name: part.detach().to(torch.float32) for name, part in tensors.items()}


def _is_dense(part: Tensor) -> bool:
    """Whether a tensor has each of its real numbers, in a type that torch computes with."""
    if part.layout != torch.strided or part.device.type != "cpu":
        return False
    if part.is_nested or part.is_quantized or part.dtype not in _NUMBERS:
        return False
    return part.numel() * part.element_size() <= part.untyped_storage().nbytes()


def _torch(content: bytes) -> Mapping[str, Any]:
    tensors = load_tensors(content)
    if not isinstance(tensors, Mapping):
        raise ParameterError(f"the file holds a {type(tensors).__name__}, which is no state dict.")
    return tensors


_NUMBERS = {torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.bool}
_NUMBERS |= {torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8}
