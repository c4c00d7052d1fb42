"""The ledger: every claim has a check or a reason; verdicts are recomputed and do not change unseen."""

from __future__ import annotations

import pytest

from grokbook.claims import Claim, Finding, choose, ledger
from grokbook.claims.ledger import VERDICTS, claims
from grokbook.errors import ParameterError

EXPECTED = {"G14": "fails", "G18": "fails", "G26": "holds", "G36": "holds", "G37": "holds with correction",
            "P02": "fails", "P07": "holds with correction", "P09": "fails"}  # fmt: skip


@pytest.mark.parametrize(("name", "verdict"), EXPECTED.items())
def test_verdicts_of_claims_that_need_no_runs(name, verdict):
    assert choose([name])[0].finding().verdict == verdict


def test_the_table_has_every_claim_once_with_a_known_verdict():
    table = ledger()
    assert table.id.is_unique
    assert len(table) == len(claims())
    assert set(table.verdict) <= set(VERDICTS)
    assert table.evidence.str.len().min() > 10


def test_every_page_named_by_a_claim_exists():
    from grokbook.paths import project_root

    for claim in claims():
        name, _, section = claim.page.partition(": ")
        source = (project_root() / "notebooks" / f"{name}.md").read_text(encoding="utf-8")
        headings = [line.lstrip("# ").lower() for line in source.splitlines() if line.startswith("#")]
        assert any(section.lower() in heading for heading in headings), (claim.id, section)


def test_choosing():
    assert [c.id for c in choose(["P07", "G26"])] == ["P07", "G26"]
    assert {c.paper for c in choose(paper="gu2024")} == {"gu2024"}
    with pytest.raises(ParameterError, match="no claim 'G2'; the nearest is G2"):
        choose(["G2"])
    with pytest.raises(ParameterError, match="no paper 'gu2026'; it has gu2024, gu2025"):
        choose(paper="gu2026")


def test_a_claim_without_check_needs_a_reason():
    with pytest.raises(ParameterError, match="neither a check nor a reason"):
        Claim("X1", "p", "here", "said", "theorem", "01: a")
    assert Claim("X1", "p", "here", "said", "theorem", "01: a", reason="a metaphor").finding().verdict == "informal"


def test_an_unknown_verdict_or_kind_is_refused():
    with pytest.raises(ParameterError, match="verdict = 'maybe' is unknown"):
        Finding("maybe", "because")
    with pytest.raises(ParameterError, match="kind = 'hunch' is unknown"):
        Claim("X1", "p", "here", "said", "hunch", "01: a", reason="r")
