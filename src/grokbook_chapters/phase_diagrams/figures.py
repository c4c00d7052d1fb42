"""Figures of chapter 12: diagrams whose cells are opened, how far symbols walk, cells by seed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from companion.page.interactive import interactive
from grokbook.curves.phases import PHASES, PhaseRule, phases
from grokbook.plotting.palette import PHASES as LETTERS
from grokbook.plotting.phases import READABLE, diagrams, short, sides
from grokbook.plotting.style import COLOURS, panels, styled
from grokbook_chapters.liu2022 import STEP
from grokbook_chapters.phase_diagrams import published
from grokbook_chapters.phase_diagrams.walks import EDGES, shares_by_walk

POINTS = 60
"""Points of each curve that are given to the page, at equal distances in the logarithm of their
number."""

CAPTION = (
    "One network, 176 settings of its optimiser. C comprehension, G grokking, M memorisation, X",
    "confusion. Click a cell, or go to it with the arrow keys and press Enter: its accuracies, and",
    "where its ten symbols lie at the end. Panel 6b of the paper, made again with its random",
    "numbers; the {glue:text}`n_differ` cells with a dashed frame were published with another",
    "letter, G being there a delay of 1,000 steps.",
)
ALT = (
    "A table of coloured cells with a letter each, green and yellow at slow decoders, pink at fast",
    "ones and grey at fast ones with much decay; two small plots below.",
)


def openable(name: str, replayed: xr.Dataset, gap: int) -> None:
    """Put panel 6b on the page as the figure `name`, cells that are opened, with frames where
    another phase was published.

    `replayed` are the runs that begin with the published random numbers; a test set that comes
    `gap` steps after the training set, or later, groks.
    """
    run = replayed.isel(seed=0)
    found = phases(replayed, PhaseRule(gap=gap)).isel(seed=0)
    still = diagrams({"6b, made again": found.phase})
    options = explorable(run, found, published.panels()["b"])
    interactive("phase_explorer", name, " ".join(CAPTION), " ".join(ALT), options, still)


def explorable(
    dataset: xr.Dataset, found: xr.Dataset, printed: xr.DataArray | None = None
) -> dict[str, Any]:
    """What the script `phase_explorer` draws: of every cell of one seed its phase, curves and
    embedding at the end.

    `dataset` is that of a sweep and `found` its `grokbook.curves.phases.phases`, both of one seed.
    Accuracies are in thousandths at `POINTS` or fewer of the logged steps of each run, its last
    among them; the embedding (the first number of each symbol) is in thousandths of its largest
    magnitude `reach`. `cells` goes row by row; a cell whose letter differs from the `printed`
    diagram's has that one as `published`.

    Raises ParameterError where a dimension is missing.
    """
    across, down = sides(found.phase)
    cells = []
    for y in range(dataset.sizes[down]):
        for x in range(dataset.sizes[across]):
            place = {down: y, across: x}
            cell = _exported(dataset.isel(place), found.isel(place))
            if printed is not None and printed.isel(place).item() != cell["phase"]:
                cell["published"] = printed.isel(place).item()
            cells.append(cell)
    return {
        "last": int(dataset.step[-1]),
        "first": int(dataset.step[1]),
        "xs": [short(value) for value in dataset[across].values],
        "ys": [short(value) for value in dataset[down].values],
        "across": READABLE.get(across, across),
        "down": READABLE.get(down, down),
        "cells": cells,
    }


def _exported(run: xr.Dataset, found: xr.Dataset) -> dict[str, Any]:
    """One cell as whole numbers; None for a step that was not reached or not made."""
    place = run.embedding.values[:, 0].astype(float)
    reach = float(np.abs(place).max()) if np.isfinite(place).all() else 0.0
    steps = run.step.values[run.step.values <= found.end.item()]
    kept = np.unique(np.rint(np.geomspace(1, len(steps), POINTS)).astype(int)) - 1
    return {
        "steps": steps[kept].tolist(),
        "train": _thousandths(run.train_accuracy.values[kept]),
        "test": _thousandths(run.test_accuracy.values[kept]),
        "fit_step": _whole(found.fit_step.item()),
        "test_step": _whole(found.test_step.item()),
        "phase": str(found.phase.item()),
        "end": int(found.end.item()),
        "reach": float(f"{reach:.3g}"),
        "embedding": np.rint(1000 * place / reach).astype(int).tolist() if reach else [],
    }


def _whole(step: float) -> int | None:
    return None if np.isnan(step) else int(step)


def _thousandths(accuracies: np.ndarray) -> list[int | None]:
    return [_whole(np.rint(1000 * float(accuracy))) for accuracy in accuracies]


def as_table(values: xr.DataArray) -> pd.DataFrame:
    """Numbers or letters of a diagram, a row a weight decay and a column a decoder rate."""
    table = values.transpose("decoder_weight_decay", "decoder_lr").to_pandas()
    table.index = pd.Index([short(decay) for decay in table.index], name="weight decay")
    table.columns = [f"rate {short(rate)}" for rate in table.columns]
    return table


@styled
def walked(replayed: xr.Dataset, walks: pd.DataFrame) -> Figure:
    """Steps to fit and to generalise against the decoder's rate, and phases by the walk until the
    fit."""
    fig, axes = panels(1, 2, height=3.3)
    clocks, shares = axes[0]
    _clocks(clocks, phases(replayed).isel(seed=0).sel(decoder_weight_decay=0))
    _shares(shares, shares_by_walk(walks))
    fig.legend(*shares.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return fig


def _clocks(ax: Axes, found: xr.Dataset) -> None:
    """Both steps of the runs without decay, and the step at which a symbol can have walked 1."""
    rates = found.decoder_lr
    look = {"marker": "o", "ms": 3.5}
    ax.plot(rates, found.test_step, color=COLOURS["test"], label="test set", **look)
    ax.plot(rates, found.fit_step, color=COLOURS["train"], label="training set", **look)
    ax.axhline(1 / STEP, color=COLOURS["quiet"], ls=":")
    ax.text(rates[0], 0.9 / STEP, "a walk of 1", va="top", color=COLOURS["quiet"], fontsize=8.5)
    ax.set(xscale="log", yscale="log", xlabel="decoder learning rate", ylabel="step with 90 %")
    ax.legend()


def _shares(ax: Axes, shares: pd.DataFrame) -> None:
    """Bars of the phases' shares, one a bin of the walk, the number of its runs above it."""
    places = np.arange(len(shares))
    bottom = np.zeros(len(shares))
    look = {"width": 0.96, "ec": "#777777", "lw": 0.5}
    for letter in "MGC":
        share = shares[letter].to_numpy()
        colour = LETTERS[letter][0]
        ax.bar(places, share, bottom=bottom, color=colour, label=PHASES[letter], **look)
        bottom = bottom + share
    for place, count in zip(places, shares["runs"], strict=True):
        ax.text(place, 1.02, count, ha="center", color=COLOURS["quiet"], fontsize=8)
    ax.axvline(EDGES.index(1) - 0.5, color=COLOURS["theory"], ls=":")
    ax.set_xticks(places[1:] - 0.5, EDGES[1:-1])
    ax.set(xlabel="walk until the fit", ylabel="share of the runs", ylim=(0, 1.1))
    ax.grid(False)


def raced(race: xr.Dataset) -> Figure:
    """Panel 6a: embeddings' rate down, decoder's across, a cell divided among its seeds."""
    phase = phases(race).phase
    return diagrams({f"6a, {phase.sizes['seed']} seeds a cell": phase})


def by_seed(cells: xr.DataArray) -> Figure:
    """Twelve cells of 6b with several seeds each, beside the published ones with one."""
    ours = f"ours, {cells.sizes['seed']} seeds a cell"
    theirs = published.same_cells(cells, "b")
    return diagrams({ours: cells, "published, one seed": theirs}, columns=2)
