"""Chapter 05: checks of its exercises."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import xarray as xr
from sympy import primerange, totient

from companion.exercises.registry import Mistakes, exercise, number
from grokbook.measures import mean_norm, med
from grokbook.runs import recorded
from grokbook_chapters.gu2025 import operations
from grokbook_chapters.med_tracking.renaming import by_powers
from grokbook_chapters.med_tracking.tracking import SETTLED, shift_test, sign_agreement, track


@exercise("ex-05-line", draws={"p": range(20, 190), "length": [n / 20 for n in range(5, 100)]})
def line(med_: float, diameter: float, *, p: int, length: float) -> Mistakes:
    """Two lengths, to three digits."""
    places = length * np.arange(p)
    steps = np.abs(np.diff(places, append=places[0]))
    typical = (("the closing step", length), ("is the sum", steps.sum()))
    yield from number(med_, steps.mean(), "add the p steps", *typical)
    apart = ("p - 1 steps apart", p * length)
    yield from number(diameter, np.ptp(places), "the diameter is the distance", apart)


@exercise(
    "ex-05-relabel",
    draws={"prime": tuple(primerange(29, 1000)), "run": (0, 1, 2), "snapshot": (1, 2, 3, 4, 5)},
)
def relabel(renamings: int, least: float, *, prime: int, run: int, snapshot: int) -> Mistakes:
    """A number of maps, and a quotient of two lengths, to three digits."""
    right = int(totient(prime - 1))
    yield renamings in (prime - 2, prime - 1), "one-to-one"
    yield 2 * renamings == right, "c and -c"
    yield renamings != right, "count the c below the number"
    embedding = recorded(operations()["gu2025/fig13"]).embedding
    table = embedding.isel(seed=run, snapshot=snapshot).values.astype(float)

    def smallest(rows: np.ndarray) -> float:
        n = len(rows)
        units = [c for c in range(1, n) if np.gcd(c, n) == 1]
        return min(med(rows[c * np.arange(n) % n]) for c in units)

    ordered = by_powers(table)
    unscaled = smallest(ordered)
    typical = (
        ("renamings of addition", smallest(table) / mean_norm(table)),
        ("not divided", unscaled),
    )
    yield from number(least, unscaled / mean_norm(ordered), "order by powers", *typical)


@exercise("ex-05-null", draws={"seed": range(100_000), "width": range(15, 36, 2)})
def null(
    raw: float, smoothed: float, honest: float, fooled: float, *, seed: int, width: int
) -> Mistakes:
    """Two shares of the steps, and two p-values, all to three digits."""
    trend = 40 * np.sin(np.linspace(0, np.pi, 400))
    curves = trend + np.random.default_rng(seed).normal(size=(2, 400))
    means = np.lib.stride_tricks.sliding_window_view(curves, width, axis=1).mean(axis=2)
    padded = [np.convolve(curve, np.ones(width) / width, "same") for curve in curves]
    agreement = sign_agreement(*curves)
    correlation = ("correlation", np.corrcoef(curves)[0, 1])
    yield from number(raw, agreement, "the agreement is `sign_agreement(x", correlation)
    zeros = ("zeros", sign_agreement(*padded))
    yield from number(smoothed, sign_agreement(*means), "smooth both curves by the mean", zeros)
    yield from number(honest, shift_test(*curves).p_value, "not detrended")
    yield from number(fooled, shift_test(*means, window=None).p_value, "is detrended")


@exercise("ex-05-own", draws={"seed": range(100_000)}, quick={"p": 23, "steps": 300})
def own(
    dataset: xr.Dataset, calls: Sequence[bool | None], *, p: int, steps: int, seed: int
) -> Mistakes:
    """The dataset of one run, and three of True, False and None."""
    config = json.loads(dataset.attrs["configs"])[0]
    yield (
        (config["task"]["p"], config["steps"], config["seed"]) != (p, steps, seed),
        "the run is to have p = N",
    )
    seen = track(dataset.isel(run=0))
    first, second, third = (None if call is None else bool(call) for call in calls)
    if first != (seen["agreement"] >= 0.9):
        yield True, "nine in ten", seen["agreement"]
    fit = seen["fit_step"]
    grok = seen["grok_step"]
    below = seen["below_step"]
    nearer = None
    if below is not None and grok is not None:
        nearer = abs(below - grok) < abs(below - fit)
    if second != nearer:
        yield nearer is None, "the second decides nothing"
        yield True, "for the second compare how far", below, grok, fit
    measure = seen["measure_settles"]
    accuracy = seen["accuracy_settles"]
    last = seen["last_step"]
    if grok is None or min(measure, accuracy) > (1 - SETTLED) * last:
        yield third is not None, "the third decides nothing"
        return
    if third == (abs(measure - accuracy) <= SETTLED * last):
        return
    yield True, "for the third compare steps", measure, accuracy, SETTLED * last
