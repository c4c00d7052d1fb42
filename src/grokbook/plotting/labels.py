"""Direct labels: a line's name beside it, in its colour, where it covers no line."""

from __future__ import annotations

from textwrap import fill
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Annotation
from matplotlib.transforms import Bbox

Place = tuple[tuple[float, float], tuple[float, float], str, str]
"""The point of a line at which its label stands, the offset from it in points, and the alignment in
both directions."""

_NAME = "_name of a line"
_OUTSIDE = f"{_NAME}, outside its axes"
_FAR = 60
"""Pixels from the other lines beyond which a place is no better."""


def name_lines(ax: Axes, size: float = 9.5) -> list[Annotation]:
    """Write beside each labelled line of the axes its label, in its colour, in place of a legend.

    A label stands left or right of its line, above or below, inside the axes: at the place farthest
    from all other lines that covers neither a line nor another text, to the left where places are
    alike. Where there is none it takes two lines, and where that does not help it stands at the
    line's end, outside. Call it when the limits are final, and again when the axes have another
    size.

    Example:
        >>> from matplotlib.figure import Figure
        >>> ax = Figure().add_subplot()
        >>> line = ax.plot([0, 1], [0, 1], label="rises")
        >>> [text.get_text() for text in name_lines(ax)]
        ['rises']
    """
    fig = ax.get_figure(root=True)
    assert fig is not None
    fig.draw_without_rendering()  # with the old labels, for which the layout leaves room
    for old in named(ax):
        old.remove()
    inside = ax.get_window_extent()
    drawn = {line: _pixels(line, inside) for line in ax.lines if line.get_visible()}
    taken = [text.get_window_extent() for text in ax.texts]
    areas = [path.vertices for area in ax.collections for path in area.get_paths()]
    edges = [_between(ax.transData.transform(area), inside) for area in areas]
    placed = []
    for line, name in zip(*ax.get_legend_handles_labels(), strict=True):
        if not isinstance(line, Line2D) or not len(drawn.get(line, ())):  # nothing of it is seen
            continue
        x, y = ax.transData.inverted().transform((inside.p0 + inside.p1) / 2)
        text = ax.annotate(
            name, (x, y), (0, 0), textcoords="offset points", color=line.get_color(), fontsize=size
        )
        text.set_label(_NAME)
        others = [points for other, points in drawn.items() if _look(other) != _look(line)]
        # in one line, else in two
        for words in (name, fill(name, len(name) // 2 + 3, break_long_words=False)):
            text.set_text(words)
            extent = text.get_window_extent()
            places = _places(drawn[line], extent.width, extent.height, fig.dpi / 72)
            if free := [
                place
                for place in places
                if _is_free(place[0], inside, [*drawn.values(), *edges], taken)
            ]:
                break
        if free:
            box, (at, offset, ha, va) = max(
                free, key=lambda place: min(_distance(place[0], others), _FAR)
            )
        else:
            text.set(text=name, label=_OUTSIDE)
            extent = text.get_window_extent()
            at = drawn[line][-1]
            offset = (4.0, 0.0)
            ha = "left"
            va = "center"
            box = Bbox.from_bounds(at[0], at[1] - extent.height / 2, extent.width, extent.height)
            while box.count_overlaps(taken):
                box = box.translated(0, extent.height)
                offset = (4, offset[1] + extent.height * 72 / fig.dpi)
        x, y = ax.transData.inverted().transform(at)
        text.xy = (x, y)
        text.xyann = offset
        text.set(ha=ha, va=va)
        taken.append(box)
        placed.append(text)
    return placed


def named(ax: Axes) -> list[Any]:
    """The labels that `name_lines` wrote."""
    return [text for text in ax.texts if text.get_label() in (_NAME, _OUTSIDE)]


def outside(fig: Figure) -> bool:
    """Whether a label that `name_lines` wrote stands outside its axes, which the layout then makes
    narrower."""
    return any(text.get_label() == _OUTSIDE for ax in fig.axes for text in named(ax))


def name_again(fig: Figure) -> None:
    """Find the labels of all lines their places again, twice where one then stands outside its
    axes."""
    for _ in range(2):
        for ax, size in [(ax, named(ax)[0].get_fontsize()) for ax in fig.axes if named(ax)]:
            name_lines(ax, size)
        if not outside(fig):
            break


def _look(line: Line2D) -> tuple[object, ...]:
    """What tells a line from those of other quantities: seeds of one share it."""
    return line.get_color(), line.is_dashed()


def _pixels(line: Line2D, inside: Bbox) -> np.ndarray:
    """Points along a line of the axes, in pixels: (n, 2)."""
    return _between(
        line.get_transform().transform(np.column_stack(line.get_data(orig=False)).astype(float)),
        inside,
    )


def _between(corners: np.ndarray, inside: Bbox) -> np.ndarray:
    """Points along the line through these corners, two pixels apart or less, that lie inside a box:
    (n, 2)."""
    corners = corners[np.isfinite(corners).all(axis=1)]
    if len(corners) < 2:
        return corners
    parts = [
        np.linspace(a, b, 2 + int(np.hypot(*(b - a)) // 2))
        for a, b in zip(corners, corners[1:], strict=False)
    ]
    points = np.concatenate(parts)
    return points[((points >= inside.p0 - 1) & (points <= inside.p1 + 1)).all(axis=1)]


def _places(
    points: np.ndarray, width: float, height: float, scale: float
) -> list[tuple[Bbox, Place]]:
    """Boxes of a label beside points of its line, each with the point, the offset in points and the
    alignment."""
    gap = 5
    found: list[tuple[Bbox, Place]] = []
    for x, y in points[:: max(1, len(points) // 40)]:
        for across, up, ha, va in (
            (-1, 0, "right", "center"),
            (1, 0, "left", "center"),
            (0, 1, "center", "bottom"),
            (0, -1, "center", "top"),
        ):
            left = x + across * gap * scale - {"right": width, "left": 0, "center": width / 2}[ha]
            low = y + up * gap * scale - {"top": height, "bottom": 0, "center": height / 2}[va]
            found.append(
                (
                    Bbox.from_bounds(left, low, width, height),
                    ((x, y), (across * gap, up * gap), ha, va),
                )
            )
    return found


def _is_free(box: Bbox, inside: Bbox, lines: list[np.ndarray], taken: list[Bbox]) -> bool:
    within = (
        box.x0 >= inside.x0 and box.x1 <= inside.x1 and box.y0 >= inside.y0 and box.y1 <= inside.y1
    )
    return (
        within
        and not box.count_overlaps(taken)
        and all(_distance(box, [points]) > 2 for points in lines)
    )


def _distance(box: Bbox, lines: list[np.ndarray]) -> float:
    """The least distance of points of lines from a box, 0 inside; infinite without any."""
    gaps = [
        np.maximum(np.maximum(box.p0 - points, points - box.p1), 0)
        for points in lines
        if len(points)
    ]
    return min((float(np.hypot(*gap.T).min()) for gap in gaps), default=np.inf)
