"""A matplotlib figure as a page shows it: light in bytes, legible in the dark, and once more for a narrow screen.

The narrow drawing is the same figure with its panels below one another. Nothing is drawn anew, so it cannot differ.
"""

from __future__ import annotations

import io
import re
import warnings
from base64 import b64encode
from colorsys import rgb_to_hls
from typing import Any

NARROW = "application/vnd.grokbook.narrow+svg"
"""The type under which an output carries the drawing for a narrow screen, beside the one for a wide screen."""

MAX_SVG_BYTES = 300_000
"""A drawing larger than this as SVG is put on the page as PNG."""

_INCHES, _PAGE_PIXELS, _LEAST_PIXELS = 3.7, 350, 8
"""Width of a narrow drawing; width of the text on a phone of 390 pixels; the smallest type that is read there."""
_SHADES = re.compile(r"\b(black|white|dark|darker|pale|light|lighter)\b", re.IGNORECASE)
_DECIMALS = re.compile(r"(?<=[0-9]\.[0-9]{2})[0-9]+")
_FONTS = {"svg.hashsalt": "grokbook", "svg.fonttype": "path"}
_KEEP = {"bbox_inches": "tight", "facecolor": "white"}


def drawings(fig: Any) -> dict[str, str]:
    """The figure for a wide screen as SVG or PNG and, where its panels can be stacked, for a narrow one as SVG."""
    made = wide(fig)
    small = narrow(fig)
    return made if small is None else {**made, NARROW: small}


def wide(fig: Any) -> dict[str, str]:
    """The drawing as SVG, the same bytes each time, on an opaque ground; as PNG when that is too large."""
    text = _svg(fig)
    if len(text) <= MAX_SVG_BYTES:
        return {"image/svg+xml": text}
    buffer = io.BytesIO()
    fig.savefig(buffer, format="png", dpi=180, metadata={"Software": None}, **_KEEP)
    return {"image/png": b64encode(buffer.getvalue()).decode()}


def _svg(fig: Any) -> str:
    """The SVG with coordinates of paths to a hundredth of a point."""
    import matplotlib as mpl

    buffer = io.StringIO()
    with mpl.rc_context(_FONTS):
        fig.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None}, **_KEEP)
    return re.sub(r' (?:d|x|y)="[^"]*"', lambda found: _DECIMALS.sub("", found[0]), buffer.getvalue())


def keeps_colours(fig: Any, words: str) -> bool:
    """Whether the dark page must not turn light into dark: for a colour scale, shades named in `words`, a bright fill.

    A fill such as yellow would be brown there.

    >>> from matplotlib.figure import Figure
    >>> keeps_colours(Figure(), "Blue: the training set."), keeps_colours(Figure(), "Black: the bound.")
    (False, True)
    """
    from matplotlib.patches import Patch

    scaled = any(one.get_array() is not None for one in fig.findobj(lambda one: hasattr(one, "get_array")))
    fills = (rgb_to_hls(*one.get_facecolor()[:3]) for one in fig.findobj(Patch) if one.get_fill())
    return bool(_SHADES.search(words)) or scaled or any(0.5 < light < 0.9 and vivid > 0.8 for _, light, vivid in fills)


def narrow(fig: Any) -> str | None:
    """The SVG of the figure with its panels below one another; None where they cannot be, or type were too small.

    Changes the figure: its size, the places of its axes, the columns of its legends.
    """
    from matplotlib.text import Text

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        if not _stack(fig):
            return None
        text = _svg(fig)
    size = re.search(r'width="([0-9.]+)pt" height="([0-9.]+)pt"', text)
    if said or size is None or len(text) > MAX_SVG_BYTES:
        return None
    types = (t.get_fontsize() for t in fig.findobj(Text) if t.get_visible() and t.get_text().strip())
    return text if min(types, default=12) * _PAGE_PIXELS / float(size[1]) >= _LEAST_PIXELS else None


def _stack(fig: Any) -> bool:
    """Put the axes into one column (two where there are more than six panels); False where that is not possible."""
    from matplotlib.gridspec import GridSpec

    axes = [ax for ax in fig.axes if not hasattr(ax, "_colorbar")]
    specs = [ax.get_subplotspec() for ax in axes]
    if not axes or None in specs or len({id(s.get_gridspec()) for s in specs}) > 1:
        return False
    places = sorted({(s.rowspan.start, s.colspan.start) for s in specs})
    across = 2 if len(places) > 6 and max(column for _, column in places) > 0 else 1
    high = max(ax.get_position().height for ax in axes) * fig.get_figheight()
    rows = -(-len(places) // across)
    _label_all(axes, places)
    fig.set_size_inches(_INCHES, rows * (max(high, 1.3) + 0.75) + 0.25 * sum(len(k.get_texts()) for k in fig.legends))
    grid = GridSpec(rows, across, figure=fig)
    for ax, spec in zip(axes, specs, strict=True):
        place = places.index((spec.rowspan.start, spec.colspan.start))
        ax.set_subplotspec(grid[place // across, place % across])
        for title in (ax.title, ax._left_title, ax._right_title, ax.xaxis.label):
            title.set_wrap(True)
    for legend in list(fig.legends):  # written again, with as many columns as there is room for
        texts = [text.get_text() for text in legend.get_texts()]
        columns = max(1, min(legend._ncols, int(_INCHES * 72 // (5.2 * max(map(len, texts), default=1) + 42))))
        outside = getattr(legend, "_outside_loc", None)
        place = f"outside {outside} center" if outside in ("lower", "upper") else legend._loc
        legend.remove()
        type_size = legend.get_texts()[0].get_fontsize() if texts else 9
        fig.legend(legend.legend_handles, texts, loc=place, ncols=columns, fontsize=type_size)
    return True


def _label_all(axes: list[Any], places: list[tuple[int, int]]) -> None:
    """Give panels that leave their labels to a neighbour (shared axes) their own: the neighbour may stand elsewhere."""
    if len(places) < 2:
        return
    for ax in axes:
        for name, siblings in (("y", ax.get_shared_y_axes()), ("x", ax.get_shared_x_axes())):
            shared = [one for one in siblings.get_siblings(ax) if one is not ax]
            if not shared or not ax.axison:
                continue
            ax.tick_params(axis=name, **{"labelleft" if name == "y" else "labelbottom": True})
            own, others = getattr(ax, f"{name}axis").label, [getattr(one, f"{name}axis").label for one in shared]
            if not own.get_text():
                own.set_text(next((label.get_text() for label in others if label.get_text()), ""))
