"""Figures of chapter 05: MED beside the loss, and one dot a run and setting."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import seaborn as sns
import xarray as xr
from matplotlib.figure import Figure

from grokbook.errors import ParameterError
from grokbook.plotting.style import COLOURS, panels, seed_band, styled
from grokbook.plotting.training import accuracies, steps_axis, symbol


@styled
def med_and_loss(runs: Mapping[str, xr.Dataset], measure: str = "med") -> Figure:
    """Columns: named datasets. Rows: test loss, the measure with its initial value dashed, accuracies."""
    fig, axes = panels(3, len(runs), height=6.2, sharex="col")
    for (top, middle, bottom), (title, dataset) in zip(axes.T, runs.items(), strict=True):
        seed_band(top, dataset.test_loss, COLOURS["test"], "test loss")
        seed_band(middle, dataset[measure], COLOURS["measure"], symbol(measure))
        initial = float(dataset[measure].sel(step=0).median())
        middle.axhline(initial, color=COLOURS["theory"], ls="--", lw=1, label="initial value")
        middle.legend(loc="best")
        accuracies(bottom, dataset)
        top.set_title(title)
        steps_axis(bottom)
    axes[0, 0].set_ylabel("test loss (nats)")
    axes[1, 0].set_ylabel(symbol(measure))
    axes[2, 0].legend(loc="center", bbox_to_anchor=(0.58, 0.5))
    for ax in axes[2, 1:]:
        ax.set_ylabel("")
    return fig


@styled
def agreement_by_setting(tables: Mapping[str, pd.DataFrame], column: str = "detrended") -> Figure:
    """Share of intervals in which the test loss and a measure change in the same direction, one dot a run.

    `tables`: label of a measure -> tracking tables under one another (index setting, seed); one panel each, settings as
    rows, ordered by the effect in the last panel: the median over runs less that at other lags, which is
    the tick. The line at 0.5 is a coin. Raises ParameterError for tables without runs.
    """
    if not tables or any(table.empty for table in tables.values()):
        raise ParameterError("there are no runs to draw, but each table needs one or more.")
    effect = list(tables.values())[-1].groupby("setting")[[column, "null"]].median()
    names = (effect[column] - effect.null).sort_values(ascending=False).index.tolist()
    fig, axes = panels(1, len(tables), height=1.2 + 0.28 * len(names), sharey="row")
    for ax, (label, table) in zip(axes[0], tables.items(), strict=True):
        shown = table.reset_index()
        sns.swarmplot(shown, x=column, y="setting", order=names, size=4, color=COLOURS["measure"], ax=ax)
        chance = shown.groupby("setting").null.median().reindex(names)
        ax.plot(chance, names, "|", ms=12, mew=1.5, color=COLOURS["theory"])
        ax.axvline(0.5, color=COLOURS["theory"], lw=0.8, ls=":")
        ax.set(title=label, xlabel="share of intervals", ylabel="", xlim=(0, 1), xticks=[0.2, 0.4, 0.6, 0.8])
    rows = (name.split("/", 1)[-1] for name in names)  # fig5[p=47]; of lead[add, p=47] the task alone
    axes[0, 0].set_yticks(range(len(names)), [r[5:-1] if r.startswith("lead[") else r for r in rows])
    return fig
