"""Figures of chapter 05: closed forms of MED with measured values on top, MED beside the loss, one dot a run."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import seaborn as sns
import xarray as xr
from matplotlib.figure import Figure

from grokbook.errors import ParameterError
from grokbook.measures import med, med_spectral_bound
from grokbook.plotting.style import COLOURS, panels, seed_band, styled
from grokbook.plotting.training import accuracies, steps_axis, symbol
from grokbook.runs.tracking import falls_with_grokking, together
from grokbook.theory.one_frequency import circle


@styled
def med_by_frequency(p: int) -> Figure:
    """MED of the unit circle of each frequency: closed form as a line, measured on the circle as points."""
    fig, axes = panels(1, 1, height=3.0)
    ax = axes[0, 0]
    fine = np.linspace(0, p / 2, 400)
    ax.plot(fine, 2 * np.sin(np.pi * fine / p), color=COLOURS["theory"], ls="--", lw=1.2, label="closed form")
    frequencies = np.arange(1, p // 2 + 1)
    values = [med(circle(p, k)) for k in frequencies]
    ax.plot(frequencies, values, "o", ms=3.5, color=COLOURS["measure"], label="measured")
    ax.set_xlabel("frequency $k$ of the circle")
    ax.set_ylabel("MED")
    ax.legend()
    return fig


@styled
def med_and_spectral_bound(runs: Mapping[str, xr.Dataset]) -> Figure:
    """MED (points) and the root of its weighted spectrum (dashes) at each snapshot, one line a seed."""
    fig, axes = panels(1, len(runs), height=3.0, sharey=True)
    for ax, (title, dataset) in zip(axes[0], runs.items(), strict=True):
        steps = dataset.snapshot.values
        for tables in dataset.embedding.transpose("seed", "snapshot", ...).values:
            ax.plot(steps, [med_spectral_bound(t) for t in tables], ls="--", lw=1, color=COLOURS["theory"])
            ax.plot(steps, [med(t) for t in tables], "o", ms=4, color=COLOURS["measure"])
        ax.set_title(title)
        ax.set_xlabel("optimiser step")
    axes[0, 0].plot([], [], ls="--", color=COLOURS["theory"], label="from the spectrum alone")
    axes[0, 0].plot([], [], "o", color=COLOURS["measure"], label="MED")
    axes[0, 0].set_ylabel("MED")
    axes[0, 0].legend()
    return fig


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
def relative_curves(dataset: xr.Dataset, names: Mapping[str, str]) -> Figure:
    """Median over seeds of several measures, each divided by its initial value; name -> label."""
    fig, axes = panels(1, 1, height=3.4)
    ax = axes[0, 0]
    styles = ("-", "--", ":", "-.", (0, (5, 1, 1, 1)), (0, (1, 1)))
    for style, (name, label) in zip(styles, names.items(), strict=False):
        series = dataset[name] / dataset[name].sel(step=0)
        shown = series.where(series.step >= 1, drop=True)
        colour = COLOURS["norm" if name.endswith("norm") else "measure"]
        ax.plot(shown.step, shown.median("seed"), ls=style, color=colour, label=label)
    ax.axhline(1, color=COLOURS["theory"], lw=0.8, ls="--")
    ax.set_ylabel("value / initial value")
    ax.legend(loc="best")
    steps_axis(ax)
    return fig


def agreement_table(tables: Mapping[str, pd.DataFrame], names: Mapping[str, str]) -> pd.DataFrame:
    """One row a measure: how it passes the tests of the three observations; tracking tables by name.

    The third is asked of runs that generalise, as in the ledger; here also of those that settle in the last tenth.
    """
    return pd.DataFrame(
        {
            "measure": names[name],
            "raw": table.agreement.median(),
            "detrended": table.detrended.median(),
            "chance": table.null.median(),
            "p <= 0.05": int((table.p_value <= 0.05).sum()),
            "at 90%": int((table.agreement >= 0.9).sum()),
            "below start": int(table.below_step.notna().sum()),
            "with grokking": int(falls_with_grokking(table).sum()),
            "settles with it": int(_settles_with_accuracy(table).sum()),
        }
        for name, table in tables.items()
    )


def _settles_with_accuracy(table: pd.DataFrame) -> pd.Series:
    """Whether measure and accuracy settle together, in runs that generalise."""
    return together(table.measure_settles, table.accuracy_settles, table.last_step) & table.grok_step.notna()


def _row(name: str) -> str:
    """What a row is called: the experiment without its folder, the small companions by their task alone.

    Example:
        >>> _row("gu2025/fig5[p=97]"), _row("measures/lead[subtract, p=47]")
        ('fig5[p=97]', 'subtract, p=47')
    """
    last = name.split("/", 1)[-1]
    return last.removeprefix("lead[").removesuffix("]") if last.startswith("lead[") else last


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
    axes[0, 0].set_yticks(range(len(names)), [_row(name) for name in names])
    return fig
