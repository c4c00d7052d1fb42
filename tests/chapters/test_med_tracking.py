"""Chapter 05: the closed forms, the three observations on made runs, every part of every figure's
statement."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy.stats import binom

from companion.claims import Runs, choose
from companion.claims.finding import UNDECIDED, some
from grokbook.errors import ParameterError
from grokbook.measures import fourier_power, mean_norm, med
from grokbook.runs.experiment import recorded
from grokbook.theory.one_frequency import circle
from grokbook_chapters.gu2025 import fig5, operations
from grokbook_chapters.med_tracking import claims, numbers, plan, renaming, runs, tracked_settings
from grokbook_chapters.med_tracking.tracking import (
    shift_test,
    sign_agreement,
    track,
    tracking_table,
)
from written_pages import functions, names_used

STEPS = np.arange(0, 6001, 10)


def run(loss: np.ndarray, measure: np.ndarray, accuracy: np.ndarray) -> xr.Dataset:
    """One seed that fits at once, with these curves."""
    train = np.where(STEPS >= 50, 1.0, 0.1)
    series = {"train_accuracy": train, "test_accuracy": accuracy, "test_loss": loss, "med": measure}
    series |= {"weight_norm": noise(77), "embedding_norm": measure}
    series["test_accuracy_unmirrored"] = np.where(accuracy > 0.5, accuracy, 0.0)
    return xr.Dataset(
        {n: (("seed", "step"), v[None]) for n, v in series.items()}, {"seed": [0], "step": STEPS}
    )


def rise(at: int) -> np.ndarray:
    """An accuracy that goes from 0.1 to 1 at a step."""
    return np.where(at <= STEPS, 1.0, 0.1)


def noise(seed: int) -> np.ndarray:
    """A random walk."""
    return np.random.default_rng(seed).normal(size=STEPS.size).cumsum()


def hump(down: int, floor: float) -> np.ndarray:
    """A curve that starts at 1, is 2 until step `down` and then `floor`, with a little
    restlessness."""
    wiggle = 0.01 * np.random.default_rng(0).normal(size=STEPS.size)
    values = np.where(down <= STEPS, floor, 2.0) + wiggle
    values[0] = 1.0
    return values


def moving(count: int, *, apart: bool = False, accuracy: float = 1.0) -> xr.Dataset:
    """Runs in which the measure is the test loss, or has nothing to do with it."""
    walks = [hump(3000, 0.5) + 0.1 * noise(s) for s in range(count)]
    parts = [
        run(w, noise(99 + s) if apart else 2 * w, accuracy * rise(3000))
        for s, w in enumerate(walks)
    ]
    return xr.concat([p.assign_coords(seed=[s]) for s, p in enumerate(parts)], "seed")


def of(dataset: xr.Dataset) -> Runs:
    return Runs({"a": runs.tracked(dataset)})


def thrice(loss, measure, accuracy) -> Runs:
    """Three times the same run, as a tracking table."""
    return Runs(
        {"fresh": pd.concat([runs.tracked(run(loss, measure, accuracy))] * 3, ignore_index=True)}
    )


# ---------------------------------------------------------------------------------------- runs


def test_the_plan_asks_for_the_records_of_figure_5():
    sizes = {"p": 97, "steps": 10_000, "p_other": 47, "steps_other": 20_000}
    planned = plan(**sizes, train_fraction=0.3, d_model=128, n_seeds=5)
    assert {name: e.key for name, e in planned.items()} == {
        "p": fig5(97).key,
        "p_other": fig5(47).key,
    }


def test_two_moduli_are_two():
    with pytest.raises(ParameterError, match="p = p_other = 47 must be two different moduli"):
        plan(47, 500, 47, 500, 0.3, 128, 2)


@pytest.mark.parametrize(
    ("figure", "polynomial", "fraction", "width"),
    [
        ("fig12", "x - y", 0.3, 128),
        ("fig13", "x * y", 0.3, 128),
        ("fig14", "x**2 + y**2", 0.2, 256),
        ("fig17", "x**2 + x*y + y**2", 0.3, 256),
        ("fig18", "x**2 + x*y + y**2", 0.4, 256),
        ("fig19", "x**3 + x*y + y**3", 0.5, 256),
    ],
)
def test_operations_have_the_settings_of_their_figures(figure, polynomial, fraction, width):
    """Gu et al. 2025, captions of Figs 12 to 19: p = 97."""
    experiment = operations()[f"gu2025/{figure}"]
    config = experiment.config
    as_written = dataclasses.replace(config.task, operation=polynomial)
    assert (config.task.labels == as_written.labels).all()
    assert (config.task.p, config.task.train_fraction, config.model.d_model) == (
        97,
        fraction,
        width,
    )
    assert experiment.seeds == (0, 1, 2)


# -------------------------------------------------------------------------------------- definitions


@pytest.mark.parametrize(("p", "verdict"), [(3, "holds"), (5, "fails"), (97, "fails")])
def test_one_frequency_leaves_nothing_to_rename(p, verdict):
    assert claims.same_function_other_med(p).verdict == verdict


def test_a_measure_that_no_renaming_changes_would_bear_it_out_and_another_loss_leave_it_open(
    elsewhere,
):
    assert claims.same_function_other_med(13, mean_norm).verdict == "holds"
    assert (
        elsewhere(claims.same_function_other_med, 13, full_loss=lambda p, k: float(k)) == UNDECIDED
    )


# ------------------------------------------------------------------------------- three observations


def test_identical_curves_agree_everywhere_and_unrelated_ones_do_not():
    same = thrice(noise(1), 3 * noise(1) + 7, rise(3000))
    assert same["fresh"].agreement.tolist() == [1.0] * 3 and same["fresh"].p_value.iloc[0] < 0.01
    found = claims.nearly_identical(same)
    assert found.verdict == "holds" and "100% in 3 runs that generalise of the" in found.evidence
    assert claims.nearly_identical(Runs({47: same["fresh"][:2]})).verdict == UNDECIDED
    other = Runs({47: runs.tracked(run(noise(1), noise(2), rise(3000)))})
    assert 0.35 < other[47].agreement.iloc[0] < 0.65
    found = claims.nearly_identical(other)  # one run refutes
    assert found.verdict == "fails" and "at 0.7 fails, at 0.8 fails" in found.evidence


def test_the_agreement_tests_pass_their_oracles_and_no_clock():
    """The test loss itself and one step late pass; a clock has p-value 1, at any pace; a stranger's
    MED has none."""
    data = runs.controls(moving(3, apart=True))
    tables = {
        name: tracking_table(data, name) for name in ("test_loss", "loss_late", "clock", "stranger")
    }
    assert (tables["test_loss"].agreement == 1).all() and (tables["test_loss"].p_value < 0.01).all()
    slow = np.exp(-STEPS / 3000)
    assert (tables["clock"].p_value == 1).all() and shift_test(noise(1), slow).p_value == 1
    assert (tables["stranger"].p_value > 0.05).sum() >= 2
    smooth = np.convolve(noise(3), np.ones(9) / 9, "same")
    # late by one step, of a curve that moves steadily
    assert shift_test(smooth, np.roll(smooth, 1)).p_value <= 0.05
    assert (
        runs.with_events(tables["test_loss"]).beyond.all()
        and not runs.with_events(tables["clock"]).beyond.any()
    )


@pytest.mark.parametrize(("points", "tested"), [(8, False), (64, False), (65, True), (90, True)])
def test_a_run_that_fits_near_its_end_has_a_share_and_no_p_value(points, tested):
    """The least p-value of n lags is 1 / n, and a quarter of the record lies on either side: 20
    lags take 40 points."""
    data = run(noise(1), noise(1), rise(3000))
    data["train_accuracy"] = data.train_accuracy.where(data.step >= STEPS[-points], 0.1)
    row = track(data.isel(seed=0))
    assert row["fit_step"] == STEPS[-points] and row["agreement"] == 1
    assert np.isfinite([row["detrended"], row["null"], row["p_value"]]).tolist() == [tested] * 3
    assert not tested or row["p_value"] <= 0.05


def swing(rng: np.random.Generator, period: float | np.ndarray, jitter: float) -> np.ndarray:
    """A wave of a period, or of one that changes, from a random phase on, with a little noise."""
    pace = 2 * np.pi / period * (1 + jitter * rng.normal(size=POINTS))
    return np.sin(rng.uniform(0, 2 * np.pi) + pace.cumsum()) + 0.1 * rng.normal(size=POINTS)


def smooth_then_noise(rng: np.random.Generator) -> np.ndarray:
    late = np.arange(POINTS) > POINTS / 3
    return np.exp(-5 * np.arange(POINTS) / POINTS) + late * 0.01 * rng.normal(size=POINTS)


POINTS = 395
TREND = 40 * np.sin(np.pi * np.arange(POINTS) / POINTS)
UNRELATED = {
    "random walks": lambda rng: rng.normal(size=POINTS).cumsum(),
    "noise on a common slow trend": lambda rng: TREND + rng.normal(size=POINTS),
    "a common period, 15 points": lambda rng: swing(rng, 15, 0),
    "a common smooth phase, then noise": smooth_then_noise,
}


def false_alarms(curve, pairs: int = 150) -> int:
    """In how many pairs of curves that share their kind and nothing else p is 0.05 or less."""
    rng = np.random.default_rng(0)
    return sum(shift_test(curve(rng), curve(rng)).p_value <= runs.LEVEL for _ in range(pairs))


@pytest.mark.parametrize("kind", UNRELATED)
def test_false_alarms_of_the_shift_test_are_as_rare_as_it_says(kind):
    assert false_alarms(UNRELATED[kind]) <= binom.ppf(0.999, 150, 0.05)


def test_a_pace_that_changes_in_both_alike_fools_the_shift_test():
    """Only curves of other runs are a null for that."""
    paced = lambda rng: swing(rng, np.linspace(6, 30, POINTS), 0.05)  # noqa: E731
    assert false_alarms(paced) > binom.ppf(0.999, 150, 0.05)


def test_the_initial_value_and_the_end_of_a_decline_have_an_oracle_and_a_clock_too():
    """A measure that is the accuracy turned round passes the second and third test; a clock fails
    both."""
    oracle, clock = hump(3000, 0.5), 1.0 + np.exp(-STEPS / 100)
    for check in (claims.second_observation, claims.third_observation):
        assert check(thrice(noise(1), oracle, rise(3000))).verdict == "holds"
        assert check(thrice(noise(1), clock, rise(3000))).verdict == "fails"


def test_continued_runs_stand_for_the_shorter_ones():
    table = thrice(noise(1), noise(1), rise(3000))["fresh"]
    recorded = Runs({"p = 47": table[:2], claims.CONTINUED: table, "p = 97": table})
    assert claims.nearly_identical(recorded).numbers["count"] == 6
    shown = claims.longest(recorded).groupby(["setting", "generalises"]).size()
    assert shown.to_dict() == {("p = 47, continued", True): 3, ("p = 97", True): 3}
    kept = claims.longest(Runs({"p = 47": table, claims.CONTINUED: table[:2]})).index.tolist()
    # the third was not continued
    assert kept == [("p = 47", 2), (claims.CONTINUED, 0), (claims.CONTINUED, 1)]


@pytest.mark.parametrize(
    ("down", "floor", "grok", "verdict"),
    [
        (3000, 0.5, 3000, "holds"),  # falls below where it generalises
        (2500, 1.5, 2500, UNDECIDED),  # generalises, not below by the last step: it may fall later
        (4500, 0.5, 2500, "fails"),  # below, but more than a tenth of the record later
        (1000, 0.5, 4500, "fails"),  # below long before
        (
            2500,
            1.5,
            5900,
            UNDECIDED,
        ),  # generalises, and the record ends before a tenth of it has passed
        (3000, 0.5, 9999, UNDECIDED),  # below, and not generalised by the last step
        (3000, 1.5, 9999, UNDECIDED),  # neither
    ],
)
def test_second_observation(down, floor, grok, verdict):
    given = thrice(noise(1), hump(down, floor), rise(grok))
    found = claims.second_observation(given)
    assert found.verdict == verdict
    assert f"of 3 fresh runs {3 * (grok < 6000)} generalise" in found.evidence
    other = claims.second_observation(Runs({**given, "p = 97": given["fresh"]}))
    grown, below = 3 * (grok < 6000), 3 * (floor < 1) * (grok < 6000)
    assert other.verdict == verdict and other.evidence.endswith(some(below, grown))


@pytest.mark.parametrize(
    ("measure", "accuracy", "verdict"),
    [
        (hump(3000, 0.5), rise(3000), "holds"),
        (hump(1000, 0.5), rise(3000), "fails"),
        (hump(4500, 0.5), rise(3000), "holds"),  # MED that settles later does not speak against it
        (hump(3000, 0.5), rise(9999), "vacuous"),  # does not generalise
    ],
)
def test_third_observation(measure, accuracy, verdict):
    found = claims.third_observation(thrice(noise(1), measure, accuracy))
    assert found.verdict == verdict and (verdict == "vacuous" or "3 runs" in found.evidence)


def test_property_2_needs_every_step():
    """Gu 2024, Property 2: a run logged at every step in which one interval disagrees refutes
    it."""
    found = claims.every_step(7, 150)
    assert found.verdict == "fails" and found.evidence.endswith(
        "p = 7, 150 steps, every step logged"
    )


def test_columns_are_whole_numbers_or_missing():
    table = tracking_table(run(noise(1), hump(3000, 1.5), rise(9999)))
    assert table.below_step.isna().all() and table.grok_step.isna().all()
    assert table.fit_step.tolist() == [50] and str(table.below_step.dtype) == "Int64"


def test_the_third_observation_names_the_one_run_against_it():
    """Two runs settle together, in one MED settles long before the accuracy: it is so in most
    runs."""
    given = [thrice(noise(1), hump(down, 0.5), rise(3000))["fresh"] for down in (3000, 1000)]
    mixed = pd.concat([given[0][:2], given[1][2:]])
    found = claims.third_observation(Runs({"p = 97": mixed}))
    assert found.verdict == "holds with correction"
    assert found.numbers["against"] == f"p = 97, seed {mixed.index[2]}"


def test_an_unknown_measure_is_named():
    with pytest.raises(ParameterError, match="no measure 'rqi'"):
        track(run(noise(1), noise(2), rise(3000)).isel(seed=0), "rqi")


# ---------------------------------------------------------------------------- figures of the papers


def test_half_of_the_steps_tell_as_often_as_all_where_both_are_recorded():
    """Figs 14 and 16, six seeds each: what Figs 17 to 19 are asked at step 5,000, these show by
    then in every run."""
    for figure in ("fig14", "fig16"):
        data = recorded(
            dataclasses.replace(operations()[f"gu2025/{figure}"], seeds=tuple(range(6)))
        )
        assert claims.tracks(runs.tracked(data.where(data.step <= runs.HALF, drop=True))).all()
    for name, short in runs.half_as_long().items():
        own = operations()[name]
        assert dataclasses.replace(short.config, steps=own.config.steps) == own.config
        assert not {*short.seeds} & {*own.seeds}


def test_monitoring_is_more_than_what_strangers_have():
    """Three times one test loss with its MED: as far beyond chance with any other run's MED."""
    same = moving(1).isel(seed=[0, 0, 0]).assign_coords(seed=[0, 1, 2])
    table = runs.tracked(same)
    assert table.beyond.all() and not claims.tracks(table).any()
    assert (
        "pairs of a test loss with another run's MED 6 of 6 beyond"
        in choose(["GD2"])[0](of(same)).evidence
    )


@pytest.mark.parametrize(
    ("length", "apart", "verdict"),
    [
        (noise(5), False, "holds"),
        (
            None,
            False,
            "holds with correction",
        ),  # the length of the vectors does the same: without "exceptionally"
        (noise(5), True, "fails"),
    ],
)
def test_exceptional_is_more_than_what_norms_do(length, apart, verdict):
    data = moving(3, apart=apart)
    data["embedding_norm"] = data.med if length is None else data.med * 0 + length
    assert claims.exceptionally(of(data)).verdict == verdict


def test_a_statement_without_runs_names_its_cost():
    claim = choose(["GD2"])[0]
    # seeds nobody records
    nobody = dataclasses.replace(operations()["gu2025/fig18"], seeds=(1001, 1002))
    finding = dataclasses.replace(claim, runs=lambda: {"a": nobody}).finding()
    assert finding.verdict == "not run" and finding.evidence.count("predicted") == 1


def test_one_observation_is_judged_once_and_former_ids_lead_to_it():
    former = {
        "GF05": "G27",
        "P5.1a": "G27",
        "G26": "G14",
        "P07": "G14",
        "GF12": "GD2",
        "GF19": "GD2",
    }
    assert {old: choose([old])[0].id for old in former} == former


# -------------------------------------------------------------------------------- the best renaming


def snapshots(tables: list[np.ndarray]) -> xr.Dataset:
    """Runs whose embedding is one of the tables at both snapshots."""
    embedding = np.stack([[table, table] for table in tables])
    return xr.Dataset({"embedding": (("seed", "snapshot", "token", "feature"), embedding)})


@pytest.mark.parametrize(("p", "k"), [(13, 1), (13, 5), (47, 20)])
def test_the_best_renaming_of_a_circle_is_frequency_one_and_no_better_than_elsewhere(p, k):
    row = renaming.best_names(snapshots([circle(p, k)]), draws=20).iloc[0]
    assert row.end == row.start == pytest.approx(2 * np.sin(np.pi / p))  # prop-circles, frequency 1
    assert [row.low, row.high] == pytest.approx([row.end] * 2)


def test_moved_frequencies_keep_powers_and_covariance():
    phi = np.random.default_rng(1).normal(size=(13, 4))
    moved = renaming.frequencies_moved(phi, np.random.default_rng(2))
    assert np.allclose(moved.T @ moved, phi.T @ phi) and np.allclose(
        moved.mean(axis=0), phi.mean(axis=0)
    )
    assert np.allclose(sorted(fourier_power(moved)), sorted(fourier_power(phi)))
    assert not np.allclose(fourier_power(moved), fourier_power(phi))


def test_a_choice_of_frequencies_that_agree_is_told_from_a_narrow_spectrum():
    p = 47
    rng = np.random.default_rng(0)
    near = [np.hstack([circle(p, c * k % p) for k in (1, 2, 3, 4)]) for c in (1, 5, 9)]
    apart = []
    for _ in range(3):
        frequencies = rng.choice(np.arange(1, 24), 4, replace=False)
        apart.append(np.hstack([circle(p, k) for k in frequencies]))
    chosen = renaming.best_names(snapshots(near))  # one renaming serves all four
    narrow = renaming.best_names(snapshots(apart))
    assert (chosen.end < chosen.low).all() and not (narrow.end < narrow.low).any()


def test_powers_of_a_primitive_root_turn_products_into_sums():
    p = 11
    table, angle = np.zeros((p, 2)), 2 * np.pi * 3 * np.arange(p - 1) / (p - 1)
    powers = [pow(2, n, p) for n in range(p - 1)]  # 2 is a primitive root modulo 11
    table[powers] = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    assert renaming.best_shape(renaming.by_powers(table)) == pytest.approx(
        2 * np.sin(np.pi / (p - 1))
    )


# ----------------------------------------------------------------------------------------- the page


def embedded(count: int, scale: np.ndarray, *, p: int = 47) -> xr.Dataset:
    """Runs in which every vector is `scale` times as long as at the start, and nothing else."""
    data = moving(count)
    table = np.random.default_rng(0).normal(size=(count, 2, p, 8)) / np.sqrt(8)
    data["embedding_norm"] = data.med * 0 + scale
    data["med"] = 1.4 * data.embedding_norm
    data["normalised_med"] = data.med / data.embedding_norm
    data["embedding"] = (("seed", "snapshot", "token", "feature"), table)
    return data.assign_coords(snapshot=[0, int(STEPS[-1])])


def test_the_numbers_of_the_prose_follow_the_runs():
    bump = 1 + np.sin(np.pi * STEPS / STEPS[-1])
    every = tracked_settings()
    found = numbers(embedded(2, bump), embedded(3, bump, p=11), every)
    assert (found["modulus"], found["networks"], found["n_runs"]) == (47, "2 networks", 5)
    assert (found["peak_length_low"], found["peak_shape_high"]) == ("2.0", "1.00")
    assert found["swells"].holds and found["mostly_length"].holds
    assert not found["either_way"].holds  # nobody's arrangement moves
    assert found["start_mean"] == "1.37"  # sqrt(2) (1 - 1/4d), d = 8
    assert found["beyond_large"].endswith(
        f"of {every.index.get_level_values(0).str.startswith('Fig.').sum()}"
    )
    assert found.keys() == names_used("05")


def test_functions_of_the_page_are_the_library_s():
    """Equation (5.1) and the agreement of signs, as the page writes them in sight."""
    mean_step, agreement = functions("05", "mean_step", "agreement")
    table = np.random.default_rng(0).normal(size=(11, 3))
    assert mean_step(table) == pytest.approx(med(table), rel=1e-12)
    assert agreement(noise(1), noise(2)) == sign_agreement(noise(1), noise(2))
