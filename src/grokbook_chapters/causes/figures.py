"""The figures of chapter 19: progress that is handed over, and each arm with what was predicted."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from grokbook.plotting.style import COLOURS, panels, styled

LIMITS = (1 / 24, 24.0)
WEDGES = {"shorter": "<", "longer": ">", "same": "D", "never": "X"}


@styled
def forest(
    found: Mapping[str, pd.DataFrame],
    predicted: pd.DataFrame,
    rows: Sequence[str],
    titles: Mapping[str, str],
    arms: Mapping[str, Collection[str]],
) -> Figure:
    """Arms down, benches across: the ratio of grok steps with its interval, wedges for what was
    predicted.

    `found` are tables of `effects.effects` by bench, `predicted` that of `effects.predictions`. A
    sham or a check is grey. An arrow to the right: most runs had not generalised by the last step,
    with their count. `arms` are the names of all arms of each bench: a row that is none of them is
    left empty. An empty name among the rows is a gap.
    """
    places = 0.5 * np.cumsum([1 + bool(arm) for arm in rows])  # an empty row is half as high
    at = {y: arm for y, arm in zip(places, rows, strict=True) if arm}
    fig, axes = panels(1, len(found), height=0.6 + 0.27 * places[-1], sharey=True)
    for ax, (bench, table) in zip(axes.flat, found.items(), strict=True):
        ax.set(xscale="log", xlim=LIMITS)
        ax.axvline(1, color=COLOURS["frame"], lw=0.8)
        ax.set_xticks([1 / 16, 1 / 4, 1, 4, 16], ["1/16", "1/4", "1", "4", "16"], fontsize=8)
        ax.minorticks_off()
        ax.set_title(titles[bench], loc="left", fontsize=9)
        ax.set_xlabel("grok step / that without", fontsize=8)
        for y, arm in at.items():
            said = predicted[(predicted.arm == arm) & (predicted[bench] != "")]
            for k, word in enumerate(dict.fromkeys(said[bench])):
                x = {"shorter": 1 / 19, "longer": 19, "same": 1.0, "never": 19}[word]
                ax.plot(
                    x,
                    y + 0.16 * k,
                    WEDGES[word],
                    color=COLOURS["second"],
                    ms=5.5,
                    mfc="none",
                    zorder=2,
                )
            idle = {"sham", "check"}.intersection(said.role)
            colour = COLOURS["quiet" if idle else "measure"]
            row = table.loc[arm] if arm in table.index else None
            if arm not in arms[bench]:
                continue
            if row is None:
                ax.text(
                    3, y, "not run", color=COLOURS["quiet"], ha="center", va="center", fontsize=7
                )
            elif row.observed == "unfit":
                unfit = f"{int(row.unfit)}/{int(row.runs)} unfit"
                ax.text(4.5, y, unfit, color=colour, ha="center", va="center", fontsize=8)
            elif row.observed in ("never", "rarely"):
                ax.annotate(
                    "", (15, y), (5, y), arrowprops={"arrowstyle": "->", "color": colour, "lw": 1.6}
                )
                ax.text(
                    4.6,
                    y,
                    f"{int(row.late)}/{int(row.runs)}",
                    color=colour,
                    ha="right",
                    va="center",
                    fontsize=8,
                )
            else:
                low, ratio, high = np.clip([row.low, row.ratio, row.high], *LIMITS)
                ax.plot([low, high], [y, y], color=colour, lw=1.8, zorder=3)
                ax.plot(ratio, y, "o", color=colour, ms=4.5, zorder=3)
    axes.flat[0].set_yticks([*at], [arm.replace("-", " ") for arm in at.values()])
    axes.flat[0].set_ylim(places[-1] + 0.6, places[0] - 0.6)
    return fig


PARTS = {
    "features": ("measure", "o"),
    "head": ("second", "s"),
    "all": ("theory", "^"),
}
"""What is handed over -> its colour and its mark."""


@styled
def handed_over(found: Mapping[str, pd.DataFrame], features: Mapping[str, str]) -> Figure:
    """The wait that is left against how far the donor got, a panel a bench, a line for each part
    that was handed over.

    `found` are tables of `handed.measured` by bench, `features` what those of each bench are.
    Grey: rows shuffled, a filled mark for the features. The dashed line is what a donor had left.
    """
    fig, axes = panels(1, len(found), height=3.0, sharey=True)
    for ax, (bench, table) in zip(axes.flat, found.items(), strict=True):
        ax.plot([0, 100], [1, 0], "--", color=COLOURS["frame"], lw=0.9)
        names = {"features": features[bench], "head": "the rest", "all": "everything"}
        for k, (part, (colour, mark)) in enumerate(PARTS.items()):
            own = table[table.index.str.fullmatch(rf"{part}-\d+")]
            aside = 1.4 * (k - 1)
            at = _points(ax, own, aside, color=COLOURS[colour], marker=mark)
            ax.plot(at, own["median"], color=COLOURS[colour], lw=1.4, label=names[part])
            sham = table[table.index.str.fullmatch(rf"{part}-\d+-shuffled")]
            inside = {"markerfacecolor": "none"} if part == "head" else {}
            _points(ax, sham, 4 * aside, color=COLOURS["quiet"], marker=mark, **inside)
        if table.index.str.endswith("-shuffled").any():
            ax.text(91, 1.7, "shuffled", color=COLOURS["quiet"], ha="right", fontsize=8)
        ax.set(xlim=(-6, 110), ylim=(-0.06, 2.2), xlabel="donor stopped at this % of its wait")
        ax.set_title(f"bench {bench}", loc="left", fontsize=9)
        ax.legend(loc="upper left", fontsize=8)
    axes.flat[0].set_ylabel("wait of the receiver /\nits wait without")
    return fig


def _points(ax: Axes, table: pd.DataFrame, aside: float, color: str, **marks: str) -> np.ndarray:
    """Medians with their intervals, beside the percentages that their names have, which are
    returned."""
    at = table.index.str.split("-").str[1].astype(float).to_numpy() + aside
    ax.vlines(at, table.low, np.minimum(table.high, 9), color=color, lw=1.2)
    ax.plot(at, table["median"], ls="", color=color, ms=4.5, **marks)
    return at
