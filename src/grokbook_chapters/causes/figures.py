"""The figures of chapter 19: what each arm leaves of the wait, progress that is handed over, norms
that are held, laws of the wait."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import fill

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from grokbook.plotting.labels import name_lines
from grokbook.plotting.style import COLOURS, panel, panels, seed_band, styled
from grokbook_chapters.causes.laws import NAMES, compared
from grokbook_chapters.causes.runs import RADII
from grokbook_chapters.labelled import Datasets, Tables

BENCHES = {
    "Q": ("measure", "o"),
    "T": ("second", "s"),
    "L": ("theory", "^"),
    "R": ("quiet", "D"),
}
"""Bench -> the colour and the mark of its runs."""

NETWORKS = {"Q": "squares (Q)", "T": "transformer (T)", "L": "toy (L)", "R": "ReLU (R)"}
"""Bench -> its network."""

SHORTENED = {
    "handed over": "a fresh network gets:",
    "all-50": "all weights, half way",
    "features-50": "features, half way",
    "head-50": "head, half way",
    "features-100": "finished features",
    "features-100-shuffled": "the same, shuffled",
    "trained": "it is trained with:",
    "decay-until-the-fit": "decay until the fit",
    "decay-from-the-fit": "decay from the fit on",
    "temperature-half-norm-held": "larger logits",
}
"""Arms of the leading figure -> their names in it, below the heads of their groups."""

DECAYED = {
    "no-decay": "no weight decay",
    "decay-until-the-fit": "until the fit",
    "decay-from-the-fit": "from the fit on",
    "decay-on-a-random-half": "on a random half of all weights",
    "decay-on-hidden-alone": "on the hidden layers alone",
    "decay-on-a-random-86": "on as many weights at random",
    "decay-on-embedding-alone": "on the embedding alone",
    "gradient-orthogonal-no-decay": "none, gradient across the weights",
}
"""Arms of weight decay -> their names in a figure."""

LEAST = 0.05
MOST = 16.0
"""Ends of the axis of shares; what lies beyond is drawn there."""


@styled
def left_of_the_wait(
    shares: Tables,
    rows: Mapping[str, str],
    benches: str = "QTL",
    trained: pd.Series | None = None,
) -> Figure:
    """What each arm leaves of the wait, a row an arm, with its interval.

    `shares` are tables of `handed.shares` by bench; `rows` has the arms with their names in the
    figure, and heads of groups, which end in a colon and have no runs. An arrow: most runs do not
    generalise. Above them a row of crosses, a run each, for the shares of one more arm, `trained`
    (`handed.waits`), whose name is the arm's.
    """
    # in two lines: on a narrow screen the names have the width otherwise
    labels = [fill(name, 22) for name in rows.values()]
    row_height = 0.3 if any("\n" in label for label in labels) else 0.26
    fig, ax = panel(height=0.95 + row_height * (len(rows) + (trained is not None)))
    aside = dict(zip(benches, np.linspace(-0.2, 0.2, len(benches)), strict=True))
    for bench in benches:
        colour, mark = BENCHES[bench]
        look = {"color": COLOURS[colour], "marker": mark}
        ax.plot([], [], ls="", label=NETWORKS[bench], **look)
        table = shares[bench].reindex(list(rows))
        for y, row in enumerate(table.itertuples()):
            height = y + aside[bench]
            if row.observed == "never":
                ax.plot([6, MOST], [height, height], lw=1.4, color=COLOURS[colour])
                ax.plot(MOST, height, ls="", marker=">", color=COLOURS[colour], clip_on=False)
            elif pd.notna(row.median):
                low, middle, high = np.clip([row.low, row.median, row.high], LEAST, MOST)
                ax.plot([low, high], [height, height], lw=1.4, color=COLOURS[colour])
                ax.plot(middle, height, ls="", ms=5, **look)
    ax.axvline(1, color=COLOURS["frame"], lw=0.9)
    xlabel = "relative wait\n← shorter      longer →"
    ax.set(xscale="log", xlim=(LEAST, MOST), xlabel=xlabel)
    ax.set_xticks([1 / 16, 1 / 4, 1, 4], ["1/16", "1/4", "1", "4"])
    ax.minorticks_off()
    names = dict(enumerate(labels))
    if trained is not None:
        names[-1] = fill(f"here: {trained.name.replace('-', ' ')}", 22)
        _crosses(ax, -1, trained)
        ax.axhline(-0.5, color=COLOURS["grid"], lw=0.8)
    ax.set_yticks(list(names), list(names.values()))
    for label in ax.get_yticklabels():
        if label.get_text().endswith(":"):
            label.set_weight("bold")
    ax.set_ylim(len(rows) - 0.4, min(names) - 0.6)
    fig.legend(loc="outside upper center", ncols=len(benches))
    return fig


def _crosses(ax: Axes, height: float, shares: pd.Series) -> None:
    """A cross for the share of each run, an arrow where it did not generalise."""
    look = {"ls": "", "ms": 8, "color": COLOURS["theory"], "mec": "white", "mew": 0.6, "zorder": 3}
    known = shares.dropna().clip(LEAST, MOST)
    for marker, places in (("P", known[known < MOST]), (">", known[known == MOST])):
        ax.plot(places, np.full(len(places), height), marker=marker, clip_on=False, **look)


PARTS = {
    "features": ("measure", "o", "features"),
    "head": ("second", "s", "head"),
    "all": ("theory", "^", "all weights"),
}
"""What is handed over -> its colour, its mark and its name."""


@styled
def handed_over(shares: Tables) -> Figure:
    """The wait that is left against how far the donor got, a panel a bench, a line for each part
    that was handed over.

    `shares` are tables of `handed.shares` by bench. The dashed line is what a donor had left.
    """
    fig, axes = panels(1, 2, height=3.0, sharey=True)
    for ax, bench in zip(axes.flat, "QT", strict=True):
        ax.plot([0, 100], [1, 0], "--", color=COLOURS["frame"], lw=0.9)
        for place, (part, (colour, mark, name)) in enumerate(PARTS.items()):
            own = shares[bench][shares[bench].index.str.fullmatch(rf"{part}-\d+")]
            percent = own.index.str.split("-").str[1].astype(float) + 1.4 * (place - 1)
            look = {"color": COLOURS[colour], "lw": 1.4}
            ax.vlines(percent, own.low, own.high, **look)
            ax.plot(percent, own["median"], marker=mark, ms=4.5, label=name, **look)
        ax.set(xlim=(-6, 106), ylim=(-0.06, 1.45), xlabel="donor stopped at this % of its wait")
        ax.set_title(NETWORKS[bench], loc="left", fontsize=9)
    axes.flat[0].set_ylabel("wait of the receiver /\nits wait without")
    axes.flat[1].legend(loc="lower left", fontsize=8)
    return fig


@styled
def held_norms(shares: Tables) -> Figure:
    """The wait against the norm at which all weights are held, as a share of that at the usual
    norm; a bench ends where most of its runs do not generalise."""
    fig, ax = panel(height=3.0)
    ax.axhline(1, color=COLOURS["frame"], lw=0.9)
    for bench in "QTL":
        colour, mark = BENCHES[bench]
        table = shares[bench].reindex([f"norm-at-{radius:g}" for radius in RADII])
        table = table[["median", "low", "high"]].astype(float).set_axis(list(RADII))
        table.loc[1.0] = 1.0  # all others are compared with it
        known = table[np.isfinite(table["median"])].clip(LEAST, 30)
        look = {"color": COLOURS[colour], "lw": 1.4}
        ax.vlines(known.index, known.low, known.high, **look)
        ax.plot(known.index, known["median"], marker=mark, ms=5, label=NETWORKS[bench], **look)
    ax.set(yscale="log", ylim=(LEAST, 30), xlabel="norm of all weights / usual norm")
    ax.set_yticks([1 / 16, 1 / 4, 1, 4, 16], ["1/16", "1/4", "1", "4", "16"])
    ax.minorticks_off()
    ax.set_ylabel("wait / that at the usual norm")
    ax.legend(loc="upper left")
    return fig


WORST = 8.0
"""End of the axis of errors; what lies beyond is drawn there."""


@styled
def off_by(tables: Tables) -> Figure:
    """The factor by which each law is off on settings that it has not seen, a row a law, with its
    interval.

    `tables` are those of `laws.lengths` by bench; one that was not run is left out.
    """
    fig, ax = panel(height=0.9 + 0.34 * len(NAMES))
    for bench, aside in (("Q", -0.12), ("T", 0.12)):
        colour, mark = BENCHES[bench]
        look = {"color": COLOURS[colour], "lw": 1.4}
        ax.plot([], [], ls="", marker=mark, label=NETWORKS[bench], color=COLOURS[colour])
        if tables[bench] is None:
            continue
        for y, law in enumerate(NAMES):
            error = compared(tables[bench], law)
            low, factor, high = np.clip([error.low, error.factor, error.high], 1, WORST)
            ax.plot([low, high], [y + aside, y + aside], **look)
            ax.plot(factor, y + aside, marker=mark, ms=5, **look)
    ax.set(xscale="log", xlim=(0.98, WORST), xlabel="foretold length, wrong by this factor")
    ax.set_xticks([1, 1.25, 1.5, 2, 3, 4, 6], ["1", "1.25", "1.5", "2", "3", "4", "6"])
    ax.minorticks_off()
    ax.set_yticks(range(len(NAMES)), list(NAMES.values()))
    ax.set_ylim(len(NAMES) - 0.4, -0.6)
    ax.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2)
    return fig


@styled
def beside(runs: Datasets) -> Figure:
    """Test accuracy of the free runs and of those with an arm, against the step."""
    fig, ax = panel(height=2.8)
    for (name, data), colour in zip(runs.items(), ("quiet", "test"), strict=True):
        seed_band(ax, data.test_accuracy, COLOURS[colour], name.replace("-", " "))
    ax.set(xscale="log", xlabel="optimiser step", ylabel="test accuracy")
    name_lines(ax)
    return fig
