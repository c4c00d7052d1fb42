"""Chapter 18: its own claim, and the picture of the counts of the ledger."""

from __future__ import annotations

import pandas as pd
import pytest

from grokbook.claims.finding import VERDICTS
from grokbook.claims.ledger import KINDS
from grokbook.topics import reproduction_report as report

TABLE = pd.DataFrame({"verdict": ["fails", "fails", "holds"], "kind": ["theorem", "theorem", "number"]})


@pytest.mark.parametrize(("entries", "verdict"), [(11, "holds"), (10, "fails")])
def test_a_dictionary_has_a_power_of_its_entries(entries, verdict):
    """G39: 11^4 = 14,641; sums of four go from 4 to 4 entries, the middle one is the most frequent."""
    found = report.dictionary_sums(entries)
    assert (found.verdict, found.value) == (verdict, entries**4)
    assert (found.numbers["classes"], found.numbers["mode"]) == (4 * entries - 3, 2 * (entries + 1))


def test_the_grid_says_the_counts_of_every_verdict_and_kind_and_the_totals():
    ax = report.verdicts_by_kind(TABLE).axes[0]
    told = {tuple(int(x) for x in text.get_position()): text.get_text() for text in ax.texts if text.get_text()}
    assert told == {(0, VERDICTS.index("fails")): "2", (KINDS.index("number"), 0): "1"}
    assert "fails (2)" in [t.get_text() for t in ax.get_yticklabels()]
    assert "theorem\n(2)" in [t.get_text() for t in ax.get_xticklabels()]
    assert not any(text.get_text() for text in report.verdicts_by_kind(TABLE[:0]).axes[0].texts)
