"""The pictures of chapter 04c, from tables and recorded curves."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from grokbook.plotting.style import COLOURS, panels, styled

BY_TRANSPOSE = {
    "training set": ("train_accuracy", "train"),
    "test, transpose trained": ("test_accuracy_mirrored", "hole"),
    "test, transpose not trained": ("test_accuracy_unmirrored", "test"),
}
"""What `curves_by_part` draws of a network: label -> variable and colour."""


@styled
def swapping_memoriser(exact: pd.DataFrame, splits: pd.DataFrame, counted: pd.DataFrame) -> Figure:
    """Acc (1 - frac) of a memoriser that swaps the operands, exact and on random splits, and of the recorded networks.

    The first two tables have the columns fraction and product; `counted` is what `claims.by_fraction` gives. Shaded:
    the fractions of the paper.
    """
    fig, axes = panels(1, 1, height=3.4)
    ax = axes[0, 0]
    ax.axvspan(0.5, 0.7, color=COLOURS["hole"], alpha=0.15, lw=0)
    ax.plot(exact.fraction, exact["product"], ls="--", lw=1.1, color=COLOURS["theory"], label="memoriser, exact")
    ax.plot(splits.fraction, splits["product"], "o", ms=4, color=COLOURS["measure"], label="memoriser, random splits")
    if len(counted):
        product = counted["product"]
        spans = np.stack([product - counted.low, counted.high - product])
        ax.errorbar(counted.index, product, spans, fmt="D", ms=5, capsize=3, color=COLOURS["test"],
                    label="transformer, recorded")  # fmt: skip
    ax.set(xlabel="training fraction frac", ylabel=r"Acc $\cdot$ (1 - frac)")
    ax.set_ylim(bottom=0)
    ax.legend(loc="lower center")
    return fig
