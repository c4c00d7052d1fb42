"""Every number, text and truth of chapter 13's prose."""

from __future__ import annotations

import pandas as pd

from companion.claims import choose, outcomes
from companion.page import Prose, Truth
from grokbook.theory.linear_probability import crossing
from grokbook_chapters.groups.trained import GOAL, SHOWN, all_right
from grokbook_chapters.ranges import count_of

USED = {"LG1": ("telling",), "LG2": ("above", "below", "printed"), "LG3": ("over", "n")}
"""What the prose says of what each claim counts."""

FACTORS = {
    "Z": "the sums modulo {n}",
    "D": "the symmetries of a polygon with {n} corners",
    "S": "the ways to order {n} things",
    "A": "the even ways to order {n} things",
    "Q": "the quaternion units",
}
"""The letter of a group of `cayley_table` -> its elements."""


def in_words(group: str) -> str:
    """The elements of a group of `cayley_table`.

    Example:
        >>> in_words("D4")
        'the symmetries of a polygon with 4 corners'
    """
    return " with ".join(FACTORS[name[0]].format(n=name[1:]) for name in group.split("x"))


def numbers(
    amounts: pd.DataFrame,
    shares: pd.DataFrame,
    rows: pd.DataFrame,
    hexagons: pd.DataFrame,
    modulo: pd.DataFrame,
    transformers: pd.DataFrame,
) -> Prose:
    """What the prose uses, of the tables that the page makes one after the other."""
    return {
        **_s3(amounts),
        **_groups(shares),
        **_networks(rows),
        **_hexagons(hexagons),
        **_modulo(modulo, transformers),
    }


def _s3(amounts: pd.DataFrame) -> Prose:
    half = {name: crossing(curve.to_numpy()) for name, curve in amounts.items()}
    return {
        "forced": f"{half['deduced by two rules']:.2f}",
        "implied_share": f"{half['implied in every group']:.2f}",
        "rigid": f"{half['matrices rigid']:.2f}",
    }


def _groups(shares: pd.DataFrame) -> Prose:
    """Whether the share falls with the order, and whether it depends on commuting."""
    means = shares.groupby("elements").share.mean()
    kinds = shares.groupby(["elements", "Abelian"]).share.mean().unstack()
    gap = (kinds[True] - kinds[False]).abs().max()
    fall = means.iloc[0] - means.iloc[-1]
    evidence = ", ".join(f"{share:.2f}" for share in means)
    return {
        "share_falls": Truth(means.is_monotonic_decreasing, evidence),
        "commuting_is_cheap": Truth(gap < fall / 5, f"{gap:.3f}"),
    }


def _networks(rows: pd.DataFrame) -> Prose:
    """What the claims on the recorded runs count, and the runs that answer every cell."""
    right = rows[all_right(rows)]
    most = rows.cells.max()
    counted: Prose = {}
    for outcome in outcomes(choose([*USED])):
        name = outcome.claim.id
        for key in USED[name]:
            counted[f"{name}_{key}"] = str(outcome.finding.numbers[key])
    return {
        **counted,
        "goal": f"{GOAL:g}",
        "all_right": f"{len(right)} of {len(rows)}",
        "few_cells": rows.cells[rows.cells < most].max(),
        "few_closed": _closed(right[right.cells < most]),
        "many_cells": most,
        "many_closed": _closed(right[right.cells == most]),
    }


def _closed(rows: pd.DataFrame) -> str:
    """How many of some runs close more than half of the parallelograms."""
    return count_of(rows.rqi > 0.5)


def _hexagons(hexagons: pd.DataFrame) -> Prose:
    """How often exact and random matrices show a hexagon."""
    shares = hexagons.set_index(["noise", "matrices"])["PC1 and PC3"]
    exact = shares["none"]
    return {
        "hex_plain": f"{exact['permutations']:.0%}",
        "hex_signed": f"{exact['permutations times the sign']:.0%}",
        "hex_random": f"{shares['all', 'random']:.0%}",
        "exact_may_hide": Truth(exact.min() <= SHOWN, f"{exact.min():.0%}"),
    }


def _modulo(modulo: pd.DataFrame, transformers: pd.DataFrame) -> Prose:
    """Pairs that an ideal model needs, and pairs that transformers were shown."""
    last = modulo.iloc[-1]
    values = {
        "last_p": f"{last.p:.0f}",
        "last_share": f"{last.share:.0%}",
        "ordered": f"{transformers.ordered[0]:.0%}",
        "unordered": f"{transformers.unordered[0]:.0%}",
    }
    for row in transformers.itertuples():
        values[f"generalised_{row.p}"] = f"{row.generalise} of {row.runs}"
    return values
