"""Entries of the ledger as text: nothing cut off, never wider than asked, what differs is
marked."""

import pytest

from companion.claims import Claim, Finding, Outcome, choose, outcomes, report
from companion.claims.ledger import claims


@pytest.mark.parametrize("width", [50, 80, 100])
def test_every_entry_keeps_its_words_and_its_width(width):
    for claim in claims():
        text = report.entry(claim, "holds", width=width)
        assert all(len(line) <= width or len(line.split()) == 1 for line in text.splitlines())
        assert claim.statement in " ".join(text.split())
        assert claim.page in " ".join(text.split())


def test_a_result_has_evidence_numbers_and_no_mark_when_nothing_changed():
    outcome = next(outcomes(choose(["G18"])))
    claim = outcome.claim
    text = " ".join(report.entry(claim, outcome.finding.verdict, outcome).split())
    assert outcome.finding.evidence in text
    assert "Published: 1 (a product)" in text
    assert "DIFFERS" not in text
    assert "DIFFERS from the settled verdict (settled: none)" in report.entry(claim, None, outcome)


def test_what_there_is_not_is_left_out():
    verdicts = ["vacuous", "fails", "holds", "holds"]
    assert report.summary(verdicts) == "4 claims: 2 holds, 1 vacuous, 1 fails."
    informal = Claim("X1", "gu2025", "p. 2", "So.", "number", "a", "b", reason="No number.")
    found = report.entry(informal, "not run", Outcome(informal, Finding("not run", "none"), 1.0))
    assert "(no check: No number.)" in found
    assert "Ours" not in found and "Published" not in found
