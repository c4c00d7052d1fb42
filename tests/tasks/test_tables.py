"""Tables about tasks: counted, not typed."""

from __future__ import annotations

import pytest

from grokbook.tasks.polynomials import OPERATIONS
from grokbook.tasks.tables import operation_table, split_table


def test_operations_and_their_classes():
    table = operation_table(11).set_index("operation")
    assert list(table.index) == list(OPERATIONS)
    assert (table.loc["add", "smallest"], table.loc["add", "largest"]) == (11, 11)
    assert (table.loc["multiply", "smallest"], table.loc["multiply", "largest"]) == (10, 21)
    assert table.loc["subtract", "commutes"] == "no"
    assert table.loc["add", "commutes"] == "yes"


@pytest.mark.parametrize(("split", "hole", "code", "text"), [("square", 30, 2822, 2534), ("strip", 67, 2813, 843)])
def test_sizes_by_both_rules_at_97(split, hole, code, text):
    """Table 1 of Gu et al. 2025: 30 % of all cells by the programs, of the remaining ones by the text."""
    row = split_table(97, 0.3, [(split, hole)]).iloc[0]
    assert (row["train, code"], row["train, text"]) == (code, text)
    assert row["train, code"] + row["test, code"] == 97**2 == row["train, text"] + row["test, text"]
