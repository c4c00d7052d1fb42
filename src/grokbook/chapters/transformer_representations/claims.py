"""The statements of Liu et al. 2022, section 4.2 and appendix K, judged on the runs of chapter 14."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

import numpy as np
import pandas as pd

from grokbook.chapters.transformer_representations.embedding import (
    chance_ring,
    circles,
    lives,
    pruned,
    reduced,
    step_of,
)
from grokbook.chapters.transformer_representations.projected import AXES
from grokbook.chapters.transformer_representations.settings import (
    PAPER_DROPOUT,
    PAPER_P,
    PROGRAM_DECAY,
    SMALL_DROPOUT,
    by_decay,
    by_dropout,
    circle,
    fig7,
)
from grokbook.claims import Finding, Runs, claim, judge
from grokbook.claims.finding import ENOUGH, UNDECIDED, Part, enough, most, some
from grokbook.claims.words import spread
from grokbook.machine import duration
from grokbook.measures import effective_dimension
from grokbook.runs.delay import grok_times
from grokbook.runs.experiment import Experiment
from grokbook.runs.gu2025 import fig5

PUBLISHED = {1: 51.7, 2_000: 53.1, 4_100: 52.3, 10_000: 45.9, 20_000: 33.4}
"""Effective dimension at some steps, read off the mean curve of Fig. 7 (left); correct to about 0.2."""

PUBLISHED_GROK = 4_100
"""The step at which 99 % of the test set is reached there, read off the same figure (100 seeds)."""

PUBLISHED_LENGTH = 9 / 16
"""Length of the embedding's vectors at the end as a part of their first one, read off the authors' pictures."""

FALLEN = 0.8
"""Part of its first value to which the effective dimension must come down for a drastic fall; the published: 0.65."""

NEAR, OTHERS_NEAR = 1.5, (1.25, 2.0)
"""Factor within which generalisation and what is said to come with it count as one time; two other readings."""

RING, OTHER_RINGS = 0.5, (0.4, 0.6)
"""Ring share from which a plane counts as showing a circle, round or flat: half for one frequency; two other bars."""

TURN_RULE, CIRCLE_RULE = "2026-11-24T19:32 0772874", "2026-11-24T18:57:19 c779427"
"""When the rules of LT2 and LT3 were last changed, each after runs."""

LEVEL = 0.05
"""Chance at or below which runs go together beyond a null."""

SOLVED = 0.99
"""Test accuracy that a few axes must reach."""


NAMES = {
    "paper": f"p = {PAPER_P} with dropout {PAPER_DROPOUT:g}",
    "plain": f"p = {PAPER_P} without dropout",
    "decayed": f"p = {PAPER_P} with dropout and decay {PROGRAM_DECAY:g} of the embedding",
    "small": "small runs",
    "dropped": f"small runs with dropout {SMALL_DROPOUT:g}",
    "other": "Gu et al., p = 97",
}
"""What the networks are called in which an embedding is looked at."""


def deciding() -> dict[str, Experiment]:
    """The runs on which statements about the embedding are judged: those in the authors' setting."""
    return {"paper": fig7()["paper"]}


def with_fresh() -> dict[str, Experiment]:
    """The runs in the authors' setting, and those of `circle`: seeds in the same setting that no rule was made on."""
    return deciding() | circle()


def compared() -> dict[str, Experiment]:
    """What is told beside them: runs without dropout, with a decay of the embedding, and small ones."""
    drops, others = by_dropout(), fig7()
    paper = {name: others[name] for name in ("plain", "decayed")}
    return paper | {"small": drops[0.0], "dropped": drops[SMALL_DROPOUT]}


def with_another() -> dict[str, Experiment]:
    """`compared`, and the transformer of Gu et al. 2025 at p = 97."""
    return compared() | {"other": fig5(97)}


def in_their_setting(check: Callable[..., Finding]) -> Callable[..., Finding]:
    """A check of the runs in the authors' setting that generalise, at least three, beside the tables of all runs."""

    @wraps(check)
    def checked(runs: Runs, **bars: float) -> Finding:
        tables = [rows for name in ("paper", "fresh") if (rows := generalising(runs[name])) is not None]
        rows = pd.concat(tables, ignore_index=True) if tables else None
        return check(rows, runs, **bars) if enough(rows) else Finding(UNDECIDED, "fewer than three of them generalise")

    return checked


def generalising(table: pd.DataFrame | None) -> pd.DataFrame | None:
    """The rows of the runs that generalise."""
    return None if table is None else table[table.grok.notna()]


def elsewhere(runs: Runs, value: Callable[[pd.DataFrame], pd.Series], form: str = ".0%") -> str:
    """The medians of a value of each run in the other networks, of the runs that generalise and have it, in words."""
    tables = {name: generalising(runs[key]) for key, name in NAMES.items() if key != "paper" and runs[key] is not None}
    values = {name: value(rows) for name, rows in tables.items() if len(rows)}
    told = (f"{name}: {_median(v):{form}} ({some(v.count(), len(v))})" for name, v in values.items() if v.count())
    return "; ".join(told) or "not recorded"


def at_one_time(steps: pd.Series, factor: float = NEAR) -> Part:
    """Whether most of these parts of a step are within a factor of 1; a missing one is not."""
    return most((steps >= 1 / factor) & (steps <= factor))


_LIFE: dict[str, Any] = {"runs": deciding, "beside": compared, "through": lives, "seconds": 4}
_RING: dict[str, Any] = _LIFE | {"beside": with_another, "seconds": 5}


@claim("LT1", "liu2022", "section 4.2, Fig. 7 (left)", section="The effective dimension", **_LIFE, says=(
    "the effective dimension rises above its start in {risen} runs that generalise, by {gain:.1%} (median), ",
    "and has come down to {value:.0%} of its start by their ends; published, of 100 runs: {rise:.1%}, {end:.0%}. ",
    "Elsewhere it has come down to: {others}",
))  # fmt: skip
@in_their_setting
def rises_and_falls(rows: pd.DataFrame, runs: Runs) -> Finding:
    """The entropy of the explained variance first increases and "then decreases drastically".

    Our reading of "drastically": to 80 % of the first effective dimension or less.
    """
    up, end = rows.peak / rows.at_start - 1, rows.at_end / rows.at_start
    start = PUBLISHED[1]
    told = {"rise": max(PUBLISHED.values()) / start - 1, "end": PUBLISHED[20_000] / start}
    return judge(most(up > 0), most(end <= FALLEN), value=_median(end), low=end.min(), high=end.max(),
                 risen=some(int((up > 0).sum()), len(rows)), gain=_median(up), **told,
                 others=elsewhere(runs, lambda rows: rows.at_end / rows.at_start))  # fmt: skip


@claim("LT2", "liu2022", "section 4.2, Fig. 7 (left)", section="The effective dimension",
       **_LIFE | {"runs": with_fresh, "bars": {"factor": OTHERS_NEAR}, "rule_changed": TURN_RULE}, says=(
    "the effective dimension is highest at {value:.2f} of the step of 99 % test accuracy (median; {low:.2f} to ",
    "{high:.2f}), and at that step it is {left:.1%} of its start; in the published curve, by the same 99 %: ",
    "{theirs:.2f}, and {their_left:.1%} (other factors: {bars}). Elsewhere it is highest at: {others}",
))  # fmt: skip
@in_their_setting
def turns_at_generalisation(rows: pd.DataFrame, runs: Runs, *, factor: float = NEAR) -> Finding:
    """The entropy "increases up to generalization time".

    Our reading: the highest value and the step of 99 % test accuracy, the paper's bar, are within a factor of 1.5.
    Where it comes earlier and at that step the dimension is not below its start, it holds with that correction: the
    fall comes afterwards.
    """
    rows = rows[rows.strict.notna()]
    ratio, left = turn(rows), rows.at_strict / rows.at_start
    top = max(PUBLISHED, key=PUBLISHED.__getitem__)
    return judge(at_one_time(ratio, factor), corrected=most((ratio < 1) & (left >= 1)), value=_median(ratio),
                 low=ratio.min(), high=ratio.max(), left=_median(left), theirs=top / PUBLISHED_GROK,
                 their_left=PUBLISHED[4_100] / PUBLISHED[1], others=elsewhere(runs, turn, ".2f"))  # fmt: skip


def turn(rows: pd.DataFrame) -> pd.Series:
    """The step of the highest effective dimension as a part of that of 99 % test accuracy, a value a run (`lives`)."""
    return rows.peak_step / rows.strict


def round_at(rows: pd.DataFrame, bar: float = RING) -> pd.Series:
    """The step from which one frequency has `bar` of the plane's power, a value a run (`circles`)."""
    return pd.Series([step_of(shares, bar) for shares in rows.rings], rows.index, dtype=float)


def exchanged(steps: pd.Series, others: pd.Series, draws: int = 9_999) -> float:
    """Chance of a correlation of the logarithms of paired steps as high as theirs if the pairs did not matter.

    A factor common to all runs, which a clock has too, does not count.

    Example:
        >>> exchanged(pd.Series([1.0, 2, 3, 4, 5]), pd.Series([2.0, 4, 6, 8, 10])) < 0.02
        True
    """
    rng, first, second = np.random.default_rng(0), *(np.log(each.to_numpy(float)) for each in (steps, others))
    first, second = first - first.mean(), second - second.mean()
    seen = first @ second - 1e-12
    return float((1 + sum(rng.permutation(first) @ second >= seen for _ in range(draws))) / (draws + 1))


@claim("LT3", "liu2022", "section 4.2, Fig. 1", section="A circle in two components", runs=with_fresh,
       beside=with_another, through=circles, seconds=5, bars={"bar": OTHER_RINGS}, rule_changed=CIRCLE_RULE, says=(
    "in the plane of the first two components one frequency has half of the power at {at} of the step of 99 % test ",
    "accuracy ({count} runs get there; steps exchanged between runs: p = {p:.2g}; other shares: {bars}); 5 % ",
    "of random embeddings of this size have more than {chance:.0%}. Elsewhere half of it: {others}",
))  # fmt: skip
@in_their_setting
def circle_when_it_generalises(rows: pd.DataFrame, runs: Runs, *, bar: float = RING) -> Finding:
    """Perfect generalization "coincides with the PCA projecting the embeddings into a circle in 2D".

    Our reading: the step from which one frequency has half of the power in that plane and that of 99 % test accuracy
    are within a factor of 1.5 in most runs; and runs early in one are early in the other, by the correlation of their
    logarithms beside that of steps exchanged between runs (p <= 0.05).
    """
    rows = rows[rows.strict.notna()]
    steps = round_at(rows, bar)
    p = exchanged(steps.fillna(rows.rings.iloc[0].index.max()), rows.strict)
    ratio = steps / rows.strict
    return judge(at_one_time(ratio), p <= LEVEL or None, value=_median(ratio), low=ratio.min(), high=ratio.max(), p=p,
                 at=spread(ratio, ".2f", "never"), count=some(ratio.count(), len(rows)),
                 chance=chance_ring(PAPER_P, 256),
                 others=elsewhere(runs, lambda rows: round_at(rows, bar) / rows.strict, ".2f"))  # fmt: skip


@claim("LT4", "liu2022", "appendix K, Fig. 21", section="What the start shows", **_RING, says=(
    "on the axes of the end one frequency has {value:.0%} of the start's power (median; {low:.0%} to {high:.0%}), ",
    "{own:.0%} on its own axes, {foreign:.0%} on those of another run, {strange:.0%} for random starts ",
    "with the true one's share of the end, {alike:.0%} for random starts of which every frequency is kept as much. ",
    "Elsewhere on the axes of the end: {others}",
))  # fmt: skip
@in_their_setting
def structure_before_training(rows: pd.DataFrame, runs: Runs) -> Finding:
    """The initial embeddings, projected on the final components, "seem to already contain much of that structure".

    Our reading: one frequency has more of the power there than on the start's own axes in most runs. Vacuous where a
    random start with the true one's share of the end shows nine tenths of it; with correction where a random start does
    of which training would have kept every frequency as much: then every start has it.
    """
    more = most(rows.seen > rows.ring_start)
    null, every = (most(rows[name] >= 0.9 * rows.seen) for name in ("strange", "alike"))
    special = None if every is None else not every
    return judge(more, True if null else special, anything=null, corrected=more, value=_median(rows.seen),
                 low=rows.seen.min(), high=rows.seen.max(),
                 own=_median(rows.ring_start), foreign=_median(rows.others), strange=_median(rows.strange),
                 alike=_median(rows.alike), others=elsewhere(runs, lambda rows: rows.seen))  # fmt: skip


@claim("LT12", "liu2022", "appendix K", section="What the start shows", runs=deciding, through=pruned, seconds=1,
       bars={"left": (0.1, 0.25)}, rule_changed="2026-11-24T19:32 0772874", says=(
    "outside the first {axes} axes of the end {value:.0%} of the start's variance are left ({low:.0%} to {high:.0%}); ",
    "a random table as long as the end would have {null:.0%}; on these axes it is {inside:.1f} times the start's ",
    "(medians; other shares: {bars})",
))  # fmt: skip
@in_their_setting
def other_dimensions_are_pruned(rows: pd.DataFrame, runs: Runs, *, left: float = 0.5) -> Finding:
    """ "The training procedure essentially prunes other unnecessary dimensions".

    Our reading: outside the first ten axes of the end, which suffice for the answers (LT5), half of the start's
    variance or less is left in most runs. Null: a random table as long as the end, which must not have as little.
    """
    fair = most(rows.outside < 0.9 * rows.null)
    return judge(most(rows.outside <= left), fair, value=_median(rows.outside), low=rows.outside.min(), axes=AXES[-1],
                 high=rows.outside.max(), null=_median(rows.null), inside=_median(rows.inside))  # fmt: skip


_AXES: dict[str, Any] = {
    "runs": deciding,
    "beside": compared,
    "through": reduced,
    "seconds": 2,
    "section": "The network on a few axes",
}


@claim("LT5", "liu2022", "appendix K, Fig. 22", **_AXES, says=(
    "of {runs} runs that generalise, with their embedding on the first {axes} components of the end, the best test ",
    "accuracies are {each}; one of these numbers of components reaches 99 % in {enough} runs. ",
    "Elsewhere with the most of them: {others}",
))  # fmt: skip
@in_their_setting
def few_axes_are_enough(rows: pd.DataFrame, runs: Runs) -> Finding:
    """The first few principal components of the end "contain enough information to reach 99% accuracy".

    Our reading: ten or fewer, at some logged step, on the test set.
    """
    best = rows[[f"best_{n}" for n in AXES]]
    reached = (best >= SOLVED).any(axis=1)
    each = ", ".join(f"{_median(rows[f'best_{n}']):.0%} ({n})" for n in AXES)
    return judge(most(reached), value=_median(best.max(axis=1)), runs=len(rows), each=each,
                 axes=" or ".join(map(str, AXES)), enough=some(int(reached.sum()), len(rows)),
                 others=elsewhere(runs, lambda rows: rows[f"best_{AXES[-1]}"]))  # fmt: skip


@claim("LT6", "liu2022", "appendix K, Fig. 22", **_AXES, says=(
    "averaged from fitting to the end, the test accuracy on the first {axes} components of the end is higher than on ",
    "those of the moment by {value:.3f} (median of {runs} runs; {low:.3f} to {high:.3f}). Elsewhere by: {others}",
))  # fmt: skip
@in_their_setting
def final_axes_are_better(rows: pd.DataFrame, runs: Runs) -> Finding:
    """Embeddings rebuilt from the final components "perform better than current highest variance axes".

    Our reading: on average over the logged steps from fitting to the end, and over the numbers of components tried. A
    run that does not fit decides nothing.
    """
    gains = rows.gain
    better = most((gains > 0).where(gains.notna()))
    return judge(better, value=_median(gains), low=gains.min(), high=gains.max(), runs=gains.count(),
                 axes=", ".join(map(str, AXES)), others=elsewhere(runs, lambda rows: rows.gain, ".3f"))  # fmt: skip


@claim("LT7", "liu2022", "section 4.2, Fig. 7 (right)", section="Weight decay, dropout", runs=by_decay,
       through=grok_times, says="{each}{shown}")  # fmt: skip
def decay_speeds(runs: Runs) -> Finding:
    """A "certain amount of weight decay" of the decoder helps generalization "and speeds it up significantly".

    Our reading: with some decay the median step is less than half of that without, where a run without that does not
    generalise counts as its last step. Counted as later than any step, as at first, such runs bore the statement out.
    Runs of another size than the paper's do not refute it.
    """
    each = "; ".join(f"decay {decay:g}: {_when(table)}" for decay, table in runs.items())
    without = runs[0.0]
    others = [(middle(table), decay) for decay, table in runs.items() if decay and len(table) >= ENOUGH]
    if without is None or len(without) < ENOUGH or not others:
        return judge(None, each=each, shown="")
    best, decay = min(others)
    if np.isinf(best):
        return judge(None, each=each, shown="; at no decay do most runs generalise")
    times = float(without.grok_step.astype(float).fillna(without.last_step).median()) / best
    least = "at least " if np.isinf(middle(without)) else ""
    shown = f"; without decay the median step is {least}{times:.1f} times that at decay {decay:g}"
    if least and 1 < times <= 2:
        shown += ": that it helps is seen, that it halves the time needs longer runs"
    return judge(times > 2 or None, value=best, each=each, shown=shown)


def middle(times: pd.DataFrame) -> float:
    """The median step of generalisation; infinite where half of the runs or more do not get there."""
    return float(times.grok_step.astype(float).fillna(np.inf).median())


def _when(table: pd.DataFrame) -> str:
    known = table.grok_step.dropna()
    said = f"{some(len(known), len(table))} runs generalise by step {int(table.last_step.max()):,}"
    return f"{said}, at step {int(known.median()):,} (median of these)" if len(known) else said


@claim("LT8", "liu2022", "section 4.2, Fig. 7 (left)", section="The effective dimension", kind="number",
       shown_by="draws", published="51.7 at the start", says=(
    "a random normal table of {p} rows and 256 columns has an effective dimension of {value:.2f} ({low:.2f} to ",
    "{high:.2f}), one of 53 rows {printed:.2f}: Fig. 7 (left) was made with p = {p}; of Fig. 7 (right) it is ",
    "unknown",
))  # fmt: skip
def modulus() -> Finding:
    """The runs have "$p = 53$ integers".

    Our check: the effective dimension at the start of Fig. 7 (left) against that of random tables of 53 and 59 rows.
    """
    draw = partial(np.random.default_rng(0).normal, size=(100, PAPER_P, 256))
    ours = pd.Series([effective_dimension(table) for table in draw()])
    printed = pd.Series([effective_dimension(table[:53]) for table in draw()])
    fits = [bool(table.min() <= PUBLISHED[1] <= table.max()) for table in (printed, ours)]
    return judge(fits[0] if any(fits) else None, value=_median(ours), low=ours.min(), high=ours.max(), p=PAPER_P,
                 printed=_median(printed))  # fmt: skip


def _median(values: pd.Series) -> float:
    return float(pd.Series(values, dtype=float).median())


def _unmade(runs: int, what: str) -> Finding:
    one = fig7()["paper"].predicted(1).seconds
    return Finding("not run", f"{runs} runs of {what} would take {duration(runs * one)} on one core here", runs=0)


@claim("LT9", "liu2022", "section 4.2, Fig. 7 (centre)", section="Weight decay, dropout", runs=by_dropout,
       through=grok_times, says="{each}; the shortest delay after fitting is {rest}")  # fmt: skip
def dropout_speeds(runs: Runs) -> Finding:
    """With a "significant dropout rate" the time to generalise falls and grokking "vanishes completely".

    Our reading: the best share halves the median step of generalisation, and the delay is then at most the step of
    fitting. Runs of another size do not refute it, and the printed "under 10^3 steps" belongs to that size.
    """
    each = "; ".join(f"dropout {share:g}: {_when(table)}" for share, table in runs.items())
    full = {share: middle(table) for share, table in runs.items() if len(table) >= ENOUGH}
    if len(full) < len(by_dropout()):
        return judge(None, each=each, rest="not known yet")
    best = min((share for share in full if share), key=full.__getitem__)
    table = runs[best]
    rest = float((table.delay / table.fit_step).astype(float).fillna(np.inf).median())
    return judge(full[best] < full[0.0] / 2, rest <= 1, elsewhere=True, value=full[best], each=each,
                 rest=f"{rest:.1f} times the step of fitting (dropout {best:g})")  # fmt: skip


@claim("LT10", "liu2022", "section 4.2, Fig. 7 (right)", section="Weight decay, dropout", shown_by="runs")
def phases_of_the_decoder() -> Finding:
    """The phase diagram over weight decay and learning rate of the decoder is comparable to that of the toy model."""
    return _unmade(15 * 21, "15 learning rates and 21 decays")
