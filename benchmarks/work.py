"""The pieces of work that are timed, each a function without arguments."""

from __future__ import annotations

from collections.abc import Callable

import torch
from plain import PlainTraining

from grokbook.experiments.gu2025 import modular_run
from grokbook.models.toy import Toy
from grokbook.tasks.addition import AdditionTask
from grokbook.training import AdamW, Group, RunConfig
from grokbook.training.compiled import compile_update
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


def our_epochs(config: RunConfig, compiled: bool = False) -> Work:
    """`EPOCHS` updates and one log of the library's training."""
    stack = our_stack(config)
    move = compile_update(stack) if compiled else advance

    def work() -> None:
        log(stack)
        for _ in range(EPOCHS):
            move(stack)

    return work


def plain_epoch(config: RunConfig) -> Work:
    """One epoch of the training written plainly."""
    return PlainTraining(config).epoch


def our_step(*configs: RunConfig, compiled: bool = False) -> Work:
    """One update of the library's training, of one run or of several as one program: forward, backward, AdamW."""
    stack = make_stack(list(configs), torch.device("cpu"))
    move = compile_update(stack) if compiled else advance
    return lambda: move(stack)


def toy_run(seed: int = 0) -> RunConfig:
    """Liu et al.'s toy: 45 of 55 pairs of ten symbols, decoder 1-200-200-30, rates of its own for the decoder."""
    rates = AdamW(1e-3, weight_decay=0.0, groups=(Group("decoder", learning_rate=1e-4, weight_decay=1.0),))
    config = RunConfig(AdditionTask(10, 45 / 55, width=30), Toy(10, outputs=30), rates, loss="squared_error")
    return config.with_seed(seed)


def plain_toy_step(config: RunConfig) -> Work:
    """One update of the toy written plainly, torch.nn and torch.optim.AdamW with two groups of parameters."""
    sizes, task = config.model.sizes, config.task
    table = torch.nn.Parameter(config.model.draw(config.seed)["W_E"])
    pairs = list(zip(sizes, sizes[1:], strict=False))
    layers = [part for a, b in pairs for part in (torch.nn.Linear(a, b), torch.nn.ReLU())][:-1]
    decoder = torch.nn.Sequential(*layers)
    x = torch.from_numpy(task.inputs)[task.train_index]
    y = torch.from_numpy(task.targets).float()[task.train_index]
    encoder = {"params": [table], "lr": 1e-3, "weight_decay": 0.0}
    groups = [encoder, {"params": decoder.parameters(), "lr": 1e-4, "weight_decay": 1.0}]
    optimiser = torch.optim.AdamW(groups, betas=(0.9, 0.98))

    def work() -> None:
        optimiser.zero_grad()
        loss = torch.nn.functional.mse_loss(decoder(table[x[:, 0]] + table[x[:, 1]]), y)
        loss.backward()
        optimiser.step()
        loss.item()

    return work


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
