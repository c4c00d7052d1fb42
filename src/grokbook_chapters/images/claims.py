"""The statements of Liu et al. 2022 on images: section 4.3, appendices I and J."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from scipy import stats
from scipy.spatial.distance import pdist

from companion.claims import Finding, Runs, claim, judge
from companion.claims.finding import enough, most, some
from grokbook.curves.delay import grok_times, middle
from grokbook.curves.phases import PHASES, PhaseRule, phases
from grokbook_chapters.images.class_collapse import flow, loss, velocity
from grokbook_chapters.images.neural_collapse import class_parts
from grokbook_chapters.images.runs import (
    FITTED,
    LARGE,
    REACHED,
    by_decay,
    fewer,
    fig8,
    fig8_beyond,
    fig8_right,
    fig20,
    small,
    small_beyond,
    small_phases,
)

LATE = 1_000  # steps from which on a delay is one, by Table 1 of the paper


def reached(data: xr.Dataset) -> pd.DataFrame:
    """Fit step at 95 % of the training set, grok step at `REACHED` of the test set, a row a seed;
    its best accuracy."""
    fitted, late = grok_times(data), grok_times(data, threshold=REACHED)
    best = data.test_accuracy.max("step").to_series()
    return fitted[["fit_step", "last_step"]].assign(grok_step=late.grok_step, best=best)


_DELAY: dict[str, Any] = {"section": "Large weights make a delay", "through": reached}
RULE = "2026-11-29T06:53:25+00:00 c319297f"  # when a power law became the null of an amount
# when the places of phases were asked of the diagram itself
PLACES = "2026-11-29T10:26:53+00:00 ff393265"
_AMOUNT: dict[str, Any] = {
    "section": "Fewer images, longer waits",
    "through": reached,
    "bars": {"bend": (1.5, 3.0)},
    "rule_changed": RULE,
}
_CELLS: dict[str, Any] = {"section": "Four phases"}
_LOSS: dict[str, Any] = {"section": "A loss that cannot shrink everything"}
_SMALL: dict[str, Any] = {"origin": "ours", "says": "8 x 8 digits: {told}"}


@claim(
    "LM1",
    "liu2022",
    "appendix J, Fig. 8 (left)",
    **_DELAY,
    runs=fig8,
    published="quickly fits, much later",
    says="{told}",
)
def grokking_on_mnist(runs: Runs) -> Finding:
    """With large initial weights the network "quickly fits the train set, and then much later in
    training validation accuracy improves".

    Our reading: by Table 1, more than 1,000 steps later. Control: the usual start, which must not
    show it. Runs that end before they generalise leave it open.
    """
    parts, told = [], []
    for start in (LARGE, 1.0):
        table = runs[start]
        if table is None:
            return judge(None, told=f"with factor {start:g}: not run")
        late = table.grok_step - table.fit_step.fillna(table.last_step) > LATE
        told.append(f"with factor {start:g} {some(int(late.sum()), len(table))} runs")
        parts.append(most(late if start == LARGE else ~late))
    what = (
        f"reach {REACHED:.0%} of the test set more than {LATE:,} steps after 95 % of the"
        " training set"
    )
    return judge(*parts, told=f"{' and '.join(told)} {what}")


grokking_on_small_digits = claim(
    "LM2",
    "liu2022",
    "appendix J",
    **_DELAY | _SMALL,
    runs=small,
    statement="The same on 100 digits of 8 x 8 pixels, a set that the paper does not use.",
)(grokking_on_mnist.check)


@claim("LM9", "liu2022", "appendix J", **_DELAY | _SMALL, runs=by_decay)
def decay_ends_the_delay(runs: Runs) -> Finding:
    """It is weight decay that ends the delay. From large weights without decay most runs do not
    reach the test set by the last step of those that have it.
    """
    if runs["decay"] is None or runs["no decay"] is None:
        return judge(None, told="not run")
    there = {name: runs[name].grok_step.notna() for name in ("decay", "no decay")}
    with_decay, without = (most(flags) for flags in there.values())
    told = "; ".join(
        f"{name}: {some(int(flags.sum()), len(flags))}" for name, flags in there.items()
    )
    last = int(max(table.last_step.max() for table in runs.values()))
    known = with_decay and without is not None
    return judge(
        not without if known else None,
        told=f"runs that reach the test set by step {last:,}, {told}",
    )


def curvature(tables: Mapping[int, pd.DataFrame]) -> tuple[float, float, float]:
    """The curvature of log T over log n for sizes n and steps T to generalise, and its 95 %
    interval.

    It is zero for a power law, and above zero where T rises faster than by one as n falls. A run
    that ends first counts as its last step. By least squares over all runs, with a parabola; the
    interval is Student's.

    Example:
        >>> steps = {
        ...     n: pd.DataFrame({"grok_step": [6400 // n] * 3, "last_step": 9_999})
        ...     for n in (1, 2, 4, 8)
        ... }
        >>> [abs(round(each, 6)) for each in curvature(steps)]
        [0.0, 0.0, 0.0]
    """
    tables_of = [table.assign(images=n) for n, table in tables.items()]
    rows = pd.concat(tables_of).astype(float)
    x, y = np.log(rows.images), np.log(rows.grok_step.fillna(rows.last_step))
    fit, spread = np.polyfit(x - x.mean(), y, 2, cov=True)
    wide = float(stats.t.ppf(0.975, len(rows) - 3) * np.sqrt(spread[0, 0]))
    return float(fit[0]), float(fit[0]) - wide, float(fit[0]) + wide


def halving(steps: Mapping[int, float]) -> float:
    """How many times as many steps a halving costs at the smallest sizes as at the largest ones.

    Example:
        >>> round(halving({100: 900.0, 200: 300.0, 400: 100.0}), 9)
        3.0
    """
    slopes = -np.diff(list(steps.values())) / np.diff(np.log2(list(steps)))
    return float(slopes[0] / max(slopes[-1], 1e-9))


@claim("LM3", "liu2022", "appendix J, Fig. 20", **_AMOUNT, runs=fig20, says="{told}")
def less_data_takes_longer(runs: Runs, *, bend: float = 2.0) -> Finding:
    """The time to generalise "increases rapidly once one drops below a certain amount of training
    data".

    Our reading: the median falls with every larger number of images, and a halving costs at least
    twice as many steps at the small end as at the large one. Sizes at which most runs generalise
    before they fit have no delay and are left out of the slopes. Open until all sizes have runs
    enough and are reached, and where it falls evenly: the bend may lie below the smallest size. So
    125 images were added, by the same rule, when those from 250 on had been seen: 1.31. A power law
    has no amount from which it is rapid, and bends by this rule. So the logarithms must bend as
    well (the interval of their `curvature` above zero), which was asked when all runs had been
    seen.
    """
    steps = {n: middle(table.grok_step) for n, table in runs.items() if len(table)}
    told = ", ".join(
        f"{n}: {f'step {step:,.0f}' if np.isfinite(step) else 'not reached'}"
        for n, step in steps.items()
    )
    late = [n for n, table in runs.items() if most(table.fit_step < table.grok_step)]
    if not runs.complete() or not np.isfinite(list(steps.values())).all() or len(late) < 2:
        return judge(None, told=told)
    factor, (bent, low, high) = (
        halving({n: steps[n] for n in late}),
        curvature({n: runs[n] for n in late}),
    )
    told += (
        f"; of {', '.join(map(str, late))} a halving costs {factor:.2f} times as many steps at the"
        " small end; the "
    )
    told += (
        f"logarithms, straight for a power law, have a curvature of {bent:.2f} ({low:.2f} to"
        f" {high:.2f}, 95 %)"
    )
    falls = bool((np.diff(list(steps.values())) <= 0).all())
    return judge(
        falls, (factor >= bend and low > 1e-9) or None, value=factor, factor=factor, told=told
    )


@claim(
    "LM4",
    "liu2022",
    "appendix J, Fig. 20",
    **_AMOUNT,
    origin="ours",
    runs=fewer,
    says=(
        "8 x 8 digits: {told} (a size that is not reached counts as its last step, no smaller one"
        " counts)"
    ),
)
def less_data_takes_longer_on_small_digits(runs: Runs, *, bend: float = 2.0) -> Finding:
    """The same on digits of 8 x 8 pixels, which the paper does not use.

    The last step of runs that do not generalise is a lower bound, so that the bend is one too. Seen
    before: from 50 images on it is 1.86, so 25 and 35 were added. With too few images the goal
    cannot be reached at all.
    """
    never = [n for n, table in runs.items() if np.isinf(middle(table.grok_step))]
    without = never[:-1] if len(never) < len(runs) else []
    there = {
        n: table.fillna({"grok_step": table.last_step})
        for n, table in runs.items()
        if n not in without
    }
    asked = {n: own for n, own in runs.experiments.items() if n not in without}
    return less_data_takes_longer.check(Runs(there, asked), bend=bend)


def letters(data: xr.Dataset) -> xr.DataArray:
    """The phase of every cell of a diagram, by "a threshold of 60% here for validation accuracy"
    and `FITTED`.

    What is not reached by the last step counts as never.
    """
    # a rule has one threshold
    scaled = data.assign(train_accuracy=data.train_accuracy * (REACHED / FITTED))
    return phases(
        scaled, PhaseRule(threshold=REACHED, cap=int(data.step.max())), goal=REACHED
    ).phase


@claim(
    "LM5",
    "liu2022",
    "section 4.3; appendix J, Fig. 8 (right)",
    **_CELLS,
    also=("LM13",),
    says="{told}",
    runs=fig8_right,
    beside=fig8_beyond,
    rule_changed=PLACES,
)
def phases_of_mnist(runs: Runs) -> Finding:
    """Over weight decay and rate of the last layer "the four phases of learning dynamics" all occur
    on MNIST: confusion at "high learning rate and high weight decay", memorisation at low ones.

    Our reading: in our diagram all four occur; confusion is at least twice as frequent where both
    values are above the middle as elsewhere, and memorisation where both are below. The paper
    prints no values of its axes, so that ours refute nothing. Cells beyond are told and decide
    nothing: where rate times decay is above 2 confusion is certain, as AdamW multiplies each weight
    by 1 less that product, and decay without end leaves nothing to learn with. They counted at
    first.
    """
    found = {label: letters(data) for label, data in runs.items()}
    told = "; ".join(
        f"{label}: " + ", ".join(f"{PHASES[k]} {float((phase == k).mean()):.0%}" for k in "CGMX")
        for label, phase in found.items()
    )
    if not enough(runs["cells"]):
        return judge(None, told=told or "not run")
    phase = found["cells"]
    halves = {name: phase.sizes[name] // 2 for name in ("weight_decay", "last_lr")}
    low = phase.isel({name: slice(half) for name, half in halves.items()})
    high = phase.isel({name: slice(half, None) for name, half in halves.items()})
    four = bool(np.isin([*"CGMX"], phase).all())
    return judge(
        four,
        mostly_there("X", high, phase),
        mostly_there("M", low, phase),
        elsewhere=True,
        told=told,
    )


def mostly_there(letter: str, part: xr.DataArray, phase: xr.DataArray) -> bool:
    """Is a phase at least twice as frequent in a part of a diagram as in the rest of it?"""
    inside, everywhere = int((part == letter).sum()), int((phase == letter).sum())
    outside = (everywhere - inside) / (phase.size - part.size)
    return 0 < inside >= 2 * outside * part.size


phases_of_small_digits = claim(
    "LM6",
    "liu2022",
    "section 4.3, Fig. 8 (right)",
    **_CELLS | _SMALL,
    runs=small_phases,
    beside=small_beyond,
    rule_changed=RULE,
    statement="The same on digits of 8 x 8 pixels, which the paper does not use.",
)(phases_of_mnist.check)


@claim(
    "LM14",
    "liu2022",
    "appendix J, Fig. 8 (right)",
    **_CELLS,
    runs=fig8_right,
    rule_changed="2026-11-24T19:45 8e5dc6e",
    says=(
        (
            "of {of} steps of our diagram from a grokking cell to the next larger decay {ended:.0%}"
            " lead to comprehension and "
        ),
        "{same:.0%} to grokking; to the next smaller decay {less:.0%} lead to comprehension",
    ),
)
def regularisation_ends_it(runs: Runs) -> Finding:
    """ "With sufficient regularization, we can again \"de-grok\" learning".

    Our reading: more decay leads from grokking to comprehension at least twice as often as less
    decay does.
    """
    data = runs["cells"]
    phase = letters(data).transpose("weight_decay", ...).values
    more, less = phase[1:][phase[:-1] == "G"], phase[:-1][phase[1:] == "G"]
    ended, back = (float((found == "C").mean()) if found.size else 0.0 for found in (more, less))
    parts = (ended > 0 and ended >= 2 * back,) if enough(data) and more.size else (None,)
    same = float((more == "G").mean()) if more.size else 0.0
    return judge(*parts, elsewhere=True, of=more.size, ended=ended, less=back, same=same)


def drawn(centre: float = 0.0, classes: int = 10, each: int = 100) -> tuple[np.ndarray, np.ndarray]:
    """Normal features of the plane about (`centre`, 0), and labels that have nothing to do with
    them."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(classes * each, 2)) + [centre, 0.0], np.repeat(np.arange(classes), each)


@claim(
    "L31",
    "liu2022",
    "appendix I, Eq. 33 and 34",
    **_LOSS,
    part_of="EL",
    kind="formula",
    shown_by="proof",
    says=(
        "f . df/dt sums to {value:.0e} on random features, and the closed form keeps Z to ",
        "{kept:.0e}; the second line of Eq. 33 has lost the minus sign of the flow, which does ",
        "not matter for a zero",
    ),
)
def size_is_kept() -> Finding:
    """The gradient flow on the effective loss keeps Z, the sum of the squared lengths of all
    features."""
    rng = np.random.default_rng(0)
    f, y = rng.normal(1, 1, size=(12, 3)), rng.integers(0, 3, 12)
    moved = velocity(f, y)
    off = abs(float((f * moved).sum()))
    kept = abs(float((flow(f, y, [np.inf]) ** 2).sum() / (f**2).sum() - 1))
    exact = max(off, kept) < 1e-10
    return judge(
        exact, loss(f + 1e-4 * moved, y) > loss(f, y), corrected=exact, value=off, kept=kept
    )


def separation(start: np.ndarray, labels: np.ndarray, time: float = np.inf) -> float:
    """Mean distance of two class means at a time of the flow over the mean distance of two features
    at its start.

    Example:
        >>> round(separation(np.array([[1.0], [1.0], [-1.0], [-1.0]]), np.array([0, 0, 1, 1])), 3)
        1.5
    """
    means, _, _ = class_parts(flow(start, labels, [time])[0], labels)
    ends = means[np.unique(labels, return_index=True)[1]]
    return float(pdist(ends).mean() / pdist(start).mean())


@claim(
    "L45",
    "liu2022",
    "appendix I",
    **_LOSS,
    kind="theorem",
    shown_by="counterexample",
    published="provably",
    also=("L32",),
    says=(
        "the loss of points that are all one is {value:.0f}, its least value, wherever that is ",
        "but at zero. A constant Z excludes that all go to zero; it is the sum of squares, the ",
        "variance only if the mean is zero: the variance of 1,000 normal features about (3, 0) ",
        "falls to {left:.1%} of its start. Where the points themselves move, class means that ",
        "differ stay apart: under the flow of {draws} random starts their smallest distance falls ",
        "to no less than {kept:.2f} of its start, in units of the largest. An encoder can make ",
        "all points one, and does (LM12)",
    ),
)
def mode_collapse_is_avoided(draws: int = 50) -> Finding:
    """The flow keeps Z, "variance of representations", so that "global collapse is avoided
    provably", and the method "can provably avoid mode collapse without contrastive pairs".

    Our reading: the variance is not lost, and not all inputs have one representation. With the
    assumption that the points themselves are free and no two class means agree at the start, as the
    means then stay apart.
    """
    start, labels = drawn(3.0)
    end = flow(start, labels, [np.inf])[0]
    left = float(end.var(axis=0).sum() / start.var(axis=0).sum())
    at_one = loss(np.ones((20, 2)), np.repeat([0, 1], 10))
    kept = []
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        first, classes = rng.normal(size=(40, 2)) + 3 * rng.normal(size=2), np.repeat(range(4), 10)
        near = [
            pdist(class_parts(f, classes)[0][::10])
            for f in (first, flow(first, classes, [np.inf])[0])
        ]
        kept.append(near[1].min() / near[1].max() / (near[0].min() / near[0].max()))
    apart = min(kept) > 1 - 1e-9
    return judge(
        at_one > 0, left >= 0.5, assumed=apart, value=at_one, left=left, draws=draws, kept=min(kept)
    )
