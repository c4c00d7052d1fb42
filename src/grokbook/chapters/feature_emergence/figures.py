"""The boundary n(M) of chapter 17 as a figure."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from grokbook.plotting.labels import name_lines
from grokbook.plotting.style import COLOURS, panels, styled


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
    ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    ax.yaxis.set_major_formatter("{x:g}")
    ax.minorticks_off()
    name_lines(ax)
    return fig
