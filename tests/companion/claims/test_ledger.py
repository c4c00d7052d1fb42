"""The ledger: every claim has a check or a reason, and one that breaks is named."""

import dataclasses
import re
import sys
import types

import pandas as pd
import pytest

from companion.claims import (
    CheckError,
    Claim,
    Finding,
    Runs,
    as_table,
    carrying,
    choose,
    claim,
    judge,
    ledger,
    moved,
    outcomes,
)
from companion.claims.finding import UNDECIDED
from companion.claims.ledger import GATHERED, PAPERS, claims
from grokbook.errors import ParameterError
from grokbook.models.transformer import Shape
from grokbook.runs.experiment import Experiment
from grokbook.tasks.arithmetic import ModularTask
from grokbook.training.config import RunConfig

IDS = {f"G{n:02d}" for n in range(1, 53)} | {f"P{n:02d}" for n in range(1, 15)}
SECONDS = r"\d+ s on one core"


def made(**changes):
    """A claim with a check, unless that is another one."""
    usual = {"check": lambda: Finding("holds", "because", 1.0, 0, 2, "1.5")}
    return Claim(
        changes.pop("id", "X1"),
        changes.pop("paper", "gu2025"),
        "here",
        "It is.",
        changes.pop("kind", "theorem"),
        "a",
        "b",
        **usual | changes,
    )


def informal(name, **changes):
    return made(id=name, check=None, reason="No number.", **changes)


def test_every_claim_of_the_two_papers_is_there_in_the_order_of_the_papers():
    """CLAIMS of Gu et al. 2025 and its predecessor: G01 to G52 and P01 to P14, each an entry or
    leading to one."""
    found = claims()
    assert {c.id for c in found} | set(moved()) >= IDS
    places = [[*PAPERS].index(c.paper) for c in found]
    assert places == sorted(places)


@pytest.mark.parametrize("entry", claims(), ids=lambda c: c.id)
def test_an_entry_is_complete(entry):
    assert len(entry.statement.split()) >= 4
    assert re.search(r"[.?!]$", entry.statement)
    assert entry.place and entry.seconds > 0
    assert entry.check is None or entry.reason == ""


def test_every_page_named_by_a_claim_exists():
    from grokbook.paths import project_root

    wrong = []
    for entry in claims():
        name, _, section = entry.page.partition(": ")
        path = project_root() / "notebooks" / f"{name}.md"
        source = path.read_text(encoding="utf-8") if path.is_file() else ""
        headings = re.findall(r"^#+ (.*)$", source, re.MULTILINE)
        wrong += (
            [] if any(section.lower() in h.lower() for h in headings) else [(entry.id, entry.page)]
        )
    assert wrong == []


def test_the_table_has_a_row_a_claim_in_the_order_asked_with_what_was_found():
    (found,) = outcomes([made()])
    row = as_table([found]).iloc[0]
    numbers = row[["verdict", "value", "low", "high", "published", "runs"]].tolist()
    assert numbers == ["holds", 1.0, 0, 2, "1.5", 0] and found.seconds >= 0
    table = ledger(["G36", "P02", "G18"])
    assert table.id.tolist() == ["G36", "P02", "G18"] and table.evidence.str.len().min() > 10
    assert list(ledger([]).columns) == list(table.columns)


def test_choosing():
    assert {c.paper for c in choose(paper="gu2024")} == {"gu2024"}


@pytest.mark.parametrize(
    ("name", "asked", "nearest"),
    [
        ("claim", "G2", "G2"),
        ("claim", "g36", "G36"),
        ("paper", "gu2026", "gu202"),
    ],
)
def test_what_the_ledger_does_not_have_is_refused_with_the_nearest(name, asked, nearest):
    with pytest.raises(ParameterError, match=f"no {name} '{asked}'; the nearest is {nearest}"):
        choose(**({"ids": [asked]} if name == "claim" else {name: asked}))


def test_a_check_that_breaks_is_named_and_leaves_no_half_table():
    def broken():
        raise ZeroDivisionError("no\ncells")

    found = outcomes([made(), made(id="X2", check=broken)])
    assert next(found).finding.verdict == "holds"
    with pytest.raises(
        CheckError, match="^the check of claim X2 ended in an error, .*ZeroDivisionError: no cells"
    ):
        next(found)


def announce(monkeypatch, *claims):
    topic = types.ModuleType("grokbook_chapters.made_up")
    topic.first = claims[0]
    topic.rest = claims[1:]
    monkeypatch.setattr(sys.modules["companion.claims.ledger"], "chapters", lambda: (topic, topic))


def test_no_check_means_informal_with_the_reason():
    finding = informal("X1").finding()
    assert (finding.verdict, finding.evidence) == ("informal", "No number.")


SAYS = {"holds": "{n} of 3", "": "best {best:.1%}, {n}"}


@claim("X1", "gu2025", "Fig. 1", section="b", kind="number", says=SAYS)
def half_of_them(runs):
    """Half of the runs
    generalise.

    Our reading of half.
    """
    table = runs["a"]
    if table is None:
        return judge(None, n=0, best=0)
    return judge(len(table) > 1, n=len(table), best=0.123, value=float(len(table)))


def test_a_claim_is_a_function_with_its_sentence():
    assert half_of_them.statement == "Half of the runs generalise."
    assert half_of_them(Runs({"a": [1, 2]})).evidence == "2 of 3"
    assert half_of_them(Runs({"a": [1]})).evidence == "best 12.3%, 1"
    assert half_of_them(Runs({"a": [1]})) == Finding("fails", "best 12.3%, 1", 1.0)


def test_runs_are_complete_where_each_experiment_has_as_many_as_are_asked_for():
    runs = Runs({"a": pd.DataFrame({"step": [1, 2]})})
    assert runs.complete(2) and not runs.complete(), "three, unless a check says otherwise"
    assert not Runs(runs, {"a": None, "b": None}).complete(2)


class Recorded(Experiment):
    """An experiment of which some seeds lie in no store and need none."""

    def missing_seeds(self, store=None):
        return self.seeds[1:]


def asked(recorded):
    config = RunConfig(ModularTask(5), Shape(5, d_model=8), steps=20)
    kind = Recorded if recorded else Experiment
    return {
        "a": kind("made/up", config),
        "b": Experiment("made/other", dataclasses.replace(config, steps=30)),
    }


def test_without_any_run_it_is_not_run_at_a_cost():
    waiting = dataclasses.replace(half_of_them, runs=lambda: asked(False), published="50 %")
    finding = waiting.finding()
    assert (finding.verdict, finding.published) == ("not run", "50 %")
    assert re.match(f"6 runs of 2 settings are missing, predicted {SECONDS}$", finding.evidence)


def test_runs_that_do_not_decide_are_told_beside_what_is_missing(monkeypatch):
    monkeypatch.setattr("companion.claims.runs.available", lambda experiment: "dataset")
    tables = []
    asking = dataclasses.replace(
        half_of_them, runs=lambda: asked(True), through=lambda d: tables.append(d) or d[:1]
    )
    assert asking.finding().verdict == "fails"
    assert dataclasses.replace(asking, seconds=2).finding().evidence == "best 12.3%, 1"
    assert tables == ["dataset"]  # looked at once
    open_yet = {"value": 0.5, "low": 0.1, "high": 0.9}
    left = dataclasses.replace(
        asking, check=lambda runs: judge(None, n=1, best=1.0, **open_yet)
    ).finding()
    assert left.verdict == UNDECIDED and left.value is left.low is left.high is None
    assert re.match(
        f"5 runs of 2 settings are missing, predicted {SECONDS}; best 100.0%, 1$", left.evidence
    )
    beside = (
        dataclasses.replace(asking, check=lambda runs: Finding(UNDECIDED, " (others: a)"))
        .finding()
        .evidence
    )
    assert re.match(
        rf"5 runs of 2 settings are missing, predicted {SECONDS}; \(others: a\)$", beside
    )
    assert left.runs == 1


def test_runs_beside_are_shown_and_not_counted(monkeypatch):
    monkeypatch.setattr("companion.claims.runs.available", lambda experiment: [0])
    shown = dataclasses.replace(
        half_of_them, runs=lambda: asked(False), beside=lambda: {"c": asked(True)["a"]}
    )
    finding = dataclasses.replace(
        shown, check=lambda runs: judge(None, n=len(runs["c"]), best=0)
    ).finding()
    assert finding.verdict == "not run"
    assert re.match(
        f"6 runs of 2 settings are missing, predicted {SECONDS}; best 0.0%, 1$", finding.evidence
    )


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"check": None}, "claim X1 has neither a check nor a reason"),
        ({"kind": "hunch"}, "the ledger has no kind 'hunch'; the nearest is"),
        ({"paper": "someone"}, "the ledger has no paper 'someone'; the nearest is"),
        ({"shown_by": "rumour"}, "the ledger has no way 'rumour'; the nearest is"),
    ],
)
def test_an_incomplete_claim_and_an_unknown_word_are_refused(changes, said):
    with pytest.raises(ParameterError, match=said):
        made(**changes)
    with pytest.raises(ParameterError, match="verdict = 'maybe' is unknown"):
        Finding("maybe", "because")


def test_a_claim_says_how_it_is_shown():
    """Runs where it asks for some, what was named, else an exact count; nothing where nothing is
    checked."""
    changes = ({"runs": dict}, {"shown_by": "proof"}, {}, {"check": None, "reason": "a"})
    said = [made(**change).shown_by for change in changes]
    assert said == ["runs", "proof", "count", ""]


def test_a_former_id_and_the_key_of_a_list_lead_to_their_entries_once():
    """Ids stay addresses: of a merged entry every former id gives the surviving one; a list's key
    gives its lines."""
    entries = [
        informal("X1", also=("X0", "X2"), part_of="EG"),
        informal("X3", part_of="EG"),
        informal("X4"),
    ]
    for asked_for, found in (
        (["X2", "X3", "X1", "X0"], ["X1", "X3"]),
        (["X3", "EG"], ["X3", "X1"]),
        (None, ["X1", "X3", "X4"]),
    ):
        assert [c.id for c in choose(asked_for, among=entries)] == found
    with pytest.raises(ParameterError, match="no claim 'EL'"):
        choose(["EL"], among=entries)
    for name in GATHERED:
        assert {c.id for c in choose([name])} == {c.id for c in claims() if c.part_of == name}


@pytest.mark.parametrize(
    ("other", "repeated"),
    [
        (informal("X2"), "X2"),
        (informal("X4", also=("X2",)), "X2"),
        (informal("EG", part_of="EG"), "EG"),
    ],
)
def test_an_id_is_never_that_of_two_entries(other, repeated):
    """A former id that another entry has, as its own or as a former one, is refused."""
    with pytest.raises(ParameterError, match=f"claim ids occur twice: {repeated}"):
        choose(among=[informal("X1", also=("X2",)), other])


def test_what_carries_a_paper_is_its_own_sentence_and_no_line_of_a_list():
    """Of a paper's sentence, one of ours, one of another paper and a misprint the first alone
    carries."""
    others = [informal("X2", origin="ours"), informal("X3", part_of="EG")]
    others.append(informal("X4", paper="nanda2023"))
    assert carrying([informal("X1"), *others]) == [informal("X1")]
