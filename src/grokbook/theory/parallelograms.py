r"""Parallelograms of the addition table: what a training set forces upon an embedding (Liu et al.
2022, section 3).

A sample is an unordered pair (i, j), i <= j < p, with the label i + j (modulo `modulus`, where
given). Two samples of one label are a permissible parallelogram: an ideal model must give them $E_i
+ E_j = E_m + E_n$. All functions take samples as pairs in any order; (j, i) is (i, j), and a sample
that is listed twice counts once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations

import numpy as np

from grokbook.errors import ParameterError, check_choice, shown
from grokbook.measures.inputs import Array, to_numpy, whole
from grokbook.theory.finite_field import rank_in_field

Sample = tuple[int, int]
Parallelogram = tuple[Sample, Sample]
COUNTINGS = ("distinct", "literal")
CONVENTIONS = ("paper", "code", "printed")
NEGLIGIBLE = 1e-9
"""Singular values below this are zeros: the equations have small whole coefficients."""


def all_samples(p: int) -> list[Sample]:
    """The p (p + 1) / 2 samples (i, j), i <= j, of p symbols.

    Raises ParameterError for p below 1.
    """
    p = whole(p, "p")
    return [(i, j) for i in range(p) for j in range(i, p)]


def samples_of(pairs: Iterable[Sequence[int]], p: int | None = None) -> list[Sample]:
    """The different samples among the pairs, sorted, as (i, j) with i <= j.

    Raises ParameterError for what is not a pair of whole numbers of 0 or more, below p where p is
    given.
    """
    most = None if p is None else whole(p, "p") - 1
    samples = set()
    highest = np.inf if most is None else most
    for pair in pairs:
        if (
            type(pair) is tuple
            and [*map(type, pair)] == [int, int]
            and 0 <= min(pair) <= max(pair) <= highest
        ):
            # most are of this kind, and asking further takes ten times as long
            samples.add((min(pair), max(pair)))
            continue
        two = np.asarray(pair, dtype=object)
        if two.shape != (2,):
            raise ParameterError(f"{pair!r} is not a sample, but each must be a pair (i, j).")
        symbols = tuple(two.tolist())
        name = f"a symbol of the sample {symbols}"
        i, j = sorted(whole(value, name, least=0, most=most) for value in symbols)
        samples.add((i, j))
    return sorted(samples)


def permissible_set(
    pairs: Iterable[Sequence[int]], *, counting: str = "distinct", modulus: int | None = None
) -> list[Parallelogram]:
    r"""The permissible parallelograms $P_0(D)$ of a training set: pairs of samples that share a
    label.

    Args:
        pairs: the training set D.
        counting: "distinct": unordered pairs of different samples, as the authors' code counts and
            as the paper's example for p = 4 does; "literal": equation (1) as printed, with both
            orders and with each sample beside itself, $\sum_s n_s^2$ for $n_s$ samples of label s.
        modulus: labels are i + j modulo this; None for plain sums.

    Raises ParameterError for bad pairs, another counting, or a modulus below 1.

    Example:
        >>> permissible_set([(0, 2), (1, 1), (0, 3)])
        [((0, 2), (1, 1))]
        >>> (
        ...     len(permissible_set(all_samples(10))),
        ...     len(permissible_set(all_samples(10), counting="literal")),
        ... )
        (70, 195)

    Source: Liu et al. 2022, Eq. 1 and 19. All samples of p symbols have floor((p + 1)(p - 1)(2p -
    3) / 24).
    """
    check_choice("counting", counting, COUNTINGS)
    classes = _classes(samples_of(pairs), modulus)
    if counting == "literal":
        return [(a, b) for same in classes for a in same for b in same]
    return [two for same in classes for two in combinations(same, 2)]


def _classes(samples: Sequence[Sample], modulus: int | None) -> list[list[Sample]]:
    """The samples apart by label, labels in ascending order."""
    labels: dict[int, list[Sample]] = {}
    n = None if modulus is None else whole(modulus, "modulus")
    for i, j in samples:
        labels.setdefault((i + j) % n if n else i + j, []).append((i, j))
    return [labels[label] for label in sorted(labels)]


def equations(parallelograms: Iterable[Parallelogram], p: int) -> np.ndarray:
    r"""The matrix A of the linear system: a row $e_i + e_j - e_m - e_n$ for each parallelogram,
    int64 of shape (q, p).

    Raises ParameterError for a symbol that is not below p.

    Source: Liu et al. 2022, Eq. 7.
    """
    basis = np.eye(whole(p, "p"), dtype=np.int64)
    rows = []
    for first, second in parallelograms:
        i, j = samples_of([first], p)[0]
        m, n = samples_of([second], p)[0]
        rows.append(basis[i] + basis[j] - basis[m] - basis[n])
    return np.array(rows, dtype=np.int64).reshape(-1, p)


def nullity(
    pairs: Iterable[Sequence[int]], p: int, *, modulus: int | None = None, field: int | None = None
) -> int:
    r"""Degrees of freedom $n_0$ of the embeddings that close all parallelograms of a training set.

    It is p - rank A. With plain sums it is at least 2, and 2 exactly if the data force $E_k = a + k
    b$. Modulo p real embeddings have none but the constant ones ($n_0 = 1$ for all data and p >=
    3), while over the field of p elements the lines are solutions again: `field=p` takes the rank
    there.

    Raises ParameterError for bad pairs, symbols not below p, or a field whose number of elements is
    not prime.

    Example:
        >>> nullity([(0, 2), (1, 1), (0, 3), (1, 2), (1, 3), (2, 2)], 4), nullity([], 4)
        (2, 4)
        >>> [nullity(all_samples(11), 11, modulus=11, field=field) for field in (None, 11)]
        [1, 2]

    Source: Liu et al. 2022, section 3.2; over a field of p elements: this book.
    """
    a = equations(_spanning(samples_of(pairs, p), modulus), p)
    if field is not None:
        return p - rank_in_field(a, field)
    return p - int((np.linalg.svd(a, compute_uv=False) > NEGLIGIBLE).sum()) if len(a) else p


def _spanning(samples: Sequence[Sample], modulus: int | None) -> list[Parallelogram]:
    """Of each label the first sample with every other: their equations span those of all
    parallelograms."""
    return [(same[0], other) for same in _classes(samples, modulus) for other in same[1:]]


def gram(pairs: Iterable[Sequence[int]], p: int) -> np.ndarray:
    r"""$A^\top A$ of all permissible parallelograms of a training set, float64 of shape (p, p).

    With $v_a = e_i + e_j$ for a sample a, the parallelograms of one label add up to
    $\sum_{a<b}(v_a-v_b)(v_a-v_b)^\top = n\sum_a v_a v_a^\top - \bigl(\sum_a v_a\bigr)\bigl(\sum_a
    v_a\bigr)^\top$.

    Raises ParameterError for bad pairs or symbols not below p.
    """
    samples = samples_of(pairs, p)
    total = np.zeros((p, p))
    for same in _classes(samples, None):
        v = np.zeros((len(same), p))
        for row, (i, j) in zip(v, same, strict=True):
            row[i] += 1
            row[j] += 1
        total += len(same) * v.T @ v - np.outer(v.sum(axis=0), v.sum(axis=0))
    return total


def grokking_rate(pairs: Iterable[Sequence[int]], p: int, *, convention: str = "paper") -> float:
    r"""The grokking rate $\lambda_3 Z_0$ of a training set: the third smallest eigenvalue of $H$,
    times $Z_0$.

    With $\sigma_3^2$ the third smallest eigenvalue of $A^\top A$ over $P_0(D)$,

    - "paper": $2\sigma_3^2/|P_0(D)|$, the Hessian of Eq. 8 with the loss of Eq. 5 (what this book
      uses);
    - "code": $2\sigma_3^2$, without the division by $|P_0(D)|$;
    - "printed": $\sigma_3^2$, below Eq. 9, "eigenvalues $\lambda_i = \sigma_i^2$", here read as
      $\lambda_3 Z_0$.

    It is 0 where the data leave more than two degrees of freedom. The slowest deviation from a line
    decays as $e^{-\lambda_3 t}$, so $1/\lambda_3$ is the time that the paper sets against the steps
    to generalise.

    Raises ParameterError for bad pairs, p below 3, or another convention.

    Example:
        >>> [round(grokking_rate(all_samples(4), 4, convention=c), 9) for c in CONVENTIONS]
        [4.0, 12.0, 6.0]

    Source: Liu et al. 2022, Eq. 5, 8 and 9; for even p and all samples $\sigma_3^2 = p(p+2)/4$.
    """
    check_choice("convention", convention, CONVENTIONS)
    samples = samples_of(pairs, whole(p, "p", least=3))
    if nullity(samples, p) > 2:
        return 0.0
    third = float(np.linalg.eigvalsh(gram(samples, p))[2])
    factor = {"paper": 2 / len(permissible_set(samples)), "code": 2.0, "printed": 1.0}
    return third * factor[convention]


def implied_set(pairs: Iterable[Sequence[int]], p: int) -> list[Parallelogram]:
    r"""The parallelograms P(D) that a training set forces: those of $P_0$ whose equation the rows
    of A span.

    They are what an ideal model forms, explicit ($P_0(D)$) and implicit ones.

    Raises ParameterError for bad pairs or symbols not below p.

    Source: Liu et al. 2022, appendices C and E, Eq. 14.
    """
    candidates, rows = _whole_table(p)
    a = equations(_spanning(samples_of(pairs, p), None), p).astype(float)
    outside = rows - rows @ np.linalg.pinv(a) @ a if len(a) else rows
    implied = []
    for candidate, rest in zip(candidates, outside, strict=True):
        if np.abs(rest).max() < NEGLIGIBLE:
            implied.append(candidate)
    return implied


def augmented_set(
    pairs: Iterable[Sequence[int]], parallelograms: Iterable[Parallelogram]
) -> list[Sample]:
    r"""The samples answered for sure: D and those that a parallelogram links to one of D,
    $\overline D(D, P)$.

    Raises ParameterError for bad pairs.

    Source: Liu et al. 2022, Eq. 12. The share of all samples is the predicted accuracy, Eq. 13.
    """
    trained = set(samples_of(pairs))
    linked = {pair for two in map(samples_of, parallelograms) for pair in two if trained & set(two)}
    return sorted(trained | linked)


def ideal_model(pairs: Iterable[Sequence[int]], p: int) -> dict[str, float]:
    r"""What an ideal model reaches on a training set: $\overline{\mathrm{RQI}}$ and accuracies,
    from P(D).

    `rqi` is $|P(D)|/|P_0|$, `accuracy` is $|\overline D(D, P(D))|/|D_0|$, and `validation` the
    share of samples outside D that are answered (NaN where D holds all).

    Raises ParameterError for bad pairs or p below 3.

    Source: Liu et al. 2022, Eq. 16 and 17.
    """
    whole(p, "p", least=3)
    samples = samples_of(pairs, p)
    implied = implied_set(pairs, p)
    known = len(augmented_set(samples, implied))
    total = len(all_samples(p))
    rest = total - len(samples)
    validation = (known - len(samples)) / rest if rest else float("nan")
    rqi = len(implied) / len(_whole_table(p)[0])
    return {"rqi": rqi, "accuracy": known / total, "validation": validation}


def closed_set(
    embedding: Array, delta: float = 1e-2, *, normalise: bool = True
) -> list[Parallelogram]:
    r"""The parallelograms of $P_0$ that an embedding closes, $\lVert E_i+E_j-E_m-E_n\rVert \le
    \delta$.

    Args:
        embedding: (p, d), or (p,) for numbers on a line.
        delta: the tolerance.
        normalise: whether each column is first moved to mean 0 and variance 1; without it, Eq. 2 as
            printed.

    Raises ParameterError for a bad table, fewer than three rows, a column of equal values (with
    `normalise`), or a tolerance below 0.

    Source: Liu et al. 2022, Eq. 2. The authors' code compares the mean square with 0.01, a
    tolerance of 0.1 in one dimension.
    """
    table = to_numpy(embedding)
    table = table[:, None] if table.ndim == 1 else table
    if table.ndim != 2 or len(table) < 3 or not np.isfinite(table).all():
        raise ParameterError(
            f"embedding has shape {np.shape(embedding)}, but must be finite, (p, d) or (p,), p"
            " >= 3."
        )
    if not delta >= 0:
        raise ParameterError(f"delta = {shown(delta)} must be a number of 0 or more.")
    if normalise:
        deviation = table.std(axis=0)
        if not (deviation > len(table) * np.finfo(float).eps * np.abs(table).max(axis=0)).all():
            raise ParameterError(
                "embedding has a column of equal values, which has no scale to be divided by."
            )
        table = (table - table.mean(axis=0)) / deviation
    candidates, rows = _whole_table(len(table))
    apart = np.linalg.norm(rows @ table, axis=1)
    return [
        parallelogram for parallelogram, off in zip(candidates, apart, strict=True) if off <= delta
    ]


@lru_cache(maxsize=8)
def _whole_table(p: int) -> tuple[list[Parallelogram], np.ndarray]:
    """All permissible parallelograms of p symbols and their equations, float64 (q, p); not to be
    changed."""
    candidates = permissible_set(all_samples(p))
    return candidates, equations(candidates, p).astype(float)


def representation_quality_index(
    embedding: Array, delta: float = 1e-2, *, normalise: bool = True
) -> float:
    r"""RQI: the share of permissible parallelograms that an embedding closes, in [0, 1].

    .. math:: \mathrm{RQI} = |P(R, \delta)| / |P_0|

    with `closed_set` for $P(R, \delta)$ and different samples counted once. A line $E_k = a + k b$
    has 1. Moving or stretching the embedding does not change it (with `normalise`).

    Args and errors as in `closed_set`.

    Example:
        >>> representation_quality_index(3 - 2 * np.arange(10.0))
        1.0
        >>> representation_quality_index(np.random.default_rng(0).normal(size=10)) < 0.05
        True

    Source: Liu et al. 2022, Eq. 3; for random numbers it is about 0.003 on average at p = 10, not
    0.
    """
    closed = closed_set(embedding, delta, normalise=normalise)
    return len(closed) / len(_whole_table(len(to_numpy(embedding)))[0])
