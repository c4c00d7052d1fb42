"""Figures of the x w u flow: starts against time with their limits, streamlines on two planes, V against L."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, SymLogNorm
from matplotlib.figure import Figure

from grokbook.plotting.style import COLOURS, panels, styled
from grokbook.theory.triple_product import NAMES, flow, limit_point, velocity
from grokbook.theory.triple_stability import lyapunov, lyapunov_rate, printed_v, v_rate

REACH = 1.6
LEVELS = np.array([-2.2, -1.5, -0.95, -0.5, -0.2, 0.0, 0.2, 0.5, 0.95, 1.5, 2.2])
"""Values of the conserved difference of squares whose curves are drawn."""

CASES = (
    ("surface", (0.2, 0.5, 0.9), 1.0, 6.0),
    ("crossing", (-0.2, 0.5, 0.9), 1.0, 6.0),
    ("saddle", (-0.5, 0.5, 1.2), 1.0, 6.0),
    ("target zero", (0.6, 0.8, 1.0), 0.0, 20.0),
)
"""A start of each case of the limit theorem that moves: name, start, target, duration.

No sign changes; the smallest coordinate goes through 0; a tie with the wrong sign runs to an axis; target 0.
"""


def _against_time(ax: Axes, start: Sequence[float], times: np.ndarray, target: float) -> None:
    """x, w, u of one trajectory, dashes at their exact limits."""
    path, end = flow(start, times, target=target), limit_point(np.asarray(start, dtype=float), target=target)
    for values, level, name, meaning in zip(path.T, end, NAMES, ("train", "test", "measure"), strict=True):
        ax.axhline(level, color=COLOURS[meaning], ls="--", lw=1)
        ax.plot(times, values, color=COLOURS[meaning], label=f"${name}$")
    ax.set_xlabel("time $t$")


@styled
def kinds_of_start() -> Figure:
    """One start of each case of the limit theorem against time: x, w, u with their exact limits dashed."""
    fig, axes = panels(1, len(CASES), height=2.9, sharey=True)
    for ax, (title, start, target, duration) in zip(axes[0], CASES, strict=True):
        ax.axhline(0, color=COLOURS["quiet"], lw=0.8)
        _against_time(ax, start, np.linspace(0, duration, 150), target)
        ax.set_title(title)
    axes[0, 0].set_ylabel("coordinate")
    axes[0, 0].legend(loc="lower right", handlelength=1.2)
    return fig


def _on_plane(name: str, first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """Points of the plane and the indices of the two coordinates drawn: "x=w" draws x and u, "u=1" draws x and w."""
    if name == "x=w":
        return np.stack([first, first, second], axis=-1), [0, 2]
    return np.stack([first, second, np.ones_like(first)], axis=-1), [0, 1]


def _arrow_places() -> np.ndarray:
    """Points (N, 2) on the curves first^2 - second^2 = level within the square: four on each branch."""
    places = []
    for level in LEVELS[LEVELS != 0]:
        size = np.sqrt(abs(level))
        s = np.array([-0.75, -0.3, 0.3, 0.75]) * np.arccosh(REACH / size)
        branch = np.stack([np.cosh(s), np.sinh(s)], axis=1) * size
        branch = branch if level > 0 else branch[:, ::-1]
        places += [branch, -branch]
    t = np.array([-0.85, -0.5, 0.5, 0.85]) * REACH
    return np.concatenate([*places, np.stack([t, t], axis=1), np.stack([t, -t], axis=1)])


def _streams(ax: Axes, name: str) -> object:
    """Streamlines of the in-plane velocity over the loss L; returns the image of L for its colour bar.

    On both planes the in-plane velocity is a multiple of (second, first), so its streamlines are exactly the curves on
    which first^2 - second^2 is constant; the arrows on them point along the velocity.
    """
    line = np.linspace(-REACH, REACH, 101)
    first, second = np.meshgrid(line, line)
    points, _ = _on_plane(name, first, second)
    loss = np.maximum(lyapunov(points), 1e-4)
    image = ax.pcolormesh(line, line, loss, norm=LogNorm(1e-3, 1e3), cmap="Blues", shading="auto", rasterized=True)
    ax.contour(line, line, first**2 - second**2, LEVELS, colors=[COLOURS["train"]], linewidths=0.9, linestyles="solid")
    _arrows(ax, name)
    ax.contour(line, line, points.prod(axis=-1) - 1, [0.0], colors=[COLOURS["theory"]], linewidths=2.2)
    ax.plot([1], [1], "o", ms=7, mfc="white", mec=COLOURS["theory"], mew=1.5, zorder=5)
    ax.set(xlim=(-REACH, REACH), ylim=(-REACH, REACH), aspect="equal")
    ax.grid(False)
    return image


def _arrows(ax: Axes, name: str) -> None:
    """Arrow heads along the velocity, where it is not 0."""
    first, second = _arrow_places().T
    points, drawn = _on_plane(name, first, second)
    speed = velocity(points)[:, drawn]
    length = np.linalg.norm(speed, axis=1)
    moving = length > 1e-9
    heads = (speed[moving] / length[moving, None]).T
    ax.quiver(first[moving], second[moving], *heads, color=COLOURS["train"], pivot="mid", scale=26, width=0.007,
              headwidth=5, headlength=6, headaxislength=5.5)  # fmt: skip


@styled
def plane_streams() -> Figure:
    """Streamlines over the loss L, target 1, on the planes x = w (never left by the flow) and u = 1 (left by it).

    The thick black curve is where x w u = 1; the purple line is the axis x = w = 0 of equilibria. On the second
    plane the arrows are the part of the velocity that lies in the plane.
    """
    fig, ((left, right),) = panels(1, 2, height=4.6)
    for ax, name in ((left, "x=w"), (right, "u=1")):
        image = _streams(ax, name)
        fig.colorbar(image, ax=ax, label="$L = (1 - xwu)^2/2$", location="bottom", shrink=0.85)
    left.plot([0, 0], [-REACH, REACH], color=COLOURS["norm"], lw=2.2)
    right.plot([0], [0], "o", ms=6, color=COLOURS["norm"])
    left.set(xlabel="$x = w$", ylabel="$u$", title="plane $x = w$: invariant")
    right.set(xlabel="$x$", ylabel="$w$", title="plane $u = 1$: part in the plane")
    return fig


@styled
def v_and_loss_rates(reach: float = 0.5) -> Figure:
    """The derivatives of the printed V (left) and of L (right) along the flow, on the plane x + w = 2.

    Its points are (1 + r, 1 - r, u). Blue is falling, red is growing; V grows between the surface x w u = 1 and the
    curve 3 x w u = w u + x u + x w, a horn that touches (1, 1, 1). Thin curves are levels of V and of L.
    """
    line = np.linspace(-reach, reach, 321)
    r, rise = np.meshgrid(line, line)
    points = np.stack([1 + r, 1 - r, 1 + rise], axis=-1)
    fig, axes = panels(1, 2, height=4.4, sharey=True)
    colours = SymLogNorm(1e-4, vmin=-1, vmax=1, base=10)
    shown = (
        (r"$\dot V$: grows in the red horn", v_rate(points), printed_v(points), [0.02, 0.08, 0.18]),
        (r"$\dot L$: never positive", lyapunov_rate(points), lyapunov(points), [1e-3, 1e-2, 4e-2]),
    )
    for ax, (title, rate, value, steps) in zip(axes[0], shown, strict=True):
        image = ax.pcolormesh(line, 1 + line, rate, norm=colours, cmap="RdBu_r", shading="auto", rasterized=True)
        ax.contour(line, 1 + line, value, steps, colors=[COLOURS["quiet"]], linewidths=0.9)
        ax.contour(line, 1 + line, points.prod(axis=-1) - 1, [0.0], colors=[COLOURS["theory"]], linewidths=1.8)
        if (rate > 1e-12).any():
            ax.contour(line, 1 + line, rate, [1e-12], colors=[COLOURS["test"]], linewidths=1.2)
        ax.plot([0], [1], "o", ms=7, mfc="white", mec=COLOURS["theory"], mew=1.5)
        ax.set(xlabel="$r$  (point $(1+r,\\ 1-r,\\ u)$)", title=title, aspect="equal")
        ax.grid(False)
        bar = fig.colorbar(image, ax=ax, label="rate along the flow", location="bottom", shrink=0.85)
        bar.set_ticks([-1, -1e-2, 0, 1e-2, 1])
    axes[0, 0].set_ylabel("$u$")
    return fig
