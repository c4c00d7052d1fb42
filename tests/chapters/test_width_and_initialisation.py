"""Chapter 09: settings differ in what they say, each verdict follows the runs, figures and tables show every run."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from grokbook.chapters.width_and_initialisation import power, tables, words
from grokbook.chapters.width_and_initialisation import settings as width
from grokbook.chapters.width_and_initialisation.claims import (
    SMALL_SIZE,
    about_07,
    describe,
    earlier_by,
    halved,
    later,
    levels_differ,
    positions_delay,
    same_seed_sooner,
    speeds_differ,
)
from grokbook.chapters.width_and_initialisation.figures import same_seed_ratios, starting_tables
from grokbook.claims import Runs, choose
from grokbook.claims.finding import UNDECIDED
from grokbook.errors import ParameterError
from grokbook.runs.gu2025 import fig5, modular_run
from grokbook.runs.recording import catalogue
from grokbook.training.optim import AdamW

N = None
STEPS = np.arange(0, 10_001, 100)
LIVE = {"p": 11, "train_fraction": 0.6, "d_model": 16, "steps": 100, "n_seeds": 2, "start": "toeplitz"}


def table(*steps, last=10_000):
    seen = pd.array(steps, dtype="Int64")
    return pd.DataFrame({"grok_step": seen, "onset_step": seen, "last_step": last})


def dataset(*curves):
    """Runs with these test accuracies at every step, or that jump to 1 at a step (an integer above 1).

    A negative one is swung about, by 0.04 up and down.
    """
    swings = 0.04 * (-1.0) ** np.arange(STEPS.size)
    rows = [np.where(c <= STEPS, 1.0, 0.01) if c > 1 else abs(c) + (c < 0) * swings for c in curves]
    series = {"train_accuracy": np.ones_like(rows), "test_accuracy": rows, "test_accuracy_unmirrored": rows}
    return xr.Dataset(
        {n: (("seed", "step"), np.asarray(v)) for n, v in series.items()}, {"seed": range(len(rows)), "step": STEPS}
    )


def verdict(name, runs):
    """What a claim says of runs with these curves, by label."""
    claim = choose([name])[0]
    assert set(runs) <= set(claim.runs())
    look = claim.through or (lambda d: d)
    return claim(Runs({label: look(dataset(*curves)) for label, curves in runs.items()})).verdict


# ---------------------------------------------------------------------------------------- settings


@pytest.mark.parametrize(
    ("grok", "said"), [(300, "generalises at step 300"), (None, "does not generalise by step 900")]
)
def test_one_run_is_not_counted_out_of_one(grok, said):
    assert describe("d", table(grok, last=900)) == f"d: the one run {said}"


@pytest.mark.parametrize("start", ["normal", "made up"])
def test_a_start_that_cannot_be_compared_is_refused(start):
    with pytest.raises(ParameterError, match=f"start = '{start}' must be one of toeplitz"):
        width.plan(**(LIVE | {"start": start}))


def test_settings_of_one_question_differ_in_it_alone():
    runs = width.by_optimiser().values()
    assert len({dataclasses.replace(e.config, optimizer=AdamW()) for e in runs}) == 1
    for e in runs:  # one protocol
        assert (e.config.optimizer.warmup, e.config.optimizer.weight_decay) == (AdamW().warmup, AdamW().weight_decay)
    rates = {(type(e.config.optimizer), e.config.optimizer.learning_rate) for e in runs}
    assert rates == {(kind, rate) for kind in width.ACCELERATORS.values() for rate in (3e-4, 1e-3, 3e-3)}
    for settings in (width.by_start(), width.small_by_start(), width.fresh(), width.plan(**LIVE)):
        assert len({dataclasses.replace(e.config, start="normal") for e in settings.values()}) == 1
    shifts = [e.config for e in width.small_by_shift().values()]
    assert [c.task.shift for c in shifts] == [c.model.shift for c in shifts] == [0, 20, 40, 59]
    assert len({(c.steps, c.n_train, c.model.d_model) for c in shifts}) == 1


def test_labels_say_what_the_settings_are():
    """Gu et al. 2025, captions of Figs 9 to 11: (97, 85), (47, 0), (43, 0), (43, 43)."""
    for label, run in width.by_width().items():
        task, model = run.config.task, run.config.model
        longer = f", {run.config.steps:,} steps" if "steps" in run.name else ""
        assert label == f"p = {task.p}, k = {task.shift}, d = {model.d_model}{longer}"
    for label, run in (width.by_position() | width.small_by_position()).items():
        assert label.endswith("on") == run.config.model.positional
        assert run.config.task.shift == run.config.task.p
    found = {(c.task.p, c.task.shift, c.model.d_model) for c in (run.config for run in width.by_width().values())}
    assert found == {(97, 85, d) for d in (128, 256)} | {(47, 0, d) for d in (64, 128, 256)} | {
        (43, k, d) for k in (0, 43) for d in (256, 512, 1024)} | {(43, 0, 128), (43, 43, 2048)}  # fmt: skip


def test_what_is_recorded_says_what_the_paper_says_where_and_what_is_left_open():
    for name, run in ((run.name, run) for settings in width.RUNS for run in settings().values()):
        shared = name.startswith("gu2025/fig5")
        assert run.statement and run.source and (run.choices or shared), name
        assert len(run.seeds) == (5 if shared else 13 if run in width.with_fresh_seeds().values() else 3)


def test_the_seeds_that_decide_are_not_those_that_were_looked_at():
    """Only structure, scale or mean differs from the normal start, and no seed of the first runs is among them."""
    looked_at = {seed for run in width.small_by_start().values() for seed in run.seeds}
    assert all(not looked_at & set(run.seeds) and len(run.seeds) == 10 for run in width.fresh().values())
    assert set(width.fresh()) == {"normal", "toeplitz", "toeplitz_normal", "small_normal", "normal_mean"}


def test_configurations_differ_except_where_two_figures_share_one():
    """Random start at 30 %, p = 97, is Fig. 5 and a curve of Fig. 20."""
    by_key: dict[str, list[str]] = {}
    for name, run in catalogue().items():
        by_key.setdefault(run.key, []).append(name)
    shared = [names for names in by_key.values() if len(names) > 1]
    assert shared == [["gu2025/fig5[p=97]", "gu2025/fig20[start=normal, frac=0.3]"]]
    assert width.by_start()["normal"].key == fig5(97).key


def test_a_companion_takes_changes_of_every_kind():
    config = width.small_run("small/x", "s", train_fraction=0.3, start="positive", positional=False, d_model=32).config
    assert (config.start, config.model.positional, config.n_train) == ("positive", False, 1044)
    assert config.model.d_model == 32


# ---------------------------------------------------------------------------------------- parts of statements


@pytest.mark.parametrize(
    ("first", "second", "answer"),
    [
        (table(*[500] * 5), table(*[1000] * 5), True),
        (table(*[800] * 5), table(*[1000] * 5), False),
        (table(500, 500), table(1000, 1000, 1000), None),
        (table(*[5000] * 5), table(*[N] * 5), True),
        (table(*[N] * 5), table(*[1000] * 5), False),
        (None, table(1, 2, 3), None),
        (table(500, 500, 500), table(1000, 1000, 1000), None),  # three pairs cannot go below 1/8
        (table(500, 500, 500, 500, 2000), table(*[1000] * 5), None),  # the median is half, but one run is not
    ],
)
def test_halved(first, second, answer):
    assert halved(first, second) is answer


@pytest.mark.parametrize(
    ("narrow", "wide", "answer"),
    [
        (table(N, N, N, last=20_000), table(500, 500, 500), True),
        (table(9000, 9000, 9000), None, False),
        (table(9000, 9000), None, None),
        (table(N, N, N, last=20_000), None, None),
        (table(N, N, N, last=20_000), table(15_000, 15_000, 15_000), None),
        (table(15_000, 15_000, 15_000, last=20_000), table(N, N, N, last=20_000), False),
        (None, None, None),
    ],
)
def test_earlier_by_ten_thousand(narrow, wide, answer):
    assert earlier_by(narrow, wide, 10_000) is answer


@pytest.mark.parametrize(
    ("second", "first", "answer"),
    [
        (table(2, 2, 2), table(1, 1, 1), True),
        (table(1, 1, 1), table(2, 2, 2), False),
        (table(N, N, N), table(1, 1, 1), True),
        (table(N, N, N), table(N, N, N), None),
        (table(2, 2), table(1, 1, 1), None),
        (table(2, 5, 6), table(1, 3, 4), None),  # a later median of overlapping runs
    ],
)
def test_later(second, first, answer):
    assert later(second, first) is answer


@pytest.mark.parametrize(
    ("curves", "about", "speeds", "apart"),
    [
        ([0.7, 0.72, 0.68], True, None, False),
        ([0.94] * 3, False, None, False),
        ([0.7, 0.94, 0.94], None, None, True),
        ([0.7, 0.94], None, None, True),  # two runs do differ; three are needed for the rest
        ([0.1, 0.2, 0.9], None, None, None),  # low is late
        ([9900, 9900, 9900], None, None, None),  # still rising
        ([2000, 5000, 5000], False, True, False),
        ([2000, 3000, 3500], False, False, False),
        ([2000, 3000, 0.1], None, True, None),  # the late one takes more than three times as long
        ([6000, 7000, 0.1], None, None, None),
    ],
)
def test_a_run_that_is_low_or_still_rises_has_no_level_and_is_only_late(curves, about, speeds, apart):
    """ "Not by step T" and nothing else: Gu 2024, Figs 9 and 22 print no number of epochs."""
    runs = tables.times(dataset(*curves))
    assert (about_07(runs), speeds_differ(runs), levels_differ(runs)) == (about, speeds, apart)


# ---------------------------------------------------------------------------------------- claims

LOW, HIGH, TOP = [0.1] * 3, [0.99] * 3, [1.0] * 3
NARROW, WIDE = "p = 47, k = 0, d = 64", "p = 47, k = 0, d = 256"
EARLY, LATE = list(range(1000, 2000, 100)), list(range(2000, 4000, 200))
FRESH = {"normal": LATE, "toeplitz_normal": EARLY}
MIXED = [1500, 1600, 1700, 1800, 1900, 2000]


def starts(step):
    """Fig. 20, its Toeplitz runs beginning at this step and the others at 4000."""
    steps = {"toeplitz": [step] * 3, "normal": [4000] * 3}
    return {(f, start): s for f in ("30%", "25%", "20%") for start, s in steps.items()}


@pytest.mark.parametrize(
    ("name", "runs", "answer"),
    [
        ("GF20", {("30%", "toeplitz"): [2000] * 3, ("30%", "normal"): [4000] * 3}, UNDECIDED),  # one of three shares
        ("GF20", starts(2000), "holds"),
        ("GF20", starts(3400), "holds with correction"),  # earlier, and no half
        ("GF20", starts(4000), "fails"),
        ("GF09", {NARROW: LOW}, UNDECIDED),
        ("GF09", {NARROW: [9000] * 3}, "fails"),  # cannot be beaten by 10,000 steps
        ("GF10", {"d = 128": [-0.7] * 3, "d = 512": HIGH, "d = 1024": HIGH}, "holds"),
        ("GF10", {"d = 128": [-0.95] * 3, "d = 512": HIGH, "d = 1024": HIGH}, "fails"),
        ("GF10", {"d = 128": [0.7] * 3, "d = 512": HIGH, "d = 1024": HIGH}, "fails"),  # without a swing
        ("GF10", {"d = 128": LOW, "d = 512": HIGH, "d = 1024": HIGH}, UNDECIDED),
        ("GF10", {"d = 128": [-0.7] * 3, "d = 512": [0.9] * 3, "d = 1024": [0.9] * 3}, "fails"),
        ("GF10", {"d = 128": [-0.7] * 3, "d = 512": HIGH, "d = 1024": TOP}, "holds"),  # 0.01 is no significant gain
        ("GF10", {"d = 128": [-0.7] * 3, "d = 512": HIGH, "d = 1024": [0.9] * 3}, "holds"),
        ("GF10", {"d = 128": [0.05, 0.05, 9000]}, UNDECIDED),  # one run that still rises, two that may be late
        ("GF10", {"d = 128": [-0.7] * 3, "d = 512": LOW, "d = 1024": HIGH}, UNDECIDED),  # 512 is late, not low
        ("GF10", {"d = 128": [9900] * 3, "d = 128, 20,000 steps": [3000] * 3}, "fails"),  # the longest runs count
        ("GF10", {"d = 128": [0.7] * 3, "d = 128, 20,000 steps": LOW}, UNDECIDED),
        ("GE1", FRESH, "holds"),
        ("GE1", {"normal": EARLY, "toeplitz_normal": LATE}, UNDECIDED),  # that it can help is not refuted here
        ("GE1", {"normal": EARLY, "toeplitz_normal": EARLY}, UNDECIDED),
        ("GE1", {"normal": LATE[:9], "toeplitz_normal": EARLY[:9]}, UNDECIDED),  # not before all ten are there
        ("GE1", {"normal": LATE, "toeplitz_normal": [100, 9000] * 5}, UNDECIDED),  # too much scatter to find a half
        ("GE1", {"toeplitz_normal": EARLY, "small_normal": EARLY}, UNDECIDED),
        ("GF11", {"d = 256": LOW, "d = 512": LOW, "d = 1024": [500] * 3, "d = 2048": [500] * 3}, "holds"),
        ("GF11", {"d = 256": LOW, "d = 512": LOW, "d = 1024": [500] * 3, "d = 2048": LOW}, "fails"),
        ("GF11", {"d = 256": LOW, "d = 512": [500]}, UNDECIDED),  # one easy training set
        ("GF11", {"d = 256": LOW, "d = 512": [500] * 3}, "fails"),
        ("GF11", {"d = 256": LOW, "d = 512": LOW, "d = 1024": LOW, "d = 2048": LOW}, UNDECIDED),  # late
        ("G51", {"d = 128": [0.95] * 3}, "fails"),  # any of the three parts refutes it
        ("G51", {("30%", "toeplitz"): [2000] * 3, ("30%", "normal"): [4000] * 3}, UNDECIDED),
        ("PF03", {f"k = {k}": [s] * 3 for k, s in {0: 1000, 45: 2000, 60: 3000, 81: 4000}.items()}, "holds"),
        ("PF03", {f"k = {k}": [s] * 3 for k, s in {0: 4000, 45: 3000, 60: 2500, 81: 1000}.items()}, "fails"),
        ("PF03", {f"k = {k}": [1000, 2000, 3000] for k in (0, 45, 60, 81)}, UNDECIDED),
        ("PF19", {"d = 128, on": [2000] * 3, "d = 128, off": [1000] * 3}, "holds"),
        ("PF19", {"d = 128, on": [1000] * 3, "d = 128, off": [2000] * 3}, "fails"),
        ("PF19", {"d = 128, on": [1000, 1100, 2500], "d = 128, off": [900, 2000, 2000]}, UNDECIDED),
        ("PF20", {"d = 256, on": MIXED, "d = 256, off": MIXED}, "holds"),
        ("PF20", {"d = 256, on": MIXED[:3], "d = 256, off": MIXED[:3]}, UNDECIDED),  # 2 of 20 orders
        ("PF20", {"d = 256, on": [100, 9000] * 3, "d = 256, off": [200, 8000] * 3}, UNDECIDED),  # a half is not found
        ("PF20", {"d = 256, on": MIXED, "d = 256, off": [2 * s for s in MIXED]}, "fails"),
        ("PF21", {"d = 512, on": [1000, 1100, 1200], "d = 512, off": [1500, 1600, 1700]}, "holds"),
        ("PF21", {"d = 512, on": [1000, 2100]}, "fails"),
        ("PF22", {"p = 47": [0.3] * 3}, UNDECIDED),  # none has left the floor
        ("PF22", {"p = 47": [4000, 0.3]}, UNDECIDED),  # the other may only be late
        ("PF22", {"p = 47": [4000, 0.7]}, "holds"),
        ("PF22", {"p = 47": [4000, 0.7], "p = 47, 60,000 steps": [4000, 4100, 4200]}, "fails"),
    ],
)
def test_the_verdict_follows_the_runs(name, runs, answer):
    assert verdict(name, runs) == answer


def test_rules_bear_out_what_is_right_and_not_what_is_not():
    """At the spread of the paper's size, with the seeds that its runs have, 6 of a side for an order."""
    found = power.powers(0.22, 20).set_index(["rule", "seeds"])
    for row in (("GF20", 3), ("GF11", 3), ("PF03", 3), ("PF19", 3), ("PF20", 6)):
        assert found["borne out"][row] >= 0.7 and found["false"][row] <= 0.2 and found["refuted"][row] <= 0.25
    assert found["borne out"]["PF20", 3] == 0


def test_companions_are_shown_and_decide_nothing():
    found = positions_delay(Runs({(SMALL_SIZE, "d = 64, on"): table(5, N)}))
    assert found.verdict == UNDECIDED
    assert found.evidence.startswith(" (companions of this book, p = k = 59: d = 64, on: 1 of 2 runs generalises by")


# ---------------------------------------------------------------------------------------- tables


@pytest.fixture
def there(monkeypatch):
    """Set what is recorded: label -> dataset; the rest is not run."""

    def put(by_label=None, **found):
        found |= by_label or {}
        monkeypatch.setattr(tables, "load", lambda settings, through: Runs({
            label: through(found[label]) for label in settings if label in found}))  # fmt: skip

    return put


def test_the_table_has_a_row_for_what_is_recorded_and_a_sentence_for_the_rest(there):
    there(toeplitz=dataset(2000, 0.1), normal=dataset(4000, 4000))
    rows = tables.comparison_table({"20 %": (width.by_start(0.2), "normal")}).set_index("setting")
    assert rows["generalise"].to_dict() == {"normal": "2 of 2", "toeplitz": "1 of 2"}
    assert rows["grok steps"].to_dict() == {"normal": "4000", "toeplitz": "2000, > 10000"}
    assert rows["ratio"]["toeplitz"] == "> 1.50" and rows["same seed"]["toeplitz"] == "> 1.50"
    assert rows["best accuracy"]["toeplitz"] == "0.10 to 1.00" and rows["paired p"]["toeplitz"] == 0.75
    said = tables.left_out({"a": dataclasses.replace(fig5(47), name="x", version=999)})
    assert said.startswith("Nothing of these settings is recorded: 5 runs of 1 setting are missing, predicted")


def test_the_spread_counts_a_setting_once_and_its_late_runs(there):
    def name(run):
        return run.key, len(run.seeds)

    run, longer = fig5(47), fig5(47, steps=60_000)
    tables_of = {name(run): dataset(1000, 2000, 4000), name(longer): dataset(1000, 2000, 4000, 0.1)}
    there(tables_of)
    assert tables.recorded_spread([{"a": run}, {"a": run}]) == pytest.approx((np.log(2), 3, 1), rel=1e-4)
    spread, runs, settings = tables.recorded_spread([{"a": run, "longer": longer}])
    assert spread > np.log(2) and (runs, settings) == (3, 1)  # the same runs, followed longer


def test_what_runs_took_is_held_against_what_was_predicted(there):
    run, made = fig5(47), [{"seconds": 60, "seeds": [0, 1]}, {"seconds": 30, "seeds": [2]}]
    there(**{run.key: dataset(1000).assign_attrs(provenance=json.dumps(made))})
    assert tables.over_predicted([{"a": run}]) == pytest.approx((30 / run.predicted(1).seconds,) * 3)


def test_controls_of_the_starts(there):
    """Ten runs of small spread: no more than 5 % false alarms, a half is found; without a normal start nothing is."""
    there(normal=dataset(*LATE), toeplitz_normal=dataset(*EARLY))
    alarms, oracle, paired = tables.start_controls(width.fresh())
    assert alarms <= 0.05 and oracle <= 0.05 and paired <= 0.05
    assert list(tables.pairs_of({"a": (width.fresh(), "normal"), "b": ({}, "normal")})) == ["a"]
    there(toeplitz_normal=dataset(*EARLY))
    assert np.isnan(tables.start_controls(width.fresh())).all()


@pytest.mark.parametrize(
    ("runs", "answer"),
    [
        ({}, "No run of AdamW is recorded"),
        ({"adamw": [4000], "muon": [500]}, "Fewer than two learning rates are recorded of adamw and muon."),
        (
            {"adamw": [4000], "adamw, rate 0.003": [2000], "muon": [0.1], "muon, rate 0.003": [1000]},
            "Each at its own best of 2 or more rates, against adamw, rate 0.003: muon, rate 0.003 needs 0.50 times the "
            "steps and 1.00 times the seconds.",
        ),
    ],
)  # fmt: skip
def test_optimisers_are_compared_at_their_own_best_rate_or_not_at_all(there, runs, answer):
    there(**{label: dataset(*curves) for label, curves in runs.items()})
    assert words.race_words(width.by_optimiser(), {"adamw": 1.0, "muon": 2.0}).startswith(answer)


def test_what_is_said_of_a_start_follows_the_test(there):
    there(normal=dataset(*LATE), toeplitz_normal=dataset(*EARLY), small_normal=dataset(*LATE))
    said = words.judged_starts(width.fresh(), same_seed_sooner)
    assert said["toeplitz_normal"] == "earlier (same seed 0.50, paired p = 0.001, 10 pairs)"
    assert said["small_normal"].startswith("not decided (same seed 1.00") and said["normal_mean"] == "not run"
    assert "withheld" not in "".join(said.values())
    there(normal=dataset(*[9000] * 10), toeplitz_normal=dataset(*[100, 8800] * 5))
    said = words.judged_starts(width.fresh(), same_seed_sooner)["toeplitz_normal"]
    assert said.startswith("not decided") and "paired p = 0.001, 10 pairs; withheld: its pairs find a half" in said


def test_what_is_said_of_the_small_shifts_follows_the_test(there):
    there(**{"k = 0": dataset(1000, 1100, 1200), "k = 20": dataset(1000, 1100, 1300), "k = 59": dataset(0.1, 0.1, 0.1)})
    said = words.of_shifts(width.small_by_shift(), later)
    assert said.endswith("by the exact test at 5%: k = 59 later; k = 20 not decided.")
    there(**{"k = 0": dataset(1000, 1100, 1200)})
    assert words.of_shifts(width.small_by_shift(), later) == "The small networks are not run."


def test_there_is_a_whole_sentence_for_every_outcome():
    assert set(words.FOUND) == {"holds", UNDECIDED, "not run"}
    said = [words.sure(v) for v in (["holds"] * 2, ["not run"] * 2, ["fails", UNDECIDED])]
    assert len(set(said)) == 3 and said[2].startswith("Decided: 1 of the 2 rows")
    assert "calls 4.0% earlier" in words.controls(0.04, 0.01, 0.02)


def test_steps_of_the_starts_have_their_expected_length():
    """E|step|^2 = 2 Var(entry) d: 2 for variance 1/d, 1/6 for uniform entries over the root of d (variance 1/12d)."""
    found = tables.start_table(53, 53, draws=40).set_index("start")
    assert np.allclose(found["MED"], found["expected step"], rtol=0.05)
    assert np.isclose(found["expected step"]["normal"] / found["expected step"]["positive"], np.sqrt(12))
    spread = found["step spread"]
    assert spread["circulant"] < 1e-6 < spread["toeplitz"] < spread["positive"]
    with pytest.raises(ParameterError, match="draws = 0"):
        tables.start_table(5, 4, 0)


def test_costs_are_relative_to_the_first_optimiser():
    config = modular_run(7, 0.5, d_model=8, steps=4)
    found = tables.step_costs(config, {"a": AdamW(), "b": AdamW()}, repeats=3)
    assert found.ratio[0] == 1.0 and (found["ms a step"] > 0).all()
    assert np.isclose(found.ratio[1], found["ms a step"][1] / found["ms a step"][0])
    with pytest.raises(ParameterError, match="repeats = 0"):
        tables.step_costs(config, repeats=0)


# ---------------------------------------------------------------------------------------- figures


def test_dots_and_triangles():
    """A known pair, one whose ratio is below what is drawn, one above, one that is not drawn."""
    pairs = pd.DataFrame({"low": [0.5, 0.0, 2.0, 0.0], "high": [0.5, 0.8, np.inf, np.inf]})
    ax = same_seed_ratios({"here": {"a": pairs}}).axes[0]
    marks = {line.get_marker(): line.get_xdata().tolist() for line in ax.lines if line.get_marker() in ("o", "<", ">")}
    assert marks == {"o": [0.5], "<": [0.8], ">": [2.0]}
    assert [t.get_text() for t in ax.get_yticklabels()] == ["a"] and ax.get_title(loc="left") == "here"


def test_tables_share_one_scale():
    fig = starting_tables({"a": np.eye(3), "b": -2 * np.eye(3)})
    assert {ax.images[0].get_clim() for ax in fig.axes} == {(-2.0, 2.0)}


@pytest.mark.parametrize("draw", [same_seed_ratios, starting_tables])
def test_nothing_to_draw_is_refused(draw):
    with pytest.raises(ParameterError, match="to draw"):
        draw({})
