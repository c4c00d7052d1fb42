"""Liu et al. 2022 ("Towards understanding grokking"): the toy runs that several chapters build on.

Settings: p = 10 symbols on a line (45 of 55 pairs), or S3 by 3x3 matrices; decoder 200-200-30 with
tanh, full batch; AdamW with betas (0.9, 0.999) and no warm-up, the embeddings at rate 1e-3 without
decay, the decoder at its own.
"""

from __future__ import annotations

from grokbook.models.toy import Toy
from grokbook.tasks.addition import AdditionTask
from grokbook.training.config import RunConfig, StopRule
from grokbook.training.optim import AdamW, Group
from grokbook.training.schedule import Schedule

CAP = 100_000
"""Optimiser steps after which what was not reached counts as never, as in the published
diagrams."""

STEP = 1e-3
"""Learning rate of the embeddings, where it is not varied."""

GOAL = StopRule("test_accuracy", 0.9, hold=4)
"""A run of a diagram ends when its test accuracy has been 0.9 for four logged steps: its phase is
known by then."""


def rates(decoder_lr: float = 1e-4, decoder_decay: float = 0.0, encoder_lr: float = STEP) -> AdamW:
    """The optimiser of the toy: one AdamW with rates of their own for embeddings and decoder."""
    encoder = Group("encoder", encoder_lr, 0.0)
    decoder = Group("decoder", decoder_lr, decoder_decay)
    return AdamW(1e-3, 0.9, 0.999, 1e-8, 0.0, 0, groups=(encoder, decoder))


def addition(
    p: int = 10,
    samples: int = 45,
    *,
    answers: str = "vectors",
    optimizer: AdamW | None = None,
    steps: int = CAP,
    stop: StopRule | None = GOAL,
) -> RunConfig:
    """The toy on the sums of two of p symbols with `samples` training pairs; "vectors" is
    regression, "labels" not."""
    labels = answers == "labels"
    pairs = p * (p + 1) / 2
    return RunConfig(
        AdditionTask(p, samples / pairs, answers),
        Toy(p, outputs=2 * p - 1 if labels else 30),
        optimizer or rates(),
        steps=steps,
        log=Schedule(dense_until=5_000, dense_every=50, points=380),
        snapshots=0,
        stop=stop,
        loss="cross_entropy" if labels else "squared_error",
    )
