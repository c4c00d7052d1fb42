"""The runs of chapter 10: Fig. 7 of Gu et al. 2025, and the same task small enough for a processor
core."""

from __future__ import annotations

import dataclasses

from grokbook.models.resnet import ResNet
from grokbook.runs.experiment import Experiment, Experiments
from grokbook.runs.sweep import Axis, Sweep
from grokbook.training import Adam, AdamW, RunConfig, Schedule
from grokbook.training.optim import Optimizer
from grokbook_chapters.resnet_grokking.features import pictured
from grokbook_chapters.resnet_grokking.shapes import ShapeTask

# Length of the paper's curve here (its own jump is at about 2,900 epochs), and the authors' batch.
EPOCHS = 3_500
BATCH = 200

SPLITS = ("random", "multiset")


def images_run(
    task: ShapeTask, width: int, stem: str, optimizer: Optimizer, batch: int, steps: int
) -> RunConfig:
    """A run of ResNet-18 on a dictionary's images of one grey channel."""
    model = ResNet(task.outputs, width, stem, channels=1, size=2 * task.tile)
    log = Schedule(steps // 10, max(10, steps // 100), min(50, max(4, steps // 60)))
    return RunConfig(task, model, optimizer, steps, log, 0, batch_size=min(batch, task.sizes()[1]))


def fig7() -> Experiments:
    """Fig. 7 at its own size, from drawn weights: with decay, without, and split by multiset. Made
    for a GPU.

    Chosen here: clean glyphs in one grey channel, weights that are drawn, 3,500 epochs; sums of
    sides as in the code.
    """
    task = ShapeTask()
    steps = EPOCHS * (task.sizes()[1] // BATCH)
    chosen = {
        "decay=0.0001": (task, 1e-4),
        "decay=0": (task, 0.0),
        "split=multiset": (dataclasses.replace(task, split="multiset"), 1e-4),
    }
    experiments = {}
    for name, (given, decay) in chosen.items():
        optimizer = Adam(1e-3, weight_decay=decay)
        config = images_run(given, 64, "imagenet", optimizer, BATCH, steps)
        experiments[name] = Experiment(f"gu2025/fig7[{name}]", config)
    return experiments


# Glyphs, share of the samples trained on, pixels of a tile and width of the small runs.
GLYPHS = 5
FRACTION = 0.75
TILE = 6
WIDTH = 8

# Rate, decoupled decay, batch and steps of the small runs: found while a delay was sought that
# shows in a minute.
RATE = 1e-3
DECAY = 1.0
SMALL_BATCH = 67
SMALL_STEPS = 3_000

# Accuracies from which a run fits and generalises, and steps from which a delay is one: set before
# the runs.
FITTED = 0.95
REACHED = 0.6
LATE = 500

# Steps by split: by multiset the test accuracy still moved at step 3,000 of first runs, and at
# 8,000 of others.
LONGER = {"random": SMALL_STEPS, "multiset": 20_000}


def run(
    n: int = GLYPHS,
    train_fraction: float = FRACTION,
    split: str = "random",
    decay: float = DECAY,
    steps: int = SMALL_STEPS,
) -> RunConfig:
    """A run on images of twelve by twelve pixels, labels by categories, AdamW."""
    task = ShapeTask(n, train_fraction, split, "categories", TILE)
    optimizer = AdamW(RATE, 0.9, 0.999, 1e-8, decay, 0)
    return images_run(task, WIDTH, "small", optimizer, SMALL_BATCH, steps)


def small(n_seeds: int = 5) -> Experiments:
    """The small runs by split, with weight decay and without."""
    seeds = tuple(range(n_seeds))
    experiments = {}
    for split in SPLITS:
        name = f"split={split}"
        usual = run(split=split, steps=LONGER[split])
        free = run(split=split, steps=LONGER[split], decay=0.0)
        experiments[split] = pictured(f"small/shapes[{name}]", usual, seeds)
        experiments[f"{split}, no decay"] = pictured(f"small/shapes[{name}, decay=0]", free, seeds)
    return experiments


# Fresh seeds that ask whether a sum is learned: when that was put, three of the five runs by
# multiset ended above every
# constant answer.
SUMMED = tuple(range(5, 11))


def summed() -> Experiments:
    """The small runs by multiset with decay, of seeds that `small` does not have."""
    return {"multiset": dataclasses.replace(small()["multiset"], seeds=SUMMED)}


def wanted() -> Experiments:
    """The runs by multiset of all seeds, as a record has them."""
    own = small()["multiset"]
    return {"multiset": dataclasses.replace(own, seeds=own.seeds + SUMMED)}


def small_map() -> Experiments:
    """Where the delay is: the small runs by share of training samples and by weight decay, random
    split, one seed."""
    axes = Axis("train_fraction", (0.25, 0.5, 0.75)), Axis("weight_decay", (0.3, 1.0, 3.0))
    return {"cells": Sweep("small/shapes[map]", run(), (0,), axes=axes)}


RUNS = (fig7, small, wanted, small_map)


def plan(
    n_glyphs: int, train_fraction: float, decay: float, steps: int, n_seeds: int
) -> Experiments:
    """Plan of chapter 10: the small runs that the page trains. The split by multiset, for the
    controls, must exist too.

    Raises ParameterError for a share that leaves one of its sets empty.
    """
    config = run(n_glyphs, train_fraction, decay=decay, steps=steps)
    dataclasses.replace(config.task, split="multiset").sizes()
    return {"live": pictured("live/shapes", config, tuple(range(n_seeds)))}
