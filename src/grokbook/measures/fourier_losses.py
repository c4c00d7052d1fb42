r"""Restricted and excluded loss: how much of the answer, and how much of the fit, is in a few waves
of the class.

Where the class of a cell is an element s of a cyclic group of order n (s = i + j mod p for
addition, n = p), the logits z are split in two. $M_r$ is the mean logit row of the cells of class
r, and a discrete Fourier transform over r keeps of it the frequency 0 and some key frequencies. The
waves $\cos(2\pi ks/n)$ and $\sin(2\pi ks/n)$ of Nanda et al. 2023 are the columns of that
transform.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from grokbook.errors import ParameterError
from grokbook.measures.inputs import Array, rows, to_numpy, whole

N_KEY = 5  # number of key frequencies, as in Nanda et al. 2023


@dataclass(frozen=True)
class CyclicClasses:
    """The class of every cell as an element of a cyclic group of order `order`; -1 where a cell has
    none.

    `classes` is int64 of shape (p*p,), in the order of the cell numbers.
    """

    classes: np.ndarray
    order: int

    @property
    def cells(self) -> np.ndarray:
        """Numbers of the cells that have a class."""
        return np.flatnonzero(self.classes >= 0)


def class_means(logits: Array, group: CyclicClasses) -> np.ndarray:
    r"""Mean logit row of each class, $M_r$, shape (order, C), from the logits (p*p, C) of all
    cells.

    Raises ParameterError if a class has no cell or the logits are not one finite row a cell.
    """
    table = rows(logits, least=1, name="logits")
    if len(table) != len(group.classes):
        raise ParameterError(
            f"logits have {len(table)} rows, but there are {len(group.classes)} cells."
        )
    classes = group.classes[group.cells]
    sizes = np.bincount(classes, minlength=group.order)
    if (sizes == 0).any():
        raise ParameterError(
            f"class {int(np.argmin(sizes))} has no cell, but every class needs one."
        )
    totals = np.zeros((group.order, table.shape[1]))
    np.add.at(totals, classes, table[group.cells])
    return totals / sizes[:, None]


def key_frequencies(logits: Array, group: CyclicClasses, n: int = N_KEY) -> list[int]:
    r"""The n frequencies k > 0 with the most power $\lVert\hat M_k\rVert^2$ in the class means,
    strongest first.

    `logits` has shape (p*p, C). Raises ParameterError for n outside 1, ..., floor(order/2) and as
    `class_means`.

    >>> group = CyclicClasses(np.add.outer(np.arange(7), np.arange(7)).ravel() % 7, 7)
    >>> wave = np.cos(2 * np.pi * 3 * (group.classes[:, None] - np.arange(7)) / 7)
    >>> key_frequencies(wave, group, 1)
    [3]

    Source: Nanda et al. 2023 choose five by ablation at the end of training; here by power, at any
    step.
    """
    power = (np.abs(np.fft.rfft(class_means(logits, group), axis=0)) ** 2).sum(axis=1)[1:]
    order = np.argsort(-power, kind="stable")[: whole(n, "n", least=1, most=power.size)]
    return [int(k) + 1 for k in order]


def _filtered(means: np.ndarray, frequencies: Sequence[int], *, constant: bool) -> np.ndarray:
    """The class means with all but the given frequencies (and the constant, if kept) set to
    zero."""
    spectrum = np.fft.rfft(means, axis=0)
    chosen = np.zeros(len(spectrum), dtype=bool)
    chosen[[whole(k, "frequency", least=1, most=len(spectrum) - 1) for k in frequencies]] = True
    chosen[0] = constant
    return np.fft.irfft(np.where(chosen[:, None], spectrum, 0), n=len(means), axis=0)


def cross_entropy(logits: Array, labels: Array) -> float:
    r"""Mean cross entropy $\ln\sum_c e^{z_c} - z_y$ of logit rows (N, C) with labels (N,), in nats.

    Raises ParameterError if the two do not fit together or a logit is not finite.
    """
    table = rows(logits, least=1, name="logits")
    answers = to_numpy(labels).astype(np.int64)
    if answers.shape != (len(table),) or answers.min() < 0 or answers.max() >= table.shape[1]:
        raise ParameterError(f"labels must be {len(table)} classes from 0 to {table.shape[1] - 1}.")
    return float((logsumexp(table, axis=1) - table[np.arange(len(table)), answers]).mean())


def restricted_loss(
    logits: Array, labels: Array, group: CyclicClasses, frequencies: Sequence[int]
) -> float:
    r"""Loss on all cells when of the logits only the constant and the key waves of the class are
    kept.

    With $M_r$ the class means, the logits of a cell of class s become $\hat M_0 + \sum_{k\in K}$
    (waves k of M at s). `logits` (p*p, C) and `labels` (p*p,) of all cells, K = `frequencies`;
    cells without a class (products with a zero) are left out. In nats, 0 or more.

    Raises ParameterError as `class_means`, and for a frequency outside 1, ..., floor(order/2).

    >>> labels = np.add.outer(np.arange(7), np.arange(7)).ravel() % 7
    >>> group = CyclicClasses(labels, 7)
    >>> wave = 9 * np.cos(2 * np.pi * 3 * (labels[:, None] - np.arange(7)) / 7)
    >>> full = cross_entropy(wave, labels)
    >>> bool(np.isclose(restricted_loss(wave, labels, group, [3]), full))
    True

    Source: Nanda et al. 2023, section 5.1, for i + j on the full grid, where both agree: all
    classes have p cells, so the mean over a class and the projection on its waves are one thing.
    """
    filtered = _filtered(class_means(logits, group), frequencies, constant=True)
    return cross_entropy(filtered[group.classes[group.cells]], to_numpy(labels)[group.cells])


def excluded_loss(
    logits: Array,
    labels: Array,
    group: CyclicClasses,
    frequencies: Sequence[int],
    cells: Array | None = None,
) -> float:
    r"""Loss on some cells (the training set) when the key waves of the class are taken out of the
    logits.

    The logits of a cell of class s become $z - \sum_{k\in K}$ (waves k of the class means at s).
    `cells` are cell numbers (default: all); those without a class are left out. In nats, 0 or more.

    Raises ParameterError as `restricted_loss`, and if no cell is left.

    >>> labels = np.add.outer(np.arange(7), np.arange(7)).ravel() % 7
    >>> group = CyclicClasses(labels, 7)
    >>> wave = 9 * np.cos(2 * np.pi * 3 * (labels[:, None] - np.arange(7)) / 7)
    >>> bool(np.isclose(excluded_loss(wave, labels, group, [3]), np.log(7)))
    True

    Source: Nanda et al. 2023, section 5.1.
    """
    wanted = (
        group.cells
        if cells is None
        else np.intersect1d(to_numpy(cells).astype(np.int64), group.cells)
    )
    if not wanted.size:
        raise ParameterError("cells holds no cell with a class, but at least one is needed.")
    waves = _filtered(class_means(logits, group), frequencies, constant=False)
    table = rows(logits, least=1, name="logits")[wanted] - waves[group.classes[wanted]]
    return cross_entropy(table, to_numpy(labels)[wanted])
