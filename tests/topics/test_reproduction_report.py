"""Chapter 18 trains nothing, knows the papers, and its picture shows the counts of the ledger."""

from __future__ import annotations

import pandas as pd
import pytest

from grokbook.claims.ledger import PAPERS
from grokbook.errors import ParameterError
from grokbook.topics import reproduction_report as report

TABLE = pd.DataFrame({"verdict": ["fails", "fails", "holds"], "kind": ["theorem", "theorem", "number"]})


def test_nothing_is_trained_and_another_paper_is_refused_with_the_nearest():
    assert all(report.plan(paper, slow) == {} for paper in ("all", *PAPERS) for slow in (True, False))
    with pytest.raises(ParameterError, match="paper = 'gu2023' has no claims; the nearest is 'gu202"):
        report.plan("gu2023", True)


@pytest.mark.parametrize(("entries", "verdict"), [(11, "holds"), (10, "fails")])
def test_a_dictionary_has_a_power_of_its_entries(entries, verdict):
    """G39: 11^4 = 14,641; sums of four go from 4 to 4 entries, the middle one is the most frequent."""
    found = report.dictionary_sums(entries)
    assert (found.verdict, found.value) == (verdict, entries**4)
    assert (found.numbers["classes"], found.numbers["mode"]) == (4 * entries - 3, 2 * (entries + 1))


def test_the_grid_says_the_counts_of_every_verdict_and_kind_and_the_totals():
    counts = report.verdict_counts(TABLE)
    assert counts.to_numpy().sum() == len(TABLE) and counts.loc["fails", "theorem"] == 2
    ax = report.verdicts_by_kind(TABLE).axes[0]
    told = {tuple(int(x) for x in text.get_position()): text.get_text() for text in ax.texts if text.get_text()}
    assert told == {(0, list(counts.index).index("fails")): "2", (list(counts.columns).index("number"), 0): "1"}
    assert "fails (2)" in [t.get_text() for t in ax.get_yticklabels()]
    assert "theorem\n(2)" in [t.get_text() for t in ax.get_xticklabels()]
    assert not any(text.get_text() for text in report.verdicts_by_kind(TABLE[:0]).axes[0].texts)


def test_another_table_is_refused():
    with pytest.raises(ParameterError, match="needs the columns 'verdict' and 'kind'"):
        report.verdict_counts(pd.DataFrame({"a": [1]}))
