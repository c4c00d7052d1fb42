"""Pictures of coverage: discs, uncovered cells, expectation and probability, Table 1 against shares of cells."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from grokbook.claims.table1 import best_radius, covered_shares, predictors
from grokbook.plotting.style import COLOURS, panels, styled
from grokbook.tasks.arithmetic import ModularTask
from grokbook.theory.coverage import (
    disc_size,
    distance_to_training,
    expected_uncovered,
    miss_probability,
    printed_fraction,
    required_fraction,
    same_class_distance,
    same_class_size,
)
from grokbook.theory.coverage_probability import Estimate, first_covered
from grokbook.theory.memorisers import transpose_accuracy

NOTHING, COVERED = "#eeeeee", "#8fd0bb"
LINES = {"torus": "--", "grid": "-."}
MARKERS = {"torus": {"marker": "o", "mfc": COLOURS["measure"]}, "grid": {"marker": "s", "mfc": "white"}}


def _cells(ax: Axes, kind: np.ndarray, colours: list[str], title: str) -> None:
    """Cells of a grid in one colour a kind, row 0 at the top."""
    ax.imshow(kind, cmap=ListedColormap(colours), vmin=0, vmax=len(colours) - 1)
    ax.set_title(title)
    ax.set_xlabel("$j$")
    ax.grid(False)
    ax.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    ax.yaxis.set_major_locator(MaxNLocator(5, integer=True))


def _legend_below(fig: Figure, names: dict[str, str]) -> None:
    handles = [Patch(color=colour, label=name) for name, colour in names.items()]
    fig.legend(handles=handles, loc="outside lower center", ncols=len(names))


@styled
def discs(p: int, k: int) -> Figure:
    """Two training cells and what they cover, on the bounded grid and on the torus; then the cells of one class."""
    mask = np.zeros((p, p), dtype=bool)
    mask[1, 1] = mask[p // 2 + 1, p // 2 + 1] = True
    fig, axes = panels(1, 3, height=2.9)
    colours = [NOTHING, COVERED, COLOURS["train"], COLOURS["hole"]]
    for ax, torus in zip(axes[0], (False, True), strict=False):
        kind = (distance_to_training(mask, torus=torus) < k).astype(int)
        kind[mask] = 2
        _cells(ax, kind, colours, "torus" if torus else "bounded grid")
    near = distance_to_training(mask) < k
    kind = near.astype(int)
    kind[near & (same_class_distance(mask) < k)] = 3
    kind[mask] = 2
    _cells(axes[0, 2], kind, colours, "of the same class")
    axes[0, 0].set_ylabel("$i$")
    names = {"training cell": COLOURS["train"], "covered": COVERED, "covered, same class $i+j$": COLOURS["hole"]}
    _legend_below(fig, names)
    return fig


@styled
def uncovered_cells(train_mask: np.ndarray, k: int) -> Figure:
    """One training set and its uncovered cells: for cells of any class on grid and torus, for their own class alone."""
    fig, axes = panels(1, 3, height=2.9)
    maps = {
        "bounded grid": distance_to_training(train_mask),
        "torus": distance_to_training(train_mask, torus=True),
        "same class, torus": same_class_distance(train_mask, torus=True),
    }
    colours = ["#f6f6f6", "#9cc4de", COLOURS["test"]]
    for ax, (title, apart) in zip(axes[0], maps.items(), strict=True):
        kind = np.where(train_mask, 1, 0)
        kind[apart >= k] = 2
        _cells(ax, kind, colours, f"{title}: {(apart >= k).sum()}")
        if (apart >= k).mean() < 0.02:
            rows, columns = np.nonzero(apart >= k)
            ax.plot(columns, rows, "s", ms=3, color=COLOURS["test"])
    axes[0, 0].set_ylabel("$i$")
    _legend_below(fig, dict(zip(("covered test cell", "training cell", "uncovered"), colours, strict=True)))
    return fig


def _thresholds(ax: Axes, p: int, k: int) -> None:
    """Printed fraction (grey, dotted) and sufficient fraction (thin, black) as vertical lines."""
    ax.axvline(printed_fraction(p, k), color=COLOURS["quiet"], ls=":", lw=1.6)
    ax.axvline(required_fraction(p, k), color=COLOURS["theory"], ls="-", lw=0.8)


def _expectation(ax: Axes, p: int, k: int, fractions: np.ndarray, numbers: dict[str, np.ndarray]) -> None:
    """Expected uncovered cells: exact as a line, the mean over draws with its standard error as points."""
    sizes = (fractions * p * p).astype(int)
    for name, first in numbers.items():
        exact = [expected_uncovered(p, k, int(m), torus=name == "torus") for m in sizes]
        ax.plot(fractions, exact, color=COLOURS["theory"], ls=LINES[name], lw=1.1)
        counts = np.array([(first > m).sum(axis=(1, 2)) for m in sizes])
        mean, error = counts.mean(axis=1), counts.std(axis=1) / np.sqrt(len(first))
        seen = mean > 0
        style = {"ls": "", "ms": 4, "color": COLOURS["measure"], "elinewidth": 1} | MARKERS[name]
        ax.errorbar(fractions[seen], mean[seen], np.minimum(error, 0.9 * mean)[seen], **style)
    ax.axhline(1, color=COLOURS["quiet"], lw=0.6)
    ax.set_yscale("log")
    ax.set_ylim(bottom=2e-3)


def _probability(ax: Axes, p: int, k: int, fractions: np.ndarray, numbers: dict[str, np.ndarray]) -> None:
    """Probability of full coverage over the draws as points, Markov's bound 1 - E as a line."""
    sizes = (fractions * p * p).astype(int)
    for name, first in numbers.items():
        times = first.max(axis=(1, 2))
        found = [Estimate.of(int((times <= m).sum()), times.size) for m in sizes]
        bound = [max(0.0, 1 - expected_uncovered(p, k, int(m), torus=name == "torus")) for m in sizes]
        ax.plot(fractions, bound, color=COLOURS["theory"], ls=LINES[name], lw=1.1)
        style = {"ls": "", "ms": 4, "color": COLOURS["measure"], "elinewidth": 1} | MARKERS[name]
        ax.errorbar(fractions, [e.value for e in found], [e.error for e in found], **style)
    ax.set_ylim(-0.04, 1.04)
    ax.set_xlabel(r"training fraction $\alpha$")


@styled
def expectation_and_probability(p: int, radii: list[int], draws: int) -> Figure:
    """Expected number of uncovered cells (top) and probability of full coverage (bottom), one column a radius."""
    fig, axes = panels(2, len(radii), height=5.0, sharex="col", sharey="row")
    for (top, bottom), k in zip(axes.T, radii, strict=True):
        numbers = {name: first_covered(p, k, draws, torus=name == "torus") for name in LINES}
        fractions = np.linspace(0.4 * required_fraction(p, k), min(1.25 * printed_fraction(p, k), 0.97), 16)
        _expectation(top, p, k, fractions, numbers)
        _probability(bottom, p, k, fractions, numbers)
        for ax in (top, bottom):
            _thresholds(ax, p, k)
        top.set_title(f"$k = {k}$, $C = {disc_size(k)}$")
    axes[0, 0].set_ylabel("uncovered cells")
    axes[1, 0].set_ylabel("P(all covered)")
    _keys(fig, axes[1, 0])
    return fig


def _keys(fig: Figure, ax: Axes) -> None:
    point = {"ls": "", "color": COLOURS["measure"]}
    keys = [
        ax.plot([], [], label="simulated, torus", **point, **MARKERS["torus"])[0],
        ax.plot([], [], label="simulated, grid", **point, **MARKERS["grid"])[0],
        ax.plot([], [], color=COLOURS["theory"], ls="--", label="$E$ and $1-E$, torus")[0],
        ax.plot([], [], color=COLOURS["theory"], ls="-.", label="$E$ and $1-E$, grid")[0],
        ax.plot([], [], color=COLOURS["quiet"], ls=":", lw=1.6, label=r"printed $2\ln p/C$")[0],
        ax.plot([], [], color=COLOURS["theory"], lw=0.8, label="sufficient $1-p^{-2/C}$")[0],
    ]
    fig.legend(handles=keys, loc="outside lower center", ncols=3)


@styled
def same_class_coverage(p: int, train_fraction: float, draws: int) -> Figure:
    """Share of uncovered cells, and of draws with none, by the radius k: cells of any class and of one's own; torus."""
    m, n = int(train_fraction * p * p), p * p
    masks = [ModularTask(p, train_fraction=train_fraction, seed=s).train_mask for s in range(draws)]
    radii = np.arange(1, min(41, (p + 1) // 2) + 1)
    anyone, own = (distance_to_training, disc_size, "s"), (same_class_distance, same_class_size, "o")
    ways = {"any class": anyone, "own class": own}
    fig, axes = panels(1, 2, height=3.2)
    for name, (distance, size, marker) in ways.items():
        apart = np.array([distance(mask, torus=True) for mask in masks])
        missed = np.array([(apart >= k).mean() for k in radii])
        exact = miss_probability(n, np.array([size(int(k)) for k in radii]), m)
        whole = [Estimate.of(int((apart.max(axis=(1, 2)) < k).sum()), draws) for k in radii]
        colour = COLOURS["measure"] if name == "own class" else COLOURS["quiet"]
        shown = exact > 0.3 / (n * draws)
        axes[0, 0].plot(radii[shown], exact[shown], ls="--", lw=1, color=COLOURS["theory"])
        axes[0, 0].plot(radii[missed > 0], missed[missed > 0], marker, ms=3.5, color=colour, label=name)
        rates, errors = [e.value for e in whole], [e.error for e in whole]
        axes[0, 1].errorbar(radii, rates, errors, fmt=marker, ms=3.5, color=colour, elinewidth=1)
    axes[0, 0].plot([], [], ls="--", lw=1, color=COLOURS["theory"], label="exact")
    axes[0, 0].set_yscale("log")
    axes[0, 0].set_ylabel("share of cells uncovered")
    axes[0, 1].set_ylabel("share of draws all covered")
    for ax in axes[0]:
        ax.set_xlabel("radius $k$")
    axes[0, 0].legend()
    return fig


def _rows(ax: Axes, x: np.ndarray, frame: pd.DataFrame) -> None:
    """U-Acc as points, the way down to L-Acc as bars, SQUARE round and STRIP triangular, on the line of equality."""
    shapes = {"square": ("o", COLOURS["test"]), "strip": ("^", COLOURS["hole"])}
    ax.plot([0, 100], [0, 100], ls="--", lw=1, color=COLOURS["theory"])
    for split, (marker, colour) in shapes.items():
        rows = (frame.split == split).to_numpy()
        low = (frame["U-Acc"] - frame["L-Acc"])[rows]
        down = np.stack([low, 0 * low])
        style = {"fmt": marker, "ms": 5, "color": colour, "elinewidth": 1}
        ax.errorbar(x[rows], frame["U-Acc"][rows], down, label=split.upper(), **style)


@styled
def accuracy_against_shares(rule: str = "code") -> Figure:
    """Table 1: U-Acc (L-Acc below it) against the share outside the hole, in either order, and within one distance."""
    frame, covered = predictors(rule), covered_shares(rule)
    n, _ = best_radius(covered, frame["U-Acc"].to_numpy())
    shares = {
        "outside the hole": frame["outside"].to_numpy(),
        "outside in either order": frame["either order"].to_numpy(),
        f"nearer than {n}": covered[:, n - 1],
    }
    fig, axes = panels(1, 3, height=3.1, sharey=True)
    for ax, (title, x) in zip(axes[0], shares.items(), strict=True):
        _rows(ax, x, frame)
        ax.set_title(title)
        ax.set_xlabel("% of test cells")
        ax.set(xlim=(-3, 103), ylim=(-3, 103))
    axes[0, 0].set_ylabel("published accuracy (%)")
    axes[0, 0].legend(loc="lower right")
    return fig


@styled
def swapping_memoriser(p: int, draws: int = 5) -> Figure:
    """Accuracy of a memoriser that swaps the operands, and that times the test share: exact, and on random splits."""
    fractions = np.linspace(0.1, 0.9, 9)
    fine = np.linspace(0.02, 0.98, 100)
    exact = np.array([transpose_accuracy(p, int(a * p * p)) for a in fine])
    splits = [[ModularTask(p, train_fraction=a, seed=s) for s in range(draws)] for a in fractions]
    found = np.array([[t.transposed_mask.sum() / t.test_index.size for t in row] for row in splits])
    fig, axes = panels(1, 2, height=3.0)
    for ax, line, points, label in (
        (axes[0, 0], exact, found, "test accuracy Acc"),
        (axes[0, 1], exact * (1 - fine), found * (1 - fractions)[:, None], r"Acc $\cdot$ (1 - frac)"),
    ):
        ax.axvspan(0.5, 0.7, color=COLOURS["hole"], alpha=0.15, lw=0)
        ax.plot(fine, line, ls="--", lw=1.1, color=COLOURS["theory"], label="exact expectation")
        ax.plot(fractions, points, "o", ms=3.5, color=COLOURS["measure"])
        ax.plot([], [], "o", ms=3.5, color=COLOURS["measure"], label="random splits")
        ax.set_xlabel("training fraction frac")
        ax.set_ylabel(label)
        ax.set_ylim(bottom=0)
    axes[0, 0].legend()
    return fig
