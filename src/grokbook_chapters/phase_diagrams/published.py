"""The panels of Fig. 6 as the authors published them, phase by phase, and what can be counted on
them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from companion.claims.finding import Part, some
from grokbook.curves.phases import between, phases, sandwich
from grokbook.files import beside
from grokbook_chapters.phase_diagrams.runs import DECAYS, FINE, S3_DECAYS

_FILE = beside(__file__)

ROWS = {panel: tuple(rows) for panel, rows in _FILE["rows"].items()}
"""By panel: rows of letters, a row a weight decay, a letter a learning rate of the decoder."""

COUNTS = {panel: tuple(counts) for panel, counts in _FILE["counts"].items()}
"""By panel whose rows are not there: cells in C, G, M and X."""

NO_DECAY = {float(rate): tuple(steps) for rate, steps in _FILE["no-decay"].items()}
"""The row of 6b without decay as far as it generalises: rate -> published steps to 90 % of training
and test set."""


def steps_beside(ours: xr.Dataset) -> pd.DataFrame:
    """The steps of `NO_DECAY` beside those of a panel of ours: a row a rate and set, and whether
    the step is `met`.

    The program counts from 0 and looks after its update, at every step. So a step is met where ours
    is the first that is logged after more updates than it.
    """
    found = phases(ours).isel(seed=0)
    logged = ours.step.values
    rows = []
    for rate, (fit, test) in NO_DECAY.items():
        run = found.sel(decoder_lr=rate, method="nearest").sel(decoder_weight_decay=0)
        for part, first, step in (("training", run.fit_step, fit), ("test", run.test_step, test)):
            expected = logged[np.searchsorted(logged, step, side="right")]
            row = {"rate": rate, "set": part, "published": step, "ours": float(first)}
            rows.append(row | {"met": float(first) == expected})
    return pd.DataFrame(rows)


def panels() -> dict[str, xr.DataArray]:
    """Both panels as letters over (decoder_weight_decay, decoder_lr)."""
    decays = {"b": DECAYS, "d": S3_DECAYS}
    found = {}
    for panel, rows in ROWS.items():
        axes = {"decoder_weight_decay": list(decays[panel]), "decoder_lr": list(FINE)}
        found[panel] = xr.DataArray([list(row) for row in rows], axes)
    return found


def same_cells(phase: xr.DataArray, panel: str) -> xr.DataArray:
    """The cells of a published panel at the rates and decays of ours, the nearest it has."""
    axes = ("decoder_weight_decay", "decoder_lr")
    return panels()[panel].sel({axis: phase[axis] for axis in axes}, method="nearest")


def counted() -> dict[str, dict[str, int]]:
    """Cells of each published panel in each phase, by panel and letter."""
    counts = {panel: dict(zip("CGMX", own, strict=True)) for panel, own in COUNTS.items()}
    for panel, cells in panels().items():
        counts[panel] = {letter: int((cells == letter).sum()) for letter in "CGMX"}
    return dict(sorted(counts.items()))


def sandwiched(
    cells: Mapping[str, xr.DataArray], least: int = 1
) -> tuple[list[Part], Part, dict[str, Any]]:
    """Does grokking stand between C and M in most lines that have all three, along each axis of
    each panel?

    A part a panel and direction, whether it is so along one axis of each panel, and numbers for a
    sentence.
    """
    table = sandwich(cells)
    parts, one = between(table, least)
    told = "; ".join(
        f"{r.panel}, along the {r.along}: {some(r['C, G, M'], r.lines)}"
        for _, r in table.iterrows()
    )
    once = table.drop_duplicates("panel")
    met = {"touching": int(once.CM.sum()), "between": int(once.CG.sum() + once.GM.sum())}
    return parts, one, {"told": told, **met}


def by_chance(cells: Mapping[str, xr.DataArray]) -> float:
    """Chance that one axis of each panel has the order C, G, M, if each panel and direction has one
    of three at random.

    Example:
        >>> round(by_chance({"b": panels()["b"]}), 3)
        0.556
    """
    directions = sandwich(cells).groupby("panel").size()
    return float(np.prod(1 - (2 / 3) ** directions))
