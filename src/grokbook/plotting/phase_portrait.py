"""Figures of the x w u flow: streamlines, trajectories out of the cube, where they end, V against L, invariants."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, SymLogNorm
from matplotlib.figure import Figure
from matplotlib.tri import Triangulation

from grokbook.plotting.style import COLOURS, panels, styled
from grokbook.theory.cube_limits import CubeLimits, cube_limits, largest_distance
from grokbook.theory.triple_product import NAMES, conserved, flow, limit_point, velocity
from grokbook.theory.triple_stability import lyapunov, lyapunov_rate, printed_v, v_rate

REACH = 1.6
STARTS = 14


def _grid(low: float, high: float, n: int = 101) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    line = np.linspace(low, high, n)
    first, second = np.meshgrid(line, line)
    return line, first, second


def _on_plane(name: str, first: np.ndarray, second: np.ndarray, height: float) -> tuple[np.ndarray, list[int]]:
    """Points of the plane and the indices of the two coordinates drawn: "x=w" draws x and u, "u" draws x and w."""
    if name == "x=w":
        return np.stack([first, first, second], axis=-1), [0, 2]
    return np.stack([first, second, np.full_like(first, height)], axis=-1), [0, 1]


LEVELS = np.array([-2.2, -1.5, -0.95, -0.5, -0.2, 0.0, 0.2, 0.5, 0.95, 1.5, 2.2])
"""Values of the conserved difference of squares whose curves are drawn."""


def _arrow_places(reach: float) -> np.ndarray:
    """Points (N, 2) on the curves first^2 - second^2 = level within the square: four on each branch."""
    places = []
    for level in LEVELS[LEVELS != 0]:
        size = np.sqrt(abs(level))
        s = np.array([-0.75, -0.3, 0.3, 0.75]) * np.arccosh(reach / size)
        branch = np.stack([np.cosh(s), np.sinh(s)], axis=1) * size
        branch = branch if level > 0 else branch[:, ::-1]
        places += [branch, -branch]
    t = np.array([-0.85, -0.5, 0.5, 0.85]) * reach
    return np.concatenate([*places, np.stack([t, t], axis=1), np.stack([t, -t], axis=1)])


def _streams(ax: Axes, name: str, target: float, height: float, reach: float) -> object:
    """Streamlines of the in-plane velocity over the loss L; returns the image of L for its colour bar.

    On both planes the in-plane velocity is a multiple of (second, first), so its streamlines are exactly the curves on
    which first^2 - second^2 is constant; the arrows on them point along the velocity.
    """
    line, first, second = _grid(-reach, reach)
    points, _ = _on_plane(name, first, second, height)
    loss = np.maximum(lyapunov(points, target=target), 1e-4)
    image = ax.pcolormesh(line, line, loss, norm=LogNorm(1e-3, 1e3), cmap="Blues", shading="auto", rasterized=True)
    ax.contour(line, line, first**2 - second**2, LEVELS, colors=[COLOURS["train"]], linewidths=0.9, linestyles="solid")
    _arrows(ax, name, target, height, reach)
    ax.contour(line, line, points.prod(axis=-1) - target, [0.0], colors=[COLOURS["theory"]], linewidths=2.2)
    ax.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")
    return image


def _arrows(ax: Axes, name: str, target: float, height: float, reach: float) -> None:
    """Arrow heads along the velocity, where it is not 0."""
    first, second = _arrow_places(reach).T
    points, drawn = _on_plane(name, first, second, height)
    speed = velocity(points, target=target)[:, drawn]
    length = np.linalg.norm(speed, axis=1)
    moving = length > 1e-9
    heads = (speed[moving] / length[moving, None]).T
    ax.quiver(first[moving], second[moving], *heads, color=COLOURS["train"], pivot="mid", scale=26, width=0.007,
              headwidth=5, headlength=6, headaxislength=5.5)  # fmt: skip


@styled
def plane_streams(target: float = 1.0, height: float = 1.0) -> Figure:
    """Streamlines over the loss L on the planes x = w (which the flow never leaves) and u = height (which it leaves).

    The streamlines are drawn exactly: they are the curves of constant difference of the two squares.

    The thick black curve is where x w u = target; the purple line is the axis x = w = 0 of equilibria. On the second
    plane the arrows are the part of the velocity that lies in the plane.
    """
    fig, axes = panels(1, 2, height=3.9)
    left, right = axes[0]
    _streams(left, "x=w", target, height, REACH)
    image = _streams(right, "u", target, height, REACH)
    left.plot([0, 0], [-REACH, REACH], color=COLOURS["norm"], lw=2.2, label="equilibria $x = w = 0$")
    right.plot([0], [0], "o", ms=6, color=COLOURS["norm"])
    left.plot([], [], color=COLOURS["theory"], lw=2.2, label=f"surface $xwu = {target:g}$")
    left.set(xlabel="$x = w$", ylabel="$u$", title="plane $x = w$: invariant")
    right.set(xlabel="$x$", ylabel="$w$", title=f"plane $u = {height:g}$: part in the plane")
    for ax in (left, right):
        if target == 1:
            ax.plot([1], [1], "o", ms=7, mfc="white", mec=COLOURS["theory"], mew=1.5, zorder=5)
        ax.grid(False)
    fig.colorbar(image, ax=axes[0].tolist(), label=r"$L = (\delta - xwu)^2/2$", shrink=0.9)
    fig.legend(loc="outside lower center", ncols=2)
    return fig


def _paths(starts: np.ndarray, duration: float = 40.0, n: int = 240) -> np.ndarray:
    """Trajectories (N, n, 3) at times that are dense at first."""
    times = duration * np.linspace(0, 1, n) ** 3
    return np.stack([flow(start, times, rtol=1e-8) for start in starts])


def _cube_edges(ax: Axes) -> None:
    corners = np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)])
    for a in corners:
        for b in corners:
            if np.abs(a - b).sum() == 1 and (a <= b).all():
                ax.plot(*np.stack([a, b]).T, color=COLOURS["quiet"], lw=1)


def _surface(ax: Axes, reach: float, n: int = 24) -> None:
    """The part of x w u = 1 with all coordinates up to reach: a triangle in logarithms."""
    i, j = np.array([(i, j) for i in range(n + 1) for j in range(n + 1 - i)]).T
    top = np.log(reach)
    a, b = top * (1 - 3 * i / n), top * (1 - 3 * j / n)
    ax.plot_trisurf(np.exp(a), np.exp(b), np.exp(-a - b), triangles=Triangulation(i, j).triangles,
                    color=COLOURS["measure"], alpha=0.18, linewidth=0)  # fmt: skip


@styled
def cube_trajectories(n: int = STARTS, seed: int = 0) -> Figure:
    """Trajectories of n random starts of the unit cube and where they end, in space and seen along the u-axis.

    Blue dots start, vermilion dots end, the white ring is (1, 1, 1), the green sheet is x w u = 1. Grey dashes in the
    right panel join each start to (1, 1, 1), where the papers send it.
    """
    limits = cube_limits(n, seed)
    paths = _paths(limits.starts)
    fig, axes = panels(1, 2, height=3.9)
    axes[0, 0].remove()
    space, flat = fig.add_subplot(1, 2, 1, projection="3d"), axes[0, 1]
    _draw_space(space, limits, paths)
    _draw_flat(flat, limits, paths)
    fig.legend(*flat.get_legend_handles_labels(), loc="outside lower center", ncols=4, handletextpad=0.5)
    return fig


def _draw_space(ax: Axes, limits: CubeLimits, paths: np.ndarray) -> None:
    _surface(ax, 1.45)
    _cube_edges(ax)
    for path in paths:
        ax.plot(*path.T, color=COLOURS["train"], lw=1.1)
    ax.scatter(*limits.starts.T, s=12, color=COLOURS["train"], depthshade=False)
    ax.scatter(*limits.limits.T, s=18, color=COLOURS["test"], depthshade=False)
    ax.scatter(1, 1, 1, s=60, facecolor="white", edgecolor=COLOURS["theory"], linewidth=1.5, depthshade=False)
    ax.set(xlabel="$x$", ylabel="$w$", zlabel="$u$", xlim=(0, 1.45), ylim=(0, 1.45), zlim=(0, 1.45))
    ax.set_xticks([0, 0.5, 1]), ax.set_yticks([0, 0.5, 1]), ax.set_zticks([0, 0.5, 1])
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        axis.labelpad = -6
    ax.tick_params(pad=-3)
    ax.view_init(elev=24, azim=28)
    ax.set_box_aspect(None, zoom=0.88)


def _draw_flat(ax: Axes, limits: CubeLimits, paths: np.ndarray) -> None:
    ax.plot([0, 1, 1, 0, 0], [0, 0, 1, 1, 0], color=COLOURS["quiet"], lw=1)
    for start in limits.starts:
        ax.plot([start[0], 1], [start[1], 1], color=COLOURS["quiet"], lw=0.9, ls="--")
    for path in paths:
        ax.plot(path[:, 0], path[:, 1], color=COLOURS["train"], lw=1.3)
    ax.plot(*limits.starts[:, :2].T, "o", ms=4, color=COLOURS["train"], label="start")
    ax.plot(*limits.limits[:, :2].T, "o", ms=5.5, color=COLOURS["test"], label="where it ends")
    ax.plot([1], [1], "o", ms=8, mfc="none", mec=COLOURS["theory"], mew=1.5, label="$(1, 1, 1)$")
    ax.plot([], [], color=COLOURS["quiet"], ls="--", label="as the papers draw it")
    ax.set(xlabel="$x$", ylabel="$w$", aspect="equal", xlim=(-0.05, 1.4), ylim=(-0.05, 1.4))


@styled
def limit_distribution(limits: CubeLimits) -> Figure:
    """Where uniform starts of the cube end: histogram of the distance to (1, 1, 1), and the limits' x and w.

    Left: the dashed line is the largest distance any start of the cube can have, the solid one the mean. Right: a dot
    a limit, its colour the third coordinate u = 1 / (x w); the square is the cube.
    """
    fig, axes = panels(1, 2, height=3.5)
    left, right = axes[0]
    left.hist(limits.distance, bins=45, range=(0, 0.45), density=True, color=COLOURS["measure"], alpha=0.6)
    mean, most = limits.mean_distance[0], largest_distance()
    left.axvline(mean, color=COLOURS["theory"], lw=1.6)
    left.axvline(most, color=COLOURS["theory"], ls="--", lw=1.4)
    left.set_ylim(0, left.get_ylim()[1] * 1.08)
    top = left.get_ylim()[1]
    left.text(mean + 0.008, top * 0.99, "mean", color=COLOURS["theory"], va="top")
    left.text(most - 0.008, top * 0.99, "largest", color=COLOURS["theory"], va="top", ha="right")
    left.set(xlabel="distance of the limit from $(1, 1, 1)$", ylabel="density of starts", xlim=(0, 0.46))
    shown = limits.limits[:4000]
    dots = right.scatter(shown[:, 0], shown[:, 1], c=shown[:, 2], s=4, cmap="cividis", rasterized=True)
    right.plot([0.6, 1, 1], [1, 1, 0.6], color=COLOURS["quiet"], lw=1.2)
    right.plot([1], [1], "o", ms=8, mfc="none", mec=COLOURS["test"], mew=1.8)
    right.set(xlabel="limit $x$", ylabel="limit $w$", aspect="equal", xlim=(0.62, 1.36), ylim=(0.62, 1.36))
    fig.colorbar(dots, ax=right, label="limit $u$", shrink=0.85)
    return fig


def _through_one(reach: float, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The plane x + w = 2: r (horizontal), u - 1 (vertical) and the points (1 + r, 1 - r, u)."""
    line, r, rise = _grid(-reach, reach, n)
    return line, r, np.stack([1 + r, 1 - r, 1 + rise], axis=-1)


@styled
def v_and_loss_rates(reach: float = 0.5) -> Figure:
    """The derivatives of the printed V (left) and of L (right) along the flow, on the plane x + w = 2.

    The plane goes through (1, 1, 1); its points are (1 + r, 1 - r, u). Blue is falling, red is growing; the red horn,
    between the surface x w u = 1 and the curve 3 x w u = w u + x u + x w, is where V grows; it touches (1, 1, 1). Thin
    ellipses are levels of V, thin curves on the right levels of L. One colour scale, linear below 1e-4.
    """
    line, _, points = _through_one(reach, 321)
    fig, axes = panels(1, 2, height=3.7, sharey=True)
    colours = SymLogNorm(1e-4, vmin=-1, vmax=1, base=10)
    rates = v_rate(points), lyapunov_rate(points)
    levels = (printed_v(points), [0.02, 0.08, 0.18]), (lyapunov(points), [1e-3, 1e-2, 4e-2])
    titles = r"$\dot V$: grows in the red horn", r"$\dot L$: never positive"
    for ax, rate, (value, steps), title in zip(axes[0], rates, levels, titles, strict=True):
        image = ax.pcolormesh(line, 1 + line, rate, norm=colours, cmap="RdBu_r", shading="auto", rasterized=True)
        ax.contour(line, 1 + line, value, steps, colors=[COLOURS["quiet"]], linewidths=0.9)
        ax.contour(line, 1 + line, points.prod(axis=-1) - 1, [0.0], colors=[COLOURS["theory"]], linewidths=1.8)
        if (rate > 1e-12).any():
            ax.contour(line, 1 + line, rate, [1e-12], colors=[COLOURS["test"]], linewidths=1.2)
        ax.plot([0], [1], "o", ms=7, mfc="white", mec=COLOURS["theory"], mew=1.5)
        ax.set(xlabel="$r$  (point $(1+r,\\ 1-r,\\ u)$)", title=title, aspect="equal")
        ax.grid(False)
    axes[0, 0].set_ylabel("$u$")
    fig.colorbar(image, ax=axes[0].tolist(), label="rate along the flow", shrink=0.85)
    return fig


@styled
def invariants_along_flow(
    start: Sequence[float], duration: float = 10.0, tolerances: Sequence[float] = (1e-4, 1e-7, 1e-10)
) -> Figure:
    """One trajectory with its exact limits (left) and how far the numerical flow drifts off the invariants (right).

    Left: x, w, u against time, dashes at the limits. Right: the larger change of x^2 - w^2 and w^2 - u^2, one line a
    relative tolerance of the integrator.
    """
    times = np.linspace(0, duration, 300)
    fig, axes = panels(1, 2, height=3.2)
    left, right = axes[0]
    colours = COLOURS["train"], COLOURS["test"], COLOURS["measure"]
    path, end = flow(start, times), limit_point(np.asarray(start, dtype=float))
    for values, level, name, colour in zip(path.T, end, NAMES, colours, strict=True):
        left.plot(times, values, color=colour, label=f"${name}$")
        left.axhline(level, color=colour, ls="--", lw=1)
    left.set(xlabel="time $t$", ylabel="coordinate")
    left.legend(ncols=3)
    for tolerance, width in zip(tolerances, np.linspace(1.0, 2.2, len(tolerances)), strict=True):
        kept = np.stack(conserved(flow(start, times, rtol=tolerance)))
        drift = np.abs(kept - kept[:, :1]).max(axis=0)
        right.plot(times[1:], np.maximum(drift[1:], 1e-17), color=COLOURS["norm"], lw=width)
        right.annotate(f"rtol {tolerance:.0e}", (times[-1], max(drift[-1], 1e-17)), xytext=(0, 4),
                       textcoords="offset points", ha="right", fontsize=9, color=COLOURS["norm"])  # fmt: skip
    right.set(xlabel="time $t$", ylabel="drift of the invariants", yscale="log")
    return fig
