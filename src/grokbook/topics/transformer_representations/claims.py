"""The statements of Liu et al. 2022, section 4.2 and appendix K, judged on the runs of chapter 14."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from grokbook.claims import Finding, Runs, claim, found, judge
from grokbook.claims.finding import ENOUGH, UNDECIDED, Part, enough, most, some
from grokbook.experiments.base import Experiment
from grokbook.experiments.gu2025 import fig5
from grokbook.machine import duration
from grokbook.measures import effective_dimension, grok_times
from grokbook.topics.transformer_representations.embedding import chance_ring, lives, reduced
from grokbook.topics.transformer_representations.projected import AXES
from grokbook.topics.transformer_representations.settings import PAPER_P, USUAL, by_decay, by_dropout, fig7

PUBLISHED = {1: 51.7, 2_000: 53.1, 4_100: 52.3, 10_000: 45.9, 20_000: 33.4}
"""Effective dimension at some steps, read off the mean curve of Fig. 7 (left); correct to about 0.2."""

PUBLISHED_GROK = 4_100
"""The step at which 99 % of the test set is reached there, read off the same figure (100 seeds)."""

FALLEN = 0.8
"""Part of its first value to which the effective dimension must come down for a drastic fall; the published: 0.65."""

NEAR, OTHERS_NEAR = 1.5, (1.25, 2.0)
"""Factor within which the highest dimension and generalisation count as one time; two other readings."""

RING, OTHER_RINGS = 0.5, (0.4, 0.6)
"""Ring share from which a plane counts as showing a circle, round or flat: half for one frequency; two other bars."""

SOLVED = 0.99
"""Test accuracy that a few axes must reach."""


def usual() -> dict[str, Experiment]:
    """The runs on which the embedding is judged: the paper's own size, and the small ones that generalise."""
    return {**fig7(), "small": by_decay()[USUAL]}


def rings() -> dict[str, Experiment]:
    """The runs in which a ring is looked for: `usual`, and the transformer of Gu et al. 2025 at p = 97."""
    return usual() | {"other": fig5(97)}


def by_network(rows: pd.DataFrame, column: str) -> str:
    """The medians of a column for each network in words."""
    names = {"paper": f"p = {PAPER_P}", "small": "small runs", "other": "network of Gu et al."}
    parts = rows.groupby("size", sort=False)[column]
    told = ((size, part.median(), f"{len(part)} run{'s' * (len(part) > 1)}") for size, part in parts)
    return ", ".join(f"{names[size]} {middle:.0%} ({count})" for size, middle, count in told)


def refuted(runs: Runs) -> str:
    """What is said where the runs do not show it: runs of another size refute nothing that was seen at p = 59."""
    return "fails" if enough(runs["paper"]) else UNDECIDED


def pooled(runs: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """The rows of all runs that generalise."""
    rows = pd.concat([runs[name].assign(size=name) for name in runs], ignore_index=True)
    return rows[rows.grok.notna()]


_LIFE: dict[str, Any] = {"runs": usual, "through": lives, "seconds": 3}
_RING: dict[str, Any] = _LIFE | {"runs": rings, "seconds": 5}


@claim("LT1", "liu2022", "section 4.2, Fig. 7 (left)", section="The effective dimension", **_LIFE, says=(
    "the effective dimension rises above its start in {risen} runs that generalise, by {gain:.1%} (median), ",
    "and has come down to {value:.0%} of its start by their ends; published, of 100 runs: {rise:.1%}, {end:.0%}",
))  # fmt: skip
def rises_and_falls(runs: Runs) -> Finding:
    """The entropy of the explained variance first increases and "then decreases drastically".

    Our reading of "drastically": to 80 % of the first effective dimension or less.
    """
    rows = pooled(runs)
    up, end = rows.peak / rows.at_start - 1, rows.at_end / rows.at_start
    start = PUBLISHED[1]
    told = {"rise": max(PUBLISHED.values()) / start - 1, "end": PUBLISHED[20_000] / start}
    return judge(most(up > 0), most(end <= FALLEN), fails=refuted(runs), value=_median(end), low=end.min(),
                 high=end.max(), risen=some(int((up > 0).sum()), len(rows)), gain=_median(up), **told)  # fmt: skip


@claim("LT2", "liu2022", "section 4.2, Fig. 7 (left)", section="The effective dimension", **_LIFE, says=(
    "in runs that generalise the effective dimension is highest at {value:.2f} of the step of generalisation (median; ",
    "{low:.2f} to {high:.2f}), and at that step it is {left:.0%} of its start; within a factor of {others[0]} and of ",
    "{others[1]}: {words[0]}, {words[1]}; in the published curve, of 100 runs: {theirs:.2f}, and {their_left:.0%}",
))  # fmt: skip
def turns_at_generalisation(runs: Runs) -> Finding:
    """The entropy "increases up to generalization time".

    Our reading: the highest value and the step of generalisation are within a factor of 1.5.
    """
    rows = pooled(runs)
    ratio = rows.peak_step / rows.grok

    def within(factor: float) -> Part:
        return most((ratio >= 1 / factor) & (ratio <= factor))

    top = max(PUBLISHED, key=PUBLISHED.__getitem__)
    words = [judge(within(factor), fails=refuted(runs)).verdict for factor in OTHERS_NEAR]
    told = {"theirs": top / PUBLISHED_GROK, "their_left": PUBLISHED[4_100] / PUBLISHED[1]}
    return judge(within(NEAR), fails=refuted(runs), value=_median(ratio), low=ratio.min(), high=ratio.max(),
                 others=OTHERS_NEAR, words=words, left=_median(rows.at_grok / rows.at_start), **told)  # fmt: skip


@claim("LT3", "liu2022", "section 4.2, Fig. 1", section="A circle in two components", **_RING, says=(
    "of the power in the plane of the first two components one frequency has, when the run generalises, {each} ",
    "(medians; {low:.0%} to {high:.0%}), and {before:.0%} at the start and {end:.0%} at the end; 5 % of random ",
    "embeddings of the small size have more than {chance:.0%}; at bars of {others[0]:.0%} and {others[1]:.0%}: ",
    "{words[0]}, {words[1]}",
))  # fmt: skip
def circle_when_it_generalises(runs: Runs) -> Finding:
    """Perfect generalization "coincides with the PCA projecting the embeddings into a circle in 2D".

    Our reading: in each network one frequency has half of the power in that plane when most runs generalise, and not
    at their starts.
    """
    rows = pooled(runs)

    def circle(bar: float) -> list[Part]:
        """A part a network of which enough runs generalise."""
        parts = [most((part.ring_grok >= bar) & (part.ring_start < bar)) for _, part in rows.groupby("size")]
        return [part for part in parts if part is not None]

    words = [judge(*circle(bar), fails=refuted(runs)).verdict for bar in OTHER_RINGS]
    low, high = rows.ring_grok.min(), rows.ring_grok.max()
    return judge(*circle(RING), fails=refuted(runs), value=_median(rows.ring_grok), low=low, high=high,
                 before=_median(rows.ring_start), end=_median(rows.ring_end), each=by_network(rows, "ring_grok"),
                 words=words, others=OTHER_RINGS, chance=chance_ring(31, 64))  # fmt: skip


@claim("LT4", "liu2022", "appendix K, Fig. 21", section="What the start shows", **_RING, says=(
    "on the axes of the end one frequency has of the power of the start: {each}; {low:.0%} to {high:.0%}. It has ",
    "{own:.0%} on its own axes, {others:.0%} on those of another run, {strange:.0%} for random starts ",
    "with the true one's share of the end, {alike:.0%} for random starts of which every frequency is kept as much",
))  # fmt: skip
def structure_before_training(runs: Runs) -> Finding:
    """The initial embeddings, projected on the final components, "seem to already contain much of that structure".

    Our reading: one frequency has more of the power there than on the start's own axes in most runs. Vacuous where a
    random start with the true one's share of the end shows nine tenths of it; with correction where a random start does
    of which training would have kept every frequency as much: then every start has it.
    """
    rows = pooled(runs)
    more = most(rows.seen > rows.ring_start)
    null, every = (most(rows[name] >= 0.9 * rows.seen) for name in ("strange", "alike"))
    verdict = "vacuous" if null else "holds with correction" if every else "holds"
    return judge(more, holds=verdict, fails=refuted(runs), value=_median(rows.seen), low=rows.seen.min(),
                 high=rows.seen.max(), own=_median(rows.ring_start), others=_median(rows.others),
                 strange=_median(rows.strange), alike=_median(rows.alike), each=by_network(rows, "seen"))  # fmt: skip


_AXES: dict[str, Any] = {
    "runs": usual,
    "through": reduced,
    "seconds": 2,
    "section": "The network on a few axes",
}


@claim("LT5", "liu2022", "appendix K, Fig. 22", **_AXES, says=(
    "of {runs} runs that generalise, with their embedding on the first {axes} components of the end, the best test ",
    "accuracies are {each}; one of these numbers of components reaches 99 % in {enough} runs",
))  # fmt: skip
def few_axes_are_enough(runs: Runs) -> Finding:
    """The first few principal components of the end "contain enough information to reach 99% accuracy".

    Our reading: ten or fewer, at some logged step, on the test set.
    """
    rows = pooled(runs)
    best = rows[[f"best_{n}" for n in AXES]]
    reached = (best >= SOLVED).any(axis=1)
    each = ", ".join(f"{_median(rows[f'best_{n}']):.0%} ({n})" for n in AXES)
    return judge(most(reached), fails=refuted(runs), value=_median(best.max(axis=1)), runs=len(rows), each=each,
                 axes=" or ".join(map(str, AXES)), enough=some(int(reached.sum()), len(rows)))  # fmt: skip


@claim("LT6", "liu2022", "appendix K, Fig. 22", **_AXES, says=(
    "averaged from fitting to the end, the test accuracy on the first {axes} components of the end is higher than on ",
    "those of the moment by {value:.3f} (median of {runs} runs; {low:.3f} to {high:.3f})",
))  # fmt: skip
def final_axes_are_better(runs: Runs) -> Finding:
    """Embeddings rebuilt from the final components "perform better than current highest variance axes".

    Our reading: on average over the logged steps from fitting to the end, and over the numbers of components tried. A
    run that does not fit decides nothing.
    """
    gains = pooled(runs).gain
    better = most((gains > 0).where(gains.notna()))
    return judge(better, fails=refuted(runs), value=_median(gains), low=gains.min(), high=gains.max(),
                 runs=gains.count(), axes=", ".join(map(str, AXES)))  # fmt: skip


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
    "a random normal table of {p} rows and 256 columns has {value:.2f} ({low:.2f} to {high:.2f}), one of 53 rows ",
    "{printed:.2f}: the figure was made with p = {p}"))  # fmt: skip
def modulus() -> Finding:
    """The runs of section 4.2 have p = 53.

    Our check: the effective dimension at the start of Fig. 7 (left) against that of random tables.
    """
    draw = partial(np.random.default_rng(0).normal, size=(100, PAPER_P, 256))
    ours = pd.Series([effective_dimension(table) for table in draw()])
    printed = float(np.mean([effective_dimension(table[:53]) for table in draw()]))
    fits = abs(_median(ours) - PUBLISHED[1]) < abs(printed - PUBLISHED[1])
    verdict = "holds with correction" if fits else "holds"
    return found(verdict, _median(ours), ours.min(), ours.max(), p=PAPER_P, printed=printed)


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
    return judge(full[best] < full[0.0] / 2, rest <= 1, fails=UNDECIDED, value=full[best], each=each,
                 rest=f"{rest:.1f} times the step of fitting (dropout {best:g})")  # fmt: skip


@claim("LT10", "liu2022", "section 4.2, Fig. 7 (right)", section="Weight decay, dropout", shown_by="runs")
def phases_of_the_decoder() -> Finding:
    """The phase diagram over weight decay and learning rate of the decoder is comparable to that of the toy model."""
    return _unmade(15 * 21, "15 learning rates and 21 decays")
