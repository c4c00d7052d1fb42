"""The runs of chapter 14: Fig. 7 (left) of Liu et al. 2022 at its own size, and small runs of the same network."""

from __future__ import annotations

import dataclasses

from grokbook.chapters.transformer_representations.projected import Circled, Projected
from grokbook.models.encoder import Encoder
from grokbook.runs.experiment import Experiment
from grokbook.runs.gu2025 import fig5
from grokbook.tasks.arithmetic import ModularTask
from grokbook.tasks.shuffled import ShuffledTask
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
    learning_rate: float = 2e-4,
    decay: float = 1.0,
    embedding_decay: float = 0.0,
    points: int = 400,
    snapshots: int = 21,
) -> RunConfig:
    """One run of the paper's transformer on addition modulo p: two layers, the embedding at a rate of 1e-3.

    `learning_rate` and `decay` are those of the decoder, `embedding_decay` is that of the embedding.
    """
    rates = AdamW(
        learning_rate=learning_rate,
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


PAPER_DROPOUT = 0.05
"""Share of numbers dropped in the authors' runs of these figures, by their settings; the text does not mention it."""

PROGRAM_DECAY = 0.01
"""Weight decay of the embedding in the authors' program, torch's default; the text says that there is none."""


def dropping(config: RunConfig, share: float) -> RunConfig:
    """The same run with this share of the network's numbers dropped while it is trained."""
    return dataclasses.replace(config, model=dataclasses.replace(config.model, dropout=share))


def fig7(n_seeds: int = 5) -> dict[str, Projected]:
    """Fig. 7 (left): p = 59, width 256, 20,000 steps; `plain` is the same without dropout, a control.

    `decayed` has the weight decay that the authors' program gives the embedding, where the text says none.

    Example:
        >>> {name: run.config.model.dropout for name, run in fig7().items()}
        {'paper': 0.05, 'plain': 0.0, 'decayed': 0.05}
    """
    plain = Projected(
        f"liu2022/fig7[p={PAPER_P}]",
        encoder_run(PAPER_P, points=100),
        seeds=tuple(range(n_seeds)),
    )
    paper = dataclasses.replace(
        plain,
        name=f"liu2022/fig7[p={PAPER_P}, dropout={PAPER_DROPOUT:g}]",
        config=dropping(plain.config, PAPER_DROPOUT),
    )
    decayed = dataclasses.replace(
        paper,
        name=f"{paper.name[:-1]}, embedding decay={PROGRAM_DECAY:g}]",
        config=dropping(encoder_run(PAPER_P, embedding_decay=PROGRAM_DECAY, points=100), PAPER_DROPOUT),
        seeds=tuple(range(min(n_seeds, 3))),
    )
    return {"paper": paper, "plain": plain, "decayed": decayed}


def circle() -> dict[str, Circled]:
    """Fresh seeds of Fig. 1's runs for the circle: its plane is read every 100 steps, to step 8,000.

    The seeds have no part in `fig7`, on whose runs the rule of claim LT3 was made.

    Example:
        >>> circle()["fresh"].seeds[0], circle()["fresh"].config.log.steps(8_000)[:2].tolist()
        (5, [0, 100])
    """
    config = dropping(encoder_run(PAPER_P, steps=8_000, points=80, snapshots=2), PAPER_DROPOUT)
    return {"fresh": Circled(f"liu2022/circle[p={PAPER_P}, dropout={PAPER_DROPOUT:g}]", config, tuple(range(5, 15)))}


DECAYS = {0.0: 3, 1.0: 3, 3.0: 6}
"""Weight decays of the small decoder, and how many seeds of each."""

USUAL = 3.0
"""The decay of the small runs that the page looks at most: they generalise within their steps."""

SMALL = {"d_model": 64, "d_mlp": 64, "learning_rate": 1e-3, "steps": 4_000, "points": 80, "snapshots": 21}
"""Sizes of the small runs, modulus 31: about a minute a run on one core."""


def small_run(label: str, config: RunConfig, n_seeds: int = 3) -> Projected:
    """One of the small runs, whose embedding is also tried on its principal axes."""
    return Projected(f"liu2022/small[{label}]", config, tuple(range(n_seeds)))


def by_decay() -> dict[float, Projected]:
    """The small runs by weight decay of the decoder.

    Example:
        >>> list(by_decay()), by_decay()[3.0].name
        ([0.0, 1.0, 3.0], 'liu2022/small[decay=3]')
    """
    return {
        decay: small_run(f"decay={decay:g}", encoder_run(31, decay=decay, **SMALL), seeds)
        for decay, seeds in DECAYS.items()
    }


RATES = (0.1, 0.3, 0.5)
"""Shares of numbers that the small runs with dropout drop."""

SMALL_DROPOUT = 0.1
"""The share of these at which all small runs generalise: they stand beside those at the paper's size."""


def by_dropout() -> dict[float, Projected]:
    """The small runs at the usual decay by share of numbers dropped while they are trained; 0 is that of `by_decay`.

    Example:
        >>> list(by_dropout()), by_dropout()[0.3].config.model.dropout
        ([0.0, 0.1, 0.3, 0.5], 0.3)
    """
    config = encoder_run(31, decay=USUAL, **SMALL)
    runs = {share: small_run(f"dropout={share:g}", dropping(config, share)) for share in RATES}
    return {0.0: by_decay()[USUAL]} | runs


def shuffled() -> dict[str, Projected]:
    """The small run with its labels dealt out anew, which can only learn them by heart.

    Example:
        >>> list(shuffled())
        ['shuffled']
    """
    config = encoder_run(31, decay=USUAL, **SMALL)
    config = dataclasses.replace(config, task=ShuffledTask(31, train_fraction=config.task.train_fraction))
    return {"shuffled": small_run("shuffled labels", config)}


def strong() -> dict[str, Projected]:
    """The small run under five times the decay and at the paper's decoder rate: a circle, and no rule.

    Met while sizes were sought, then recorded with three seeds.

    Example:
        >>> strong()["strong"].config.steps
        1500
    """
    sizes = SMALL | {"learning_rate": 2e-4, "steps": 1_500, "points": 50, "snapshots": 11}
    return {"strong": small_run("strong decay", encoder_run(31, decay=15.0, **sizes))}


def decayed() -> dict[str, Projected]:
    """The small run with the embedding's weight decay of the authors' code, 0.01, where the text says zero.

    Example:
        >>> decayed()["decayed"].config.optimizer.of("encoder").weight_decay
        0.01
    """
    config = encoder_run(31, decay=USUAL, embedding_decay=PROGRAM_DECAY, **SMALL)
    return {"decayed": small_run("embedding decay 0.01", config)}


RUNS = (fig7, circle, by_decay, by_dropout, shuffled, strong, decayed)


def often() -> dict[str, Experiment]:
    """The recorded run of Gu et al.'s network that the front page moves: p = 97, its embedding kept every 200 steps.

    Example:
        >>> often()["run"].config.snapshots
        51
    """
    config = dataclasses.replace(fig5(97).config, snapshots=51)
    return {"run": Experiment("gu2025/fig5[p=97, 51 snapshots]", config, seeds=(1,))}


def plan(p: int, train_fraction: float, d_model: int, decay: float, steps: int, n_seeds: int) -> dict[str, Experiment]:
    """Plan of chapter 14: the run that the page trains.

    Example:
        >>> plan(11, 0.8, 16, 3.0, 200, 1)["live"].config.model.d_mlp
        16
    """
    config = encoder_run(
        p,
        d_model=d_model,
        d_mlp=d_model,
        train_fraction=train_fraction,
        learning_rate=1e-3,
        decay=decay,
        steps=steps,
        points=min(steps, 60),
        snapshots=11,
    )
    return {"live": Experiment(f"live/encoder[p={p}]", config, seeds=tuple(range(n_seeds)))}
