"""Published numbers are what the papers print."""

from __future__ import annotations

from grokbook.experiments.published import table_1


def test_table_1_is_complete():
    table = table_1()
    assert len(table) == 11 and (table["L-Acc"] < table["U-Acc"]).all()
    assert table.groupby("split").hole.apply(list).to_dict() == {
        "square": [30, 35, 40, 45, 50, 55, 60],
        "strip": [67, 60, 50, 40],
    }
    assert table["GO-Epoch"].isna().tolist() == [False] * 7 + [True] + [False] * 3


def test_table_1_sums():
    """Column sums as a guard against a mistyped digit: 550.43 and 508.64 for SQUARE, 210.80 and 179.04 for STRIP."""
    sums = table_1().groupby("split")[["U-Acc", "L-Acc"]].sum().round(2)
    assert sums.loc["square"].tolist() == [550.43, 508.64]
    assert sums.loc["strip"].tolist() == [210.80, 179.04]
