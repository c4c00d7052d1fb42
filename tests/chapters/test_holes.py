"""Chapter 04b: Table 1 as printed, as counted and as measured; what a run that ends says and does
not say."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from companion.claims import Runs
from grokbook.theory import coverage as discs
from grokbook_chapters.holes import claims, counts, measured, numbers, runs
from grokbook_chapters.ranges import spread
from written_pages import functions, names_used

STEPS = np.arange(0, 6001, 20)


def rise(start, stop, high):
    return np.interp(STEPS, [start, stop], [0.02, high])


def run_of(row, outside, in_hole, seeds=(0,)) -> xr.Dataset:
    """A made run of a row: accuracies outside the hole and in it by step, the total weighted with
    the counts."""
    share = counts.shares_of_test_cells(counts.row_task(row))["outside"] / 100
    outside = outside if share else np.full(STEPS.size, np.nan)
    total = share * outside + (1 - share) * in_hole if share else in_hole
    curves = {
        "test_accuracy": total,
        "test_accuracy_outside_hole": outside,
        "test_accuracy_in_hole": in_hole,
    }
    curves |= {"test_accuracy_mirrored": in_hole, "test_accuracy_unmirrored": in_hole}
    data = {
        name: (("seed", "step"), np.stack([values] * len(seeds))) for name, values in curves.items()
    }
    return xr.Dataset(data, {"seed": list(seeds), "step": STEPS})


def printed_runs() -> dict:
    """Runs of all rows that have the printed accuracy, all of it outside the hole as far as cells
    there allow."""
    inside = (counts.predictors().implied / 100).clip(lower=0)
    return {
        row: run_of(row, rise(500, 2000, 1.0), rise(500, 2000, inside[row])) for row in runs.TABLE_1
    }


def looked_at(made) -> Runs:
    """Made runs, by row or by row and change, as the claims on Table 1 see recorded ones."""
    keyed = {row if isinstance(row, tuple) else (row, ""): data for row, data in made.items()}
    return Runs({key: measured.limits_of_parts(data) for key, data in keyed.items()})


def table_of(made) -> pd.DataFrame:
    return measured.table_of_runs(looked_at(made))


def test_table_1_is_complete():
    """Column sums as a guard against a mistyped digit."""
    table = counts.table_1()
    assert len(table) == 11 and (table["L-Acc"] < table["U-Acc"]).all()
    sums = table.groupby("split")[["U-Acc", "L-Acc"]].sum().round(2)
    assert sums.values.tolist() == [[550.43, 508.64], [210.80, 179.04]]
    assert table["GO-Epoch"].isna().tolist() == [False] * 7 + [True] + [False] * 3
    assert [*table.index] == [
        f"{split.upper()} {hole}" for split, hole in zip(table.split, table.hole, strict=True)
    ]


def test_a_variant_changes_one_thing_of_its_row():
    for (row, _), run in runs.changed().items():
        task, base = run.config.task, runs.run(row).config
        changed = [
            run.config.steps != base.steps,
            task.rule != base.task.rule,
            task.shift != base.task.shift,
        ]
        assert sum(changed) == 1 and (task.split, task.hole) == runs.TABLE_1[row][:2]


# independent computation: percent of the test cells outside the hole, row -> (programs, text)
OUTSIDE = {
    "SQUARE 30": (85.41, 86.02),
    "SQUARE 45": (67.88, 70.7),
    "SQUARE 60": (43.51, 51.69),
    "STRIP 67": (0.0, 23.0),
    "STRIP 60": (10.17, 29.24),
    "STRIP 40": (39.62, 48.88),
}


@pytest.mark.parametrize(("row", "shares"), OUTSIDE.items())
def test_shares_outside_the_hole_against_independent_numbers(row, shares):
    seen = [
        [
            counts.shares_of_test_cells(counts.row_task(row, rule, seed))["outside"]
            for seed in (0, 1)
        ]
        for rule in ("code", "text")
    ]
    assert (
        [first for first, _ in seen]
        == [other for _, other in seen]
        == pytest.approx(shares, abs=0.005)
    )


def test_a_strip_is_a_square_up_to_the_order_of_the_operands():
    """Both leave out the unordered pairs with both operands at most t, (t+1)^2 cells, and train
    2822 cells."""
    for hole in (40, 50, 60):
        tasks = [counts.row_task(f"{kind} {hole}") for kind in ("SQUARE", "STRIP")]
        square, strip = map(counts.shares_of_test_cells, tasks)
        assert (
            square["either order"] == strip["either order"] == square["outside"] > strip["outside"]
        )


def test_covered_shares_are_those_of_uncovered_and_their_radius_is_found():
    covered = counts.covered_shares(seeds=1, largest=20)
    task = counts.row_task("SQUARE 45")
    expected = [
        100 * (1 - discs.uncovered(task.train_mask, n) / task.test_index.size) for n in range(1, 9)
    ]
    assert covered[3, :8] == pytest.approx(expected)
    assert counts.best_radius(covered, covered[:, 6]) == (7, 0.0)
    own = counts.covered_shares(seeds=1, largest=20, own=True)
    assert (own <= covered).all() and own[3, 1] == 0  # cells of one class are two steps apart
    # (i + 1, j - 1) or (i - 1, j + 1) is trained: cells of a class at distance 2
    padded = np.pad(task.train_mask, 1)
    assert own[3, 2] == pytest.approx(
        100 * (padded[2:, :-2] | padded[:-2, 2:])[~task.train_mask].mean()
    )


def test_published_numbers_follow_the_share_in_squares_and_no_distance_in_strips():
    fits = counts.radius_fits()
    assert fits.rmse["SQUARE"] < 4 < 14 < fits.rmse["all"] < fits.rmse["STRIP"]
    frame = counts.predictors()
    squares = frame[frame.split == "square"]
    assert (squares["U-Acc"] > squares.outside).all()
    large = frame.loc[["STRIP 60", "STRIP 67"]]
    assert (large.outside < large["U-Acc"]).all() and (large["U-Acc"] < large["either order"]).all()
    assert squares["U-Acc"].corr(squares.outside) == pytest.approx(0.985, abs=5e-4)
    assert frame["U-Acc"].corr(frame["either order"]) > frame["U-Acc"].corr(frame.outside) + 0.1
    found = claims.ceiling_by_distance()
    assert found.verdict == claims.ceiling_by_distance(193).verdict == "vacuous"
    assert claims.ceiling_by_distance(9).verdict == "fails"
    assert claims.ceiling_by_distance(9, fits.assign(rmse=2.0)).verdict == "holds"


@pytest.mark.parametrize("row", ["SQUARE 45", "STRIP 40", "STRIP 60"])
def test_the_upper_limit_is_the_mean_of_its_parts_by_their_counts(row):
    """U = s * outside + (1 - s) * in hole at the step of U, s the share of the test cells outside
    the hole."""
    one = table_of({row: run_of(row, rise(1000, 2000, 1.0), rise(1500, 3000, 0.3))}).iloc[0]
    share = counts.shares_of_test_cells(counts.row_task(row))["outside"] / 100
    assert one.upper == pytest.approx(share * one.outside + (1 - share) * one["in hole"], abs=1e-10)
    assert bool(one.generalised)


def test_a_run_that_never_answers_outside_its_hole_has_not_generalised_and_a_row_without_such_cells_is_neither():
    table = table_of(
        {
            "SQUARE 40": run_of("SQUARE 40", rise(1000, 9000, 1.0), 0 * STEPS),
            "STRIP 67": run_of("STRIP 67", 0 * STEPS, rise(1000, 2000, 0.1)),
        }
    )
    assert table.generalised.isna().tolist() == [False, True] and not table.generalised[0]
    assert table.truncated.tolist() == [True, False] and np.isnan(table.outside[1])


def test_every_row_is_there_whatever_is_recorded():
    made = run_of("SQUARE 30", rise(1000, 2000, 1.0), rise(1000, 2000, 0.5), seeds=(0, 2))
    one = measured.compared(table_of({"SQUARE 30": made}))
    assert one.seeds.tolist() == [2] + [0] * 10 and one["U low"].iloc[0] == one["U high"].iloc[0]
    assert one.came.tolist() == ["not reached"] + ["not run"] * 10 and one.U.isna().sum() == 10
    assert one.U["SQUARE 30"] == pytest.approx(100 * (0.8541 + 0.1459 * 0.5), abs=0.01)
    rebuilt = one.share + (1 - one.share / 100) * one.implied
    assert rebuilt.tolist() == pytest.approx(one["U-Acc"].tolist())


def test_a_variant_is_judged_as_its_row_is():
    made = {
        ("SQUARE 40", ""): run_of("SQUARE 40", rise(1000, 9000, 1.0), 0 * STEPS),
        ("SQUARE 40", runs.LONG): run_of("SQUARE 40", rise(1000, 2000, 1.0), rise(1000, 2000, 0.5)),
    }
    table = measured.by_row(table_of(made), ["row", "change"])
    assert table.came.tolist() == ["still rising", "reproduced"]
    assert (
        table.U.iloc[0] < table.U.iloc[1] == pytest.approx(100 * (0.7448 + 0.2552 * 0.5), abs=0.01)
    )


def test_medians_and_ranges_with_runs_that_did_not_get_there():
    values = pd.Series([900, None, 700], dtype="Int64")
    assert spread(values, ".0f", "later") == "700 to later"
    assert spread(values[1:2], ".0f", "later") == "later" and spread(pd.Series([1.24])) == "1.2"


def test_what_is_missing_in_a_row_is_split_by_the_accounting_identity():
    """SQUARE 40, right at 0.9 of the cells outside its hole: both terms add up to the distance."""
    made = table_of({"SQUARE 40": run_of("SQUARE 40", rise(1000, 2000, 0.9), 0 * STEPS)})
    row = measured.accounts(made, measured.compared(made)).loc["SQUARE 40"]
    share = counts.predictors().outside["SQUARE 40"]
    assert row["missing outside"] == pytest.approx(share * 0.1)
    assert row["missing in the hole"] == pytest.approx(84.5 - share)
    assert row.ours == pytest.approx(made.upper[0])


def test_the_functions_of_the_page_are_the_library_s():
    """Equation (4b.1) in sight, with STRIP 40 of the table; a square's cells have no swap outside."""
    missing, swaps = functions("04b", "missing", "swaps_shown")
    frame = counts.predictors().loc["STRIP 40"]
    share = frame.outside / 100
    outer, inner = missing(frame["U-Acc"] / 100, share, 0.9, 0.4)
    assert outer == pytest.approx(0.1 * share)
    assert inner == pytest.approx((1 - share) * (frame.implied / 100 - 0.4))
    tasks = [run.config.task for run in runs.plan(11, 4, 0.4, 100).values()]
    assert swaps(tasks[0]) == 0 < swaps(tasks[1]) < 1


def test_the_numbers_of_the_prose_follow_the_runs():
    """Two made runs of the page, and recorded ones that are at their printed limits."""
    live = {
        "square": run_of("SQUARE 40", rise(100, 200, 0.9), 0 * STEPS).sel(seed=0),
        "strip": run_of("STRIP 40", rise(100, 200, 1.0), rise(100, 200, 0.6)).sel(seed=0),
    }
    made = table_of(printed_runs())
    table = measured.compared(made)
    account = measured.accounts(made, table)
    written = numbers(runs.plan(31, 10, 0.6, 2000), live, made, table, account)
    assert written["swaps_help"].holds and written["order_kept"].holds
    assert (written["square_inside"], written["strip_inside"]) == ("0%", "60%")
    assert written["square_outside"].value == pytest.approx(0.9)
    assert (written["n_made"], written["n_judged"], written["n_agree"]) == (11, 10, 10)
    assert (written["n_outer"], written["n_level"], written["n_open"]) == (0, 0, 0)
    assert written["hole_best"] == "SQUARE 30" and written["rmse_all"] == "14.8"
    assert written.keys() == names_used("04b")


def judged(made):
    return claims.ceilings_of_table_1(looked_at(made))


def test_the_claim_on_table_1_counts_a_ceiling_that_is_exceeded_and_nothing_that_may_still_rise():
    """CHAPTER of this book: below a ceiling by the last step is "not by step T"; above it by one
    run refutes it."""
    made = printed_runs()
    found = judged(made)
    assert (
        found.verdict == "holds" and found.value == 0 and found.at == {"2": "holds", "10": "holds"}
    )
    # no onset is printed: told, not judged
    made["STRIP 67"] = run_of("STRIP 67", 0 * STEPS, rise(500, 2000, 0.5))
    found = judged(made)
    assert (found.verdict, found.value) == ("holds", 0) and "exceeded: STRIP 67 (" in found.evidence
    made["SQUARE 40"] = run_of("SQUARE 40", rise(500, 9000, 1.0), 0 * STEPS)
    made["STRIP 50"] = run_of("STRIP 50", rise(500, 2000, 1.0), rise(500, 2000, 0.1))
    found = judged(made)
    assert found.verdict == "undecided" and "still rising: SQUARE 40 (" in found.evidence
    assert "not reached: STRIP 50 (" in found.evidence
    scattered = [
        run_of("STRIP 50", rise(500, 2000, 1.0), rise(500, 2000, b)) for b in (0.1, 0.735, 0.99)
    ]
    made["STRIP 50"] = xr.concat(
        [d.assign_coords(seed=[n]) for n, d in enumerate(scattered)], "seed"
    )
    assert judged(made).verdict == "fails"  # though the range contains the printed number
    made["STRIP 50"] = made["STRIP 50"].isel(seed=[0, 1])
    assert "seeds differ: STRIP 50" in judged(made).evidence
    del made["STRIP 60"]
    assert "not run: STRIP 60" in judged(made).evidence


def test_of_each_seed_the_longest_run_counts():
    """SQUARE 40 rises too slowly for 6,000 steps and is at its printed ceiling when followed for
    30,000."""
    made = printed_runs()
    ready = made["SQUARE 40"].assign_coords(step=5 * STEPS)
    made["SQUARE 40"] = run_of("SQUARE 40", rise(500, 9000, 1.0), 0 * STEPS, seeds=(0, 1))
    made["SQUARE 40", runs.LONGEST] = ready
    table = measured.longest(table_of(made))
    own = table[table.row == "SQUARE 40"].set_index("seed")
    assert own.last_step.to_dict() == {0: 30_000, 1: 6_000} and own.upper[0] == pytest.approx(
        84.5, abs=1e-4
    )
    assert judged(made).verdict == "holds"


@pytest.mark.parametrize(
    ("upper", "truncated", "against"),
    [(96, True, "agrees"), (90, True, "rising"), (90, False, "below"), (95, False, "agrees")],
)
def test_a_rising_run_agrees_only_where_it_cannot_exceed_the_ceiling(upper, truncated, against):
    """SQUARE 30 is printed with 99.04: what is at 96 % and rises ends within five points of it,
    whatever comes."""
    run = pd.DataFrame({"row": ["SQUARE 30"], "upper": [upper], "truncated": [truncated]})
    assert measured.against_printed(run).tolist() == [against]
    assert measured.against_printed(run.assign(row="SQUARE 60")).tolist() == ["above"]
