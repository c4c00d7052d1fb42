"""The style sheet, and how curves of several seeds are drawn."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Annotation

from grokbook.plotting.palette import COLOURS as COLOURS

STYLE = Path(__file__).with_name("grokbook.mplstyle")


def styled(draw: Callable[..., Figure]) -> Callable[..., Figure]:
    """Run a drawing function inside the book's style sheet and leave matplotlib's settings as they
    were.

    Datasets straight from `train`, dimension `run` with the coordinate `seed`, are given to it with
    dimension `seed`, unless the runs differ in other settings.
    """

    @functools.wraps(draw)
    def inside(*args: object, **kwargs: object) -> Figure:
        with mpl.style.context(STYLE):
            return draw(*map(_by_seed, args), **kwargs)

    return inside


def _by_seed(value: object) -> object:
    """A dataset of `train` with dimension `seed` in place of `run`, anything else as it is."""
    if not isinstance(value, xr.Dataset):
        return value
    along_run = {name for name, part in value.coords.items() if "run" in part.dims}
    return value.swap_dims(run="seed") if along_run == {"seed"} else value


def panel(height: float = 3.2) -> tuple[Figure, Axes]:
    """A figure of the book's width with one pair of axes."""
    return plt.subplots(figsize=(7.2, height))


def panels(
    rows: int = 1, columns: int = 1, height: float = 3.2, **kwargs: Any
) -> tuple[Figure, np.ndarray]:
    """A figure of the book's width with `rows` x `columns` axes, always as an array of that
    shape."""
    return plt.subplots(rows, columns, figsize=(7.2, height), squeeze=False, **kwargs)


def bare(ax: Axes) -> None:
    """Take grid, frame and ticks off."""
    ax.grid(False)
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)


FEW = 5
"""Up to so many seeds less one are as many lines; from here on they are thin lines with their
median and range."""


def seed_band(ax: Axes, series: xr.DataArray, colour: str, label: str, ls: Any = "-") -> None:
    """Draw one quantity of several seeds: a line each, and from `FEW` on thin ones, their median
    and their range.

    `series` has dims step and seed. Any other dim is one of settings, and each setting is drawn so.
    Steps below 1 are left out, so that the axis may be logarithmic.
    """
    logged = series.where(series.step >= 1, drop=True)
    if "seed" not in logged.dims:
        logged = logged.drop_vars("seed", errors="ignore").expand_dims("seed")
    many = logged.sizes["seed"] >= FEW
    look: dict[str, Any] = {"lw": 0.7, "alpha": 0.45} if many else {"lw": 1.4, "alpha": 0.9}
    look |= {"color": colour, "ls": ls}
    settings = [name for name in logged.dims if name not in ("seed", "step")]
    name: str | None = label
    for place in np.ndindex(*(logged.sizes[setting] for setting in settings)):
        runs = logged.isel(dict(zip(settings, place, strict=True)))
        for n in range(runs.sizes["seed"]):  # by place: two runs may share a seed
            ax.plot(logged.step, runs.isel(seed=n), label=None if many or n else name, **look)
        if many:
            ax.plot(logged.step, runs.median("seed"), color=colour, ls=ls, label=name)
            range_of_seeds = runs.min("seed"), runs.max("seed")
            ax.fill_between(logged.step, *range_of_seeds, color=colour, alpha=0.13, lw=0)
        name = None


def mark(ax: Axes, where: float, text: str, colour: str) -> None:
    """A vertical line at step `where`, and above it, outside the axes, a short text; two that would
    meet turn away."""
    ax.axvline(where, color=colour, lw=1.0, ls=":")
    look: dict[str, Any] = {"ha": "center", "fontsize": 8.5, "color": colour, "label": "_mark"}
    ax.annotate(text, (where, 1.01), xycoords=("data", "axes fraction"), **look)
    ax.get_xlim()  # what is drawn so far has its place
    marks = [
        note for note in ax.texts if isinstance(note, Annotation) and note.get_label() == "_mark"
    ]
    for left, right in itertools.pairwise(sorted(marks, key=lambda note: note.xy[0])):
        if left.get_window_extent().overlaps(right.get_window_extent()):
            left.set_horizontalalignment("right")
            right.set_horizontalalignment("left")
