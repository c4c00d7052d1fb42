"""The panels of Fig. 6 as the authors published them, phase by phase, and what can be counted on them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import xarray as xr

from grokbook.claims import Finding, claim, judge
from grokbook.claims.finding import some
from grokbook.measures.phases import PHASES, agreement, borders, boundary_shift, kappa, orders, phase_of, phases
from grokbook.topics.phase_diagrams.settings import DECAYS, FINE, S3_DECAYS

CODE = "https://github.com/ejmichaud/grokking-squared"
"""The authors' programs, where the steps behind the panels are (folder phase_diagram_plot); one seed a cell."""

ROWS = {
    "b": (
        "GGGGGCCCMMMMMMMM", "GGGGGCCCMMMMMMMM", "GGGGGCCCMMMMMMMM", "GGGGGCCCMMMMMMMX", "GGGGGGCCMMMMMXXX",
        "GGGGGGGCCMMMXXXX", "GGGGGGGGCXXXXXXX", "GGGGGGGGGXXXXXXX", "MGGGGGGGMMXXXXXX", "MMMMMGGGMMMXXXXX",
        "MMMMMMMMMMXXXXXX",
    ),
    "d": (
        "CCCCCCCMMMMMMMMM", "CCCCCCCGMMMMMMMM", "CCCCCCCGMMMMMMMM", "CCCCCCCGGGMMMMMM", "CCCCCCCGMGGMMMMM",
        "CCCCCCCCGGMGGGGM", "CCCCCCCCCGGGMMMM", "CCCCCCCCCCCCCCGG", "CCGGGGCCCCCGGGMM", "GGGGGMMMMMMMMMMM",
        "MMMMXXMXMXXXXXXX",
    ),
}  # fmt: skip
"""Phases of panels 6b (addition, regression) and 6d (S3), by 0.9 within 100,000 steps and fewer than 1,000 steps later.
A row is a weight decay of the decoder, from none on; a letter a learning rate of the decoder, from the smallest on."""


COUNTS = {"a": (29, 31, 109, 0), "c": (30, 85, 50, 11)}
"""Cells of panels 6a (13 x 13) and 6c (16 x 11) in C, G, M and X, from the same programs; not kept cell by cell."""

NO_DECAY = {
    1e-5: (14_262, 21_295), 1.58489e-5: (8_946, 13_272), 2.51189e-5: (5_814, 8_304), 3.98107e-5: (3_787, 5_458),
    6.30957e-5: (2_207, 3_413), 1e-4: (1_650, 2_076), 1.58489e-4: (1_274, 1_504), 2.51189e-4: (854, 923),
}  # fmt: skip
"""The row of 6b without decay as far as it generalises: rate -> published steps to 90 % of training and test set."""


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


def proportions() -> dict[str, tuple[float, float]]:
    """Smallest and largest quotient of the two steps in `NO_DECAY`, for the cells of grokking and of comprehension.

    Example:
        >>> [round(low, 2) for low, _ in proportions().values()]
        [1.43, 1.08]
    """
    found: dict[str, list[float]] = {"G": [], "C": []}
    for fit, test in NO_DECAY.values():
        found[str(phase_of(fit, test))].append(test / fit)
    return {letter: (min(values), max(values)) for letter, values in found.items()}


def panels() -> dict[str, xr.DataArray]:
    """Both panels as letters over (decoder_weight_decay, decoder_lr).

    Example:
        >>> str(panels()["b"].sel(decoder_lr=0.01, decoder_weight_decay=0).values)
        'M'
    """
    decays = {"b": DECAYS, "d": S3_DECAYS}
    return {
        panel: xr.DataArray([list(row) for row in rows], {"decoder_weight_decay": list(decays[panel]),
                                                          "decoder_lr": list(FINE)})
        for panel, rows in ROWS.items()
    }  # fmt: skip


def same_cells(phase: xr.DataArray, panel: str) -> xr.DataArray:
    """The cells of a published panel at the rates and decays of ours, the nearest it has.

    Example:
        >>> ours = xr.DataArray([list("CG")], {"decoder_weight_decay": [0.1], "decoder_lr": [9.9e-6, 0.0101]})
        >>> same_cells(ours, "b").values.tolist()
        [['G', 'M']]
    """
    axes = ("decoder_weight_decay", "decoder_lr")
    return panels()[panel].sel({axis: phase[axis] for axis in axes}, method="nearest")


def counted() -> dict[str, dict[str, int]]:
    """Cells of each published panel in each phase, by panel and letter.

    Example:
        >>> counted()["b"]
        {'C': 17, 'G': 60, 'M': 60, 'X': 39}
    """
    found = {panel: tuple(int((cells == k).sum()) for k in "CGMX") for panel, cells in panels().items()}
    return {panel: dict(zip("CGMX", counts, strict=True)) for panel, counts in sorted((COUNTS | found).items())}


def published_shares() -> pd.DataFrame:
    """Cells of each published panel, and the percentage of them in each phase: a row a panel."""
    rows = []
    for panel, counts in counted().items():
        cells = sum(counts.values())
        shares = {f"{PHASES[letter]}, %": 100 * count / cells for letter, count in counts.items()}
        rows.append({"panel": f"6{panel}", "cells": cells} | shares)
    return pd.DataFrame(rows)


def lines(cells: xr.DataArray) -> dict[str, list[str]]:
    """The rows of a panel, along which the rate changes, and its columns, along which the decay does."""
    return {"rate": ["".join(row) for row in cells.values], "decay": ["".join(row) for row in cells.values.T]}


def sandwich(cells: Mapping[str, xr.DataArray]) -> pd.DataFrame:
    """A row a panel and direction: lines with C, G and M, those of them in this order, and the panel's borders."""
    found = []
    for panel, grid in cells.items():
        met = borders(grid.values).reindex(["CM", "CG", "GM"], fill_value=0)
        for along, texts in lines(grid).items():
            kinds = orders(texts)
            others = ", ".join(f"{kind} ({n})" for kind, n in kinds.items() if kind != "CGM")
            row = {"panel": panel, "along": along, "lines": int(kinds.sum()), "C, G, M": int(kinds.get("CGM", 0))}
            found.append(row | {"other orders": others or "none"} | met.to_dict())
    return pd.DataFrame(found)


def sandwiched(cells: Mapping[str, xr.DataArray], **numbers: object) -> Finding:
    """Judge "sandwiched": most lines with C, G and M have this order along one direction, or along both."""
    table = sandwich(cells)
    if not table.lines.gt(0).all():
        return judge(None, told="no line of some panel has all three phases", **numbers)
    most = table["C, G, M"] > table.lines / 2
    each = {panel: group.to_list() for panel, group in most.groupby(table.panel)}
    verdict = "holds" if most.all() else "holds with correction" if all(map(any, each.values())) else "fails"
    told = "; ".join(f"{r.panel}, along the {r.along}: {some(r['C, G, M'], r.lines)}" for _, r in table.iterrows())
    once = table.drop_duplicates("panel")
    share = float(table["C, G, M"].sum() / table.lines.sum())
    both = {"touching": int(once.CM.sum()), "between": int(once.CG.sum() + once.GM.sum())}
    return Finding(verdict, value=share, numbers={"told": told} | both | numbers)


def controls(panel: str = "b", draws: int = 200) -> pd.DataFrame:
    """What the comparison says of a published panel and itself: as it is, moved by a column, and shuffled.

    Columns: compared with, agreement, kappa, shift. The shuffled one is the mean of `draws`, and has no shift.
    """
    cells = panels()[panel].values
    moved = np.concatenate([cells[:, 1:], cells[:, -1:]], axis=1)
    rng = np.random.default_rng(12)
    mixed = [rng.permutation(cells.ravel()).reshape(cells.shape) for _ in range(draws)]
    rows = [("itself", cells), ("itself, moved by one column", moved)]
    table = [(name, agreement(cells, o), kappa(cells, o), f"{boundary_shift(cells, o):+d}") for name, o in rows]
    mean = [float(np.mean([measure(cells, o) for o in mixed])) for measure in (agreement, kappa)]
    return pd.DataFrame([*table, ("itself, shuffled", *mean, "")], columns=["compared with", *COMPARED])


COMPARED = ("agreement", "kappa", "shift")
_PLACE = {"section": "What the authors published"}


@claim("LP01", "liu2022", "section 4.1", **_PLACE, says="cells of {told}")
def four_phases() -> Finding:
    """Of the diagrams 6b to 6d, "they all include four phases". Here: as published."""
    asked = {panel: counts for panel, counts in counted().items() if panel in "bcd"}
    told = "; ".join(f"6{panel}: {', '.join(f'{n} {k}' for k, n in counts.items())}" for panel, counts in asked.items())
    return judge(*(min(counts.values()) > 0 for counts in asked.values()), told=told)


@claim(
    "LP02",
    "liu2022",
    "section 4.1, Fig. 6",
    **_PLACE,
    says=(
        "of the lines with all three phases in the order C, G, M: {told}; comprehension touches memorisation ",
        "directly at {touching} borders, and grokking one of them at {between}",
    ),
)
def published_sandwich() -> Finding:
    """In 6b to 6d "grokking is sandwiched between comprehension and memorization". Here: 6b and 6d, as published.

    Our reading: in most lines of cells with all three phases, grokking stands between; "with correction" where that is
    so along one axis of each panel and not along the other.
    """
    return sandwiched({f"6{panel}": cells for panel, cells in panels().items()})


@claim("LP03", "liu2022", "section 4.1", **_PLACE, says="in the corner cells {told}; in blocks of 3 x 3 cells {blocks}")
def corners() -> Finding:
    """In 6b to 6d a fast and capable decoder memorises, a fast and simple one is confused. Here: 6b, 6d as published.

    Our reading: the two cells with the highest rate, without decay and with the most; "with correction" where the most
    of the 3 x 3 cells around one of them are in another phase.
    """
    asked, told, blocks, most = [], [], [], []
    for panel, cells in panels().items():
        for name, letter, rows in (("no decay", "M", slice(0, 3)), ("most decay", "X", slice(-3, None))):
            block = cells.values[rows, -3:]
            alike = int((block == letter).sum())
            cell = str(block[0 if letter == "M" else -1, -1])
            asked.append(cell == letter)
            told.append(f"6{panel}, {name}: {cell}")
            blocks.append(f"{alike} of 9 {letter}")
            most.append(alike > 4)
    holds = "holds" if all(most) else "holds with correction"
    return judge(*asked, holds=holds, told="; ".join(told), blocks=", ".join(blocks))


PUBLISHED_CLAIMS = ("LP01", "LP02", "LP03")
