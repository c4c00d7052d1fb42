"""The runs of chapter 17: one run followed, the boundary n(M), learning rates at the boundary, Muon, other groups."""

from __future__ import annotations

import dataclasses

from grokbook.errors import ParameterError
from grokbook.experiments.base import Experiment
from grokbook.experiments.sweep import Axis
from grokbook.experiments.tian2025 import pairs_of
from grokbook.topics.feature_emergence.watching import Ended, Followed
from grokbook.training import RunConfig, Schedule, StopRule
from grokbook.training.accelerators import Muon

FRACTIONS: dict[int, tuple[float, ...]] = {
    23: (0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6),
    41: (0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6),
    71: (0.18, 0.21, 0.24, 0.27, 0.3, 0.35, 0.4),
    89: (0.15, 0.18, 0.21, 0.24, 0.27, 0.3, 0.35),
    127: (0.12, 0.15, 0.18, 0.2, 0.22, 0.25, 0.3),
}
"""Shares of the pairs at which the boundary is sought, by modulus."""

BUDGET = 3_000
"""Steps of the runs of the boundary: the default number of epochs of the authors' program."""

ALPHAS = (0.001, 0.002, 0.005)
"""Learning rates compared at the boundary."""

GROUPS = {"Z24": 256, "Z5xZ5": 256, "S3xZ4": 256, "D12": 256, "A4xZ2": 256, "S4": 256}
"""Composite and non-abelian groups of 24 or 25 elements, and the widths of their networks."""

WIDER = ("A4xZ2", "S4")
"""Those of them with a representation of dimension 3; the paper's have 2 at most."""


def live_run(M: int, width: int, train_fraction: float, rate: float, decay: float, steps: int) -> RunConfig:
    """A run on addition modulo M, logged at 60 steps."""
    log = Schedule(0, 10, min(60, steps))
    return pairs_of(f"Z{M}", width, train_fraction, rate=rate, decay=decay, steps=steps, log=log)


def followed(n_seeds: int = 3) -> dict[float, Followed]:
    """Fig. 3's setting by weight decay: M = 71, K = 2,048, 2,016 of 5,041 pairs; three of its 15 seeds.

    Example:
        >>> [run.config.n_train for run in followed().values()]
        [2016, 2016]
    """
    return {
        decay: Followed(
            f"tian2025/stages[decay={decay:g}]",
            live_run(71, 2048, 2016 / 5041, 0.001, decay, 600),
            seeds=tuple(range(n_seeds)),
            statement="With weight decay the gradient at the features has a bump; without it there is none.",
            source="Tian 2025 (Li2), Fig. 3",
            choices="learning rate 0.001, 600 steps, decay coupled on all weights",
        )
        for decay in (2e-4, 0.0)
    }


def _ended(name: str, config: RunConfig, n_seeds: int, *axes: Axis, said: str, source: str, choices: str = "") -> Ended:
    seeds = tuple(range(n_seeds))
    return Ended(name, config, seeds, axes=axes, statement=said, source=source, choices=choices)


def _stopped(config: RunConfig) -> RunConfig:
    return dataclasses.replace(config, stop=StopRule(threshold=0.99, hold=3))


def boundary(n_seeds: int = 5) -> dict[int, Ended]:
    """Figs 10 to 13: the share of the pairs from which on a network generalises, by modulus; K = 256, rate 0.005.

    Example:
        >>> list(boundary()), boundary()[23].shape
        ([23, 41, 71, 89, 127], {'train_fraction': 7})
    """
    said = "The boundary between memorisation and generalisation follows M log M."
    return {
        M: _ended(f"tian2025/boundary[M={M}]", _stopped(live_run(M, 256, 0.5, 0.005, 5e-5, BUDGET)), n_seeds,
                  Axis("train_fraction", shares), said=said, source="Tian 2025 (Li2), Figs 10 to 13",
                  choices=f"{BUDGET:,} steps; shares of the pairs")
        for M, shares in FRACTIONS.items()
    }  # fmt: skip


def rates(n_seeds: int = 5) -> dict[int, Ended]:
    """Fig. 7: three learning rates at the boundary, M = 127 and 3,225 pairs; and M = 71 at 1,361 pairs.

    Example:
        >>> [sweep.config.n_train for sweep in rates().values()]
        [1361, 3225]
    """
    said = "At the boundary a large learning rate leads to memorisation."
    return {
        M: _ended(f"tian2025/rates[M={M}]", live_run(M, 256, n / M**2, 0.001, 5e-5, BUDGET), seeds,
                  Axis("learning_rate", ALPHAS), said=said, source="Tian 2025 (Li2), Fig. 7",
                  choices="K = 256 and decay 5e-5, those of Figs 10 to 13")
        for M, n, seeds in ((71, 1361, n_seeds), (127, 3225, min(n_seeds, 3)))
    }  # fmt: skip


def muon(n_seeds: int = 3) -> dict[str, Ended]:
    """Fig. 8: Adam and Muon by width and learning rate, M = 71; each is judged at its best rate.

    Example:
        >>> list(muon()), muon()["muon"].config.optimizer.matrices, muon()["adam"].shape
        (['adam', 'muon'], ('W_E',), {'width': 3, 'learning_rate': 3})
    """
    adam = live_run(71, 256, 0.4, 0.002, 5e-5, 2_000)
    other = Muon(0.002, weight_decay=5e-5, beta2=0.999, warmup=0, momentum=0.99, matrices=("W_E",), plain=True)
    said = "With few hidden units Muon generalises better than Adam."
    axes = Axis("width", (32, 64, 128)), Axis("learning_rate", (0.002, 0.01, 0.03))
    return {
        name: _ended(f"tian2025/optimiser[{name}]", config, n_seeds, *axes, said=said,
                     source="Tian 2025 (Li2), Fig. 8",
                     choices="40 % of the pairs, 2,000 steps; Muon moves W_E, AdamW the output layer")
        for name, config in (("adam", adam), ("muon", dataclasses.replace(adam, optimizer=other)))
    }  # fmt: skip


def others(n_seeds: int = 5) -> dict[str, Ended]:
    """Fig. 5: groups of 24 and 25 elements, composite and non-abelian, by the share of the pairs.

    Example:
        >>> [run.config.task.p for run in others().values()]
        [24, 25, 24, 24, 24, 24]
    """
    said = "The boundary is that of addition also for composite moduli, products and non-abelian groups."
    shares = Axis("train_fraction", FRACTIONS[23])
    return {
        name: _ended(f"tian2025/group[{name}]",
                     _stopped(pairs_of(name, width, 0.5, rate=0.005, decay=5e-5, steps=BUDGET,
                                       log=Schedule(0, 10, 60))),
                     n_seeds, shares, said=said, source="Tian 2025 (Li2), Fig. 5",
                     choices="the settings of M = 23, those of Figs 10 to 13; Fig. 5 has K = 2,048 and a rate of 5e-4")
        for name, width in GROUPS.items()
    }  # fmt: skip


RUNS = (boundary, followed, rates, muon, others)


def plan(M: int, width: int, train_fraction: float, decay: float, steps: int, n_seeds: int) -> dict[str, Experiment]:
    """Plan of chapter 17: the run that the page follows, with and without weight decay; an even M is refused.

    Raises ParameterError.

    Example:
        >>> list(plan(11, 64, 0.7, 2e-4, 50, 1))
        ['decay', 'none']
    """
    if M % 2 == 0:
        raise ParameterError(f"M = {M} must be odd: the page pairs every frequency with a sine.")
    if not decay > 0:
        raise ParameterError(f"decay = {decay} must be above 0: the page sets it beside a run without.")
    both = {"decay": decay, "none": 0.0}
    return {
        name: Followed(f"live/stages[M={M}, {name}]", live_run(M, width, train_fraction, 0.002, each, steps),
                       seeds=tuple(range(n_seeds)))
        for name, each in both.items()
    }  # fmt: skip
