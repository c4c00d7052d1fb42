"""Chapter 19: progress that is handed over, and whether it stays: the rules by hand, predictions
against git and records, and worlds in which each check comes out otherwise."""

import io
from datetime import datetime

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy.stats import binom

from causes_runs import git, recorded_at, times
from companion.claims import Claim, Runs
from grokbook.curves.delay import grok_times
from grokbook.runs.experiment import available
from grokbook_chapters.causes import claims, effects, handed, runs, stays, tuning


def test_the_donors_are_the_recorded_free_runs():
    for bench in "QTLR":
        times = grok_times(available(runs.arm(bench, "free")))
        table = handed.donors(bench)
        assert table.fit_step.tolist() == times.fit_step.tolist()
        assert table.grok_step.tolist() == times.grok_step.tolist()
        assert handed.stops(bench, 0) == tuple(table.fit_step)
        assert handed.stops(bench, 100) == tuple(table.grok_step)


def test_nothing_of_a_receiver_but_its_start_differs_from_the_free_run():
    for bench in handed.SHARES:
        for name, arm in handed.handed(bench).items():
            free = runs.free(bench)
            assert (arm.config.task, arm.config.log) == (free.task, free.log)
            frozen = "frozen" in name
            assert (arm.config.optimizer == free.optimizer) == (not frozen)


@pytest.mark.parametrize("n", [6, 8, 12, 20])
def test_the_interval_of_a_median_holds_it_with_95_percent_at_least(n):
    """Between the k-th from either end lie medians where k or more fall on each side: binomial."""
    _, low, high = handed.middle(pd.Series(range(n)))
    assert high == n - 1 - low
    assert 1 - 2 * binom.cdf(low, n, 0.5) >= 0.95
    assert 1 - 2 * binom.cdf(low + 1, n, 0.5) < 0.95


def test_runs_that_do_not_generalise_stand_above_all_others():
    found = handed.middle(pd.Series([0.1] * 9 + [np.inf] * 3))
    assert found == (0.1, 0.1, np.inf)
    assert all(np.isnan(handed.middle(pd.Series([1.0] * 5))))


@pytest.mark.parametrize(
    ("share", "said"),
    [(0.02, "none"), (0.5, "shorter"), (1.2, "longer"), (None, "never")],
)
def test_the_word_of_an_arm(share, said):
    free = handed.donors("Q")
    assert handed.word(times(share), free) == said
    found = handed.waits(times(share), free)
    expected = np.inf if share is None else share
    np.testing.assert_allclose(found, expected, atol=0.01)


def test_an_arm_that_scatters_is_open_and_one_that_does_not_fit_is_unfit():
    free = handed.donors("Q")
    for low, high, said in ((0.3, 2.0, "open"), (0.9, 1.1, "same")):
        mixed = pd.concat([times(low).iloc[:6], times(high).iloc[6:]])
        assert handed.word(mixed, free) == said
    assert handed.word(times(0.5).assign(fit_step=pd.array([None] * 12, "Int64")), free) == "unfit"


@pytest.mark.parametrize("word", ["shorter", "none", "same", "longer", "never", "not shorter"])
def test_every_predicted_word_can_come_out_otherwise(word):
    seen = {handed.judged(word, one) for one in ("none", "shorter", "same", "longer", "never")}
    assert seen == {"agrees", "contradicts"}
    assert handed.judged(word, "open") == handed.judged(word, "unfit") == "open"


def test_each_arm_has_a_prediction_that_stands_in_a_commit_older_than_its_runs():
    rounds = effects.commits().set_index("round").commit
    then = git("show", f"{rounds['sixth']}:src/grokbook_chapters/causes/handed.csv")
    before = pd.read_csv(io.BytesIO(then), keep_default_na=False, dtype=str)
    pd.testing.assert_frame_equal(before, handed.predictions())
    table = handed.predictions().set_index("arm")
    asked = {"sixth": {}, "seventh": {}}
    for bench in handed.SHARES:
        arms = handed.handed(bench)
        assert set(table.index[table[bench] != ""]) == set(arms)
        asked["sixth"] |= {(bench, name): arm for name, arm in arms.items()}
    for bench in stays.BENCHES:
        asked["seventh"] |= stays.stays(bench)
    for name, experiments in asked.items():
        written = datetime.fromisoformat(
            git("show", "-s", "--format=%cI", rounds[name]).decode().strip()
        )
        made = [when for arm in experiments.values() for when in recorded_at(arm)]
        assert all(when > written for when in made)


def world(**shares):
    """Arms of both benches by name, each with its share of the free wait."""
    made = {}
    for name, share in shares.items():
        bench, arm = name[0], name[1:].replace("_", "-")
        made[bench, arm] = times(share, bench)
    return Runs(made)


HALF = {
    "Qfeatures_50": 0.5,
    "Qfeatures_50_other_split": 0.6,
    "Qfeatures_0": 1.0,
    "Qfeatures_0_other_split": 1.1,
}
MORE = {"Qfeatures_50": 0.4, "Qfeatures_75": 0.2, "Qhead_50": 0.7, "Qhead_75": 0.5}
SHUFFLED = {f"{bench}{part}_100_shuffled": 1.2 for bench in "QT" for part in ("features", "head")}


@pytest.mark.parametrize(
    ("check", "shares", "changed", "verdict"),
    [
        (handed.half_way, HALF, {}, "holds"),
        (handed.half_way, HALF, {"Qfeatures_50": 1.1}, "fails"),
        (handed.half_way, HALF, {"Qfeatures_50_other_split": None}, "fails"),
        (handed.half_way, HALF, {"Qfeatures_0": 0.5}, "fails"),
        (handed.more_than_the_head, MORE, {}, "holds"),
        (handed.more_than_the_head, MORE, {"Qhead_50": 0.3}, "fails"),
        (handed.more_than_the_head, MORE, {"Qhead_75": 0.2}, "undecided"),
        (handed.more_than_the_head, MORE, {"Qhead_75": None}, "holds"),
        (handed.in_a_transformer, {"Tfeatures_50": 0.5, "Thead_50": 0.5}, {}, "holds"),
        (handed.in_a_transformer, {"Tfeatures_50": 0.5, "Thead_50": 1.0}, {}, "fails"),
        (handed.shuffled, SHUFFLED, {}, "holds"),
        (handed.shuffled, SHUFFLED, {"Thead_100_shuffled": None}, "holds"),
        (handed.shuffled, SHUFFLED, {"Qfeatures_100_shuffled": 0.5}, "fails"),
    ],
)
def test_each_claim_of_handed_progress_comes_out_by_what_the_runs_do(
    check, shares, changed, verdict
):
    assert check(world(**(shares | changed))).verdict == verdict
    assert check(Runs()).verdict == "undecided"
    first = next(iter(shares))
    few = {name: table.head(5) for name, table in world(**shares).items()}
    assert check(Runs(few)).verdict == "undecided", first


def curve(*falls, grok=100, last=1_000, every=10):
    """A run that fits at once, generalises at `grok`, and is at 0.5 from each first to before each
    second step."""
    steps = np.arange(0, last + 1, every)
    test = np.where(steps >= grok, 1.0, 0.2)
    for begin, end in falls:
        test[(steps >= begin) & (steps < end)] = 0.5
    return steps, test


def dataset(*made):
    steps = made[0][0]
    test = [own for _, own in made]
    return xr.Dataset(
        {
            "test_accuracy": (("seed", "step"), test),
            "train_accuracy": (("seed", "step"), np.ones_like(test)),
        },
        {"step": steps, "seed": range(len(test))},
    )


def test_what_comes_after_the_grok_step_is_counted_in_its_window():
    """91 logged steps from 100 to 1,000: 1 and 5 below; what lies beyond ten times 50 is not in
    it."""
    kept = curve()
    dipped = curve((300, 310), (500, 550))
    early = curve((700, 900), grok=50)
    never = curve(grok=2_000)
    table = stays.after(dataset(kept, dipped, early, never))
    assert table.occupancy.tolist()[:3] == pytest.approx([1, 85 / 91, 1])
    assert table.falls.tolist()[:3] == [0, 2, 0] and np.isnan(table.falls[3])
    assert table.deepest.tolist()[:3] == [1, 0.5, 1]
    assert stays.lost(table).tolist() == [False, True, False]
    assert table.stay.tolist()[1] == 400
    assert stays.after(dataset(curve(last=500))).followed.tolist() == [5]


KEPT, GONE, DIPS = curve(), curve((300, 400)), curve((300, 310))


@pytest.mark.parametrize(
    ("kept", "gone", "verdict"),
    [(12, 0, "holds"), (11, 1, "fails"), (11, 0, "undecided")],
)
def test_it_stays_on_q_only_where_no_run_of_twelve_loses_it(kept, gone, verdict):
    made = dataset(*[KEPT] * kept, *[GONE] * gone)
    assert stays.it_stays(Runs({"Q": stays.after(made)})).verdict == verdict


@pytest.mark.parametrize(
    ("gone", "without", "verdict"),
    [
        (12, KEPT, "holds"),
        (12, GONE, "undecided"),
        (0, KEPT, "fails"),
        (6, KEPT, "undecided"),
    ],
)
def test_layer_norm_is_judged_by_how_many_lose_it_and_by_the_falls_of_both(gone, without, verdict):
    normed = dataset(*[GONE] * gone, *[DIPS] * (12 - gone))
    plain = dataset(*[without] * 12)
    found = Runs({"T": stays.after(normed), "N": stays.after(plain)})
    assert stays.layer_norm(found).verdict == verdict
    assert stays.it_stays(Runs()).verdict == stays.layer_norm(Runs()).verdict == "undecided"


def test_falls_are_told_of_as_many_steps_as_published_ones():
    """Two falls in the 900 steps from 100 to 1,000."""
    table = stays.after(dataset(curve((300, 310), (500, 550))))
    assert stays.falls_in(table, 4_500).tolist() == [10]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([GONE, GONE], [KEPT, KEPT], True),
        ([KEPT, GONE], [KEPT, KEPT], None),
        ([KEPT, KEPT], [KEPT, GONE], False),
        ([GONE, curve(grok=2_000)], [KEPT, KEPT], None),
    ],
)
def test_runs_fall_more_often_where_each_does_than_all_others(first, second, expected):
    tables = [stays.after(dataset(*own)) for own in (first, second)]
    assert stays.falls_more(*tables) is expected
    assert stays.falls_more(None, tables[1]) is None


@pytest.mark.slow
def test_no_verdict_of_the_chapter_would_change_if_a_run_had_to_stay():
    """The page says so; of runs as far as they are recorded."""
    tables = {}
    for bench in "QTLR":
        own = tuning.recorded_times(bench)
        tables |= {(bench, name): table for name, table in own.items()}
        if "tuned" in own:
            tables[bench] = own["tuned"]
    later = {label: stays.staying(table) for label, table in tables.items()}
    assert any(not later[label].equals(table) for label, table in tables.items())
    entries = [*vars(claims).values(), *vars(handed).values(), tuning.tuned_away]
    entries = [entry for entry in entries if isinstance(entry, Claim)]
    assert len(entries) == 15
    for entry in entries:
        asked = [label for label in entry.runs() if label in tables]
        before = entry(Runs({label: tables[label] for label in asked}))
        after = entry(Runs({label: later[label] for label in asked}))
        assert before.verdict == after.verdict, entry.id
