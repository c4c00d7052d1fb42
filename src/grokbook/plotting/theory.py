"""Closed forms drawn with the measured values on top."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from grokbook.measures import med, med_spectral_bound
from grokbook.plotting.style import COLOURS, panels, styled


def unit_circle(p: int, k: int) -> np.ndarray:
    """The circle of frequency k: row i is (cos, sin) of 2 pi k i / p, shape (p, 2)."""
    angle = 2 * np.pi * k * np.arange(p) / p
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


@styled
def med_by_frequency(p: int) -> Figure:
    """MED of the unit circle of each frequency: closed form as a line, measured on the circle as points."""
    fig, axes = panels(1, 1, height=3.0)
    ax = axes[0, 0]
    fine = np.linspace(0, p / 2, 400)
    ax.plot(fine, 2 * np.sin(np.pi * fine / p), color=COLOURS["theory"], ls="--", lw=1.2, label="closed form")
    frequencies = np.arange(1, p // 2 + 1)
    values = [med(unit_circle(p, k)) for k in frequencies]
    ax.plot(frequencies, values, "o", ms=3.5, color=COLOURS["measure"], label="measured")
    ax.set_xlabel("frequency $k$ of the circle")
    ax.set_ylabel("MED")
    ax.legend()
    return fig


@styled
def med_and_spectral_bound(runs: dict[str, xr.Dataset]) -> Figure:
    """MED (points) and the root of its weighted spectrum (dashes) at each snapshot, one line a seed."""
    fig, axes = panels(1, len(runs), height=3.0, sharey=True)
    for ax, (title, dataset) in zip(axes[0], runs.items(), strict=True):
        for seed in dataset.seed.values:
            tables = dataset.embedding.sel(seed=seed)
            bound = [med_spectral_bound(t) for t in tables.values]
            value = [med(t) for t in tables.values]
            steps = dataset.snapshot.values
            ax.plot(steps, bound, ls="--", lw=1, color=COLOURS["theory"])
            ax.plot(steps, value, "o", ms=4, color=COLOURS["measure"])
        ax.set_title(title)
        ax.set_xlabel("optimiser step")
    axes[0, 0].plot([], [], ls="--", color=COLOURS["theory"], label="from the spectrum alone")
    axes[0, 0].plot([], [], "o", color=COLOURS["measure"], label="MED")
    axes[0, 0].set_ylabel("MED")
    axes[0, 0].legend()
    return fig
