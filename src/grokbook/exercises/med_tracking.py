"""Chapter 05: checks of its exercises."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import xarray as xr
from sympy import primerange, totient

from grokbook.chapters.med_tracking.renaming import by_powers
from grokbook.exercises.asked import exercise, near
from grokbook.measures import mean_norm, med
from grokbook.runs import recorded
from grokbook.runs.gu2025 import operations
from grokbook.runs.tracking import SETTLED, shift_test, sign_agreement, track


@exercise("ex-05-line", draws={"p": range(20, 400), "length": [n / 20 for n in range(5, 100)]})
def line(med_: float, diameter: float, *, p: int, length: float) -> str | None:
    """Two lengths."""
    places = length * np.arange(p)
    steps = np.abs(np.diff(places, append=places[0]))
    if near(med_, length):
        return "this leaves out the closing step, from the last symbol back to the first."
    if near(med_, steps.sum(), 1e-6):
        return "this is the sum of the steps; MED is their mean."
    if not near(med_, steps.mean(), 1e-6):
        return "add the p steps, the closing one with its own length, and divide by p."
    if near(diameter, p * length, 1e-6):
        return "the first and the last of p symbols are p - 1 steps apart."
    return None if near(diameter, np.ptp(places), 1e-6) else "the diameter is the distance of the first and last one."


@exercise("ex-05-relabel", draws={"prime": tuple(primerange(29, 1000)), "run": (0, 1, 2), "snapshot": (1, 2, 3, 4, 5)})
def relabel(renamings: int, least: float, *, prime: int, run: int, snapshot: int) -> str | None:
    """A number of maps, and a quotient of two lengths."""
    right = int(totient(prime - 1))
    if renamings in (prime - 2, prime - 1):
        return "most of these maps are not one-to-one: c has to be prime to the number of the non-zero symbols."
    if 2 * renamings == right:
        return "MED does not tell c and -c apart, but they are two renamings."
    if renamings != right:
        return "count the c below the number of the non-zero symbols that are prime to it."
    table = recorded(operations()["gu2025/fig13"]).embedding.isel(seed=run, snapshot=snapshot).values.astype(float)

    def smallest(rows: np.ndarray) -> float:
        n = len(rows)
        return min(med(rows[c * np.arange(n) % n]) for c in range(1, n) if np.gcd(c, n) == 1)

    ordered = by_powers(table)
    if near(least, smallest(table) / mean_norm(table), 1e-6):
        return "this is the least over the renamings of addition; order the symbols by the powers of a root first."
    if near(least, smallest(ordered), 1e-6):
        return "this is the least MED, not divided by the mean length of a vector."
    return None if near(least, smallest(ordered) / mean_norm(ordered), 1e-6) else "order by powers, take the least MED."


@exercise("ex-05-null", draws={"seed": range(100_000), "width": range(15, 36, 2)})
def null(raw: float, smoothed: float, honest: float, fooled: float, *, seed: int, width: int) -> str | None:
    """Two shares of the steps, and two p-values."""
    rng, trend = np.random.default_rng(seed), 40 * np.sin(np.linspace(0, np.pi, 400))
    curves = [trend + rng.normal(size=400) for _ in range(2)]
    means = [np.lib.stride_tricks.sliding_window_view(c, width).mean(axis=1) for c in curves]
    padded = [np.convolve(c, np.ones(width) / width, "same") for c in curves]
    if near(raw, np.corrcoef(*curves)[0, 1], 1e-6):
        return "this is the correlation of the values; the agreement is that of the signs of their steps."
    if not near(raw, sign_agreement(*curves), 1e-6):
        return "the agreement is `sign_agreement(x, y)`, of the curves as they are."
    if not near(smoothed, sign_agreement(*means), 1e-6):
        if near(smoothed, sign_agreement(*padded), 1e-6):
            return "this average takes zeros for what lies beyond the ends, so both curves fall there."
        return f"smooth both curves by the mean over {width} points, then compare the signs of their steps."
    if not near(honest, shift_test(*curves).p_value, 1e-6):
        return "the first p-value is for the raw curves, detrended; this one is not detrended, or of other curves."
    if near(fooled, shift_test(*means, window=None).p_value, 1e-6):
        return None
    return "the second p-value is for the moving averages as they are; this one is detrended, or of other curves."


@exercise("ex-05-own", draws={"seed": range(100_000)}, quick={"p": 23, "steps": 300})
def own(dataset: xr.Dataset, calls: Sequence[bool | None], *, p: int, steps: int, seed: int) -> str | None:
    """The dataset of one run, and three of True, False and None."""
    config = json.loads(dataset.attrs["configs"])[0]
    if (config["task"]["p"], config["steps"], config["seed"]) != (p, steps, seed):
        return f"the run is to have p = {p}, {steps} steps and the seed {seed}."
    seen = track(dataset.isel(run=0))
    first, second, third = (None if one is None else bool(one) for one in calls)
    if first != (seen["agreement"] >= 0.9):
        return f"the bar of the first is nine in ten; this run has {seen['agreement']:.2f}."
    fit, grok, below, last = (seen[name] for name in ("fit_step", "grok_step", "below_step", "last_step"))
    nearer = None if below is None or grok is None else abs(below - grok) < abs(below - fit)
    if second != nearer:
        if nearer is None:
            return "the second decides nothing in a run that does not generalise, or whose MED does not stay below."
        return f"for the second compare how far step {below} is from {grok} and from {fit}."
    ends = seen["measure_settles"], seen["accuracy_settles"]
    if grok is None or min(ends) > (1 - SETTLED) * last:
        return None if third is None else "the third decides nothing where the run does not generalise, or just ends."
    if third == (abs(ends[0] - ends[1]) <= SETTLED * last):
        return None
    return f"for the third compare steps {ends[0]} and {ends[1]} with a tenth of the run, {SETTLED * last:g} steps."
