"""The panels of Fig. 6 as the authors published them, phase by phase, and what can be counted on
them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

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
    no_decay = phases(ours).isel(seed=0).sel(decoder_weight_decay=0)
    rows = []
    for rate, (fit, test) in NO_DECAY.items():
        run = no_decay.sel(decoder_lr=rate, method="nearest")
        rows.append((rate, "training", fit, float(run.fit_step)))
        rows.append((rate, "test", test, float(run.test_step)))
    table = pd.DataFrame(rows, columns=["rate", "set", "published", "ours"])
    logged = ours.step.values
    expected = logged[np.searchsorted(logged, table.published, side="right")]
    return table.assign(met=table.ours == expected)


def panels() -> dict[str, xr.DataArray]:
    """Both panels as letters over (decoder_weight_decay, decoder_lr)."""
    decays = {"b": DECAYS, "d": S3_DECAYS}
    grids = {}
    for panel, rows in ROWS.items():
        axes = {"decoder_weight_decay": list(decays[panel]), "decoder_lr": list(FINE)}
        grids[panel] = xr.DataArray([list(row) for row in rows], axes)
    return grids


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


@dataclass(frozen=True)
class Sandwiched:
    """The lines of some panels that have C, G and M: where grokking stands between the others.

    `parts` has one a panel and direction, whether it does so in most lines; `along_one`, whether
    along one axis of each panel; `touching` and `between` count the borders of C with M, and those
    that grokking has with either.
    """

    parts: list[Part]
    along_one: Part
    words: str
    touching: int
    between: int


def sandwiched(cells: Mapping[str, xr.DataArray], least: int = 1) -> Sandwiched:
    """The order of the phases along each axis of each panel, not known below `least` lines."""
    table = sandwich(cells)
    parts, along_one = between(table, least)
    words = []
    for row in table.to_dict("records"):
        in_order = some(row["C, G, M"], row["lines"])
        words.append(f"{row['panel']}, along the {row['along']}: {in_order}")
    once = table.drop_duplicates("panel")
    return Sandwiched(
        parts,
        along_one,
        "; ".join(words),
        touching=int(once.CM.sum()),
        between=int(once.CG.sum() + once.GM.sum()),
    )


def by_chance(cells: Mapping[str, xr.DataArray]) -> float:
    """Chance that one axis of each panel has the order C, G, M, if each panel and direction has one
    of three at random.

    Example:
        >>> round(by_chance({"b": panels()["b"]}), 3)
        0.556
    """
    directions = sandwich(cells).groupby("panel").size()
    return float(np.prod(1 - (2 / 3) ** directions))
