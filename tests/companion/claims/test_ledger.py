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
COLUMNS = [
    "id",
    "paper",
    "place",
    "statement",
    "kind",
    "verdict",
    "value",
    "low",
    "high",
    "published",
    "evidence",
    "runs",
    "shown_by",
    "page",
    "origin",
    "rule_changed",
    "part_of",
]


def made(**changes):
    said = {
        "id": "X1",
        "paper": "gu2025",
        "place": "here",
        "statement": "It is.",
        "kind": "theorem",
    }
    said |= {
        "topic": "a",
        "section": "b",
        "check": lambda: Finding("holds", "because", 1.0, 0, 2, "1.5"),
    }
    return Claim(**said | changes)


def test_every_claim_of_the_two_papers_is_there_once_in_order_and_most_are_executable():
    """CLAIMS of Gu et al. 2025 and its predecessor: G01 to G52 and P01 to P14, each an entry or
    leading to one."""
    found = claims()
    assert len({c.id for c in found}) == len(found) and {c.id for c in found} | set(moved()) >= IDS
    assert sum(c.check is not None for c in found) >= 50
    assert [[*PAPERS].index(c.paper) for c in found] == sorted(
        [*PAPERS].index(c.paper) for c in found
    )
    assert [c.id for c in found if c.paper == "gu2024"][-1] == "P5.1c"


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


def test_the_table_has_its_columns_and_one_row_a_claim_with_what_was_found(monkeypatch):
    with monkeypatch.context() as patch:
        clock = types.SimpleNamespace(perf_counter=iter([5.0, 7.5]).__next__)
        patch.setattr(sys.modules["companion.claims.ledger"], "time", clock)
        (found,) = outcomes([made()])
    row = as_table([found]).iloc[0]
    assert found.seconds == 2.5
    assert row[["verdict", "value", "low", "high", "published", "runs"]].tolist() == [
        "holds",
        1.0,
        0,
        2,
        "1.5",
        0,
    ]
    table = ledger(["G36", "P02", "G18"])
    assert list(table.columns) == COLUMNS
    assert table.id.tolist() == ["G36", "P02", "G18"]
    assert table.evidence.str.len().min() > 10
    assert list(ledger([]).columns) == COLUMNS


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


def test_two_claims_with_one_id_are_refused(monkeypatch):
    announce(monkeypatch, made(), made())
    with pytest.raises(ParameterError, match="claim ids occur twice: X1"):
        claims.__wrapped__()


def test_claims_of_later_papers_take_their_place(monkeypatch):
    """A paper is a name in PAPERS and a topic that announces claims; nothing else knows it."""
    announce(monkeypatch, made(id="T01", paper="tian2025"), made(id="L01", paper="liu2022"))
    assert [c.id for c in claims.__wrapped__()][-2:] == ["L01", "T01"]


def test_no_check_means_informal():
    informal = made(check=None, reason="It is a metaphor.")
    assert (informal.finding().verdict, informal.finding().evidence) == (
        "informal",
        "It is a metaphor.",
    )
    assert (informal.verdict, made().verdict) == ("informal", None)


SAYS = {"holds": "{n} of 3", "": ("best {best:.1%}", ", {n}")}


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


def test_findings_are_equal_where_they_say_the_same():
    """By verdict, sentence, number, band and the paper's number; what these were made from does not
    count."""
    said = ("fails", "so", 1.0, 0.0, 2.0, "1")
    source = {
        "runs": 3,
        "numbers": {"n": 1},
        "stands": (1, 2),
        "at": {"2": "fails"},
    }
    assert Finding(*said) == Finding(*said, **source) and hash(Finding(*said)) == hash(
        Finding(*said, **source)
    )
    for i, other in enumerate(("holds", "not so", 1.5, 0.5, 2.5, "2")):
        assert Finding(*said) != Finding(*said[:i], other, *said[i + 1 :])


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
        ({"kind": "hunch"}, "kind = 'hunch' is unknown"),
        ({"paper": "someone"}, "paper = 'someone' is unknown"),
        ({"shown_by": "rumour"}, "shown_by = 'rumour' is unknown; choose one of counterexample"),
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


def test_a_former_id_leads_to_its_entry_once():
    """Ids stay addresses: of a merged entry every former id gives the surviving one, and it is
    given once."""
    kept = Claim(
        "X1", "gu2025", "p", "s", "number", "a", "B", reason="No number.", also=("X0", "X2")
    )
    other = Claim("X3", "gu2025", "p", "s", "number", "a", "B", reason="No number.")
    assert [c.id for c in choose(["X2", "X3", "X1", "X0"], among=[kept, other])] == ["X1", "X3"]
    assert [c.id for c in choose(among=[kept, other])] == ["X1", "X3"]


def test_the_key_of_a_list_leads_to_its_lines_once():
    """Of a list's key come its lines and nothing else; of a list without a line, a refusal."""
    said = {
        "statement": "s",
        "kind": "number",
        "topic": "a",
        "section": "B",
        "reason": "No number.",
    }
    lines = [Claim(name, "gu2025", "p", part_of="EG", **said) for name in ("X1", "X3")]
    alone = Claim("X2", "gu2025", "p", **said)
    assert [c.id for c in choose(["X3", "EG"], among=[*lines, alone])] == ["X3", "X1"]
    with pytest.raises(ParameterError, match="no claim 'EL'"):
        choose(["EL"], among=[*lines, alone])
    for name, title in GATHERED.items():
        assert {c.id for c in choose([name])} == {c.id for c in claims() if c.part_of == name}, (
            title
        )


def test_an_id_is_never_that_of_two_entries():
    """A former id that another entry has, as its own or as a former one, is refused."""
    first = Claim("X1", "gu2025", "p", "s", "number", "a", "B", reason="No number.", also=("X2",))
    for also, other in (((), "X2"), (("X2",), "X4")):
        second = Claim(
            other, "gu2025", "p", "s", "number", "a", "B", reason="No number.", also=also
        )
        with pytest.raises(ParameterError, match="claim ids occur twice: X2"):
            choose(among=[first, second])
    line = Claim("EG", "gu2025", "p", "s", "number", "a", "B", reason="No number.", part_of="EG")
    with pytest.raises(ParameterError, match="claim ids occur twice: EG"):
        choose(among=[line])


def test_what_carries_a_paper_is_its_own_sentence_and_no_line_of_a_list():
    """Of a paper's sentence, one of ours, one of another paper and a misprint the first alone
    carries."""
    said = {
        "statement": "s",
        "kind": "number",
        "topic": "a",
        "section": "B",
        "reason": "No number.",
    }
    carries = Claim("X1", "gu2025", "p", **said)
    ours = Claim("X2", "gu2025", "p", origin="ours", **said)
    misprint = Claim("X3", "gu2025", "p", part_of="EG", **said)
    another = Claim("X4", "nanda2023", "p", **said)
    assert carrying([carries, ours, misprint, another]) == [carries]
