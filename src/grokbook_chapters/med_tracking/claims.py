"""What the papers say of MED: its definition and closed forms, and that it moves with the test loss
in every figure."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
import pandas as pd

from companion.claims import Finding, Runs, claim, judge
from companion.claims.finding import ENOUGH, UNDECIDED, Part, band, most, some_of
from grokbook.measures import med
from grokbook.runs.experiment import Experiments
from grokbook.theory.one_frequency import circle, full_loss
from grokbook.training import Schedule, train
from grokbook_chapters.gu2025 import fig5, fresh_fig5, modular_run, operations
from grokbook_chapters.med_tracking.runs import LEVEL, NORMS, SEEDS, figures, longer, stack, tracked
from grokbook_chapters.med_tracking.tracking import SETTLED, tracking_table

# share of intervals with equal signs from which we call two curves' patterns almost identical
ALMOST_IDENTICAL = 0.9

CONTINUED = "p = 47, continued"

# When the test of shifts, and what Figs 12 to 19 are asked, were last changed.
MENDED = "2026-11-24T19:47:54 30ed84f"
# When the second and third observation were.
ONE_SIDED = "2026-11-29T06:38:53 74c52b12"

OBSERVED = {"section": "Three observations", "seconds": 5}
OTHERS = {
    "section": "Other moduli, other operations",
    "seconds": 2,
    "through": tracked,
    "rule_changed": MENDED,
    "also": tuple(f"GF{n}" for n in range(12, 20)),
}


# ---------------------------------------------------------------------- definition and closed forms


@claim(
    "G14",
    "gu2025",
    "section 4, appendix B.4",
    section="The same circle with other names",
    kind="theorem",
    shown_by="counterexample",
    also=("G26", "P07"),
    says=(
        "a circle of radius 1 and frequency 1, renamed, is one of frequency {highest} (p = {p}): "
        "the loss on all cells of the network made of it is {loss:.4f} and {renamed:.4f}, its norm "
        "the same, its steps of one length before and after; MED is {least:.4f} and {most:.4f}"
    ),
)
def same_function_other_med(p: int = 97, measure: Callable[[np.ndarray], float] = med) -> Finding:
    """Weight decay is at a local minimum if and only if "the embedding in the equivalence class of
    the training set remains uniform", and MED measures that.

    Relabelling i -> c i (the outputs, the training set and its classes too) turns the weights by a
    map that keeps every norm and the loss, so that local minima go to local minima. Does a
    `measure` of uniformity, MED, stay too?
    """
    first = circle(p, 1)
    last = circle(p, p // 2)
    loss = full_loss(p, 1)
    renamed = full_loss(p, p // 2)
    same_norm = np.isclose(np.linalg.norm(first), np.linalg.norm(last))
    same = bool(np.isclose(loss, renamed) and same_norm)
    least = measure(first)
    most = measure(last)
    return judge(
        bool(np.isclose(least, most)) if same else None,
        value=most / least,
        least=least,
        most=most,
        p=p,
        highest=p // 2,
        loss=loss,
        renamed=renamed,
    )


# ------------------------------------------------------------------------------- three observations


@claim(
    "P09",
    "gu2024",
    "Property 2",
    published="100 %",
    shown_by="runs",
    **OBSERVED,
    says=(
        "test loss and MED change in the same direction in {value:.0%} of the intervals between "
        "logged steps after fitting (1 run); p = {p}, {steps} steps, every step logged"
    ),
)
def every_step(p: int = 11, steps: int = 250) -> Finding:
    """Test loss and MED increase and decrease together at every step.

    One small run that is logged at every step: a statement about every step needs one
    counterexample.
    """
    log = Schedule(dense_until=steps, dense_every=1)
    config = dataclasses.replace(modular_run(p, 0.3, d_model=32, steps=steps), log=log)
    run = train([config], device="cpu", progress=False).swap_dims(run="seed")
    share = tracking_table(run).agreement.iloc[0]
    found = judge(share == 1, value=share, low=share, high=share, p=p, steps=steps)
    return dataclasses.replace(found, runs=1)


def two_moduli() -> Experiments:
    """Fig. 5 at the two moduli whose runs were made, and those of p = 47 that were continued; every
    recorded seed."""
    (continued,) = longer().values()
    recorded = {f"p = {p}": fig5(p, n_seeds=seeds) for p, seeds in SEEDS.items()}
    return recorded | {CONTINUED: continued}


def longest(runs: Runs) -> pd.DataFrame:
    """One row a run, each run once: where one of p = 47 is recorded to `LONGER` steps, that stands
    for the shorter.

    Index (setting, seed).
    """
    table = stack(runs)
    settings = table.index.get_level_values(0)
    seeds = table.index.get_level_values(1)
    is_continued = seeds.isin(seeds[settings == CONTINUED])
    return table[~((settings == "p = 47") & is_continued)]


def strangers(table: pd.DataFrame) -> str:
    """In how many pairs of a run's test loss with another run's MED the association is beyond
    chance."""
    return f"{table.strangers_beyond.sum()} of {table.strangers.sum()}"


@claim(
    "G27",
    "gu2025",
    "Remark 4.3, section 6.2, Fig. 5; Gu 2024, section 5.1",
    **OBSERVED,
    also=("GF05", "P5.1a"),
    runs=two_moduli,
    through=tracked,
    published=f"at least {ALMOST_IDENTICAL:.0%} (our reading)",
    bars={"bar": (0.7, 0.8)},
    says=(
        "MED and test loss have equal direction in {shares} of the logged intervals after fitting "
        "(other bars: {bars}); detrended {detrended:.0%} against {null:.0%} by chance (medians), "
        "beyond chance in {significant} runs, and of the pairs of a test loss with another run's "
        "MED in {strange}"
    ),
)
def nearly_identical(runs: Runs, *, bar: float = ALMOST_IDENTICAL) -> Finding:
    """MED and the test loss "exhibit nearly identical changes".

    Our reading: in every run both change in the same direction in nine of ten intervals. What
    survives is told beside it: an association beyond chance.
    """
    table = longest(runs)
    share = table.agreement
    words = []
    for memorises, part in share.groupby(~table.generalises):
        what = "do not generalise" if memorises else "generalise"
        words.append(f"{part.min():.0%} to {part.max():.0%} in {len(part)} runs that {what}")
    identical = share.min() >= bar
    return judge(
        identical if not identical or runs.complete() else None,
        **band(share),
        shares=" and ".join(words),
        count=len(share),
        detrended=table.detrended.median(),
        null=table.null.median(),
        significant=some_of(table.beyond),
        strange=strangers(table),
    )


def fresh() -> Experiments:
    """The seven seeds at p = 97 that had not been run when the second observation was last read."""
    return {"fresh": dataclasses.replace(fresh_fig5(), seeds=fresh_fig5().seeds[2:])}


@claim(
    "P5.1b",
    "gu2024",
    "section 5.1, second observation",
    **OBSERVED,
    runs=fresh,
    beside=lambda: two_moduli() | figures(),
    through=tracked,
    rule_changed=ONE_SIDED,
    published="every run that generalises",
    says=(
        "of {count} fresh runs {grok} generalise, {seen} of them with a tenth of the record left; "
        "MED is below its initial value by then, to stay, in {fell}, long before in {early}, by no "
        "logged step in {never}, which may fall later; of other runs that generalise, in {others}"
    ),
)
def second_observation(runs: Runs) -> Finding:
    """ "In all experiments, we observe": "when the MED function falls below its initial value,
    grokking happens".

    Our reading: MED comes to stay below its initial value, nearer to generalising than to fitting,
    and not later than a tenth of the record after it. It fails where one run has it long before, or
    most have it later. A run that has MED above its start to the end decides nothing: it may fall
    after that, and "when" was not met. That last rule was mended after the runs were seen; before,
    such runs refuted. Asked of the seeds of `fresh`.
    """
    asked = runs["fresh"]
    if asked is None:
        return Finding(UNDECIDED, "the fresh runs are not made")
    seen = asked[(asked.grok_step + asked.last_step / 10 <= asked.last_step).fillna(False)]
    below = (seen.below_step <= seen.grok_step + seen.last_step / 10).fillna(False)
    early = below & ~seen.with_grokking
    known = len(seen) >= ENOUGH and runs.complete()
    never = seen.below_step.isna()
    part = True if known and below.all() else None
    if early.any() or most((~below).astype("boolean").mask(never)):
        part = False
    rest = {label: table for label, table in runs.items() if label != "fresh"}
    older = longest(rest) if rest else asked.iloc[:0]
    grown = older[older.generalises]
    return judge(
        part,
        value=float(below.mean()) if len(seen) else None,
        low=0,
        high=1,
        count=len(asked),
        grok=asked.generalises.sum(),
        seen=len(seen),
        fell=some_of(below),
        early=early.sum(),
        never=never.sum(),
        others=some_of(grown.below),
    )


@claim(
    "P5.1c",
    "gu2024",
    "section 5.1, third observation",
    **OBSERVED,
    runs=two_moduli,
    through=tracked,
    published="every run",
    rule_changed=ONE_SIDED,
    says={
        "vacuous": "no run that generalises settles before the last tenth of its record",
        "": (
            "of {count} runs that generalise {settled} settle before the last tenth of the record; "
            "in {after} MED settles no more than a tenth of the record before the accuracy "
            "({first:+.0%} to {late:+.0%} of the record after it); not in: {against}"
        ),
    },
)
def third_observation(runs: Runs) -> Finding:
    """When MED oscillates without a downward trend, the test accuracy has stopped rising.

    One direction only: MED that settles after the accuracy agrees. A run speaks against it where
    MED settles more than a tenth of the record before the accuracy. Asked of runs that generalise:
    in others the accuracy may rise later. One in which both settle in the last tenth of the record
    decides nothing. The correction is "in most runs". The rule was mended after the runs were seen,
    so they leave it open: before, MED that settles late counted against the statement, and they
    refuted it.
    """
    table = longest(runs)
    table = table[table.generalises]
    ends = table[["measure_settles", "accuracy_settles"]].astype(float)
    last = table.last_step.astype(float)
    decides = ends.min(axis=1) <= (1 - SETTLED) * last
    if not decides.any():
        return Finding("vacuous", numbers={"count": len(table)})
    gap = ((ends.measure_settles - ends.accuracy_settles) / last)[decides]
    after = gap >= -SETTLED
    against = ", ".join(f"{setting}, seed {seed}" for setting, seed in gap.index[~after])
    every = after.all()
    known = len(after) >= ENOUGH and runs.complete()
    return judge(
        every if not every or known else None,
        corrected=most(after),
        value=after.mean(),
        low=0,
        high=1,
        count=len(table),
        settled=len(after),
        first=gap.min(),
        late=gap.max(),
        against=against or "none",
        after=some_of(after),
    )


# ---------------------------------------------------------------------------------------- figures


def tracks(table: pd.DataFrame) -> pd.Series:
    """Whether MED moves with a run's test loss beyond chance, and more than the MED of any other
    run of the setting."""
    return (table.p_value <= LEVEL) & (table.detrended > table.stranger)


def raw_shares(table: pd.DataFrame) -> str:
    """The raw agreement of the test loss with MED and with both norms, and in how many runs a norm
    has more."""
    weight = table.weight_norm_agreement
    length = table.embedding_norm_agreement
    more = some_of(weight > table.agreement)
    return (
        f"MED {table.agreement.median():.2f}, norm of all weights {weight.median():.2f} (more than"
        f" MED in {more}), mean length of a vector {length.median():.2f}"
    )


@claim(
    "GD2",
    "gu2025",
    "appendix D.2, Figs 12 to 19",
    runs=operations,
    published="exceptionally capable",
    **OTHERS,
    bars={"by": ("detrended",)},
    says=(
        "beyond chance and above every stranger in {tracks} runs of {figures}, and of the pairs of "
        "a test loss with another run's MED {strange} beyond chance; raw, {norms}; MED above both "
        "norms in {above} (increments: {bars})"
    ),
)
def exceptionally(runs: Runs, *, by: str = "agreement") -> Finding:
    """On other operations "our MED function is still exceptionally capable of tracking test loss".

    Our reading of "exceptionally": in most runs MED changes in the direction of the test loss more
    often than the norm of all weights does, and than the mean length of a vector. Without the word,
    that it moves with the test loss at all: in most runs `tracks`. The younger runs of Figs 17 to
    19, `half_as_long`, are not asked: among them another run's MED is beyond chance in 18 of 18
    pairs, which voids the null.
    """
    table = stack(runs)
    does = tracks(table)
    norms = table[[f"{norm}_{by}" for norm in NORMS]]
    above = norms.lt(table[by], axis=0).all(axis=1)
    moves: Part = None
    above_norms: Part = None
    if len(table) >= ENOUGH:
        moves = does.mean() > 0.5
        above_norms = above.mean() > 0.5
    numbers = ", ".join(str(name).removeprefix("gu2025/fig") for name in runs)
    return judge(
        moves,
        above_norms,
        corrected=moves,
        value=above.mean(),
        low=0,
        high=1,
        norms=raw_shares(table),
        figures=f"Figs {numbers}",
        strange=strangers(table),
        tracks=some_of(does),
        above=some_of(above),
    )
