r"""Which law foretells the length: printed laws of the wait on a grid of rate, decay, share of the
pairs and width.

Let $T$ be the wait, $\eta$ the rate, $\lambda$ the decay, D the share of the pairs, H the width.
The laws are read so.

- inverse (arXiv 2603.13331): $T = c / (\eta\lambda)$. The abstract has $T = \Theta(\gamma^{-1}
  \log(V_{mem}/V_{post}))$ with $\gamma \ge \eta\lambda$ for AdamW, and "inverse scaling" with both.
- first passage (arXiv 2605.18845): $T = \log(V_{mem}/V_*) / (2\kappa\eta\lambda)$, with V the
  squared norm of all weights, $V_{mem}$ that at the fit step (median of the seeds), and $V_*$ and
  $\kappa$ constants of the network. Both are fitted here, the reading that helps it most.
- printed (OpenReview Qh29Wjs8oo): $T \propto H^{-.27} D^{-2.04} \eta^{-.50} \lambda^{-.64}$, where
  T is the grok step; it is asked of that, as the others of the wait.
- arXiv 2606.13753 has $T \propto \exp(\alpha\rho)$ for networks whose norm is held at $\rho$ times
  that at which free ones generalise. A free run has no $\rho$: it is left out here, and asked of
  the arms with a held norm.

The rule, fixed before the first of these runs. A setting is counted where two of its three seeds or
more fit and generalise by the last step, with a median wait of `LEAST` steps or more; the others
are counted beside. Half of all settings, drawn once, calibrate the constants of each law; its error
is the absolute logarithm of predicted over observed on the other half, and the law's error the
median of these, between the order statistics of `handed.middle`. A law is "better" or "worse" than
a constant by the interval of the paired difference of errors, else "same". Exponents are those of
least squares in logarithms over all settings that are counted, their intervals from settings drawn
anew. Each law predicts of itself that it is better than a constant. Known before: on bench Q twice
and half the rate or decay alone move the wait with exponents near -.5 and -.6.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from companion.claims import Finding, Runs, claim, judge
from companion.claims.finding import Part, decided
from grokbook.curves.delay import ROUNDING, THRESHOLD, grok_times
from grokbook.runs.experiment import Experiments, available
from grokbook.runs.sweep import Axis, Sweep
from grokbook.training.config import RunConfig, StopRule
from grokbook.training.schedule import Schedule
from grokbook_chapters.causes.effects import texts
from grokbook_chapters.causes.handed import Middle, middle
from grokbook_chapters.causes.runs import free
from grokbook_chapters.labelled import Tables

SEEDS = (24, 25, 26)
"""Seeds that no arm and no search has."""

LEAST = 20
"""Waits below so many steps, four logged ones, are no wait whose length could be told."""

LOG = Schedule(dense_until=500, dense_every=5, points=120, spacing="log")
KEPT = ("train_accuracy", "test_accuracy", "weight_norm")
STEPS = {"Q": 5_000, "T": 4_000}
WIDTH = {"Q": 128, "T": 32}
"""The width of a bench where no grid varies it."""

GRIDS: dict[str, tuple[tuple[str, tuple[float, ...]], ...]] = {
    "Q": (
        ("learning_rate", (0.0025, 0.005, 0.01, 0.02)),
        ("weight_decay", (0.15, 0.3, 0.6, 1.2)),
        ("train_fraction", (0.6, 0.7, 0.8, 0.9)),
    ),
    "Q-width": (
        ("learning_rate", (0.005, 0.01)),
        ("weight_decay", (0.3, 0.6)),
        ("train_fraction", (0.7, 0.8)),
        ("width", (64, 256)),
    ),
    "T": (
        ("learning_rate", (0.004, 0.008, 0.016)),
        ("weight_decay", (0.7, 1.4, 2.8)),
        ("train_fraction", (0.7, 0.8, 0.9)),
    ),
}
SETTINGS = ("learning_rate", "weight_decay", "train_fraction", "width")
PRINTED = {"learning_rate": -0.50, "weight_decay": -0.64, "train_fraction": -2.04, "width": -0.27}


def until_it_stays(bench: str, steps: int) -> RunConfig:
    """The free run of a bench with so many steps and the log of a grid, ended once it has
    generalised."""
    stop = StopRule(threshold=THRESHOLD - ROUNDING, hold=4)
    return dataclasses.replace(free(bench), steps=steps, log=LOG, stop=stop)


def grids() -> Experiments:
    """The grids of both benches, three seeds a setting."""
    sweeps = {}
    for name, sides in GRIDS.items():
        bench = name[0]
        axes = tuple(Axis(*side) for side in sides)
        config = until_it_stays(bench, STEPS[bench])
        sweeps[name] = Sweep(f"causes/laws[{name}]", config, SEEDS, kept=KEPT, axes=axes)
    return sweeps


RUNS = (grids,)


def predictions() -> pd.DataFrame:
    """What each law says of itself on each bench: its source, its words, of which step it speaks,
    and what it says if it comes out otherwise."""
    return texts("laws")


def timed(data: xr.Dataset) -> pd.DataFrame:
    """Fit and grok step of each run of a grid, and its squared norm at both, `start` and `end`; the
    index has its settings and its seed."""
    times = grok_times(data)[["fit_step", "grok_step"]]
    norms = data.weight_norm.transpose(*times.index.names, "step")
    rows = norms.values.reshape(len(times), -1)
    for name, steps in (("start", times.fit_step), ("end", times.grok_step)):
        places = np.searchsorted(data.step.values, steps.astype(float).fillna(0.0))
        squared = pd.Series(rows[np.arange(len(rows)), places] ** 2, times.index)
        times[name] = squared.where(steps.notna())
    return times


def by_setting(bench: str, *grids_timed: pd.DataFrame) -> pd.DataFrame:
    """A row a setting: medians over its seeds of `wait`, `grok`, `start` and `end`, the wait of the
    `first` seed and of the `others`, and the `fate`: "counted", "unfit", "late" or "no wait".

    A run that did not generalise by the last step waits for ever; where two of three did not fit or
    were late the setting has no length.
    """
    tables = []
    for table in grids_timed:
        settings = table.reset_index()
        tables.append(settings if "width" in settings else settings.assign(width=WIDTH[bench]))
    times = pd.concat(tables, ignore_index=True)
    fit = times.fit_step.astype(float)
    grok = times.grok_step.astype(float)
    late = grok.fillna(np.inf)
    known = times[list(SETTINGS)].assign(
        wait=(late - fit.fillna(np.inf)).where(fit.notna(), np.inf),
        grok=late,
        start=times.start.astype(float),
        end=times.end.astype(float),
        unfit=fit.isna().astype(float),
    )
    is_first = times.seed == SEEDS[0]
    known["first"] = known.wait.where(is_first)
    known["others"] = known.wait.where(~is_first)
    table = known.groupby(list(SETTINGS), as_index=False).median()
    fates = [table.unfit > 0.5, np.isinf(table.wait), table.wait < LEAST]
    return table.assign(fate=np.select(fates, ["unfit", "late", "no wait"], "counted"))


def calibrates(table: pd.DataFrame) -> np.ndarray:
    """Whether each setting is of the half by which constants are set: the draw is of all settings,
    whatever came of them."""
    drawn = np.random.default_rng(0).permutation(len(table))
    return drawn < len(table) // 2


def _powers(table: pd.DataFrame) -> np.ndarray:
    """Logarithms of the settings that vary, a column each, after a column of ones."""
    logs = np.log(table[varied(table)].to_numpy(dtype=float))
    return np.column_stack([np.ones(len(table)), logs])


def varied(table: pd.DataFrame) -> list[str]:
    """The settings that have more than one value."""
    return [name for name in SETTINGS if table[name].nunique() > 1]


# Each law: logarithms of what it foretells for settings, with its constants from others.


def _constant(known: pd.DataFrame, of: str, asked: pd.DataFrame) -> np.ndarray:
    return np.full(len(asked), np.log(known[of]).median())


def _shaped(
    shape: Callable[[pd.DataFrame], pd.Series], known: pd.DataFrame, of: str, asked: pd.DataFrame
) -> np.ndarray:
    """A law with one constant, a factor: the median of what is over what its shape says."""
    factor = (np.log(known[of]) - shape(known)).median()
    return (shape(asked) + factor).to_numpy()


def _inverse(table: pd.DataFrame) -> pd.Series:
    return -np.log(table.learning_rate * table.weight_decay)


def _printed(table: pd.DataFrame) -> pd.Series:
    return sum(power * np.log(table[name]) for name, power in PRINTED.items())


def _passage(threshold: float, table: pd.DataFrame) -> pd.Series:
    """The shape of the first passage of a threshold, infinitely small where the norm is below
    it."""
    fall = np.log(table.start / threshold).clip(lower=0.0)
    with np.errstate(divide="ignore"):
        return np.log(fall) + _inverse(table)


def _first_passage(known: pd.DataFrame, of: str, asked: pd.DataFrame) -> np.ndarray:
    """With the threshold, below every calibrating norm, whose absolute errors are least."""
    least = known.start.min()
    thresholds = least * np.geomspace(1e-3, 0.999, 200)
    errors = []
    for threshold in thresholds:
        told = _shaped(partial(_passage, threshold), known, of, known)
        errors.append(np.abs(told - np.log(known[of])).mean())
    chosen = thresholds[np.argmin(errors)]
    return _shaped(partial(_passage, chosen), known, of, asked)


def _fitted(known: pd.DataFrame, of: str, asked: pd.DataFrame) -> np.ndarray:
    both = pd.concat([known, asked])
    powers = _powers(both)
    found, *_ = np.linalg.lstsq(powers[: len(known)], np.log(known[of]), rcond=None)
    return powers[len(known) :] @ found


def _others(known: pd.DataFrame, of: str, asked: pd.DataFrame) -> np.ndarray:
    """The oracle: no constants, the other two seeds of the setting."""
    return np.log(asked.others).to_numpy()


LAWS: dict[str, Callable[[pd.DataFrame, str, pd.DataFrame], np.ndarray]] = {
    "constant": _constant,
    "inverse": partial(_shaped, _inverse),
    "first passage": _first_passage,
    "printed": partial(_shaped, _printed),
    "fitted": _fitted,
    "seeds": _others,
}
OF = {"printed": "grok", "seeds": "first"}
"""What a law speaks of, where it is not the median wait."""


def errors(table: pd.DataFrame, law: str, of: str | None = None) -> np.ndarray:
    """Absolute logarithms of foretold over observed on the settings that do not calibrate, in the
    order of the table; `of` is a column of it.

    "shuffled" is the fitted law with the waits of all settings dealt anew.
    """
    of = of or OF.get(law, "wait")
    known = calibrates(table)
    counted = (table.fate == "counted").to_numpy()
    own = table
    if law == "shuffled":
        dealt = table[of].to_numpy().copy()
        dealt[counted] = np.random.default_rng(1).permutation(dealt[counted])
        own = table.assign(**{of: dealt})
        law = "fitted"
    asked = own[counted & ~known & np.isfinite(own[of])]
    told = LAWS[law](own[counted & known], of, asked)
    return np.abs(told - np.log(asked[of]).to_numpy())


NAMES = {
    "constant": "a constant",
    "inverse": "1 / (rate × decay)",
    "first passage": "fall of the norm",
    "printed": "printed power law",
    "fitted": "power law, fitted",
    "seeds": "other seeds",
}
"""Laws -> their names in the figure."""


class Error(NamedTuple):
    """The median error of a law on a bench, as a factor, with its interval, and its word beside a
    constant."""

    factor: float
    low: float
    high: float
    word: str


def compared(table: pd.DataFrame, law: str) -> Error:
    """What a law is off by on the settings that do not calibrate, beside a constant."""
    of = OF.get(law, "wait")
    own = errors(table, law)
    factor = np.exp(np.array(middle(pd.Series(own))))
    gain = middle(pd.Series(own - errors(table, "constant", of)))
    word = "same"
    if gain.high < 0:
        word = "better"
    elif gain.low > 0:
        word = "worse"
    return Error(*map(float, factor), word)


def of_bench(runs: Runs | Tables, bench: str) -> pd.DataFrame | None:
    """`by_setting` of all grids of a bench; None where one was not run with all its seeds."""
    tables = [runs[name] for name in GRIDS if name[0] == bench]
    for table in tables:
        if table is None or set(table.index.get_level_values("seed")) != set(SEEDS):
            return None
    return by_setting(bench, *tables)


DRAWS = 2_000


def lengths(bench: str) -> pd.DataFrame | None:
    """`by_setting` of what is recorded of a bench; None where a grid was not run."""
    tables = Runs()
    for name, grid in grids().items():
        data = available(grid) if name[0] == bench else None
        if data is not None:
            tables[name] = timed(data)
    return of_bench(tables, bench)


def exponents(table: pd.DataFrame) -> dict[str, Middle]:
    """The exponent of the wait in each setting that varies, by least squares in logarithms over the
    counted settings, with the 2.5 and 97.5 % points over settings drawn anew."""
    counted = table[table.fate == "counted"]
    powers = _powers(counted)
    target = np.log(counted.wait.to_numpy())
    rng = np.random.default_rng(2)
    fits = []
    for draw in range(DRAWS + 1):
        rows = rng.integers(len(counted), size=len(counted)) if draw else np.arange(len(counted))
        found, *_ = np.linalg.lstsq(powers[rows], target[rows], rcond=None)
        fits.append(found[1:])
    low, high = np.percentile(fits[1:], [2.5, 97.5], axis=0)
    ends = np.array([fits[0], low, high])
    return {name: Middle(*map(float, ends[:, k])) for k, name in enumerate(varied(counted))}


CLAIMED = {"learning_rate": -1.0, "weight_decay": -1.0}
WITHIN = 0.25
"""How far an exponent may be from the printed one, as a part of it, to be called the same."""


def near(found: Middle, printed: float) -> Part:
    """Whether an exponent is the printed one: its interval lies within `WITHIN` of it; False where
    all of it lies outside."""
    far = WITHIN * abs(printed)
    least = printed - far
    most = printed + far
    inside = least < found.low and found.high < most
    return decided(inside, found.high < least or found.low > most)


@claim(
    "W01",
    "arxiv2603.13331",
    "abstract (our reading)",
    section="How long, and does it stay?",
    rule_changed="2026-11-30T07:14:06 077f3027",
    runs=grids,
    through=timed,
    says="exponents with their 95 % intervals: {said}",
)
def inverse_law(runs: Runs) -> Finding:
    """The wait is inversely proportional to the learning rate and to the weight decay.

    On benches Q and T, over a grid of settings: an exponent is -1 where its interval lies within a
    quarter of that.
    """
    parts: list[Part] = []
    said = []
    for bench in STEPS:
        table = of_bench(runs, bench)
        found = {} if table is None else exponents(table)
        for name, printed in CLAIMED.items():
            parts.append(near(found[name], printed) if name in found else None)
        for name, (middle_, low, high) in found.items():
            said.append(f"{bench}: {name.replace('_', ' ')} {middle_:.2f} [{low:.2f}, {high:.2f}]")
    return judge(*parts, elsewhere=True, said="; ".join(said))
