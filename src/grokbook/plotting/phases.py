"""Phase diagrams as measured cells, colour and letter side by side."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.patches import Patch, PathPatch
from matplotlib.path import Path
from matplotlib.transforms import Bbox, BboxTransformTo

from grokbook.curves.phases import OPEN, PHASES, fractions
from grokbook.plotting.palette import PHASES as COLOURS
from grokbook.plotting.style import panels, styled

READABLE = {
    "decoder_lr": "decoder learning rate",
    "encoder_lr": "embedding learning rate",
    "decoder_weight_decay": "decoder weight decay",
    "last_lr": "learning rate of the last layer",
    "train_fraction": "share trained",
    "weight_decay": "weight decay",
    "encoder_weight_decay": "embedding weight decay",
    "batch_size": "batch size",
    "spread": "initialisation scale",
}


def short(value: float) -> str:
    """A number for the side of a diagram.

    Example:
        >>> short(0.0001), short(0.000251189), short(0.0139), short(45.0)
        ('1e-4', '2.5e-4', '0.014', '45')
    """
    if value and (abs(value) < 0.01 or abs(value) >= 10_000):
        digits, power = f"{value:.1e}".split("e")
        return f"{digits.removesuffix('.0')}e{int(power)}"
    return f"{value:.{2 if abs(value) < 10 else 3}g}"


def _panels(title: str, phase: xr.DataArray) -> dict[str, xr.DataArray]:
    """Diagrams of two axes: of cells with more, one for each value of the others; a missing axis
    has one place."""
    names = [str(name) for name in phase.dims if name != "seed"]
    if len(names) <= 2:
        for blank in ("", " ")[: 2 - len(names)]:
            phase = phase.expand_dims({blank: [0]})
        return {title: phase}
    parts: dict[str, xr.DataArray] = {}
    for place, value in enumerate(phase[names[0]].values):
        parts |= _panels(f"{title}, {names[0]} = {value}", phase.isel({names[0]: place}))
    return parts


def sides(phase: xr.DataArray) -> tuple[str, str]:
    """The axes of a diagram: what goes across (a rate of the decoder, where there is one) and what
    goes down."""
    names = [str(name) for name in phase.dims if name != "seed"]
    across = "decoder_lr" if "decoder_lr" in names else names[-1]
    return across, next(name for name in names if name != across)


@styled
def diagrams(cells: Mapping[str, xr.DataArray], columns: int = 1) -> Figure:
    """A panel a diagram: letters over two axes and, where there are several, seeds (dim `seed`).

    A cell is one measured setting. With several seeds its colours are shares of the seeds and its
    letter the phase of most of them; a cell that was not run, or is not decided, is hatched.
    Nothing is interpolated. Of cells over more than two axes each value of the first ones has a
    panel of its own.
    """
    parts: dict[str, xr.DataArray] = {}
    for title, phase in cells.items():
        parts |= _panels(title, phase)
    rows = -(-len(parts) // columns)
    tallest = max(phase.sizes[sides(phase)[1]] for phase in parts.values())
    fig, axes = panels(rows, columns, height=rows * (1.3 + 0.24 * tallest) + 0.4)
    for ax, (title, phase) in zip(axes.ravel(), parts.items(), strict=False):
        _diagram(ax, phase)
        ax.set_title(title, fontsize=9.5)
    for ax in axes.ravel()[len(parts) :]:
        ax.set_visible(False)
    letters = np.concatenate([phase.values.ravel() for phase in parts.values()])
    handles = []
    for letter, name in PHASES.items():
        if letter in letters:
            handles.append(Patch(fc=COLOURS[letter][0], ec="#555", label=f"{letter} {name}"))
    if OPEN in letters:
        handles.append(Patch(fc="white", ec="#777", hatch="////", label="not run, or not decided"))
    fig.legend(
        handles=handles, loc="outside lower center", ncols=min(len(handles), 3), fontsize=8.5
    )
    return fig


def _diagram(ax: Axes, phase: xr.DataArray) -> None:
    """The cells of one diagram, the first value of the axis that goes down at the top."""
    across, down = sides(phase)
    shares = fractions(phase).transpose("phase", down, across)
    strips: dict[str, list[Path]] = {}
    letters: dict[str, list[tuple[float, float]]] = {}
    for (y, x), known in np.ndenumerate(shares.notnull().all("phase").values):
        _cell(x, y, shares.values[:, y, x] if known else None, strips, letters)
    # one path and one marker a phase: a page of large diagrams stays light
    for letter, places in strips.items():
        look = {"fc": "white", "hatch": "////"} if letter == OPEN else {"fc": COLOURS[letter][0]}
        ax.add_patch(PathPatch(Path.make_compound_path(*places), ec="#77777766", lw=0.5, **look))
    for letter, middles in letters.items():
        ink = {"X": "white", "T": "black"}.get(letter, COLOURS["letter"][0])
        ax.plot(
            *np.transpose(middles), ls="", marker=rf"$\mathrm{{{letter}}}$", ms=6, color=ink, mew=0
        )
    _ticks(ax.xaxis, phase[across], every=-(-phase.sizes[across] // 8))
    _ticks(ax.yaxis, phase[down], every=1)
    ax.tick_params(labelsize=8, length=0)
    ax.set(xlim=(-0.5, phase.sizes[across] - 0.5), ylim=(phase.sizes[down] - 0.5, -0.5))
    ax.grid(False)


def _ticks(axis: Axis, values: xr.DataArray, every: int) -> None:
    """The values of an axis, every so many of them, and its name; a missing axis has none."""
    name = str(values.name)
    labels = []
    for value in values.values[::every].tolist():
        number = value if isinstance(value, str) else short(value)
        labels.append(number if name.strip() else "")
    axis.set_ticks(range(0, values.size, every), labels)
    axis.set_label_text(READABLE.get(name, name), fontsize=8.5)


def _cell(
    x: int,
    y: int,
    shares: np.ndarray | None,
    strips: dict[str, list[Path]],
    letters: dict[str, list[tuple[float, float]]],
) -> None:
    """One cell: strips as wide as the shares of the phases, one of more than half with its letter;
    open for None."""
    widths = {OPEN: 1.0} if shares is None else dict(zip(PHASES, shares, strict=True))
    left = x - 0.48
    for letter, share in widths.items():
        box = Bbox.from_bounds(left, y - 0.46, 0.96 * share, 0.92)
        if share > 0:
            strip = Path.unit_rectangle().transformed(BboxTransformTo(box))
            strips.setdefault(letter, []).append(strip)
        if share > 0.5 and letter != OPEN:
            letters.setdefault(letter, []).append((left + 0.48 * share, y))
        left += 0.96 * share
