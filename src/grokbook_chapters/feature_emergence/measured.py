"""What chapter 17 measures for its page: recorded runs, a unit's ascent, hills, pairs that keep
one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from companion.claims import load
from grokbook_chapters.feature_emergence import runs
from grokbook_chapters.feature_emergence.backpropagated import samples_to_keep
from grokbook_chapters.feature_emergence.claims import keeping
from grokbook_chapters.feature_emergence.feature_energy import ascend, local_maxima, spectrum
from grokbook_chapters.feature_emergence.trained import (
    complete,
    exponent,
    lives,
    together,
)

TRIED = (7, 11, 17, 31, 59, 101, 211, 401, 1009, 2003)
"""Moduli at which the pairs are counted that keep a hill."""


class Recorded(NamedTuple):
    """The recorded runs of the page, a row each as `lives` gives it.

    `by_share`: with the columns share and decay; `boundary`: by modulus, the column label; `power`:
    its fitted exponent.
    """

    by_share: pd.DataFrame
    boundary: pd.DataFrame
    power: Mapping[str, float]


def recorded() -> Recorded:
    """The runs of the page, loaded from the store.

    Raises KeyError where those of the boundary are not there.
    """
    by_share = pd.concat(load(runs.shares(), lives), names=["share", "decay", None])
    boundary = together(complete(load(runs.boundary(), lives)))
    return Recorded(by_share.reset_index([0, 1]), boundary, exponent(boundary))


def generalising(by_share: pd.DataFrame) -> pd.DataFrame:
    """How many of the runs generalise, a row for each share of the pairs, with weight decay and
    without."""
    runs_of = by_share.groupby(["share", "decay"], sort=False).solved
    counts = runs_of.count().astype(str) + " of " + runs_of.size().astype(str)
    table = counts.unstack().rename(columns={runs.DECAYS[0]: "with decay", 0.0: "without"})
    table.index = [f"{share:.0%}" for share in table.index]
    return table.rename_axis("share of the pairs")[["with decay", "without"]].iloc[::-1]


def ascent(M: int, steps: int) -> np.ndarray:
    """The shares of a random unit's square sum in each frequency modulo M while it climbs the
    energy, (steps + 1, frequencies)."""
    w = np.random.default_rng(0).normal(size=2 * M)
    path = [w / np.linalg.norm(w)]
    for _ in range(steps):
        path.append(ascend(path[-1], M, steps=1))
    return spectrum(np.stack(path), M)[:, 1:]


def hills(groups: Sequence[str]) -> pd.DataFrame:
    """The kinds of hills of each group: type and real dimension of the representation, how many
    there are, their height."""
    rows = []
    for group in groups:
        for hill in local_maxima(group):
            rows.append((group, hill.type, hill.dimension, hill.energy))
    table = pd.DataFrame(rows, columns=["group", "representation", "D", "height"])
    kinds = table.groupby(list(table.columns), sort=False).size().rename("hills")
    return kinds.reset_index().set_index("group")


def pairs_that_keep(moduli_to: int, draws: int) -> pd.DataFrame:
    """The random pairs n from which on a hill survives, by modulus and draw, and n over M ln M."""
    moduli = [M for M in TRIED if moduli_to >= M]
    table = pd.DataFrame({"M": np.repeat(moduli, draws)})
    table["n"] = np.concatenate([samples_to_keep(M, draws) for M in moduli])
    return table.assign(ratio=table.n / (table.M * np.log(table.M)))


def tried_at_once(moduli_to: int) -> pd.DataFrame:
    """Whether one constant serves: `keeping` at some moduli up to three times as large, with the
    number of draws."""
    moduli = tuple(M for M in (31, 101, 401, 1009) if 3 * moduli_to >= M)
    return keeping(moduli, draws=4).assign(draws=4)
