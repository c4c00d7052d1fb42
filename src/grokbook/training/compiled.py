"""The update of a stack as one compiled program: forward pass, gradient and optimiser; eager where
it cannot be."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from types import FunctionType
from typing import Any

import torch
from torch import Tensor

from grokbook.training.config import RunConfig
from grokbook.training.forward import dropout, over_rows, statistics
from grokbook.training.loop import Stack, mark, row_loss, settle
from grokbook.training.loop import advance as eager
from grokbook.training.optim import Numbers, State, as_tensors
from grokbook.training.optimisers import TorchOptim
from grokbook.training.together import program_key


def compiles(config: RunConfig) -> bool:
    """Whether the update of this run is compiled here: no dropout or batch statistics, no optimiser
    of torch, and a compiler for a CPU."""
    if dropout(config) or statistics(config) or isinstance(config.optimizer, TorchOptim):
        return False
    return _compiler_here()


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

    The program is kept for later stacks of these sizes. Sums are done in another order than in the
    eager program, so results differ by rounding. What does not compile stays eager.
    """
    if not compiles(stack.config):
        return eager
    update = program(stack)
    numbers = as_tensors(stack.numbers, stack.weights)

    def advance(stack: Stack) -> None:
        placed = numbers(stack.step)
        losses, are_finite = update(stack.weights, stack.state, placed, *stack.batch())
        if not are_finite:
            mark(stack, losses)
        settle(stack)
        stack.step += 1

    return advance


Program = Callable[..., tuple[Tensor, Tensor]]
_programs: dict[tuple[str, int], Program] = {}


def program(stack: Stack) -> Program:
    """The compiled update: moves weights (R, P) and state in place by their batch and the
    optimiser's numbers.

    It returns the losses (R,) and whether all are finite.
    """
    key = (program_key(stack.config), len(stack.configs))
    if key in _programs:
        return _programs[key]
    slopes = gradient_and_losses(stack)
    optimizer = stack.config.optimizer
    shapes = stack.shapes

    def update(
        weights: Tensor, state: State, numbers: Numbers, *rows: Tensor
    ) -> tuple[Tensor, Tensor]:
        gradient, losses = slopes(weights, *rows)
        are_finite = torch.isfinite(losses).all()
        # nan_to_num says the same, but is compiled to a loop over single numbers
        is_kept = are_finite | (gradient.abs() < torch.inf)
        gradient = torch.where(is_kept, gradient, 0.0)
        optimizer.update(weights, gradient, state, numbers, shapes)
        return losses, are_finite

    _programs[key] = _compiled(update)
    return _programs[key]


def gradient_and_losses(stack: Stack) -> Callable[..., tuple[Tensor, Tensor]]:
    """A function of weights (R, P) and their batch: the gradient (R, P) and the losses (R,).

    Each row's gradient is formed before rows are mapped, so that the gradient of a matrix is laid
    out as the matrix is; afterwards where torch cannot map it so, as `one_hot`.
    """
    loss = row_loss(stack)
    of_a_row = torch.func.grad_and_value(loss)

    def summed(weights: Tensor, *rows: Tensor) -> tuple[Tensor, Tensor]:
        losses = over_rows(loss, weights, *rows)
        return losses.sum(), losses

    def of_all(weights: Tensor, *rows: Tensor) -> tuple[Tensor, Tensor]:
        gradient, (_, losses) = torch.func.grad_and_value(summed, has_aux=True)(weights, *rows)
        return gradient, losses

    try:
        over_rows(of_a_row, stack.weights, *stack.batch())
    except RuntimeError:
        return of_all
    return partial(over_rows, of_a_row)


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
