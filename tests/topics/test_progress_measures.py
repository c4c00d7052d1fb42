"""Chapter 06: the claims on MED as a progress measure come out either way; every run is drawn at its lead."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

from grokbook.claims import Runs
from grokbook.claims.finding import UNDECIDED
from grokbook.errors import ParameterError
from grokbook.experiments.lead_tasks import CONTROLS
from grokbook.measures.lead_tables import lead_table, summary_table
from grokbook.plotting.style import COLOURS
from grokbook.topics import progress_measures as chapter

STEPS = np.arange(0, 2510, 10)


def task(middle: int, med: str, generalises: bool, seeds: int = 3) -> xr.Dataset:
    """An accuracy that rises about `middle` with noise; MED `with` it (same noise, earlier), or `apart` from it."""
    parts = []
    for seed in range(seeds):
        rng = np.random.default_rng(seed + middle)
        noise = 0.02 * rng.normal(size=STEPS.size)
        rise = 1 / (1 + np.exp(-(STEPS - middle) / 60)) if generalises else np.full(STEPS.size, 0.2)
        early = 1 / (1 + np.exp(-(STEPS - middle + 100) / 60)) if generalises else np.zeros(STEPS.size)
        apart = 3 + STEPS / 1000 + 0.02 * rng.normal(size=STEPS.size)
        values = {
            "train_accuracy": np.where(STEPS < 100, 0.1, 1.0),
            "test_accuracy": np.clip(0.96 * rise + noise + 0.02, 0, 1),
            "med": 3 - early - np.roll(noise, -1) if med == "with" else apart,
        }
        parts.append(xr.Dataset({n: ("step", v) for n, v in values.items()}, {"step": STEPS, "seed": seed}))
    return xr.concat(parts, "seed")


def study(med: str) -> Runs:
    return Runs({"a": task(700, med, True), "b": task(900, med, True), "c": task(700, med, False)})


@pytest.mark.parametrize("claim", [chapter.captures_changes, chapter.anticipates])
def test_either_verdict_and_none_from_too_few_runs(claim):
    assert claim(study("with")).verdict == "holds"
    assert claim(study("apart")).verdict == "fails"
    few = claim(Runs({"a": task(700, "with", True)}))
    assert few.verdict == UNDECIDED and few.evidence.startswith("3 runs that generalise with a delay are recorded; 6")


def test_an_association_that_is_not_found_refutes_nothing():
    """MED falls when the accuracy rises, in every run, but its noise has nothing to do with the accuracy's."""
    runs = Runs({name: dataset.copy() for name, dataset in study("with").items()})
    rng = np.random.default_rng(5)
    for name, middle in (("a", 700), ("b", 900)):
        shape = 3 - 1 / (1 + np.exp(-(STEPS - middle) / 300))
        runs[name]["med"] = (("seed", "step"), shape + 0.02 * rng.normal(size=(3, STEPS.size)))
    assert chapter.captures_changes(runs).verdict == UNDECIDED


def test_a_false_alarm_alone_refutes_anticipation():
    runs = study("with")
    runs["c"]["med"] = runs["a"].med.copy()
    assert chapter.anticipates(runs).verdict == "holds"  # a run that is not a control may generalise later
    found = chapter.anticipates(runs, controls=["c"])
    assert found.verdict == "fails" and "3 of 3" in found.evidence


def test_the_live_run_has_the_sizes_asked_for_and_even_logs():
    live = chapter.plan(11, 0.6, 16, 505, 2)["live"]
    assert (live.config.model.d_model, live.config.task.train_fraction, live.seeds) == (16, 0.6, (0, 1))
    assert live.config.log.steps(505)[-1] == 505
    with pytest.raises(ParameterError, match="prime"):
        chapter.plan(12, 0.6, 16, 500, 1)


def test_ten_tasks_by_short_name_with_the_controls():
    assert len(chapter.tasks()) == 10 and set(CONTROLS) < set(chapter.tasks())


# ---------------------------------------------------------------------------------------- figures

WAYS = {"med": "falls", "test_loss": "falls", "weight_norm": "falls"}


@pytest.fixture(scope="module")
def runs() -> dict[str, xr.Dataset]:
    steps = np.arange(0, 1200, 10)

    def task(middle: int, top: float = 1.0) -> xr.Dataset:
        one = {
            "train_accuracy": np.where(steps < 100, 0.1, 1.0),
            "test_accuracy": np.where(middle > steps, 0.1, top),
            "med": np.where(middle - 100 > steps, 2.0, 1.0),
            "test_loss": np.where(middle > steps, 3.0, 0.1),
            "weight_norm": 1.0 + steps,
        }
        return xr.Dataset({n: (("seed", "step"), [v, v]) for n, v in one.items()}, {"seed": [0, 1], "step": steps})

    return {"add, p=5": task(500), "subtract, p=5": task(400), "none, p=5": task(500, 0.3)}


def test_every_run_is_a_dot_at_its_lead_and_the_median_a_bar(runs):
    rows = lead_table(runs, WAYS)
    left, right = chapter.lead_summary(rows, summary_table(runs, WAYS, rows)).axes
    dots = np.concatenate([dots.get_offsets().filled(np.nan) for dots in left.collections])
    med = dots[np.abs(dots[:, 1]) < 0.5, 0]
    assert np.allclose(np.sort(med[~np.isnan(med)]), np.sort([0.25, 0.25, 1 / 3, 1 / 3]))
    bars = [line for line in left.lines if line.get_color() == COLOURS["theory"] and len(line.get_xdata()) == 2]
    assert np.allclose(bars[0].get_xdata(), (0.25 + 1 / 3) / 2)
    assert [t.get_text() for t in left.texts] == ["4 of 4", "4 of 4", "0 of 4"]
    assert left.get_ylim()[0] > left.get_ylim()[1] and "5" in right.get_xlabel()
    assert [label.get_text() for label in left.get_yticklabels()] == ["MED", "test loss", "weight norm"]


def test_cells_without_a_lead_are_hatched_and_say_why(runs):
    ax = chapter.lead_cells(lead_table(runs, WAYS)).axes[0]
    texts = [t.get_text() for t in ax.texts]
    assert texts.count("100") == 2 and texts.count("0") == 2
    assert texts.count("never") == 3 and texts.count("other\nway") == 2
    assert sum(patch.get_hatch() == "////" for patch in ax.patches) == 5
    assert [label.get_text() for label in ax.get_xticklabels()] == list(runs)


def test_events_are_marked_in_the_curves(runs):
    rows = lead_table(runs, WAYS)
    mine = rows[(rows.task == "add, p=5") & (rows.seed == 0)]
    fig = chapter.progress_curves(runs["add, p=5"].isel(seed=0), mine)
    shown = [ax for ax in fig.axes if ax.get_visible()]
    assert len(shown) == 4
    marks = {line.get_xdata()[0] for line in shown[1].lines if len(line.get_xdata()) == 2}
    assert marks == {100, 500, 400}
    assert [t.get_text() for t in shown[3].texts] == [chapter.STATES["other way"]]


def test_own_measure_has_a_panel_for_each_name(runs):
    fig = chapter.own_measure(runs["add, p=5"], {"med": "MED", "test_loss": "loss"})
    assert [ax.get_ylabel() for ax in fig.axes] == ["accuracy", "MED", "loss"]
    assert [len(ax.lines) for ax in fig.axes] == [4, 2, 2]
