"""The figures of chapter 17."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.figure import Figure

from grokbook.plotting.labels import name_lines
from grokbook.plotting.style import COLOURS, panels, styled


@styled
def three_stages(runs: Mapping[str, xr.Dataset]) -> Figure:
    """Both accuracies, the norm of G_F, and energy and found irreps of the nodes over the steps, stacked.

    Solid with weight decay, dashed without; the median over seeds.
    """
    fig, axes = panels(3, 1, height=6.4, sharex=True)
    drawn = (
        (0, "train_accuracy", "train", "training set"), (0, "test_accuracy", "test", "test set"),
        (1, "gradient_norm", "measure", "gradient"), (2, "reached", "measure", "energy"),
        (2, "found", "theory", "frequencies found"),
    )  # fmt: skip
    for name, style in (("decay", "-"), ("none", "--")):
        middle = runs[name].median("seed")
        for place, what, colour, label in drawn:
            axes[place, 0].plot(middle.step, middle[what], style, color=COLOURS[colour], lw=1.6,
                                label=label if name == "decay" else f"{label}, no decay")  # fmt: skip
    for ax, said in zip(axes[:, 0], ("accuracy", r"$\Vert G_F \Vert$", "share"), strict=True):
        ax.set_ylabel(said)
    axes[2, 0].set_xlabel("optimiser step")
    for ax in axes[:, 0]:
        name_lines(ax)
    return fig


@styled
def boundaries(table: pd.DataFrame, fit: Mapping[str, float]) -> Figure:
    """Pairs at the boundary over the modulus, least to most of the seeds, with the fitted power and its band.

    `table` is `boundary_table` by M and `fit` is `exponent`; M ln M goes through the first point.
    """
    fig, axes = panels(1, 1, height=3.2)
    ax, M = axes[0, 0], table.index.to_numpy(dtype=float)
    n, least, most = (table[["share", "least", "most"]].to_numpy() * M[:, None] ** 2).T
    if np.isfinite(fit["value"]):
        away, middle = np.log(M) - np.log(M).mean(), np.log(n).mean()
        low, line, high = (np.exp(middle + fit[name] * away) for name in ("low", "value", "high"))
        ax.fill_between(M, low, high, color=COLOURS["measure"], alpha=0.2, lw=0)
        ax.plot(M, line, color=COLOURS["measure"], label=f"fit: $M^{{{fit['value']:.2f}}}$")
    ax.errorbar(M, n, (n - least, most - n), fmt="o", color=COLOURS["measure"], capsize=3)
    law = M * np.log(M)
    ax.plot(M, n[0] / law[0] * law, "--", color=COLOURS["theory"], label="M ln M")
    ax.plot(M, M**2, ":", color=COLOURS["theory"], label="all pairs")
    ax.set(xscale="log", yscale="log", xlabel="M", ylabel="training pairs n")
    ax.set_xticks(M, [f"{m:g}" for m in M])
    ax.minorticks_off()
    name_lines(ax)
    return fig
