r"""What an arm did: the ratio of grok steps paired by seed, an exact test, and what was predicted
of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from types import MappingProxyType

import numpy as np
import pandas as pd
from scipy.stats import t as student

from grokbook.curves.comparison import sign_flips
from grokbook_chapters.causes.runs import ROUNDS, arms, free, last
from grokbook_chapters.labelled import Row, Tables

BENCHES = ("Q", "T", "L")  # the benches of which something is predicted

Steps = tuple[tuple[object, ...], ...]
"""Seed, fit and grok step of each run of an arm."""

LEVEL = 0.05
SAME = 1.5  # a ratio whose interval lies between 1 / 1.5 and 1.5 is called the same

PART = {"agrees": True, "contradicts": False, "open": None}
"""What a predicted word is as a part of a statement, by what came out."""


def predictions() -> pd.DataFrame:
    """What each explanation predicts of each arm on each bench, a row a prediction, with its words
    and their place.

    Columns `explanation`, `arm`, `role` (test, sham, check or oracle), one for each of `BENCHES`
    ("shorter", "longer", "same", "never" or nothing), `refuted_by`, `added` (a later round of
    `commits`, "" for the first), then those of the explanation.
    """
    return texts("predictions").merge(texts("explanations"), on="explanation", how="left")


def fourth() -> pd.DataFrame:
    """The word that is predicted of each arm of bench R, and what it says if it comes out
    otherwise; the words are those of `handed.word`."""
    return texts("fourth")


def commits() -> pd.DataFrame:
    """The rounds of predictions: `commit` in which they were written down, its date, and `before`
    what it came."""
    return texts("commits")


def committed(bench: str, added: str) -> str:
    """The commit of a prediction for a bench, of a row with this `added`.

    Example:
        >>> committed("Q", ""), committed("L", "") == committed("L", "bench L")
        ('a1fab9b', True)
    """
    first = "bench L" if bench == "L" else "first"
    return commits().set_index("round").commit[added or first]


def texts(name: str) -> pd.DataFrame:
    """A table of texts that stands beside this module."""
    return pd.read_csv(str(files(__package__) / f"{name}.csv"), keep_default_na=False, dtype=str)


def against(arm: str, bench: str) -> str:
    """The arm that an arm is compared with: where a norm is held the norm $W_c$, for training sets
    the balanced one.

    Example:
        >>> (
        ...     against("norm-at-0.5", "L"),
        ...     against("temperature-half-norm-held", "T"),
        ...     against("no-decay", "Q"),
        ... )
        ('norm-at-1', 'norm-at-1', 'free')
        >>> against("data-clumps", "Q"), against("data-clumps", "L")
        ('data-balanced', 'free')
    """
    if arm != "norm-at-1" and (arm.startswith("norm-at-") or arm.endswith("-norm-held")):
        return "norm-at-1"
    if arm in ("float64-no-decay", "radius-at-half-no-decay"):
        return "no-decay"
    if arm.startswith("squared-error-"):
        return "squared-error"
    if arm in ("muon-tuned", "grokfast-tuned"):
        return "adamw-tuned"
    # the free run of L is balanced
    among_sets = bench != "L" and arm.startswith("data-") and arm != "data-balanced"
    return "data-balanced" if among_sets else "free"


def flips(logs: Sequence[float]) -> float:
    r"""Two-sided p value of "each sign is a fair coin's": share of sign patterns with $|\sum|$ as
    large.

    Exact for few numbers (`sign_flips`), when its least value is $2^{1-n}$. NaN for no numbers.

    Example:
        >>> flips([0.3, 0.2, 0.5, 0.1, 0.4])
        0.0625
    """
    logs = np.asarray(logs, dtype=float)
    return float(np.minimum(1.0, 2 * min(sign_flips(logs), sign_flips(-logs))))


def holm(p_values: Sequence[float], count: int | None = None) -> np.ndarray:
    r"""P values corrected for their number m by Holm's rule, $\max_{k \le i} (m - k + 1)\,p_{(k)}$,
    at most 1.

    `count` is m where more were fixed together than are known: those count as 1.

    Example:
        >>> holm([0.01, 0.04, 0.03]).tolist(), holm([0.01], 3).tolist()
        ([0.03, 0.06, 0.06], [0.03])

    Source: Holm 1979.
    """
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p)
    times = (count or p.size) - np.arange(p.size)
    found = np.empty_like(p)
    found[order] = np.minimum(np.maximum.accumulate(times * p[order]), 1.0)
    return found


def restricted(times: pd.DataFrame, cap: int) -> pd.Series:
    """Grok steps by seed, the cap where a run did not generalise: what the mean of is restricted at
    the cap."""
    return times.grok_step.astype(float).fillna(cap).clip(upper=cap)


def band(values: Sequence[float]) -> tuple[float, float, float]:
    r"""The mean of some values and the ends of its 95 % interval by Student's $t$, which are NaN
    for one value.

    Example:
        >>> [round(float(end), 2) for end in band([0.0, 2.0])]
        [1.0, -11.71, 13.71]
    """
    numbers = pd.Series(values, dtype=float)
    reach = student.ppf(0.975, len(numbers) - 1) * numbers.sem()
    return numbers.mean(), numbers.mean() - reach, numbers.mean() + reach


def effect(arm: pd.DataFrame, base: pd.DataFrame, cap: int) -> Row:
    r"""The ratio of grok steps of an arm to those of the same seeds without it, from two tables of
    `grok_times`.

    `ratio` is the geometric mean of the paired ratios, a run that did not generalise by the last
    step `cap` standing at the cap in both, so that it is at least that where `late` runs of the arm
    did not; `low`, `high` its 95 % interval ($t$ of the logarithms), `p` the exact p value of sign
    flips, `spread` the standard deviation of the logarithms. `unfit` counts runs that did not fit
    their training set, `runs` the pairs. `fit` and `step` are the arm's medians, `wait` is that of
    grok minus fit over the runs that generalise.
    """
    paired = arm.loc[arm.index.intersection(base.index)]
    steps = restricted(paired, cap)
    logs = np.log(steps / restricted(base.loc[paired.index], cap))
    ratio, low, high = np.exp(band(logs))
    return {
        "ratio": ratio,
        "low": low,
        "high": high,
        "p": flips(logs),
        "spread": logs.std(),
        "runs": len(paired),
        "late": paired.grok_step.isna().sum(),
        "unfit": arm.fit_step.isna().sum(),
        "fit": arm.fit_step.astype(float).quantile(0.5),
        "step": steps.median(),
        "wait": (arm.grok_step - arm.fit_step).astype(float).quantile(0.5),
    }


def observed(row: Mapping[str, float]) -> str:
    """An effect in a word: "shorter", "longer", "same" or "open", by its corrected p value `holm`,
    or one of the below.

    "Unfit" where most runs do not fit, "never" where no run generalises by the last step, "rarely"
    where most do not.

    Example:
        >>> observed(
        ...     {
        ...         "runs": 12,
        ...         "late": 12,
        ...         "unfit": 12,
        ...         "holm": 0.01,
        ...         "ratio": 9,
        ...         "low": 8,
        ...         "high": 10,
        ...     }
        ... )
        'unfit'
    """
    if 2 * row["unfit"] > row["runs"]:
        return "unfit"
    if 2 * row["late"] > row["runs"]:
        return "never" if row["late"] == row["runs"] else "rarely"
    if row["holm"] <= LEVEL:
        return "shorter" if row["ratio"] < 1 else "longer"
    return "same" if row["low"] > 1 / SAME and row["high"] < SAME else "open"


def judged(predicted: str, found: str) -> str:
    """Whether a prediction agrees with what was observed: "agrees", "contradicts" or "open".

    "Never" and "rarely" are longer too. A predicted "never" is contradicted where at least half of
    the runs generalise, whatever their steps, by "open" too; "rarely" leaves it open. Where the
    training set is not fitted nothing is decided.

    Example:
        >>> judged("longer", "never"), judged("never", "open"), judged("same", "open")
        ('agrees', 'contradicts', 'open')
    """
    if found in ("unfit", "", "rarely" if predicted == "never" else "open"):
        return "open"
    late_too = predicted == "longer" and found in ("never", "rarely")
    return "agrees" if predicted == found or late_too else "contradicts"


def families(bench: str) -> tuple[set[str], ...]:
    """The arms of a bench that were fixed together: over each of these sets Holm's rule
    corrects."""
    rounds = [set(added()) for added in ROUNDS] if bench == "Q" else [set(last(bench))]
    return set(arms(bench)).difference({"free"}, *rounds), *rounds


_STEPS = ["fit_step", "grok_step"]


@cache
def _effect(arm: Steps, base: Steps, cap: int) -> Mapping[str, float]:
    """`effect` of runs by seed, fit and grok step: many claims ask for the same arms."""
    return MappingProxyType(effect(_timed(arm), _timed(base), cap))


def _timed(rows: Steps) -> pd.DataFrame:
    columns = ["seed", *_STEPS]
    return pd.DataFrame(rows, columns=columns).set_index("seed").astype("Float64")


def compared(times: Tables, bench: str) -> pd.DataFrame:
    """`effect` of each arm of a bench whose grok times are there, against what it is compared with,
    and `observed`.

    P values are corrected by Holm's rule over all arms of the bench that were fixed together
    (`families`: one that is added later changes nothing that was settled), those that were not run
    too; these have no row.
    """
    cap = free(bench).steps
    steps = {arm: tuple(table[_STEPS].itertuples(name=None)) for arm, table in times.items()}
    rows = {}
    for arm in times:
        base = against(arm, bench)
        if arm != "free" and base in times:
            rows[arm] = _effect(steps[arm], steps[base], cap)
    effects = pd.DataFrame.from_dict(rows, orient="index").rename_axis("arm")
    if effects.empty:
        return effects
    for names in families(bench):
        own = effects.index.isin(names)
        effects.loc[own, "holm"] = holm(effects.p[own], len(names))
    effects["observed"] = [observed(row) for row in effects.to_dict("records")]
    return effects
