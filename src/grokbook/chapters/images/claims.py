"""The statements of Liu et al. 2022 on images: section 4.3, appendices I and J."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from scipy import stats
from scipy.spatial.distance import pdist

from grokbook.chapters.images.runs import (
    FITTED,
    LARGE,
    REACHED,
    SMALL_RUN,
    by_decay,
    fewer,
    fig8,
    fig8_beyond,
    fig8_corner,
    fig8_right,
    fig20,
    small,
    small_beyond,
    small_phases,
)
from grokbook.claims import Finding, Runs, claim, judge
from grokbook.claims.finding import enough, most, some
from grokbook.measures.neural_collapse import class_parts, simplex_distance
from grokbook.runs.delay import grok_times, middle
from grokbook.runs.phases import PHASES, PhaseRule, phases
from grokbook.theory.class_collapse import flow, loss, velocity

LATE = 1_000  # steps from which on a delay is one, by Table 1 of the paper


def reached(data: xr.Dataset) -> pd.DataFrame:
    """Fit step at 95 % of the training set, grok step at `REACHED` of the test set, a row a seed; its best accuracy."""
    fitted, late = grok_times(data), grok_times(data, threshold=REACHED)
    best = data.test_accuracy.max("step").to_series()
    return fitted[["fit_step", "last_step"]].assign(grok_step=late.grok_step, best=best)


_DELAY: dict[str, Any] = {"section": "Large weights make a delay", "through": reached}
_AMOUNT: dict[str, Any] = {"section": "Fewer images, longer waits", "through": reached, "bars": {"bend": (1.5, 3.0)},
                           "rule_changed": "2026-11-24T19:45 8e5dc6e"}  # fmt: skip
_CELLS: dict[str, Any] = {"section": "Four phases"}
_FOUR = _CELLS | {"rule_changed": "2026-11-26T19:15:00+00:00 7719d16"}
_LOSS: dict[str, Any] = {"section": "A loss that cannot shrink everything"}
_LESS: dict[str, Any] = {"origin": "ours", "rule_changed": "2026-11-26T19:24:00+00:00 122da01"}
_SMALL: dict[str, Any] = {"origin": "ours", "says": "8 x 8 digits: {told}"}


@claim("LM1", "liu2022", "appendix J, Fig. 8 (left)", **_DELAY, runs=fig8, published="quickly fits, much later",
       says="{told}")  # fmt: skip
def grokking_on_mnist(runs: Runs) -> Finding:
    """With large initial weights the network "quickly fits the train set, and then much later in training validation
    accuracy improves".

    Our reading: by Table 1, more than 1,000 steps later. Control: the usual start, which must not show it. Runs that
    end before they generalise leave it open.
    """
    parts, told = [], []
    for start in (LARGE, 1.0):
        if (table := runs[start]) is None:
            parts.append(None)
            told.append(f"with factor {start:g}: not run")
            continue
        late = table.grok_step - table.fit_step.fillna(table.last_step) > LATE
        at = [f"{step:,.0f}" if np.isfinite(step) else "later than recorded"
              for step in (middle(table.fit_step), middle(table.grok_step))]  # fmt: skip
        told.append(f"with factor {start:g} {some(int(late.sum()), len(table))} runs reach {REACHED:.0%} of the test "
                    f"set more than {LATE:,} steps after they fit (95 % of the training set at step {at[0]}, "
                    f"{REACHED:.0%} of the test set at step {at[1]}, medians)")  # fmt: skip
        parts.append(most(late if start == LARGE else ~late))
    return judge(*parts, told="; ".join(told))


grokking_on_small_digits = claim(
    "LM2", "liu2022", "appendix J", **_DELAY | _SMALL, runs=small,
    statement="The same on 100 digits of 8 x 8 pixels, a set that the paper does not use.",
)(grokking_on_mnist.check)  # fmt: skip


@claim("LM9", "liu2022", "appendix J", **_DELAY | _SMALL, runs=by_decay)
def decay_ends_the_delay(runs: Runs) -> Finding:
    """It is weight decay that ends the delay. From large weights without decay most runs do not reach the test
    set by the last step of those that have it.
    """
    told, ends = [], []
    for name, said in (("decay", f"with decay {SMALL_RUN['decay']:g}"), ("no decay", "without decay")):
        if (table := runs[name]) is None:
            return judge(None, told=f"{said}: not run")
        there = table.grok_step.notna()
        ends.append(most(there))
        told.append(
            f"{said} {some(int(there.sum()), len(table))} runs reach {REACHED:.0%} of the test set by step "
            f"{int(table.last_step.max()):,} (largest test accuracy of a run {table.best.max():.2f})"
        )
    known = ends[0] and ends[1] is not None
    return judge(not ends[1] if known else None, told="; ".join(told))


def curvature(tables: Mapping[int, pd.DataFrame]) -> tuple[float, float, float]:
    """The curvature of log T over log n for sizes n and steps T to generalise, and its 95 % interval.

    It is zero for a power law, and above zero where T rises faster than by one as n falls. A run that ends first counts
    as its last step. By least squares over all runs, with a parabola; the interval is Student's.

    Example:
        >>> steps = {n: pd.DataFrame({"grok_step": [6400 // n] * 3, "last_step": 9_999}) for n in (1, 2, 4, 8)}
        >>> [abs(round(each, 6)) for each in curvature(steps)]
        [0.0, 0.0, 0.0]
    """
    steps = {n: table.grok_step.fillna(table.last_step).to_numpy(float) for n, table in tables.items()}
    x = np.log(np.repeat(list(steps), [len(each) for each in steps.values()]))
    y = np.log(np.concatenate(list(steps.values())))
    terms = np.vander(x - x.mean(), 3)
    fit = np.linalg.lstsq(terms, y, rcond=None)[0]
    left = len(x) - 3
    variance = float(((y - terms @ fit) ** 2).sum()) / left
    error = float(np.sqrt(variance * np.linalg.inv(terms.T @ terms)[0, 0]))
    wide = float(stats.t.ppf(0.975, left)) * error
    return float(fit[0]), float(fit[0]) - wide, float(fit[0]) + wide


@claim("LM3", "liu2022", "appendix J, Fig. 20", **_AMOUNT, runs=fig20, says="{told}")
def less_data_takes_longer(runs: Runs, *, bend: float = 2.0) -> Finding:
    """The time to generalise "increases rapidly once one drops below a certain amount of training data".

    Our reading: the median falls with every larger number of images, and a halving costs at least twice as many steps
    at the small end as at the large one. Sizes at which most runs generalise before they fit have no delay and are left
    out of the slopes. Open until all sizes have runs enough and are reached, and where it falls evenly: the bend may
    lie below the smallest size. So 125 images were added, by the same rule, when those from 250 on had been seen: 1.31.
    A power law has no amount from which it is rapid, and bends by this rule. So the logarithms must bend as well (the
    interval of their `curvature` above zero), which was asked when all runs had been seen.
    """
    steps = {n: middle(table.grok_step) for n, table in runs.items() if len(table)}
    told = ", ".join(f"{n}: {f'step {step:,.0f}' if np.isfinite(step) else 'not reached'}" for n, step in steps.items())
    late = [n for n, table in runs.items() if most(table.fit_step < table.grok_step)]
    if not runs.complete() or not np.isfinite(list(steps.values())).all() or len(late) < 2:
        return judge(None, told=told)
    early, bends = [str(n) for n in runs if n not in late], []
    for sizes in (late, [*steps]):
        slopes = -np.diff([steps[n] for n in sizes]) / np.diff(np.log2(sizes))
        bends.append(slopes[0] / max(slopes[-1], 1e-9))
    told += f"; at the small end a halving costs {bends[0]:.2f} times as many steps as at the large one"
    told += f" ({bends[1]:.2f} with {', '.join(early)} images, where most runs generalise first)" * bool(early)
    falls = bool((np.diff(list(steps.values())) <= 0).all())
    bent, low, high = curvature({n: runs[n] for n in late})
    told += "; the logarithms, straight for a power law, have a curvature of "
    told += f"{bent:.2f} ({low:.2f} to {high:.2f}, 95 %)"
    rapid = bool(bends[0] >= bend) and low > 1e-9
    return judge(falls, rapid or None, value=float(bends[0]), factor=float(bends[0]), told=told)


@claim("LM4", "liu2022", "appendix J, Fig. 20", **_AMOUNT | _LESS, runs=fewer, says=(
    "8 x 8 digits: {told} (a size that is not reached counts as its last step, no smaller one counts)"))  # fmt: skip
def less_data_takes_longer_on_small_digits(runs: Runs, *, bend: float = 2.0) -> Finding:
    """The same on digits of 8 x 8 pixels, which the paper does not use.

    The last step of runs that do not generalise is a lower bound, so that the bend is one too. Seen before: from 50
    images on it is 1.86, so 25 and 35 were added. With too few images the goal cannot be reached at all.
    """
    never = [n for n, table in runs.items() if np.isinf(middle(table.grok_step))]
    without = never[:-1] if len(never) < len(runs) else []
    there = {n: table.fillna({"grok_step": table.last_step}) for n, table in runs.items() if n not in without}
    asked = {n: own for n, own in runs.experiments.items() if n not in without}
    return less_data_takes_longer.check(Runs(there, asked), bend=bend)


def letters(data: xr.Dataset) -> xr.DataArray:
    """The phase of every cell of a diagram, by "a threshold of 60% here for validation accuracy" and `FITTED`.

    What is not reached by the last step counts as never.
    """
    scaled = data.assign(train_accuracy=data.train_accuracy * (REACHED / FITTED))  # a rule has one threshold
    return phases(scaled, PhaseRule(threshold=REACHED, cap=int(data.step.max())), goal=REACHED).phase


@claim("LM5", "liu2022", "section 4.3, Fig. 8 (right)", **_FOUR, runs=fig8_beyond, beside=fig8_right, says="{told}")
def phases_of_mnist(runs: Runs) -> Finding:
    """Over weight decay and rate of the last layer "the four phases of learning dynamics" all occur on MNIST.

    Our reading: in our diagram, with three seeds or more. Cells beyond it are told beside and decide nothing: decay
    without end leaves nothing to learn with, so that confusion is certain there. They counted at first.
    """
    found = {label: letters(data).values for label, data in runs.items()}
    told = "; ".join(f"{label}: " + ", ".join(f"{PHASES[letter]} {(phase == letter).mean():.0%}" for letter in "CGMX")
                     for label, phase in found.items())  # fmt: skip
    inside = found.get("cells")
    four = inside is not None and all((inside == letter).any() for letter in "CGMX")
    told += "" if four else "; what is missing may lie further out, since the paper prints no values of its own"
    return judge(four if runs.complete() and enough(runs["cells"]) else None, elsewhere=True, told=told)


phases_of_small_digits = claim(
    "LM6", "liu2022", "section 4.3, Fig. 8 (right)", **_FOUR | _SMALL, runs=small_beyond, beside=small_phases,
    statement="The same on digits of 8 x 8 pixels, which the paper does not use.",
)(phases_of_mnist.check)  # fmt: skip


@claim("LM13", "liu2022", "appendix J, Fig. 8 (right)", **_CELLS, runs=fig8_corner, beside=fig8_right,
       rule_changed="2026-11-26T21:36:00+00:00 837a86a", says=(
    "beyond our diagram a larger decay leads into confusion {weight_decay[0]} times, out of it {weight_decay[1]}; a ",
    "larger rate {last_lr[0]} and {last_lr[1]}; of the diagram's cells with low values {low:.0%} are memorisation, of ",
    "the others {others:.0%}"))  # fmt: skip
def places_of_the_phases(runs: Runs) -> Finding:
    """ "A \"confusion\" phase in the bottom right (high learning rate and high weight decay)", "and a \"memorization\"
    phase at low weight decay and low learning rate".

    Our reading: beside the corner a larger decay, and a larger rate, leads into confusion, at least twice as often as
    out of it; where both values are below the middle of our diagram, memorisation is at least twice as frequent as
    elsewhere. The paper prints no values of its axes. No cell of ours had been confused, so the corner was added. Where
    rate times decay is above 2 confusion is certain: AdamW multiplies each weight by 1 less that product. Such cells
    counted at first, and do not now.
    """
    corner, data = runs["corner"], runs["cells"]
    if corner is None or data is None:
        return Finding("not run", "not run")
    memorised = (letters(data) == "M").transpose("seed", ...)
    inside = memorised.isel({name: slice(data.sizes[name] // 2) for name in ("weight_decay", "last_lr")})
    low, others = float(inside.mean()), float((memorised.sum() - inside.sum()) / (memorised.size - inside.size))
    product = corner.weight_decay * corner.last_lr
    confused = (letters(corner) == "X").astype(float).where(product <= 2)
    turns = {name: confused.diff(name) for name in ("weight_decay", "last_lr")}
    ways = {name: (int((turn > 0).sum()), int((turn < 0).sum())) for name, turn in turns.items()}
    leads = all(into >= max(1, 2 * out) for into, out in ways.values())
    parts = (leads, 0 < low >= 2 * others) if enough(corner, data) else (None,)
    return judge(*parts, elsewhere=True, low=low, others=others, **ways)


@claim("LM14", "liu2022", "appendix J, Fig. 8 (right)", **_CELLS, runs=fig8_right,
       rule_changed="2026-11-24T19:45 8e5dc6e", says=(
    "of {of} steps of our diagram from a grokking cell to the next larger decay {ended:.0%} lead to comprehension and ",
    "{same:.0%} to grokking; to the next smaller decay {less:.0%} lead to comprehension"))  # fmt: skip
def regularisation_ends_it(runs: Runs) -> Finding:
    """ "With sufficient regularization, we can again \"de-grok\" learning".

    Our reading: more decay leads from grokking to comprehension at least twice as often as less decay does.
    """
    data = runs["cells"]
    phase = letters(data).transpose("weight_decay", ...).values
    more, less = phase[1:][phase[:-1] == "G"], phase[:-1][phase[1:] == "G"]
    ended, back = (float((found == "C").mean()) if found.size else 0.0 for found in (more, less))
    parts = (ended > 0 and ended >= 2 * back,) if enough(data) and more.size else (None,)
    same = float((more == "G").mean()) if more.size else 0.0
    return judge(*parts, elsewhere=True, of=more.size, ended=ended, less=back, same=same)


def drawn(centre: float = 0.0, classes: int = 10, each: int = 100) -> tuple[np.ndarray, np.ndarray]:
    """Normal features of the plane about (`centre`, 0), and labels that have nothing to do with them."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(classes * each, 2)) + [centre, 0.0], np.repeat(np.arange(classes), each)


@claim("L31", "liu2022", "appendix I, Eq. 33 and 34", **_LOSS, part_of="EL", kind="formula",
       shown_by="proof", says=(
    "f . df/dt sums to {value:.0e} on random features (largest of {draws}), and the closed form keeps Z to ",
    "{kept:.0e}; the second line of Eq. 33 has lost the minus sign of the flow, which does not matter for a zero"))
def size_is_kept(draws: int = 50) -> Finding:
    """The gradient flow on the effective loss keeps Z, the sum of the squared lengths of all features."""
    off, kept, rises = [], [], []
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        f, y = rng.normal(size=(12, 3)) + rng.normal(), rng.integers(0, 3, 12)
        off.append(abs(float((f * velocity(f, y)).sum())))
        rises.append(loss(f + 1e-4 * velocity(f, y), y) > loss(f, y))
        kept.append(abs(float((flow(f, y, [1.0, np.inf]) ** 2).sum() / (2 * (f**2).sum()) - 1)))
    exact = max(off + kept) < 1e-10
    return judge(exact, all(rises), corrected=exact, value=max(off), draws=draws, kept=max(kept))


def separation(start: np.ndarray, labels: np.ndarray, time: float = np.inf) -> float:
    """Mean distance of two class means at a time of the flow over the mean distance of two features at its start.

    Example:
        >>> round(separation(np.array([[1.0], [1.0], [-1.0], [-1.0]]), np.array([0, 0, 1, 1])), 3)
        1.5
    """
    means, _, _ = class_parts(flow(start, labels, [time])[0], labels)
    ends = means[np.unique(labels, return_index=True)[1]]
    return float(pdist(ends).mean() / pdist(start).mean())


@claim("L32", "liu2022", "appendix I, before Eq. 33", **_LOSS, kind="theorem", shown_by="counterexample",
       published="provably avoided", says=(
    "by global collapse the paper means that all features go to zero, which a constant Z excludes. But Z is the sum ",
    "of squares, the variance only if the mean is zero: the variance of 1,000 normal features about (3, 0) falls to ",
    "{value:.1%} of its start. The means of their ten classes, {before:.0%} as far apart as two features at the ",
    "start, end at {far:.0%}, about (0, 0) at {centred:.0%}; all means grow by one factor, directions and ratios stay"))
def collapse_is_avoided() -> Finding:
    """Since the flow keeps Z, "variance of representations", "global collapse is avoided provably"."""
    start, labels = drawn(3.0)
    end = flow(start, labels, [np.inf])[0]
    left = float(end.var(axis=0).sum() / start.var(axis=0).sum())
    before, far, centred = separation(start, labels, 0.0), separation(start, labels), separation(*drawn())
    apart = bool(end.any())
    return judge(apart, left >= 0.5, corrected=apart, value=left, low=left, high=left, before=before, far=far,
                 centred=centred)  # fmt: skip


@claim("LM8", "liu2022", "appendix I, relation to neural collapse", section="Neural collapse", kind="theorem",
       shown_by="proof", says=(
    "the flow keeps the triangle of any three class means up to its size: distance from a simplex {before:.2f} before ",
    "and {after:.2f} after (medians of {of} random starts)"))  # fmt: skip
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
    return judge(closer < len(pairs), value=after, before=before, after=after, of=len(pairs))
