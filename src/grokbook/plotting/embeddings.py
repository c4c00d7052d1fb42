"""Pictures of an embedding: its Fourier spectrum and its strongest circle as training goes on."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from grokbook.measures import circle_projection, dominant_frequencies, fourier_power
from grokbook.plotting.style import COLOURS, panels, styled


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
    ax.set_xticks([])
    ax.set_yticks([])


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
        top.set_title(f"step {step}")
        top.set_xlabel("frequency $k$")
        _circle(bottom, table, k)
        bottom.set_xlabel(f"plane of frequency {k}")
    top_limit = max(ax.get_ylim()[1] for ax in axes[0])
    for ax in axes[0]:
        ax.set_ylim(0, top_limit)
    axes[0, 0].set_ylabel("share of power")
    return fig
