"""Figures of chapter 05: one circle under two names, MED beside the test loss, its two factors,
and the agreement in other settings."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.figure import Figure

from grokbook.curves.delay import grok_time
from grokbook.measures import med
from grokbook.plotting.labels import name_lines
from grokbook.plotting.plane import numbered
from grokbook.plotting.style import COLOURS, bare, mark, panels, seed_band, styled
from grokbook.plotting.training import steps_axis
from grokbook.theory.one_frequency import circle


@styled
def other_names(p: int, frequencies: tuple[int, ...]) -> Figure:
    """One circle of p points, named by some frequencies; lines join neighbours by name."""
    fig, axes = panels(1, len(frequencies), height=3.4)
    for ax, k in zip(axes[0], frequencies, strict=True):
        places = circle(p, k)
        ring = np.vstack([places, places[:1]])
        ax.plot(*ring.T, color=COLOURS["measure"], lw=1)
        numbered(ax, places)
        bare(ax)
        ax.set_title(f"frequency {k}: MED {med(places):.2f}")
    return fig


@styled
def loss_and_med(run: xr.Dataset) -> Figure:
    """Test loss of one run above, and below MED and the mean length of a vector, each divided by
    its start."""
    fig, ((top,), (bottom,)) = panels(2, 1, height=3.5, sharex=True)
    top.plot(run.step, run.test_loss, color=COLOURS["test"], lw=1)
    top.set_ylabel("test loss (nats)")
    lines = ("med", "MED", "measure", "-"), ("embedding_norm", "mean length", "second", "--")
    for name, label, colour, dashes in lines:
        curve = run[name] / run[name].sel(step=0)
        bottom.plot(run.step, curve, color=COLOURS[colour], ls=dashes, lw=1, label=label)
    bottom.axhline(1, color=COLOURS["theory"], lw=0.8)
    bottom.set(xlabel="optimiser step", ylabel="value / initial value")
    grok = grok_time(run.step, run.train_accuracy, run.test_accuracy).grok_step
    if grok is not None:
        mark(top, grok, "generalises", COLOURS["test"])
        bottom.axvline(grok, color=COLOURS["test"], lw=1, ls=":")
    name_lines(bottom)
    return fig


@styled
def length_and_quotient(runs: xr.Dataset) -> Figure:
    """MED and the mean length (left) and their quotient (right) of all runs, each divided by its
    start."""
    curves = runs / runs.sel(step=0)
    fig, ((left, right),) = panels(1, 2, sharey=True)
    seed_band(left, curves.med, COLOURS["measure"], "MED")
    seed_band(left, curves.embedding_norm, COLOURS["second"], "mean length", "--")
    seed_band(right, curves.normalised_med, COLOURS["measure"], "MED / mean length")
    left.set_ylabel("value / initial value")
    for ax in (left, right):
        ax.axhline(1, color=COLOURS["theory"], lw=0.8)
        steps_axis(ax)
    name_lines(left, right)
    return fig


@styled
def agreement_by_setting(table: pd.DataFrame) -> Figure:
    """By how much MED (left) and its quotient by the mean length (right) agree with the test loss
    beyond chance; a dot a run, a row a setting of `tracked_settings`."""
    effects = {
        "MED": table.detrended - table.null,
        "MED / mean length": table.quotient_detrended - table.quotient_null,
    }
    order = effects["MED"].groupby("setting").median().sort_values().index
    fig, axes = panels(1, 2, height=1 + 0.2 * len(order), sharex=True, sharey=True)
    for ax, (title, effect) in zip(axes[0], effects.items(), strict=True):
        rows = order.get_indexer(effect.index.get_level_values("setting"))
        ax.plot(effect, rows, "o", ms=4.5, alpha=0.6, color=COLOURS["measure"])
        ax.axvline(0, color=COLOURS["theory"], lw=1)
        ax.set(title=title, xlabel="share of intervals, less chance")
    axes[0, 0].set_yticks(range(len(order)), order)
    return fig
