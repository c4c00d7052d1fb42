"""MED, the mean length of the step from one token's embedding to the next: definitions, closed
forms, bounds.

Gu et al. print two formulas in 2025, another in 2024, and their code computes four more. All are
reached here by arguments of `med`, and by name through `MED_DEFINITIONS` and `med_as`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import cos, exp, gcd, lgamma, pi, sin, sqrt
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from grokbook.errors import ParameterError, check_choice, checked_call
from grokbook.measures.fourier import fourier_power
from grokbook.measures.geometry import diameter
from grokbook.measures.inputs import Array, rows, whole

REDUCTIONS = ("mean", "sum", "rescaled_sum")
COMBINATIONS = ("average", "sum")


class MedDefinition(NamedTuple):
    """One printed or coded definition of MED: where it stands, its formula, and the arguments of
    `med`."""

    source: str
    formula: str
    arguments: Mapping[str, Any]
    ranges: int


def _definition(source: str, formula: str, ranges: int, **arguments: Any) -> MedDefinition:
    return MedDefinition(source, formula, MappingProxyType(arguments), ranges)


_CODE = {"cyclic": False, "omit_last": True}
_STEP = r"\lVert\phi_{i+1}-\phi_i\rVert"
_MEAN_1 = r"\frac{1}{p-2}\sum_{i=0}^{p-3}\lVert\phi^{(1)}_{i+1}-\phi^{(1)}_i\rVert"
_MEAN_2 = _MEAN_1.replace("(1)", "(2)")
_AVERAGE = rf"\tfrac12\Bigl({_MEAN_1}+{_MEAN_2}\Bigr)"
_EQ_12 = (
    r"\sum_{i=1}^{p-1}\lVert\phi^{(1)}_i-\phi^{(1)}_{i+1}\rVert"
    r"+\sum_{j=1}^{p-1}\lVert\phi^{(2)}_j-\phi^{(2)}_{j+1}\rVert"
)

MED_DEFINITIONS: Mapping[str, MedDefinition] = MappingProxyType(
    {
        "gu2025_def_4_2": _definition(
            "Gu et al. 2025, Definition 4.2",
            rf"\frac{{1}}{{p}}\sum_{{i=0}}^{{p-1}}{_STEP},\quad \phi_p=\phi_0",
            1,
            cyclic=True,
            reduction="mean",
        ),
        "gu2025_fig_5": _definition(
            "Gu et al. 2025, caption of Figure 5",
            rf"\sum_{{i=0}}^{{p-1}}{_STEP},\quad \phi_p=\phi_0",
            1,
            cyclic=True,
            reduction="sum",
        ),
        "gu2024_eq_12": _definition(
            "Gu et al. 2024, Equation 12", _EQ_12, 2, cyclic=False, reduction="sum", combine="sum"
        ),
        "code_base": _definition(
            "code of Gu et al. 2025, transformer/base.py",
            _AVERAGE,
            2,
            **_CODE,
            reduction="mean",
            combine="average",
        ),
        "code_str": _definition(
            "code of Gu et al. 2025, transformer/str.py",
            rf"{_MEAN_1}+{_MEAN_2}",
            2,
            **_CODE,
            reduction="mean",
            combine="sum",
        ),
        "code_rec": _definition(
            "code of Gu et al. 2025, transformer/rec.py (96 = p-1 at p = 97)",
            rf"(p-1)\Bigl({_MEAN_1}+{_MEAN_2}\Bigr)",
            2,
            **_CODE,
            reduction="rescaled_sum",
            combine="sum",
        ),
        "code_mlp": _definition(
            "code of Gu et al. 2025, MLP/*.py (its third number is `operand_distance`)",
            _AVERAGE,
            2,
            **_CODE,
            reduction="mean",
            combine="average",
        ),
    }
)


def _step_lengths(table: np.ndarray, *, cyclic: bool, omit_last: bool) -> np.ndarray:
    """Lengths |phi(i+1) - phi(i)|, with the step back to phi(0) at the end when cyclic."""
    symbols = table[:-1] if omit_last else table
    steps = np.diff(symbols, axis=0, append=symbols[:1]) if cyclic else np.diff(symbols, axis=0)
    return np.sqrt(np.einsum("ij,ij->i", steps, steps))


def _reduce(lengths: np.ndarray, p: int, reduction: str) -> float:
    """One number from the step lengths of one operand's p tokens."""
    if reduction == "sum":
        return float(lengths.sum())
    return float(lengths.mean()) * (p - 1 if reduction == "rescaled_sum" else 1)


def _combine(values: Sequence[float], combine: str) -> float:
    return sum(values) / (len(values) if combine == "average" else 1)


def _tables(embedding: Array, second: Array | None, least: int) -> list[np.ndarray]:
    """The operands' tables, checked: one, or two of equal shape."""
    first = rows(embedding, least=least)
    if second is None:
        return [first]
    other = rows(second, least=least, name="second")
    if other.shape != first.shape:
        raise ParameterError(
            f"second has shape {other.shape}, but must have the embedding's, {first.shape}."
        )
    return [first, other]


@checked_call
def med(
    embedding: Array,
    *,
    cyclic: bool = True,
    reduction: str = "mean",
    second: Array | None = None,
    combine: str = "average",
    omit_last: bool = False,
) -> float:
    r"""Main embedding difference: the mean (or sum) of the steps between neighbouring tokens.

    $\mathrm{MED}(\phi) = \frac1p \sum_{i=0}^{p-1} \lVert\phi_{i+1}-\phi_i\rVert$ with
    $\phi_p=\phi_0$, where $\phi$ = `embedding`, shape (p, d), row i the embedding of i; the result
    has the unit of the embedding. `cyclic=False` leaves out the step from p-1 back to 0.
    `reduction` is "mean", "sum", or "rescaled_sum", which is p-1 times the mean. `second`, shape
    (p, d), is the second operand's table: the result is then the "average" or "sum" (`combine`)
    over the two. `omit_last` drops the last token first, as the authors' code does.

    Raises ParameterError if a table is not a finite (p, d) array of enough rows or an option is
    unknown.

    >>> angle = 2 * np.pi * np.arange(97) / 97
    >>> round(med(np.stack([np.cos(angle), np.sin(angle)], axis=1)), 6)
    0.064764

    Source: Gu et al. 2025, Definition 4.2 (the default); for the other definitions see
    `MED_DEFINITIONS`. The paper takes word plus position embedding; a constant position embedding
    cancels in the differences.
    """
    check_choice("reduction", reduction, REDUCTIONS)
    check_choice("combine", combine, COMBINATIONS)
    tables = _tables(embedding, second, least=2 + bool(omit_last))
    lengths = [_step_lengths(table, cyclic=cyclic, omit_last=omit_last) for table in tables]
    return _combine([_reduce(x, len(tables[0]), reduction) for x in lengths], combine)


def med_as(name: str, embedding: Array, second: Array | None = None) -> float:
    """MED by the named definition of `MED_DEFINITIONS`.

    `embedding` and `second`, shape (p, d), are the tables of the first and second operand. Where a
    definition runs over two operands and `second` is not given, both share `embedding`; a
    definition over one ignores `second`.

    Raises ParameterError for an unknown name or a bad table.

    >>> line = np.arange(5.0)[:, None]
    >>> med_as("gu2024_eq_12", line), med_as("gu2025_fig_5", line), med_as("code_rec", line)
    (8.0, 8.0, 8.0)
    """
    definition = MED_DEFINITIONS[check_choice("name", name, MED_DEFINITIONS)]
    if definition.ranges == 1:
        return med(embedding, **definition.arguments)
    return med(embedding, second=embedding if second is None else second, **definition.arguments)


def operand_distance(first: Array, second: Array) -> float:
    r"""Distance of the two operands' tables, $\lVert\phi^{(1)}-\phi^{(2)}\rVert_F$; both have shape
    (p, d).

    Raises ParameterError for bad tables or unequal shapes.

    >>> operand_distance(np.zeros((2, 2)), np.ones((2, 2)))
    2.0

    Source: the third number logged by the code of Gu et al. 2025, MLP/*.py.
    """
    tables = _tables(first, second, least=2)
    return float(np.linalg.norm(tables[0] - tables[1]))


def normalised_med(embedding: Array) -> float:
    r"""MED over the mean row norm, $\mathrm{MED}(\phi) / \frac1p\sum_i\lVert\phi_i\rVert$: free of
    scale.

    MED falls both when neighbours come together and when all weights shrink; this ratio sees only
    the first. `embedding` = $\phi$ has shape (p, d). It is at most 2.

    Raises ParameterError for a bad table or one that is zero everywhere.

    >>> angle = 2 * np.pi * np.arange(6) / 6
    >>> round(normalised_med(5 * np.stack([np.cos(angle), np.sin(angle)], axis=1)), 12)
    1.0
    """
    table = rows(embedding)
    norm = np.linalg.norm(table, axis=1).mean()
    if norm == 0:
        raise ParameterError(
            "embedding is zero everywhere, but MED over the mean norm needs a non-zero row."
        )
    return med(table) / float(norm)


def least_med(embedding: Array) -> tuple[float, int]:
    r"""The least MED over all relabellings, $\min_c \mathrm{MED}(i \mapsto \phi_{ci})$, and its
    factor c.

    `embedding` = $\phi$ has shape (p, d). Unlike MED it does not depend on which multiple of the
    tokens the network happened to choose as "next".

    Raises ParameterError for a bad table.

    >>> angle = 2 * np.pi * 3 * np.arange(7) / 7
    >>> value, factor = least_med(np.stack([np.cos(angle), np.sin(angle)], axis=1))
    >>> round(value, 9) == round(circle_med(7, 1), 9), factor
    (True, 2)
    """
    table = rows(embedding)
    p = len(table)
    twice = np.concatenate([table, table])
    found = []
    for factor in range(1, p // 2 + 1):
        if gcd(factor, p) == 1:
            # as c i runs through all tokens, its neighbours are all pairs that are c apart
            steps = twice[factor : factor + p] - table
            lengths = np.sqrt(np.einsum("ij,ij->i", steps, steps))
            found.append((float(lengths.mean()), factor))
    return min(found)


def circle_med(p: int, k: int) -> float:
    r"""MED of a circle of radius 1 and frequency k, $2 |\sin(\pi k/p)|$.

    Circles in orthogonal planes have the root of the sum of the squares of theirs.

    Raises ParameterError if p < 2 or k is not whole.

    >>> round(circle_med(97, 48), 6)
    1.999738

    Source: Gu et al. 2025, Definition 4.2, evaluated on $\phi_i = (\cos(2\pi k i/p), \sin(2\pi k
    i/p))$.
    """
    return 2 * abs(sin(pi * whole(k, "k", least=-(10**9)) / whole(p, "p", least=2)))


def expected_initial_med(p: int, d: int, *, definition: str = "gu2025_def_4_2") -> float:
    r"""Expected MED of p independent Gaussian rows, $2\sigma\,\Gamma(\frac{d+1}2)/\Gamma(\frac d2)$
    a step.

    Two rows with entries $N(0,\sigma^2)$ differ by a vector with entries $N(0,2\sigma^2)$, whose
    length is $\sqrt2\sigma$ times a chi variable of d degrees of freedom; $\sigma = 1/\sqrt d$ (the
    authors' initialisation). The number of steps counted follows `definition`, a name of
    `MED_DEFINITIONS`.

    Raises ParameterError if p < 3, d < 1, or the name is unknown.

    >>> round(expected_initial_med(97, 128), 3)
    1.411
    >>> round(expected_initial_med(43, 128, definition="gu2024_eq_12"), 1)
    118.6

    Source: the mean of the chi distribution; neither paper prints the initial value.
    """
    whole(p, "p", least=3)
    sigma = 1 / sqrt(whole(d, "d", least=1))
    chosen = MED_DEFINITIONS[check_choice("definition", definition, MED_DEFINITIONS)]
    keywords = chosen.arguments
    steps = p - bool(keywords.get("omit_last")) - (not keywords["cyclic"])
    step = 2 * sigma * exp(lgamma((d + 1) / 2) - lgamma(d / 2))
    value = _reduce(np.full(steps, step), p, keywords["reduction"])
    return _combine([value] * chosen.ranges, keywords.get("combine", "average"))


def med_bound(embedding: Array) -> float:
    r"""Sharp upper bound of MED by the norm, $2\cos(\pi/2p)\,\lVert E\rVert_F/\sqrt p$ for odd p.

    `embedding` = E has shape (p, d). The constant is $\max_k 2\sin(\pi k/p)$, reached at k =
    (p-1)/2; for even p it is 2, reached at k = p/2. Equality: one circle of that frequency.

    Raises ParameterError for a bad table.

    >>> round(med_bound(np.eye(3)), 6), round(med(np.eye(3)), 6)
    (1.732051, 1.414214)

    Source: sharpens Gu et al. 2025, Theorem 3.8, which states only that some bound exists.
    """
    table = rows(embedding)
    p = len(table)
    constant = 2 * cos(pi / (2 * p)) if p % 2 else 2.0
    return float(constant * np.linalg.norm(table) / sqrt(p))


def med_spectral_bound(embedding: Array) -> float:
    r"""Upper bound of MED by the spectrum, $\sqrt{\sum_k 4\sin^2(\pi k/p)P_k}$: the root mean
    square step.

    `embedding` has shape (p, d), $P_k$ is `fourier_power`. Parseval gives the mean squared step,
    Jensen the bound; equality if and only if all p steps have the same length, as they have on
    circles.

    Raises ParameterError for a bad table.

    >>> angle = 2 * np.pi * np.arange(7) / 7
    >>> circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    >>> round(med_spectral_bound(circle) - med(circle), 12)
    0.0
    """
    table = rows(embedding, least=3)
    power = fourier_power(table)
    weights = 4 * np.sin(pi * np.arange(power.size) / len(table)) ** 2
    return float(np.sqrt(weights @ power))


def med_diameter_bound(embedding: Array) -> float:
    r"""Lower bound of MED by the diameter, $\frac2p\max_{i,j}\lVert\phi_i-\phi_j\rVert$.

    The closed walk over the p tokens must reach the farthest pair and come back. `embedding` =
    $\phi$ has shape (p, d). Equality: all points on one segment, walked out and back, as on a line.

    Raises ParameterError for a bad table.

    >>> line = np.arange(5.0)[:, None]
    >>> med_diameter_bound(line), med(line)
    (1.6, 1.6)
    """
    table = rows(embedding)
    return 2 * diameter(table) / len(table)
