"""What Liu et al. 2022 say of trained toys in Figs 3 to 5, judged on runs with the authors' draws."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from grokbook.chapters.trained_toys.runs import (
    BATCH,
    LONGER,
    answered,
    bounds,
    crossing,
    crossing_interval,
    fresh,
    longer,
    measured,
    pairs_of,
    paths,
    placed,
    small,
    there,
    toys,
)
from grokbook.chapters.trained_toys.stored import RESULTS
from grokbook.claims import Finding, Runs, claim, judge
from grokbook.claims.finding import ENOUGH, some
from grokbook.runs.lead import RankTest, rank_test
from grokbook.runs.liu2022 import CAP
from grokbook.theory.parallelograms import ideal_model

PREDICTED, LINES, WAYS = "What the embedding predicts", "When a line forms", "The way to the line"
PLACED = "The decoder alone"
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


@claim("L24", "liu2022", "appendix E, Eq. 15 to 17, Fig. 10", section=PREDICTED, runs=small,
       bars={"rare": (0.05, 0.2)}, rule_changed="2026-11-24T19:53:21+00:00 1db7ca3",
       says=("at a tolerance of {tolerance} {value:.0%} of {of} runs with 5 to 30 pairs keep Eq. 16 and 17, and ",
             "{random:.0%} of random embeddings in their places; {outside} close a parallelogram that is not implied ",
             "({random_outside:.0%} of random ones); {bars}"))  # fmt: skip
def bounds_are_kept(runs: Runs, *, rare: float = 0.1, tolerance: float = 0.01) -> Finding:
    """ "We verify Eq. (16) and Eq. (17)": the RQI and the predicted accuracy of a trained model are at most those of an
    ideal one, except "in very rare cases when something lucky happens".

    Our reading, at the tolerance of the appendix and the sizes at which the bounds are below one: all but one run in
    ten keep both. Vacuous where the trained ones are not seen to keep them more often than random embeddings in their
    places (one-sided, 5 %).
    """
    rows = bounds({n: data for n, data in runs.items() if data is not None}, tolerance)
    rows["kept"] = ~(rows["rqi above"] | rows["predicted above"])
    share, out = (rows.groupby("who")[name].mean() for name in ("kept", "not implied"))
    own = rows[rows.who == "trained"]
    more = binomtest(int(own.kept.sum()), len(own), share.random, alternative="greater")
    return judge(share.trained >= 1 - rare, anything=more.pvalue > LEVEL, elsewhere=True,
                 value=share.trained, random=share.random, of=len(own), tolerance=tolerance,
                 outside=some(int(own["not implied"].sum()), len(own)), random_outside=out.random)  # fmt: skip


@claim("L25", "liu2022", "appendix E; caption of Fig. 10", section=PREDICTED, kind="theorem", shown_by="count",
       says=("of the {of} runs that are stored with the authors' program {value:.0f} have more pairs right than an ",
             "ideal model of their training set, all with up to {most} pairs; by the prediction {predicted} have"))
def accuracy_is_bounded() -> Finding:
    """ "Ideal RQI and ideal accuracy [...] set upper bounds for empirical RQI and accuracy".

    Of the accuracy itself; that of the predicted one, Eq. 17, is judged in L24.
    """
    each = [(n, seed) for n in RESULTS for seed in range(3)]
    bound = {key: round(55 * ideal_model(pairs_of(*key), 10)["accuracy"]) for key in each}
    right, told = ([key for key, ideal in bound.items() if RESULTS[key[0]][kind][key[1]] > ideal] for kind in (0, 1))
    return judge(not right, value=len(right), low=0, high=0, of=len(bound), predicted=len(told),
                 most=max((n for n, _ in right), default=0))  # fmt: skip


@claim("LF4", "liu2022", "section 3.2, Fig. 4b", section=LINES, runs=toys, beside=longer,
       published="0.4", says="{told}")
def transition_in_training(runs: Runs) -> Finding:
    """ "The number of steps to reach RQI > 0.95 is seen to have a phase transition at r_c = 0.4, agreeing with the
    proposed effective theory".

    Our reading, for the settings of the stored program: the share of pairs from which half of the runs get there within
    the program's 10,000 steps is within 0.1 of 0.4, one step of the sizes (95 % of seeds drawn again, on one side of
    the bound). Fewer than three seeds, or sizes that do not reach from 0.3 to 0.5, decide nothing; nor does another
    share, as the settings of the printed figure are not known.
    """
    if not (rows := _measured({n: data for n, data in runs.items() if not isinstance(n, tuple)})).size:
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
            f"{some(got, int(forced.sum()))} that force one get there{_later(runs)}; the printed figure's settings are "
            "not known")  # fmt: skip
    return judge(True if inside else False if outside else None, elsewhere=True, value=share, low=low, high=high,
                 told=told)  # fmt: skip


def _later(runs: Runs) -> str:
    """How many of the runs that were trained on, and were not on the line that is forced, got to it later."""
    rows = _measured({n[1]: data for n, data in runs.items() if isinstance(n, tuple)})
    if not rows.size:
        return ""
    open_ = rows[np.isfinite(rows["predicted steps"]) & ~(rows.steps <= LONGER)]
    return (f"; trained on to {CAP:,} steps, {some(int(open_.steps.notna().sum()), len(open_))} that had not do (sizes "
            f"{', '.join(map(str, sorted({*rows.samples})))})")  # fmt: skip


@claim("LF5", "liu2022", "section 3.2, Fig. 4 (c, d)", section=WAYS, runs=toys, says="{told}")
def trajectories_agree(runs: Runs) -> Finding:
    """ "The two trajectories agree qualitatively", and "creditably well" in the caption.

    Our reading: of the seeds that get to a line, more than half get to the flow's, which is one of two (all runs of a
    seed have one start; a sign test, 5 %). With correction (their ends agree) where the flow is not seen to be nearer
    to the path than a null in which every deviation from the end dies out at one rate (the same test; seeds with a tie
    are left out).
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
    end = beside_chance(same, len(alike))
    return judge(end, None if end is None else bool(path), corrected=end, told=told)


@claim("LF6", "liu2022", "section 3.2, Fig. 5b", section=LINES, runs=toys, says="{told}")
def more_pairs_are_faster(runs: Runs) -> Finding:
    """ "The theory agrees qualitatively with neural networks, showing the trend of decreasing grokking steps as
    increasing data size".

    Our reading: among the runs of one seed whose pairs force a line, those with more pairs get there earlier, never
    being latest (Somers' D above zero, permuted within seeds, 5 %). A clock that is faster with more pairs has that
    trend too; what the theory says beyond it is LF9.
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


@claim("LF10", "liu2022", "section 3.2", section=LINES, runs=fresh, origin="ours", says="{told}")
def line_before_the_fit(runs: Runs) -> Finding:
    """In trained toys that get to a line, it is there before the training set is fitted.

    Before nine in ten of the training pairs are right, in most runs of most seeds with a line (a sign test, 5 %).
    """
    rows = _measured(runs)
    if not len(rows := rows[rows.steps.notna()] if rows.size else rows):
        return judge(None, told="not run")
    early = (rows.steps < rows.fitted) | rows.fitted.isna()
    by_seed = early.groupby(rows.seed).mean()
    told = f"of the runs that get to a line {some(int(early.sum()), len(rows))} are on it before nine in ten of their "
    told += f"training pairs are right, most runs of {some(int((by_seed > 0.5).sum()), len(by_seed))} seeds"
    return judge(beside_chance(int((by_seed > 0.5).sum()), int((by_seed != 0.5).sum())), told=told)


@claim("LF7", "liu2022", "section 1, answer A1", section=PLACED, runs=placed, says="{told}")
def representation_is_enough(runs: Runs) -> Finding:
    """ "Generalization can be attributed to learning a good representation of the input embeddings, i.e., a
    representation that has the appropriate structure for the task".

    Our reading: with embeddings that stay at a ladder the decoder alone answers nine in ten of the test pairs whose
    label was trained, in most seeds (a sign test, 5 %); with the same numbers shuffled, and with random ones, it does
    not. Oracle and null in one: the decoder, its start and its training pairs are those of the seed in all three.
    """
    if not (rows := answered({name: data for name, data in runs.items() if data is not None})).size:
        return judge(None, told="not run")
    high = (rows["right"] >= 0.9).groupby(rows.places).agg(["sum", "size"])
    most = {name: beside_chance(int(k), int(of)) for name, k, of in high.itertuples()}
    middle = rows.groupby("places")[["right", "train", "fitted"]].median()
    told = "; ".join(f"{name}: {of.right:.0%} of the test pairs whose label was trained, {of.train:.0%} of the "
                     f"training pairs" for name, of in middle.iterrows())  # fmt: skip
    not_so = [None if most.get(name) is None else not most[name] for name in ("shuffled", "random")]
    return judge(most.get("ladder"), *not_so, told=f"medians of {int(high['size'].min())} seeds, {told}")


@claim("LF8", "liu2022", "section 3.2, Fig. 4 (c, d)", section=LINES, runs=fresh, published="3 n_h", says="{told}")
def three_time_scales(runs: Runs) -> Finding:
    """ "It takes about 3 n_h steps for two trajectories to converge to the linear structure".

    Our reading: the updates that a run takes to an RQI above 0.95 are within a factor of two of 3 / (lambda_3 eta), in
    most runs of most seeds that get there (a sign test, 5 %), with the rate of the loss as printed (Eq. 5 and 8). With
    correction where they are by the rate of the authors' code, which does not divide by the number of parallelograms.
    """
    rows = _measured(runs)
    if not len(rows := rows[rows.steps.notna() & np.isfinite(rows["predicted steps"])] if rows.size else rows):
        return judge(None, told="not run")
    ratios = {kind: rows.steps / rows[f"{kind} steps"] for kind in ("predicted", "code")}
    near = {kind: ratio.between(0.5, 2) for kind, ratio in ratios.items()}
    by_seed = {kind: flags.groupby(rows.seed).mean() for kind, flags in near.items()}
    most = {kind: beside_chance(int((of > 0.5).sum()), int((of != 0.5).sum())) for kind, of in by_seed.items()}
    told = "; ".join(f"{name}: {ratios[kind].median():.2f} times 3 n_h (median), within a factor of two in "
                     f"{some(int(near[kind].sum()), len(rows))} runs" for kind, name in
                     (("predicted", "loss as printed"), ("code", "authors' code")))  # fmt: skip
    return judge(most["predicted"], corrected=most["code"], told=told)


@claim("LF9", "liu2022", "caption of Fig. 5", section=LINES, runs=fresh, says="{told}")
def rate_tells_more_than_size(runs: Runs) -> Finding:
    """ "Effective theory explains the dependence of grokking time on data size".

    Our reading: it tells more than the number of pairs does, which any clock that runs faster with more pairs would
    explain: among training sets of one size, those with the larger lambda_3 (Eq. 5 and 8) get to a line earlier, never
    being latest (Somers' D above zero, the seeds of all sizes permuted together, 5 %).
    """
    rows = _measured(runs)
    if not rows.size:
        return judge(None, told="not run")
    whole = rows.groupby("seed").samples.transform("nunique") == rows.samples.nunique()
    rows = rows[whole].sort_values("seed").fillna({"steps": np.inf})
    sizes = rows.groupby("samples")
    tests = {kind: rank_test([(of[f"{kind} steps"], of.steps) for _, of in sizes], together=True)
             for kind in ("predicted", "code")}  # fmt: skip
    test = tests["predicted"]
    told = (f"within one size a larger rate goes with fewer updates, never counting as most: Somers' D {test.tau:.2f} "
            f"(p = {test.p_value:.3f}; {len(rows)} runs); by the rate of the authors' code {tests['code'].tau:.2f} "
            f"(p = {tests['code'].p_value:.3f})")  # fmt: skip
    return judge(test.tau > 0 if min(test.p_value, 1 - test.p_value) <= LEVEL else None, value=test.tau, told=told)


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
