"""The update of a stack compiled: forward and backward pass fused, and the optimiser; eager where it cannot be."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from grokbook.training.loop import Stack, mark, run_outputs
from grokbook.training.losses import LOSSES
from grokbook.training.optim import as_tensors


def compiler_here() -> bool:
    """Whether this machine has the compiler that `torch.compile` needs on a CPU.

    Example:
        >>> compiler_here() in (True, False)
        True
    """
    from torch._inductor.cpp_builder import get_cpp_compiler

    try:
        return bool(get_cpp_compiler())
    except Exception:  # torch says in its own way that there is none
        return False


def compile_update(stack: Stack) -> Callable[[Stack], None]:
    """A function that does what `grokbook.training.loop.advance` does, compiled for stacks of this one's sizes.

    Forward and backward pass are one program, the optimiser another. Sums are done in another order than in the eager
    program, so results differ by rounding.
    """
    config, shapes, one = stack.config, stack.shapes, len(stack.configs) == 1
    mean, numbers = LOSSES[config.loss].mean, as_tensors(stack.numbers, stack.weights)

    def loss(row: Tensor, x: Tensor, y: Tensor) -> Tensor:
        return mean(run_outputs(config, row, x), y)

    def forward(weights: Tensor, x: Tensor, y: Tensor) -> Tensor:
        return loss(weights[0], x[0], y[0]).unsqueeze(0) if one else torch.vmap(loss)(weights, x, y)

    def move(weights: Tensor, gradient: Tensor, state: dict[str, Tensor], n: dict[str, Tensor]) -> None:
        config.optimizer.update(weights, gradient, state, n, shapes)

    losses_of, moved = torch.compile(forward, dynamic=False), torch.compile(move, dynamic=False)

    def advance(stack: Stack) -> None:
        weights = stack.weights.detach().requires_grad_()
        losses = losses_of(weights, *stack.batch())
        (gradient,) = torch.autograd.grad(losses.sum(), weights)
        if not torch.isfinite(losses).all():
            mark(stack, losses.detach())
            gradient = gradient.nan_to_num(0.0, 0.0, 0.0)
        moved(stack.weights, gradient, stack.state, numbers(stack.step))
        stack.step += 1

    return advance
