"""What Liu et al. 2022 say of trained toys in Figs 3 to 5, judged on runs with the authors' draws."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from grokbook.claims import Finding, Runs, claim, judge
from grokbook.claims.finding import ENOUGH, some
from grokbook.measures.lead import RankTest, rank_test
from grokbook.topics.trained_toys.runs import BATCH, LONGER, crossing, crossing_interval, measured, paths, there, toys

PREDICTED, LINES, WAYS = "What the embedding predicts", "When a line forms", "The way to the line"
LEVEL, CRITICAL, NEAR = 0.05, 0.4, 0.1
"""Level of the tests; the published share of the transition, and what counts as near it: one step of the sizes."""


def beside_chance(count: int, of: int) -> bool | None:
    """Whether more than half have it; None where a fair coin does as well at 5 %.

    Example:
        >>> beside_chance(9, 10), beside_chance(1, 10), beside_chance(6, 10)
        (True, False, None)
    """
    return None if not of or binomtest(count, of).pvalue > LEVEL else 2 * count > of


@claim("LF3", "liu2022", "section 3.1, Fig. 3", section=PREDICTED, runs=toys,
       published="stored with the program: mean gap 0.019", says="{told}")  # fmt: skip
def prediction_aligns(runs: Runs) -> Finding:
    """ "The predicted [accuracy] aligns well with the true accuracy".

    Our reading: of the runs in which the two predictions differ, that from the embedding is nearer to the accuracy
    than the share of trained pairs, which has not looked at it, in more than half of the seeds, each by most of its
    runs (a sign test, 5 %).
    """
    if not (rows := _measured(runs)).size:
        return judge(None, told="not run")
    off, blind = (rows.accuracy - rows.predicted).abs(), (rows.accuracy - rows.samples / 55).abs()
    better = (np.sign(blind - off).where((blind - off).abs() > 1e-9, 0)).groupby(rows.seed).sum()
    won, of = int((better > 0).sum()), int((better != 0).sum())
    told = (f"predicted and true accuracy differ by {off.mean():.3f} on average, at most by {off.max():.2f} "
            f"({len(rows)} runs), share of trained pairs and true accuracy by {blind.mean():.3f}; the prediction is "
            f"nearer in most runs of {some(won, of)} seeds")  # fmt: skip
    return judge(beside_chance(won, of), value=float(off.mean()), told=told)


@claim("LF4", "liu2022", "section 3.2, Fig. 4b", section=LINES, runs=toys, published="0.4", says="{told}")
def transition_in_training(runs: Runs) -> Finding:
    """ "The number of steps to reach RQI > 0.95 is seen to have a phase transition at r_c = 0.4, agreeing with the
    proposed effective theory".

    Our reading, for the settings of the stored program (those of the printed figure are not known): the share of pairs
    from which half of the runs get there within the program's 10,000 steps is within 0.1 of 0.4, one step of the sizes
    (95 % of seeds drawn again, on one side of the bound). Fewer than three seeds, or sizes that do not reach from 0.3
    to 0.5, decide nothing.
    """
    if not (rows := _measured(runs)).size:
        return judge(None, told="not run")
    flags, forced = there(rows, "steps"), np.isfinite(rows["predicted steps"])
    share, (low, high) = crossing(flags), crossing_interval(flags)
    least, most = CRITICAL - NEAR, CRITICAL + NEAR
    inside, outside = least <= low <= high <= most, low > most or high < least
    largest = flags.columns.max() / 55
    if len(flags) < ENOUGH or not flags.columns.min() / 55 <= least <= most <= largest:
        inside = outside = False
    got = int((forced & rows.steps.notna()).sum())
    told = (f"half of the runs are on a line within {LONGER:,} steps from a share of {_shown(share, largest)} on "
            f"(95 % of seeds drawn again: {_shown(low, largest)} to {_shown(high, largest)}), half of their training "
            f"sets force one from {_shown(crossing(there(rows, 'predicted steps')), largest)} on; "
            f"{some(got, int(forced.sum()))} that force one get there")  # fmt: skip
    return judge(True if inside else False if outside else None, value=share, low=low, high=high, told=told)


@claim("LF5", "liu2022", "section 3.2, Fig. 4 (c, d)", section=WAYS, runs=toys, says="{told}")
def trajectories_agree(runs: Runs) -> Finding:
    """ "The two trajectories agree qualitatively", and "creditably well" in the caption.

    Our reading: of the seeds that get to a line, more than half get to the flow's, which is one of two (all runs of a
    seed have one start; a sign test, 5 %). With correction where the flow is not seen to be nearer to the path than a
    null in which every deviation from the end dies out at one rate (the same test; seeds with a tie are left out).
    """
    rows = paths({n: data for n, data in runs.items() if data is not None})
    if rows.empty:
        return judge(None, told="not run")
    alike = rows.groupby("seed").alike.mean()
    nearer = rows[rows.alike].groupby("seed").nearer.agg(lambda flags: flags.astype(float).mean())
    same, won, of = int((alike > 0.5).sum()), int((nearer > 0.5).sum()), int((nearer != 0.5).sum())
    path = beside_chance(won, of)
    both = rows[rows.alike]
    told = (f"of the runs that end on a line {some(len(both), len(rows))} are on the flow's (most runs of "
            f"{some(same, len(alike))} seeds); of these the flow is nearer to the path than the null in "
            f"{some(int(both.nearer.astype(bool).sum()), len(both))} (most runs of {some(won, of)} seeds; no ties)")
    return judge(beside_chance(same, len(alike)), holds="holds" if path else "holds with correction", told=told)


@claim("LF6", "liu2022", "section 3.2, Fig. 5b", section=LINES, runs=toys, says="{told}")
def more_pairs_are_faster(runs: Runs) -> Finding:
    """ "The theory agrees qualitatively with neural networks, showing the trend of decreasing grokking steps as
    increasing data size".

    Our reading: among the runs of one seed whose pairs force a line, those with more pairs get there earlier, never
    being latest (Somers' D above zero, permuted within seeds, 5 %).
    """
    rows = _measured(runs)
    if not len(rows := rows[np.isfinite(rows["predicted steps"])] if rows.size else rows):
        return judge(None, told="not run")
    trend = _by_seed(rows)
    late = _by_seed(rows[rows.steps.notna() & (rows.samples <= BATCH)])
    told = (f"fewer pairs go with more updates, never counting as most: Somers' D {trend.tau:.2f} "
            f"(p = {trend.p_value:.4f}); the same of the runs alone that get there with up to {BATCH} pairs: "
            f"{late.tau:.2f} (p = {late.p_value:.2f})")  # fmt: skip
    return judge(trend.tau > 0 if min(trend.p_value, 1 - trend.p_value) <= LEVEL else None, value=trend.tau, told=told)


def _by_seed(rows: pd.DataFrame) -> RankTest:
    """Fewer pairs and more steps to a line (never: most), within the runs of one seed."""
    own = [(-of.samples.to_numpy(), of.steps.fillna(np.inf).to_numpy()) for _, of in rows.groupby("seed")]
    return rank_test(own)


def _shown(share: float, largest: float) -> str:
    """A share of pairs in two digits; one that no size has as more than the largest.

    Example:
        >>> _shown(0.756, 0.98), _shown(np.inf, 0.98)
        ('0.76', 'over 0.98')
    """
    return f"over {largest:.2f}" if share == np.inf else f"{share:.2f}"


def _measured(runs: Runs) -> pd.DataFrame:
    return measured({n: data for n, data in runs.items() if data is not None})
