"""Figures on progress measures: every run is drawn at its lead, and what has none is visible as such."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

from grokbook.measures.lead_tables import lead_table, summary_table
from grokbook.plotting.progress import STATES, lead_cells, lead_summary, own_measure, progress_curves, readable
from grokbook.plotting.style import COLOURS

STEPS = np.arange(0, 1200, 10)
WAYS = {"med": "falls", "test_loss": "falls", "weight_norm": "falls"}


@pytest.fixture(scope="module")
def runs() -> dict[str, xr.Dataset]:
    def task(middle: int, top: float = 1.0) -> xr.Dataset:
        one = {
            "train_accuracy": np.where(STEPS < 100, 0.1, 1.0),
            "test_accuracy": np.where(middle > STEPS, 0.1, top),
            "med": np.where(middle - 100 > STEPS, 2.0, 1.0),
            "test_loss": np.where(middle > STEPS, 3.0, 0.1),
            "weight_norm": 1.0 + STEPS,
        }
        return xr.Dataset({n: (("seed", "step"), [v, v]) for n, v in one.items()}, {"seed": [0, 1], "step": STEPS})

    return {"add, p=5": task(500), "subtract, p=5": task(400), "none, p=5": task(500, 0.3)}


def dots(ax):
    return [line for line in ax.lines if line.get_marker() == "o"]


def test_every_run_is_a_dot_at_its_lead_and_the_median_a_bar(runs):
    rows = lead_table(runs, WAYS)
    left, right = lead_summary(rows, summary_table(runs, WAYS, rows)).axes
    found = np.concatenate([line.get_xdata() for line in dots(left)[:1]])
    assert np.allclose(np.sort(found[~np.isnan(found)]), np.sort([0.25, 0.25, 1 / 3, 1 / 3]))
    bars = [line for line in left.lines if line.get_color() == COLOURS["theory"] and len(line.get_xdata()) == 2]
    assert np.allclose(bars[0].get_xdata(), (0.25 + 1 / 3) / 2)
    assert [t.get_text() for t in left.texts] == ["4 of 4", "4 of 4", "0 of 4"]
    assert left.get_ylim()[0] > left.get_ylim()[1] and "5" in right.get_xlabel()


def test_cells_without_a_lead_are_hatched_and_say_why(runs):
    ax = lead_cells(lead_table(runs, WAYS)).axes[0]
    texts = [t.get_text() for t in ax.texts]
    assert texts.count("100") == 2 and texts.count("0") == 2
    assert texts.count("never") == 3 and texts.count("other\nway") == 2
    assert sum(patch.get_hatch() == "////" for patch in ax.patches) == 5


def test_events_are_marked_in_the_curves(runs):
    rows = lead_table(runs, WAYS)
    mine = rows[(rows.task == "add, p=5") & (rows.seed == 0)]
    fig = progress_curves(runs["add, p=5"].isel(seed=0), mine)
    shown = [ax for ax in fig.axes if ax.get_visible()]
    assert len(shown) == 4
    marks = {line.get_xdata()[0] for line in shown[1].lines if len(line.get_xdata()) == 2}
    assert marks == {100, 500, 400}
    assert [t.get_text() for t in shown[3].texts] == [STATES["other way"]]


def test_own_measure_has_a_panel_for_each_name(runs):
    fig = own_measure(runs["add, p=5"], {"med": "MED", "test_loss": "loss"})
    assert [ax.get_ylabel() for ax in fig.axes] == ["accuracy", "MED", "loss"]


def test_names_are_words():
    assert readable("med_gu2024") == "MED (2024)" and readable("fourier_ipr") == "fourier IPR"
