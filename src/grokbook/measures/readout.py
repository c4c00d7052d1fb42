r"""A fresh read-out: the last layer refitted on the training samples, in closed form, while the
rest of the network stays as it is.

A network answers with its features, the activations that its last layer reads, and with that
layer. The test accuracy cannot tell which of the two is not ready. A linear rule that is fitted
anew to the features of the training samples can: what it says of the test samples is in the
features.
"""

from __future__ import annotations

import numpy as np

from grokbook.errors import ParameterError
from grokbook.measures.inputs import Array, class_labels, rows

RIDGE = 1e-3
"""What is added to the scatter within classes, in units of the mean variance of a coordinate."""


def _training_rows(train: Array) -> np.ndarray:
    """Numbers of the training rows, from numbers or from a mask."""
    index = np.asarray(train)
    return np.flatnonzero(index) if index.dtype == bool else index


def linear_probe(points: Array, labels: Array, train: Array, *, ridge: float = RIDGE) -> np.ndarray:
    r"""The class that a linear probe, fitted on some of the rows, gives to every row: Fisher's
    discriminant.

    .. math:: \hat y(x) = \arg\max_r \; \mu_r^T S^{-1} x - \tfrac12 \mu_r^T S^{-1} \mu_r, \qquad
              S = \frac1n \sum_{k} (x_k - \mu_{y_k})(x_k - \mu_{y_k})^T + \varepsilon I .

    The means $\mu_r$ and the scatter within classes come from the rows that `train` names;
    $\varepsilon$ is `ridge` times the mean variance of a coordinate. The probe is in closed form
    and uses nothing of the other rows' labels, so its score on those can fail, as the separability
    of pairs of small classes cannot. Classes without a training row are never answered. Rotated,
    scaled or shifted rows get the same answers.

    Args:
        points: (n, d), one row a sample.
        labels: (n,) integers, the class of each row.
        train: numbers of the rows that the probe is fitted on, or a bool mask (n,).
        ridge: a positive number.

    Returns:
        (n,) integers.

    Raises ParameterError for another number of labels, one class only, no training row, values that
    are not finite.

    >>> linear_probe([[0.0], [0.1], [1.0], [1.1], [0.9]], [3, 3, 5, 5, 3], [0, 1, 2, 3]).tolist()
    [3, 3, 5, 5, 5]

    Source: Fisher 1936; as a probe of layers, Alain and Bengio 2016.
    """
    table = rows(points, name="points")
    label = class_labels(labels, len(points))
    index = _training_rows(train)
    if not index.size or not 0 < ridge < np.inf:
        raise ParameterError(
            f"a probe needs a training row and a positive ridge, not {index.size} rows and {ridge}."
        )
    known, own = np.unique(label[index], return_inverse=True)
    seen = table[index]
    means = np.zeros((known.size, table.shape[1]))
    np.add.at(means, own, seen)
    means /= np.bincount(own)[:, None]
    within = seen - means[own]
    scatter = within.T @ within / index.size + ridge * (seen.var(axis=0).mean() or 1.0) * np.eye(
        table.shape[1]
    )
    reader = np.linalg.solve(scatter, means.T)
    scores = table @ reader - (means.T * reader).sum(axis=0) / 2
    return known[scores.argmax(axis=1)].astype(np.int64)


def fresh_readout(features: Array, labels: Array, train: Array, *, ridge: float = RIDGE) -> float:
    r"""The test accuracy of a fresh read-out: the share of the rows outside `train` to which a
    linear probe, fitted on those of `train`, gives their label.

    .. math:: \mathrm{FR} = \Pr\bigl(\hat y(h_x) = y_x \bigm| x \notin T\bigr)

    Args:
        features: $h$, (n, d), what the last layer reads of each sample (`View.features`).
        labels: $y$, (n,) integers.
        train: $T$, numbers of the training rows, or a bool mask (n,).
        ridge: as `linear_probe`.

    Returns:
        A share in [0, 1].

    Raises ParameterError where every row is a training row, and as `linear_probe`.

    >>> fresh_readout([[0.0], [0.1], [1.0], [1.1], [0.9], [0.2]], [3, 3, 5, 5, 3, 3], [0, 1, 2, 3])
    0.5

    Source: Chou et al. 2026, arXiv:2605.27078, whose abstract says that the read-out is biased to
    the training set before a network groks; the discriminant, and its ridge, are ours.
    """
    answers = linear_probe(features, labels, train, ridge=ridge)
    is_test = np.ones(len(answers), dtype=bool)
    is_test[_training_rows(train)] = False
    if not is_test.any():
        raise ParameterError(f"all {len(answers)} rows are training rows; none is left to test.")
    return float((answers == np.asarray(labels).ravel())[is_test].mean())


def dealt_labels(labels: Array, train: Array, seed: int | list[int] = 0) -> np.ndarray:
    """The labels (n,) with those of the training rows dealt out among them at random: a sham of
    `fresh_readout`, since the test rows keep theirs.

    >>> dealt_labels([1, 2, 3, 4], [0, 1], seed=1)[2:].tolist()
    [3, 4]
    """
    dealt = np.array(labels)
    index = _training_rows(train)
    dealt[index] = np.random.default_rng(seed).permutation(dealt[index])
    return dealt
