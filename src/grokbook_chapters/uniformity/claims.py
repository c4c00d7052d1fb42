"""Claims that sums of embeddings come close within a class (Gu et al. 2025, section 3.2, App.
B)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
import pandas as pd

from companion.claims import Finding, claim, judge
from grokbook.measures import circle_med, med, med_bound
from grokbook.tasks.arithmetic import ModularTask
from grokbook.tasks.groups import cyclic
from grokbook.theory.one_frequency import circle
from grokbook.theory.uniformity import class_sums, closeness, common_point
from grokbook_chapters.uniformity.class_shares import (
    AdditiveFit,
    additive_fit,
    additive_share,
    circle_delta,
    class_gap,
)

COLLAPSE = "Closeness of the classes forces collapse"


def embeddings(p: int, draws: int = 20) -> Iterator[np.ndarray]:
    """Embeddings of many shapes: a line, every circle, random ones of 1 to 16 dimensions, and
    mixtures with a line."""
    line = np.arange(p)[:, None] / p
    yield line
    yield from (circle(p, k) for k in range(1, p // 2 + 1))
    rng = np.random.default_rng(0)
    for n in range(draws):
        noise = rng.normal(size=(p, 2 ** (n % 5)))
        yield noise
        yield line + rng.exponential(0.3) * noise


@claim(
    "G05",
    "gu2025",
    "Theorem 3.5; Lemma 3.2",
    section=COLLAPSE,
    kind="theorem",
    shown_by="counterexample",
    also=("G02",),
    says=(
        "k_r and delta_r exist for {value:.0f} of {high:.0f} embeddings that no training has "
        "touched: any finite set lies in some ball"
    ),
)
def sums_in_balls(p: int = 13) -> Finding:
    """If the model masters A x B, there are k_r and delta_r with |phi(i) + phi(j) - k_r| < delta_r.

    Is there an embedding whose class sums lie in no ball, so that mastery would have something to
    add? Lemma 3.2 says the same of outputs, and prints no scale either.
    """
    finite = np.isfinite([closeness(phi).delta for phi in embeddings(p)])
    return judge(
        finite.any(),
        anything=finite.all(),
        value=finite.sum(),
        low=0,
        high=finite.size,
    )


@claim(
    "G06",
    "gu2025",
    "Theorem 3.5 as used, appendix B.3",
    section=COLLAPSE,
    kind="theorem",
    published="small",
    shown_by="proof",
    also=("G07", "G10"),
    bars={"close": (0.5, 1.5)},
    says=(
        "the means of all classes agree to {shared:.0e}; over {of} embeddings the mean radius of a "
        "class is never below {low:.2f} times that of the embedding: {near} are below our bar. The "
        "unit circle, which solves the task, needs {value:.5f} at p = {p} ({wheel:.2f} at p = "
        "{small}); with other bars: {bars}"
    ),
)
def sums_in_small_balls(p: int = 97, small: int = 13, *, close: float = 1.0) -> Finding:
    """Correct outputs 'directly imply' that phi(i) + phi(j) is close to one vector in each class.

    "Close" is our reading: a mean radius below `close` times the embedding's own. The circle
    answers right by its products, so it decides.
    """
    known = circle_delta(p)
    wheel = closeness(circle(small, 1)).relative
    ratios = []
    shared = 0.0
    for phi in embeddings(small):
        ratios.append(closeness(phi).relative)
        means = class_sums(phi).mean(axis=1)
        shared = max(shared, np.abs(means - common_point(phi)).max())
    return judge(
        max(known, wheel) < close,
        value=known,
        low=min(ratios),
        high=2.0,
        shared=shared,
        of=len(ratios),
        p=p,
        wheel=wheel,
        small=small,
        near=(np.array(ratios) < close - 1e-9).sum(),
    )


@claim(
    "G08",
    "gu2025",
    "Remark 3.6",
    section=COLLAPSE,
    kind="theorem",
    published="> 1",
    shown_by="proof",
    says=(
        "the nearest sums of different classes would have to be farther apart than the farthest of "
        "one class; over {of} embeddings they reach {value:.3f} of that, and never more than 1 - "
        "1/p = {high:.3f}, as proved"
    ),
)
def close_exactly_if_equivalent(p: int = 13, modular: bool = True) -> Finding:
    """Liu et al. state: phi(i) + phi(j) and phi(i') + phi(j') are close exactly if the cells are
    equivalent.

    Is there an embedding with all sums of one class closer than any two of different classes?
    """
    label = cyclic(p) if modular else np.add.outer(np.arange(p), np.arange(p))
    ratios = []
    for phi in embeddings(p):
        gap = class_gap(phi, label)
        ratios.append(gap.other / gap.same if gap.same else np.inf)
    reached = max(ratios)
    bound = 1 - 1 / p
    return judge(reached > bound + 1e-9, value=reached, low=0, high=bound, of=len(ratios))


@claim(
    "G09",
    "gu2025",
    "Theorem 3.8",
    section="Weight decay does not know the names",
    kind="theorem",
    published="some delta",
    shown_by="counterexample",
    also=("P08", "P14"),
    says=(
        "some delta above MED exists for all {of} embeddings, trained or not; what can be said is "
        "MED <= 2 cos(pi/2p) sqrt(|E|_F^2/p), which is {value:.4f} for rows of length 1 at p = {p} "
        "and is attained (largest ratio {most:.6f})"
    ),
)
def bound_on_med(p: int = 97) -> Finding:
    """When the weight decay term is below E, there is a positive delta above MED.

    A number above MED exists for any weights; the sharp bound is by the norm of the embedding.
    """
    rng = np.random.default_rng(0)
    tables = [circle(p, k) for k in range(1, p // 2 + 1)]
    tables += [rng.normal(size=(p, d)) for d in (1, 8, 128)]
    values = np.array([med(table) for table in tables])
    most = (values / [med_bound(table) for table in tables]).max()
    top = circle_med(p, p // 2)
    finite = np.isfinite(values)
    return judge(
        finite.any(),
        anything=finite.all(),
        value=top,
        low=top,
        high=top,
        of=len(tables),
        p=p,
        most=most,
    )


@cache
def splits_fitted(
    p: int, fraction: float = 0.3, seeds: int = 5, shuffled: bool = False
) -> tuple[AdditiveFit, ...]:
    """The best F(i) + G(j) on random training sets of addition modulo p, seeds 0 .. seeds-1.

    `shuffled` deals the labels out anew among the trained cells, which leaves all but the rule as
    it is.

    Example:
        >>> [fit.trained for fit in splits_fitted(7, seeds=2)]
        [1.0, 1.0]
    """
    fits = []
    for seed in range(seeds):
        task = ModularTask(p, train_fraction=fraction, seed=seed)
        labels = task.labels.reshape(p, p).copy()
        mask = task.train_mask
        if shuffled:
            labels[mask] = np.random.default_rng(seed).permutation(labels[mask])
        fits.append(additive_fit(labels, mask))
    return tuple(fits)


def best_fits(moduli: Sequence[int] = (13, 37, 97), seeds: int = 5) -> pd.DataFrame:
    """What the best additive logits get right on 30 % of the cells, with the true labels and with
    labels dealt out anew: a row a modulus, least and largest share over the splits.

    `fitted` counts the splits whose true labels are all right; `unseen` is the largest share of the
    other cells, `margin` the largest lead that any fit has left.

    Example:
        >>> best_fits([7], seeds=2)[["fitted", "most"]].values.tolist()
        [[2.0, 1.0]]
    """
    rows = {}
    for p in moduli:
        real = splits_fitted(p, seeds=seeds)
        trained = [fit.trained for fit in real]
        dealt = [fit.trained for fit in splits_fitted(p, seeds=seeds, shuffled=True)]
        rows[p] = {
            "fitted": trained.count(1),
            "least": min(trained),
            "most": max(trained),
            "dealt_least": min(dealt),
            "unseen": max(fit.unseen for fit in real),
            "margin": max(fit.margin for fit in real),
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("modulus")


@claim(
    "G11",
    "gu2025",
    "appendix B.4",
    section="No additive network can add",
    kind="theorem",
    published="feasible",
    shown_by="proof",
    seconds=10,
    says=(
        "over all cells the best additive map explains {value:.1%} of the variance of the targets: "
        "it sends every class to one common mean, so the constraints can be met only if all c_r "
        "lie within their tolerance of one point. On the trained cells alone, {fraction:.0%}, F(i) "
        "+ G(j) gives the right labels on {fits} random splits, with at best {unseen:.0%} of the "
        "other cells right"
    ),
)
def additive_targets(
    p: int = 97,
    targets: np.ndarray | None = None,
    moduli: tuple[int, ...] = (13, 37, 97),
    fraction: float = 0.3,
) -> Finding:
    """After fitting, training minimises the sum of operator norms while r' l'(phi(i)) + r''
    l''(phi(j)) is close to the vector of its class, "for any element in I x J".

    The truncations r', r'' act on one operand each. Functions f(i) + g(j) of mean zero are
    orthogonal to functions h(i + j) of mean zero, so the problem has no solution. How much of the
    targets c_r can any F(i) + G(j) explain? One-hot by default. And does any fit the training set,
    which asks for less?
    """
    share = additive_share(np.eye(p)[cyclic(p)] if targets is None else targets)
    fitted = []
    unseen = []
    for modulus in moduli:
        fits = splits_fitted(modulus, fraction)
        exact = sum(fit.trained == 1 for fit in fits)
        fitted.append(f"{exact} of {len(fits)} (p = {modulus})")
        unseen += [fit.unseen for fit in fits]
    return judge(
        share >= 1e-9,
        value=share,
        low=0,
        high=1,
        fits=", ".join(fitted),
        fraction=fraction,
        unseen=max(unseen, default=np.nan),
    )
