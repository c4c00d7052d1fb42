"""The recorded runs that chapter 12's page draws and counts."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd
import xarray as xr

from companion.claims import load
from grokbook_chapters.phase_diagrams.claims import short
from grokbook_chapters.phase_diagrams.runs import by_seed, fig6, in_part, replayed
from grokbook_chapters.phase_diagrams.walks import walks


class Recorded(NamedTuple):
    """Panel 6b from the published random numbers, 6a with three seeds, the walks of 6a with four,
    and the phases of twelve cells of 6b with five."""

    replayed: xr.Dataset
    race: xr.Dataset
    walks: pd.DataFrame
    cells: xr.DataArray


def recorded() -> Recorded:
    """The runs of the page, loaded from the store.

    Raises KeyError where they are not there.
    """
    race = {"first": fig6()["a"], "others": in_part()["a"]}
    panels = load({"6b": replayed()["b"], "cells": by_seed()["cells"]} | race)
    return Recorded(
        panels["6b"],
        panels["others"],
        walks([panels[name] for name in race]),
        short(panels["cells"]),
    )
