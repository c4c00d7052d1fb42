"""The statements of Liu et al. 2022 on images: section 4.3, appendices I and J."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr
from scipy import stats
from scipy.spatial.distance import pdist

from companion.claims import Finding, Runs, claim, judge
from companion.claims.finding import enough, most, some_of
from grokbook.curves.delay import grok_times, middle
from grokbook.curves.phases import PHASES, PhaseRule, phases
from grokbook_chapters.images.class_collapse import flow, loss, velocity
from grokbook_chapters.images.neural_collapse import class_means
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
from grokbook_chapters.labelled import Tables

LATE = 1_000  # steps from which on a delay is one, by Table 1 of the paper


def reached(data: xr.Dataset) -> pd.DataFrame:
    """Fit step at 95 % of the training set, grok step at `REACHED` of the test set, a row a seed;
    its best accuracy."""
    fitted = grok_times(data)
    generalised = grok_times(data, threshold=REACHED)
    best = data.test_accuracy.max("step").to_series()
    return fitted[["fit_step", "last_step"]].assign(grok_step=generalised.grok_step, best=best)


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
    late = {}
    for start in (LARGE, 1.0):
        table = runs[start]
        if table is None:
            return judge(None, told=f"with factor {start:g}: not run")
        late[start] = table.grok_step - table.fit_step.fillna(table.last_step) > LATE
    told = (
        f"with factor {LARGE:g} {some_of(late[LARGE])} runs and with factor 1 {some_of(late[1.0])}"
        f" runs reach {REACHED:.0%} of the test set more than {LATE:,} steps after 95 % of the"
        " training set"
    )
    return judge(most(late[LARGE]), most(~late[1.0]), told=told)


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
    decayed = runs["decay"].grok_step.notna()
    free = runs["no decay"].grok_step.notna()
    last = int(max(table.last_step.max() for table in runs.values()))
    most_free = most(free)
    known = most(decayed) and most_free is not None
    return judge(
        not most_free if known else None,
        told=(
            f"runs that reach the test set by step {last:,}, decay: {some_of(decayed)}; no decay:"
            f" {some_of(free)}"
        ),
    )


class Curvature(NamedTuple):
    """A fitted curvature, and the bounds of its 95 % interval."""

    value: float
    low: float
    high: float


def curvature(tables: Tables) -> Curvature:
    """The curvature of log T over log n for sizes n and steps T to generalise.

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
    rows = pd.concat(tables, names=["images"]).astype(float)
    x = np.log(rows.index.get_level_values("images").to_numpy(float))
    y = np.log(rows.grok_step.fillna(rows.last_step))
    fit, covariance = np.polyfit(x - x.mean(), y, 2, cov=True)
    value = float(fit[0])
    half_width = float(stats.t.ppf(0.975, len(rows) - 3) * np.sqrt(covariance[0, 0]))
    return Curvature(value, value - half_width, value + half_width)


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
    steps = {n: middle(table.grok_step) for n, table in runs.items()}
    medians = np.array(list(steps.values()))
    told = ", ".join(f"{n}: {_reached_at(step)}" for n, step in steps.items())
    late = [n for n, table in runs.items() if most(table.fit_step < table.grok_step)]
    if not runs.complete() or not np.isfinite(medians).all() or len(late) < 2:
        return judge(None, told=told)
    factor = halving({n: steps[n] for n in late})
    bent = curvature({n: runs[n] for n in late})
    sizes = ", ".join(map(str, late))
    told += (
        f"; of {sizes} a halving costs {factor:.2f} times as many steps at the small end; the"
        f" logarithms, straight for a power law, have a curvature of {bent.value:.2f}"
        f" ({bent.low:.2f} to {bent.high:.2f}, 95 %)"
    )
    falls = (np.diff(medians) <= 0).all()
    bends = factor >= bend and bent.low > 1e-9
    return judge(falls, bends or None, value=factor, told=told)


def _reached_at(step: float) -> str:
    return f"step {step:,.0f}" if np.isfinite(step) else "not reached"


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
    judged = Runs(runs, runs.experiments)
    if len(never) < len(runs):
        for n in never[:-1]:
            del judged[n], judged.experiments[n]
    for n, table in judged.items():
        judged[n] = table.fillna({"grok_step": table.last_step})
    return less_data_takes_longer.check(judged, bend=bend)


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
    diagrams = {label: letters(data) for label, data in runs.items()}
    told = "; ".join(f"{label}: {_frequencies(phase)}" for label, phase in diagrams.items())
    if not enough(runs["cells"]):
        return judge(None, told=told or "not run")
    phase = diagrams["cells"]
    four = np.isin([*"CGMX"], phase).all()
    return judge(
        four,
        mostly_there("X", corner(phase, high=True), phase),
        mostly_there("M", corner(phase, high=False), phase),
        elsewhere=True,
        told=told,
    )


def frequency(letter: str, cells: np.ndarray | xr.DataArray) -> float:
    """Share of some cells that have a phase, 0 of none."""
    return float((cells == letter).mean()) if cells.size else 0.0


def _frequencies(phase: xr.DataArray) -> str:
    return ", ".join(f"{PHASES[letter]} {frequency(letter, phase):.0%}" for letter in "CGMX")


def corner(phase: xr.DataArray, *, high: bool) -> xr.DataArray:
    """The quarter of a diagram where rate and decay are both above its middle, or both below."""
    quarter = {}
    for name in ("weight_decay", "last_lr"):
        middle_cell = phase.sizes[name] // 2
        quarter[name] = slice(middle_cell, None) if high else slice(middle_cell)
    return phase.isel(quarter)


def share_outside(letter: str, part: xr.DataArray, phase: xr.DataArray) -> float:
    """Share of the cells outside a part of a diagram that have a phase."""
    outside = (phase == letter).sum() - (part == letter).sum()
    return float(outside / (phase.size - part.size))


def mostly_there(letter: str, part: xr.DataArray, phase: xr.DataArray) -> bool:
    """Is a phase at least twice as frequent in a part of a diagram as in the rest of it?"""
    inside = (part == letter).sum()
    return 0 < inside >= 2 * share_outside(letter, part, phase) * part.size


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
        "of {of} steps of our diagram from a grokking cell to the next larger decay {ended:.0%} "
        "lead to comprehension and {same:.0%} to grokking; to the next smaller decay {less:.0%} "
        "lead to comprehension"
    ),
)
def regularisation_ends_it(runs: Runs) -> Finding:
    """ "With sufficient regularization, we can again \"de-grok\" learning".

    Our reading: more decay leads from grokking to comprehension at least twice as often as less
    decay does.
    """
    data = runs["cells"]
    phase = letters(data).transpose("weight_decay", ...).values
    weaker = phase[:-1]
    stronger = phase[1:]
    after_more = stronger[weaker == "G"]
    after_less = weaker[stronger == "G"]
    ended = frequency("C", after_more)
    back = frequency("C", after_less)
    ends_it = ended > 0 and ended >= 2 * back
    known = enough(data) and after_more.size > 0
    return judge(
        ends_it if known else None,
        elsewhere=True,
        of=after_more.size,
        ended=ended,
        less=back,
        same=frequency("G", after_more),
    )


def drawn(centre: float = 0.0, classes: int = 10, each: int = 100) -> tuple[np.ndarray, np.ndarray]:
    """Normal features of the plane about (`centre`, 0), and labels that have nothing to do with
    them."""
    features = np.random.default_rng(0).normal(size=(classes * each, 2)) + [centre, 0.0]
    return features, np.repeat(np.arange(classes), each)


@claim(
    "L31",
    "liu2022",
    "appendix I, Eq. 33 and 34",
    **_LOSS,
    part_of="EL",
    kind="formula",
    shown_by="proof",
    says=(
        "f . df/dt sums to {value:.0e} on random features, and the closed form keeps Z to "
        "{kept:.0e}; the second line of Eq. 33 has lost the minus sign of the flow, which does not "
        "matter for a zero"
    ),
)
def size_is_kept() -> Finding:
    """The gradient flow on the effective loss keeps Z, the sum of the squared lengths of all
    features."""
    rng = np.random.default_rng(0)
    f = rng.normal(1, 1, size=(12, 3))
    y = rng.integers(0, 3, 12)
    direction = velocity(f, y)
    off = abs(float((f * direction).sum()))
    limit = flow(f, y, [np.inf])
    kept = abs(float((limit**2).sum() / (f**2).sum() - 1))
    exact = max(off, kept) < 1e-10
    rises = loss(f + 1e-4 * direction, y) > loss(f, y)
    return judge(exact, rises, corrected=exact, value=off, kept=kept)


def separation(start: np.ndarray, labels: np.ndarray, time: float = np.inf) -> float:
    """Mean distance of two class means at a time of the flow over the mean distance of two features
    at its start.

    Example:
        >>> round(separation(np.array([[1.0], [1.0], [-1.0], [-1.0]]), np.array([0, 0, 1, 1])), 3)
        1.5
    """
    ends = class_means(flow(start, labels, [time])[0], labels)
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
        "the loss of points that are all one is {value:.0f}, its least value, wherever that is but "
        "at zero. A constant Z excludes that all go to zero; it is the sum of squares, the "
        "variance only if the mean is zero: the variance of 1,000 normal features about (3, 0) "
        "falls to {left:.1%} of its start. Where the points themselves move, class means that "
        "differ stay apart: under the flow of {draws} random starts their smallest distance falls "
        "to no less than {kept:.2f} of its start, in units of the largest. An encoder can make all "
        "points one, and does (LM12)"
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
    left = end.var(axis=0).sum() / start.var(axis=0).sum()
    at_one = loss(np.ones((20, 2)), np.repeat([0, 1], 10))
    kept = min(_nearness_kept(seed) for seed in range(draws))
    return judge(
        at_one > 0,
        left >= 0.5,
        assumed=kept > 1 - 1e-9,
        value=at_one,
        left=left,
        draws=draws,
        kept=kept,
    )


def _nearness_kept(seed: int) -> float:
    """The nearness of random class means in the limit of the flow, as a part of that at its
    start."""
    rng = np.random.default_rng(seed)
    classes = np.repeat(range(4), 10)
    start = rng.normal(size=(40, 2)) + 3 * rng.normal(size=2)
    end = flow(start, classes, [np.inf])[0]
    return _nearness(end, classes) / _nearness(start, classes)


def _nearness(features: np.ndarray, classes: np.ndarray) -> float:
    """The smallest distance of two class means in units of the largest."""
    distances = pdist(class_means(features, classes))
    return float(distances.min() / distances.max())
