"""The recorded runs that chapter 11a's page draws and counts."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

from companion.claims import load
from grokbook_chapters.labelled import Datasets
from grokbook_chapters.trained_toys.embeddings import answered, measured, planes, starts
from grokbook_chapters.trained_toys.runs import fig2, placed, toys


class Recorded(NamedTuple):
    """The toys by their number of training pairs and what is `measured` on them, with their
    `starts`; the decoder alone, `answered`; runs in the plane by their setting, and their
    `shapes`."""

    toys: Datasets
    measured: pd.DataFrame
    starts: pd.DataFrame
    alone: pd.DataFrame
    planes: Datasets
    shapes: pd.DataFrame


def recorded() -> Recorded:
    """The runs of the page, loaded from the store."""
    sizes = load(toys())
    table = measured(sizes)
    alone = answered(load(placed()))
    drawn = load(fig2())
    return Recorded(sizes, table, starts(sizes, table), alone, drawn, planes(drawn))
