"""Chapter 19: laws of the wait and tuned runs: worlds whose law is known, predictions against git
and records, and worlds in which each check comes out otherwise."""

import io

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from causes_runs import git, grid_world, inverse, printed, recorded_at, times
from companion.claims import Runs
from grokbook.runs.experiment import available
from grokbook_chapters.causes import effects, handed, laws, runs, tuning
from grokbook_chapters.causes.figures import off_by


@pytest.mark.parametrize("bench", ["Q", "T"])
def test_the_law_by_which_a_world_was_made_foretells_it_as_well_as_its_seeds_do(bench):
    for wait, law, other in ((inverse, "inverse", "printed"), (printed, "printed", "inverse")):
        table = laws.of_bench(grid_world(wait), bench)
        own = laws.compared(table, law)
        assert own.factor < 1.1
        # thirteen settings of T decide less than forty of Q
        assert own.word == "better" or bench == "T"
        assert own.factor < laws.compared(table, other).factor
        assert laws.compared(table, "fitted").factor < 1.1
        assert laws.compared(table, "seeds").factor < 1.12
        assert laws.compared(table, "shuffled").word != "better"
        assert laws.compared(table, "constant").word == "same"


def test_exponents_are_those_of_the_grid_world():
    found = laws.exponents(laws.of_bench(grid_world(printed), "Q"))
    for name, (power, low, high) in found.items():
        true = 0.0 if name == "width" else laws.PRINTED[name]
        assert low < power < high and abs(power - true) < 0.1


def test_a_first_passage_is_foretold_where_the_norm_falls_and_not_where_it_begins_below():
    rng = np.random.default_rng(0)
    made = grid_world(inverse, noise=0.0)
    for table in made.values():
        settings = table.index.to_frame(index=False)
        start = rng.uniform(200, 800, len(table))
        wait = np.log(start / 100) * 2 / (settings.learning_rate * settings.weight_decay)
        table["start"] = start
        table["grok_step"] = (50 + wait.round()).astype("Int64").to_numpy()
    # each seed has a norm of its own, so medians are off by little
    table = laws.of_bench({n: t.groupby(t.index.names).first() for n, t in made.items()}, "Q")
    assert laws.compared(table, "first passage").factor < laws.compared(table, "inverse").factor
    beneath = table.assign(start=np.where(laws.calibrates(table), table.start, 1e-9))
    assert np.isinf(laws.errors(beneath, "first passage")).all()


def test_settings_that_do_not_fit_are_late_or_do_not_wait_are_counted_beside():
    made = grid_world(inverse)["T"]
    settings = made.index.to_frame(index=False)
    rate, decay = settings.learning_rate, settings.weight_decay
    lowest = ((rate == 0.004) & (decay == 0.7)).to_numpy()
    highest = ((rate == 0.016) & (decay == 2.8)).to_numpy()
    middle = ((rate == 0.008) & (decay == 1.4)).to_numpy()
    made.loc[lowest, "grok_step"] = pd.NA
    made.loc[middle, ["grok_step", "fit_step"]] = pd.NA
    made.loc[highest, "grok_step"] = 60
    table = laws.by_setting("T", made)
    assert table.fate.value_counts().to_dict() == {
        "counted": 18,
        "late": 3,
        "unfit": 3,
        "no wait": 3,
    }
    assert (
        len(laws.errors(table, "inverse"))
        == ((table.fate == "counted") & ~laws.calibrates(table)).sum()
    )


def test_the_norm_at_the_fit_step_is_read_from_the_run():
    steps = np.arange(0, 100, 10)
    train = np.where(steps >= 20, 1.0, 0.1)
    test = np.where(steps >= 50, 1.0, 0.1)
    data = xr.Dataset(
        {
            "train_accuracy": (("seed", "learning_rate", "step"), [[train, 0 * train]]),
            "test_accuracy": (("seed", "learning_rate", "step"), [[test, 0 * test]]),
            "weight_norm": (("seed", "learning_rate", "step"), [[steps + 1.0, steps + 2.0]]),
        },
        {"seed": [24], "learning_rate": [0.1, 0.2], "step": steps},
    )
    found = laws.timed(data)
    assert found.start.iloc[0] == 21.0**2 and found.end.iloc[0] == 51.0**2
    assert found.grok_step.tolist()[0] == 50 and pd.isna(found.fit_step.iloc[1])


@pytest.mark.parametrize(
    ("wait", "verdict"),
    [(inverse, "holds"), (printed, "undecided")],
)
def test_the_inverse_law_holds_only_where_both_exponents_are_near_minus_one(wait, verdict):
    assert laws.inverse_law(Runs(grid_world(wait))).verdict == verdict
    assert laws.inverse_law(Runs()).verdict == "undecided"
    few = {name: table.iloc[: len(table) // 3] for name, table in grid_world(wait).items()}
    assert laws.inverse_law(Runs(few)).verdict == "undecided"


def test_the_best_setting_is_that_of_the_earliest_median_and_a_late_run_is_later_than_any():
    index = pd.MultiIndex.from_product(
        [[12, 13, 14], [0.1, 0.2], [1.0, 2.0]], names=["seed", "learning_rate", "weight_decay"]
    )
    steps = [40, 30, 30, 90, 41, None, 30, 90, 42, None, 30, 10]
    table = pd.DataFrame({"grok_step": pd.array(steps, "Int64")}, index)
    assert tuning.best(table) == (0.2, 1.0)


def test_the_tuned_settings_are_the_best_of_the_recorded_search_and_lie_inside_its_grid():
    sweeps = tuning.searches()
    for bench in tuning.BENCHES:
        own = [sweep for name, sweep in sweeps.items() if name[0] == bench]
        assert not {seed for sweep in own for seed in sweep.seeds} & set(range(runs.SEEDS))
        known = [tuning.timed(available(sweep)) for sweep in own]
        assert tuning.best(*known) == tuning.TUNED[bench]
        for side, value in enumerate(tuning.TUNED[bench]):
            values = [each for sweep in own for each in sweep.axes[side].values]
            assert min(values) < value < max(values)


def test_each_prediction_stands_in_a_commit_older_than_its_runs():
    (commit,) = effects.commits().set_index("round").commit[["eighth"]]
    for name, module in (("tuning", tuning), ("laws", laws)):
        then = git("show", f"{commit}:src/grokbook_chapters/causes/{name}.csv")
        before = pd.read_csv(io.BytesIO(then), keep_default_na=False, dtype=str)
        pd.testing.assert_frame_equal(before, module.predictions())
    written = pd.Timestamp(git("show", "-s", "--format=%cI", commit).decode().strip())
    asked = [*tuning.searches().values(), *laws.grids().values()]
    for bench in tuning.BENCHES:
        assert set(tuning.tuned(bench)) == set(tuning.predictions().arm)
        asked += tuning.tuned(bench).values()
    assert set(laws.predictions().law) == {*laws.LAWS, "shuffled"} - {"constant"}
    assert all(when > written for one in asked for when in recorded_at(one))


def test_the_arms_of_bench_r_and_the_last_ones_are_younger_than_their_predictions():
    (commit,) = effects.commits().set_index("round").commit[["ninth"]]
    then = git("show", f"{commit}:src/grokbook_chapters/causes/fourth.csv")
    before = pd.read_csv(io.BytesIO(then), keep_default_na=False, dtype=str)
    pd.testing.assert_frame_equal(before, effects.fourth())
    arms = runs.arms("R") | handed.handed("R")
    assert set(before.arm) == set(arms) - {"free", "norm-at-1"}
    written = pd.Timestamp(git("show", "-s", "--format=%cI", commit).decode().strip())
    last = [runs.arm(bench, name) for bench in "QTL" for name in runs.last(bench)]
    asked = [*arms.values(), *last]
    assert all(when > written for one in asked for when in recorded_at(one))
    for word in before.R:
        seen = {handed.judged(word, one) for one in ("none", "shorter", "same", "longer", "never")}
        assert seen == {"agrees", "contradicts"}


SHARE = {"Q": 0.02, "T": 0.05, "L": 0.05}


@pytest.mark.parametrize(
    ("changed", "verdict"),
    [({}, "holds"), ({"L": 0.5}, "fails"), ({"T": None}, "fails")],
)
def test_tuned_away_holds_only_where_no_bench_has_a_tenth_of_its_wait(changed, verdict):
    made = {bench: times(share, bench) for bench, share in (SHARE | changed).items()}
    assert tuning.tuned_away(Runs(made)).verdict == verdict
    assert tuning.tuned_away(Runs()).verdict == "undecided"
    few = {bench: table.head(5) for bench, table in made.items()}
    assert tuning.tuned_away(Runs(few)).verdict == "undecided"


def test_every_predicted_word_of_the_tuned_arms_can_come_out_otherwise():
    for word in {*tuning.predictions()[[*tuning.BENCHES]].to_numpy().ravel()}:
        seen = {handed.judged(word, one) for one in ("none", "shorter", "same", "longer", "never")}
        assert seen == {"agrees", "contradicts"}


def test_a_law_has_a_point_on_each_bench_at_its_error():
    tables = {bench: laws.of_bench(grid_world(inverse), bench) for bench in laws.STEPS}
    (ax,) = off_by(tables).axes
    dots = [line for line in ax.lines if line.get_marker() == "o" and len(line.get_xdata())]
    expected = [laws.compared(tables["Q"], law).factor for law in laws.NAMES]
    assert [line.get_xdata()[0] for line in dots] == pytest.approx(expected)
