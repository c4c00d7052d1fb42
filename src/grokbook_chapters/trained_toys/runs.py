"""The toys of Liu et al. 2022, Figs 2 to 5 and 10, most of them with the authors' draws."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

import numpy as np
import torch
import xarray as xr

from grokbook.models.midpoint import MidpointToy
from grokbook.models.networks import Parameters
from grokbook.models.placed import PLACES, PlacedToy
from grokbook.plotting.plane import window
from grokbook.runs.experiment import Experiment, Experiments
from grokbook.tasks.replayed import DrawnAddition
from grokbook.theory.parallelograms import representation_quality_index
from grokbook.training.config import RunConfig
from grokbook.training.optim import AdamW
from grokbook.training.schedule import Schedule
from grokbook.training.watching import View
from grokbook_chapters.liu2022 import addition, rates
from grokbook_chapters.trained_toys.sums import SumTask

# Training pairs, of 55.
SIZES = (5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 54)

# Pairs of an update in the authors' program; where there are fewer, all of them.
BATCH = 45

STEPS = 5_000
"""Updates after which the program reads accuracies (Fig. 3)."""

LONGER = 10_000
"""Updates up to which it waits for a line (Fig. 4b)."""

# Seeds that decide when and at what rate a line forms, and whether a circle matters, after others
# left that open.
MORE = 50

MANY = 300
"""Seeds that decide whether the rate tells more than the size, when sixty had left that open."""

ENOUGH_STEPS = 2_000
"""Updates of their runs: of the 180 older ones none came to a line after update 1,600."""

# The program's rule for a closed parallelogram in one dimension.
TOLERANCE = 0.1

P = 11
"""Symbols of Fig. 2."""

SIDE = 64
"""Points of its recorded plane in each direction."""

# Seeds of each setting of Fig. 2.
SEEDS = {
    "addition": 15,
    "addition, unordered": 15,
    "addition, bad": 15,
    "modular": 30 + MORE,
    "modular, sum": 30 + MORE,
    "modular, bad": 30 + MORE,
    "modular, bad, sum": 30,
}


def config(samples: int, steps: int, log: Schedule) -> RunConfig:
    """A run of the authors' program with so many training pairs; every logged step has its
    embedding."""
    return replace(
        addition(samples=samples, steps=steps, stop=None),
        task=DrawnAddition(train_fraction=samples / 55),
        log=log,
        snapshots=steps + 1,
        batch_size=BATCH if samples > BATCH else None,
    )


def toys_at(
    figure: str, sizes: Iterable[int], seeds: range, steps: int, log: Schedule
) -> Experiments:
    """The toy at p = 10 by its number of training pairs."""
    experiments = {}
    for n in sizes:
        run = config(n, steps, log)
        experiments[n] = Experiment(f"liu2022/{figure}/{n}", run, tuple(seeds))
    return experiments


def toys() -> Experiments:
    """Twenty seeds at every size, of which 0 to 2 are those of the authors.

    Answers, split and first weights are as the authors' program draws them, but not the order of
    its batches.
    """
    log = Schedule(dense_until=3_000, dense_every=50, points=28)
    return toys_at("fig3", SIZES, range(20), LONGER, log)


def fresh() -> Experiments:
    """Ten more seeds at three sizes, for rules that are younger than the runs of `toys`."""
    log = Schedule(dense_until=3_000, dense_every=25, points=28)
    return toys_at("fig5b", (45, 40, 35), range(20, 30), LONGER, log)


def further() -> Experiments:
    """The same, and `MORE` seeds after them."""
    return {n: replace(toy, seeds=tuple(range(20, 30 + MORE))) for n, toy in fresh().items()}


def program_quality(view: View) -> float:
    """The RQI as the authors' program has it: numbers of an unbiased variance of 1, and
    `TOLERANCE`.

    `representation_quality_index` divides by the biased deviation, which is smaller.
    """
    p = len(view.embedding)
    return representation_quality_index(view.embedding, TOLERANCE * (p / (p - 1)) ** 0.5)


def rated() -> Experiments:
    """`MANY` seeds at the sizes of `further`, none of them among those, until no line comes any
    more.

    Of these runs only the RQI and the accuracies at the logged steps are recorded.
    """
    log = Schedule(dense_until=ENOUGH_STEPS, dense_every=25)
    seeds = tuple(range(80, 80 + MANY))
    experiments = {}
    for n in fresh():
        name = f"liu2022/fig5b[rate]/{n}"
        run = replace(config(n, ENOUGH_STEPS, log), snapshots=2)
        experiments[n] = Experiment(
            name,
            run,
            seeds,
            watch={"rqi": program_quality},
            in_key={"lined": ["rqi"]},
            kept=("train_accuracy", "test_accuracy", "rqi"),
        )
    return experiments


def small() -> Experiments:
    """Seeds 20 to 44 at the sizes where the bounds of appendix E are below one, up to the step of
    Fig. 3."""
    log = Schedule(dense_until=STEPS, dense_every=1_000)
    return toys_at("fig10", [n for n in SIZES if n <= 30], range(20, 45), STEPS, log)


def placed() -> Experiments:
    """The decoder alone, for ten seeds, with embeddings that stay at a ladder, at its rungs
    shuffled, at random places.

    A rate of 1e-30 moves no number of the embeddings: each is rounded to what it was.
    """
    still = config(45, LONGER, Schedule(dense_until=LONGER, dense_every=200))
    still = replace(still, optimizer=rates(encoder_lr=1e-30), snapshots=2)
    experiments = {}
    for places in PLACES:
        own = replace(still, model=PlacedToy(10, places=places))
        experiments[places] = Experiment(f"small/toy/{places}", own).with_seeds(10)
    return experiments


def decoded(config: RunConfig, weights: Parameters) -> xr.Dataset:
    """What the decoder of one network says at the end.

    Variables `answered` (sample): the label that each pair of the task is given; `decoded` (row,
    column): that of `SIDE` x `SIDE` points of `window`, from its lower left corner, rows upwards.
    """
    left, right, low, high = window(weights["W_E"].numpy())
    x, y = np.meshgrid(np.linspace(left, right, SIDE), np.linspace(low, high, SIDE))
    points = torch.from_numpy(np.stack([x, y], axis=-1)).to(weights["W_E"].dtype)
    inputs = torch.from_numpy(config.task.inputs)
    with torch.no_grad():
        answers = config.model.forward(weights, inputs).argmax(dim=-1)
        labels = config.model.decode(weights, points).argmax(dim=-1)
    return xr.Dataset(
        {
            "answered": ("sample", answers.numpy().astype(np.int8)),
            "decoded": (("row", "column"), labels.numpy().astype(np.int8)),
        }
    )


@lru_cache(maxsize=1)
def fig2() -> Experiments:
    """The four settings of Fig. 2, and variants: unordered pairs, a decoder of the sum.

    The good run of addition is on ordered pairs in the authors' program, and the modular ones are
    of the sum there.
    """

    def run(task: SumTask, model: MidpointToy, optimizer: AdamW, steps: int = 20_000) -> RunConfig:
        loss = "cross_entropy" if task.modular else "squared_error"
        return RunConfig(
            task,
            model,
            optimizer,
            steps=steps,
            log=Schedule(dense_until=0, points=100),
            snapshots=2,
            loss=loss,
        )

    ordered = SumTask(P, 0.8, ordered=True)
    modular = SumTask(P, 0.8, modular=True)
    good = MidpointToy(P, outputs=2 * P - 1, centre=1.0)
    deep = replace(good, hidden=(256, 256), repeats=6, centre=0.0)
    shallow = replace(good, hidden=(128,), outputs=P, centre=0.0)
    large = replace(deep, repeats=4, outputs=P)
    slow = rates(9e-5, 5.0)
    fast = rates(2e-4, 5.0)
    still = rates(1e-5, 10.0)
    configs = {
        "addition": run(ordered, good, slow),
        "addition, unordered": run(replace(ordered, ordered=False), good, slow),
        "addition, bad": run(SumTask(P, 0.7), deep, rates(1e-3, 0.0, 2e-4), 401),
        "modular": run(modular, shallow, fast),
        "modular, sum": run(modular, replace(shallow, gain=2.0), fast),
        "modular, bad": run(modular, large, still),
        "modular, bad, sum": run(modular, replace(large, gain=2.0), still),
    }
    experiments = {}
    for name, config in configs.items():
        experiments[name] = Experiment(
            f"liu2022/fig2[{name}]",
            config,
            tuple(range(SEEDS[name])),
            read_at_end=decoded,
            in_key={},
        )
    return experiments


def additions() -> Experiments:
    """Those settings that are of plain sums."""
    return {kind: run for kind, run in fig2().items() if kind.startswith("addition")}


def circles() -> Experiments:
    """Those in which sums modulo 11 may become a circle: thirty seeds, and `MORE` after them."""
    return {kind: fig2()[kind] for kind in ("modular", "modular, sum")}


def fitting() -> Experiments:
    """That of sums modulo 11 in which all runs fit their pairs, and none generalises."""
    return {"modular, bad": fig2()["modular, bad"]}


RUNS = (toys, placed, further, rated, small, fig2)


def plan(samples: int, seed: int, steps: int) -> Experiments:
    """The run that the page trains, logged every 5 updates: by default that of the paper's Fig. 4d.

    Example:
        >>> plan(45, 58, 100)["live"].config.n_train
        45
    """
    log = Schedule(dense_until=steps, dense_every=5)
    return {"live": Experiment("small/toy", config(samples, steps, log), (seed,))}
