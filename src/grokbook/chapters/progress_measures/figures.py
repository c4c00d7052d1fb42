"""The figure of chapter 06 that shows one run: its curves, with the events that a lead is made of."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.figure import Figure

from grokbook.plotting.style import COLOURS, panels, styled
from grokbook.runs.lead_tables import readable


@styled
def progress_curves(run: xr.Dataset, rows: pd.DataFrame, columns: int = 3) -> Figure:
    """Accuracies and some measures of one run (dim `step`), with the events that a lead is made of.

    `rows` has a row a measure (from `events`): fitting and the accuracy's half way are dotted lines in all panels,
    blue and vermilion; a measure's own half way is a dashed green line, where it has one.
    """
    used = len(rows) + 1
    count = -(-used // columns)
    fig, axes = panels(count, columns, height=1.5 * count + 0.4, sharex=True)
    flat = axes.ravel()
    for name, label in (("train", "training set"), ("test", "test set")):
        flat[0].plot(run.step, run[f"{name}_accuracy"], color=COLOURS[name], label=label)
    flat[0].set_title("accuracy", fontsize=9)
    for ax, (_, row) in zip(flat[1:], rows.iterrows(), strict=False):
        colour = "second" if row.measure.endswith("norm") else "test" if row.measure == "test_loss" else "measure"
        ax.plot(run.step, run[row.measure], color=COLOURS[colour], lw=1.1)
        ax.set_title(readable(row.measure), fontsize=9)
        if np.isfinite(row.measure_delay):
            ax.axvline(row.fit_step + row.measure_delay, color=COLOURS["measure"], ls="--", lw=1.1)
        else:
            ax.annotate("no move", (0.97, 0.82), xycoords="axes fraction", ha="right", fontsize=8)
    first = rows.iloc[0]
    for step, colour in ((first.fit_step, "train"), (first.fit_step + first.accuracy_delay, "test")):
        for ax in flat[:used] if np.isfinite(step) else ():
            ax.axvline(step, color=COLOURS[colour], ls=":", lw=1.1)
    for ax in flat[used:]:
        ax.set_visible(False)
    for ax in flat[max(used - columns, 0) : used]:
        ax.set_xlabel("optimiser step", fontsize=8.5)
        ax.tick_params(labelbottom=True)
    fig.legend(*flat[0].get_legend_handles_labels(), loc="outside upper center", ncols=2, fontsize=8.5)
    return fig
