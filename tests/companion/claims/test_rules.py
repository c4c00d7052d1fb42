"""The rule of a claim: one rule for the words, and only runs that are younger than a changed rule
decide."""

import ast
import dataclasses
import inspect
import json
from functools import partial

import numpy as np
import pytest
import xarray as xr

from companion.claims import Finding, claim, judge, verdicts
from companion.claims import runs as recorded
from companion.claims.finding import VERDICTS
from companion.claims.ledger import Claim, as_table, claims, outcomes
from grokbook.errors import ParameterError
from grokbook.runs.experiment import Experiment, load_or_run
from grokbook.runs.store import MANIFEST, Store
from grokbook_chapters.gu2025 import live_run


@pytest.mark.parametrize(
    ("parts", "of", "word"),
    [
        (
            (False,),
            {"corrected": True, "assumed": True, "elsewhere": True},
            "holds with correction",
        ),
        ((False,), {"assumed": True, "elsewhere": True}, "needs an assumption"),
        ((False,), {"elsewhere": True}, "undecided"),
        ((False, None), {}, "fails"),
        ((False,), {"corrected": None}, "undecided"),
        ((True, None), {}, "undecided"),
        ((), {}, "undecided"),
        ((True,), {"anything": None}, "undecided"),
        ((True,), {"anything": True}, "vacuous"),
        ((True, True), {}, "holds"),
        ((np.True_, np.False_), {}, "fails"),
    ],
)
def test_the_words_are_given_in_the_order_of_the_rule(parts, of, word):
    assert judge(*parts, **of).verdict == word


def test_the_rule_has_every_word_once():
    assert sorted(word for _, _, word in verdicts.RULE) == sorted(VERDICTS)


def test_mixed_outcomes_are_told_apart():
    assert (
        judge(True, False, False).mixed
        and not judge(False, False).mixed
        and not judge(True, True).mixed
    )
    assert judge(True, False).told("seen").evidence == "seen; 1 of 2 parts are as printed"


def late(runs, *, bar=0.5):
    return judge(bool(runs["a"].loss.mean() > bar), value=float(runs["a"].loss.mean()))


def made(check=None, **changes):
    """A claim on what is recorded of one small experiment."""
    wanted = lambda: {"a": Experiment("made/rule", live_run(5, 0.5, 8, 20, 1).config, (0, 1))}  # noqa: E731
    usual = {
        "section": "B",
        "statement": "It is late.",
        "runs": wanted,
        "says": "mean {value:.1f}",
    }
    return claim("X1", "gu2025", "p. 3", **usual | changes)(check or late)


def test_a_check_is_asked_again_at_its_other_bars():
    runs = {"a": xr.Dataset({"loss": ("seed", [1.0])}, {"seed": [0]})}
    found = made(bars={"bar": (0.25, 2.0)}, says="mean {value:.1f}; {bars}")(runs)
    assert found.at == {"0.25": "holds", "2": "fails"}
    assert found.evidence == "mean 1.0; at 0.25 holds, at 2 fails"
    assert made(bars={"bar": (2.0,)})(runs).evidence == "mean 1.0 (other bars: at 2 fails)", (
        "never left unsaid"
    )
    assert made(bars={"bar": (2.0,)})(runs, bar=3.0).at == {}, (
        "asked at one bar, it answers at that one"
    )


def dated(folder, days):
    """Let the runs of a store be of these days of January 2026, by seed."""
    manifest = json.loads((folder / MANIFEST).read_text())
    for entry in manifest["records"].values():
        for part in entry["provenance"]:
            part.pop("recorded_at", None)
            part["recorded_on"] = f"2026-01-{days[part['seeds'][0]]}"
    (folder / MANIFEST).write_text(json.dumps(manifest))


@pytest.fixture
def store(tmp_path, monkeypatch):
    """A store with two runs of `made`, seed 0 of one day, seed 1 of another, whose losses are 1 and
    0."""
    experiment = made().runs()["a"]
    kept = Store(tmp_path)
    for seed in (0, 1):
        load_or_run(dataclasses.replace(experiment, seeds=(seed,)), kept, progress=False)
    dated(tmp_path, {0: 10, 1: 20})
    monkeypatch.setattr(recorded, "default_store", lambda: kept)
    monkeypatch.setattr("grokbook.runs.experiment.default_store", lambda: kept)
    recorded._loaded.cache_clear()
    yield kept
    recorded._loaded.cache_clear()


def seeds_seen(runs):
    return judge(runs["a"].sizes["seed"] > 0, seen=runs["a"].seed.values.tolist())


@pytest.mark.parametrize(
    ("rule", "verdict", "seen"),
    [
        ("", "holds", [0, 1]),
        ("2026-01-01 abc1234", "holds", [0, 1]),
        ("2026-01-15 abc1234", "holds", [1]),
        ("2026-01-20 abc1234", "undecided", [0, 1]),
        ("2026-01-19T23:00:00 abc1234", "holds", [1]),
    ],
)
def test_only_runs_that_are_younger_than_a_changed_rule_decide(store, rule, verdict, seen):
    found = made(seeds_seen, rule_changed=rule, says="seeds {seen}").finding()
    assert (found.verdict, found.numbers["seen"], found.runs) == (verdict, seen, len(seen))
    if verdict == "undecided":
        assert (
            found.evidence
            == f"the rule was changed after these runs ({rule}); by it: holds: seeds [0, 1]"
        )
        assert found.value is None


def test_a_committed_younger_run_counts_although_no_page_lists_it(store):
    """The claim asks for seed 0 alone, which is older than its rule; seed 1 is younger than the
    first rule."""
    wanted = {"a": Experiment("made/rule", live_run(5, 0.5, 8, 20, 1).config, (0,))}
    at = [
        made(
            seeds_seen,
            runs=lambda: wanted,
            says="seeds {seen}",
            rule_changed=f"2026-01-{day} abc1234",
        ).finding()
        for day in ("05", "15", "20")
    ]
    assert [(f.verdict, f.numbers["seen"], f.runs) for f in at] == [
        ("holds", [0], 1),
        ("holds", [1], 1),
        ("undecided", [0], 1),
    ]


def test_one_experiment_with_older_runs_is_enough_for_the_rule_to_be_asked(store, tmp_path):
    younger = Experiment("made/younger", live_run(5, 0.5, 8, 10, 1).config, (1,))
    load_or_run(younger, store, progress=False)
    dated(tmp_path, {0: 10, 1: 20})
    asked = {"runs": lambda: {**made().runs(), "b": younger}, "rule_changed": "2026-01-15 abc1234"}
    assert made(seeds_seen, says="seeds {seen}", **asked).finding().numbers["seen"] == [1]


def test_enough_younger_runs_that_decide_nothing_are_told_themselves(store, tmp_path):
    """Three younger runs, of which the rule says nothing: their numbers stand there, not those of
    the older one."""
    wanted = {"a": dataclasses.replace(made().runs()["a"], seeds=(0, 1, 2, 3))}
    load_or_run(wanted["a"], store, progress=False)
    dated(tmp_path, {0: 10, 1: 20, 2: 20, 3: 20})
    asked = {"runs": lambda: wanted, "rule_changed": "2026-01-15 abc1234", "says": "seeds {seen}"}
    found = made(lambda runs: judge(None, seen=runs["a"].seed.values.tolist()), **asked).finding()
    assert (found.verdict, found.evidence, found.runs) == ("undecided", "seeds [1, 2, 3]", 3)


@pytest.mark.parametrize("said", ["2026-01-20", "yesterday abc1234", "2026-13-01 abc1234"])
def test_a_change_of_a_rule_names_date_and_commit(said):
    with pytest.raises(ParameterError, match=f"rule_changed = '{said}' must be date and commit"):
        made(rule_changed=said)


def test_an_unknown_origin_is_refused_and_ours_is_told_in_the_table():
    with pytest.raises(ParameterError, match="the ledger has no origin 'mine'; the nearest is"):
        made(origin="mine")
    row = as_table(
        outcomes([Claim("X2", "gu2025", "p", "It.", "formula", "a", "B", judge, origin="ours")])
    ).iloc[0]
    assert row.origin == "ours" and row.rule_changed == ""


def words(check):
    """What a check's own lines can give: each verdict written out, and `judge` for one that is
    computed."""
    while isinstance(check, Claim | partial):
        check = check.check if isinstance(check, Claim) else check.func
    tree = ast.parse(inspect.cleandoc("\n" + inspect.getsource(check)))
    returned = [node.value for node in ast.walk(tree) if isinstance(node, ast.Return)]
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    made = [
        call for call in calls if getattr(call.func, "id", "") in ("judge", "Finding", "worded")
    ]
    if any(value not in made for value in returned):  # another function says more
        return {"computed"}
    named = ("corrected", "assumed", "anything")
    asked = [[word.value for word in call.keywords if word.arg in named] for call in made]
    parts = [
        [*call.args, *more] if call.func.id in ("judge", "worded") else call.args[:1]
        for call, more in zip(made, asked, strict=True)
    ]
    fixed = [bool(args) and all(isinstance(arg, ast.Constant) for arg in args) for args in parts]
    return {
        ast.unparse(args[0]) if alike else "computed"
        for args, alike in zip(parts, fixed, strict=True)
    }


@pytest.mark.parametrize("entry", [c for c in claims() if c.check], ids=lambda c: c.id)
def test_a_check_can_give_more_than_one_word(entry):
    """One that could only agree, or only disagree, would be an opinion; what nobody made can only
    be not run."""
    can = words(entry.check)
    assert can in ({"computed"}, {"'not run'"}, set()) or len(can) > 1, (
        f"{entry.id} can only give {can}"
    )


def test_a_check_of_one_word_is_seen():
    def always(runs):
        return judge(True, value=len(runs))

    def never(runs):
        return Finding("fails", f"{len(runs)}")

    assert words(always) == {"True"} and words(never) == {"'fails'"} and words(late) == {"computed"}
