"""What the page of chapter 10 looks at beside the run that it trains: recorded runs, and programs
that are no networks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from companion.claims import findings, load
from grokbook.runs.experiment import available
from grokbook_chapters.labelled import Tables
from grokbook_chapters.resnet_grokking import claims, features, memorised, runs
from grokbook_chapters.resnet_grokking.shapes import ShapeTask

LEVELS = {
    "raw pixels": "pixels",
    "after the stem": "stem",
    "last stage, all places": "places",
    "averages": "pooled",
}
"""Levels of a network by what the page calls them, as the claim on probes names them."""


class Recorded(NamedTuple):
    """The small runs by setting and those that ask for a sum, a row a run as `claims.reached` has
    them; the runs of the map; and what the check of GR7 finds in untrained networks."""

    small: Tables
    summed: pd.DataFrame
    cells: xr.Dataset
    probes: Mapping[str, Any]


def recorded() -> Recorded:
    """The runs of the page, loaded from the store.

    Raises KeyError where those that ask for a sum are not there.
    """
    return Recorded(
        load(runs.small(), claims.reached),
        load(runs.summed(), claims.reached)["multiset"],
        available(runs.small_map()["cells"]),
        findings(["GR7"])["GR7"].numbers,
    )


def programs(task: ShapeTask) -> pd.DataFrame:
    """Test accuracies of programs that are not networks, a row a split: of the best constant
    answer, of forgetting the order, of adding by counts of glyphs, and by raw pixels; the last is
    the share of test images whose label is trained."""
    rows = {}
    for split in runs.SPLITS:
        own = replace(task, split=split)
        labels = own.targets[memorised.tested(own)]
        rows[split] = {
            "best constant": features.constant(own),
            "forgets the order": memorised.score(own, memorised.remembered(own)),
            "adds": memorised.score(own, memorised.added(own)),
            "adds by pixels": memorised.score(own, features.by_pixels(own)),
            "trained labels": np.isin(labels, own.targets[own.train_index]).mean(),
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("split")


def levels(probes: Mapping[str, Any]) -> pd.DataFrame:
    """$R^2$ of least squares for sums of other values in untrained networks, a row a size of the
    images (pixels), a column a level."""
    table = {name: probes[level].split(", ") for name, level in LEVELS.items()}
    return pd.DataFrame(table, index=probes["sizes"].split(", ")).rename_axis("pixels of an image")
