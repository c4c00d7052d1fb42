"""The runs of chapter 17: one run followed, the boundary n(M), learning rates at the boundary,
Muon, other groups."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from grokbook.runs.experiment import Experiments
from grokbook.runs.sweep import Axis, Sweep
from grokbook.training import RunConfig, Schedule, StopRule
from grokbook.training.accelerators import Muon
from grokbook_chapters.feature_emergence.watching import ended_sweep, followed_run
from grokbook_chapters.tian2025 import pairs_of

COARSE = (0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6)
# Shares of the pairs at which the boundary is sought, by modulus.
FRACTIONS: dict[int, tuple[float, ...]] = {
    23: COARSE,
    41: COARSE,
    71: (0.18, 0.21, 0.24, 0.27, 0.3, 0.35, 0.4),
    89: (0.15, 0.18, 0.21, 0.24, 0.27, 0.3, 0.35),
    127: (0.12, 0.15, 0.18, 0.2, 0.22, 0.25, 0.3),
}

# steps of the runs of the boundary: the default number of epochs of the authors' program
BUDGET = 3_000

ALPHAS = (0.001, 0.002, 0.005)  # learning rates compared at the boundary

# composite and non-abelian groups of 24 or 25 elements
GROUPS = ("Z24", "Z5xZ5", "S3xZ4", "D12", "A4xZ2", "S4")

# Groups on the finer grid by label: addition modulo 23, those above, and two more with dimension 2
# at most.
FINE = {f"{name} finer": name for name in ("Z23", *GROUPS, "Z2xZ12", "D11")}

# those of them with a representation of dimension 3; the paper's have 2 at most
WIDER = ("A4xZ2", "S4")

# Shares of the pairs 6 to 9 % apart, for groups of 22 to 25 elements.
FINER = (0.33, 0.355, 0.385, 0.415, 0.45, 0.485, 0.525, 0.565)

FEWEST = 32  # hidden units of the smallest networks in which Muon and Adam are compared

# shares of the pairs at which weight decay is compared with none
SHARES = (0.7, 0.65, 0.6, 0.5, 0.4)

DECAYS = (2e-4, 0.0)  # that of the authors' program for Fig. 3, and none

# Decay of an output layer that is solved: one in the window where features are learned, and one far
# below it.
RIDGES = (10.0, 2e-4)


def run(
    group: str,
    width: int = 256,
    share: float = 0.5,
    *,
    rate: float = 0.005,
    decay: float = 5e-5,
    steps: int = BUDGET,
    points: int = 60,
    **model: Any,
) -> RunConfig:
    """A run on the products of a group, with the settings of Figs 10 to 13 unless told
    otherwise."""
    log = Schedule(0, 10, min(points, steps))
    return pairs_of(group, width, share, rate=rate, decay=decay, steps=steps, log=log, **model)


def followed() -> Experiments:
    """Fig. 3's setting by weight decay: M = 71, K = 2,048, 2,016 of 5,041 pairs; nine of its 15
    seeds."""
    experiments = {}
    for decay in DECAYS:
        config = run("Z71", 2048, 2016 / 5041, rate=0.001, decay=decay, steps=600)
        name = f"tian2025/stages[decay={decay:g}]"
        experiments[decay] = followed_run(name, config, seeds=tuple(range(9)))
    return experiments


def small(
    share: float, decay: float, M: int = 23, width: int = 128, steps: int = 2_000
) -> RunConfig:
    """The run that the page follows."""
    return run(f"Z{M}", width, share, rate=0.002, decay=decay, steps=steps)


def shares() -> Experiments:
    """The run that the page follows, by share of the pairs and weight decay; five seeds, at 60 %
    twenty-five."""
    experiments = {}
    for share in SHARES:
        seeds = tuple(range(25 if share == 0.6 else 5))
        for decay in DECAYS:
            name = f"tian2025/shares[{share:g}, decay={decay:g}]"
            experiments[share, decay] = followed_run(name, small(share, decay), seeds)
    return experiments


def solved() -> Experiments:
    """The same at 60 % with 512 units and an output layer that is solved at every step, by the
    decay of its ridge.

    No other weight decays. Seeds 1 to 20: seed 0 was looked at when the rule of T29 was made.
    """
    experiments = {}
    for ridge in RIDGES:
        config = run("Z23", 512, 0.6, rate=0.002, decay=0.0, steps=400, points=40, ridge=ridge)
        name = f"tian2025/solved[ridge={ridge:g}]"
        experiments[ridge] = followed_run(name, config, seeds=tuple(range(1, 21)))
    return experiments


def arms() -> Experiments:
    """The runs of T29 by network and whether it has decay: the last seeds of `followed`, `shares`
    and `solved`.

    Those before them had been looked at when the rule was made.
    """
    fresh = {}
    for decay in DECAYS:
        fresh["M = 71", decay > 0] = replace(followed()[decay], seeds=tuple(range(6, 9)))
        fresh["M = 23", decay > 0] = replace(shares()[0.6, decay], seeds=tuple(range(20, 25)))
    for ridge in RIDGES:
        fresh["solved", ridge > 1] = replace(solved()[ridge], seeds=tuple(range(16, 21)))
    return fresh


def by_share(label: str, group: str, tried: tuple[float, ...], seeds: Iterable[int]) -> Sweep:
    """A sweep over shares of the pairs whose runs stop once they generalise."""
    config = replace(run(group), stop=StopRule(threshold=0.99, hold=3))
    axes = (Axis("train_fraction", tried),)
    return ended_sweep(f"tian2025/{label}", config, tuple(seeds), axes)


def boundary() -> Experiments:
    """Figs 10 to 13: the share of the pairs from which on a network generalises, by modulus; K =
    256, rate 0.005."""
    sweeps = {}
    for M, tried in FRACTIONS.items():
        seeds = range(5 if M == 127 else 10)
        sweeps[M] = by_share(f"boundary[M={M}]", f"Z{M}", tried, seeds)
    return sweeps


def fresh_boundary() -> Experiments:
    """The last five seeds of each modulus, which are younger than the rule of T30."""
    return {M: replace(sweep, seeds=sweep.seeds[-5:]) for M, sweep in boundary().items()}


def others() -> Experiments:
    """Fig. 5: groups of 24 and 25 elements, composite and non-abelian, by the share of the
    pairs."""
    return {name: by_share(f"group[{name}]", name, COARSE, range(5)) for name in GROUPS}


def finer_groups() -> Experiments:
    """The same with other seeds at closer shares, beside addition modulo 23 and with more
    groups."""
    sweeps = {}
    for label, name in FINE.items():
        sweeps[label] = by_share(f"finer[{name}]", name, FINER, range(5, 10))
    return sweeps


def rates() -> Experiments:
    """Fig. 7: three learning rates at the boundary, M = 127 and 3,225 pairs; and M = 71 at 1,361
    pairs."""
    sweeps = {}
    for M, n, seeds in ((71, 1361, 10), (127, 3225, 6)):
        config = run(f"Z{M}", share=n / M**2, rate=0.001)
        axes = (Axis("learning_rate", ALPHAS),)
        sweeps[M] = ended_sweep(f"tian2025/rates[M={M}]", config, tuple(range(seeds)), axes)
    return sweeps


def muon() -> Experiments:
    """Fig. 8: Adam and Muon by width and learning rate, M = 71; Muon moves W_E, AdamW the output
    layer."""
    adam = run("Z71", share=0.4, rate=0.002, steps=2_000)
    optimizer = Muon(
        0.002,
        weight_decay=5e-5,
        beta2=0.999,
        warmup=0,
        momentum=0.99,
        matrices=("W_E",),
        plain=True,
    )
    axes = Axis("width", (FEWEST, 64, 128)), Axis("learning_rate", (0.002, 0.01, 0.03))
    sweeps = {}
    for name, config in (("adam", adam), ("muon", replace(adam, optimizer=optimizer))):
        label = f"tian2025/optimiser[{name}]"
        sweeps[name] = ended_sweep(label, config, tuple(range(6)), axes)
    return sweeps


def at_rest() -> Experiments:
    """The fewest units of `muon` for five times its steps, with seeds that it has not, so that
    losses come to rest."""
    seeds = tuple(range(10, 23))
    sweeps = {}
    for name, sweep in muon().items():
        label = f"tian2025/at rest[{name}]"
        config = replace(sweep.config, steps=10_000)
        axes = (Axis("width", (FEWEST,)), sweep.axes[1])
        sweeps[name] = replace(sweep, name=label, config=config, seeds=seeds, axes=axes)
    return sweeps


RUNS = (boundary, followed, rates, muon, others, shares, solved, finer_groups, at_rest)


def plan(
    M: int, width: int, train_fraction: float, decay: float, steps: int, n_seeds: int
) -> Experiments:
    """Plan of chapter 17: the run that the page follows, with and without weight decay.

    M is odd, as the page pairs every frequency with a sine, and `decay` above 0, as it stands
    beside a run without.
    """
    seeds = tuple(range(n_seeds))
    with_decay = small(train_fraction, decay, M, width, steps)
    without = small(train_fraction, 0.0, M, width, steps)
    return {
        "decay": followed_run(f"live/stages[M={M}, decay]", with_decay, seeds),
        "none": followed_run(f"live/stages[M={M}, none]", without, seeds),
    }
