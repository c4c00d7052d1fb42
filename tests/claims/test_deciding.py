"""The order by verdicts decided per core minute: what entries of a made-up ledger wait for, which runs come first."""

import re
from dataclasses import replace

import pytest

from grokbook.claims import Claim, Finding, deciding
from grokbook.claims.deciding import Waiting, by_decided, in_order, waiting, with_entries
from grokbook.errors import ParameterError
from grokbook.runs import recording
from grokbook.runs.experiment import Experiment, load_or_run
from grokbook.runs.gu2025 import modular_run
from grokbook.runs.learned import COUNTED
from grokbook.runs.store import MANIFEST, Store
from grokbook.training.cost import Cost

CHEAP, DEAR = (Experiment(f"made/up[p={p}]", modular_run(p, 0.5, d_model=8, steps=4), (0, 1, 2)) for p in (5, 7))
PAST, FUTURE = "2020-01-01 1234567", "2999-01-01 1234567"


def entry(name, *experiments, rule_changed=""):
    told = {"id": name, "paper": "gu2025", "place": "p. 3", "statement": "It is so.", "kind": "observation"}
    told |= {"topic": "a", "section": "b", "check": lambda runs: Finding("holds"), "rule_changed": rule_changed}
    return Claim(**told, runs=lambda: dict(enumerate(experiments)))


@pytest.fixture
def store(tmp_path, monkeypatch):
    """A store with seed 0 of the dear experiment; a run of it takes 4 s, one of the cheap one 1 s."""
    seconds = {5: 1.0, 7: 4.0}
    monkeypatch.setattr(Experiment, "predicted", lambda self, n=None: Cost(seconds[self.config.task.p] * n, 1.0))
    monkeypatch.setattr(recording, "catalogue", lambda: {e.name: e for e in (DEAR, CHEAP)})
    monkeypatch.setattr(deciding, "learned", lambda *a: COUNTED)
    load_or_run(replace(DEAR, seeds=(0,)), kept := Store(tmp_path), progress=False)
    return kept


def ledger_of(monkeypatch, verdicts, *entries):
    monkeypatch.setattr(deciding, "claims", lambda: entries)
    monkeypatch.setattr(deciding, "settled", lambda: verdicts)


@pytest.mark.parametrize(
    ("rule", "missing", "stand"),
    [
        ("", (1, 2), (1, 3, 0)),
        (PAST, (1, 2), (2, 4, 0)),
        (FUTURE, (1, 2, 3), (0, 3, 1)),
    ],
    ids=["no rule changed", "the rule is older than the runs", "the rule is younger"],
)
def test_an_entry_waits_for_its_missing_seeds_and_for_younger_ones_where_its_rule_is_younger(
    store, rule, missing, stand
):
    """A run that is older than the rule does not decide (`Claim`), so one more seed than the entry lists is wanted.

    Seed 9, which is not listed, counts where a rule asks for younger runs of any seed.
    """
    load_or_run(replace(DEAR, seeds=(9,)), store, progress=False)
    (found,) = waiting([entry("X1", DEAR, rule_changed=rule)], store)
    assert found == Waiting("X1", frozenset((DEAR.key, seed) for seed in missing), {DEAR.key: stand})


def test_younger_seeds_beyond_the_list_are_not_asked_for_again_once_they_are_there(store):
    """The record is made to say that seed 0, which is listed as 1 and 2 are, is older than the rule."""
    manifest = store.path / MANIFEST
    manifest.write_text(re.sub('"recorded_at": "[^"]*"', '"recorded_at": "2019-01-01T00:00"', manifest.read_text()))
    for seed in (1, 2, 3):
        load_or_run(replace(DEAR, seeds=(seed,)), store, progress=False)
    assert waiting([entry("X1", DEAR, rule_changed=PAST)], store) == [Waiting("X1", frozenset(), {})]


def test_at_most_five_younger_seeds_are_asked_for_and_none_that_is_there(store):
    many = replace(CHEAP, seeds=tuple(range(20)))
    load_or_run(replace(many, seeds=tuple(range(21))), store, progress=False)
    (found,) = waiting([entry("X1", many, rule_changed=FUTURE)], store)
    assert found.runs == {(CHEAP.key, seed) for seed in range(21, 26)}


def test_runs_that_decide_two_entries_come_before_cheaper_ones_that_decide_one():
    """3 s decide A and B, 2 s decide C: 1.5 s an entry against 2."""
    cost = {"x": 3.0, "y": 2.0}
    both, one = frozenset({("x", 0)}), frozenset({("y", 0)})
    entries = [Waiting("C", one, {}), Waiting("A", both, {}), Waiting("B", both, {})]
    assert [*by_decided(entries, lambda runs: sum(cost[key] for key, _ in runs))] == [both, one]


def test_of_equal_rates_the_cheaper_comes_first_and_then_the_first_of_the_ledger():
    """Two entries for 4 s and one for 2 s are alike; so are two of 2 s each, which keep their order."""
    cost = {"x": 4.0, "y": 2.0, "z": 2.0}
    x, y, z = (frozenset({(key, 0)}) for key in cost)
    entries = [Waiting("A", x, {}), Waiting("B", x, {}), Waiting("C", z, {}), Waiting("D", y, {})]
    assert [*by_decided(entries, lambda runs: sum(cost[key] for key, _ in runs))] == [z, y, x]


def test_what_is_made_for_one_entry_is_not_paid_again_by_the_next():
    """B's 3 s come first. A then lacks 4 s of its 7, and C 5 s of its 6: A is the next, though C was the cheaper."""
    cost = {"w": 4.0, "x": 1.0, "y": 5.0}
    w, x, y = (frozenset({(key, 0)}) for key in cost)
    three = x | {("x", 1), ("x", 2)}
    entries = [Waiting("C", y | x, {}), Waiting("A", w | three, {}), Waiting("B", three, {})]
    assert [*by_decided(entries, lambda runs: sum(cost[key] for key, _ in runs))] == [three, w, y]


def test_runs_that_alone_may_refute_an_entry_count_with_their_own_cost(store, monkeypatch):
    """X1 waits for 8 s of dear runs and 3 s of cheap ones, of which these alone may refute it; X2 for 8 s.

    One part alone: 3 s an entry. Both wait for the dear ones then; X1 is named once where it wants a run twice.
    """
    claims = entry("X2", DEAR), replace(entry("X1", DEAR, CHEAP), refutes=(lambda: {"": CHEAP},))
    ledger_of(monkeypatch, {}, *claims)
    assert [e.name for e in in_order(None, store)] == [CHEAP.name, DEAR.name]
    assert with_entries(recording.records_table(store=store), store).entries.tolist() == ["X2 1/3, X1 1/3", "X1 0/3"]
    ledger_of(monkeypatch, {}, claims[0], replace(claims[1], refutes=()))
    assert [e.name for e in in_order(None, store)] == [DEAR.name, CHEAP.name]


def test_decided_entries_add_nothing_and_what_no_entry_wants_comes_last(store, monkeypatch):
    """The dear runs come first while an entry that waits for them is open; once it is decided, the cheap ones do."""
    claims = entry("X1", DEAR), entry("X2", CHEAP)
    ledger_of(monkeypatch, {"X1": "undecided", "X2": "holds"}, *claims)
    assert [e.name for e in in_order(None, store)] == [DEAR.name, CHEAP.name]
    assert with_entries(recording.records_table(store=store), store).entries.tolist() == ["X1 1/3", ""]
    ledger_of(monkeypatch, {"X1": "fails", "X2": "holds"}, *claims)
    assert [e.name for e in in_order(None, store)] == [CHEAP.name, DEAR.name]
    ledger_of(monkeypatch, {"X1": "fails"}, *claims)
    assert with_entries(recording.records_table(store=store), store).entries.tolist() == ["", "X2 0/3"]
    load_or_run(DEAR, store, progress=False)
    assert [e.name for e in in_order(None, store)] == [CHEAP.name, DEAR.name], "what is whole is named too"


def test_an_experiment_comes_twice_where_a_nearer_entry_wants_fewer_of_its_seeds(store, monkeypatch):
    """8 s decide X1; X2 then wants one dear run and three cheap ones more. Nothing is counted or made twice."""
    more = replace(DEAR, seeds=(0, 1, 2, 3))
    ledger_of(monkeypatch, {}, entry("X2", more, CHEAP), entry("X1", DEAR))
    order = in_order(None, store)
    assert [(e.name, e.seeds) for e in order] == [
        (DEAR.name, (0, 1, 2)),
        (CHEAP.name, (0, 1, 2)),
        (DEAR.name, (0, 1, 2, 3)),
    ]
    assert recording.records_table(store=store, in_turn=order).missing.tolist() == [2, 3, 1]
    assert [e.name for e in in_order("*p=5*", store)] == [CHEAP.name]
    made = []
    monkeypatch.setattr(recording, "_say", lambda job, *rest: made.append((job.experiment.name, job.experiment.seeds)))
    table = recording.record(progress=False, store=store, workers=1, in_turn=order)
    assert made[:2] == [(DEAR.name, (0, 1)), (DEAR.name, (0, 1, 2))] and made[-1] == (DEAR.name, (0, 1, 2, 3))
    assert table.missing.tolist() == [0, 0, 0]


def test_an_unknown_pattern_is_refused(store, monkeypatch):
    ledger_of(monkeypatch, {})
    with pytest.raises(ParameterError, match="no experiment matches 'fig9'"):
        in_order("fig9", store)
