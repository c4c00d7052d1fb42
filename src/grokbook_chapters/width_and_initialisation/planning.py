r"""How far the runs of one setting scatter, how many seeds a comparison needs, and its controls."""

from __future__ import annotations

from collections.abc import Sequence
from math import erfc, log

import numpy as np
import pandas as pd
from scipy.optimize import minimize
from scipy.spatial.distance import pdist
from scipy.stats import chi2, mannwhitneyu, norm

from grokbook.curves.comparison import (
    ended_at,
    least_p,
    order_signs,
    permutation_p,
    steps_and_seen,
)
from grokbook.errors import ParameterError


def p_of_a_half(times: pd.DataFrame) -> float:
    """P value of the test of groupings where an effect is known to be there: the same runs with
    every step halved, against themselves.

    A test that does not find it says nothing where it finds no difference. Raises ParameterError
    where `permutation_p` does.
    """
    halved = pd.DataFrame(
        {"grok_step": times.grok_step.astype(float) / 2, "last_step": times.last_step}
    )
    return permutation_p(halved, times)


def factors_apart(times: pd.DataFrame) -> np.ndarray:
    r"""The factor $\max(t, t') / \min(t, t')$ of the grok steps of each pair of runs that
    generalise, in rising order.

    Example:
        >>> factors_apart(pd.DataFrame({"grok_step": [100, 200, 300, None]})).round(2).tolist()
        [1.5, 2.0, 3.0]
    """
    logs = np.log(times.grok_step.dropna().to_numpy(float))
    return np.exp(np.sort(pdist(logs[:, None])))


def pooled_spread(tables: list[pd.DataFrame]) -> float:
    r"""Standard deviation s of ln(grok step) between runs of one setting, pooled; NaN where no
    setting has two.

    Steps are taken as log-normal with a mean of each setting's own, a run that did not generalise
    as later than its last step: s and the means $\mu_g$ maximise $\sum \ln[\varphi(z) / s]$ over
    the N runs seen plus $\sum \ln[1 - \Phi(z)]$ over those not seen, $z = (\ln t - \mu_g)/s$, and
    $s^2$ is multiplied by $N / (N - G)$, N all runs, for the G means. Without censored runs it is
    $s^2 = \sum_g \sum_i (y_{gi} - \bar y_g)^2 / (N - G)$. A setting where no run generalises, or
    that has one run, says nothing and is left out.
    """
    groups = [steps_and_seen(t) for t in tables if len(t) > 1 and t.grok_step.notna().any()]
    if not groups:
        return float("nan")
    logs_of = [np.log(steps) for steps, _ in groups]
    logs = np.concatenate(logs_of)
    seen = np.concatenate([seen for _, seen in groups])
    which = np.repeat(np.arange(len(groups)), [part.size for part in logs_of])
    begin = [part.mean() for part in logs_of]
    begin.append(log(max(logs.std(), 1e-3)))
    bounds = [(None, None)] * len(groups) + [(-12, 4)]
    options = {"method": "L-BFGS-B", "bounds": bounds, "tol": 1e-12}
    fit = minimize(_misfit, begin, (logs, seen, which), jac=True, **options)
    spare = logs.size / (logs.size - len(groups))
    return float(np.exp(fit.x[-1]) * np.sqrt(spare))


def _misfit(
    theta: np.ndarray, logs: np.ndarray, seen: np.ndarray, which: np.ndarray
) -> tuple[float, np.ndarray]:
    """Minus the log likelihood of censored normal numbers with means theta[:-1] and ln s =
    theta[-1], its gradient."""
    spread = np.exp(theta[-1])
    z = (logs - theta[which]) / spread
    density = norm.logpdf(z)
    tail = norm.logsf(z)
    likelihood = np.where(seen, density - theta[-1], tail).sum()
    pull = np.where(seen, z, np.exp(density - tail))
    slopes = np.append(np.bincount(which, pull) / spread, (pull * z - seen).sum())
    return -likelihood, -slopes


def spread_interval(
    spread: float, runs: int, settings: int, level: float = 0.95
) -> tuple[float, float]:
    r"""Interval of a pooled spread s for independent normal logarithms: $s \sqrt{f / \chi^2_f}$, f
    = runs - settings.

    `runs` are those that generalised: with censored ones among them it is on the wide side.
    """
    freedom = max(runs - settings, 1)
    quantiles = chi2.ppf([(1 + level) / 2, (1 - level) / 2], freedom)
    low, high = spread * np.sqrt(freedom / quantiles)
    return float(low), float(high)


def chance_of_ratio(spread: float, factor: float = 2.0) -> float:
    r"""Chance that of two runs of one setting one takes at least `factor` times as long:
    $\mathrm{erfc}(\ln f / 2s)$.

    For grok steps that are log-normal with standard deviation s = `spread` of the logarithm.

    Raises ParameterError for a spread that is not positive or a factor below 1.
    """
    if not spread > 0 or not 1 <= factor < np.inf:
        raise ParameterError(
            f"spread = {spread!r} must be positive and factor = {factor!r} 1 or more."
        )
    return erfc(log(factor) / (2 * spread))


def seeds_needed(
    spread: float, factor: float = 0.5, *, level: float = 0.05, power: float = 0.8
) -> int:
    r"""Seeds a side with which the exact test sees a change of the grok step by `factor`, with this
    power.

    The first number tried is $2 (z_{1-level} + z_{power})^2 s^2 / (\ln f)^2$, that of the z test,
    and at least as many as `least_p` allows; it is raised until the test of groupings finds the
    factor in that share of 2,000 simulated comparisons (seeded). One-sided, log-normal grok steps,
    none censored.

    Raises ParameterError for a spread that is not positive, a factor of 1 or not positive, a share
    outside (0, 1).
    """
    if not (spread > 0 and factor > 0 and factor != 1 and 0 < level < 1 and 0 < power < 1):
        raise ParameterError(
            f"spread = {spread!r} must be positive, factor = {factor!r} positive and not 1, level"
            " and power in (0, 1)."
        )
    z = norm.ppf(1 - level) + norm.ppf(power)
    least = next(n for n in range(1, 100) if least_p(n, n) <= level + 1e-12)
    n = max(int(np.ceil(2 * (z * spread / log(factor)) ** 2)), least)
    shift = abs(log(factor)) / spread
    rng = np.random.default_rng(0)
    while True:
        changed = rng.normal(-shift, 1, (2_000, n))
        unchanged = rng.normal(size=(2_000, n))
        # `permutation_p`, exact up to 8 a side
        p_values = mannwhitneyu(changed, unchanged, alternative="less", axis=1).pvalue
        if np.mean(p_values <= level) >= power:
            return n
        n += 1


def trend_p(groups: Sequence[pd.DataFrame], draws: int = 2_000) -> float:
    """p value of "the runs are not later from group to group": share of random dealings that look
    as late or later.

    The statistic adds up `earlier` over all pairs of groups in their order; all runs are cut at the
    earliest last step. The dealings are seeded, and the runs as they are count as one of them.

    Raises ParameterError where `steps_and_seen` does.

    Example:
        >>> one, two, three = (
        ...     pd.DataFrame({"grok_step": [s, s + 1], "last_step": 9}) for s in (1, 3, 5)
        ... )
        >>> trend_p([one, two, three]) < 0.05, trend_p([three, two, one]) > 0.95
        (True, True)

    Source: Jonckheere 1954, with the scores of Gehan 1965.
    """
    last = min(group.last_step.astype(float).min() for group in groups)
    steps, seen = steps_and_seen(pd.concat([ended_at(group, last) for group in groups]))
    scores = order_signs(steps, seen, steps, seen)
    which = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    rng = np.random.default_rng(0)
    dealt = np.vstack([which, rng.permuted(np.tile(which, (draws, 1)), axis=1)])
    in_order = dealt[:, :, None] < dealt[:, None, :]
    sums = (in_order * scores).sum(axis=(1, 2))
    return float(np.mean(sums >= sums[0]))
