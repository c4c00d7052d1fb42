"""The statements of Liu et al. 2022 on images: section 4.3, appendices I and J."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np
import pandas as pd
import xarray as xr

from grokbook.claims import Finding, Runs, claim, found, judge
from grokbook.claims.finding import ENOUGH, enough, most, some
from grokbook.measures import grok_times
from grokbook.measures.neural_collapse import class_parts, simplex_distance
from grokbook.measures.phases import PHASES, PhaseRule, phases
from grokbook.theory.class_collapse import flow, loss, velocity
from grokbook.topics.images.figures import encoded
from grokbook.topics.images.settings import (
    CAP,
    FITTED,
    LARGE,
    REACHED,
    SMALL_DECAY,
    by_decay,
    by_size,
    fig8,
    fig8_right,
    fig20,
    small,
    small_phases,
)

DELAY, AMOUNT, CELLS = "Large weights make a delay", "Fewer images, longer waits", "Four phases"
LOSS, COLLAPSE = "A loss that cannot shrink everything", "Neural collapse"

LATE = 1_000
"""Steps from which on a delay is one, by Table 1 of the paper."""


def reached(data: xr.Dataset) -> pd.DataFrame:
    """Fit step at 95 % of the training set, grok step at `REACHED` of the test set, a row a seed; its best accuracy."""
    fitted, late = grok_times(data), grok_times(data, threshold=REACHED)
    best = data.test_accuracy.max("step").to_series()
    return fitted[["fit_step", "last_step"]].assign(grok_step=late.grok_step, best=best)


def _delayed(runs: Mapping[float, pd.DataFrame]) -> Finding:
    """Whether most large starts generalise more than `LATE` steps after they fit, and the usual start does not.

    Runs that end before they generalise leave it open.
    """
    parts, told = [], []
    for start, wanted in ((LARGE, True), (1.0, False)):
        if (table := runs[start]) is None:
            parts.append(None)
            told.append(f"with factor {start:g}: not run")
            continue
        late = table.grok_step - table.fit_step.fillna(table.last_step) > LATE
        told.append(
            f"with factor {start:g} {some(int(late.sum()), len(table))} runs reach {REACHED:.0%} of the test set "
            f"more than {LATE:,} steps after they fit (95 % of the training set at step {_middle(table.fit_step)}, "
            f"{REACHED:.0%} of the test set at step {_middle(table.grok_step)}, medians)"
        )
        parts.append(most(late if wanted else ~late))
    return judge(*parts, told="; ".join(told))


def _middle(steps: pd.Series) -> str:
    known = steps.dropna()
    return f"{int(known.median()):,}" if 2 * len(known) > len(steps) else "later than recorded"


@claim("LM1", "liu2022", "appendix J, Fig. 8 (left)", section=DELAY, runs=fig8, through=reached,
       published="quickly fits, much later", says="{told}")  # fmt: skip
def grokking_on_mnist(runs: Runs) -> Finding:
    """With large initial weights the network "quickly fits the train set, and then much later in training validation
    accuracy improves".

    Our reading: by Table 1, more than 1,000 steps later. Control: the usual start, which must not show it.
    """
    return _delayed(runs)


@claim("LM2", "liu2022", "appendix J", section=DELAY, runs=small, through=reached, says="8 x 8 digits: {told}")
def grokking_on_small_digits(runs: Runs) -> Finding:
    """The same on 100 digits of 8 x 8 pixels, a set that the paper does not use."""
    return _delayed(runs)


@claim("LM9", "liu2022", "appendix J", section=DELAY, runs=by_decay, through=reached, says="8 x 8 digits: {told}")
def decay_ends_the_delay(runs: Runs) -> Finding:
    """Ours: it is weight decay that ends the delay. From large weights without decay most runs do not reach the test
    set by the last step of those that have it.
    """
    told, ends = [], {}
    for name, said in (("decay", f"with decay {SMALL_DECAY:g}"), ("no decay", "without decay")):
        if (table := runs[name]) is None:
            return judge(None, told=f"{said}: not run")
        there = table.grok_step.notna()
        ends[name] = most(there)
        told.append(
            f"{said} {some(int(there.sum()), len(table))} runs reach {REACHED:.0%} of the test set by step "
            f"{int(table.last_step.max()):,} (largest test accuracy of a run {table.best.max():.2f})"
        )
    known = ends["decay"] and ends["no decay"] is not None
    return judge(not ends["no decay"] if known else None, told="; ".join(told))


def _rising(runs: Mapping[int, pd.DataFrame], asked: int) -> Finding:
    """Whether the median step of generalisation falls with the number of images, and much faster at the small end.

    Open until all numbers of images that were `asked` for have runs enough and are reached, and where it falls evenly:
    the bend may lie below the smallest number.
    """
    steps = {n: table.grok_step.astype(float).fillna(np.inf).median() for n, table in runs.items() if len(table)}
    full = len(runs) == asked and all(len(table) >= ENOUGH for table in runs.values())
    told = ", ".join(f"{n}: {f'step {step:,.0f}' if np.isfinite(step) else 'not reached'}" for n, step in steps.items())
    values, halvings = np.array(list(steps.values())), np.log2(list(steps))
    if not full or not np.isfinite(values).all():
        return judge(None, told=told)
    slopes = -np.diff(values) / np.diff(halvings)
    told += f"; a halving costs {slopes[0]:,.0f} steps at the small end and {slopes[-1]:,.0f} at the large one"
    falls, bends = bool((slopes >= 0).all()), bool(slopes[0] > 0 and slopes[0] >= 2 * slopes[-1])
    if falls and not bends:
        told += f", so an amount below which it becomes rapid is not seen down to {min(steps)} images"
    return judge(falls, bends or None, told=told)


@claim("LM3", "liu2022", "appendix J, Fig. 20", section=AMOUNT, runs=fig20, through=reached, says="{told}")
def less_data_takes_longer(runs: Runs) -> Finding:
    """The time to generalise "increases rapidly once one drops below a certain amount of training data".

    Our reading: the median falls with every larger number of images, and a halving costs at least twice as many steps
    at the small end as at the large one.
    """
    return _rising(runs, len(fig20()))


@claim("LM4", "liu2022", "appendix J, Fig. 20", section=AMOUNT, runs=by_size, through=reached,
       says="8 x 8 digits: {told}")  # fmt: skip
def less_data_takes_longer_on_small_digits(runs: Runs) -> Finding:
    """The same on digits of 8 x 8 pixels, which the paper does not use."""
    return _rising(runs, len(by_size()))


RULE = PhaseRule(threshold=REACHED, cap=CAP)
"""The phases of Fig. 8 (right): "a threshold of 60% here for validation accuracy"."""


def letters(data: xr.Dataset) -> xr.DataArray:
    """The phase of every cell of a diagram: `RULE` on the test set, `FITTED` of the training set.

    What is not reached by the last step counts as never.
    """
    scaled = data.assign(train_accuracy=data.train_accuracy * (REACHED / FITTED))  # a rule has one threshold
    return phases(scaled, dataclasses.replace(RULE, cap=int(data.step.max())), goal=REACHED).phase


def _four(runs: Mapping[str, xr.Dataset | None]) -> Finding:
    data = runs["cells"]
    phase = letters(data)
    shares = {letter: float((phase == letter).mean()) for letter in "CGMX"}
    told = ", ".join(f"{PHASES[letter]} {share:.0%}" for letter, share in shares.items())
    four = all(shares.values())
    told += "" if four else "; what is missing may lie beyond our grid, since the paper prints no values of its own"
    return judge(True if four and enough(data) else None, told=told)


@claim("LM5", "liu2022", "section 4.3, Fig. 8 (right)", section=CELLS, runs=fig8_right, says="{told}")
def phases_of_mnist(runs: Runs) -> Finding:
    """Over weight decay and rate of the last layer "the four phases of learning dynamics" all occur on MNIST."""
    return _four(runs)


@claim("LM6", "liu2022", "section 4.3, Fig. 8 (right)", section=CELLS, runs=small_phases, says="8 x 8 digits: {told}")
def phases_of_small_digits(runs: Runs) -> Finding:
    """The same on digits of 8 x 8 pixels, which the paper does not use."""
    return _four(runs)


def drawn(centre: float = 0.0, classes: int = 10, each: int = 100) -> tuple[np.ndarray, np.ndarray]:
    """Normal features of the plane about (`centre`, 0), and labels that have nothing to do with them.

    Example:
        >>> drawn()[0].shape
        (1000, 2)
    """
    rng = np.random.default_rng(0)
    return rng.normal(size=(classes * each, 2)) + [centre, 0.0], np.repeat(np.arange(classes), each)


@claim("L31", "liu2022", "appendix I, Eq. 33 and 34", section=LOSS, kind="formula", shown_by="proof", says=(
    "f . df/dt sums to {value:.0e} on random features (largest of {draws}), and the closed form keeps Z to ",
    "{kept:.0e}; the second line of Eq. 33 has lost the minus sign of the flow, which does not matter for a zero",
))  # fmt: skip
def size_is_kept(draws: int = 50) -> Finding:
    """The gradient flow on the effective loss keeps Z, the sum of the squared lengths of all features."""
    off, kept = [], []
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        f, y = rng.normal(size=(12, 3)) + rng.normal(), rng.integers(0, 3, 12)
        off.append(abs(float((f * velocity(f, y)).sum())))
        kept.append(abs(float((flow(f, y, [1.0, np.inf]) ** 2).sum() / (2 * (f**2).sum()) - 1)))
    exact = max(off + kept) < 1e-10
    return found("holds with correction" if exact else "fails", max(off), draws=draws, kept=max(kept))


def separation(start: np.ndarray, labels: np.ndarray, time: float = np.inf) -> float:
    """Mean distance of two class means at a time of the flow over the mean distance of two features at its start.

    Example:
        >>> round(separation(np.array([[1.0], [1.0], [-1.0], [-1.0]]), np.array([0, 0, 1, 1])), 3)
        1.5
    """
    means, _, _ = class_parts(flow(start, labels, [time])[0], labels)
    ends = means[np.unique(labels, return_index=True)[1]]

    def apart(points: np.ndarray) -> float:
        rows, columns = np.triu_indices(len(points), 1)
        return float(np.linalg.norm(points[rows] - points[columns], axis=1).mean())

    return apart(ends) / apart(start)


@claim("L32", "liu2022", "appendix I, before Eq. 33", section=LOSS, kind="theorem", shown_by="counterexample",
       published="provably avoided", says=(
    "by global collapse the paper means that all features go to zero, which a constant Z excludes. But Z is the sum ",
    "of squares, the variance only if the mean is zero: the variance of 1,000 normal features about (3, 0) falls to ",
    "{value:.1%} of its start. The means of their ten classes, {before:.0%} as far apart as two features at the ",
    "start, end at {far:.0%}, about (0, 0) at {centred:.0%}; all means grow by one factor, directions and ratios stay",
))  # fmt: skip
def collapse_is_avoided() -> Finding:
    """Since the flow keeps Z, "variance of representations", "global collapse is avoided provably"."""
    start, labels = drawn(3.0)
    end = flow(start, labels, [np.inf])[0]
    left = float(end.var(axis=0).sum() / start.var(axis=0).sum())
    verdict = "fails" if not end.any() else "holds with correction" if left < 0.5 else "holds"
    before, far, centred = separation(start, labels, 0.0), separation(start, labels), separation(*drawn())
    return found(verdict, left, left, left, before=before, far=far, centred=centred)


@claim("LM7", "liu2022", "appendix I, Fig. 19", section=LOSS, kind="observation", shown_by="count", seconds=3, says=(
    "the loss of {images} digits in a random plane goes from {before:.2g} to {after:.0e}, and that of the same images ",
    "with labels dealt out at random to {control:.0e}: each image has a free point, so any labels collapse, and no ",
    "new image is placed by it. The means are {apart[own][1]:.0%} as far apart as two points were at the start ",
    "({apart[own][0]:.0%} then), with dealt labels {apart[dealt][1]:.0%} ({apart[dealt][0]:.0%}): what separates them ",
    "is the random encoder",
))  # fmt: skip
def digits_collapse() -> Finding:
    """ "Images of the same class collapse to their class-means, and different class-means do not collapse"; so the
    loss is "a good representation learning method".

    Control: labels dealt out at random must not collapse as well, if the method learns what the images show.
    """
    points, labels = encoded(seed=0)
    dealt = np.random.default_rng(0).permutation(labels)
    given = {"own": labels, "dealt": dealt}
    after, control = (loss(flow(points, y, [np.inf])[0], y) for y in given.values())
    apart = {name: [separation(points, y, time) for time in (0.0, np.inf)] for name, y in given.items()}
    holds = after < 1e-12
    return found("fails" if not holds else "holds" if control > 1e-3 else "needs an assumption", after, apart=apart,
                 before=loss(points, labels), after=after, control=control, images=len(labels))  # fmt: skip


@claim("LM8", "liu2022", "appendix I, relation to neural collapse", section=COLLAPSE, kind="theorem", shown_by="proof",
       says=("the flow keeps the triangle of any three class means up to its size: distance from a simplex ",
             "{before:.2f} before and {after:.2f} after (medians of {of} random starts)"))  # fmt: skip
def no_simplex() -> Finding:
    """The effective theory predicts the collapse of classes, "but does not necessarily put class-means into
    equiangular tight frames".
    """
    pairs = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        f, y = rng.normal(size=(50, 6)) + rng.normal(size=6), np.repeat(np.arange(5), 10)
        pairs.append((simplex_distance(f, y), simplex_distance(flow(f, y, [np.inf])[0], y)))
    closer = sum(after < 0.9 * before for before, after in pairs)
    before, after = np.median(pairs, axis=0)
    return found("fails" if closer == len(pairs) else "holds", after, before=before, after=after, of=len(pairs))
