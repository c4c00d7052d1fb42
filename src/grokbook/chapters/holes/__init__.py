"""Chapter 04b: training sets with a hole, Table 1 of Gu et al. 2025 as counted and as measured."""

from __future__ import annotations

import pandas as pd

from grokbook.chapters.holes.measured import NEAR
from grokbook.chapters.holes.table_1 import either_order

__all__ = ["answer"]

_ORDER = "Trained again, the table's order survives (rank correlation {order:.2f})"
_CEILINGS = {
    "fails": "its limits do not: of the {rows} rows that grok in print {exceeded} are exceeded by a run",
    "holds": "so do its limits, in all {rows} rows that grok in print",
}
_OPEN = (
    "whether its limits do is open: of the rows that grok in print no run exceeds one by more than {near:.0f} "
    "points, and not every row is reached"
)
_DISTANCE = (
    "no single distance explains the limits, the best misses by {value:.0f} points, the share of cells in either order "
    "of the operands by {either:.0f}"
)
_NEAR = "one single distance explains the limits within {high:.0f} points"


def answer(said: pd.DataFrame, measured: pd.DataFrame) -> str:
    """The chapter's answer in a box, from the ledger's rows GT1 and G33 (index id) and the table `measured`.

    Example:
        >>> judged = {"verdict": ["fails", "vacuous"], "value": [1.0, 15.0], "high": [0.0, 6.0]}
        >>> said = pd.DataFrame(judged, ["GT1", "G33"])
        >>> rows = {"U": [80.0, 40.0], "U-Acc": [90.0, 30.0], "U low": [70.0, 20.0], "U high": [85.0, 45.0]}
        >>> rows |= {"GO-Epoch": [900, 900], "U-Acc - either order": [9.0, -9.0]}
        >>> "within one row they differ by up to 25 points" in answer(said, pd.DataFrame({**rows, "seeds": [3, 3]}))
        True
    """
    claimed = "Gu et al. print the highest test accuracy of eleven training sets with a hole and explain it by distance"
    ceilings, distance = said.loc["GT1"], said.loc["G33"]
    numbers = {"order": measured.U.corr(measured["U-Acc"], method="spearman")}
    numbers |= {"rows": int(measured["GO-Epoch"].notna().sum()), "either": either_order(measured)}
    numbers |= {"exceeded": f"{ceilings.value:.0f}" if ceilings.verdict == "fails" else "", "near": NEAR}
    found = f"{_ORDER}; {_CEILINGS.get(ceilings.verdict, _OPEN)}; ".format(**numbers)
    found += (_DISTANCE if distance.value > distance.high else _NEAR).format(**distance, **numbers)
    wide = (measured["U high"] - measured["U low"]).max()
    sure = f"This rests on {measured.seeds.sum():.0f} runs; within one row they differ by up to {wide:.0f} points"
    return f"> **Answer.** {claimed}. {found}. {sure}, which the table is silent on."
