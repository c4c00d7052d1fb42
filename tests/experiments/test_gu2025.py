"""Every figure of the papers is a named experiment."""

from __future__ import annotations

from grokbook.experiments import gu2025


def test_every_figure_and_table_is_named_with_its_statement_and_source():
    """Figs 2, 4, 5, 9 to 20 and Table 1 of the paper, and the shift of its predecessor; no small companion."""
    named = gu2025.experiments()
    parts = {name.split("/")[1].split("[")[0] for name in named}
    assert {"fig2", "fig4", "fig5", "table1", "fig3", *(f"fig{n}" for n in range(9, 21))} <= parts
    assert all(e.name == name and e.statement and e.source for name, e in named.items())
    assert sum(name.startswith("gu2025/table1[") and "=12000" not in name for name in named) >= 11
