"""What classes of cells explain of vectors on the grid, and what a sum F(i) + G(j) can fit of
them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import log_softmax, softmax

from grokbook.errors import ParameterError
from grokbook.measures.geometry import diameter
from grokbook.theory.vectors import Rows, odd_prime, vectors


class ClassGap(NamedTuple):
    """Largest distance of two sums in one class, and smallest of two sums in different classes."""

    same: float
    other: float


def class_gap(embedding: Rows, residues: np.ndarray) -> ClassGap:
    r"""How far apart sums of embeddings lie, within classes and between them.

    The sums are $\phi(i) + \phi(j)$ with $\phi$ = `embedding`, shape (p, d); `residues`, shape (p,
    p), is the class of each cell. "Close exactly if equivalent" needs the second number above the
    first.

    Raises ParameterError for a bad table or a table of classes of another shape.

    Source: Gu et al. 2025, Remark 3.6.
    """
    table = vectors(embedding)
    # a shift changes no distance, and large squares round
    p = len(table)
    table = table - table.mean(axis=0)
    if np.shape(residues) != (p, p):
        raise ParameterError(
            f"residues has shape {np.shape(residues)}, but must be ({p}, {p}), one a cell."
        )
    sums = (table[:, None] + table[None]).reshape(p * p, -1)
    label = np.asarray(residues).ravel()
    if np.unique(label).size < 2:
        raise ParameterError(
            "residues has one class only, but a gap between classes needs two or more."
        )
    same = 0.0
    other = np.inf
    for r in np.unique(label):
        own = sums[label == r]
        same = max(same, diameter(own))
        other = min(other, float(_squared_distances(own, sums[label != r]).min()))
    return ClassGap(same, float(np.sqrt(other)))


def _squared_distances(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    squares = np.sum(x * x, axis=1)[:, None] + np.sum(y * y, axis=1)
    return np.maximum(squares - 2 * x @ y.T, 0)


def class_share(features: Rows) -> float:
    r"""Share of the variance of features of the cells that the class of i + j explains, between 0
    and 1.

    $\eta^2 = \sum_r p \lVert m_r - m\rVert^2 / \sum_{i,j} \lVert x_{ij} - m\rVert^2$ with $x$ =
    `features`, shape (p, p, d), $m_r$ the mean of class r and m that of all. For sums of embeddings
    it is 0; for a function of the class it is 1.

    Raises ParameterError for a bad shape, values that are not finite, or features that do not vary.
    """
    x = _grid(features, "features")
    p = len(x)
    classes = np.add.outer(np.arange(p), np.arange(p)) % p
    return label_share(x.reshape(p * p, -1), classes.ravel())


def _grid(values: Rows, name: str) -> np.ndarray:
    """Values as an array (p, p, d), one vector a cell."""
    x = np.asarray(values, dtype=float)
    if x.ndim != 3 or x.shape[0] != x.shape[1]:
        raise ParameterError(
            f"{name} has shape {x.shape}, but must be (p, p, d), one vector a cell."
        )
    return x


def label_share(features: Rows, labels: np.ndarray) -> float:
    r"""Share of the variance of `features`, shape (n, d), that their `labels`, shape (n,), explain,
    between 0 and 1.

    As `class_share`, for any cells: the mean of each label counts as often as the label occurs.

    Raises ParameterError for features that are not finite rows or do not vary, and for another
    number of labels.
    """
    x = vectors(features, "features")
    if np.shape(labels) != (len(x),):
        raise ParameterError(
            f"labels has shape {np.shape(labels)}, but must be ({len(x)},), one a row."
        )
    kinds, place = np.unique(labels, return_inverse=True)
    flat = x - x[0]
    flat -= flat.mean(axis=0)
    total = float((flat**2).sum())
    if total <= 1e-24 * max(float((x**2).sum()), 1e-300):
        raise ParameterError(
            "the vectors are the same at every cell, but a share needs some variance."
        )
    sums = np.zeros((len(kinds), x.shape[1]))
    counts = np.bincount(place)
    np.add.at(sums, place, flat)
    return float((sums**2 / counts[:, None]).sum() / total)


def additive_share(targets: Rows) -> float:
    r"""Share of the variance of targets of the cells that some $f(i) + g(j)$ explains, between 0
    and 1.

    The best f and g are the row and column means less the grand mean. `targets`: shape (p, p, d),
    one vector a cell. For targets that depend on the class of i + j alone it is 0: additive
    functions and class functions are orthogonal.

    Raises ParameterError for a bad shape, values that are not finite, or targets that do not vary.

    Source: this book; decides the problem that Gu et al. 2025 minimise in Appendix B.4.
    """
    x = _grid(targets, "targets")
    i, j = np.indices(x.shape[:2])
    cells = vectors(x.reshape(i.size, -1), "targets")
    return label_share(cells, i.ravel()) + label_share(cells, j.ravel())


@dataclass(frozen=True)
class AdditiveFit:
    """The best logits F(i) + G(j) on some cells: the shares of these and of the other cells that
    they answer right.

    `margin` is a proof where they are not all right: with entries of F and G between -1 and 1 no
    right answer can lead everywhere by more. It is infinite where they are.
    """

    trained: float
    unseen: float
    margin: float


def additive_fit(labels: np.ndarray, trained: np.ndarray) -> AdditiveFit:
    r"""Softmax regression with logits $z(i, j) = F(i) + G(j)$ on the trained cells, until they are
    right or cannot be.

    `labels`, shape (p, p), is the class of each cell, `trained` the mask of the cells to fit. For
    any F and G with entries in [-1, 1] minus the gradient g of the loss, times them, is $\sum_{c,
    s} \pi_s(c) (z_r - z_s)(c)$, the softmax weights of the wrong classes times the leads of the
    right one r. So the least lead is at most $\lVert g\rVert_1 / \sum_c (1 - \pi_r(c))$, which goes
    to 0 where the loss has a least value. The problem is convex (L-BFGS); it ends at a bound of
    1e-3.

    Raises ParameterError where no cell is trained.

    Source: this book; the constraints of Gu et al. 2025, Appendix B.4, on a training set.
    """
    i, j = np.nonzero(trained)
    if not i.size:
        raise ParameterError("trained holds no cell, but a fit needs one.")
    p = len(labels)
    cells = np.arange(i.size)
    right = labels[i, j]
    places = np.tile(cells, 2), np.append(i, p + j)
    operands = csr_array((np.ones(2 * i.size), places), shape=(i.size, 2 * p))

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        z = operands @ flat.reshape(2 * p, -1)
        value = -log_softmax(z, axis=1)[cells, right].sum()
        error = softmax(z, axis=1)
        error[cells, right] -= 1
        return value, (operands.T @ error).ravel()

    def seen(flat: np.ndarray) -> tuple[np.ndarray, float]:
        z = operands @ flat.reshape(2 * p, -1)
        wrong = (1 - softmax(z, axis=1)[cells, right]).sum()
        _, slope = loss(flat)
        return z.argmax(axis=1) == right, float(np.abs(slope).sum() / wrong)

    def enough(flat: np.ndarray) -> None:
        hits, margin = seen(flat)
        if hits.all() or margin < 1e-3:
            raise StopIteration

    start = np.zeros(2 * p * (int(labels.max()) + 1))
    options = {"maxiter": 2000, "maxfun": 4000, "ftol": 0, "gtol": 0, "maxcor": 20}
    best = minimize(loss, start, jac=True, method="L-BFGS-B", callback=enough, options=options).x
    hits, margin = seen(best)
    table = best.reshape(2, p, -1)
    answers = (table[0][:, None] + table[1][None]).argmax(axis=2) == labels
    others = answers[~trained]
    unseen = float(others.mean()) if others.size else np.nan
    return AdditiveFit(float(hits.mean()), unseen, np.inf if hits.all() else margin)


def circle_delta(p: int) -> float:
    r"""The radius that every class needs on a unit circle, $1 + \cos(\pi/p)$, for an odd prime p.

    With $\phi(i)$ at the angle $2\pi k i/p$ the class r lies on the line through 0 at half the
    angle of r, at the signed distances $2\cos(\pi m/p)$, m of one parity: from 2 down to
    $-2\cos(\pi/p)$ (or the mirror image). Any frequency k gives the same.

    Raises ParameterError unless p is an odd prime: with an even modulus some classes hold opposite
    points.
    """
    modulus = odd_prime(p, "with other moduli a circle's classes need different radii")
    return float(1 + np.cos(np.pi / modulus))
