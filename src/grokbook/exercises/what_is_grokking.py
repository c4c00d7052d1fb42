"""Chapter 01: checks of its exercises."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import starmap

import numpy as np
import xarray as xr

from grokbook.exercises.asked import exercise, near
from grokbook.runs import recorded
from grokbook.runs.delay import GrokTime, grok_times, median_delay
from grokbook.runs.gu2025 import fig5
from grokbook.tasks import ModularTask


@exercise("ex-01-decay", draws={"seed": range(100_000)}, quick={"p": 23, "steps": 300})
def decay(dataset: xr.Dataset, says: str, *, seed: int, steps: int) -> str | None:
    """The dataset of one run, and one of the three texts."""
    config = json.loads(dataset.attrs["configs"])[0]
    if config["optimizer"]["weight_decay"]:
        return f"this run still has the weight decay {config['optimizer']['weight_decay']:g}."
    if (config["seed"], config["steps"]) != (seed, steps):
        return f"the run is to have the seed {seed} and {steps} steps, as `usual` has."
    if says == "never":
        return f"a run that ends at step {steps} says nothing of later steps: its grok step is censored."
    censored = bool(grok_times(dataset).censored.iloc[0])
    return None if says == ("not by the last step" if censored else "yes") else "look at `grok_times(dataset)`."


@exercise(
    "ex-01-threshold", draws={"low": [n / 1000 for n in range(300, 641)], "high": [n / 1000 for n in range(650, 986)]}
)
def threshold(longer: Sequence[float | None], *, low: float, high: float) -> str | None:
    """A list with one number a run, None where a delay is not known."""
    runs = recorded(fig5(97))
    before, after = (grok_times(runs, threshold=tau) for tau in (low, high))
    right, given = (after.delay - before.delay).tolist(), list(longer)
    known = [one == one and one is not None for one in map(_plain, right)]
    if len(given) != len(right):
        return f"there are {len(right)} runs, and your list has {len(given)} numbers."
    if any(not ok and _plain(one) is not None for one, ok in zip(given, known, strict=True)):
        return "the delay of a run that does not reach a threshold is not known, and no number stands for it."
    if list(map(_plain, given)) == list(map(_plain, right)):
        return None
    if list(map(_plain, given)) == list(map(_plain, (after.grok_step - before.grok_step).tolist())):
        return "this is how far the grok step moves; the fit step moves too, and a delay is their difference."
    return "subtract the delays at the low threshold from those at the high one, run by run."


def _plain(value: object) -> float | None:
    """A number of a table; None where there is none."""
    return None if value is None or str(value) in ("<NA>", "nan") else float(value)  # type: ignore[arg-type]


@exercise("ex-01-subtract", draws={"seed": range(100_000), "answer": range(1, 23)}, quick={"p": 23, "steps": 300})
def subtract(dataset: xr.Dataset, other: int, *, p: int, seed: int, answer: int) -> str | None:
    """The dataset of one run, and a number from 0 to p - 1."""
    config = json.loads(dataset.attrs["configs"])[0]
    if config["task"]["operation"] != "subtract":
        return f"this is a run of `{config['task']['operation']}`."
    if (config["task"]["p"], config["seed"]) != (p, seed):
        return f"the run is to have p = {p} and the seed {seed}."
    if other == answer:
        return "you copied the answer of (i, j), and subtraction does not commute."
    return None if other == -answer % p else f"j - i is the negative of i - j, modulo {p}."


@exercise(
    "ex-01-facts",
    draws={"p": (47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113), "seed": range(100_000)},
)
def facts(shown: Sequence[int], *, p: int, seed: int) -> str | None:
    """Two whole numbers: unordered pairs that the random split shows, and those that the symmetric one shows."""
    tasks = [ModularTask(p, "add", 0.5, split=split, seed=seed) for split in ("random", "symmetric")]
    cells = [np.divmod(task.train_index, p) for task in tasks]
    if list(shown) == [i.size for i, _ in cells]:
        return "a list of cells counts both orders of a pair; (i, j) and (j, i) are one fact."
    right = [np.unique(np.minimum(i, j) * p + np.maximum(i, j)).size for i, j in cells]
    return None if list(shown) == right else "count each pair that stands there in one order or both, once."


@exercise(
    "ex-01-censoring",
    draws={"a": range(700, 1000), "b": range(1000, 1200), "c": range(1200, 1500), "last": range(1900, 2400)},
)
def censoring(bound: float, median: float, *, a: int, b: int, c: int, last: int) -> str | None:
    """Two numbers of steps."""
    if near(bound, (a + b + c) / 3):
        return "this mean leaves out the two runs that take longest, so it is no lower bound worth having."
    if not near(bound, (a + b + c + 2 * last) / 5):
        return f"the bound is a mean over five runs; what is the least that two can take that were followed for {last}?"
    if near(median, b):
        return "this is the median of the finished runs; the two others are above it, whatever they do."
    ended = list(starmap(GrokTime, [(0, d, d, False) for d in (a, b, c)]))
    right = median_delay([*ended, *[GrokTime(0, None, None, True, last_step=last)] * 2])
    return None if median == right else "put the five in order, the two censored ones last, and take the middle one."
