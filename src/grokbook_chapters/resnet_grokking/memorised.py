"""Answers to sums in pictures without a network: a memoriser that is blind to order, and an oracle
that adds."""

from __future__ import annotations

import numpy as np

from grokbook_chapters.resnet_grokking.shapes import ShapeTask


def occurrences(task: ShapeTask) -> np.ndarray:
    """How often each sample holds each glyph, float64 (N, n)."""
    return (task.inputs[:, :, None] == np.arange(task.n)).sum(axis=1).astype(float)


def remembered(task: ShapeTask) -> np.ndarray:
    """Labels (N,) that an order-blind memoriser gives: that of a training sample with the same
    glyphs in some order.

    Where there is none it gives the most frequent label of the training set. It cannot add.
    """
    known = task.targets[task.train_index]
    by_multiset = np.full(task.multisets.max() + 1, np.bincount(known).argmax())
    by_multiset[task.multisets[task.train_index]] = known
    return by_multiset[task.multisets]


def added(task: ShapeTask) -> np.ndarray:
    """Labels (N,) that an oracle gives which sees how often each glyph occurs and has to find out
    what each counts.

    Least squares on the training samples, rounded: addition learned from the training set alone.
    """
    occurs = occurrences(task)
    found = np.linalg.lstsq(occurs[task.train_index], task.targets[task.train_index], rcond=None)[0]
    return np.rint(occurs @ found).astype(np.int64)


def known_share(n: int, train_fraction: float) -> float:
    r"""Expected share of the test samples of a random split of which another order is trained.

    It is $\sum_m \frac{m\, a_m}{N} \bigl( 1 - \prod_{j=1}^{m-1} \frac{N - n_{\mathrm{train}} - j}{N
    - j} \bigr)$ over the numbers of orders m = 1, 4, 6, 12, 24 of a multiset, of which there are
    a_m; N = n^4.
    """
    samples, trained = (task := ShapeTask(n, train_fraction)).sizes()
    kinds = {m: count for m, count in task.kinds().items() if count}
    absent = {
        m: np.prod([(samples - trained - j) / (samples - j) for j in range(1, m)]) for m in kinds
    }
    return float(sum(m * count / samples * (1 - absent[m]) for m, count in kinds.items()))


def score(task: ShapeTask, labels: np.ndarray) -> float:
    """Share of the test samples whose label is right."""
    test = np.setdiff1d(np.arange(len(labels)), task.train_index)
    return float((labels == task.targets)[test].mean())
