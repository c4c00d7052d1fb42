"""The runs of chapter 15: MNIST as in Figs 8 and 20 of Liu et al. 2022, and the small digits that
the page trains."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import torch

from grokbook.measures.readout import RIDGE
from grokbook.models.mlp import MLP, relu_layers
from grokbook.runs.experiment import Experiment, Experiments
from grokbook.runs.instruments import READ_OUTS, VERSION, fresh
from grokbook.runs.sweep import Axis, Sweep, spaced
from grokbook.training import AdamW, Group, RunConfig, Schedule, StopRule, View
from grokbook.training.watching import Watch
from grokbook_chapters.images.digits import MNIST, SMALL, DigitsTask
from grokbook_chapters.images.neural_collapse import simplex_distance, within_class_share

PIXELS = {MNIST: 784, SMALL: 64}  # of an image of each set
WIDTH = 200  # of both hidden layers
# factor of all initial parameters in the authors' sister program; the paper says more than 1
LARGE = 8.0
# accuracies of a phase: training set by Table 1, test set by appendix J for its diagram
FITTED = 0.9
REACHED = 0.6
CAP = 100_000  # steps of the curve of Fig. 8 (left)
# Training images of Fig. 20 here; the paper's numbers are not printed. 125 was added, with more
# steps, when the others
# had been seen.
SIZES = (125, 250, 500, 1000, 1500, 2500, 4000)
SMALL_SIZES = (50, 100, 200, 400, 800)  # the same of the small runs
# The small runs, full batch: decay, images and steps were found while settings were sought that
# show a delay soon.
SMALL_RUN = {
    "n_train": 100,
    "source": SMALL,
    "decay": 0.2,
    "batch_size": None,
    "steps": 10_000,
    "points": 90,
}


def trained_features(view: View) -> tuple[np.ndarray, np.ndarray]:
    """Features (n, width) of the training images behind the last ReLU, and their labels (n,)."""
    task = view.task
    layers = len(view.config.model.sizes) - 2
    images = torch.from_numpy(task.inputs[task.train_index]).float()
    with torch.no_grad():
        features = relu_layers(view.weights, images, layers)
    return features.double().numpy(), task.targets[task.train_index]


# Both measures of neural collapse, in the last hidden layer.
WATCHED: dict[str, Watch] = {
    "within_class_share": lambda view: within_class_share(*trained_features(view)),
    "simplex_distance": lambda view: simplex_distance(*trained_features(view)),
}


def collapsing(name: str, config: RunConfig, seeds: tuple[int, ...]) -> Experiment:
    """An experiment of which `WATCHED` is recorded too."""
    return Experiment(name, config, seeds, watch=WATCHED, in_key={"watched": list(WATCHED)})


def digits_run(
    n_train: int = 1000,
    spread: float = LARGE,
    *,
    source: str = MNIST,
    decay: float = 0.01,
    batch_size: int | None = 200,
    steps: int = CAP,
    points: int = 200,
    stop: StopRule | None = None,
    groups: tuple[Group, ...] = (),
) -> RunConfig:
    """A run of the three-layer ReLU network on digits, squared error to one-hot labels, every start
    times `spread`.

    The factor, the rate, the decay and the batch are those of the authors' later program.
    """
    return RunConfig(
        DigitsTask(n_train, source=source),
        MLP((PIXELS.get(source, 784), WIDTH, WIDTH, 10), spread=spread),
        AdamW(1e-3, 0.9, 0.999, 1e-8, decay, 0, groups=groups),
        steps,
        Schedule(min(1_000, steps), 100, points),
        0,
        stop,
        loss="squared_error",
        batch_size=None if batch_size is None else min(batch_size, n_train),
    )


def small_run(label: str, n_seeds: int = 3, name: str = "small", **changes: Any) -> Experiment:
    """A run on digits of 8 x 8 pixels, with changes to `SMALL_RUN`."""
    config = digits_run(**SMALL_RUN | changes)
    return collapsing(f"{name}/digits[{label}]", config, tuple(range(n_seeds)))


def fig8() -> Experiments:
    """Fig. 8 (left) by factor of the initial weights: 8, and 1 as the control."""
    return {
        spread: collapsing(f"liu2022/fig8[start={spread:g}]", digits_run(spread=spread), (0, 1, 2))
        for spread in (LARGE, 1.0)
    }


def fig20() -> Experiments:
    """Fig. 20 by number of training images; a run ends when its test accuracy has been `REACHED`
    for five logs.

    It may take `CAP` steps, and below 250 images that many times as many, logged as often. Six
    seeds, of the smallest size three.
    """
    stop = StopRule(threshold=REACHED, hold=5)
    by_images = {}
    for n in SIZES:
        longer = max(1, 250 // n)
        config = digits_run(n, stop=stop, steps=CAP * longer, points=200 * longer)
        seeds = range(6 if longer == 1 else 3)
        by_images[n] = Experiment(f"liu2022/fig20[n={n}]", config, tuple(seeds))
    return by_images


def fig8_right() -> Experiments:
    """Fig. 8 (right): rate of the last layer and weight decay of all, 8 x 8 cells."""
    config = digits_run(steps=10_000, points=90, groups=(Group("last", 1e-3),))
    axes = Axis("last_lr", spaced(1e-5, 1e-1, 8, 3)), Axis("weight_decay", spaced(1e-3, 10, 8, 3))
    return {"cells": Sweep("liu2022/fig8[phases]", config, tuple(range(5)), axes=axes)}


def _beyond(name: str, config: RunConfig) -> Experiments:
    """Cells that a diagram does not reach. Rate times decay is at most 1: AdamW multiplies weights
    by 1 less that."""
    decays = (Axis("last_lr", (1e-3,)), Axis("weight_decay", (30.0, 100.0, 300.0)))
    rates = (Axis("last_lr", (0.3, 1.0)), Axis("weight_decay", (0.1, 1.0)))
    return {
        "more decay": Sweep(f"{name}[more decay]", config, (0, 1, 2), axes=decays),
        "larger rates": Sweep(f"{name}[larger rates]", config, (0, 1, 2), axes=rates),
    }


def fig8_beyond() -> Experiments:
    """Cells beyond `fig8_right`; in its corner, where both values are high, three of six have a
    product above 2.
    """
    config = fig8_right()["cells"].config
    axes = Axis("last_lr", (0.1, 1.0)), Axis("weight_decay", (3.0, 10.0, 30.0))
    corner = Sweep("liu2022/fig8[corner]", config, (0, 1, 2), axes=axes)
    return _beyond("liu2022/fig8", config) | {"corner": corner}


def small_beyond() -> Experiments:
    """Cells beyond `small_phases`."""
    return _beyond("small/digits", small_phases()["cells"].config)


def small() -> Experiments:
    """The small runs by factor of the initial weights."""
    return {
        spread: small_run(f"start={spread:g}", seeds, spread=spread)
        for spread, seeds in ((LARGE, 15), (1.0, 5))
    }


def by_decay() -> Experiments:
    """The small runs from large weights with decay, and the same without."""
    return {"decay": small()[LARGE], "no decay": small_run(f"start={LARGE:g}, decay=0", decay=0.0)}


def by_size() -> Experiments:
    """The small runs by number of training images, from large weights."""
    usual = {SMALL_RUN["n_train"]: small()[LARGE]}
    return {n: usual.get(n) or small_run(f"n={n}", 9, n_train=n) for n in SMALL_SIZES}


def fewer() -> Experiments:
    """The same, and below the smallest of them."""
    return {n: small_run(f"n={n}", n_train=n) for n in (25, 35)} | by_size()


def small_phases() -> Experiments:
    """The diagram of Fig. 8 (right) on digits of 8 x 8 pixels."""
    config = digits_run(**SMALL_RUN | {"steps": 4_000, "groups": (Group("last", 1e-3),)})
    axes = Axis("last_lr", spaced(1e-4, 1e-1, 6, 3)), Axis("weight_decay", spaced(0.01, 10, 6, 3))
    return {"cells": Sweep("small/digits[phases]", config, (0, 1, 2), axes=axes)}


HEAVY = READ_OUTS | {"fresh_readout_heavy": partial(fresh, ridge=100 * RIDGE)}
"""Fresh read-outs, and one with a hundred times their ridge."""


def _read_out(
    name: str, config: RunConfig, seeds: tuple[int, ...], watch: dict[str, Watch]
) -> Experiment:
    return Experiment(
        name,
        config,
        seeds,
        watch=watch,
        in_key={"observed": dict.fromkeys(watch, VERSION)},
        kept=("train_accuracy", "test_accuracy", *watch),
    )


def read_outs() -> Experiments:
    """The runs of `fig8` by factor of the initial weights, with fresh read-outs at each logged
    step: from large weights until after the fit, from the usual ones until they generalise.

    Seeds 6 to 8: others were looked at before the rule was made that asks for two ridges.
    """
    usual = StopRule(threshold=REACHED, hold=5)
    ends = {LARGE: {"steps": 3_000, "points": 20}, 1.0: {"steps": 1_000, "stop": usual}}
    by_start = {}
    for start, settings in ends.items():
        config = digits_run(spread=start, **settings)
        by_start[start] = _read_out(f"liu2022/readout[start={start:g}]", config, (6, 7, 8), HEAVY)
    return by_start


def small_read_outs() -> Experiments:
    """The same on digits of 8 x 8 pixels, from large weights, to the end."""
    config = digits_run(**SMALL_RUN)
    name = f"small/readout[start={LARGE:g}]"
    return {"8 x 8 digits": _read_out(name, config, tuple(range(5)), READ_OUTS)}


RUNS = (
    fig8,
    fig20,
    fig8_right,
    small,
    by_decay,
    by_size,
    fewer,
    small_phases,
    fig8_beyond,
    small_beyond,
    read_outs,
    small_read_outs,
)


def plan(n_train: int, spread: float, steps: int, n_seeds: int) -> Experiments:
    """Plan of chapter 15: the runs on small digits that the page trains, with a large start and
    with torch's."""
    size = {"n_train": n_train, "steps": steps}
    return {
        "large": small_run("large", n_seeds, "live", spread=spread, **size),
        "usual": small_run("usual", n_seeds, "live", spread=1.0, **size),
    }
