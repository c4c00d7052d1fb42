"""Direct labels: a line's name beside it, in its colour, where it covers no line."""

from __future__ import annotations

import itertools
from functools import partial
from textwrap import fill
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Annotation
from matplotlib.transforms import Bbox

_SIDES = (
    (-1, 0, "right", "center"),
    (1, 0, "left", "center"),
    (0, 1, "center", "bottom"),
    (0, -1, "center", "top"),
)
"""Where a label stands beside a point of its line, left and right, above and below: the direction,
and the alignment in both directions."""

_SIZE = 9.5
"""Size of a label in points."""

_GAP = 5
"""Points between a line and its label."""

_NAME = "_name of a line"
_OUTSIDE = f"{_NAME}, outside its axes"
_FAR = 60
"""Pixels from the other lines beyond which a place is no better."""


def name_lines(*axes: Axes) -> list[Annotation]:
    """Write beside each labelled line of the axes, which are of one figure, its label, in its
    colour, in place of a legend.

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
    fig = axes[0].get_figure(root=True)
    assert fig is not None
    fig.draw_without_rendering()
    texts = []
    for ax in axes:
        texts += _named_anew(ax, fig.dpi / 72)
    return texts


def _named_anew(ax: Axes, scale: float) -> list[Annotation]:
    """The labels of the lines of axes that have been drawn, with their old labels, for which the
    layout leaves room; those go. `scale` is pixels a point."""
    for old in named(ax):
        old.remove()
    inside = ax.get_window_extent()
    drawn = {line: _pixels(line, inside) for line in ax.lines if line.get_visible()}
    taken = [text.get_window_extent() for text in ax.texts]
    ink = _joined([*drawn.values(), *_edges(ax, inside)])
    placed = []
    for line, name in zip(*ax.get_legend_handles_labels(), strict=True):
        if not isinstance(line, Line2D) or not len(drawn.get(line, ())):  # nothing of it is seen
            continue
        text = ax.annotate(
            name, (0, 0), (0, 0), textcoords="offset points", color=line.get_color(), fontsize=_SIZE
        )
        text.set_label(_NAME)
        text.xy = _data(ax, (inside.p0 + inside.p1) / 2)
        # in one line, else in two
        for words in (name, fill(name, len(name) // 2 + 3, break_long_words=False)):
            text.set_text(words)
            places = _places(drawn[line], text.get_window_extent(), scale)
            free = [place for place in places if _is_free(place.box, inside, ink, taken)]
            if free:
                break
        if free:
            others = _joined([drawn[other] for other in drawn if _look(other) != _look(line)])
            place = max(free, key=partial(_room, others))
        else:
            text.set(text=name, label=_OUTSIDE)
            place = _at_the_end(drawn[line][-1], text.get_window_extent(), taken, scale)
        text.xy = _data(ax, place.at)
        text.xyann = place.offset
        text.set(ha=place.ha, va=place.va)
        taken.append(place.box)
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
        fig.draw_without_rendering()
        for ax in fig.axes:
            if named(ax):
                _named_anew(ax, fig.dpi / 72)
        if not outside(fig):
            break


def _look(line: Line2D) -> tuple[object, ...]:
    """What tells a line from those of other quantities: seeds of one share it."""
    return line.get_color(), line.is_dashed()


class _Place(NamedTuple):
    """A place of a label: its box in pixels, the point of the line, the offset from it in points,
    and the alignment in both directions."""

    box: Bbox
    at: tuple[float, float]
    offset: tuple[float, float]
    ha: str
    va: str


def _data(ax: Axes, pixel: Any) -> tuple[float, float]:
    """The data coordinates of a pixel."""
    x, y = ax.transData.inverted().transform(pixel)
    return x, y


def _pixels(line: Line2D, inside: Bbox) -> np.ndarray:
    """Points along a line of the axes, in pixels: (n, 2)."""
    corners = np.column_stack(line.get_data(orig=False)).astype(float)
    return _between(line.get_transform().transform(corners), inside)


def _edges(ax: Axes, inside: Bbox) -> list[np.ndarray]:
    """Points along the edges of each area of the axes, in pixels."""
    edges = []
    for area in ax.collections:
        for path in area.get_paths():
            edges.append(_between(ax.transData.transform(path.vertices), inside))
    return edges


def _joined(lines: list[np.ndarray]) -> np.ndarray:
    """The points of some lines, (n, 2)."""
    return np.concatenate([np.empty((0, 2)), *lines])


def _between(corners: np.ndarray, inside: Bbox) -> np.ndarray:
    """Points along the line through these corners, two pixels apart or less, that lie inside a box:
    (n, 2)."""
    corners = corners[np.isfinite(corners).all(axis=1)]
    if len(corners) < 2:
        return corners
    parts = []
    for start, end in itertools.pairwise(corners):
        parts.append(np.linspace(start, end, 2 + int(np.hypot(*(end - start)) // 2)))
    points = np.concatenate(parts)
    return points[((points >= inside.p0 - 1) & (points <= inside.p1 + 1)).all(axis=1)]


def _places(points: np.ndarray, extent: Bbox, scale: float) -> list[_Place]:
    """Places of a label of this extent beside points of its line; `scale` is pixels a point."""
    shift = {"right": extent.width, "left": 0, "top": extent.height, "bottom": 0}
    places = []
    for x, y in points[:: max(1, len(points) // 40)]:
        for across, up, ha, va in _SIDES:
            left = x + across * _GAP * scale - shift.get(ha, extent.width / 2)
            low = y + up * _GAP * scale - shift.get(va, extent.height / 2)
            box = Bbox.from_bounds(left, low, extent.width, extent.height)
            places.append(_Place(box, (x, y), (across * _GAP, up * _GAP), ha, va))
    return places


def _at_the_end(end: np.ndarray, extent: Bbox, taken: list[Bbox], scale: float) -> _Place:
    """The place right of a line's last point, as high as it covers no other text."""
    high = extent.height
    box = Bbox.from_bounds(end[0], end[1] - high / 2, extent.width, high)
    up = 0.0
    while box.count_overlaps(taken):
        box = box.translated(0, high)
        up += high / scale
    return _Place(box, (end[0], end[1]), (4, up), "left", "center")


def _is_free(box: Bbox, inside: Bbox, ink: np.ndarray, taken: list[Bbox]) -> bool:
    """Whether a box lies within another, off all texts and more than two pixels off all lines."""
    within = bool((box.p0 >= inside.p0).all() and (box.p1 <= inside.p1).all())
    return within and not box.count_overlaps(taken) and _distance(box, ink) > 2


def _room(others: np.ndarray, place: _Place) -> float:
    """Pixels from a place to the other lines, as far as more are better."""
    return min(_distance(place.box, others), _FAR)


def _distance(box: Bbox, points: np.ndarray) -> float:
    """The least distance of points (n, 2) from a box, 0 inside; infinite without any."""
    gaps = np.maximum(np.maximum(box.p0 - points, points - box.p1), 0)
    return float(np.hypot(*gaps.T).min(initial=np.inf))
