"""What training asks of a network, and the answer where a network leaves it open.

A network is a frozen dataclass of sizes with `shapes`, `draw` and `forward` on plain named tensors
(`Network`); what a reader's own breaks of this is said when a run is made with it
(`grokbook.training.contract`). It may also have

- `starts`, names of ways to draw it: `draw(seed, start)`;
- `groups()`, group -> names of its parameters, which can then have rates of their own;
- `embeddings(weights)`, one or two tables (n, d) whose measures are logged and of which snapshots
  are kept;
- `check(task)`, which refuses a task that it does not fit;
- `solved` and `settle(weights, inputs, targets)`: parameters that are not learned but solved on the
  training set;
- `statistics`, names of tensors, the last of `shapes`, that are not learned: `forward(weights,
  inputs, seen)` puts what they become after a training batch into the dictionary `seen`;
- `dropout`, the share of numbers that `forward(weights, inputs, drop)` drops with `drop` while it
  is trained;
- `products(samples)` and `activations`, what a forward pass costs; `full_sequence`, whether
  attention is not rewritten.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import Field
from typing import Any, ClassVar, Protocol

import torch
from torch import Tensor

from grokbook.errors import ParameterError

Parameters = Mapping[str, Tensor]
Shapes = dict[str, tuple[int, ...]]


ROWS = {"rows": True}
"""Metadata of a field that only a network's drawing uses: runs of one program may differ in it."""


class Network(Protocol):
    """Sizes of a network; parameters are a mapping name -> tensor."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def shapes(self) -> Shapes:
        """Name and shape of every parameter, in the order in which a row of weights holds them."""

    def draw(self, seed: int) -> dict[str, Tensor]:
        """Fresh finite float32 parameters on the CPU, drawn by the seed alone, in any order:
        `shapes` lays them out."""

    def forward(self, weights: Parameters, inputs: Tensor) -> Tensor:
        """Outputs (N, ...) for inputs (N, ...)."""


def sizes_of(shapes: Mapping[str, Sequence[int]]) -> list[int]:
    """Numbers in each parameter, in order."""
    return [math.prod(shape) for shape in shapes.values()]


def parts_of(row: Tensor, shapes: Shapes) -> dict[str, Tensor]:
    """The named parameters that a row (P,) or longer begins with, as views."""
    sizes = sizes_of(shapes)
    parts = row[: sum(sizes)].split(sizes)
    return {name: part.view(shapes[name]) for name, part in zip(shapes, parts, strict=True)}


def layer_groups(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Group -> names of parameters: "embedding" is `W_E` and `W_pos`, "output" `W_U`, "hidden" all
    else.

    Example:
        >>> layer_groups(("W_E", "W_U"))
        {'embedding': ('W_E',), 'hidden': (), 'output': ('W_U',)}
    """
    layers = {"W_E": "embedding", "W_pos": "embedding", "W_U": "output"}
    groups: dict[str, tuple[str, ...]] = {"embedding": (), "hidden": (), "output": ()}
    for name in names:
        groups[layers.get(name, "hidden")] += (name,)
    return groups


class ModularNetwork:
    """What the networks on pairs modulo p have in common: sizes `p` and `shift` (k), and `W_E`, a
    token a row."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    p: int
    shift: int
    starts: ClassVar[tuple[str, ...]] = ("normal",)

    @property
    def vocabulary(self) -> int:
        """Number of tokens, p + k + 1."""
        return self.p + self.shift + 1

    def embeddings(self, weights: Mapping[str, Any]) -> tuple[Any, ...]:
        """The rows of `W_E` that the first and the second operand use, each (p, d)."""
        return weights["W_E"][: self.p], weights["W_E"][self.shift : self.shift + self.p]

    def check(self, task: Any) -> None:
        """Raise ParameterError for a task with another modulus or shift."""
        p = getattr(task, "p", None)
        shift = getattr(task, "shift", 0)
        if (p, shift) != (self.p, self.shift):
            raise ParameterError(
                f"the model is made for p = {self.p}, shift = {self.shift}, but the task has "
                f"p = {p}, shift = {shift}; they must be equal."
            )


def read_by(
    network: Network, weights: Parameters, inputs: Tensor, matrix: str, biases: Collection[str] = ()
) -> Tensor:
    """The activations (N, d) that a last layer reads: the network's outputs where its matrix (M, d)
    is the identity and its biases are zero."""
    width = network.shapes()[matrix][1]
    plain = {matrix: torch.eye(width).to(weights[matrix])}
    for name in biases:
        plain[name] = torch.zeros(width).to(weights[name])
    return network.forward({**weights, **plain}, inputs)


def features(network: Network, weights: Parameters, inputs: Tensor) -> Tensor:
    """The activations (N, d) that the last layer of any network reads of some inputs.

    The last layer is the last matrix (M, d) of `shapes`, with the parameters (M,) behind it as
    biases. Raises ParameterError where the outputs are not what such a layer makes of them.

    Example:
        >>> from grokbook.models.mlp import MLP
        >>> network = MLP((3, 5, 2))
        >>> features(network, network.draw(0), torch.zeros(4, 3)).shape
        torch.Size([4, 5])
    """
    shapes = network.shapes()
    matrices = [name for name, shape in shapes.items() if len(shape) == 2]
    if not matrices:
        raise ParameterError(f"{type(network).__name__} has no matrix that could be a last layer.")
    matrix = matrices[-1]
    outputs = shapes[matrix][:1]
    names = list(shapes)
    biases = [name for name in names[names.index(matrix) :] if shapes[name] == outputs]
    read = read_by(network, weights, inputs, matrix, biases)
    few = slice(2)  # the samples by which the layer is told: all would be a second pass
    answers = network.forward(weights, inputs[few])
    made = read[few] @ weights[matrix].T
    for name in biases:
        made = made + weights[name]
    size = answers.abs().max().item()
    if made.shape != answers.shape or not torch.allclose(made, answers, atol=1e-3 * size):
        raise ParameterError(
            f"{matrix}, the last matrix of {type(network).__name__}, is not its last layer."
        )
    return read


def products(network: Network, samples: int) -> int:
    """Multiply-adds of a forward pass: the network's own count, else every matrix but `W_E`, once a
    sample."""
    if hasattr(network, "products"):
        return network.products(samples)
    of_a_sample = 0
    for name, shape in network.shapes().items():
        if len(shape) > 1 and name != "W_E":
            of_a_sample += math.prod(shape)
    return samples * of_a_sample


def activations(network: Network) -> int:
    """Numbers kept for each sample of a forward pass, about: the own count, else twice the layers'
    outputs."""
    own = getattr(network, "activations", None)
    rows = [shape[0] for shape in network.shapes().values()]
    return 2 * (sum(rows) + rows[-1]) if own is None else own
