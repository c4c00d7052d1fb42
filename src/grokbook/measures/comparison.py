r"""Two settings compared with few seeds each: ratios of grok steps with censored runs, and an exact test.

A run that did not generalise by its last step counts as "later than that", never as a number. With three seeds a
side no test can give a p value below 1/20 (`least_p`), so ranges are reported first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import comb, erfc, log

import numpy as np
import pandas as pd
from scipy.stats import norm

from grokbook.errors import ParameterError

MOST_RUNS = 18  # up to which all assignments to two groups are counted one by one (48,620 of nine and nine)


def steps_and_seen(times: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Grok step of each run, or its last step where it did not generalise, and whether it did.

    `times` is a table of `grok_times`. Raises ParameterError for a table without runs, or without a last step.

    Example:
        >>> table = pd.DataFrame({"grok_step": [300, None], "last_step": [900, 900]})
        >>> steps_and_seen(table)[0].tolist()
        [300.0, 900.0]
    """
    steps = times["grok_step"].fillna(times["last_step"]).to_numpy(dtype=float, na_value=np.nan)
    if not steps.size or not np.isfinite(steps).all():
        raise ParameterError("the table has no runs or a censored run without a last step, but each run needs one.")
    return steps, times["grok_step"].notna().to_numpy()


def median_bounds(times: pd.DataFrame) -> tuple[float, float]:
    """The smallest and the largest that the median grok step can be, given what was censored; infinite if unbounded.

    Raises ParameterError where `steps_and_seen` does.

    Example:
        >>> median_bounds(pd.DataFrame({"grok_step": [300, None, None], "last_step": [900, 900, 900]}))
        (900.0, inf)
    """
    steps, seen = steps_and_seen(times)
    with np.errstate(invalid="ignore"):
        return float(np.median(steps)), float(np.median(np.where(seen, steps, np.inf)))


def ratio_bounds(first: pd.DataFrame, second: pd.DataFrame) -> tuple[float, float]:
    """The smallest and the largest that (median grok step of `first`) / (that of `second`) can be.

    Raises ParameterError where `steps_and_seen` does.

    Example:
        >>> known = pd.DataFrame({"grok_step": [300, 500, 400], "last_step": [900] * 3})
        >>> ratio_bounds(known, known)
        (1.0, 1.0)
    """
    (low, high), (least, most) = median_bounds(first), median_bounds(second)
    return low / most if np.isfinite(most) else 0.0, high / least


def pair_range(first: pd.DataFrame, second: pd.DataFrame) -> tuple[float, float]:
    """Smallest and largest ratio of a grok step of `first` to one of `second`, over all pairs of runs.

    A censored run stands for every step from its last on: a ratio to it may be as small as zero.

    Raises ParameterError where `steps_and_seen` does.

    Example:
        >>> pair_range(pd.DataFrame({"grok_step": [2, 8], "last_step": [9, 9]}),
        ...            pd.DataFrame({"grok_step": [4, 4], "last_step": [9, 9]}))
        (0.5, 2.0)
    """
    (a, a_seen), (b, b_seen) = steps_and_seen(first), steps_and_seen(second)
    low = float(a.min() / b.max()) if b_seen.all() else 0.0
    return low, float(a.max() / b.min()) if a_seen.all() else np.inf


def earlier(first: pd.DataFrame, second: pd.DataFrame) -> np.ndarray:
    """For each pair of runs 1 (the run of `first` is earlier), -1 (later) or 0 (equal, or not known), shape (n, m).

    Source: Gehan 1965, the scores of the generalised Wilcoxon test for censored data.
    """
    (a, a_seen), (b, b_seen) = steps_and_seen(first), steps_and_seen(second)
    return _sign(a, a_seen, b, b_seen)


def _sign(a: np.ndarray, a_seen: np.ndarray, b: np.ndarray, b_seen: np.ndarray) -> np.ndarray:
    before = (a[:, None] < b) | ((a[:, None] == b) & ~b_seen)
    after = (a[:, None] > b) | ((a[:, None] == b) & ~a_seen[:, None])
    return (a_seen[:, None] & before).astype(int) - (b_seen & after).astype(int)


def permutation_p(first: pd.DataFrame, second: pd.DataFrame) -> float:
    """Exact p value of "the runs of `first` are not earlier": share of all groupings that look as early or earlier.

    Every grouping of the n + m runs into n and m is counted; the statistic is the sum of `earlier`. Valid whatever the
    distribution is, where both groups were followed equally long.

    Raises ParameterError for more than 18 runs, and where `steps_and_seen` does.

    Example:
        >>> early = pd.DataFrame({"grok_step": [1, 2, 3], "last_step": [9] * 3})
        >>> late = pd.DataFrame({"grok_step": [4, 5, None], "last_step": [9] * 3})
        >>> permutation_p(early, late), permutation_p(late, early)
        (0.05, 1.0)
    """
    steps, seen = (np.concatenate(parts) for parts in zip(steps_and_seen(first), steps_and_seen(second), strict=True))
    if steps.size > MOST_RUNS:
        raise ParameterError(f"there are {steps.size} runs, but all groupings are counted for at most {MOST_RUNS}.")
    scores = _sign(steps, seen, steps, seen).sum(axis=1)  # antisymmetric within a group, so rows sum to the statistic
    observed = scores[: len(first)].sum()
    sums = [scores[list(chosen)].sum() for chosen in combinations(range(steps.size), len(first))]
    return float(np.mean(np.array(sums) >= observed))


def paired_p(ratios: Sequence[float]) -> float:
    r"""Exact p value of "a run is not earlier than that of the same seed": share of all sign patterns as low or lower.

    The statistic is the sum of ln(ratio), ratios of grok steps of the same seed; under the hypothesis each ratio could
    as well have been its reciprocal. The smallest value is $2^{-n}$. NaN without ratios.

    Raises ParameterError for a ratio that is not positive and finite, or more than 18.

    Example:
        >>> paired_p([0.5, 0.5, 0.8]), paired_p([0.5, 2.0])
        (0.125, 0.75)
    """
    values = np.asarray(ratios, dtype=float)
    if not ((values > 0) & np.isfinite(values)).all() or values.size > MOST_RUNS:
        raise ParameterError(f"there are {values.size} ratios, but there may be {MOST_RUNS}, all positive and finite.")
    if not values.size:
        return float("nan")
    signs = np.array(list(product((1, -1), repeat=values.size)))
    sums = signs @ np.log(values)
    return float(np.mean(sums <= np.log(values).sum() + 1e-9))


def sooner(
    first: pd.DataFrame, second: pd.DataFrame, *, factor: float = 1.0, gap: float = 0.0, level: float = 0.05
) -> bool | None:
    r"""Is the grok step of `first` below `factor` times that of `second` minus `gap` steps? True, False or None.

    The steps of `second` are replaced by $f t - g$, all runs are cut at the earliest last step (so that both are
    followed equally long), and `permutation_p` is computed both ways: True where "not earlier" has a p value of at most
    `level`, False where "not later" has, None where neither has, as with too few runs.

    Raises ParameterError for a factor that is not positive, and where `permutation_p` does.

    Example:
        >>> quick = pd.DataFrame({"grok_step": [300, 400, 350], "last_step": [900] * 3})
        >>> slow = pd.DataFrame({"grok_step": [700, 800, 850], "last_step": [900] * 3})
        >>> sooner(quick, slow), sooner(slow, quick), sooner(quick, quick), sooner(quick, slow, factor=0.3)
        (True, False, None, False)
    """
    if not factor > 0:
        raise ParameterError(f"factor = {factor!r} must be positive.")
    shifted = factor * second[["grok_step", "last_step"]].astype(float) - gap
    last = min(shifted.last_step.min(), first.last_step.astype(float).min())
    a, b = (_cut(table, last) for table in (first, shifted))
    if permutation_p(a, b) <= level + 1e-12:
        return True
    return False if permutation_p(b, a) <= level + 1e-12 else None


def _cut(times: pd.DataFrame, last: float) -> pd.DataFrame:
    """The same runs as if they had ended at step `last`."""
    steps = times.grok_step.astype(float)
    return pd.DataFrame({"grok_step": steps.where(steps <= last), "last_step": last})


def least_p(n: int, m: int) -> float:
    r"""The smallest one-sided p value that n and m runs can give, $1/\binom{n+m}{n}$.

    Raises ParameterError for fewer than one run on a side.

    Example:
        >>> least_p(3, 3)
        0.05
    """
    if min(n, m) < 1:
        raise ParameterError(f"n = {n} and m = {m} must both be 1 or more.")
    return 1 / comb(n + m, n)


def pooled_spread(tables: list[pd.DataFrame]) -> float:
    r"""Standard deviation s of ln(grok step) between runs of one setting, pooled; NaN where no setting has two.

    $s^2 = \sum_g \sum_i (y_{gi} - \bar y_g)^2 / \sum_g (n_g - 1)$ over the runs that generalised. Censored runs, the
    late ones, are left out, so s is too small where there are any.

    Example:
        >>> round(pooled_spread([pd.DataFrame({"grok_step": [100, 200], "last_step": [900, 900]})]), 3)
        0.49
    """
    logs = [np.log(t["grok_step"].dropna().to_numpy(dtype=float)) for t in tables]
    freedom = sum(y.size - 1 for y in logs if y.size)
    if not freedom:
        return float("nan")
    return float(np.sqrt(sum(((y - y.mean()) ** 2).sum() for y in logs if y.size) / freedom))


def chance_of_ratio(spread: float, factor: float = 2.0) -> float:
    r"""Chance that of two runs of one setting one takes at least `factor` times as long: $\mathrm{erfc}(\ln f / 2s)$.

    For grok steps that are log-normal with standard deviation s = `spread` of the logarithm.

    Raises ParameterError for a spread that is not positive or a factor below 1.

    Example:
        >>> round(chance_of_ratio(0.5), 2)
        0.33
    """
    if not spread > 0 or not 1 <= factor < np.inf:
        raise ParameterError(f"spread = {spread!r} must be positive and factor = {factor!r} 1 or more.")
    return erfc(log(factor) / (2 * spread))


def seeds_needed(spread: float, factor: float = 0.5, *, level: float = 0.05, power: float = 0.8) -> int:
    r"""Seeds a side to see a change of the grok step by `factor`: $2 (z_{1-level} + z_{power})^2 s^2 / (\ln f)^2$.

    Rounded up, and at least as many as `least_p` allows at this level; one-sided, log-normal grok steps, none censored.

    Raises ParameterError for a spread that is not positive, a factor of 1 or not positive, a share outside (0, 1).

    Example:
        >>> seeds_needed(0.5), seeds_needed(0.1)
        (7, 3)
    """
    if not (spread > 0 and factor > 0 and factor != 1 and 0 < level < 1 and 0 < power < 1):
        raise ParameterError(
            f"spread = {spread!r} must be positive, factor = {factor!r} positive and not 1, level and power in (0, 1)."
        )
    z = norm.ppf(1 - level) + norm.ppf(power)
    least = next(n for n in range(1, 100) if least_p(n, n) <= level + 1e-12)
    return max(int(np.ceil(2 * (z * spread / log(factor)) ** 2)), least)


@dataclass(frozen=True)
class Comparison:
    """Two settings: runs and how many generalised, bounds of the ratio of medians, range over pairs, exact p value.

    `same_seed` are the ratios of runs with one seed, which share their training cells, where both generalised.
    """

    n: tuple[int, int]
    generalised: tuple[int, int]
    low: float
    high: float
    pairs: tuple[float, float]
    p_value: float
    least: float
    same_seed: tuple[float, ...] = ()

    def describe(self) -> str:
        """The comparison in words.

        >>> Comparison((3, 3), (3, 3), 0.5, 0.5, (0.2, 1.5), 0.1, 0.05).describe()
        'ratio of the median grok steps 0.50, over pairs of runs 0.20 to 1.50, p = 0.100 (at best 0.050)'
        """
        middle = f"{self.low:.2f}" if np.isclose(self.low, self.high) else span(self.low, self.high)
        return (
            f"ratio of the median grok steps {middle}, over pairs of runs {span(*self.pairs)}, "
            f"p = {self.p_value:.3f} (at best {self.least:.3f})"
        )


def span(low: float, high: float, *, above: str = "at least", below: str = "at most") -> str:
    """Bounds of a ratio in words; an infinite upper bound is no bound.

    Example:
        >>> span(0.5, 1.0), span(1.5, np.inf), span(0.0, 0.8), span(0.0, 0.8, below="<")
        ('0.50 to 1.00', 'at least 1.50', 'at most 0.80', '< 0.80')
    """
    if np.isinf(high):
        return f"{above} {low:.2f}" if low > 0 else "not known"
    return f"{low:.2f} to {high:.2f}" if low > 0 else f"{below} {high:.2f}"


def compare(first: pd.DataFrame, second: pd.DataFrame) -> Comparison:
    """`first` against `second`, two tables of `grok_times`; ratios below 1 and a small p value: `first` is earlier.

    Raises ParameterError where `permutation_p` does.

    Example:
        >>> table = pd.DataFrame({"grok_step": [300, 500], "last_step": [900, 900]})
        >>> compare(table, table).low
        1.0
    """
    both = first.index.intersection(second.index)
    ratios = (first.grok_step.reindex(both).astype(float) / second.grok_step.reindex(both).astype(float)).dropna()
    return Comparison(
        (len(first), len(second)),
        (int(first.grok_step.notna().sum()), int(second.grok_step.notna().sum())),
        *ratio_bounds(first, second),
        pair_range(first, second),
        permutation_p(first, second),
        least_p(len(first), len(second)),
        tuple(float(r) for r in ratios),
    )
