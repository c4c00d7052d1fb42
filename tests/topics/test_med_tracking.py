"""Chapter 05: the closed forms, the three observations on made runs, every part of every figure's statement."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from grokbook.claims import Runs, choose
from grokbook.claims.finding import UNDECIDED
from grokbook.errors import ParameterError
from grokbook.experiments.gu2025 import fig5
from grokbook.measures import circle_med
from grokbook.measures.tracking import together, track, tracking_table
from grokbook.theory.one_frequency import circle
from grokbook.topics.med_tracking import claims, figures, settings

STEPS = np.arange(0, 6001, 10)


def run(loss: np.ndarray, measure: np.ndarray, accuracy: np.ndarray) -> xr.Dataset:
    """One seed that fits at once, with these curves."""
    train = np.where(STEPS >= 50, 1.0, 0.1)
    series = {"train_accuracy": train, "test_accuracy": accuracy, "test_loss": loss, "med": measure}
    series["test_accuracy_unmirrored"] = np.where(accuracy > 0.5, accuracy, 0.0)
    return xr.Dataset({n: (("seed", "step"), v[None]) for n, v in series.items()}, {"seed": [0], "step": STEPS})


def rise(at: int) -> np.ndarray:
    """An accuracy that goes from 0.1 to 1 at a step."""
    return np.where(at <= STEPS, 1.0, 0.1)


def noise(seed: int) -> np.ndarray:
    """A random walk."""
    return np.random.default_rng(seed).normal(size=STEPS.size).cumsum()


def hump(down: int, floor: float) -> np.ndarray:
    """A curve that starts at 1, is 2 until step `down` and then `floor`, with a little restlessness."""
    wiggle = 0.01 * np.random.default_rng(0).normal(size=STEPS.size)
    values = np.where(down <= STEPS, floor, 2.0) + wiggle
    values[0] = 1.0
    return values


def moving(count: int, *, apart: bool = False, accuracy: float = 1.0) -> xr.Dataset:
    """Runs in which the measure is the test loss, or has nothing to do with it."""
    walks = [hump(3000, 0.5) + 0.1 * noise(s) for s in range(count)]
    parts = [run(w, noise(99 + s) if apart else 2 * w, accuracy * rise(3000)) for s, w in enumerate(walks)]
    return xr.concat([p.assign_coords(seed=[s]) for s, p in enumerate(parts)], "seed")


def of(dataset: xr.Dataset) -> Runs:
    return Runs({"a": settings.tracked(dataset)})


def thrice(loss, measure, accuracy) -> Runs:
    """Three times the same run, as a tracking table."""
    return Runs({47: pd.concat([tracking_table(run(loss, measure, accuracy))] * 3, ignore_index=True)})


# ---------------------------------------------------------------------------------------- runs


def test_the_plan_asks_for_the_records_of_figure_5():
    sizes = {"p": 97, "steps": 10_000, "p_other": 47, "steps_other": 20_000}
    plan = settings.plan(**sizes, train_fraction=0.3, d_model=128, n_seeds=5)
    assert {name: e.key for name, e in plan.items()} == {"p": fig5(97).key, "p_other": fig5(47).key}


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
    experiment = settings.operations()[f"gu2025/{figure}"]
    config = experiment.config
    as_written = dataclasses.replace(config.task, operation=polynomial)
    assert (config.task.labels == as_written.labels).all()
    assert (config.task.p, config.task.train_fraction, config.model.d_model) == (97, fraction, width)
    assert experiment.seeds == (0, 1, 2) and experiment.statement and experiment.source and experiment.choices


# ---------------------------------------------------------------------------------------- definitions


@pytest.mark.parametrize(("p", "d"), [(5, 2), (11, 3), (97, 16)])
def test_conversion_of_equation_12(p, d):
    assert claims.two_range_relation(p, d).verdict == "holds with correction"


def test_a_wrong_conversion_and_a_wrong_closed_form_are_seen(monkeypatch):
    monkeypatch.setattr(claims, "circle_med", lambda p, k: 1.0)
    assert claims.med_closed_forms(11).verdict == "fails"
    monkeypatch.setattr(claims, "med", lambda phi: 1.0)
    assert claims.two_range_relation(11, 3).verdict == "fails"


@pytest.mark.parametrize(("p", "verdict"), [(3, "holds"), (5, "fails"), (97, "fails")])
def test_one_frequency_leaves_nothing_to_rename(p, verdict):
    assert claims.same_function_other_med(p).verdict == verdict


# ---------------------------------------------------------------------------------------- three observations


def test_identical_curves_agree_everywhere_and_unrelated_ones_do_not():
    same = thrice(noise(1), 3 * noise(1) + 7, rise(3000))
    assert same[47].agreement.tolist() == [1.0] * 3 and same[47].p_value.iloc[0] < 0.01
    assert claims.first_observation(same).verdict == claims.nearly_identical(same).verdict == "holds"
    assert claims.first_observation(Runs({47: same[47][:2]})).verdict == UNDECIDED
    other = Runs({47: tracking_table(run(noise(1), noise(2), rise(3000)))})
    assert 0.35 < other[47].agreement.iloc[0] < 0.65
    assert claims.first_observation(other).verdict == "fails"  # one run refutes


@pytest.mark.parametrize(
    ("down", "floor", "grok", "verdict"),
    [
        (3000, 0.5, 3000, "holds"),  # falls below where it generalises
        (3000, 1.5, 3000, "vacuous"),  # generalises, never below: the implication is not tested
        (1000, 0.5, 4500, "fails"),  # below long before
        (3000, 0.5, 9999, "fails"),  # below, never generalises
        (3000, 1.5, 9999, "vacuous"),  # neither
    ],
)
def test_second_observation(down, floor, grok, verdict):
    assert claims.second_observation(thrice(noise(1), hump(down, floor), rise(grok))).verdict == verdict


@pytest.mark.parametrize(
    ("measure", "accuracy", "verdict"),
    [
        (hump(3000, 0.5), rise(3000), "holds"),
        (hump(1000, 0.5), rise(3000), "fails"),
        (np.linspace(2, 0, STEPS.size), np.linspace(0.1, 0.2, STEPS.size), "vacuous"),  # nothing settles
    ],
)
def test_third_observation(measure, accuracy, verdict):
    found = claims.third_observation(thrice(noise(1), measure, accuracy))
    assert found.verdict == verdict and "3 runs" in found.evidence


def test_property_2_needs_every_step():
    """Gu 2024, Property 2: a run logged at every step in which one interval disagrees refutes it."""
    found = claims.every_step(7, 150)
    assert found.verdict == "fails" and found.evidence.endswith("p = 7, 150 steps, every step logged")


def test_columns_are_whole_numbers_or_missing():
    table = tracking_table(run(noise(1), hump(3000, 1.5), rise(9999)))
    assert table.below_step.isna().all() and table.grok_step.isna().all()
    assert table.fit_step.tolist() == [50] and str(table.below_step.dtype) == "Int64"


def test_together_counts_missing_as_apart():
    first, second = pd.Series([100, None, 100], dtype="Int64"), pd.Series([190, 100, 300], dtype="Int64")
    assert together(first, second, pd.Series([1000] * 3, dtype="Int64")).tolist() == [True, False, False]


def test_an_unknown_measure_is_named():
    with pytest.raises(ParameterError, match="no measure 'rqi'"):
        track(run(noise(1), noise(2), rise(3000)).isel(seed=0), "rqi")


# ---------------------------------------------------------------------------------------- figures of the papers


def test_one_run_refutes_that_curves_move_together_and_says_what_was_not_made():
    asked = {"a": fig5(47), "b": fig5(97)}
    found = claims.figure_5(Runs(of(moving(1, apart=True)), asked))
    assert found.verdict == "fails" and found.high < 0.9
    assert "one run" in found.evidence and found.evidence.endswith("not made: gu2025/fig5[p=97]")
    found = claims.figure_5(of(moving(3)))
    assert found.verdict == "holds" and "100%" in found.evidence


@pytest.mark.parametrize(
    ("figure", "count", "apart", "accuracy", "verdict"),
    [
        ("GF12", 3, False, 1.0, "holds"),
        ("GF12", 1, False, 1.0, UNDECIDED),  # three runs bear out, one does not
        ("GF12", 3, False, 0.2, UNDECIDED),  # a run that has not generalised may only be slow
        ("GF12", 3, True, 1.0, "fails"),
        ("GF13", 3, False, 1.0, "fails"),
        ("GF13", 3, False, 0.2, "holds"),
        ("GF13", 1, False, 0.2, UNDECIDED),
        ("GF14", 3, False, 0.2, "holds"),
        ("GF16", 3, False, 0.2, "holds"),
        ("GF16", 1, False, 0.2, UNDECIDED),
        ("GF16", 3, True, 0.2, "fails"),
        ("GF16", 1, False, 1.0, "fails"),
        ("GF19", 3, False, 0.5, "fails"),  # a low ceiling lies below one half
        ("GF19", 3, True, 0.2, "fails"),
    ],
)
def test_every_part_of_a_statement_is_judged(figure, count, apart, accuracy, verdict):
    assert choose([figure])[0](of(moving(count, apart=apart, accuracy=accuracy))).verdict == verdict


def test_a_statement_of_two_parts_without_runs_names_its_cost_once():
    claim = choose(["GF18"])[0]
    nobody = dataclasses.replace(settings.operations()["gu2025/fig18"], seeds=(1001, 1002))  # seeds nobody records
    finding = dataclasses.replace(claim, runs=lambda: {"a": nobody}).finding()
    assert finding.verdict == "not run" and finding.evidence.count("predicted") == 1
    assert "a low ceiling" in finding.published and "at least 90%" in finding.published


def test_a_row_for_what_was_made_and_one_for_what_was_not(monkeypatch):
    made, absent = list(settings.operations().values())[:2]
    absent = dataclasses.replace(absent, seeds=(1001,))
    monkeypatch.setattr(settings, "load", lambda named, through: Runs({made.name: through(moving(3, apart=True))}))
    first, second = settings.status_table([made, absent]).itertuples()
    assert (first.seeds, first.generalise) == (3, 3) and np.isclose(first[4], 1.0)
    assert (second.seeds, second.missing) == (0, 1) and second[-1] > 0


# ---------------------------------------------------------------------------------------- figures of the page


@pytest.fixture(scope="module")
def circles() -> xr.Dataset:
    """Three seeds, each a pure circle, with curves that mean nothing."""
    rng = np.random.default_rng(0)
    names = ("train_accuracy", "test_accuracy", "test_loss", "med", "embedding_norm")
    series = {n: (("seed", "step"), rng.uniform(0.1, 1, size=(3, 4))) for n in names}
    tables = np.stack([np.stack([circle(11, k)] * 2) for k in (1, 2, 3)])
    series["embedding"] = (("seed", "snapshot", "token", "feature"), tables)
    return xr.Dataset(series, {"seed": [0, 1, 2], "step": [0, 10, 100, 1000], "snapshot": [0, 1000]})


def test_med_by_frequency_is_the_closed_form():
    ax = figures.med_by_frequency(13).axes[0]
    points = next(line for line in ax.lines if line.get_marker() == "o")
    assert np.allclose(points.get_ydata(), [circle_med(13, [k]) for k in points.get_xdata()])


def test_pure_circles_lie_on_their_spectral_value(circles):
    shown = [line for line in figures.med_and_spectral_bound({"a": circles}).axes[0].lines if len(line.get_ydata())]
    dashes = [line.get_ydata()[0] for line in shown if line.get_linestyle() == "--"]
    points = [line.get_ydata()[0] for line in shown if line.get_marker() == "o"]
    assert np.allclose(dashes, [circle_med(11, [k]) for k in (1, 2, 3)])
    assert np.allclose(points, dashes)


def test_med_and_loss_has_a_column_for_each_modulus_and_the_initial_value(circles):
    fig = figures.med_and_loss({"a": circles, "b": circles})
    assert len(fig.axes) == 6
    initial = [line for line in fig.axes[2].lines if line.get_linestyle() == "--"]
    assert np.allclose(initial[0].get_ydata(), circles.med.sel(step=0).median())


def test_relative_curves_start_at_one(circles):
    ax = figures.relative_curves(circles, {"med": "MED", "embedding_norm": "norm"}).axes[0]
    assert np.allclose(ax.lines[0].get_ydata(), (circles.med / circles.med.sel(step=0)).median("seed").values[1:])


def test_every_run_is_a_dot_in_its_row():
    rows = {"detrended": [0.6, 0.7], "null": [0.5, 0.5]}
    table = settings.stack({"a/x": pd.DataFrame(rows), "measures/lead[add, p=47]": pd.DataFrame(rows)[:1] - 0.1})
    ax = figures.agreement_by_setting({"MED": table, "other": table}).axes[0]
    assert [sorted(dots.get_offsets()[:, 0].tolist()) for dots in ax.collections] == [[0.6, 0.7], [0.5]]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["x", "add, p=47"]
    tick = next(line for line in ax.lines if line.get_marker() == "|")
    assert list(tick.get_xdata()) == [0.5, 0.4]


@pytest.mark.parametrize("tables", [{}, {"MED": pd.DataFrame({"setting": []})}])
def test_nothing_to_draw_is_refused(tables):
    with pytest.raises(ParameterError, match="there are no runs to draw"):
        figures.agreement_by_setting(tables)
