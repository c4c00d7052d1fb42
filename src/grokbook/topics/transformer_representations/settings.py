"""The runs of chapter 14: Fig. 7 (left) of Liu et al. 2022 at its own size."""

from __future__ import annotations

from grokbook.experiments.base import Experiment
from grokbook.models.encoder import Encoder
from grokbook.tasks.arithmetic import ModularTask
from grokbook.training.config import RunConfig
from grokbook.training.optim import AdamW, Group
from grokbook.training.schedule import Schedule

PAPER_P = 59
"""The modulus of Figs 1, 7, 21 and 22: the text says 53, the initial effective dimension of 51.7 is that of 59."""


def encoder_run(
    p: int,
    *,
    d_model: int = 256,
    d_mlp: int = 128,
    train_fraction: float = 0.8,
    steps: int = 20_000,
    decay: float = 1.0,
    embedding_decay: float = 0.0,
    points: int = 400,
    snapshots: int = 21,
) -> RunConfig:
    """One run of the paper's transformer on addition modulo p: two layers, rates 1e-3 (embedding) and 2e-4 (the rest).

    `decay` is the weight decay of the decoder, `embedding_decay` that of the embedding.
    """
    rates = AdamW(
        learning_rate=2e-4,
        beta2=0.999,
        weight_decay=decay,
        warmup=0,
        groups=(Group("encoder", 1e-3, embedding_decay),),
    )
    return RunConfig(
        task=ModularTask(p, train_fraction=train_fraction),
        model=Encoder(p, d_model=d_model, d_mlp=d_mlp),
        optimizer=rates,
        steps=steps,
        log=Schedule(dense_until=0, points=points),
        snapshots=snapshots,
    )


def fig7(n_seeds: int = 5) -> dict[str, Experiment]:
    """Fig. 7 (left): p = 59, width 256, 20,000 steps.

    Example:
        >>> fig7()["paper"].config.model.d_mlp
        128
    """
    run = Experiment(
        f"liu2022/fig7[p={PAPER_P}]",
        encoder_run(PAPER_P),
        seeds=tuple(range(n_seeds)),
        statement="The effective dimension of the embedding rises until generalisation and falls afterwards.",
        source="Liu et al. 2022, Fig. 7 (left), Figs 1 and 21",
        choices="seeds draw the split as well; no dropout (the authors' runs had 0.05)",
    )
    return {"paper": run}


RUNS = (fig7,)
