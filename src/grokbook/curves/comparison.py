r"""Two settings compared with few seeds each: ratios of grok steps with censored runs, and an exact
test.

A run that did not generalise by its last step counts as "later than that", never as a number. With
three seeds a side no test can give a p value below 1/20 (`least_p`), so ranges are reported first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from math import comb

import numpy as np
import pandas as pd

from grokbook.errors import ParameterError, checked_call, shown
from grokbook.logic import all_of

MOST_PAIRS = 18  # up to which all sign patterns are counted one by one (262,144)
DRAWN = 2**16  # sign patterns of more pairs than that


def steps_and_seen(times: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Grok step of each run, or its last step where it did not generalise, and whether it did.

    `times` is a table of `grok_times`. Raises ParameterError for a table without runs, or without a
    last step.
    """
    steps = times["grok_step"].fillna(times["last_step"]).to_numpy(dtype=float, na_value=np.nan)
    if not steps.size or not np.isfinite(steps).all():
        raise ParameterError(
            "the table has no runs or a censored run without a last step, but each run needs one."
        )
    return steps, times["grok_step"].notna().to_numpy()


def median_bounds(times: pd.DataFrame) -> tuple[float, float]:
    """The smallest and the largest that the median grok step can be, given what was censored;
    infinite if unbounded.

    Raises ParameterError where `steps_and_seen` does.

    Example:
        >>> median_bounds(
        ...     pd.DataFrame({"grok_step": [300, None, None], "last_step": [900, 900, 900]})
        ... )
        (900.0, inf)
    """
    steps, seen = steps_and_seen(times)
    with np.errstate(invalid="ignore"):
        return float(np.median(steps)), float(np.median(np.where(seen, steps, np.inf)))


def ratio_bounds(first: pd.DataFrame, second: pd.DataFrame) -> tuple[float, float]:
    """The smallest and the largest that (median grok step of `first`) / (that of `second`) can be.

    Raises ParameterError where `steps_and_seen` does, and for a median that is not above 0.
    """
    low, high = median_bounds(first)
    least, most = median_bounds(second)
    return float(_ratio(low, most)), float(_ratio(high, least))


def _ratio(a: np.ndarray | float, b: np.ndarray | float) -> np.ndarray:
    """a / b, of steps that are all above 0."""
    least = np.minimum(a, b).min()
    if not least > 0:
        raise ParameterError(f"a grok step is {least:g}, but a ratio needs steps above 0.")
    return a / np.asarray(b)


def same_seed(first: pd.DataFrame, second: pd.DataFrame) -> pd.DataFrame:
    """Bounds `low`, `high` of the ratio of grok steps of runs with one seed, a row a seed that both
    tables have.

    A censored run stands for every step from its last on: a ratio to it may be as small as zero,
    its own as large as one likes; a pair that never generalised has the bounds zero and infinity.

    Raises ParameterError where `steps_and_seen` does, and for a step that is not above 0.
    """
    both = first.index.intersection(second.index)
    if both.empty:
        return pd.DataFrame({"low": [], "high": []}, dtype=float)
    a, a_seen = steps_and_seen(first.loc[both])
    b, b_seen = steps_and_seen(second.loc[both])
    ratio = _ratio(a, b)
    return pd.DataFrame(
        {"low": np.where(b_seen, ratio, 0.0), "high": np.where(a_seen, ratio, np.inf)}, both
    )


def earlier(first: pd.DataFrame, second: pd.DataFrame) -> np.ndarray:
    """For each pair of runs 1 (the run of `first` is earlier), -1 (later) or 0 (equal, or not
    known), shape (n, m).

    Source: Gehan 1965, the scores of the generalised Wilcoxon test for censored data.
    """
    a, a_seen = steps_and_seen(first)
    b, b_seen = steps_and_seen(second)
    return order_signs(a, a_seen, b, b_seen)


def order_signs(a: np.ndarray, a_seen: np.ndarray, b: np.ndarray, b_seen: np.ndarray) -> np.ndarray:
    """Signs (n, m) of `earlier` for steps a (n,) and b (m,), each seen or a last step."""
    before = (a[:, None] < b) | ((a[:, None] == b) & ~b_seen)
    after = (a[:, None] > b) | ((a[:, None] == b) & ~a_seen[:, None])
    return (a_seen[:, None] & before).astype(int) - (b_seen & after).astype(int)


def permutation_p(first: pd.DataFrame, second: pd.DataFrame) -> float:
    """Exact p value of "the runs of `first` are not earlier": share of all groupings that look as
    early or earlier.

    Every grouping of the n + m runs into n and m is counted; the statistic is the sum of `earlier`.
    Valid whatever the distribution is, where both groups were followed equally long.

    Raises ParameterError where `steps_and_seen` does.
    """
    steps, seen = steps_and_seen(pd.concat([first, second]))
    # antisymmetric within a group, so rows sum to the statistic
    scores = order_signs(steps, seen, steps, seen).sum(axis=1)
    ways = _ways(scores.tolist(), len(first))
    least = scores[: len(first)].sum()
    as_high = sum(count for score, count in ways.items() if score >= least)
    return as_high / comb(steps.size, len(first))


def _ways(scores: list[int], n: int) -> Counter[int]:
    """How many choices of `n` of these numbers have each sum, by sum: one number after the other is
    taken or left."""
    ways = [Counter({0: 1}), *(Counter[int]() for _ in range(n))]
    for score, k in product(scores, range(n, 0, -1)):
        for total, count in ways[k - 1].items():
            ways[k][total + score] += count
    return ways[n]


def paired_p(first: pd.DataFrame, second: pd.DataFrame) -> float:
    r"""P value of "a run is not earlier than that of the same seed": share of all sign patterns as
    low or lower.

    All runs are cut at the earliest last step and a censored one stands there, which treats both of
    a pair alike. The statistic is the sum of ln(ratio); under the hypothesis each could as well
    have the other sign. Exact up to 18 pairs, with $2^{-n}$ as the smallest value; of more,
    $2^{16}$ patterns are drawn, the same ones at each call, and the one found counts among them.
    NaN without a common seed.

    Raises ParameterError for a step that is not above 0, and where `steps_and_seen` does.
    """
    return sign_flips(log_ratios(first, second))


def either_way(first: pd.DataFrame, second: pd.DataFrame) -> float:
    """Two-sided p value of `permutation_p`: twice the smaller of both directions, at most 1."""
    return min(1.0, 2 * min(permutation_p(first, second), permutation_p(second, first)))


def log_ratios(first: pd.DataFrame, second: pd.DataFrame) -> np.ndarray:
    """ln of the ratio of the steps of each common seed, all cut at the earliest last step, a
    censored one there."""
    last = min(first.last_step.astype(float).min(), second.last_step.astype(float).min())
    both = first.index.intersection(second.index)
    if both.empty:
        return np.array([])
    a, _ = steps_and_seen(ended_at(first.loc[both], last))
    b, _ = steps_and_seen(ended_at(second.loc[both], last))
    return np.log(_ratio(a, b))


def signs(n: int) -> np.ndarray:
    """Patterns of n signs, a row each, the first all plus: all of them up to `MOST_PAIRS`, of more
    `DRAWN`."""
    if n <= MOST_PAIRS:
        return 1 - 2 * (np.arange(2**n)[:, None] >> np.arange(n) & 1)
    patterns = 1 - 2 * np.random.default_rng(0).integers(0, 2, (DRAWN, n), dtype=np.int8)
    patterns[0] = 1
    return patterns


def sign_flips(logs: np.ndarray) -> float:
    """Share of the patterns of their signs by which these numbers have a sum as low or lower; NaN
    for none."""
    if not logs.size:
        return float("nan")
    return float(np.mean(signs(logs.size) @ logs <= logs.sum() + 1e-9))


def sooner(
    first: pd.DataFrame,
    second: pd.DataFrame,
    *,
    factor: float = 1.0,
    gap: float = 0.0,
    level: float = 0.05,
    test: Callable[[pd.DataFrame, pd.DataFrame], float] = permutation_p,
) -> bool | None:
    r"""Is the grok step of `first` below `factor` times that of `second` minus `gap` steps? True,
    False or None.

    The steps of `second` are replaced by $f t - g$, all runs are cut at the earliest last step (so
    that both are followed equally long), and the p value of `test`, `permutation_p` or `paired_p`,
    is computed both ways: True where "not earlier" has one of at most `level`, False where "not
    later" has, None where neither has, as with few runs.

    Raises ParameterError for a factor that is not positive, and where `test` does.
    """
    if not factor > 0:
        raise ParameterError(f"factor = {shown(factor)} must be positive.")
    shifted = factor * second[["grok_step", "last_step"]].astype(float) - gap
    last = min(shifted.last_step.min(), first.last_step.astype(float).min())
    a = ended_at(first, last)
    b = ended_at(shifted, last)
    if test(a, b) <= level + 1e-12:
        return True
    return False if test(b, a) <= level + 1e-12 else None


def equivalent(
    first: pd.DataFrame,
    second: pd.DataFrame,
    *,
    margin: float = 1.1,
) -> bool | None:
    r"""Do two settings have the same grok steps within a factor `margin` m? True, False or None
    (too few runs to say).

    Two one-sided tests: True where the steps of `first` are below m times those of `second` and
    those of `second` below m times those of `first`, each by `sooner` of pairs; False where one
    of them is shown to be above. The absence of a significant difference is not enough, so few or
    scattered runs give None.

    Raises ParameterError for a margin that is not above 1, and where `sooner` does.

    Source: Schuirmann 1987, the two one-sided tests of equivalence.

    Example:
        >>> times = pd.DataFrame({"grok_step": [310, 420, 530, 640, 750], "last_step": 9_000})
        >>> (
        ...     equivalent(times, times),
        ...     equivalent(times * 2, times),
        ...     equivalent(times.iloc[:3], times.iloc[:3]),
        ... )
        (True, False, None)
    """
    if not margin > 1:
        raise ParameterError(f"margin = {shown(margin)} must be above 1.")
    not_later = sooner(first, second, factor=margin, test=paired_p)
    not_earlier = sooner(second, first, factor=margin, test=paired_p)
    return all_of([not_later, not_earlier])


def ended_at(times: pd.DataFrame, last: float) -> pd.DataFrame:
    """The same runs as if they had ended at step `last`."""
    steps = times.grok_step.astype(float)
    return pd.DataFrame({"grok_step": steps.where(steps <= last), "last_step": last})


def least_p(n: int, m: int) -> float:
    r"""The smallest one-sided p value that n and m runs can give, $1/\binom{n+m}{n}$.

    Raises ParameterError for fewer than one run on a side.
    """
    if min(n, m) < 1:
        raise ParameterError(f"n = {n} and m = {m} must both be 1 or more.")
    return 1 / comb(n + m, n)


@dataclass(frozen=True)
class Comparison:
    """Two settings: bounds of the ratio of medians, exact p value and the least one; the same of
    runs with one seed.

    Runs of one seed share their training cells. `low`, `high` bound the ratio of the medians,
    `same_seed` the median ratio of `pairs` pairs of one seed, `paired` is the p value of these
    pairs and $2^{-n}$ its least.
    """

    low: float
    high: float
    p_value: float
    least: float
    pairs: int
    same_seed: tuple[float, float]
    paired: float

    def describe(self) -> str:
        """The comparison in words."""
        medians = (
            f"ratio of the medians {span(self.low, self.high)} (p = {self.p_value:.3f}, at best"
            f" {self.least:.3f})"
        )
        if not self.pairs:
            return medians
        paired = f"(p = {self.paired:.3f}, at best {2.0**-self.pairs:.3f})"
        return f"{medians}, of the same seed {span(*self.same_seed)} {paired}"


def span(low: float, high: float) -> str:
    """Bounds of a ratio in words; an infinite upper bound is no bound.

    Example:
        >>> span(0.5, 1.0), span(1.5, np.inf), span(0.0, 0.8), span(0.501, 0.502)
        ('0.50 to 1.00', 'at least 1.50', 'at most 0.80', '0.50')
    """
    if f"{low:.2f}" == f"{high:.2f}":
        return f"{low:.2f}"
    if np.isinf(high):
        return f"at least {low:.2f}" if low > 0 else "not known"
    return f"{low:.2f} to {high:.2f}" if low > 0 else f"at most {high:.2f}"


@checked_call
def compare(first: pd.DataFrame, second: pd.DataFrame) -> Comparison:
    """`first` against `second`, two tables of `grok_times`; ratios below 1 and a small p value:
    `first` is earlier.

    Raises ParameterError where `permutation_p`, `paired_p` and `ratio_bounds` do.
    """
    pairs = same_seed(first, second)
    low, high = ratio_bounds(first, second)
    middle = (0.0, np.inf)
    if len(pairs):
        middle = (float(np.median(pairs.low)), float(np.median(pairs.high)))
    return Comparison(
        low,
        high,
        permutation_p(first, second),
        least_p(len(first), len(second)),
        len(pairs),
        middle,
        paired_p(first, second),
    )
