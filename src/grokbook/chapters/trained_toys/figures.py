"""The pictures of chapter 11a that stand beside the theory, from tables and runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from grokbook.chapters.trained_toys.runs import LONGER, fitted, one_pace, pairs_of, path
from grokbook.plotting.style import COLOURS, panels, styled
from grokbook.theory.effective_flow import flow

SHOWN = 2_000
"""Updates of a run that are drawn beside the flow: the numbers are at rest after them."""


def _by_size(ax: Axes, table: pd.DataFrame, name: str, look: str, shade: str, label: str, off: float = 0.0) -> None:
    ax.plot(table.samples / 55 + off, table[name], look, ms=5, color=COLOURS[shade], alpha=0.5, label=label)


@styled
def accuracy_and_prediction(table: pd.DataFrame) -> Figure:
    """Fig. 3: accuracy on all pairs and the prediction from the embedding, by size; below, their difference."""
    fig, axes = panels(2, 1, height=4.6, sharex=True, height_ratios=[2, 1])
    above, below = axes[:, 0]
    _by_size(above, table, "accuracy", "o", "test", "accuracy")
    _by_size(above, table, "predicted", "_", "theory", "predicted from the embedding", -0.012)
    above.plot([0, 1], [0, 1], ls=":", color=COLOURS["quiet"], label="training set alone")
    below.plot(table.samples / 55, table.accuracy - table.predicted, "o", ms=4, color=COLOURS["measure"])
    below.axhline(0, color=COLOURS["quiet"], lw=0.8)
    above.set(ylabel="share of all pairs", ylim=(0, 1.03))
    below.set(xlabel="share of samples $|D| / |D_0|$", ylabel="accuracy − predicted")
    above.legend(loc="upper left")
    return fig


@styled
def transition(table: pd.DataFrame, first: pd.DataFrame) -> Figure:
    """Fig. 4b: by size, the runs that reach a line and those whose pairs force one (dashed); right, by their start.

    `table` is that of `measured`, `first` that of `starts`.
    """
    fig, ((left, right),) = panels(1, 2, height=3.2)
    named = {"steps": ("o-", "test", "on a line"), "predicted steps": ("--", "theory", "forced")}
    for column, (look, shade, label) in named.items():
        shares = np.isfinite(table[column]).groupby(table.samples).mean()
        left.plot(shares.index / 55, shares, look, ms=5, color=COLOURS[shade], label=label)
    left.legend(loc="upper left")
    left.set(xlabel="share of samples $|D| / |D_0|$", ylabel="share of runs", ylim=(-0.03, 1.03))
    right.plot(first.slope, first.reached, "o", ms=6, color=COLOURS["test"], alpha=0.6)
    right.set(xlabel="how much of the start is a ladder", xlim=(0, 1),
              ylabel=f"sizes with a line, of {table.samples.nunique()}")  # fmt: skip
    return fig


@styled
def steps_to_a_line(table: pd.DataFrame) -> Figure:
    """Figs 4b and 5b: steps to an RQI of 0.95 by size (left) and against the predicted steps (right).

    Triangles at the top: not reached by the last step; on the left with their number.
    """
    fig, ((left, right),) = panels(1, 2, height=3.2)
    for ax, x in ((left, table.samples / 55), (right, table["predicted steps"])):
        ax.plot(x, table.steps, "o", ms=5, color=COLOURS["test"], alpha=0.5)
        never = table.steps.isna() & np.isfinite(x)
        ax.plot(x[never], np.full(int(never.sum()), LONGER), "^", ms=6, mfc="none", color=COLOURS["quiet"])
        ax.set(yscale="log")
    for n, count in table.steps.isna().groupby(table.samples).sum().items():
        if count:
            left.annotate(str(count), (n / 55, LONGER), (0, 5), textcoords="offset points", ha="center", fontsize=9)
    left.set(xlabel="share of samples $|D| / |D_0|$", ylabel="updates to RQI > 0.95", ylim=(None, 1.25 * LONGER))
    right.set(xlabel=r"predicted updates $3 / (\lambda_3 \eta)$", xscale="log")
    right.xaxis.set_major_locator(LogLocator(subs=(1, 3)))
    right.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    right.xaxis.set_minor_formatter(NullFormatter())
    return fig


@styled
def beside_the_bounds(rows: pd.DataFrame) -> Figure:
    """Fig. 10c and f: RQI and predicted accuracy of trained and random embeddings against their bounds (`bounds`)."""
    fig, axes = panels(1, 2, height=3.2)
    names = {"rqi": ("ideal rqi", "RQI"), "predicted": ("ideal accuracy", "predicted accuracy")}
    for ax, (name, (ideal, said)) in zip(axes[0], names.items(), strict=True):
        for who, shade, size in (("trained", "test", 6), ("random", "quiet", 3)):
            of = rows[rows.who == who]
            ax.plot(of[ideal], of[name], "o", ms=size, mew=0, color=COLOURS[shade], alpha=0.6, label=who)
        ax.plot([0, 1], [0, 1], ls="--", color=COLOURS["theory"], lw=1.1)
        ax.set(xlabel=f"{said} of an ideal model", ylabel=said, xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))
    axes[0, 0].legend(loc="upper left")
    return fig


@styled
def beside_the_flow(shown: Sequence[tuple[int, xr.Dataset]]) -> Figure:
    """Fig. 4c and d in one, a column a run: its numbers, the exact flow from its start (dashed); below, the gaps.

    The gaps are root mean squares over the numbers, to the flow and to `one_pace`, each with its own fitted time.

    Of each pair the first is the number of training pairs, the second a dataset with one seed. The unit of time is
    fitted to each run (`fitted`); its first `SHOWN` updates are drawn.
    """
    fig, axes = panels(2, len(shown), height=5.2, sharex=True, height_ratios=[2, 1])
    for (n, data), (above, below) in zip(shown, axes.T, strict=True):
        seed = data.seed.values.tolist()[0]
        pairs, (steps, numbers) = pairs_of(n, seed), path(data, seed)
        units, drawn = {way: fitted(steps, numbers, pairs, way)[0] for way in (flow, one_pace)}, steps <= SHOWN
        steps, numbers = steps[drawn], numbers[drawn]
        ways = {way: way(numbers[0], pairs, unit * steps) for way, unit in units.items()}
        above.plot(steps, numbers, color=COLOURS["test"], lw=1.2)
        above.plot(steps, ways[flow], color=COLOURS["theory"], lw=1, ls="--")
        for k, value in enumerate(numbers[-1]):
            above.annotate(str(k), (steps[-1], value), (4, -3), textcoords="offset points", fontsize=9)
        for (way, label), (shade, ls) in zip(
            {flow: "to the flow", one_pace: "to one pace"}.items(), (("theory", "--"), ("quiet", ":")), strict=True
        ):
            off = np.sqrt(((numbers - ways[way]) ** 2).mean(axis=1))
            below.plot(steps, off, color=COLOURS[shade], ls=ls, label=label)
        above.set(title=f"seed {seed}, {n} pairs", ylabel="normalised $E_k$")
        below.set(title=f"seed {seed}: gaps", xlabel="update", ylabel="root mean square", ylim=(0, None))
        below.legend(loc="upper right")
    return fig
