"""The statements of Liu et al. 2022, section 4.2 and appendix K, judged on the runs of chapter
14."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from companion.claims import Finding, Runs, claim, judge
from companion.claims.finding import (
    UNDECIDED,
    Part,
    band,
    decided,
    enough,
    most,
    of_companions,
    some,
    some_of,
)
from grokbook.curves.delay import grok_times, middle
from grokbook.curves.phases import PhaseRule, between, phases, sandwich
from grokbook.measures import effective_dimension
from grokbook.measures.principal import exceeded_by_chance, ring_share
from grokbook.runs.experiment import Experiments
from grokbook_chapters.ranges import generalising, spread
from grokbook_chapters.transformer_representations.embedding import BARS, lives
from grokbook_chapters.transformer_representations.runs import (
    AXES,
    PAPER,
    PAPER_P,
    SHARES,
    USUAL,
    centre,
    circle,
    networks,
    scanned,
    slow,
)

# Effective dimension at some steps, read off the mean curve of Fig. 7 (left); correct to about 0.2.
PUBLISHED = {1: 51.7, 2_000: 53.1, 4_100: 52.3, 10_000: 45.9, 20_000: 33.4}
# step at which 99 % of the test set is reached there, read off the same figure (100 seeds)
PUBLISHED_GROK = 4_100
PUBLISHED_TURN = 2_000  # step at which it is highest
PUBLISHED_END = 20_000
# part of its first value to which the dimension must come down for a drastic fall; the published:
# 0.65
FALLEN = 0.8
# factor within which two steps count as one time; two other readings
NEAR = 1.5
OTHERS_NEAR = (1.25, 2.0)
# lines of a direction from which an order of phases counts; cells of a corner, a side
LINES = 5
CORNER = 2
# test accuracy that a few axes must reach; chance at which runs go together beyond a null
SOLVED = 0.99
LEVEL = 0.05


def deciding() -> Experiments:
    """The runs on which statements about the embedding are judged: those in the authors'
    setting."""
    return {PAPER: networks()[PAPER]}


def beside() -> Experiments:
    """What is told beside them."""
    return {name: run for name, run in networks().items() if name != PAPER}


def of_this_network() -> Experiments:
    """Of these the runs of Liu et al.'s network."""
    return {name: run for name, run in beside().items() if not name.startswith("Gu")}


def in_their_setting(check: Callable[..., Finding]) -> Callable[..., Finding]:
    """A check of the runs in the authors' setting that generalise, at least three, beside the
    tables of all runs."""

    @wraps(check)
    def checked(runs: Runs, **bars: float) -> Finding:
        table = runs[PAPER] if PAPER in runs else runs["fresh"]
        rows = None if table is None else table[table.grok.notna()]
        if not enough(rows):
            return Finding(UNDECIDED, "fewer than three of them generalise")
        return check(rows.reset_index(drop=True), runs, **bars)

    return checked


def with_others(rows: pd.DataFrame, runs: Runs, column: str, form: str = ".0%") -> dict[str, Any]:
    """Median and range of a column, and as text its medians in the other networks, of the runs that
    generalise."""
    parts = []
    for name, table in runs.items():
        if name in (PAPER, "fresh"):
            continue
        values = table[column][table.grok.notna()]
        known = values.count()
        if known:
            parts.append(f"{name}: {values.median():{form}} ({some(known, len(values))})")
    return {**band(rows[column]), "others": "; ".join(parts) or "not recorded"}


def at_one_time(parts: pd.Series, factor: float = NEAR) -> Part:
    """Whether most of these parts of a step are within a factor of 1; a missing one is not."""
    return most(parts.between(1 / factor, factor))


_LIFE: dict[str, Any] = {
    "runs": deciding,
    "beside": of_this_network,
    "through": lives,
    "seconds": 5,
}
_START = _LIFE | {"section": "What the start shows"}
_SIZE = _LIFE | {
    "section": "The effective dimension falls where a network generalises",
    "place": "section 4.2, Fig. 7 (left)",
}
_AXES = _LIFE | {"section": "A few axes of the end are enough", "place": "appendix K, Fig. 22"}
_DROPOUT = "Weight decay brings generalisation, a little dropout hastens it"
_DECAY: dict[str, Any] = {"section": _DROPOUT, "through": grok_times}


@claim(
    "LT1",
    "liu2022",
    **_SIZE,
    says=(
        "the effective dimension rises above its start in {risen} runs that generalise, by "
        "{gain:.1%} (median), and has come down to {value:.0%} of its start by their ends; "
        "published, of 100 runs: {rise:.1%}, {end:.0%}. Elsewhere it has come down to: {others}"
    ),
)
@in_their_setting
def rises_and_falls(rows: pd.DataFrame, runs: Runs) -> Finding:
    """The entropy of the explained variance first increases and "then decreases drastically".

    Our reading of "drastically": to 80 % of the first effective dimension or less.
    """
    rise = rows.rise - 1
    risen = rise > 0
    start = PUBLISHED[1]
    return judge(
        most(risen),
        most(rows.end <= FALLEN),
        risen=some_of(risen),
        gain=rise.median(),
        rise=PUBLISHED[PUBLISHED_TURN] / start - 1,
        end=PUBLISHED[PUBLISHED_END] / start,
        **with_others(rows, runs, "end"),
    )


@claim(
    "LT2",
    "liu2022",
    **_SIZE | {"runs": circle, "bars": {"factor": OTHERS_NEAR}},
    rule_changed="2026-11-24T19:32 0772874",
    says=(
        "the effective dimension is highest at {value:.2f} of the step of 99 % test accuracy "
        "(median; {low:.2f} to {high:.2f}), and at that step it is {left:.1%} of its start; in the "
        "published curve, by the same 99 %: {theirs:.2f}, and {their_left:.1%} (other factors: "
        "{bars}). Elsewhere it is highest at: {others}"
    ),
)
@in_their_setting
def turns_at_generalisation(rows: pd.DataFrame, runs: Runs, *, factor: float = NEAR) -> Finding:
    """The entropy "increases up to generalization time".

    Our reading: the highest value and the step of 99 % test accuracy, the paper's bar, are within a
    factor of 1.5. Where it comes earlier and at that step the dimension is not below its start, it
    holds with that correction: the fall comes afterwards.
    """
    rows = rows[rows.strict.notna()]
    falls_afterwards = (rows.turn < 1) & (rows.left >= 1)
    return judge(
        at_one_time(rows.turn, factor),
        corrected=most(falls_afterwards),
        left=rows.left.median(),
        theirs=PUBLISHED_TURN / PUBLISHED_GROK,
        their_left=PUBLISHED[PUBLISHED_GROK] / PUBLISHED[1],
        **with_others(rows, runs, "turn", ".2f"),
    )


@claim(
    "LT3",
    "liu2022",
    "section 4.2, Fig. 1",
    section="A circle in two components",
    runs=circle,
    beside=beside,
    through=lives,
    seconds=5,
    bars={"bar": BARS[1:]},
    rule_changed="2026-11-24T18:57:19 c779427",
    says=(
        "in the plane of the first two components one frequency has half of the power at {at} of "
        "the step of 99 % test accuracy ({count} runs get there; steps exchanged between runs: p = "
        "{p:.2g}; other shares: {bars}); 5 % of random embeddings of this size have more than "
        "{chance:.0%}. Elsewhere half of it: {others}"
    ),
)
@in_their_setting
def circle_when_it_generalises(rows: pd.DataFrame, runs: Runs, *, bar: float = BARS[0]) -> Finding:
    """Perfect generalization "coincides with the PCA projecting the embeddings into a circle in
    2D".

    Our reading: the step from which one frequency has half of the power in that plane and that of
    99 % test accuracy are within a factor of 1.5 in most runs; and runs early in one are early in
    the other, by the correlation of their logarithms beside that of steps exchanged between runs (p
    <= 0.05).
    """
    rows = rows[rows.strict.notna()]
    ratio = rows[f"at_{bar}"]
    last_read = rows["read"].iloc[0]
    p = exchanged(rows[f"round_{bar}"].fillna(last_read), rows.strict)
    return judge(
        at_one_time(ratio),
        p <= LEVEL or None,
        p=p,
        at=spread(ratio, ".2f", "never"),
        count=some(ratio.count(), len(rows)),
        chance=exceeded_by_chance(ring_share, (PAPER_P, 256)),
        **with_others(rows, runs, f"at_{bar}", ".2f"),
    )


def exchanged(steps: pd.Series, others: pd.Series, draws: int = 9_999) -> float:
    """Chance of a correlation of the logarithms of paired steps as high as theirs if the pairs did
    not matter.

    A factor common to all runs, which a clock has too, does not count.
    """
    first = np.log(steps.to_numpy(float))
    second = np.log(others.to_numpy(float))
    rng = np.random.default_rng(0)
    permuted = rng.permuted(np.tile(first, (draws, 1)), axis=1)
    as_high = permuted @ second >= first @ second - 1e-9
    return (1 + as_high.sum()) / (draws + 1)


@claim(
    "LT4",
    "liu2022",
    "appendix K, Fig. 21",
    **_START | {"beside": beside},
    says=(
        "on the axes of the end one frequency has {value:.0%} of the start's power (median; "
        "{low:.0%} to {high:.0%}), {own:.0%} on its own axes, {foreign:.0%} on those of another "
        "run, {strange:.0%} for random starts with the true one's share of the end, {alike:.0%} "
        "for random starts of which every frequency is kept as much. Elsewhere on the axes of the "
        "end: {others}"
    ),
)
@in_their_setting
def structure_before_training(rows: pd.DataFrame, runs: Runs) -> Finding:
    """The initial embeddings, projected on the final components, "seem to already contain much of
    that structure".

    Our reading: one frequency has more of the power there than on the start's own axes in most
    runs. Vacuous where a random start with the true one's share of the end shows nine tenths of it;
    with correction where a random start does of which training would have kept every frequency as
    much: then every start has it.
    """
    more = most(rows.seen > rows.ring_start)
    nearly_all = 0.9 * rows.seen
    null = most(rows.strange >= nearly_all)
    every = most(rows.alike >= nearly_all)
    special = None if every is None else not every
    return judge(
        more,
        True if null else special,
        anything=null,
        corrected=more,
        own=rows.ring_start.median(),
        foreign=rows.others.median(),
        strange=rows.strange.median(),
        alike=rows.alike.median(),
        **with_others(rows, runs, "seen"),
    )


@claim(
    "LT5",
    "liu2022",
    **_AXES,
    also=("LT6", "LT12"),
    bars={"few": (6,), "left": (0.1, 0.25)},
    rule_changed="2026-11-29T07:10:17+00:00 2fc1c73e",
    says=(
        "of {runs} runs that generalise, with their embedding on the first {axes} components of "
        "the end, the best test accuracies are {each}; one of these numbers of components reaches "
        "99 % in {enough} runs. Averaged from fitting to the end, they are better than those of "
        "the moment by {gain:.3f} in {known} runs (median). Outside the first {most} {outside:.0%} "
        "of the start's variance are left, of a random table as long as the end {null:.0%} "
        "(medians; six components, a tenth or a quarter left: {bars}). Elsewhere with the most "
        "components: {others}"
    ),
)
@in_their_setting
def few_axes_are_enough(
    rows: pd.DataFrame, runs: Runs, *, few: int = 10, left: float = 0.5
) -> Finding:
    """The first few components of the end "contain enough information to reach 99% accuracy" and
    "perform better than current highest variance axes"; training "essentially prunes other
    unnecessary dimensions".

    Our reading, of most runs: ten or fewer reach it at some logged step, on the test set; from
    fitting on they are better than as many of the moment, on average over steps and numbers tried;
    and outside the first ten half of the start's variance or less is left, where a random table as
    long as the end must not have as little. A run that does not fit decides nothing of the second.
    Six, and a tenth or a quarter, are asked beside: the paper says neither how many are few nor how
    much is pruned. Six came after the runs; joining three entries asks no less than each did.
    """
    best = rows[[f"best_{n}" for n in AXES]].set_axis(AXES, axis=1)
    of_few = best.loc[:, :few].max(axis=1)
    reached = of_few >= SOLVED
    gain = rows.gain
    medians = [f"{accuracy:.0%} ({n})" for n, accuracy in best.median().items()]
    most_axes = AXES[-1]
    return judge(
        most(reached),
        most((gain > 0).where(gain.notna())),
        most(rows.outside <= left),
        most(rows.outside < 0.9 * rows.null),
        value=of_few.median(),
        runs=len(rows),
        each=", ".join(medians),
        axes=" or ".join(map(str, AXES)),
        most=most_axes,
        enough=some_of(reached),
        gain=gain.median(),
        known=some_of(gain.notna()),
        outside=rows.outside.median(),
        null=rows.null.median(),
        others=with_others(rows, runs, f"best_{most_axes}")["others"],
    )


def at_least(table: pd.DataFrame) -> float:
    """The median step of generalisation, a run that ends first counted as its last step."""
    return middle(table.grok_step.fillna(table.last_step))


@claim(
    "LT7",
    "liu2022",
    "section 4.2, Fig. 7 (right)",
    **_DECAY,
    runs=slow,
    says=(
        "by companions of modulus 31: {companions}; {each}; without decay the median step is "
        "{least}{times:.1f} times that at decay {best:g}"
    ),
)
def decay_speeds(runs: Runs) -> Finding:
    """A "certain amount of weight decay" of the decoder helps generalization "and speeds it up
    significantly".

    Our reading: with some decay the median step is less than half of that without, where a run
    without that does not generalise counts as its last step. The sentence is of the paper's
    transformers; ours are smaller, see `of_companions`. (Before, they gave "holds".)
    """
    without = runs[0.0]
    decayed = runs[USUAL]
    words = generalising(runs, "decay {:g}")
    if not enough(without, decayed):
        return Finding(UNDECIDED, words)
    times = at_least(without) / middle(decayed.grok_step)
    reached = np.isfinite(middle(without.grok_step))
    small = judge(
        times > 2 or None,
        each=words,
        times=times,
        least="" if reached else "at least ",
        best=USUAL,
    )
    return of_companions(small)


@claim(
    "LT8",
    "liu2022",
    "section 4.2, Fig. 7 (left)",
    section="The effective dimension falls where a network generalises",
    kind="number",
    shown_by="draws",
    part_of="EL",
    published="51.7 at the start",
    says=(
        "a random normal table of {p} rows and 256 columns has an effective dimension of "
        "{value:.2f} ({low:.2f} to {high:.2f}), one of 53 rows {printed:.2f}: Fig. 7 (left) was "
        "made with p = {p}; of Fig. 7 (right) it is unknown"
    ),
)
def modulus() -> Finding:
    """The runs have "$p = 53$ integers".

    Our check: the effective dimension at the start of Fig. 7 (left) against that of random tables
    of 53 and 59 rows.
    """
    tables = np.random.default_rng(0).normal(size=(100, PAPER_P, 256))
    printed = pd.Series([effective_dimension(table[:53]) for table in tables])
    ours = pd.Series([effective_dimension(table) for table in tables])
    printed_fits = printed.min() <= PUBLISHED[1] <= printed.max()
    ours_fits = ours.min() <= PUBLISHED[1] <= ours.max()
    return judge(
        decided(printed_fits, ours_fits),
        **band(ours),
        p=PAPER_P,
        printed=printed.median(),
    )


def by_their_count(data: xr.Dataset) -> pd.DataFrame:
    """`grok_times` at 99 %, the paper's bar; `their_fit` is the step of fitting with dropout
    active, where recorded."""
    dropping = data.assign(train_accuracy=data.get("fit_with_dropout", data.train_accuracy))
    theirs = grok_times(dropping, threshold=SOLVED)
    return grok_times(data, threshold=SOLVED).assign(their_fit=theirs.fit_step)


def rest(table: pd.DataFrame, fit: str) -> float:
    """The delay as a part of the step of fitting, median: that step is the last where a run has not
    fitted by then."""
    fitted_by = table[fit].fillna(table.last_step)
    return middle(table.grok_step / fitted_by) - 1


@claim(
    "LT9",
    "liu2022",
    "section 4.2, Fig. 7 (centre)",
    **_DECAY | {"through": by_their_count},
    runs=centre,
    rule_changed="2026-11-29T13:11:39+00:00 c1c7b305",
    published="under 1,000 steps",
    says=(
        "{each}; the best at step {value:,.0f} (median), where the paper has under 1,000, without "
        "dropout at {none:,.0f} or later; the delay of the best is {ours:.1f} times the step of "
        "fitting, {theirs:.1f} where that is counted with dropout"
    ),
)
def dropout_speeds(runs: Runs) -> Finding:
    """With a "significant dropout rate" generalising "can be brought down to under 10^3 steps" and
    grokking "vanishes completely".

    Our reading: at the best share the median step of 99 % test accuracy is below 1,000 and below
    that without dropout, where a run that ends first counts as its last step; and the delay is at
    most the step of fitting, with training accuracy taken without dropout and, as by the authors,
    with it. The panel's rate and decay are not known, so that nothing refutes it. A halved step was
    a correction at first, and a part later: the sentence has neither.
    """
    words = generalising(runs, "dropout {:.2g}")
    plain, *dropped = [runs[share] for share in SHARES]
    if not enough(plain, *dropped):
        return Finding(UNDECIDED, words or "no run is recorded")
    none = at_least(plain)
    best = min(dropped, key=at_least)
    ours = rest(best, "fit_step")
    theirs = rest(best, "their_fit")
    step = at_least(best)
    return judge(
        step < 1_000,
        step < none,
        ours <= 1,
        theirs <= 1,
        elsewhere=True,
        value=step,
        none=none,
        ours=ours,
        theirs=theirs,
        each=words,
    )


def letters(data: xr.Dataset) -> xr.DataArray:
    """The phases of a diagram, (seed, decay, rate); what is not reached by the last step counts as
    never."""
    rule = PhaseRule(cap=int(data.step.max()))
    return phases(data, rule).phase.transpose("seed", "decoder_weight_decay", "decoder_lr")


@claim(
    "LT10",
    "liu2022",
    "section 4.2, Fig. 7 (right)",
    section=_DROPOUT,
    runs=scanned,
    through=letters,
    rule_changed="2026-11-28T11:20 d2003620",
    says=(
        "by companions of modulus 31: {companions}; all four phases in {four}; in the corner of "
        "{size} x {size} cells at the highest rates {M} memorise with the least decay, and {X} are "
        "confused with the most; of the lines with all three phases in the order C, G, M: {told}"
    ),
)
def phases_of_the_decoder(runs: Runs) -> Finding:
    """The phase diagram over weight decay and learning rate of the decoder is "comparable" to that
    of the toy model.

    Our reading, by the "common phenomena" of that one's: most seeds have all four phases; with a
    fast decoder most cells memorise where decay is least, and are confused where it is most;
    grokking stands between comprehension and memorisation in most lines with all three, along both
    axes. With correction: the last is not so, or fewer than five lines tell. The diagram is of the
    paper's transformers; ours are smaller, see `of_companions`. (Before, they gave "holds with
    correction".)
    """
    phase = runs["cells"]
    if not enough(phase):
        return Finding(UNDECIDED, "no diagram")
    full = [set("CGMX") <= set(np.ravel(diagram)) for diagram in phase]
    four = some(sum(full), len(full))
    fast = phase[:, :, -CORNER:]
    memorise = fast[:, :CORNER] == "M"
    confused = fast[:, -CORNER:] == "X"
    corners = [most(full), memorise.mean() > 0.5, confused.mean() > 0.5]
    lines = sandwich({"": phase})
    is_between = [bool(known) for known in between(lines, LINES)[0]]
    in_order = []
    for _, row in lines.iterrows():
        in_order.append(f"along the {row.along} {some(row['C, G, M'], row.lines)}")
    small = judge(
        *corners,
        *is_between,
        corrected=all(corners),
        size=CORNER,
        told="; ".join(in_order),
        four=f"{four} seeds",
        M=some(int(memorise.sum()), memorise.size),
        X=some(int(confused.sum()), confused.size),
    )
    return of_companions(small)
