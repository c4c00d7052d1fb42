"""The errata page has a row for every claim that is corrected, no row for one that is not, and names a page of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grokbook.claims.ledger import claims
from grokbook.claims.verdicts import settled

ERRATA = Path(__file__).resolve().parents[2] / "book" / "errata.md"
CORRECTED = ("holds with correction", "needs an assumption", "fails")


def rows() -> dict[str, list[str]]:
    """The cells of every row that begins with ids of claims, by id."""
    found = {}
    for line in ERRATA.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for name in re.findall(r"^[GPLT]\d\d(?:, [GPLT]\d\d)*$", cells[0])[:1] if cells else []:
            found |= {one: cells for one in name.split(", ")}
    return found


def corrected(kinds: tuple[str, ...]) -> set[str]:
    """The claims of these kinds whose settled verdict is a correction."""
    verdicts = settled()
    return {claim.id for claim in claims() if claim.kind in kinds and verdicts.get(claim.id) in CORRECTED}


def test_every_correction_has_a_row():
    """What a paper proves, defines or computes; an observation that does not hold is a finding, not a misprint."""
    assert corrected(("theorem", "formula", "number")) - set(rows()) == set()


def test_no_row_is_about_a_claim_that_stands():
    assert set(rows()) - corrected(("theorem", "formula", "number", "observation")) == set()


@pytest.mark.parametrize("claim", [c for c in claims() if c.id in rows()], ids=lambda c: c.id)
def test_a_row_names_the_chapter_of_the_ledger(claim):
    assert rows()[claim.id][4] == f"chapter {int(claim.page[:2])}"
    assert min(len(cell) for cell in rows()[claim.id]) >= 3
