"""The pictures of chapter 11a: steps to a line, runs beside the flow, and what a decoder says of the plane."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from grokbook.chapters.trained_toys.embeddings import at_end, fitted, one_pace, pairs_of, path
from grokbook.chapters.trained_toys.runs import LONGER, fig2
from grokbook.plotting.plane import numbered, window
from grokbook.plotting.style import COLOURS, panels, styled
from grokbook.theory.effective_flow import flow

# Updates of a run that are drawn beside the flow: the numbers are at rest after them.
SHOWN = 2_000
# The paper's example of Fig. 2: two pairs of one label.
EXAMPLE = ((5, 9), (6, 8))


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
def beside_the_flow(shown: Sequence[tuple[int, xr.Dataset]]) -> Figure:
    """Fig. 4c and d in one, a column a run: its numbers, the exact flow from its start (dashed); below, the gaps.

    The gaps are root mean squares over the numbers, to the flow and to `one_pace`, each with its own fitted time.

    Of each pair the first is the number of training pairs, the second a dataset with one seed. The unit of time is
    fitted to each run (`fitted`); its first `SHOWN` updates are drawn.
    """
    fig, axes = panels(2, len(shown), height=5.2, sharex=True, height_ratios=[2, 1])
    for (n, data), (above, below) in zip(shown, axes.T, strict=True):
        seed = data.seed.values.tolist()[0]
        pairs, (steps, numbers) = pairs_of(n, seed), path(data.isel(seed=0))
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


@styled
def regions(runs: Mapping[str, xr.Dataset], addition: tuple[int, int], modular: tuple[int, int]) -> Figure:
    """Fig. 2: symbols and the label of every midpoint, addition above, modular below; the good setting with two seeds.

    The bad one has the first of these.

    In the panels of addition the pairs of symbols of the paper's example are joined; at their midpoints stand the
    answers to them.
    """
    fig, axes = panels(2, 3, height=5)
    shown = {"addition": ("viridis", addition), "modular": ("twilight", modular)}
    for row, (task, (colours, seeds)) in zip(axes, shown.items(), strict=True):
        columns = (("bad", seeds[0]), ("good", seeds[0]), ("good", seeds[1]))
        for ax, (setting, seed) in zip(row, columns, strict=True):
            kind = f"{task}, bad" if setting == "bad" else task
            run, task_of = runs[kind].sel(seed=seed), fig2()[kind].config.task
            points, labels = at_end(run), task_of.outputs
            image = ax.imshow(run.decoded, origin="lower", extent=window(points), interpolation="nearest", alpha=0.8,
                      cmap=colours, vmin=0, vmax=labels - (task == "addition"))  # fmt: skip
            for ends in EXAMPLE if task == "addition" else ():
                ax.plot(*points[list(ends)].T, color="white", lw=1.6)
                said = run.answered.values[(task_of.inputs == ends).all(axis=1).argmax()]
                ax.text(*points[list(ends)].mean(axis=0), str(said), ha="center", va="center", fontsize=9, zorder=3,
                        bbox={"boxstyle": "square,pad=0.2", "fc": "white", "ec": "black"})  # fmt: skip
            numbered(ax, points)
            ax.set_title(f"{task}, {setting}, seed {seed}: {float(run.test_accuracy[-1]):.0%}")
        fig.colorbar(image, ax=list(row), shrink=0.8, label="label", ticks=range(0, labels, labels // 5))
    return fig
