"""The recorded runs that chapter 09's page draws and counts, as tables of their grok steps."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import pandas as pd

from companion.claims import load
from grokbook.runs.experiment import Experiments
from grokbook_chapters.labelled import Tables
from grokbook_chapters.width_and_initialisation import runs
from grokbook_chapters.width_and_initialisation.claims import fig20
from grokbook_chapters.width_and_initialisation.tables import longest, times

FURTHER = tuple(range(runs.FRESH[0], 23))
"""Seeds of the normal start and of the Toeplitz table of normal numbers, later ones included."""


class Recorded(NamedTuple):
    """Tables of `times` by setting, one dict a question of the page."""

    alike: Tables
    """Settings with many seeds, by modulus."""
    large_shifts: Tables
    small_shifts: Tables
    positions: Tables
    """128 pairs of width 48 at p = k = 37, with position vectors and without."""
    wider_positions: Tables
    own_positions: Tables
    """Figs 19 to 21 at the paper's size."""
    widths: Tables
    narrow: pd.DataFrame
    """The longest runs of Fig. 10 at width 128."""
    companions: Tables
    """The two panels of Fig. 9 at p = 37."""
    starts: Tables
    onsets: Tables
    """The two starts of Fig. 20."""
    race: Tables


def recorded() -> Recorded:
    """The runs of the page, loaded from the store.

    Raises KeyError where runs of a figure are not there.
    """
    moduli = load(runs.by_modulus(), times)
    widths = load(runs.by_width(), times)
    alike = {"p = 59": load({"p = 59": runs.unchanged()}, times)["p = 59"]}
    for label in ("p = 97", "p = 47"):
        alike[label] = moduli[longest(moduli, label)]
    return Recorded(
        alike=alike,
        large_shifts=load(runs.by_shift(), times),
        small_shifts=load(runs.small_by_shift(), times),
        positions=load(runs.many_by_position(), times),
        wider_positions=load(runs.wider_by_position(), times),
        own_positions=load(runs.by_position(), times),
        widths=widths,
        narrow=widths[longest(widths, "p = 43, k = 0, d = 128")],
        companions=load(runs.companions_by_width(), times),
        starts=load(_starts(), times),
        onsets=load(fig20(), times),
        race=load(runs.by_optimiser(), times),
    )


def _starts() -> Experiments:
    """The starts of `APART` at p = 59 with the seeds of `FRESH`, the two compared by a claim with
    all of `FURTHER`."""
    starts = runs.fresh()
    for name in ("normal", "toeplitz_normal"):
        starts[name] = replace(starts[name], seeds=FURTHER)
    return starts
