"""A matplotlib figure as a page shows it: one SVG for light, dark and print, and one more for a
narrow screen.

Colours are CSS variables with a value for each scheme: the palette's, or for any other colour one
of the same hue that stands out as much on the dark page. The cells of heat maps are paths in such
colours. The narrow drawing is the same figure with its panels below one another. Nothing is drawn
anew, so it cannot differ.
"""

from __future__ import annotations

import io
import itertools
import re
import warnings
from collections import Counter
from collections.abc import Mapping
from typing import Any

NARROW = "application/vnd.grokbook.narrow+svg"
"""The type under which an output carries the drawing for a narrow screen, beside the one for a wide
screen."""

Colours = list[list[str]]
"""The colours of the cells of a heat map, row after row; "" where there is none."""

LEVELS = 24
"""A colour scale has so many steps, each of which is a variable of the drawing."""

_MANY = 20_000
"""From so many cells on a scale has a third of the steps: the drawing stays light."""
_INCHES = 3.7
_PAGE_PIXELS = 350
_LEAST_PIXELS = 8
"""Width of a narrow drawing; width of the text on a phone of 390 pixels; the smallest type that is
read there."""
_DECIMALS = re.compile(r"(?<=[0-9]\.[0-9]{2})[0-9]+")
_FONTS = {"svg.hashsalt": "grokbook", "svg.fonttype": "path", "image.composite_image": False}
_UNSAID = dict.fromkeys(("Date", "Creator", "Format", "Type"))
_FRAME = re.compile(
    r'<g id="(cells\d+)">\s*<path d="M (\S+) (\S+)\s+L \S+ \S+\s+L (\S+) (\S+)[^"]*"([^>]*?)'
    r' style="(?:[^"]*?(opacity: [0-9.]+))?[^"]*"/>'
)


def drawings(fig: Any) -> dict[str, str]:
    """The figure for a wide screen and, where its panels can be stacked, for a narrow one, as SVG.

    Changes the figure: frames stand for its heat maps, and `narrow` stacks it.
    """
    from grokbook.plotting.labels import name_again, outside

    if outside(fig):  # a label beside its axes made them narrower after the others had their places
        name_again(fig)
    cells = _framed(fig)
    made = {"image/svg+xml": _svg(fig, cells)}
    small = narrow(fig, cells)
    return made if small is None else {**made, NARROW: small}


def wide(fig: Any) -> str:
    """The SVG for a wide screen alone; frames stand for heat maps of the figure afterwards."""
    return _svg(fig, _framed(fig))


def _framed(fig: Any) -> dict[str, Colours]:
    """Put a frame in place of each heat map of even cells; the cells' colours by the frame's name,
    "" where none is."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.collections import QuadMesh
    from matplotlib.image import AxesImage
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    for scaled in fig.findobj(lambda one: isinstance(one, ScalarMappable)):
        values = scaled.get_array()
        if values is not None and scaled.cmap.N > LEVELS:  # a colour bar is drawn anew by this
            levels = LEVELS if values.size < _MANY else LEVELS // 3
            scaled.set_cmap(scaled.cmap.resampled(levels))
    cells: dict[str, Colours] = {}
    for one in fig.findobj(lambda one: isinstance(one, AxesImage | QuadMesh)):
        corners = _corners(one) if one.get_visible() else None
        if corners is None:
            continue
        name = f"cells{len(cells)}"
        look = {"gid": name, "zorder": one.get_zorder(), "alpha": one.get_alpha()}
        one.axes.add_artist(PathPatch(Path(corners), transform=one.get_transform(), **look))
        one.set_visible(False)
        cells[name] = _colours(one.to_rgba(one.get_array()))
    return cells


def _colours(image: Any) -> Colours:
    """The colours of an image (rows, columns, 4), each of them written once; "" where it is
    clear."""
    import numpy as np
    from matplotlib.colors import to_hex

    high, across, _ = image.shape
    known, which = np.unique(image.reshape(-1, 4), axis=0, return_inverse=True)
    written = np.array([to_hex(colour) if colour[3] else "" for colour in known])
    return written[which.reshape(high, across)].tolist()


def _corners(heat_map: Any) -> Any:
    """The four corners of a heat map, from its first cell on; None where its cells are uneven."""
    import numpy as np

    if hasattr(heat_map, "get_extent"):
        left, right, low, high = heat_map.get_extent()
        first, last = (high, low) if heat_map.origin == "upper" else (low, high)
        return np.array([(left, first), (right, first), (right, last), (left, last)])
    at = heat_map.get_coordinates()
    for line in (at[0], at[:, 0]):
        steps = np.diff(heat_map.get_transform().transform(line), axis=0)
        if not np.allclose(steps, steps[0], rtol=0.02):
            return None
    return at[[0, 0, -1, -1], [0, -1, -1, 0]]


def _svg(fig: Any, cells: Mapping[str, Colours]) -> str:
    """The SVG, the same bytes each time, coordinates to a hundredth of a point, looks and colours
    said once."""
    import matplotlib as mpl

    buffer = io.StringIO()
    looks = {}
    with mpl.rc_context(_FONTS):
        fig.savefig(buffer, format="svg", metadata=_UNSAID, bbox_inches="tight", transparent=True)
    text = _FRAME.sub(
        lambda found: _filled(cells[found[1]], *found.groups()[1:]), buffer.getvalue()
    )
    text = re.sub(r' (?:d|x|y)="[^"]*"', lambda found: _DECIMALS.sub("", found[0]), text)
    text = re.sub(r' fill="(#\w+)"', r' style="fill: \1"', text)
    text = re.sub(
        r' style="([^"]*)"',
        lambda found: f' class="{looks.setdefault(found[1], f"k{len(looks)}")}"',
        text,
    )
    rules = ""
    for look, name in looks.items():
        rules += f".{name}{{{look}}}"
    return text.replace("</style>", f"{_schemes(rules)}</style>", 1)


def _filled(
    rows: Colours, x: str, y: str, right: str, low: str, clip: str, opacity: str | None
) -> str:
    """The cells of a frame: a path of runs for each colour; the most frequent lies below where
    there is no gap."""
    runs: dict[str, str] = {}
    for down, row in enumerate(rows):
        left = 0
        for colour, same in itertools.groupby(row):
            size = len(list(same))
            runs[colour] = f"{runs.get(colour, '')}M{left} {down}h{size}v1h-{size}z"
            left += size
    across = len(rows[0])
    if not runs.pop("", None):
        most = Counter(itertools.chain(*rows)).most_common(1)[0][0]
        del runs[most]
        runs = {most: f"M0 0h{across}v{len(rows)}h-{across}z"} | runs
    paths = ""
    for colour, path in runs.items():
        paths += f'<path d="{path}" style="fill: {colour}"/>'
    wide = (float(right) - float(x)) / across
    high = (float(low) - float(y)) / len(rows)
    scale = f"translate({x} {y}) scale({wide:.5f} {high:.5f})"
    place = f'transform="{scale}" shape-rendering="crispEdges"'
    return f'<g style="{opacity or ""}"{clip}><g {place}>{paths}</g>'


def _schemes(rules: str) -> str:
    """Rules of CSS with a variable for each colour, after its values on a light and on a dark
    page."""
    from grokbook.plotting.palette import PALETTE, PHASES, mirrored

    names = {}
    for name, (light, dark) in (PALETTE | PHASES).items():
        names[light.lower()] = (name, dark)
    used = {PALETTE["theory"][0]: ("theory", PALETTE["theory"][1])}

    def variable(found: re.Match[str]) -> str:
        used[found[0]] = names.get(found[0]) or (found[0][1:], mirrored(found[0]))
        return f"var(--gb-{used[found[0]][0]})"

    rules = re.sub(r"#[0-9a-f]{6}", variable, rules)
    by_day = ""
    by_night = ""
    for colour, (name, other) in used.items():
        by_day += f"--gb-{name}:{colour};"
        by_night += f"--gb-{name}:{other};"
    start = f":root{{color-scheme:light dark;fill:var(--gb-theory);{by_day}}}"
    return f"{start}@media (prefers-color-scheme:dark){{:root{{{by_night}}}}}{rules}"


def narrow(fig: Any, cells: Mapping[str, Colours]) -> str | None:
    """The SVG of the figure with its panels below one another; None where they cannot be, or type
    were too small.

    Changes the figure: its size, the places of its axes, the columns of its legends.
    """
    from matplotlib.text import Text

    from grokbook.plotting.labels import name_again

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        if not _stack(fig):
            return None
        name_again(fig)  # in axes of another size
        text = _svg(fig, cells)
    size = re.search(r'width="([0-9.]+)pt" height="([0-9.]+)pt"', text)
    if said or size is None:
        return None
    smallest = 12.0
    for one in fig.findobj(Text):
        if one.get_visible() and one.get_text().strip():
            smallest = min(smallest, one.get_fontsize())
    return text if smallest * _PAGE_PIXELS / float(size[1]) >= _LEAST_PIXELS else None


def _stack(fig: Any) -> bool:
    """Put the axes into one column, more than six panels or two square ones into two; False where
    they cannot be."""
    from matplotlib.gridspec import GridSpec

    axes = [ax for ax in fig.axes if not hasattr(ax, "_colorbar")]
    specs = [ax.get_subplotspec() for ax in axes]
    if not axes or None in specs or len({id(spec.get_gridspec()) for spec in specs}) > 1:
        return False
    places = sorted(set(map(_place, axes)))
    square = len(places) > 2 and all(ax.get_box_aspect() for ax in axes)
    many = len(places) > 6 and max(column for _, column in places) > 0
    across = 2 if square or many else 1
    rows = -(-len(places) // across)
    _label_all(axes, places)
    heights = [0.0] * rows
    for ax in axes:
        row = places.index(_place(ax)) // across
        heights[row] = max(heights[row], _height(fig, ax, _INCHES / across, square))
    legends = 0.25 * sum(len(legend.get_texts()) for legend in fig.legends)
    fig.set_size_inches(_INCHES, sum(heights) + legends)
    grid = GridSpec(rows, across, figure=fig, height_ratios=heights)
    for ax in axes:
        row, column = divmod(places.index(_place(ax)), across)
        ax.set_subplotspec(grid[row, column])
        for title in (ax.title, ax._left_title, ax._right_title, ax.xaxis.label):
            title.set_wrap(True)
    for legend in list(fig.legends):
        _write_again(fig, legend)
    return True


def _place(ax: Any) -> tuple[int, int]:
    """Row and column of axes."""
    spec = ax.get_subplotspec()
    return spec.rowspan.start, spec.colspan.start


def _height(fig: Any, ax: Any, wide: float, square: bool) -> float:
    """The height in inches that a panel so wide needs with its ticks."""
    high = max(1.3, ax.get_position(original=True).height * fig.get_figheight())
    is_ticked = len(ax.get_xticks()) > 0 and ax.axison
    if square:  # beside its ticks
        high = min(high, wide - 0.45 if is_ticked else wide)
    elif ax.get_aspect() == 1:  # as high as its picture is at this width
        high = min(high, wide * ax.get_data_ratio())
    return high + (0.75 if is_ticked else 0.35)


def _write_again(fig: Any, legend: Any) -> None:
    """Put a legend of the figure anew, with as many columns as there is room for."""
    texts = [text.get_text() for text in legend.get_texts()]
    longest = max(map(len, texts), default=1)
    columns = int(_INCHES * 72 // (5.2 * longest + 42))
    outside = getattr(legend, "_outside_loc", None)
    place = f"outside {outside} center" if outside in ("lower", "upper") else legend._loc
    look = {
        "ncols": max(1, min(legend._ncols, columns)),
        "fontsize": legend.get_texts()[0].get_fontsize() if texts else 9,
    }
    legend.remove()
    fig.legend(legend.legend_handles, texts, loc=place, **look)


def _label_all(axes: list[Any], places: list[tuple[int, int]]) -> None:
    """Give panels that leave titles and labels to a neighbour (of their column, row, axes) their
    own: it moves away."""
    if len(places) < 2:
        return
    at = {_place(ax): ax for ax in axes if ax.axison}
    if len({column for _, column in at}) > 1:
        tops: dict[int, Any] = {}
        firsts: dict[int, Any] = {}
        for (row, column), ax in sorted(at.items()):
            _take_over(ax._left_title, tops.setdefault(column, ax)._left_title)
            _take_over(ax.yaxis.label, firsts.setdefault(row, ax).yaxis.label)
    for ax in filter(lambda ax: ax.axison, axes):
        for other in ax.get_shared_y_axes().get_siblings(ax):
            if other is not ax:
                ax.tick_params(axis="y", labelleft=True)
                _take_over(ax.yaxis.label, other.yaxis.label)
        for other in ax.get_shared_x_axes().get_siblings(ax):
            if other is not ax:
                ax.tick_params(axis="x", labelbottom=True)
                _take_over(ax.xaxis.label, other.xaxis.label)


def _take_over(own: Any, other: Any) -> None:
    """Give a text that is empty the words and the size of another."""
    if not own.get_text():
        own.set(text=other.get_text(), fontsize=other.get_fontsize())
