"""The update of a stack on a GPU as one recorded graph of kernels: Python launches it whole, and no
number comes back.

The step of a small network is a hundred kernels of microseconds, which take longer to launch than
to run.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from grokbook.training.compiled import compiles, program
from grokbook.training.forward import as_tuple, dropout, over_rows
from grokbook.training.loop import Stack, row_loss
from grokbook.training.loop import advance as eager
from grokbook.training.optim import Number, column
from grokbook.training.optimisers import TorchOptim

WARM = 3
"""Updates made, and undone, before the graph is recorded: libraries choose their kernels and take
their memory."""


def graphs(stack: Stack) -> bool:
    """Whether a stack's update can be a graph: no weights that are solved for, no optimiser of
    torch, and noise for one run alone."""
    return not (
        getattr(stack.config.model, "solved", False)
        or isinstance(stack.config.optimizer, TorchOptim)
        or (dropout(stack.config) and len(stack.configs) > 1)
    )


class Update:
    """What an update reads and writes in places that stay: the batch, the optimiser's numbers,
    weights and state.

    Called, it does what `grokbook.training.loop.advance` does to weights and state, without asking
    the device anything; the numbers of the step have to be `laid` before. A run whose loss is not
    finite is found when it is logged. With `fused` forward pass and optimiser are compiled, as
    `compile_update` has them.
    """

    def __init__(self, stack: Stack, fused: bool = False) -> None:
        self.stack = stack
        self.known: dict[str, Number] = {}
        self.batch = [
            part if stack.batch() is stack.whole else part.clone() for part in stack.batch()
        ]
        first, last = (stack.numbers(step) for step in (stack.step, stack.config.steps - 1))
        like = stack.weights
        both = {name: (column(first[name], like), column(last[name], like)) for name in first}
        self.numbers = {
            name: scale + other for name, (scale, other) in both.items()
        }  # the wider shape
        self.fused = program(stack) if fused and compiles(stack.config) else None

    def lay(self) -> None:
        """Put the step's batch and numbers, where they have changed, and the seed of its noise into
        their places."""
        stack = self.stack
        for name, value in stack.numbers(stack.step).items():
            if isinstance(value, Tensor) and value is not self.known.get(name):
                self.numbers[name].copy_(value)
            elif not isinstance(value, Tensor) and value != self.known.get(name):
                self.numbers[name].fill_(value)
            self.known[name] = value
        if stack.config.batch_size:
            for place, part in zip(self.batch, stack.batch(), strict=True):
                place.copy_(part)
        if dropout(stack.config):
            seed = np.random.SeedSequence((stack.config.seed, stack.step)).generate_state(1)[0]
            (torch.cuda if stack.weights.is_cuda else torch).manual_seed(int(seed))

    def __call__(self) -> None:
        stack = self.stack
        if self.fused:
            self.fused(stack.weights, stack.state, self.numbers, *self.batch)
            return
        weights = stack.weights.detach().requires_grad_()
        losses, *seen = as_tuple(over_rows(row_loss(stack), weights, *self.batch))
        (gradient,) = torch.autograd.grad(losses.sum(), weights)
        whole = torch.isfinite(losses).all()
        gradient = torch.where(whole, gradient, gradient.nan_to_num(0.0, 0.0, 0.0))
        stack.config.optimizer.update(
            stack.weights, gradient, stack.state, self.numbers, stack.shapes
        )
        for moved in seen:
            with torch.no_grad():
                stack.weights[:, -moved.shape[1] :] = moved


def graph_update(stack: Stack, fused: bool = False) -> Callable[[Stack], None]:
    """A function that does what `grokbook.training.loop.advance` does to this stack, as a graph;
    see `Update`.

    Eager where it cannot be one: `graphs`, and where something in it asks the host. Weights and
    state are those of before when it returns; torch's generator of the device is moved where a
    network draws noise.

    Source: CUDA graphs, torch.cuda.graph.
    """
    if not graphs(stack):
        return eager
    update, graph = Update(stack, fused), torch.cuda.CUDAGraph()
    tensors = [stack.weights, *stack.state.values()]
    before = [tensor.clone() for tensor in tensors]
    aside = torch.cuda.Stream()
    aside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(aside):
        for _ in range(WARM):
            update.lay()
            update()
    torch.cuda.current_stream().wait_stream(aside)
    for tensor, value in zip(tensors, before, strict=True):
        tensor.copy_(value)
    try:
        with torch.cuda.graph(graph):
            update()
    except RuntimeError:  # an operation that cannot be recorded
        return eager

    def advance(stack: Stack) -> None:
        update.lay()
        graph.replay()
        stack.step += 1

    return advance
