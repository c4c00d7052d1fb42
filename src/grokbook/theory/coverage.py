r"""Coverage of a grid by discs around its training cells (Gu et al. 2025, section 3.3 and appendix
B.6), exactly.

The p x p grid has N = p^2 cells. A cell is covered when a training cell lies at Manhattan distance
below k from it. Distances are those of the bounded grid, or of the torus, on which row p is row 0
again and column p column 0. All counts hold for every side p: that p is prime plays no part here,
only in what the cells stand for.
"""

from __future__ import annotations

import numpy as np
from scipy.ndimage import distance_transform_cdt

from grokbook.errors import ParameterError, shown
from grokbook.measures.inputs import whole
from grokbook.theory.grid_inputs import Mask, count, grid, side_and_radius


def disc_size(k: int) -> int:
    r"""Number of cells at Manhattan distance below k from a cell of the unbounded grid, itself
    included.

    .. math:: C(k) = 1 + \sum_{d=1}^{k-1} 4d = 2k^2 - 2k + 1.

    Raises ParameterError unless k is a whole number of 1 or more.

    Example:
        >>> [disc_size(k) for k in (1, 2, 3, 4, 5)]
        [1, 5, 13, 25, 41]

    Source: Gu et al. 2025, appendix B.6. On a torus of side p it is exact while 2k - 1 <= p; on the
    bounded grid, which the paper uses, cells near the border have smaller discs (`disc_sizes`).
    """
    k = whole(k, "k")
    return 2 * k * k - 2 * k + 1


def disc_sizes(p: int, k: int, *, torus: bool = False) -> np.ndarray:
    r"""Number of cells at distance below k from each cell of the p x p grid, int64 of shape (p, p).

    With a, b the distances of a cell from two sides of the grid that meet, and (x)_+ = max(x, 0),

    .. math:: C_{ij} &= C(k) - \sum_{\text{sides}} (k-1-a)_+^2 \\
              &\quad + \sum_{\text{corners}} \tfrac12 q_{ab}(q_{ab}+1), \\ q_{ab} &= (k-2-a-b)_+ .

    A corner cell has k(k+1)/2 while k <= p. On the torus every cell has C(k) = disc_size(k).

    Raises ParameterError for p or k below 1, and on the torus for 2k - 1 > p, where a disc would
    overlap itself.
    """
    p, k = side_and_radius(p, k, torus)
    if torus:
        return np.full((p, p), disc_size(k), dtype=np.int64)
    place = np.arange(p)
    near = np.minimum([place, place[::-1]], 2 * k)
    beyond = (np.maximum(k - 1 - near, 0) ** 2).sum(axis=0)
    q = np.maximum(k - 2 - near[:, None, :, None] - near[None, :, None, :], 0)
    twice = (q * (q + 1) // 2).sum(axis=(0, 1))
    return disc_size(k) - beyond[:, None] - beyond[None, :] + twice


def same_class_size(k: int) -> int:
    r"""Number of cells of one's own class i + j at Manhattan distance below k, oneself included.

    Those are the cells (i + s, j - s) with 2|s| < k, so there are 2 floor((k-1)/2) + 1 of them,
    against C(k) of all classes. Cells whose sum differs by p are left out: they lie at distance p.

    Source: condition (i) of Gu et al. 2025, Theorem 3.10, asks for a cell of the same class;
    Theorem 3.12 counts cells of all classes.
    """
    return 2 * ((whole(k, "k") - 1) // 2) + 1


def distance_to_training(train_mask: Mask, *, torus: bool = False) -> np.ndarray:
    """Manhattan distance of every cell from the nearest training cell, float64 (p, p); inf where
    there is none.

    Two passes over the grid (a distance transform), on the torus over the grid continued by half
    its side.

    Raises ParameterError unless the mask is square with entries 0 and 1 or False and True.
    """
    mask = grid(train_mask)
    return _distances(mask, mask.shape[0] // 2 if torus else 0)


def same_class_distance(train_mask: Mask, *, torus: bool = False) -> np.ndarray:
    """Manhattan distance of every cell from the nearest training cell of its own class i + j mod p,
    (p, p).

    Along a class the distance of (i, j) and (i + s, j - s) is 2|s|; on the bounded grid a class has
    two pieces (i + j = r and i + j = r + p), and cells of different pieces are at distance p. inf
    where there is none.
    """
    mask = grid(train_mask)
    p = mask.shape[0]
    i, j = np.indices((p, p))
    line = (i + j) % p if torus else i + j
    along = np.zeros((p if torus else 2 * p, p), dtype=bool)
    along[line, i] = mask
    steps = np.stack([_line_distances(row, torus) for row in along])
    other = np.zeros((p, p), dtype=bool)
    if not torus:
        other = np.any(along, axis=1)[(line + p) % (2 * p)]
    return np.minimum(2 * steps[line, i], np.where(other, float(p), np.inf))


def uncovered(train_mask: Mask, k: int, *, torus: bool = False) -> int:
    """Number of cells that have no training cell at Manhattan distance below k.

    k = 1 counts the cells that are not trained themselves; an empty training set leaves all p^2
    uncovered. The cost is O(p^2) on the bounded grid, O((p + 2k)^2) on the torus, whatever the
    number of training cells.

    Args:
        train_mask: bool or 0/1 of shape (p, p): numpy, torch or nested lists.
        k: radius, a whole number of 1 or more.
        torus: whether rows and columns close up.

    Raises ParameterError for another mask or k, and on the torus for 2k - 1 > p.

    Example:
        >>> mask = np.zeros((7, 7), dtype=bool)
        >>> mask[0, 0] = True
        >>> uncovered(mask, 3), uncovered(mask, 3, torus=True)
        (43, 36)

    Source: Gu et al. 2025, section 3.3 (the share prop) and appendix B.6 (strict inequality).
    """
    mask = grid(train_mask)
    p, k = side_and_radius(mask.shape[0], k, torus)
    return int((_distances(mask, k - 1 if torus else 0) >= k).sum())


def miss_probability(
    n_cells: int,
    disc: int | np.ndarray,
    m: int,
) -> np.ndarray:
    r"""Probability that m cells, drawn from n_cells = N without replacement, all miss a given set
    of C = disc cells.

    .. math:: \binom{N-C}{m} \Big/ \binom{N}{m} = \prod_{t=0}^{C-1} \frac{N-m-t}{N-t} .

    The product has C factors in [0, 1], each correct to rounding, so its relative error is of the
    order C times 1e-16; it is exactly zero once m > N - C.

    Source: the exact form of Gu et al. 2025, appendix B.6, which has (1 - C/N)^m, the value for
    draws with replacement.
    """
    sizes = np.asarray(disc)
    t = np.arange(int(sizes.max()))
    factors = np.maximum(n_cells - m - t, 0) / (n_cells - t)
    return np.concatenate([[1.0], np.cumprod(factors)])[sizes]


def expected_uncovered(
    p: int,
    k: int,
    m: int,
    *,
    torus: bool = False,
) -> float:
    r"""Expected number of uncovered cells when m of the N = p^2 cells are drawn uniformly without
    replacement.

    .. math:: \mathrm{E}[U] = \sum_{i,j} \binom{N - C_{ij}}{m} \Big/ \binom{N}{m},

    with C_ij from `disc_sizes`: by linearity, whatever the dependence between cells.

    Raises ParameterError for m outside 0 .. p^2, and as `disc_sizes` does.

    Source: Gu et al. 2025, appendix B.6, with exact probabilities and the discs of each cell.
    """
    p, k = side_and_radius(p, k, torus)
    m = count(m, p)
    discs = disc_sizes(p, k, torus=torus)
    sizes, cells = np.unique(discs, return_counts=True)
    return float(cells @ miss_probability(p * p, sizes, m))


def printed_fraction(p: int, k: int) -> float:
    r"""The training fraction 2 ln p / C(k) that is printed as a lower bound; it may exceed 1.

    Source: Gu et al. 2025, Theorem 3.12, there as necessary for E[prop] = 1; see
    `required_fraction`.
    """
    p, k = side_and_radius(p, k, torus=True)
    return 2 * float(np.log(p)) / disc_size(k)


def required_fraction(p: int, k: int) -> float:
    r"""Training fraction that suffices for at most one uncovered cell in expectation on the torus:
    1 - p^(-2/C).

    If m >= alpha N with alpha = 1 - p^(-2/C) and C = C(k), then E[U] <= N (1 - m/N)^C <= 1. It is 1
    - exp(-x) where x = 2 ln p / C is the printed fraction, hence always smaller than x, and always
    below 1.

    Raises ParameterError for 2k - 1 > p, where the disc would overlap itself.

    Example:
        >>> [round(required_fraction(97, k), 4) for k in (2, 3, 5)]
        [0.8396, 0.5053, 0.2]

    Source: this book, in place of Gu et al. 2025, Theorem 3.12, which is printed as a necessary
    condition. It bounds an expectation on the torus; for the bounded grid and for a probability see
    `least_training_size`.
    """
    return -float(np.expm1(-printed_fraction(p, k)))


def least_training_size(p: int, k: int, eps: float = 1.0, *, torus: bool = False) -> int:
    r"""Smallest m with expected_uncovered(p, k, m) < eps; then P(all cells covered) > 1 - eps.

    The probability follows from Markov's inequality: P(U >= 1) <= E[U].

    Raises ParameterError unless eps is a positive number, and as `disc_sizes` does.
    """
    p, k = side_and_radius(p, k, torus)
    if not 0 < eps < np.inf:
        raise ParameterError(f"eps = {shown(eps)} is not a positive finite number.")
    low = -1
    high = p * p
    while high - low > 1:
        middle = (low + high) // 2
        small = expected_uncovered(p, k, middle, torus=torus) < eps
        low, high = (low, middle) if small else (middle, high)
    return high


def guaranteed_size(p: int, k: int, *, torus: bool = False) -> int:
    r"""Smallest m at which every training set of m cells covers the grid: N - C_min + 1, C_min the
    smallest disc.

    It is also the smallest m with E[prop] = 1 (and m < N): a set of m <= N - C_min cells can miss a
    smallest disc.
    """
    p, k = side_and_radius(p, k, torus)
    return p * p - int(disc_sizes(p, k, torus=torus).min()) + 1


def _distances(mask: np.ndarray, reach: int) -> np.ndarray:
    """Taxicab distance transform of a mask continued by `reach` cells on each side (0: the bounded
    grid)."""
    if not mask.any():
        return np.full(mask.shape, np.inf)
    wide = np.pad(mask, reach, mode="wrap")
    distances = distance_transform_cdt(~wide, metric="taxicab").astype(np.float64)
    rows, columns = mask.shape
    return distances[reach : reach + rows, reach : reach + columns]


def _line_distances(line: np.ndarray, ring: bool) -> np.ndarray:
    """Distance of each place of a line (or ring) from the nearest True, inf where there is none."""
    places = np.flatnonzero(line)
    here = np.arange(line.size)
    if not places.size:
        return np.full(line.size, np.inf)
    gaps = np.abs(here[:, None] - places)
    if ring:
        gaps = np.minimum(gaps, line.size - gaps)
    return gaps.min(axis=1).astype(float)
