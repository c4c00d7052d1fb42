"""One run whose embedding was kept often: as whole numbers that a script moves through, and as a
still picture."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from grokbook.curves.delay import grok_times
from grokbook.measures import circle_projection, dominant_frequencies, fourier_power
from grokbook.measures.principal import on_axes
from grokbook.plotting.style import COLOURS, panels, styled

STRONG = 5
"""How many of the strongest frequencies of the last step are marked."""

MOST_FRAMES = 51
MOST_POINTS = 10_000
"""At most so many steps are shown, and so many embedded numbers in all, so that the page stays
light."""


def thousandths(values: np.ndarray) -> list[Any]:
    """Values as whole numbers of thousandths, the precision of the figure."""
    return np.rint(1000 * np.asarray(values, dtype=float)).astype(int).tolist()


def spectrum(table: np.ndarray) -> np.ndarray:
    """Share of each frequency 1, ..., floor(p/2) in the power of an embedding (p, d)."""
    power = fourier_power(table)[1:]
    return power / power.sum()


def planes_of(tables: list[np.ndarray], pca: bool = False) -> tuple[int, np.ndarray]:
    """A frequency k, and the coordinates (snapshots, p, 2) of embeddings (p, d) in a plane each.

    The planes are those of the frequency that is strongest in the last table. With `pca` they are
    those of each table's own first two principal components, turned and reflected so that each fits
    the next best, and k is the frequency that is strongest in the last of them.

    Example:
        >>> table = np.random.default_rng(0).normal(size=(7, 5))
        >>> k, planes = planes_of([-table, table], pca=True)  # reflected, and turned back
        >>> bool(np.allclose(planes[0], planes[1]))
        True
    """
    if not pca:
        k = dominant_frequencies(tables[-1], 1)[0]
        return k, np.stack([np.asarray(circle_projection(table, k)) for table in tables])
    planes = [on_axes(tables[-1], 2)]
    for table in tables[-2::-1]:
        own = on_axes(table, 2)
        left, _, right = np.linalg.svd(own.T @ planes[0])
        planes.insert(0, own @ left @ right)
    return dominant_frequencies(planes[-1], 1)[0], np.stack(planes)


def moving_run(run: xr.Dataset, pca: bool = False) -> dict[str, Any]:
    """What the script `grokking_run` draws of one run (dim `step`; `embedding` over snapshot,
    token, feature).

    The plane is that of the frequency k that is strongest at the last step, or with `pca` that of
    each snapshot's own first two principal components (`planes_of`); `points` holds the coordinates
    $x_0, y_0, x_1, y_1, \\dots$ of each snapshot's embedding in it, in units of the largest
    distance from the middle there is, and `power` the share of each frequency. These and the
    accuracies are in thousandths. `order` lists the numbers by their angle, 0, 1/k, 2/k, ... modulo
    p (p prime); `fit` and `grok` are None where they were not reached.
    """
    p = run.sizes["token"]
    frames = _spread(run.snapshot.values, p)
    tables = _tables(run, frames)
    k, planes = planes_of(tables, pca)
    reach = np.linalg.norm(planes, axis=2).max()
    reached = grok_times(run)[["fit_step", "grok_step"]].iloc[0]
    fit, grok = [None if pd.isna(step) else int(step) for step in reached]
    plateau = 0.0 if fit is None or grok is None else (fit + grok) / 2
    plane = "the first two principal components" if pca else f"frequency {k}"
    return {
        "p": p,
        "frequency": k,
        "plane": f"the plane of {plane}",
        "strong": dominant_frequencies(tables[-1], min(STRONG, p // 2)),
        "order": in_order(p, k),
        "frames": frames.astype(int).tolist(),
        "points": thousandths(planes.reshape(len(frames), -1) / reach),
        "power": thousandths(np.stack([spectrum(table) for table in tables])),
        "steps": run.step.values.astype(int).tolist(),
        "train": thousandths(run.train_accuracy.values),
        "test": thousandths(run.test_accuracy.values),
        "fit": fit,
        "begin": int(np.abs(frames - plateau).argmin()),
        "grok": grok,
    }


def _tables(run: xr.Dataset, snapshots: Iterable[int]) -> list[np.ndarray]:
    return [run.embedding.sel(snapshot=step).values.astype(float) for step in snapshots]


def _spread(steps: np.ndarray, p: int) -> np.ndarray:
    """As many of the snapshots as the figure may have at modulus p, evenly spread, with both
    ends."""
    most = min(len(steps), max(2, min(MOST_FRAMES, MOST_POINTS // p)))
    return steps[np.unique(np.linspace(0, len(steps) - 1, most).round().astype(int))]


def in_order(p: int, k: int) -> list[int]:
    """The numbers 0, ..., p - 1 in the order of the angle 2 pi k i / p: 0, 1/k, 2/k, ... modulo the
    prime p."""
    return (np.arange(p) * pow(k, -1, p) % p).tolist()


def _bars(ax: Axes, table: np.ndarray, strong: list[int]) -> None:
    share = spectrum(table)
    frequencies = np.arange(1, share.size + 1)
    colours = np.where(np.isin(frequencies, strong), COLOURS["measure"], COLOURS["quiet"])
    ax.bar(frequencies, share, color=colours.tolist(), width=0.8)


def _ring(ax: Axes, xy: np.ndarray, k: int) -> None:
    order = in_order(len(xy), k)
    ax.plot(*xy[[*order, order[0]]].T, color=COLOURS["quiet"], lw=0.6, zorder=1)
    ax.scatter(xy[:, 0], xy[:, 1], color=COLOURS["measure"], s=9, zorder=2)
    ax.set_aspect("equal")
    ax.set_box_aspect(1)
    ax.grid(False)
    ax.set(xticks=[], yticks=[])


@styled
def circle_over_training(run: xr.Dataset, snapshots: list[int], pca: bool = False) -> Figure:
    """Spectrum (top) and plane (bottom) of one run's embedding at a few snapshot steps: a still
    picture.

    The plane is that of `moving_run`; its points are joined in the order of their angle, so that a
    circle shows as a polygon without crossings. The modulus must be prime.
    """
    tables = _tables(run, snapshots)
    k, planes = planes_of(tables, pca)
    strong = dominant_frequencies(tables[-1], min(STRONG, len(tables[-1]) // 2))
    fig, axes = panels(2, len(tables), height=4.6, height_ratios=(1, 1.7), sharey="row")
    for (top, bottom), table, plane, step in zip(axes.T, tables, planes, snapshots, strict=True):
        _bars(top, table, strong)
        top.set(title=f"step {step:,}", xlabel="frequency $k$")
        _ring(bottom, plane, k)
        bottom.set_xlabel("first two PCs" if pca else f"plane of frequency {k}")
    axes[0, 0].set_ylabel("share of power")
    return fig
