"""Chapter 01: checks of its exercises."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pandas as pd
import xarray as xr

from companion.exercises.registry import Mistakes, exercise, number
from grokbook.curves.delay import grok_times
from grokbook.runs import recorded
from grokbook.tasks import ModularTask
from grokbook_chapters.gu2025 import fig5


@exercise("ex-01-decay", draws={"seed": range(100_000)}, quick={"p": 23, "steps": 300})
def decay(dataset: xr.Dataset, says: str, *, seed: int, steps: int) -> Mistakes:
    """The dataset of one run, and one of the three texts."""
    config = json.loads(dataset.attrs["configs"])[0]
    weight_decay = config["optimizer"]["weight_decay"]
    if weight_decay:
        yield True, "run still has the weight decay N", weight_decay
    yield (config["seed"], config["steps"]) != (seed, steps), "the run is to have the seed"
    yield says == "never", "says nothing of later steps"
    censored = bool(grok_times(dataset).censored.iloc[0])
    yield says != "not by the last step" if censored else "yes", "look at `grok_times(dataset)`"


@exercise(
    "ex-01-threshold",
    draws={"low": [n / 1000 for n in range(300, 641)], "high": [n / 1000 for n in range(650, 986)]},
)
def threshold(longer: Sequence[float | None], *, low: float, high: float) -> Mistakes:
    """A list with one number a run, None where a delay is not known."""
    runs = recorded(fig5(97))
    columns = ["delay", "grok_step"]
    before = grok_times(runs, threshold=low)[columns]
    after = grok_times(runs, threshold=high)[columns]
    longer_by = (after - before).astype("Float64").reset_index(drop=True)
    right = longer_by.delay
    given = pd.Series(list(longer), dtype="Float64")
    yield len(given) != len(right), "there are N runs", len(right), len(given)
    yield bool((right.isna() & given.notna()).any()), "is not known, and no number"
    if not given.equals(right):
        yield given.equals(longer_by.grok_step), "the fit step moves too"
        yield True, "subtract the delays at the low"


@exercise(
    "ex-01-subtract",
    draws={"seed": range(100_000), "answer": range(1, 23)},
    quick={"p": 23, "steps": 300},
)
def subtract(dataset: xr.Dataset, other: int, *, p: int, seed: int, answer: int) -> Mistakes:
    """The dataset of one run, and a number from 0 to p - 1."""
    config = json.loads(dataset.attrs["configs"])[0]
    if config["task"]["operation"] != "subtract":
        yield True, "a run of `N`", config["task"]["operation"]
    yield (config["task"]["p"], config["seed"]) != (p, seed), "the run"
    yield other == answer, "subtraction does not commute"
    yield other != -answer % p, "j - i is the negative of i - j"


@exercise(
    "ex-01-facts",
    draws={
        "p": (47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113),
        "seed": range(100_000),
    },
)
def facts(shown: Sequence[int], *, p: int, seed: int) -> Mistakes:
    """Two whole numbers: unordered pairs that the random split shows, and those that the symmetric
    one shows."""
    random = ModularTask(p, "add", 0.5, split="random", seed=seed).train_mask
    symmetric = ModularTask(p, "add", 0.5, split="symmetric", seed=seed).train_mask
    yield list(shown) == [random.sum(), symmetric.sum()], "counts both orders"
    right = [np.triu(mask | mask.T).sum() for mask in (random, symmetric)]
    yield list(shown) != right, "in one order or both"


@exercise(
    "ex-01-censoring",
    draws={
        "a": range(700, 1000),
        "b": range(1000, 1200),
        "c": range(1200, 1500),
        "last": range(1900, 2400),
    },
)
def censoring(bound: float, median: float, *, a: int, b: int, c: int, last: int) -> Mistakes:
    """The bound, a number of steps to three digits, and the median, a whole number of steps."""
    finished = a + b + c
    least = (finished + 2 * last) / 5
    without = ("leaves out", finished / 3)
    yield from number(bound, least, "the bound is a mean over five runs", without)
    yield median == b, "the median of the finished runs"
    yield median != c, "put the five in order"
