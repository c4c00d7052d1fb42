"""The pieces of work that are timed, each a function without arguments."""

from __future__ import annotations

from collections.abc import Callable

import torch
from plain import PlainTraining

from grokbook.experiments.gu2025 import modular_run
from grokbook.training import RunConfig
from grokbook.training.loop import Stack, advance, log, make_stack

Work = Callable[[], None]
EPOCHS = 10
"""Our epoch is timed as a tenth of ten updates and one log: metrics every ten steps."""


def paper_run() -> RunConfig:
    """The run that is timed: p = 97, 30 % training cells, d_model 128."""
    return modular_run(97, 0.3)


def our_stack(config: RunConfig) -> Stack:
    """A fresh run of the library."""
    return make_stack([config], torch.device("cpu"))


def our_epochs(config: RunConfig) -> Work:
    """`EPOCHS` updates and one log of the library's training."""
    stack = our_stack(config)

    def work() -> None:
        log(stack)
        for _ in range(EPOCHS):
            advance(stack)

    return work


def plain_epoch(config: RunConfig) -> Work:
    """One epoch of the training written plainly."""
    return PlainTraining(config).epoch


def our_step(config: RunConfig) -> Work:
    """One update of the library's training: forward, backward, AdamW."""
    stack = our_stack(config)
    return lambda: advance(stack)


def layers(config: RunConfig) -> list[tuple[int, int, int]]:
    """(rows, inputs, outputs) of every matrix product of the forward pass of the rewritten model."""
    p, n, d, m, h = config.task.p, config.n_train, config.model.d_model, config.model.d_mlp, config.model.n_heads
    tables = [(rows, d, outputs) for rows in (p, p, 1) for outputs in (d, h)]  # values, scores
    query = [(1, d, d), *[(1, d // h, d)] * h]
    return [*tables, *query, (n, d, d), (n, d, m), (n, m, d), (n, d, p)]


def products(config: RunConfig) -> Work:
    """The matrix products of one update alone: forward, gradient in the input, gradient in the weights."""
    operands = [(torch.randn(r, i), torch.randn(o, i), torch.randn(r, o)) for r, i, o in layers(config)]

    def work() -> None:
        for x, w, gradient in operands:
            torch.mm(x, w.T)
            torch.mm(gradient, w)
            torch.mm(gradient.T, x)

    return work
