"""The phase portrait of chapter 08: streamlines on two planes over the loss."""

from __future__ import annotations

import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from grokbook.plotting.style import COLOURS, panels, styled
from grokbook.theory.triple_product import velocity
from grokbook.theory.triple_stability import lyapunov

REACH = 1.6
LEVELS = np.array([-2.2, -1.5, -0.95, -0.5, -0.2, 0.0, 0.2, 0.5, 0.95, 1.5, 2.2])
"""Values of the conserved difference of squares whose curves are drawn."""


def _arrow_places() -> np.ndarray:
    """Points (N, 2) on the curves first^2 - second^2 = level within the square: four on each branch."""
    places = []
    for level in LEVELS[LEVELS != 0]:
        size = np.sqrt(abs(level))
        s = np.array([-0.75, -0.3, 0.3, 0.75]) * np.arccosh(REACH / size)
        branch = np.stack([np.cosh(s), np.sinh(s)], axis=1)[:, :: 1 if level > 0 else -1] * size
        places += [branch, -branch]
    t = np.array([-0.85, -0.5, 0.5, 0.85]) * REACH
    return np.concatenate([*places, np.stack([t, t], axis=1), np.stack([t, -t], axis=1)])


@styled
def plane_streams() -> Figure:
    """Streamlines over the loss L, target 1, on the planes x = w (never left by the flow) and u = 1 (left by it).

    On both planes the in-plane velocity is a multiple of (second, first) coordinate, so its streamlines are exactly the
    curves on which first^2 - second^2 is constant; arrow heads on them point along the velocity, where it is not 0. The
    thick black curve is where x w u = 1; the purple line is the axis x = w = 0 of equilibria.
    """
    line = np.linspace(-REACH, REACH, 101)
    first, second = np.meshgrid(line, line)
    fig, ((left, right),) = panels(1, 2, height=4.6)
    for ax, on_plane, drawn in (
        (left, lambda a, b: np.stack([a, a, b], axis=-1), [0, 2]),
        (right, lambda a, b: np.stack([a, b, np.ones_like(a)], axis=-1), [0, 1]),
    ):
        points, places = on_plane(first, second), _arrow_places()
        loss = np.maximum(lyapunov(points), 1e-4)
        image = ax.pcolormesh(line, line, loss, norm=LogNorm(1e-3, 1e3), cmap="Blues", shading="auto", rasterized=True)
        ax.contour(line, line, first**2 - second**2, LEVELS, colors=[COLOURS["train"]], linewidths=0.9,
                   linestyles="solid")  # fmt: skip
        speed = velocity(on_plane(*places.T))[:, drawn]
        length = np.linalg.norm(speed, axis=1)
        moving = length > 1e-9
        ax.quiver(*places[moving].T, *(speed[moving] / length[moving, None]).T, color=COLOURS["train"], pivot="mid",
                  scale=26, width=0.007, headwidth=5, headlength=6, headaxislength=5.5)  # fmt: skip
        ax.contour(line, line, points.prod(axis=-1) - 1, [0.0], colors=[COLOURS["theory"]], linewidths=2.2)
        ax.plot([1], [1], "o", ms=7, mfc="white", mec=COLOURS["theory"], mew=1.5, zorder=5)
        ax.set(xlim=(-REACH, REACH), ylim=(-REACH, REACH), aspect="equal")
        ax.grid(False)
        fig.colorbar(image, ax=ax, label="$L = (1 - xwu)^2/2$", location="bottom", shrink=0.85)
    left.plot([0, 0], [-REACH, REACH], color=COLOURS["norm"], lw=2.2)
    right.plot([0], [0], "o", ms=6, color=COLOURS["norm"])
    left.set(xlabel="$x = w$", ylabel="$u$", title="plane $x = w$: invariant")
    right.set(xlabel="$x$", ylabel="$w$", title="plane $u = 1$: part in the plane")
    return fig
