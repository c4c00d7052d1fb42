"""The ledger as data: valid by its own schema, complete, the same at every call, records as the
manifest has them."""

import json

import pytest
from jsonschema import Draft202012Validator, ValidationError

from companion.claims import Claim, Finding, Outcome, choose, claims, export, outcomes
from companion.claims.finding import VERDICTS
from companion.claims.ledger import KINDS, ORIGINS, WAYS
from companion.claims.verdicts import settled
from grokbook.paths import records_path
from grokbook.runs.store import Store

VALID = Draft202012Validator(export.schema())


@pytest.fixture(scope="module")
def whole():
    return export.document(claims())


def test_the_schema_is_one_and_knows_the_words_of_the_ledger():
    Draft202012Validator.check_schema(export.schema())
    words = export.schema()["$defs"]["claim"]["properties"]
    assert export.schema()["$defs"]["verdict"]["enum"] == list(VERDICTS)
    assert words["kind"]["enum"] == list(KINDS) and words["origin"]["enum"] == list(ORIGINS)
    assert words["shown_by"]["enum"] == ["", *WAYS]
    assert set(export.schema()["$defs"]["claim"]["required"]) == set(words), (
        "every field is always there"
    )


def test_every_claim_is_there_once_with_its_settled_verdict_and_the_file_is_valid(whole):
    VALID.validate(json.loads(export.text(whole)))
    assert {c["id"]: c["verdict"] for c in whole["claims"]} == settled()
    assert {c["paper"] for c in whole["claims"]} <= set(whole["papers"])
    assert not any(c["computed"] for c in whole["claims"])


def test_records_are_those_of_the_manifest_and_none_is_left_over(whole):
    held = Store(records_path()).entries()
    assert {name: entry["sha256"] for name, entry in whole["records"].items()} == {
        name: held[name]["sha256"] for name in whole["records"]
    }
    assert {name for c in whole["claims"] for name in c["records"]} == set(whole["records"])
    for claim, entry in zip(claims(), whole["claims"], strict=True):
        asked = {**(claim.runs() if claim.runs else {}), **(claim.beside() if claim.beside else {})}
        keys = {whole["records"][name]["key"] for name in entry["records"]}
        assert keys == {e.key for e in asked.values()} & {one["key"] for one in held.values()}, (
            claim.id
        )


def test_two_calls_give_the_same_bytes(whole):
    again = export.text(export.document(claims()))
    assert again == export.text(whole) and '"recorded_at"' not in again


def test_what_a_check_finds_is_in_the_file_and_is_taken_where_it_was_seen_before():
    chosen = choose(["G18", "G14"])
    found = list(outcomes(chosen))
    made = export.document(chosen, found)
    VALID.validate(made)
    for entry, one in zip(made["claims"], found, strict=True):
        assert [entry[k] for k in ("value", "low", "high")] == [
            one.finding.value,
            one.finding.low,
            one.finding.high,
        ]
        assert entry["computed"] and entry["evidence"] == one.finding.evidence
    assert export.document(chosen, seen={c["id"]: c for c in made["claims"]}) == made


def test_a_number_that_json_cannot_hold_is_missing_and_a_wrong_file_is_invalid():
    claim = Claim("X1", "gu2025", "p. 3", "So.", "number", "a", "B", check=lambda: None)
    finding = Finding("fails", "It is not.", float("inf"), float("nan"), 1)
    made = export.document([claim], [Outcome(claim, finding, 0.1)])
    assert [made["claims"][0][name] for name in ("value", "low", "high")] == [None, None, 1.0]
    VALID.validate(made)
    with pytest.raises(ValidationError, match="'maybe'"):
        VALID.validate(made | {"claims": [made["claims"][0] | {"verdict": "maybe"}]})
