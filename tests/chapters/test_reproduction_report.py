"""Chapter 18: the picture of the counts of the ledger."""

from __future__ import annotations

import dataclasses
import json

import pandas as pd
import pytest
import xarray as xr

from grokbook.chapters import reproduction_report as report
from grokbook.chapters.reproduction_report import central, new
from grokbook.claims import Finding, Outcome, choose, outcomes
from grokbook.claims.finding import VERDICTS
from grokbook.claims.ledger import KINDS, WAYS
from grokbook.page import findings
from grokbook.theory.one_frequency import circle

TABLE = pd.DataFrame({"verdict": ["fails", "fails", "holds"], "kind": ["theorem", "theorem", "number"]})


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


@pytest.mark.parametrize(("p", "said"), [([0.3, 0.9], "found: the smallest p is 0.30."), ([0.01, 0.9], "Two ways")])
def test_what_is_said_of_the_ways_follows_the_smallest_p(p, said):
    assert said in report.ways_said(pd.DataFrame({"p": [float("nan"), *p]}))


def test_the_runs_in_other_numbers_are_the_recorded_settings():
    """Only the number format differs, so that the comparison is about it alone."""
    for label, run in report.in_bfloat16().items():
        other = report.in_float32()[label].config
        assert dataclasses.replace(run.config, dtype="float32") == other
    assert report.in_float32()["p = 59"].missing_seeds()[:1] != (0,)


def test_counts_add_up():
    table = pd.DataFrame({"paper": ["gu2025", "gu2024", "gu2025"], "verdict": ["fails", "fails", "holds"]})
    counts = report.counts_by_paper(table.assign(origin="paper")).set_index("verdict")
    assert counts.loc["all"].sum() == 3 and counts.loc["fails"].tolist() == [1, 1]
    mixed = report.counts_by_paper(table.assign(origin=["ours", "paper", "paper"])).set_index("verdict")
    assert mixed.loc["fails"].to_dict() == {"Gu et al. 2025": 0, "Gu 2024": 1, "this book": 1}, "ours are no paper's"


# ---------------------------------------------------------------------------------------- central claims, new here


@pytest.mark.slow
@pytest.mark.parametrize("entry", central.CENTRAL, ids=lambda entry: entry.id)
def test_a_central_claim_quotes_briefly_and_its_sentences_stand_at_the_computed_verdict(entry):
    outcome = next(outcomes(choose([entry.id])))
    assert len(entry.quote.split()) <= 30
    assert outcome.finding.verdict == entry.where and len(central.sentences(entry, outcome)) == 3
    other = dataclasses.replace(outcome, finding=Finding("not run", "No run."))
    assert central.sentences(entry, other) == ["No run."]


@pytest.mark.parametrize("verdict", ["holds", "undecided"])
def test_what_stands_beside_an_open_claim_is_the_verdict_of_its_own_entry(monkeypatch, verdict):
    monkeypatch.setattr(central, "settled", lambda: {"GE1": verdict})
    start = central.CENTRAL[-1]
    outcome = Outcome(choose([start.id])[0], Finding("undecided", numbers={"seen": "a"}), 0.0)
    *_, beside = central.sentences(start, outcome)
    assert beside.startswith("Beside it: ") and beside.endswith(f": {verdict} (entry GE1).")


def test_ten_claims_of_different_ids_and_only_those_that_were_checked_are_cards():
    found = outcomes(choose(["G14", "G36"]))
    assert len({entry.id for entry in central.CENTRAL}) == 10
    assert [head[:30] for _, head, _ in findings.central_cards(found, central.CENTRAL, central.sentences)] == [
        '<a class="gb-id" href="#G14">G'
    ]


@pytest.mark.parametrize("finding", new.FOUND, ids=lambda finding: finding.slug)
def test_a_finding_stands_its_check_and_leads_to_where_it_is_shown(finding):
    numbers = finding.check()
    assert numbers["true"] and finding.says.format(**numbers).endswith(".")
    assert findings.shown_at(finding.label) and finding.shown_by in WAYS


def test_a_finding_that_does_not_stand_its_check_is_no_card(monkeypatch):
    made = [new.New(name, name, "{n}.", "count", "thm-limit", lambda ok=ok: {"n": 1, "true": ok}) for name, ok in
            (("a", True), ("b", False))]  # fmt: skip
    monkeypatch.setattr(new, "FOUND", made)
    assert [anchor for anchor, _, _ in findings.new_cards(new.stood())] == ["new-a"]


def test_the_checks_can_fail(monkeypatch):
    """A wrong bound, a copyist that does not swap, a flow that is stopped early."""
    monkeypatch.setattr(new, "circle", lambda p, k: circle(p, k, 2.0))
    monkeypatch.setattr(new, "transpose_accuracy", lambda p, n: 0.4)
    monkeypatch.setattr(new, "limit_point", lambda start: start)
    assert [check()["true"] for check in (new.bound_of_med.check, new.copies.check, new.ends.check)] == [False] * 3
