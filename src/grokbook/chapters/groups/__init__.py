"""Chapter 13: groups other than addition, S3 first; what equal products imply, and how many of them one needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from grokbook.chapters.groups.claims import SWAP
from grokbook.chapters.groups.figures import hexagons, involutions
from grokbook.claims import load
from grokbook.claims.finding import some
from grokbook.errors import ParameterError
from grokbook.runs.delay import grok_times
from grokbook.runs.experiment import Experiment
from grokbook.runs.gu2025 import fig5
from grokbook.tasks.groups import cayley_table
from grokbook.theory.group_deduction import coset_representation, deduced_accuracy, first_forced, half_way
from grokbook.theory.linear_probability import critical_fraction

GROUPS = ("Z4", "Z2xZ2", "Z6", "S3", "Z8", "Z2xZ4", "Z2xZ2xZ2", "D4", "Q8", "Z12", "Z2xZ6", "D6", "A4")
"""The groups that are compared: all of order 4, 6 and 8, and four of the five of order 12."""

LARGEST = 12
"""Elements of the largest group whose deductions a page computes."""


def plan(group: str, cells: int) -> dict[str, Experiment]:
    """Nothing is trained; a group that is none, or a number of training cells that its table has not, is refused.

    Raises ParameterError.

    Example:
        >>> plan("S3", 17)
        {}
    """
    order = len(cayley_table(group))
    if not 3 <= order <= LARGEST:
        raise ParameterError(f"group = {group!r} has {order} elements, but this chapter needs 3 to {LARGEST}.")
    if not 1 <= cells < order**2:
        raise ParameterError(f"cells = {cells} must be between 1 and {order**2 - 1}: the table has {order**2} cells.")
    return {}


def random_cells(group: str, cells: int, seed: int = 0) -> np.ndarray:
    """A mask (n, n) of so many random cells of a group's table.

    Example:
        >>> int(random_cells("S3", 17).sum())
        17
    """
    table = cayley_table(group)
    return (np.random.default_rng(seed).permutation(table.size) < cells).reshape(table.shape)


def accuracy_curve(group: str, draws: int, seed: int = 0) -> np.ndarray:
    """The mean accuracy of an ideal model on the whole table, for random training sets of 0, 1, ..., n^2 cells.

    Example:
        >>> accuracy_curve("Z3", 20)[[0, 9]]
        array([0., 1.])
    """
    table = cayley_table(group)
    place = np.random.default_rng(seed).permuted(np.tile(np.arange(table.size), (draws, 1)), axis=1)
    trained = place.reshape(draws, *table.shape)
    return np.array([deduced_accuracy(table, trained < size).mean() for size in range(table.size + 1)])


def group_table(draws: int, groups: Iterable[str] = GROUPS) -> pd.DataFrame:
    """A row a group: order, whether Abelian, elements of order two, cells and share at which half of orders suffice.

    From 12 elements on a quarter of the draws, at least 20.

    Example:
        >>> group_table(20, ["S3"]).Abelian.item()
        'no'
    """
    rows = []
    for name in groups:
        table = cayley_table(name)
        cells = half_way(first_forced(table, draws if len(table) < LARGEST else max(20, draws // 4)), table.size)
        rows.append({"group": name, "order": len(table), "Abelian": "yes" if (table == table.T).all() else "no",
                     "of order two": involutions(table), "cells": cells, "share": cells / table.size})  # fmt: skip
    return pd.DataFrame(rows)


def compared(table: pd.DataFrame) -> str:
    """What comes out of `group_table`: how the share falls with the order, and what else it depends on.

    Example:
        >>> rows = {"order": [6, 6], "Abelian": ["yes", "no"], "share": [0.47, 0.48], "of order two": [1, 3]}
        >>> compared(pd.DataFrame(rows)).split(". ")[-1]
        'Within an order it rises with the number of elements of order two (1 of 1 orders); why, we do not know.'
    """
    means, orders = table.groupby("order").share.mean(), table.groupby("order")
    first = "falls with the order" if means.is_monotonic_decreasing else "does not simply fall with the order"
    ends = f"from {means.iloc[0]:.2f} at {means.index[0]} to {means.iloc[-1]:.2f} at {means.index[-1]} elements"
    both = orders.filter(lambda rows: rows.Abelian.nunique() == 2)
    apart = both.groupby(["order", "Abelian"]).share.mean().unstack()
    gap = float((apart.no - apart.yes).abs().max())
    rising = sum(rows.sort_values("share")["of order two"].is_monotonic_increasing for _, rows in orders)
    cheap = gap < (means.iloc[0] - means.iloc[-1]) / 5
    told = [
        f"The share {first}, {ends}.",
        f"Between Abelian groups and others of one order the means differ by at most {gap:.3f}: to these two rules, "
        f"which never swap factors, it {'matters little' if cheap else 'matters'} whether the group commutes. "
        "Embeddings that commute themselves, as sums do, get (b, a) with (a, b) and need fewer cells.",
    ]
    if 2 * rising > len(means):
        told.append(f"Within an order it rises with the number of elements of order two ({rising} of {len(means)} "
                    "orders); why, we do not know.")  # fmt: skip
    return " ".join(told)


def modular_table(primes: Iterable[int], draws: int) -> pd.DataFrame:
    """A row a prime: the samples and the share of unordered pairs at which half of random orders force a line over F_p.

    Above p = 11 the draws are fewer, in proportion to 1 / p, and at least ten.

    Example:
        >>> modular_table([5], 100).p.item()
        5
    """
    rows = []
    for p in primes:
        share = critical_fraction(p, min(draws, max(10, draws * 11 // p)), modulus=True)
        rows.append({"p": p, "pairs": p * (p + 1) // 2, "samples": share * p * (p + 1) / 2, "share": share})
    return pd.DataFrame(rows)


def trained_modular() -> pd.DataFrame:
    """The recorded transformers of Fig. 5 of Gu et al. 2025: by modulus, shares of the pairs and what generalises."""
    rows = []
    for p, data in load({p: fig5(p) for p in (47, 97)}).items():
        times = grok_times(data)
        fraction = data.attrs.get("train_fraction", 0.3)
        shown = ((p - 1) * (1 - (1 - fraction) ** 2) + 2 * fraction) / (p + 1)  # a pair (a, a) has one order
        rows.append({"p": p, "ordered": fraction, "unordered": shown, "runs": len(times),
                     "generalise": int(times.grok_step.notna().sum()), "steps": int(data.step[-1])})  # fmt: skip
    return pd.DataFrame(rows)


SHOWN = 0.9
"""Share of the random bases in which exact matrices must show a hexagon before one is looked for in trained ones."""


def exact_kinds() -> dict[str, np.ndarray]:
    """The two representations of S3 by 3x3 matrices that tell its elements apart, but for the basis, (6, 3, 3) each.

    Example:
        >>> [np.trace(matrices, axis1=1, axis2=2).astype(int).tolist() for matrices in exact_kinds().values()]
        [[3, 1, 1, 0, 0, 1], [3, -1, -1, 0, 0, -1]]
    """
    swaps = coset_representation(cayley_table("S3"), SWAP)
    return {"permutations": swaps, "permutations times the sign": np.linalg.det(swaps).round()[:, None, None] * swaps}


def hexagon_shares(kinds: Mapping[str, np.ndarray], draws: int, seed: int = 0) -> pd.DataFrame:
    """How often matrices show a hexagon in the plane of PC1 and PC3, and in any of three planes, in random draws.

    Two rows for each kind (6, 3, 3) in random bases: as it is, and with noise of half its standard deviation; and one
    for random matrices.

    Example:
        >>> hexagon_shares({"drawn": np.random.default_rng(0).normal(size=(6, 3, 3))}, 5).noise.tolist()
        ['none', 'half', 'all']
    """
    rng, shape = np.random.default_rng(seed), (6, 3, 3)
    found: dict[tuple[str, str], list[list[tuple[int, int]]]] = {}
    for name, matrices in kinds.items():
        bases = rng.normal(size=(draws, *shape[1:]))
        turned = [basis @ matrices @ np.linalg.inv(basis) for basis in bases]
        found[name, "none"] = [hexagons(one) for one in turned]
        found[name, "half"] = [hexagons(one + rng.normal(size=shape) * one.std() / 2) for one in turned]
    found["random", "all"] = [hexagons(rng.normal(size=shape)) for _ in range(draws)]
    return pd.DataFrame([{"matrices": name, "noise": noise, "PC1 and PC3": np.mean([(0, 2) in one for one in each]),
                          "any plane": np.mean([bool(one) for one in each])}
                         for (name, noise), each in found.items()])  # fmt: skip


def hexagon_said(shares: pd.DataFrame) -> str:
    """What a hexagon in the plane of PC1 and PC3 is evidence of, from `hexagon_shares`.

    Example:
        >>> names = {"matrices": ["permutations", "random"], "noise": ["none", "all"]}
        >>> hexagon_said(pd.DataFrame(names | {"PC1 and PC3": [1.0, 0.06]}))[-38:]
        'So a hexagon speaks for the structure.'
    """
    exact, random = (shares[shares.noise == noise].set_index("matrices")["PC1 and PC3"] for noise in ("none", "all"))
    each = ", ".join(f"{share:.0%} ({name})" for name, share in exact.items())
    said = f"In random bases exact representations show it in {each}, random matrices in {random.item():.0%}."
    if exact.min() > SHOWN and random.item() < 0.2:
        return f"{said} So a hexagon speaks for the structure."
    if exact.min() <= SHOWN:
        return f"{said} An exact representation need not show it: so a hexagon, or none, decides nothing."
    return f"{said} So a hexagon does not tell the structure apart."


def against_networks(lines: pd.DataFrame, networks: pd.DataFrame) -> str:
    """What `trained_modular` says against the shares of `modular_table`, as a sentence or two.

    Example:
        >>> against_networks(pd.DataFrame({"p": [53], "share": [0.087]}), pd.DataFrame())
        'No transformers modulo p are recorded to set beside it.'
    """
    if networks.empty:
        return "No transformers modulo p are recorded to set beside it."
    told = "; ".join(f"{some(row.generalise, row.runs)} by step {row.steps:,} at p = {row.p}"
                     for row in networks.itertuples())  # fmt: skip
    fewer = (networks.generalise < networks.runs).any()
    ending = " So an ideal model's amount of data does not decide when these networks generalise." if fewer else ""
    return (
        f"The recorded transformers were trained on {networks.ordered.iloc[0]:.0%} of the ordered pairs, which show "
        f"about {networks.unordered.iloc[0]:.0%} of the unordered ones, several times that share. Of their runs, "
        f"these reach a test accuracy of 95 %: {told}.{ending}"
    )


def answer(said: pd.DataFrame, shares: pd.DataFrame) -> str:
    """The chapter's answer in a box, from the ledger's row L30 (index id) and the table of the groups.

    Example:
        >>> shares = pd.DataFrame({"order": [6, 8], "Abelian": ["yes", "no"], "share": [0.4, 0.3]})
        >>> answer(pd.DataFrame({"value": [0.47]}, index=["L30"]), shares)[-20:]
        'is told beside them.'
    """
    told = [
        "> **Answer.** The paper carries its theory from addition to all Abelian groups, and to S3 with matrices.",
        "For addition modulo n real embeddings cannot form the structure at all; phases can.",
        "For S3 two equalities give a third where they share a product; by a chain of quotients it takes three.",
        f"Together they give all of S3 from half of the training sets with a share of {said.value['L30']:.2f} of its "
        f"table; larger groups need less, {shares.share.iloc[-1]:.2f} at {shares.order.iloc[-1]} elements.",
        "This is proved or counted for ideal models; what networks do is told beside them.",
    ]
    return " ".join(told)
