"""The panels of Fig. 6 as the authors published them, phase by phase, and what can be counted on them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
import xarray as xr

from grokbook.chapters.phase_diagrams.runs import DECAYS, FINE, S3_DECAYS
from grokbook.claims import Finding, claim, judge
from grokbook.claims.finding import UNDECIDED, some
from grokbook.files import beside
from grokbook.runs.phases import between, phases, sandwich

_FILE = beside(__file__)
# By panel: rows of letters, a row a weight decay, a letter a learning rate of the decoder; cells in C, G, M and X.
ROWS, COUNTS = ({name: tuple(each) for name, each in _FILE[part].items()} for part in ("rows", "counts"))
# The row of 6b without decay as far as it generalises: rate -> published steps to 90 % of training and test set.
NO_DECAY = {float(rate): tuple(steps) for rate, steps in _FILE["no-decay"].items()}


def steps_beside(ours: xr.Dataset) -> pd.DataFrame:
    """The steps of `NO_DECAY` beside those of a panel of ours: a row a rate and set, and whether the step is `met`.

    The program counts from 0 and looks after its update, at every step. So a step is met where ours is the first that
    is logged after more updates than it.
    """
    found, logged, rows = phases(ours).isel(seed=0), ours.step.values, []
    for rate, steps in NO_DECAY.items():
        run = found.sel(decoder_lr=rate, method="nearest").sel(decoder_weight_decay=0)
        for part, first, step in zip(("training", "test"), (run.fit_step, run.test_step), steps, strict=True):
            expected = logged[np.searchsorted(logged, step, side="right")]
            row = {"rate": rate, "set": part, "published": step, "ours": float(first), "met": float(first) == expected}
            rows.append(row)
    return pd.DataFrame(rows)


def panels() -> dict[str, xr.DataArray]:
    """Both panels as letters over (decoder_weight_decay, decoder_lr)."""
    decays = {"b": DECAYS, "d": S3_DECAYS}
    return {
        panel: xr.DataArray([list(row) for row in rows], {"decoder_weight_decay": list(decays[panel]),
                                                          "decoder_lr": list(FINE)})
        for panel, rows in ROWS.items()
    }  # fmt: skip


def same_cells(phase: xr.DataArray, panel: str) -> xr.DataArray:
    """The cells of a published panel at the rates and decays of ours, the nearest it has."""
    axes = ("decoder_weight_decay", "decoder_lr")
    return panels()[panel].sel({axis: phase[axis] for axis in axes}, method="nearest")


def counted() -> dict[str, dict[str, int]]:
    """Cells of each published panel in each phase, by panel and letter."""
    found = {panel: tuple(int((cells == k).sum()) for k in "CGMX") for panel, cells in panels().items()}
    return {panel: dict(zip("CGMX", counts, strict=True)) for panel, counts in sorted((COUNTS | found).items())}


def sandwiched(cells: Mapping[str, xr.DataArray], least: int = 1) -> Finding:
    """Judge "sandwiched": most lines with C, G and M have this order; with correction: along one direction of each."""
    table = sandwich(cells)
    parts, one = between(table, least)
    told = "; ".join(f"{r.panel}, along the {r.along}: {some(r['C, G, M'], r.lines)}" for _, r in table.iterrows())
    once = table.drop_duplicates("panel")
    met = {"touching": int(once.CM.sum()), "between": int(once.CG.sum() + once.GM.sum())}
    share = float(table["C, G, M"].sum() / max(table.lines.sum(), 1))
    return judge(*parts, corrected=one, value=share, told=told, **met)


def other_fillings(cells: Mapping[str, xr.DataArray]) -> dict[str, str]:
    """The verdict of `sandwiched` where C, or M, is asked to be the phase between the other two."""

    def turned(grid: xr.DataArray, letter: str) -> xr.DataArray:
        return xr.where(grid == letter, "G", xr.where(grid == "G", letter, grid))

    return {k: sandwiched({name: turned(grid, k) for name, grid in cells.items()}).verdict for k in "CM"}


def by_chance(cells: Mapping[str, xr.DataArray]) -> float:
    """Chance that `sandwiched` accepts panels whose lines have any order, one of three, drawn a panel and direction."""
    table = sandwich(cells)
    drawn = itertools.product((True, False, False), repeat=len(table))
    return float(np.mean([bool(between(table.assign(**{"C, G, M": table.lines * order}))[1]) for order in drawn]))


_PLACE = {"section": "What the authors published"}
LEVEL = 0.05  # chance above which orders drawn at random do as well


@claim("LP01", "liu2022", "section 4.1", **_PLACE, says="cells of {told}")
def four_phases() -> Finding:
    """Of the diagrams 6b to 6d, "they all include four phases". Here: as published."""
    asked = {panel: counts for panel, counts in counted().items() if panel in "bcd"}
    told = "; ".join(f"6{panel}: {', '.join(f'{n} {k}' for k, n in counts.items())}" for panel, counts in asked.items())
    return judge(*(min(counts.values()) > 0 for counts in asked.values()), told=told)


@claim("LP02", "liu2022", "section 4.1, Fig. 6", **_PLACE, says=(
    "of the lines with all three phases in the order C, G, M: {told}; comprehension touches memorisation directly at ",
    "{touching} borders, and grokking one of them at {between}. An order drawn at random for each panel and direction ",
    "does as well in {chance:.0%}; with comprehension asked to be between: {C}, with memorisation: {M}"))  # fmt: skip
def published_sandwich() -> Finding:
    """In 6b to 6d "grokking is sandwiched between comprehension and memorization". Here: 6b and 6d, as published.

    Our reading: in most lines of cells with all three phases, grokking stands between; "with correction" where that is
    so along one axis of each panel and not along the other. That is open where an order drawn at random for each panel
    and direction does as well in more than 5 %.
    """
    cells = {f"6{panel}": grid for panel, grid in panels().items()}
    found, chance = sandwiched(cells), by_chance(cells)
    if found.verdict == "holds with correction" and chance > LEVEL:
        found = replace(found, verdict=UNDECIDED)
    return replace(found, numbers=dict(found.numbers) | other_fillings(cells) | {"chance": chance})


@claim("LP03", "liu2022", "section 4.1", **_PLACE, bars={"size": (1, 2)},
       says="of {size} x {size} cells in the corner: {told}; in a corner of another size: {bars}")  # fmt: skip
def corners(*, size: int = 3) -> Finding:
    """In 6b to 6d "the top right corner (a fast and capable decoder) is the memorization phase; the bottom right corner
    (a fast and simple decoder) is the confusion phase". Here: 6b, 6d as published.

    Our reading: most of the 3 x 3 cells there; "with correction" where only the cell in the corner itself is.
    """
    parts, last, told = [], [], []
    for panel, cells in panels().items():
        for name, letter, rows in (("no decay", "M", slice(0, size)), ("most decay", "X", slice(-size, None))):
            alike = cells.values[rows, -size:] == letter
            parts.append(bool(2 * alike.sum() > alike.size))
            last.append(bool(alike[0 if letter == "M" else -1, -1]))
            told.append(f"6{panel}, {name}: {int(alike.sum())} {letter}")
    return judge(*parts, corrected=all(last), size=size, told=", ".join(told))
