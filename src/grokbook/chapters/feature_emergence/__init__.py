"""Chapter 17: how features emerge (Tian 2025, Li2): a gradient, an energy, its hills, and how many pairs keep them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from grokbook.chapters.feature_emergence.claims import learned_nodes
from grokbook.chapters.feature_emergence.settings import (
    boundary,
    finer_groups,
    followed,
    muon,
    others,
    plan,
    rates,
    shares,
)
from grokbook.chapters.feature_emergence.trained import (
    boundary_table,
    exponent,
    first_steps,
    group_rows,
    rate_table,
    share_table,
    whole,
)
from grokbook.chapters.feature_emergence.words import (
    answer,
    bars_said,
    climb_said,
    law_said,
    rate_said,
    stages_said,
    survives,
    waiting,
)
from grokbook.claims import load
from grokbook.measures import med
from grokbook.theory.backpropagated import (
    answers,
    feature_gradient,
    features,
    modulated,
    random_features,
    samples_to_keep,
)
from grokbook.theory.feature_energy import ascend, energy, local_maxima
from grokbook.theory.irreps import as_table

__all__ = [
    "answer",
    "bars_said",
    "boundary",
    "boundary_table",
    "climb_said",
    "decay_curve",
    "equal_power",
    "exponent",
    "finer_groups",
    "first_steps",
    "followed",
    "group_rows",
    "hill_table",
    "kept_pairs",
    "law_said",
    "load",
    "modulation_table",
    "muon",
    "one_ascent",
    "others",
    "plan",
    "rate_said",
    "rate_table",
    "rates",
    "share_table",
    "shares",
    "stages_said",
    "survives",
    "waiting",
    "whole",
]

SHOWN = ("Z11", "Z12", "Z2xZ2", "S3", "D5", "A4", "Q8")
"""The groups whose hills the page lists."""


def hill_table(starts: int = 60, groups: Iterable[str] = SHOWN, seed: int = 0) -> pd.DataFrame:
    """A row a group and kind of hill: type, D, energy for one-hot and unit inputs, zero modes, and who ends there.

    `end here` is the share of so many random starts whose ascent ends at that energy.

    Example:
        >>> hill_table(10, ["Q8"])[["D", "one-hot", "zero modes"]].values.tolist()
        [[1.0, 4.0, 0.0], [4.0, 1.0, 6.0]]
    """
    rows, rng = [], np.random.default_rng(seed)
    for group in groups:
        M = len(as_table(group))
        ends = ascend(rng.normal(size=(starts, 2 * M)), group, steps=2_000)
        reached = energy(ends, group)
        kinds = {(m.type, m.dimension): m for m in local_maxima(group)}
        for (kind, D), m in kinds.items():
            count = sum((n.type, n.dimension) == (kind, D) for n in local_maxima(group))
            rows.append({"group": group, "type": kind, "D": D, "hills": count, "one-hot": m.energy,
                         "unit": m.energy / 4,
                         "zero modes": m.zero_modes,
                         "end here": float(np.isclose(reached, m.energy, rtol=1e-4).mean())})  # fmt: skip
    return pd.DataFrame(rows)


def one_ascent(M: int, steps: int = 60, seed: int = 0) -> np.ndarray:
    """The nodes (steps + 1, 2M) of one ascent of the energy from a random start.

    Example:
        >>> one_ascent(5, 3).shape
        (4, 10)
    """
    start = np.random.default_rng(seed).normal(size=2 * M)
    path = [start / np.linalg.norm(start)]
    for _ in range(steps):
        path.append(ascend(path[-1], M, steps=1))
    return np.stack(path)


def decay_curve(M: int, K: int, points: int = 13) -> dict[float, float]:
    """The norm of G_F of K random features by the ridge's weight decay, on all pairs modulo M, about eta = 4 K.

    Example:
        >>> sizes = list(decay_curve(5, 200).values())
        >>> max(sizes) > 3 * sizes[0] and max(sizes) > 3 * sizes[-1]
        True
    """
    F, Y = random_features(M, K), answers(M)
    etas = 4 * K * np.geomspace(0.01, 100, points)
    return {float(eta): float(np.linalg.norm(feature_gradient(F, Y, eta))) for eta in etas}


def modulation_table(M: int, etas: Iterable[float] = (1000.0, 10.0, 0.1)) -> pd.DataFrame:
    """The modified energy at the maxima of the learned frequency and of the others (least), by weight decay.

    Example:
        >>> rows = modulation_table(7)
        >>> bool(rows.learned.is_monotonic_decreasing), bool((rows.others > 1.7).all())
        (True, True)
    """
    F, hills = features(learned_nodes(M), M), local_maxima(M)
    return pd.DataFrame([{"eta": eta, "learned": modulated(hills[0].w, M, F, eta),
                          "others": min(modulated(m.w, M, F, eta) for m in hills[1:])} for eta in etas])  # fmt: skip


def kept_pairs(most: int, draws: int, bars: Iterable[float] = (0.5,)) -> dict[float, dict[int, np.ndarray]]:
    """By bar and modulus up to `most`: the pairs from which on a maximum survives, a number a draw.

    Example:
        >>> list(kept_pairs(11, 2)[0.5])
        [7, 11]
    """
    moduli = [M for M in (7, 11, 17, 23, 31, 59, 101) if most >= M]
    return {bar: {M: samples_to_keep(M, draws, bar=bar) for M in moduli} for bar in bars}


def equal_power(M: int, count: int = 400, seed: int = 0) -> tuple[float, float]:
    r"""MED over the mean length of a row: of features of every frequency alike, and $\sqrt{2M/(M-1)}$.

    `count` nodes a frequency have random phases.

    Example:
        >>> got, wanted = equal_power(11)
        >>> abs(got / wanted - 1) < 0.02
        True
    """
    rng = np.random.default_rng(seed)
    k = np.repeat(np.arange(1, (M + 1) // 2), count)
    rows = np.cos(2 * np.pi * np.outer(np.arange(M), k) / M + rng.uniform(0, 2 * np.pi, len(k)))
    length = float(np.linalg.norm(rows, axis=1).mean())
    return float(med(rows)) / length, float(np.sqrt(2 * M / (M - 1)))
