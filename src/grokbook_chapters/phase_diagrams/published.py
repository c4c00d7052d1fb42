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
# By panel: rows of letters, a row a weight decay, a letter a learning rate of the decoder; cells in
# C, G, M and X.
ROWS, COUNTS = (
    {name: tuple(each) for name, each in _FILE[part].items()} for part in ("rows", "counts")
)
# The row of 6b without decay as far as it generalises: rate -> published steps to 90 % of training
# and test set.
NO_DECAY = {float(rate): tuple(steps) for rate, steps in _FILE["no-decay"].items()}


def steps_beside(ours: xr.Dataset) -> pd.DataFrame:
    """The steps of `NO_DECAY` beside those of a panel of ours: a row a rate and set, and whether
    the step is `met`.

    The program counts from 0 and looks after its update, at every step. So a step is met where ours
    is the first that is logged after more updates than it.
    """
    found, logged, rows = phases(ours).isel(seed=0), ours.step.values, []
    for rate, steps in NO_DECAY.items():
        run = found.sel(decoder_lr=rate, method="nearest").sel(decoder_weight_decay=0)
        for part, first, step in zip(
            ("training", "test"), (run.fit_step, run.test_step), steps, strict=True
        ):
            expected = logged[np.searchsorted(logged, step, side="right")]
            row = {
                "rate": rate,
                "set": part,
                "published": step,
                "ours": float(first),
                "met": float(first) == expected,
            }
            rows.append(row)
    return pd.DataFrame(rows)


def panels() -> dict[str, xr.DataArray]:
    """Both panels as letters over (decoder_weight_decay, decoder_lr)."""
    decays = {"b": DECAYS, "d": S3_DECAYS}
    return {
        panel: xr.DataArray(
            [list(row) for row in rows],
            {"decoder_weight_decay": list(decays[panel]), "decoder_lr": list(FINE)},
        )
        for panel, rows in ROWS.items()
    }


def same_cells(phase: xr.DataArray, panel: str) -> xr.DataArray:
    """The cells of a published panel at the rates and decays of ours, the nearest it has."""
    axes = ("decoder_weight_decay", "decoder_lr")
    return panels()[panel].sel({axis: phase[axis] for axis in axes}, method="nearest")


def counted() -> dict[str, dict[str, int]]:
    """Cells of each published panel in each phase, by panel and letter."""
    found = {
        panel: tuple(int((cells == k).sum()) for k in "CGMX") for panel, cells in panels().items()
    }
    return {
        panel: dict(zip("CGMX", counts, strict=True))
        for panel, counts in sorted((COUNTS | found).items())
    }


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
