"""The runs of chapter 17: one run followed, the boundary n(M), learning rates at the boundary, Muon, other groups."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from grokbook.chapters.feature_emergence.watching import Ended, Followed
from grokbook.errors import ParameterError
from grokbook.runs.experiment import Experiment
from grokbook.runs.sweep import Axis
from grokbook.runs.tian2025 import pairs_of
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

GROUPS = ("Z24", "Z5xZ5", "S3xZ4", "D12", "A4xZ2", "S4")
"""Composite and non-abelian groups of 24 or 25 elements."""

FINE = {f"{name} finer": name for name in ("Z23", *GROUPS, "Z2xZ12", "D11")}
"""Groups on the finer grid by label: addition modulo 23, those above, and two more with dimension 2 at most."""

WIDER = ("A4xZ2", "S4")
"""Those of them with a representation of dimension 3; the paper's have 2 at most."""

FINER = (0.33, 0.355, 0.385, 0.415, 0.45, 0.485, 0.525, 0.565)
"""Shares of the pairs 6 to 9 % apart, for groups of 22 to 25 elements."""

SHARES = (0.7, 0.65, 0.6, 0.5, 0.4)
"""Shares of the pairs at which weight decay is compared with none."""

RIDGES = (10.0, 2e-4)
"""Decay of an output layer that is solved: one in the window where features are learned, and one far below it."""


def live_run(M: int, width: int, train_fraction: float, rate: float, decay: float, steps: int) -> RunConfig:
    """A run on addition modulo M, logged at 60 steps."""
    log = Schedule(0, 10, min(60, steps))
    return pairs_of(f"Z{M}", width, train_fraction, rate=rate, decay=decay, steps=steps, log=log)


def followed(n_seeds: int = 6) -> dict[float, Followed]:
    """Fig. 3's setting by weight decay: M = 71, K = 2,048, 2,016 of 5,041 pairs; six of its 15 seeds.

    Rate 0.001, 600 steps, and decay coupled on all weights are our choice.

    Example:
        >>> [run.config.n_train for run in followed().values()]
        [2016, 2016]
    """
    return {
        decay: Followed(f"tian2025/stages[decay={decay:g}]", live_run(71, 2048, 2016 / 5041, 0.001, decay, 600),
                        seeds=tuple(range(n_seeds)))
        for decay in (2e-4, 0.0)
    }  # fmt: skip


def shares() -> dict[tuple[float, float], Followed]:
    """The run that the page follows, by share of the pairs and weight decay; five seeds, at 60 % twenty.

    Example:
        >>> len(shares()), len(shares()[0.6, 0.0].seeds)
        (10, 20)
    """
    return {
        (share, decay): Followed(f"tian2025/shares[{share:g}, decay={decay:g}]",
                                 live_run(23, 128, share, 0.002, decay, 2_000),
                                 seeds=tuple(range(20 if share == 0.6 else 5)))
        for share in SHARES for decay in (2e-4, 0.0)
    }  # fmt: skip


def solved(n_seeds: int = 15) -> dict[float, Followed]:
    """The same at 60 % with 512 units and an output layer that is solved at every step, by the decay of its ridge.

    No other weight decays. Seeds 1, 2, ...: seed 0 was looked at when the rule of T29 was made.

    Example:
        >>> [run.config.model.ridge for run in solved().values()]
        [10.0, 0.0002]
    """
    log = Schedule(0, 10, 40)
    return {
        ridge: Followed(f"tian2025/solved[ridge={ridge:g}]",
                        pairs_of("Z23", 512, 0.6, rate=0.002, decay=0.0, steps=400, log=log, ridge=ridge),
                        seeds=tuple(range(1, n_seeds + 1)))
        for ridge in RIDGES
    }  # fmt: skip


def arms() -> dict[tuple[str, bool], Followed]:
    """The runs of T29 by network and whether it has decay: of `followed` and `shares` the seeds made after its rule."""
    large, small, ridge = followed(), shares(), solved()
    named = {("M = 71", bool(decay)): (run, range(3, 6)) for decay, run in large.items()}
    named |= {("M = 23", bool(decay)): (small[0.6, decay], range(5, 20)) for decay in large}
    fresh = {label: dataclasses.replace(run, seeds=tuple(seeds)) for label, (run, seeds) in named.items()}
    return fresh | {("solved", eta > 1): run for eta, run in ridge.items()}


def _stopped(config: RunConfig) -> RunConfig:
    return dataclasses.replace(config, stop=StopRule(threshold=0.99, hold=3))


def boundary(n_seeds: int = 5) -> dict[int, Ended]:
    """Figs 10 to 13: the share of the pairs from which on a network generalises, by modulus; K = 256, rate 0.005.

    Example:
        >>> list(boundary()), boundary()[23].shape
        ([23, 41, 71, 89, 127], {'train_fraction': 7})
    """
    return {
        M: Ended(f"tian2025/boundary[M={M}]", _stopped(live_run(M, 256, 0.5, 0.005, 5e-5, BUDGET)),
                 tuple(range(n_seeds)), axes=(Axis("train_fraction", shares),))
        for M, shares in FRACTIONS.items()
    }  # fmt: skip


def rates(n_seeds: int = 5) -> dict[int, Ended]:
    """Fig. 7: three learning rates at the boundary, M = 127 and 3,225 pairs; and M = 71 at 1,361 pairs.

    K = 256 and the decay of 5e-5 are those of Figs 10 to 13.

    Example:
        >>> [sweep.config.n_train for sweep in rates().values()]
        [1361, 3225]
    """
    return {
        M: Ended(f"tian2025/rates[M={M}]", live_run(M, 256, n / M**2, 0.001, 5e-5, BUDGET), tuple(range(seeds)),
                 axes=(Axis("learning_rate", ALPHAS),))
        for M, n, seeds in ((71, 1361, n_seeds), (127, 3225, min(n_seeds, 3)))
    }  # fmt: skip


def muon(n_seeds: int = 3) -> dict[str, Ended]:
    """Fig. 8: Adam and Muon by width and learning rate, M = 71; each is judged at its best rate.

    40 % of the pairs and 2,000 steps are our choice; Muon moves W_E, AdamW the output layer.

    Example:
        >>> list(muon()), muon()["muon"].config.optimizer.matrices, muon()["adam"].shape
        (['adam', 'muon'], ('W_E',), {'width': 3, 'learning_rate': 3})
    """
    adam = live_run(71, 256, 0.4, 0.002, 5e-5, 2_000)
    other = Muon(0.002, weight_decay=5e-5, beta2=0.999, warmup=0, momentum=0.99, matrices=("W_E",), plain=True)
    axes = Axis("width", (32, 64, 128)), Axis("learning_rate", (0.002, 0.01, 0.03))
    return {
        name: Ended(f"tian2025/optimiser[{name}]", config, tuple(range(n_seeds)), axes=axes)
        for name, config in (("adam", adam), ("muon", dataclasses.replace(adam, optimizer=other)))
    }  # fmt: skip


def _group(title: str, name: str, seeds: Iterable[int], shares: tuple[float, ...]) -> Ended:
    log = Schedule(0, 10, 60)
    config = _stopped(pairs_of(name, 256, 0.5, rate=0.005, decay=5e-5, steps=BUDGET, log=log))
    return Ended(title, config, tuple(seeds), axes=(Axis("train_fraction", shares),))


def others() -> dict[str, Ended]:
    """Fig. 5: groups of 24 and 25 elements, composite and non-abelian, by the share of the pairs.

    The settings are those of M = 23, of Figs 10 to 13; Fig. 5 has K = 2,048 and a rate of 5e-4.

    Example:
        >>> [run.config.task.p for run in others().values()]
        [24, 25, 24, 24, 24, 24]
    """
    return {name: _group(f"tian2025/group[{name}]", name, range(5), FRACTIONS[23]) for name in GROUPS}


def finer_groups() -> dict[str, Ended]:
    """The same with other seeds at closer shares, beside addition modulo 23 and with more groups.

    Example:
        >>> finer_groups()["Z23 finer"].shape, len(finer_groups())
        ({'train_fraction': 8}, 9)
    """
    return {label: _group(f"tian2025/finer[{name}]", name, range(5, 10), FINER) for label, name in FINE.items()}


def every_group() -> dict[str, Ended]:
    """The groups on both grids, those of `FINE` under labels of their own."""
    return others() | finer_groups()


RUNS = (boundary, followed, rates, muon, others, shares, solved, finer_groups)


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
