"""A certificate says what agreed and what did not, leaves out what does not fit, and shows when it was changed."""

import json
from functools import partial

from typer.testing import CliRunner

from grokbook import cli
from grokbook.claims import Claim, Finding, certificate, claims
from grokbook.claims.export import text


def made(name, verdict, seconds=0.0):
    def check():
        if verdict == "breaks":
            raise ValueError("no")
        return Finding(verdict, "it says so")

    return Claim(name, "gu2025", "p. 1", "It is.", "number", "coverage", "A", check, seconds=seconds)


CHOSEN = [made("A", "holds"), made("B", "fails"), made("C", "breaks"), made("D", "holds", 1e9)]


def test_what_differs_what_breaks_and_what_does_not_fit_is_said(monkeypatch):
    monkeypatch.setattr(certificate, "settled", lambda: dict.fromkeys("ABCD", "holds"))
    found = certificate.certify(60, CHOSEN, told=(said := []).append)
    assert [one.split()[:2] for one in said] == [["A", "holds"], ["B", "fails;"], ["C", "error:"]]
    assert [(one["id"], one["agrees"]) for one in found["claims"]] == [("A", True), ("B", False), ("C", False)]
    assert found["claims"][1]["found"] == "fails" and "ValueError: no" in found["claims"][2]["found"]
    assert (found["agreed"], found["checked"], found["left_out"]) == (1, 3, ["D"])
    assert {"machine", "versions", "commit", "processor", "recorded_at"} <= set(found)
    read = json.loads(text(found))
    assert certificate.digest(read) == read["sha256"]
    read["claims"][1]["agrees"] = True
    assert certificate.digest(read) != read["sha256"]


def test_the_cheap_half_is_the_half_of_the_checked_claims_that_takes_least():
    half, checked = certificate.cheap_half(), [claim for claim in claims() if claim.check]
    assert len(half) == -(-len(checked) // 2)
    assert max(c.seconds for c in half) <= min(c.seconds for c in checked if c not in half)


def test_the_command_writes_the_file_and_fails_where_a_verdict_is_another(tmp_path, monkeypatch):
    for verdict, code in (("holds", 0), ("fails", 1)):
        monkeypatch.setattr(certificate, "settled", lambda: {"A": verdict})  # noqa: B023  called in this turn
        monkeypatch.setattr(certificate, "cheap_half", lambda: CHOSEN[:1])
        run = partial(CliRunner().invoke, cli.app)
        assert run(["certify", "--budget", "1m", "--out", str(tmp_path / "c.json")]).exit_code == code
        assert json.loads((tmp_path / "c.json").read_text())["agreed"] == 1 - code
    assert run(["certify", "--budget", "soon"]).exit_code != 0
