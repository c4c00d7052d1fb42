"""Chapter 01: one run, its delay, the part of the test set that can be copied, and the circle that appears."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from grokbook.claims import Finding, Runs, claim, judge
from grokbook.experiments.base import Experiment
from grokbook.experiments.gu2025 import fig5, live_run
from grokbook.measures import (
    circle_projection,
    dominant_frequencies,
    fourier_power,
    grok_times,
    limits_table,
    median_step,
)
from grokbook.measures.tracking import ONSET
from grokbook.plotting.style import COLOURS, panels, styled


def plan(p: int, train_fraction: float, d_model: int, steps: int, n_seeds: int) -> dict[str, Experiment]:
    """The live run, a symmetric split that shows as many unordered pairs, and the recorded run.

    A random split shows the share 1 - (1 - alpha)^2 of the unordered pairs {i, j} in at least one order.
    """
    shown = round(1 - (1 - train_fraction) ** 2, 12)
    return {
        "live": live_run(p, train_fraction, d_model, steps, n_seeds),
        "symmetric": live_run(p, shown, d_model, steps, n_seeds, split="symmetric"),
        "paper": fig5(97),
    }


PRINTED_ONSET = 5000
"""The epoch around which the accuracy "begins to rise steadily" with a random split of 30 % (section 6.1)."""

AROUND = (500, 1000, 2000)
"""Our readings of "around", in steps to either side."""

ONSETS = ("fresh cells", "all cells")
"""The book's two onsets: test cells with an untrained transpose, where copying cannot help; the whole test set."""


def onsets(data: xr.Dataset) -> pd.DataFrame:
    """When the test accuracy begins to rise, by both definitions: a row a seed, NA for not by `last_step`.

    `fresh cells`: the first stay of the accuracy on cells with an untrained transpose at `ONSET` or above; `all cells`:
    the first stay of the test accuracy five points above its plateau (GO-Epoch as chapter 4b reads it).
    """
    fresh = data.assign(test_accuracy=data.test_accuracy_unmirrored)
    table = limits_table(data)[["onset", "last_step"]].rename(columns={"onset": "all cells"})
    return table.assign(**{"fresh cells": grok_times(fresh, threshold=ONSET).grok_step})[[*ONSETS, "last_step"]]


@claim("G35", "gu2025", "section 6.1", section="What the papers say", kind="number", runs=lambda: {"30 %": fig5(97)},
       through=onsets, published="5000",
       says=("steps from which {share:.0%} of the test cells with an untrained transpose are right: {fresh}; from ",
             "which the test accuracy is five points above its plateau: {all}; median within 500, 1,000, 2,000 ",
             "steps of 5,000: {within}"))  # fmt: skip
def onset_of_random_split(runs: Runs) -> Finding:
    """At p = 97 and a random 30 % the test accuracy "begins to rise steadily around epoch 5000".

    The paper defines neither a rise nor "around". It holds where the median run (one that is not there counts as later)
    is within each of `AROUND` by both of `ONSETS`, fails where it is within none by either, and is undecided otherwise.
    """
    table = runs["30 %"]
    medians = [median_step(table, name) for name in ONSETS]
    off = [abs((np.inf if median is None else median) - PRINTED_ONSET) for median in medians]
    within = [[apart <= around for around in AROUND] for apart in off]
    decided = all(map(all, within)) or not any(map(any, within))
    words = {name.split()[0]: _steps(table[name], int(table.last_step.max())) for name in ONSETS}
    told = " and ".join(", ".join("yes" if near else "no" for near in row) for row in within)
    return judge(all(map(all, within)) if decided else None, value=medians[0], low=PRINTED_ONSET - AROUND[1],
                 high=PRINTED_ONSET + AROUND[1], share=ONSET, within=told, **words)  # fmt: skip


def _steps(steps: pd.Series, last: int) -> str:
    """The steps in order, then how many runs have none."""
    known = ", ".join(f"{s:,}" for s in sorted(steps.dropna()))
    absent = int(steps.isna().sum())
    return known + f" ({absent} of {len(steps)} runs: not by step {last:,})" * bool(absent)


def _spectrum(ax: Axes, table: np.ndarray, strongest: list[int]) -> None:
    power = fourier_power(table)[1:]
    share = power / power.sum()
    colours = [COLOURS["measure"] if k + 1 in strongest else COLOURS["quiet"] for k in range(share.size)]
    ax.bar(np.arange(1, share.size + 1), share, color=colours, width=0.8)


def _circle(ax: Axes, table: np.ndarray, k: int) -> None:
    p = table.shape[0]
    xy = np.asarray(circle_projection(table, k))
    order = (np.arange(p) * pow(k, -1, p)) % p
    walk = xy[np.append(order, order[0])]
    ax.plot(*walk.T, color=COLOURS["quiet"], lw=0.6, zorder=1)
    ax.scatter(*xy.T, c=np.arange(p), cmap="cividis", s=14, zorder=2)
    for i in range(0, p, max(1, p // 12)):
        ax.annotate(str(i), xy[i], fontsize=6.5, xytext=(2, 2), textcoords="offset points")
    ax.set_aspect("equal")
    ax.set_box_aspect(1)
    ax.grid(False)
    ax.set(xticks=[], yticks=[])


@styled
def circle_over_training(dataset: xr.Dataset, seed: int, snapshots: list[int]) -> Figure:
    """Spectrum (top) and strongest circle (bottom) of one seed's embedding at a few snapshot steps.

    The frequency k of the circle is the one that is strongest at the last of them. In its plane the points are
    joined in the order in which the angle 2 pi k i / p grows (i = 0, 1/k, 2/k, ... modulo p), so that a circle
    shows as a polygon without crossings. p must be prime.
    """
    tables = [dataset.embedding.sel(seed=seed, snapshot=s).values for s in snapshots]
    k = dominant_frequencies(tables[-1], 1)[0]
    strongest = dominant_frequencies(tables[-1], 5)
    fig, axes = panels(2, len(tables), height=4.6, height_ratios=(1, 1.7))
    for (top, bottom), table, step in zip(axes.T, tables, snapshots, strict=True):
        _spectrum(top, table, strongest)
        top.set(title=f"step {step}", xlabel="frequency $k$")
        _circle(bottom, table, k)
        bottom.set_xlabel(f"plane of frequency {k}")
    top_limit = max(ax.get_ylim()[1] for ax in axes[0])
    for ax in axes[0]:
        ax.set_ylim(0, top_limit)
    axes[0, 0].set_ylabel("share of power")
    return fig
