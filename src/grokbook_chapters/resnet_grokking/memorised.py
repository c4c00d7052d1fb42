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
    known = task.train_index
    values = np.linalg.lstsq(occurs[known], task.targets[known], rcond=None)[0]
    return np.rint(occurs @ values).astype(np.int64)


def known_share(n: int, train_fraction: float) -> float:
    r"""Expected share of the test samples of a random split of which another order is trained.

    It is $\sum_m \frac{m\, a_m}{N} \bigl( 1 - \prod_{j=1}^{m-1} \frac{N - n_{\mathrm{train}} - j}{N
    - j} \bigr)$ over the numbers of orders m = 1, 4, 6, 12, 24 of a multiset, of which there are
    a_m; N = n^4.
    """
    task = ShapeTask(n, train_fraction)
    samples, trained = task.sizes()
    share = 0.0
    for orders, count in task.kinds().items():
        if count:
            j = np.arange(1, orders)
            none_trained = np.prod((samples - trained - j) / (samples - j))
            share += orders * count / samples * (1 - none_trained)
    return float(share)


def tested(task: ShapeTask) -> np.ndarray:
    """Numbers of the test samples."""
    return np.setdiff1d(np.arange(len(task.inputs)), task.train_index)


def score(task: ShapeTask, labels: np.ndarray) -> float:
    """Share of the test samples whose label is right."""
    return (labels == task.targets)[tested(task)].mean()
