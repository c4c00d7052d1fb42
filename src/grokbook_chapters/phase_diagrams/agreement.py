"""Two phase diagrams of the same cells: how well they agree."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import xarray as xr

from grokbook.curves.phases import OPEN
from grokbook.errors import ParameterError


def _paired(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The letters of two diagrams in the cells that both decide."""
    one = np.asarray(first)
    other = np.asarray(second)
    if one.shape != other.shape:
        raise ParameterError(
            f"the diagrams have shapes {one.shape} and {other.shape}, but must have the same cells."
        )
    both = (one != OPEN) & (other != OPEN)
    return one[both], other[both]


def agreement(first: np.ndarray, second: np.ndarray) -> float:
    """Share of the cells in which two diagrams have the same phase, NaN where none is decided in
    both.

    Raises ParameterError for diagrams of different shapes.
    """
    one, other = _paired(first, second)
    return float(np.mean(one == other)) if one.size else float("nan")


def kappa(first: np.ndarray, second: np.ndarray) -> float:
    r"""Cohen's $\kappa = (a - c) / (1 - c)$ of two diagrams: agreement a beyond that of chance, c.

    c is the agreement of two diagrams with these shares of phases and cells at random places; so 1
    is a perfect agreement and 0 what shares alone give. NaN where both have one and the same phase
    everywhere, or no cell in common.

    Raises ParameterError for diagrams of different shapes.

    Example:
        >>> kappa(list("CCMM"), list("CCMM")), kappa(list("CCMM"), list("CMCM"))
        (1.0, 0.0)

    Source: Cohen 1960, A coefficient of agreement for nominal scales, equation 1.
    """
    one, other = _paired(first, second)
    if not one.size:
        return float("nan")
    chance = sum(float(np.mean(one == letter) * np.mean(other == letter)) for letter in set(one))
    same = float(np.mean(one == other))
    return (same - chance) / (1 - chance) if chance < 1 else float("nan")


def among_seeds(phase: xr.DataArray) -> pd.DataFrame:
    """How well the diagrams of single seeds agree with each other: a row a pair of seeds,
    `agreement` and `kappa`.

    In the mean another program with the same chances in each cell agrees with a seed as well, and
    no better. One whose cells vary less can agree better. Empty for one seed.
    """
    diagrams = {}
    if "seed" in phase.dims:
        diagrams = {int(seed): phase.sel(seed=seed).values for seed in phase.seed}
    rows = []
    for first, second in itertools.combinations(diagrams, 2):
        both = (diagrams[first], diagrams[second])
        rows.append((first, second, agreement(*both), kappa(*both)))
    return pd.DataFrame(rows, columns=["first", "second", "agreement", "kappa"])
