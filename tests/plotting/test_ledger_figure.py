"""The picture of the ledger shows the counts of the table."""

from __future__ import annotations

import pandas as pd
import pytest

from grokbook.errors import ParameterError
from grokbook.plotting.ledger import verdict_counts, verdicts_by_kind

TABLE = pd.DataFrame({"verdict": ["fails", "fails", "holds"], "kind": ["theorem", "theorem", "number"]})


def test_counts_have_every_verdict_and_kind_and_add_up():
    counts = verdict_counts(TABLE)
    assert counts.shape == (7, 4)
    assert counts.to_numpy().sum() == len(TABLE)
    assert (counts.loc["fails", "theorem"], counts.loc["holds", "number"]) == (2, 1)


def test_the_grid_says_the_counts_and_the_totals():
    ax = verdicts_by_kind(TABLE).axes[0]
    assert {(t.get_text(), *map(round, t.get_position())) for t in ax.texts} == {("2", 0, 4), ("1", 2, 0)}
    assert "fails (2)" in [t.get_text() for t in ax.get_yticklabels()]
    assert "theorem\n(2)" in [t.get_text() for t in ax.get_xticklabels()]


def test_an_empty_ledger_is_an_empty_grid():
    assert not verdicts_by_kind(TABLE[:0]).axes[0].texts


def test_another_table_is_refused():
    with pytest.raises(ParameterError, match="needs the columns 'verdict' and 'kind'"):
        verdict_counts(pd.DataFrame({"a": [1]}))
