"""The runs of chapter 15: MNIST as in Fig. 8 and 20 of Liu et al. 2022, and the small digits that the page trains."""

from __future__ import annotations

import dataclasses

from grokbook.chapters.images.collapse import Collapsing
from grokbook.errors import ParameterError
from grokbook.models.mlp import MLP
from grokbook.runs.experiment import Experiment
from grokbook.runs.sweep import Axis, Sweep, spaced
from grokbook.tasks.digits import MNIST, SMALL, DigitsTask
from grokbook.training import AdamW, Group, RunConfig, Schedule, StopRule

WIDTH = 200
"""Width of both hidden layers."""

LARGE = 8.0
"""Factor of all initial parameters at which the authors' sister program has the delay; the paper says more than 1."""

FITTED, REACHED = 0.9, 0.6
"""Accuracies of a phase: on the training set that of Table 1, on the test set that of appendix J for its diagram.

From `REACHED` on a run generalises elsewhere too, where the paper names no threshold."""

CAP = 100_000
"""Steps of the curve of Fig. 8 (left)."""

SIZES = (250, 500, 1000, 1500, 2500, 4000)
"""Training images of Fig. 20 here; the paper's numbers are not printed."""


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
) -> RunConfig:
    """A run of the three-layer ReLU network on digits, squared error to one-hot labels, every start times `spread`.

    The factor, the rate, the decay and the batch are those of the authors' later program.

    Example:
        >>> digits_run(100, source="8x8").model.sizes
        (64, 200, 200, 10)
    """
    pixels = {MNIST: 784, SMALL: 64}.get(source, 784)
    return RunConfig(
        DigitsTask(n_train, source=source),
        MLP((pixels, WIDTH, WIDTH, 10), spread=spread),
        AdamW(1e-3, 0.9, 0.999, 1e-8, decay, 0),
        steps,
        Schedule(min(1_000, steps), 100, points),
        0,
        stop,
        loss="squared_error",
        batch_size=None if batch_size is None else min(batch_size, n_train),
    )


def _by_start(name: str, config: RunConfig, n_seeds: int) -> dict[float, Collapsing]:
    """A run from large weights and, as the control, from torch's."""
    return {
        spread: Collapsing(
            f"{name}[start={spread:g}]",
            dataclasses.replace(config, model=dataclasses.replace(config.model, spread=spread)),
            seeds=tuple(range(n_seeds)),
        )
        for spread in (LARGE, 1.0)
    }  # fmt: skip


def _by_rates(name: str, config: RunConfig, n_seeds: int, *axes: Axis) -> dict[str, Sweep]:
    """A diagram over the rate of the last layer and weight decay."""
    config = dataclasses.replace(config, optimizer=dataclasses.replace(config.optimizer, groups=(Group("last", 1e-3),)))
    return {"cells": Sweep(name, config, tuple(range(n_seeds)), axes=axes)}


def fig8(n_seeds: int = 3) -> dict[float, Collapsing]:
    """Fig. 8 (left) by factor of the initial weights: 8, and 1 as the control.

    Example:
        >>> [run.name for run in fig8().values()]
        ['liu2022/fig8[start=8]', 'liu2022/fig8[start=1]']
    """
    return _by_start("liu2022/fig8", digits_run(), n_seeds)


def fig20(n_seeds: int = 3) -> dict[int, Experiment]:
    """Fig. 20 by number of training images; a run ends when its test accuracy has been `REACHED` for five logs.

    Example:
        >>> list(fig20())
        [250, 500, 1000, 1500, 2500, 4000]
    """
    stop = StopRule(threshold=REACHED, hold=5)
    return {
        n: Experiment(
            f"liu2022/fig20[n={n}]", digits_run(n, stop=stop), seeds=tuple(range(n_seeds)),
        )
        for n in SIZES
    }  # fmt: skip


def fig8_right(n_seeds: int = 3) -> dict[str, Sweep]:
    """Fig. 8 (right): rate of the last layer and weight decay of all, 8 x 8 cells.

    Example:
        >>> fig8_right()["cells"].shape
        {'last_lr': 8, 'weight_decay': 8}
    """
    axes = Axis("last_lr", spaced(1e-5, 1e-1, 8, 3)), Axis("weight_decay", spaced(1e-3, 10, 8, 3))
    return _by_rates("liu2022/fig8[phases]", digits_run(steps=10_000, points=90), n_seeds, *axes)


SMALL_DECAY, SMALL_IMAGES, SMALL_STEPS = 0.2, 100, 10_000
"""Weight decay, images and steps of the small runs: found while settings were sought that show a delay in a minute."""

SMALL_SIZES = (50, 100, 200, 400, 800)
"""Training images of the small runs by size."""


def small_run(n_train: int = SMALL_IMAGES, spread: float = LARGE, steps: int = SMALL_STEPS) -> RunConfig:
    """A run on digits of 8 x 8 pixels, full batch."""
    return digits_run(
        n_train, spread, source=SMALL, decay=SMALL_DECAY, batch_size=None, steps=steps, points=min(90, steps)
    )


def small(n_seeds: int = 5) -> dict[float, Collapsing]:
    """The small runs by factor of the initial weights.

    Example:
        >>> list(small())
        [8.0, 1.0]
    """
    return _by_start("small/digits", small_run(), n_seeds)


def by_decay(n_seeds: int = 3) -> dict[str, Collapsing]:
    """The small runs from large weights with decay, and the same without.

    Example:
        >>> [run.name for run in by_decay().values()]
        ['small/digits[start=8]', 'small/digits[start=8, decay=0]']
    """
    decayed = small()[LARGE]
    free = dataclasses.replace(decayed.config.optimizer, weight_decay=0.0)
    plain = dataclasses.replace(
        decayed, name=f"small/digits[start={LARGE:g}, decay=0]", seeds=tuple(range(n_seeds)),
        config=dataclasses.replace(decayed.config, optimizer=free),
    )  # fmt: skip
    return {"decay": decayed, "no decay": plain}


def by_size(n_seeds: int = 3) -> dict[int, Collapsing]:
    """The small runs by number of training images, from large weights.

    Example:
        >>> list(by_size())
        [50, 100, 200, 400, 800]
    """
    same = {SMALL_IMAGES: small()[LARGE]}
    return {
        n: same.get(n) or Collapsing(
            f"small/digits[n={n}]", small_run(n), seeds=tuple(range(n_seeds)),
        )
        for n in SMALL_SIZES
    }  # fmt: skip


def small_phases(n_seeds: int = 3) -> dict[str, Sweep]:
    """The diagram of Fig. 8 (right) on digits of 8 x 8 pixels.

    Example:
        >>> small_phases()["cells"].shape
        {'last_lr': 6, 'weight_decay': 6}
    """
    axes = Axis("last_lr", spaced(1e-4, 1e-1, 6, 3)), Axis("weight_decay", spaced(0.01, 10, 6, 3))
    return _by_rates("small/digits[phases]", small_run(steps=4_000), n_seeds, *axes)


RUNS = (fig8, fig20, fig8_right, small, by_decay, by_size, small_phases)


def plan(n_train: int, spread: float, steps: int, n_seeds: int) -> dict[str, Experiment]:
    """Plan of chapter 15: the runs on small digits that the page trains, with a large start and with torch's.

    Raises ParameterError for a large start that is not larger than 1.

    Example:
        >>> plan(100, 8.0, 200, 1)["large"].config.model.spread
        8.0
    """
    if not spread > 1:
        raise ParameterError(f"spread = {spread} must be more than 1: it is compared with torch's own start.")
    runs, seeds = {"large": spread, "usual": 1.0}, tuple(range(n_seeds))
    return {
        name: Collapsing(f"live/digits[{name}]", small_run(n_train, start, steps), seeds)
        for name, start in runs.items()
    }
