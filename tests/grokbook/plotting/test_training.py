"""Curves of training runs: every seed, the median, marks at the right steps; a style that leaves
settings alone."""

import matplotlib as mpl
import numpy as np
import pytest
import xarray as xr

from grokbook import plotting
from grokbook.curves.delay import grok_times
from grokbook.plotting.phases import diagrams
from grokbook.plotting.style import COLOURS, STYLE
from grokbook.plotting.training import curves_by_setting

STEPS = np.array([0, 10, 100, 1000])


@pytest.fixture(scope="module")
def runs() -> xr.Dataset:
    rng = np.random.default_rng(0)
    names = [
        "train_loss",
        "test_loss",
        "train_accuracy",
        "test_accuracy",
        "test_accuracy_mirrored",
        "test_accuracy_unmirrored",
        "weight_norm",
        "embedding_norm",
        "med",
        "normalised_med",
        "fourier_ipr",
        "effective_dimension",
    ]
    series = {n: (("seed", "step"), rng.uniform(0.1, 1, size=(3, STEPS.size))) for n in names}
    return xr.Dataset(series, {"seed": [0, 1, 2], "step": STEPS})


def _lines(ax, colour):
    return [
        line
        for line in ax.lines
        if line.get_color() == COLOURS[colour] and len(line.get_xdata()) > 2
    ]


def test_three_seeds_are_three_lines_and_five_have_their_median_and_range(runs):
    many = xr.concat([runs, runs.isel(seed=[0, 1])], "seed").assign_coords(seed=range(5))
    for data, more in ((runs, 0), (many, 1)):
        ax, seeds = plotting.learning_curves(data).axes[0], data.sizes["seed"]
        thin, thick = _lines(ax, "test")[:seeds], _lines(ax, "test")[seeds:]
        assert len(thick) == more and len(ax.collections) == 2 * more
        for seed, line in enumerate(thin):
            assert np.array_equal(line.get_ydata(), data.test_accuracy.values[seed, 1:])
        for line in thick:
            assert np.allclose(
                line.get_ydata(), np.median(data.test_accuracy.values[:, 1:], axis=0)
            )
            assert line.get_linewidth() > thin[0].get_linewidth()


def _marks(ax):
    return sorted(line.get_xdata()[0] for line in ax.lines if len(line.get_xdata()) == 2)


@pytest.mark.parametrize(
    ("reached", "marks"), [((200, 240, None), [50, 240]), ((200, None, None), [50])]
)
def test_a_run_that_does_not_generalise_counts_as_later_in_the_mark(reached, marks):
    """Exercise 1.5: the median of the finished runs (220, 200) flatters; of three runs it is the
    second, or unknown."""
    steps = np.arange(0, 400, 10)
    test = np.stack([(steps >= (at or 999)) * 1.0 for at in reached])
    curves = {"train_accuracy": (steps >= 50) * 1.0 + 0 * test, "test_accuracy": test}
    curves |= {name: np.ones_like(test) for name in ("train_loss", "test_loss")}
    dataset = xr.Dataset(
        {n: (("seed", "step"), c) for n, c in curves.items()}, {"seed": [0, 1, 2], "step": steps}
    )
    assert _marks(plotting.learning_curves(dataset, grok_times(dataset)).axes[0]) == marks


def test_other_curves_draw(runs):
    without = runs.assign(test_accuracy_mirrored=runs.test_accuracy * np.nan)
    fig = plotting.mirrored_accuracy({"random": runs, "symmetric": without})
    dashed = [sum(line.is_dashed() for line in ax.lines) for ax in fig.axes]
    assert dashed == [3, 0] and len(fig.legends[0].get_texts()) == 3
    fig = plotting.measure_curves(runs, ["weight_norm", "embedding_norm", "fourier_ipr"])
    fig.canvas.draw()
    assert [bool(_lines(ax, "second")) for ax in fig.axes] == [False, True, True, False]


def test_every_run_of_a_setting_has_its_raw_curves_and_one_that_was_not_run_says_so(runs):
    other = runs.assign(test_accuracy=runs.test_accuracy / 2)
    fig = curves_by_setting({"a": runs, "b": None, "c": other})
    drawn = [len(ax.lines) for ax in fig.axes]
    assert drawn == [6, 0, 6] and len({ax.get_position().y0 for ax in fig.axes}) == 1
    for ax, shown in ((fig.axes[0], runs), (fig.axes[2], other)):
        assert np.array_equal(ax.lines[3].get_ydata(), shown.test_accuracy.values[0, 1:])
    assert [t.get_text() for t in fig.axes[1].texts] == ["not run"]
    assert not curves_by_setting(dict.fromkeys("abcde", runs)).axes[5].get_visible()


def test_style_is_opaque_and_settings_stay(runs):
    before = dict(mpl.rcParams)
    fig = plotting.learning_curves(runs)
    assert fig.get_facecolor()[3] == 1
    assert dict(mpl.rcParams) == before
    assert STYLE.exists()


@pytest.mark.parametrize(
    ("axes", "panels"), [((), 1), ((3,), 1), ((2, 3), 1), ((2, 2, 3), 2), ((3, 2, 2, 2), 6)]
)
def test_a_diagram_has_any_number_of_axes(axes, panels):
    names = [f"axis{i}" for i in range(len(axes))]
    phase = xr.DataArray(
        np.full(axes, "C"), {n: np.arange(k) * 0.1 for n, k in zip(names, axes, strict=True)}, names
    )
    fig = diagrams({"cells": phase}, columns=2)
    drawn = [ax for ax in fig.axes if ax.get_visible()]
    assert (
        len(drawn) == panels
        and sum(len(line.get_xdata()) for ax in drawn for line in ax.lines) == phase.size
    )
    assert len({ax.get_title(loc="left") for ax in drawn}) == panels
