"""Chapter 18: its own claim, and the picture of the counts of the ledger."""

from __future__ import annotations

import dataclasses
import json

import pandas as pd
import pytest
import xarray as xr

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


def recorded(seeds, grokked, **made):
    """Runs that generalise at these steps of 0 .. 900 (None: never), as a record."""
    steps = range(0, 901, 100)
    curves = [[1.0 if g is not None and s >= g else 0.0 for s in steps] for g in grokked]
    data = {name: (("seed", "step"), curves) for name in ("test_accuracy", "train_accuracy")}
    data["train_accuracy"] = ("seed", "step"), [[1.0] * len(steps)] * len(seeds)
    attrs = {"provenance": json.dumps([{"dtype": "float32", "seeds": list(seeds), **made}])}
    return xr.Dataset(data, {"seed": list(seeds), "step": list(steps)}, attrs)


def test_ways_to_train_are_told_apart_where_they_differ_and_only_there():
    """An oracle, runs later than all others in another format, is found (2/20); the same runs again are not."""
    base = recorded([0, 1, 2], [100, 200, 300])
    late = recorded([0, 1, 2], [400, 500, 600], dtype="bfloat16", update="compiled")
    found = report.ways_table({"a": [base, late], "b": [base, recorded([5, 6, 7], [100, 200, 300], update="compiled")]})
    assert found["numbers, update"].tolist()[1] == "bfloat16, compiled"
    assert found.p.tolist()[1::2] == [pytest.approx(0.1), 1.0]
    assert found.generalise.tolist() == [3, 3, 3, 3]


def test_the_runs_in_other_numbers_are_the_recorded_settings():
    """Only the number format differs, so that the comparison is about it alone."""
    for label, run in report.in_bfloat16().items():
        other = report.in_float32()[label].config
        assert dataclasses.replace(run.config, dtype="float32") == other
    assert report.in_float32()["p = 59"].missing_seeds()[:1] != (0,)
