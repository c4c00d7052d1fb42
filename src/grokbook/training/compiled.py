"""The update of a stack compiled: forward and backward pass fused, and the optimiser; eager where
it cannot be."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from types import FunctionType
from typing import Any

import torch
from torch import Tensor

from grokbook.training.config import RunConfig
from grokbook.training.forward import dropout, over_rows, statistics
from grokbook.training.loop import Stack, mark, row_loss, settle
from grokbook.training.loop import advance as eager
from grokbook.training.optim import Numbers, State, as_tensors
from grokbook.training.together import program_key


def compiles(config: RunConfig) -> bool:
    """Whether the update of this run is compiled here: no dropout or batch statistics, and a
    compiler for a CPU."""
    return not (dropout(config) or statistics(config)) and _compiler_here()


@lru_cache(maxsize=1)
def _compiler_here() -> bool:
    from torch._inductor.cpp_builder import get_cpp_compiler

    try:
        return bool(get_cpp_compiler())
    except Exception:  # torch says in its own way that there is none
        return False


def compile_update(stack: Stack) -> Callable[[Stack], None]:
    """A function that does what `grokbook.training.loop.advance` does, compiled for stacks of this
    one's sizes.

    Forward and backward pass are one program, the optimiser another; both are kept for later stacks
    of these sizes. Sums are done in another order than in the eager program, so results differ by
    rounding. What does not compile stays eager.
    """
    if not compiles(stack.config):
        return eager
    losses_of, moved = programs(stack)
    numbers = as_tensors(stack.numbers, stack.weights)

    def advance(stack: Stack) -> None:
        weights = stack.weights.detach().requires_grad_()
        (inputs, targets), counts = stack.batch()
        losses = losses_of(weights, inputs, targets, *(() if counts is None else (counts,)))
        (gradient,) = torch.autograd.grad(losses.sum(), weights)
        if not torch.isfinite(losses).all():
            mark(stack, losses.detach())
            gradient = gradient.nan_to_num(0.0, 0.0, 0.0)
        moved(stack.weights, gradient, stack.state, numbers(stack.step))
        settle(stack)
        stack.step += 1

    return advance


_programs: dict[tuple[str, int], tuple[Callable[..., Tensor], Callable[..., None]]] = {}


def programs(stack: Stack) -> tuple[Callable[..., Tensor], Callable[..., None]]:
    """The losses of rows of weights (R, P) and their batch, and the optimiser's update, both
    compiled."""
    key = (program_key(stack.config), len(stack.configs))
    if key in _programs:
        return _programs[key]
    of_a_row, optimizer, shapes = row_loss(stack), stack.config.optimizer, stack.shapes

    def forward(*rows: Tensor) -> Tensor:
        return over_rows(of_a_row, *rows)

    def move(weights: Tensor, gradient: Tensor, state: State, n: Numbers) -> None:
        optimizer.update(weights, gradient, state, n, shapes)

    _programs[key] = _compiled(forward), _compiled(move)
    return _programs[key]


def _compiled(function: Any) -> Any:
    """A function of this place compiled by itself.

    torch counts recompilations by code object and stays eager from the ninth on. All functions of
    one `def` share their code, so the ninth size of a process would be eager: each gets a copy.
    """
    own = FunctionType(
        function.__code__.replace(),
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    return torch.compile(own, dynamic=False)
