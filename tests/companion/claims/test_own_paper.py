"""Claims on a paper that the book does not have: in a module of a reader's own, with verdicts, bars
and a file."""

import importlib
from dataclasses import replace

import pytest
from jsonschema import Draft202012Validator

from companion.claims import Claim, Paper, announced_by, claims, export, ledger, outcomes
from grokbook.errors import ParameterError

MODULE = '''
from companion.claims import Finding, Paper, claim, judge

ME = Paper("me2026", "Me 2026")


@claim("ME2", ME, "Table 1", kind="number", says="{value} of 10 squares are even (other bars: {bars})",
          bars={"least": (6,)}, published="5")
def even(least=5):
    """Half of the first ten squares are even."""
    count = sum(n * n % 2 == 0 for n in range(10))
    return judge(count >= least, value=count)


@claim("ME1", ME, "section 2")
def odd():
    """Every square is odd."""
    return Finding("fails", value=0.0)


THEIRS = claim("XG", "gu2025", "section 9")(odd.check)
'''


@pytest.fixture
def module(tmp_path, monkeypatch):
    (tmp_path / "my_paper_of_2026.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    return importlib.import_module("my_paper_of_2026")


def test_the_ledger_of_a_module_has_its_claims_by_paper_and_id_with_verdicts_and_bars(module):
    table = ledger(among=[module])
    assert table.id.tolist() == ["XG", "ME1", "ME2"], "papers of the book stand first"
    assert table.paper.tolist() == ["gu2025", "me2026", "me2026"]
    assert table.verdict.tolist() == ["fails", "fails", "undecided"]
    assert table.evidence.iloc[2] == "5 of 10 squares are even (other bars: at 6 fails)"
    assert ledger(["ME1"], among=[module]).statement.tolist() == ["Every square is odd."]
    assert ledger(paper="me2026", among=[module.even, module.odd]).id.tolist() == ["ME1", "ME2"]
    assert not {"ME1", "ME2"} & {claim.id for claim in claims()}, (
        "the ledger of the book does not change"
    )


def test_the_file_for_programs_names_the_paper_and_is_valid(module):
    made = export.document(announced_by([module]), outcomes(announced_by([module])))
    Draft202012Validator(export.schema()).validate(made)
    assert made["papers"]["me2026"] == "Me 2026" and made["claims"][2]["value"] == 5
    assert [c["command"] for c in made["claims"]] == ["grokbook claims --run --id XG", "", ""]


def test_a_claim_can_be_changed_and_keeps_its_paper(module):
    other = replace(module.even, id="ME3")
    assert (other.paper, other.named) == ("me2026", "Me 2026") and other(least=6).verdict == "fails"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (
            lambda m: Paper("gu2025", "Gu"),
            "key = 'gu2025' must be a word such as 'me2026' that is no paper of this",
        ),
        (lambda m: Paper("my paper", "Me"), "key = 'my paper' must be a word"),
        (lambda m: Paper("me", " "), "name = ' ' must be the words"),
        (
            lambda m: Claim("X", "me", "p. 1", "So.", "number", "a", "", m.odd.check),
            "the ledger has no paper 'me'; the nearest is",
        ),
        (
            lambda m: ledger(among=["my_paper"]),
            "among has 'my_paper', which is neither a claim nor a module",
        ),
        (lambda m: ledger(["ME4"], among=[m]), "the ledger has no claim 'ME4'; the nearest is ME"),
        (lambda m: ledger(among=[m.odd, replace(m.even, id="ME1")]), "claim ids occur twice: ME1"),
    ],
)
def test_what_is_wrong_is_one_sentence(module, wrong, said):
    with pytest.raises(ParameterError, match=said):
        wrong(module)
