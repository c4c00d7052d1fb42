r"""What an arm did: the ratio of grok steps paired by seed, an exact test, and what was predicted of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import t as student

from grokbook.chapters.causes.runs import ROUNDS, arms, free
from grokbook.errors import ParameterError
from grokbook.runs.comparison import sign_flips
from grokbook.runs.delay import grok_times
from grokbook.runs.experiment import available

BENCHES = ("Q", "T", "L")  # the benches of which something is predicted

LEVEL = 0.05
SAME = 1.5  # a ratio whose interval lies between 1 / 1.5 and 1.5 is called the same


def predictions() -> pd.DataFrame:
    """What each explanation predicts of each arm on each bench, a row a prediction, with its words and their place.

    Columns `explanation`, `arm`, `role` (test, sham or oracle), one for each of `BENCHES` ("shorter", "longer", "same",
    "never" or nothing), `refuted_by`, `added` (a later round of `commits`, "" for the first), then those of the
    explanation.
    """
    return _table("predictions").merge(_table("explanations"), on="explanation", how="left")


def commits() -> pd.DataFrame:
    """The rounds of predictions: `commit` in which they were written down, its date, and `before` what it came."""
    return _table("commits")


def committed(bench: str, added: str) -> str:
    """The commit of a prediction for a bench, of a row with this `added`.

    Example:
        >>> committed("Q", ""), committed("L", "") == committed("L", "bench L")
        ('a1fab9b', True)
    """
    return commits().set_index("round").commit["bench L" if bench == "L" else added or "first"]


def _table(name: str) -> pd.DataFrame:
    return pd.read_csv(str(files(__package__) / f"{name}.csv"), keep_default_na=False, dtype=str)


def against(arm: str, bench: str) -> str:
    """The arm that an arm is compared with: where a norm is held the norm $W_c$, for training sets the balanced one.

    Example:
        >>> against("norm-at-0.5", "L"), against("temperature-half-norm-held", "T"), against("no-decay", "Q")
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
    among_sets = bench != "L" and arm.startswith("data-") and arm != "data-balanced"  # the free run of L is balanced
    return "data-balanced" if among_sets else "free"


def flips(logs: Sequence[float]) -> float:
    r"""Two-sided p value of "each sign is a fair coin's": share of sign patterns with $|\sum|$ as large.

    Exact for few numbers (`sign_flips`), when its least value is $2^{1-n}$. NaN for no numbers.

    Example:
        >>> flips([0.3, 0.2, 0.5, 0.1, 0.4])
        0.0625
    """
    logs = np.asarray(logs, dtype=float)
    return float(np.minimum(1.0, 2 * min(sign_flips(logs), sign_flips(-logs))))


def holm(p_values: Sequence[float]) -> np.ndarray:
    r"""P values corrected for their number m by Holm's rule, $\max_{k \le i} (m - k + 1)\,p_{(k)}$, at most 1.

    Example:
        >>> holm([0.01, 0.04, 0.03]).tolist()
        [0.03, 0.06, 0.06]

    Source: Holm 1979.
    """
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p)
    found = np.empty_like(p)
    found[order] = np.minimum(np.maximum.accumulate((p.size - np.arange(p.size)) * p[order]), 1.0)
    return found


def restricted(times: pd.DataFrame, cap: int) -> pd.Series:
    """Grok steps by seed, the cap where a run did not generalise: what the mean of is restricted at the cap."""
    return times.grok_step.astype(float).fillna(cap).clip(upper=cap)


def exponent(times: Mapping[float, pd.DataFrame], cap: int) -> tuple[float, float, float]:
    r"""The power k of $T \propto x^k$ by seed, and its 95 % interval: mean, low and high over seeds.

    `times` are tables of `grok_times` by the value x of what was set. Of each seed k is the least-squares slope of
    $\log T$ over $\log x$. The decay law, $T \propto 1 / (\text{rate} \cdot \text{decay})$, says -1 of either; an
    interval that does not hold -1 refutes it for that bench. This rule is older than the arms of the rate.

    Example:
        >>> steps = {1.0: [400, 600], 2.0: [100, 150]}
        >>> tables = {x: pd.DataFrame({"grok_step": groks}) for x, groks in steps.items()}
        >>> [round(float(k), 6) for k in exponent(tables, 1_000)]
        [-2.0, -2.0, -2.0]
    """
    logs = np.log(pd.DataFrame({x: restricted(table, cap) for x, table in times.items()}).dropna())
    slopes = np.polyfit(np.log(list(times)), logs.T, 1)[0]
    reach = student.ppf(0.975, len(slopes) - 1) * slopes.std(ddof=1) / len(slopes) ** 0.5
    return slopes.mean(), slopes.mean() - reach, slopes.mean() + reach


def effect(arm: pd.DataFrame, base: pd.DataFrame, cap: int) -> dict[str, float]:
    r"""The ratio of grok steps of an arm to those of the same seeds without it, from two tables of `grok_times`.

    `ratio` is the geometric mean of the paired ratios, a run that did not generalise by the last step `cap` standing at
    the cap in both, so that it is at least that where `late` runs of the arm did not; `low`, `high` its 95 % interval
    ($t$ of the logarithms), `p` the exact p value of sign flips, `spread` the standard deviation of the logarithms.
    `unfit` counts runs that did not fit their training set, `runs` the pairs.
    """
    both = arm.index.intersection(base.index)
    logs = np.log(restricted(arm.loc[both], cap) / restricted(base.loc[both], cap))
    n, spread = len(logs), float(logs.std(ddof=1)) if len(logs) > 1 else float("nan")
    reach = student.ppf(0.975, n - 1) * spread / n**0.5 if n > 1 else float("nan")
    ends = {"low": np.exp(logs.mean() - reach), "high": np.exp(logs.mean() + reach)}
    counts = {"runs": n, "late": int(arm.loc[both].grok_step.isna().sum()), "unfit": int(arm.fit_step.isna().sum())}
    fit = float(arm.fit_step.astype(float).quantile(0.5)) if arm.fit_step.notna().any() else float("nan")
    step = float(restricted(arm.loc[both], cap).median())
    return {"ratio": float(np.exp(logs.mean())), **ends, "p": flips(logs), "spread": spread, **counts, "fit": fit,
            "step": step}  # fmt: skip


def observed(row: Mapping[str, float]) -> str:
    """An effect in a word: "unfit", "never", "shorter", "longer", "same" or "open", by its corrected p value `holm`.

    Example:
        >>> observed({"runs": 12, "late": 12, "unfit": 12, "holm": 0.01, "ratio": 9, "low": 8, "high": 10})
        'unfit'
    """
    if 2 * row["unfit"] > row["runs"]:
        return "unfit"
    if 2 * row["late"] > row["runs"]:
        return "never"
    if row["holm"] <= LEVEL:
        return "shorter" if row["ratio"] < 1 else "longer"
    return "same" if row["low"] > 1 / SAME and row["high"] < SAME else "open"


def judged(predicted: str, found: str) -> str:
    """Whether a prediction agrees with what was observed: "agrees", "contradicts" or "open".

    "Never" is longer too. A predicted "never" is contradicted where at least half of the runs generalise, whatever
    their steps: by "open" too. Where the training set is not fitted nothing is decided.

    Example:
        >>> judged("longer", "never"), judged("never", "open"), judged("same", "open")
        ('agrees', 'contradicts', 'open')
    """
    if found in ("unfit", "") or (found == "open" and predicted != "never"):
        return "open"
    return "agrees" if predicted == found or (predicted, found) == ("longer", "never") else "contradicts"


# What a text of the column `refuted_by` may hold, as a condition on an effect: the first of these that it does.
_WORDS: Mapping[str, Callable[[Any], bool]] = {
    "whose interval does not hold 1": lambda row: not row.low <= 1 <= row.high,
    "of 1 or more": lambda row: row.ratio >= 1,
    "of 1 or less": lambda row: row.ratio <= 1,
    "below 1": lambda row: row.ratio < 1,
    "longer by more than a half, or never": lambda row: row.ratio > SAME or row.observed == "never",
    "longer or shorter by more than a half": lambda row: not 1 / SAME <= row.ratio <= SAME,
    "most runs generalise by the cap": lambda row: 2 * row.late < row.runs,
    "most runs do not generalise by the cap": lambda row: 2 * row.late > row.runs,
    "the other direction": lambda row: row.ratio > 1 if row.predicted == "shorter" else row.ratio < 1,
    "longer": lambda row: row.ratio > 1,
}
# The same for a comparison with another arm: the intervals of both meet.
_AS = {"as short as without renaming": "embedding-given", "as short as on the ring of step 1": "ring-of-step-1",
       "as long as on the clumps": "data-clumps"}  # fmt: skip


def refuted(said: str, bench: str, row: Any, found: pd.DataFrame) -> bool | None:
    """Whether an effect is what `refuted_by` names for a bench; None where an arm was not run or did not fit.

    Read to the letter: a ratio of 1.01 is "a ratio of 1 or more". "As long as" another arm is an interval that meets
    the other one's. `row` is of `effects`, with `predicted`.

    Raises ParameterError for words that are no condition.

    Example:
        >>> row = pd.Series({"ratio": 1.2, "low": 0.9, "high": 1.6, "observed": "open"})
        >>> refuted("T: longer; Q: a ratio of 1 or less", "Q", row, pd.DataFrame())
        False
    """
    parts = [re.match(r"(?:([A-Z](?:, [A-Z])*): )?(.*)", part) for part in said.split("; ")]
    own = [part[2] for part in parts if bench in (part[1] or "").split(", ")] or [part[2] for part in parts]
    words = next((words for words in (*_AS, *_WORDS) if words in own[0]), None)
    if words is None:
        raise ParameterError(f"refuted_by = {said!r} is no condition; choose one of {', '.join([*_AS, *_WORDS])}.")
    if row is None or row.observed == "unfit" or (words in _AS and _AS[words] not in found.index):
        return None
    if words in _AS:
        other = found.loc[_AS[words]]
        return bool(row.low <= other.high and other.low <= row.high)
    return bool(_WORDS[words](row))


def families(bench: str) -> tuple[set[str], ...]:
    """The arms of a bench that were fixed together: over each of these sets Holm's rule corrects."""
    rounds = [set(added()) for added in ROUNDS] if bench == "Q" else []
    return tuple(names for names in (set(arms(bench)).difference({"free"}, *rounds), *rounds) if names)


def compared(times: Mapping[str, pd.DataFrame], bench: str, cap: int) -> pd.DataFrame:
    """`effect` of every arm of a bench whose grok times are there, by name, with those of what it is compared with."""
    rows = {name: effect(table, times[base], cap) for name, table in times.items()
            if name != "free" and (base := against(name, bench)) in times}  # fmt: skip
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("arm")


def corrected(p_values: Sequence[float], count: int) -> np.ndarray:
    """Holm's rule over `count` arms of which these p values are known; the others count as 1.

    Example:
        >>> corrected([0.01], 3).tolist()
        [0.03]
    """
    return holm([*p_values, *[1.0] * (count - len(p_values))])[: len(p_values)]


def effects(bench: str) -> pd.DataFrame:
    """Every arm of a bench that was run, a row each: `effect` against what it is compared with, and `observed`.

    P values are corrected by Holm's rule over all arms of the bench that were fixed together (`families`: one that
    is added later changes nothing that was settled), those that were not run too; these have no row.
    """
    times = {name: grok_times(data) for name, run in arms(bench).items() if (data := available(run)) is not None}
    found = compared(times, bench, free(bench).steps)
    if len(found):
        found["holm"] = float("nan")
        for names in families(bench):
            own = found.index.isin(names)
            found.loc[own, "holm"] = corrected(found.p[own], len(names))
        found["observed"] = [observed(row) for row in found.to_dict("records")]
    return found


def came(found: pd.DataFrame, **arms: str) -> bool | None:
    """Whether arms of a bench came out so, each "shorter", "longer", "same", "never" or several with "or" between.

    An arm's name has _ for -, and `norm_at_05` is "norm-at-0.5". None where one of them was not run.
    """
    names = {name.replace("-", "_").replace(".", ""): word for name, word in found.get("observed", {}).items()}
    if not set(arms) <= set(names):
        return None
    return all(names[arm] in words.split(" or ") for arm, words in arms.items())


