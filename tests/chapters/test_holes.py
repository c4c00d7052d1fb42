"""Chapter 04b: Table 1 as printed, as counted and as measured; what a run that ends says and does not say."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from grokbook.chapters.holes import answer, figures, measured, table_1
from grokbook.claims import Runs
from grokbook.claims.words import spread
from grokbook.runs.limits import LimitRule
from grokbook.runs.recording import catalogue
from grokbook.theory import coverage as discs

STEPS = np.arange(0, 6001, 20)


def rise(start, stop, high):
    return np.interp(STEPS, [start, stop], [0.02, high])


def run_of(row, outside, in_hole, seeds=(0,)) -> xr.Dataset:
    """A made run of a row: accuracies outside the hole and in it by step, the total weighted with the counts."""
    share = table_1.shares_of_test_cells(table_1.row_task(*row))["outside"] / 100
    outside = outside if share else np.full(STEPS.size, np.nan)
    total = share * outside + (1 - share) * in_hole if share else in_hole
    curves = {"test_accuracy": total, "test_accuracy_outside_hole": outside, "test_accuracy_in_hole": in_hole}
    curves |= {"test_accuracy_mirrored": outside, "test_accuracy_unmirrored": in_hole}
    data = {name: (("seed", "step"), np.stack([values] * len(seeds))) for name, values in curves.items()}
    return xr.Dataset(data, {"seed": list(seeds), "step": STEPS})


def runs_with(accuracy) -> dict:
    """Runs of all rows that have `accuracy[row]` in percent, all of it outside the hole as far as cells there allow."""
    found = {}
    for row in table_1.rows():
        share = table_1.shares_of_test_cells(table_1.row_task(*row))["outside"] / 100
        inside = max(0.0, (accuracy[row] / 100 - share) / (1 - share))
        found[row] = run_of(row, rise(500, 2000, 1.0), rise(500, 2000, inside))
    return found


def looked_at(runs) -> Runs:
    """Made runs as the claims on Table 1 see recorded ones."""
    return Runs({row: measured.limits_of_parts(data) for row, data in runs.items()})


@pytest.fixture(scope="module")
def published():
    return {(split, hole): upper for split, hole, upper, *_ in table_1.TABLE_1}


def test_table_1_is_complete():
    """Column sums as a guard against a mistyped digit."""
    table = table_1.table_1()
    assert len(table) == 11 and (table["L-Acc"] < table["U-Acc"]).all()
    sums = table.groupby("split")[["U-Acc", "L-Acc"]].sum().round(2)
    assert sums.values.tolist() == [[550.43, 508.64], [210.80, 179.04]]
    assert table["GO-Epoch"].isna().tolist() == [False] * 7 + [True] + [False] * 3


def test_a_variant_changes_one_thing_of_a_row_and_its_words_say_which():
    for words, run in table_1.variants().items():
        task, base = run.config.task, table_1.table_1_run(run.config.task.split, run.config.task.hole).config
        changed = [run.config.steps != base.steps, task.rule != base.task.rule, task.shift != base.task.shift]
        assert sum(changed) == 1 and run.seeds == (0,)
        assert words == f"{table_1.row_name(task.split, task.hole)}, {table_1.change(run)}"
    assert [table_1.table_1_run("strip", 50, rule=rule).config.n_train for rule in ("code", "text")] == [2822, 1338]
    assert table_1.change(table_1.table_1_run("square", 40)) == "nothing"
    assert table_1.change(table_1.table_1_run("square", 40, rule="text", steps=7000)) == "the text's rule, 7,000 steps"


# independent computation: percent of the test cells outside the hole, (split, hole) -> (programs, text)
OUTSIDE = {("square", 30): (85.41, 86.02), ("square", 45): (67.88, 70.7), ("square", 60): (43.51, 51.69),
           ("strip", 67): (0.0, 23.0), ("strip", 60): (10.17, 29.24), ("strip", 40): (39.62, 48.88)}  # fmt: skip


@pytest.mark.parametrize(("row", "shares"), OUTSIDE.items())
def test_shares_outside_the_hole_against_independent_numbers(row, shares):
    seen = [[table_1.shares_of_test_cells(table_1.row_task(*row, rule, seed))["outside"] for seed in (0, 1)]
            for rule in ("code", "text")]  # fmt: skip
    assert [first for first, _ in seen] == [other for _, other in seen] == pytest.approx(shares, abs=0.005)


def test_a_strip_is_a_square_up_to_the_order_of_the_operands():
    """Both leave out the unordered pairs with both operands at most t, (t+1)^2 cells, and train 2822 cells."""
    for hole in (40, 50, 60):
        square, strip = (table_1.shares_of_test_cells(table_1.row_task(split, hole)) for split in ("square", "strip"))
        assert square["either order"] == strip["either order"] == square["outside"]


def test_covered_shares_are_those_of_uncovered_and_their_radius_is_found():
    covered = table_1.covered_shares("code", seeds=1, largest=20)
    task = table_1.row_task("square", 45)
    expected = [100 * (1 - discs.uncovered(task.train_mask, n) / task.test_index.size) for n in range(1, 9)]
    assert covered[3, :8] == pytest.approx(expected)
    assert table_1.best_radius(covered, covered[:, 6]) == (7, 0.0)
    own = table_1.covered_shares("code", seeds=1, largest=20, own=True)
    assert (own <= covered).all() and own[3, 1] == 0  # cells of one class are two steps apart
    assert own[3, 2] == pytest.approx(100 * (discs_of_own_class(task.train_mask)[~task.train_mask]).mean())


def discs_of_own_class(mask):
    """Whether (i + 1, j - 1) or (i - 1, j + 1) is trained, on the bounded grid: the cells of a class at distance 2."""
    padded = np.pad(mask, 1)
    return padded[2:, :-2] | padded[:-2, 2:]


def test_published_numbers_follow_the_share_in_squares_and_no_distance_in_strips():
    fits = table_1.radius_fits("code")
    seen, rmse = table_1.correlations(table_1.predictors("code")), fits.set_index("rows").rmse
    assert seen["square", "outside"] == pytest.approx(0.985, abs=5e-4)
    assert seen["all", "either order"] > seen["all", "outside"] + 0.1
    assert rmse["SQUARE"] < 4 < 14 < rmse["all"] < rmse["STRIP"]
    assert table_1.ceiling_by_distance().verdict == table_1.ceiling_by_distance(193).verdict == "vacuous"
    assert table_1.ceiling_by_distance(9).verdict == "fails"
    assert table_1.ceiling_by_distance(9, fits.assign(rmse=2.0)).verdict == "holds"


@pytest.mark.parametrize("row", [("square", 45), ("strip", 40), ("strip", 60)])
def test_the_upper_limit_is_the_mean_of_its_parts_by_their_counts(row):
    """U = s * outside + (1 - s) * in hole at the step of U, s the share of the test cells outside the hole."""
    one = measured.runs_table({row: run_of(row, rise(1000, 2000, 1.0), rise(1500, 3000, 0.3))}).iloc[0]
    share = table_1.shares_of_test_cells(table_1.row_task(*row))["outside"] / 100
    assert one.upper == pytest.approx(share * one.outside + (1 - share) * one["in hole"], abs=1e-12)
    assert bool(one.generalised)
    missing = share / (1 - share) * (1 - one.outside)
    assert measured.implied_in_hole(one.upper, share) == pytest.approx(one["in hole"] - missing)


def test_a_run_that_never_answers_outside_its_hole_has_not_generalised_and_a_row_without_such_cells_is_neither():
    slow, bare = ("square", 40), ("strip", 67)
    runs = {slow: run_of(slow, rise(1000, 9000, 1.0), 0 * STEPS), bare: run_of(bare, 0 * STEPS, rise(1000, 2000, 0.1))}
    table = measured.runs_table(runs)
    assert table.generalised.isna().tolist() == [False, True] and not table.generalised[0]
    assert table.truncated.tolist() == [True, False] and np.isnan(table.outside[1])
    assert measured.measured(table).set_index("row").generalised["STRIP 67"] == 0


def test_every_row_is_there_whatever_is_recorded():
    nothing = measured.measured(measured.runs_table({}))
    assert nothing.seeds.tolist() == [0] * 11 and nothing.U.isna().all()
    row = ("square", 30)
    made = run_of(row, rise(1000, 2000, 1.0), rise(1000, 2000, 0.5), seeds=(0, 2))
    one = measured.measured(measured.runs_table({row: made}))
    assert one.seeds.tolist() == [2] + [0] * 10 and one["U low"][0] == one["U high"][0]
    assert one.U[0] == pytest.approx(100 * (0.8541 + 0.1459 * 0.5), abs=0.01)
    rebuilt = one.share / 100 + (1 - one.share / 100) * one.implied / 100
    assert (100 * rebuilt).tolist() == pytest.approx(one["U-Acc"].tolist())


def test_medians_and_ranges_with_runs_that_did_not_get_there():
    values = pd.Series([900, None, 700], dtype="Int64")
    assert measured.censored_median(values) == 900
    assert np.isnan(measured.censored_median(pd.Series([None, None, 700], dtype="Int64")))
    assert spread(values, ".0f", "later") == "700 to later"
    assert spread(values[1:2], ".0f", "later") == "later" and spread(pd.Series([1.24])) == "1.2"


def test_sensitivity_brackets_the_default_and_every_reading_changes_one_choice():
    row = ("square", 45)
    moved = measured.sensitivity({row: run_of(row, rise(1000, 4000, 1.0), rise(1500, 5000, 0.3))}).iloc[0]
    assert moved["U raw"] + 1e-9 >= moved.U >= moved["U window 500"] - 1e-9
    assert moved.earliest <= moved.onset <= moved.latest
    assert moved.earliest < moved.latest, "readings that cannot move an onset say nothing"
    default = dataclasses.asdict(LimitRule())
    assert {len(dataclasses.asdict(rule).items() - default.items()) for rule in measured.RULES.values()} == {1}


def test_variants_are_shown_beside_their_row_or_with_their_cost():
    row = ("square", 40)
    base = measured.runs_table({row: run_of(row, rise(1000, 9000, 1.0), 0 * STEPS)})
    made = run_of(row, rise(1000, 2000, 1.0), rise(1000, 2000, 0.5))
    wanted = {"a": table_1.table_1_run(*row, steps=12_000), "b": table_1.table_1_run("strip", 50, shift=60)}
    there, absent = measured.variants_table(Runs({"a": made}, wanted), base).to_dict("records")
    assert there["as it was"] < there["U"] == pytest.approx(100 * (0.7448 + 0.2552 * 0.5), abs=0.01)
    assert (there["change"], there["came of it"]) == ("12,000 steps", "reproduced")
    assert there["published"] == 84.5
    assert absent["came of it"].startswith("not run, about ") and absent["seeds"] == 0 and np.isnan(absent["U"])


def test_the_points_between_published_and_measured_are_all_accounted_for(published):
    """published - ours = s (1 - a) + (1 - s) (c - b), exactly, for the mean over runs."""
    rows = {("square", 45): (1.0, 0.3), ("strip", 50): (0.9, 0.2)}
    made = {row: run_of(row, rise(500, 2000, a), rise(500, 2000, b), (0, 1)) for row, (a, b) in rows.items()}
    runs = measured.runs_table(made)
    table = measured.accounting(runs).set_index("row")
    for row in rows:
        own = runs[(runs.split == row[0]) & (runs.hole == row[1])]
        one = table.loc[table_1.row_name(*row)]
        assert one.outside + one.hole == pytest.approx(one.difference)
        assert one.difference == pytest.approx(published[row] - 100 * own.upper.mean())
    assert table.outside["SQUARE 45"] == pytest.approx(0, abs=1e-9)
    nothing = measured.accounting(measured.runs_table({}))
    assert nothing.empty and measured.telling(nothing) == []


def test_the_claim_on_table_1_counts_a_ceiling_that_is_exceeded_and_nothing_that_may_still_rise(published):
    """CHAPTER of this book: below a ceiling by the last step is "not by step T"; above it by one run refutes it."""
    runs = runs_with(published)
    found = measured.ceilings_of_table_1(looked_at(runs))
    assert found.verdict == "holds" and found.value == 0 and found.at == {"2": "holds", "10": "holds"}
    runs["strip", 67] = run_of(("strip", 67), 0 * STEPS, rise(500, 2000, 0.5))  # no onset is printed: told, not judged
    found = measured.ceilings_of_table_1(looked_at(runs))
    assert (found.verdict, found.value) == ("holds", 0) and "exceeded in STRIP 67 (" in found.evidence
    runs["square", 40] = run_of(("square", 40), rise(500, 9000, 1.0), 0 * STEPS)
    runs["strip", 50] = run_of(("strip", 50), rise(500, 2000, 1.0), rise(500, 2000, 0.1))
    open_rows = measured.ceilings_of_table_1(looked_at(runs))
    assert open_rows.verdict == "undecided" and "every curve still rising, in SQUARE 40 (" in open_rows.evidence
    assert "with a level curve, in STRIP 50 (" in open_rows.evidence
    scattered = [run_of(("strip", 50), rise(500, 2000, 1.0), rise(500, 2000, b)) for b in (0.1, 0.735, 0.99)]
    runs["strip", 50] = xr.concat([d.assign_coords(seed=[n]) for n, d in enumerate(scattered)], "seed")
    # the widest range contains the printed number
    assert measured.ceilings_of_table_1(looked_at(runs)).verdict == "fails"
    runs["strip", 50] = runs["strip", 50].isel(seed=[0, 1])
    assert "one seed and not by another in STRIP 50" in measured.ceilings_of_table_1(looked_at(runs)).evidence
    del runs["strip", 60]
    assert "not run: STRIP 60" in measured.ceilings_of_table_1(looked_at(runs)).evidence


def test_of_each_seed_the_longest_run_counts(published):
    """SQUARE 40 rises too slowly for 6,000 steps and is at its printed ceiling when followed for 30,000."""
    runs, row = runs_with(published), ("square", 40)
    runs[row] = run_of(row, rise(500, 9000, 1.0), 0 * STEPS, seeds=(0, 1))
    ready = runs_with(published)[row]
    runs[*row, 30_000] = ready.assign_coords(step=5 * STEPS)
    table = measured.longest(measured.runs_table(runs))
    own = table[(table.split == "square") & (table.hole == 40)].set_index("seed")
    assert own.last_step.to_dict() == {0: 30_000, 1: 6_000} and own.upper[0] == pytest.approx(0.845, abs=1e-6)
    assert measured.ceilings_of_table_1(looked_at(runs)).verdict == "holds"


@pytest.mark.parametrize(
    ("upper", "truncated", "against"),
    [(0.96, True, "agrees"), (0.9, True, "rising"), (0.9, False, "below"), (0.95, False, "agrees")],
)
def test_a_rising_run_agrees_only_where_it_cannot_exceed_the_ceiling(upper, truncated, against):
    """SQUARE 30 is printed with 99.04: what is at 96 % and rises ends within five points of it, whatever comes."""
    run = pd.DataFrame({"split": ["square"], "hole": [30], "upper": [upper], "truncated": [truncated]})
    assert measured.against_printed(run).tolist() == [against]
    assert measured.against_printed(run.assign(hole=60)).tolist() == ["above"]


def line(ax, label):
    return next(found for found in ax.lines if found.get_label() == label)


def test_published_accuracies_are_drawn_at_their_shares():
    frame = table_1.predictors("text")
    ax = figures.accuracy_against_shares(frame, {"a": frame.outside}).axes[0]
    strip, marks = frame[frame.split == "strip"], [found for found in ax.lines if found.get_marker() == "^"]
    assert marks[0].get_xdata().tolist() == strip.outside.tolist()
    assert marks[0].get_ydata().tolist() == strip["U-Acc"].tolist()


def test_runs_that_have_not_generalised_are_open_and_without_any_run_the_published_table_is_drawn():
    runs = pd.DataFrame({"split": ["square", "strip"], "hole": [45, 50], "upper": [0.7, 0.4]})
    runs["generalised"] = pd.array([True, False], dtype="boolean")
    table = measured.measured(measured.runs_table({}))
    ax = figures.table_1_measured(table, runs).axes[0]
    done, not_yet = line(ax, "ours, right outside the hole"), line(ax, "ours, not yet right outside the hole")
    assert (done.get_ydata().tolist(), not_yet.get_ydata().tolist()) == ([70.0], [40.0])
    assert not_yet.get_markerfacecolor() == "white" != done.get_markerfacecolor()
    assert np.round(done.get_xdata()).tolist() == [3] and np.round(not_yet.get_xdata()).tolist() == [9]
    ax = figures.table_1_measured(table, measured.runs_table({})).axes[0]
    assert [tick.get_text() for tick in ax.get_xticklabels()][0] == "SQUARE 30" and len(ax.get_xticks()) == 11


@pytest.mark.parametrize(
    ("by_text", "said"), [(0.02, "the row decides nothing"), (0.09, "does not lie between them"), (None, "not run")]
)
def test_strip_67_decides_nothing_where_it_lies_between_the_rules(by_text, said):
    row = ("strip", 67)
    ours = measured.runs_table({row: run_of(row, 0 * STEPS, rise(500, 2000, 0.14))})
    assert said in measured.between_rules(ours, by_text and run_of(row, 0 * STEPS, rise(500, 2000, by_text)))


def test_every_run_has_a_name_a_key_and_a_source_of_its_own():
    runs = [run for group in table_1.RUNS for run in group().values()]
    assert len({run.key for run in runs}) == len({run.name for run in runs}) == len(runs) == 11 + 8 + 6
    assert all(run.statement and run.source for run in runs) and {run.name for run in runs} <= set(catalogue())


def test_a_panel_a_row_with_every_run_outside_the_hole_and_in_it():
    titles = ("SQUARE 45", "STRIP 67")
    runs = {title: run_of(("square", 45), rise(1000, 2000, 1.0), rise(1000, 2000, 1 / 3), (0, 1)) for title in titles}
    axes = figures.outside_and_in_the_hole(runs, dict.fromkeys(titles, 0.79)).axes
    assert [ax.get_title(loc="left") for ax in axes] == list(titles)
    assert len(axes[0].lines) == 5 and line(axes[0], "printed U-Acc").get_ydata()[0] == 0.79
    assert line(axes[0], "in the hole").get_ydata()[-1] == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("verdict", "misses", "said"),
    [
        ("fails", 15.0, "print 1 are exceeded by a run; no single distance explains the limits, the best misses by 15"),
        ("undecided", 3.0, "exceeds one by more than 5 points, and not every row is reached; one single distance"),
        ("holds", 3.0, "its limits, in all 1 rows that grok in print; one single distance explains the limits"),
    ],
)
def test_the_answer_is_what_the_ledger_says(verdict, misses, said):
    judged = {"verdict": [verdict, "vacuous"], "value": [1.0, misses], "high": [0.0, 6.0]}
    rows = {"U": [80.0, 40.0], "U-Acc": [90.0, 30.0], "U low": [70.0, 20.0], "U high": [85.0, 45.0], "seeds": [3, 3]}
    rows |= {"GO-Epoch": [900, None], "U-Acc - either order": [9.0, -9.0]}
    assert said in answer(pd.DataFrame(judged, ["GT1", "G33"]), pd.DataFrame(rows))
