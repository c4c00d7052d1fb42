"""Phase diagrams as measured cells, colour and letter side by side; and the same cells for the
page's script."""

from __future__ import annotations

import html
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch, PathPatch
from matplotlib.path import Path
from matplotlib.transforms import Bbox, BboxTransformTo

from grokbook.curves.phases import OPEN, PHASES, fractions
from grokbook.plotting.palette import PHASES as COLOURS
from grokbook.plotting.style import panels, styled

POINTS = 60
"""Points of each curve that are given to the page, at equal distances in the logarithm of their
number."""

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
    if len(names) > 2:
        shown = phase[names[0]].values
        parts = (
            _panels(f"{title}, {names[0]} = {value}", phase.isel({names[0]: i}))
            for i, value in enumerate(shown)
        )
        return {name: part for found in parts for name, part in found.items()}
    for extra in ("", " ")[: 2 - len(names)]:
        phase = phase.expand_dims({extra: [0]})
    return {title: phase}


def _sides(phase: xr.DataArray) -> tuple[str, str]:
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
    cells = {
        name: part for title, phase in cells.items() for name, part in _panels(title, phase).items()
    }
    rows = -(-len(cells) // columns)
    tallest = max(phase.sizes[_sides(phase)[1]] for phase in cells.values())
    fig, axes = panels(rows, columns, height=rows * (1.3 + 0.24 * tallest) + 0.4)
    for ax, (title, phase) in zip(axes.ravel(), cells.items(), strict=False):
        _diagram(ax, phase)
        ax.set_title(title, fontsize=9.5)
    for ax in axes.ravel()[len(cells) :]:
        ax.set_visible(False)
    seen = [letter for letter in PHASES if any((phase == letter).any() for phase in cells.values())]
    handles = [Patch(fc=COLOURS[k][0], ec="#555", label=f"{k} {PHASES[k]}") for k in seen]
    if any((phase == OPEN).any() for phase in cells.values()):
        handles.append(Patch(fc="white", ec="#777", hatch="////", label="not run, or not decided"))
    fig.legend(
        handles=handles, loc="outside lower center", ncols=min(len(handles), 3), fontsize=8.5
    )
    return fig


def _diagram(ax: Axes, phase: xr.DataArray) -> None:
    """The cells of one diagram, the first value of the axis that goes down at the top."""
    across, down = _sides(phase)
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
    for name, axis in ((across, ax.xaxis), (down, ax.yaxis)):
        values = phase[name].values
        every = -(-len(values) // 8) if axis is ax.xaxis else 1
        shown = [
            value if isinstance(value, str) else short(value) for value in values[::every].tolist()
        ]
        axis.set_ticks(range(0, len(values), every), shown if name.strip() else [""] * len(shown))
        axis.set_label_text(READABLE.get(name, name), fontsize=8.5)
    ax.tick_params(labelsize=8, length=0)
    ax.set(xlim=(-0.5, phase.sizes[across] - 0.5), ylim=(phase.sizes[down] - 0.5, -0.5))
    ax.grid(False)


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
        if share > 0:
            box = Bbox.from_bounds(left, y - 0.46, 0.96 * share, 0.92)
            strips.setdefault(letter, []).append(
                Path.unit_rectangle().transformed(BboxTransformTo(box))
            )
            if share > 0.5 and letter != OPEN:
                letters.setdefault(letter, []).append((left + 0.48 * share, y))
            left += 0.96 * share


SAME = " "
"""A cell in which a diagram is as the one beside it; `mosaic` leaves it empty."""

_SIDE, _TOP, _FOOT = 36, 20, 18


def mosaic(rows: Mapping[str, Mapping[str, xr.DataArray]]) -> str:
    """Diagrams as HTML, side by side in each titled row: cells of 14 pixels or more, their phase
    said on hover.

    A cell with several seeds is divided into the shares of their phases, a share that is not
    decided has a stroke, and cells that are `SAME` are empty. On a narrow page the diagrams of a
    row stand below one another.
    """
    seen = {str(k) for row in rows.values() for phase in row.values() for k in np.unique(phase)}
    keys = "".join(
        f'<span><i class="{k}"></i>{name}</span> ' for k, name in PHASES.items() if k in seen
    )
    schemes = "".join(
        f"{scheme}.gb-mosaic .{k}{{fill:{COLOURS[k][n]};background:{COLOURS[k][n]}}}"
        for n, scheme in enumerate(("", 'html[data-theme="dark"] '))
        for k in PHASES
    )
    look = files(__package__).joinpath("mosaic.css").read_text(encoding="utf-8")
    open_key = " (a stroke: not decided)" if OPEN in seen else ""
    body = ""
    for title, row in rows.items():
        body += f"<p><b>{html.escape(title)}</b></p>" if title else ""
        body += f"<div>{''.join(_mosaic(*panel) for panel in row.items())}</div>"
    return (
        '<div class="gb-mosaic'
        f' gb-wide"><style>\n{look}{schemes}</style>{body}<p>{keys}{open_key}</p></div>'
    )


def _mosaic(title: str, phase: xr.DataArray) -> str:
    """One diagram of `mosaic` as SVG: a path a phase, values of the axes that are not crowded."""
    across, down = _sides(phase)
    cells = (
        (phase if "seed" in phase.dims else phase.expand_dims("seed"))
        .transpose(down, across, "seed")
        .values
    )
    high, wide, seeds = cells.shape
    side = 16 if wide > 6 else 36
    paths = dict.fromkeys([*PHASES, OPEN], "")
    for y, x in np.ndindex(high, wide):
        left = x * side + 0.5
        for letter in paths:
            width = round((side - 1) * (cells[y, x] == letter).sum() / seeds, 1)
            if width:
                paths[letter] += f"M{left:g} {y * side + 0.5}h{width:g}v{side - 1}h-{width:g}z"
                left += width
    drawn = "".join(
        f'<path class="{k}" d="{d}" fill="{COLOURS.get(k, ("none",))[0]}" stroke="#777"'
        ' stroke-width=".5">'
        f"<title>{PHASES.get(k, 'not decided')}</title></path>"
        for k, d in paths.items()
        if d
    )
    every = (wide - 1) // 3 if wide > 6 else 1
    marks = [
        ((x + 0.5) * side, high * side + 13, "middle", phase[across].values[x])
        for x in range(0, wide, every)
    ]
    marks += [(-4, (y + 0.5) * side + 4, "end", phase[down].values[y]) for y in range(high)]
    words = "".join(
        f'<text x="{x:g}" y="{y:g}" text-anchor="{at}">{short(v)}</text>' for x, y, at, v in marks
    )
    said = html.escape(
        f"{title}; across: {READABLE.get(across, across)}, down: {READABLE.get(down, down)}"
    )
    size = _SIDE + wide * side + 4, _TOP + high * side + _FOOT
    look = f"flex-basis:{0.8 * size[0]:.0f}px;max-width:{1.25 * size[0]:.0f}px"
    look += '" class="gb-few' if wide <= 10 else ""  # two go into a row of a phone
    about = (
        f'viewBox="{-_SIDE} {-_TOP} {size[0]} {size[1]}" role="img" aria-label="{said}"'
        f' style="{look}"'
    )
    name = f'<text x="-30" y="-7">{html.escape(title)}</text>'
    drawn += (
        f'<rect width="{wide * side}" height="{high * side}" fill="none" stroke="#777"'
        ' stroke-width=".5"/>'
    )
    return f'<svg xmlns="http://www.w3.org/2000/svg" {about}>{name}{words}{drawn}</svg>'


def explorable(dataset: xr.Dataset, found: xr.Dataset) -> dict[str, Any]:
    """What the script `phase_explorer` draws: of every cell of one seed its phase, curves and
    embedding at the end.

    `dataset` is that of a sweep and `found` its `grokbook.curves.phases.phases`, both of one seed.
    Accuracies are in thousandths at `POINTS` or fewer of the logged steps of each run, its last
    among them; the embedding (the first number of each symbol) is in thousandths of its largest
    magnitude `reach`. `cells` goes row by row.

    Raises ParameterError where a dimension is missing.
    """
    across, down = _sides(found.phase)
    axes = {name: [short(value) for value in dataset[name].values] for name in (across, down)}
    cells = [
        _exported(dataset.isel({down: y, across: x}), found.isel({down: y, across: x}))
        for y in range(dataset.sizes[down])
        for x in range(dataset.sizes[across])
    ]
    names = {"across": READABLE.get(across, across), "down": READABLE.get(down, down)}
    return {
        "last": int(dataset.step[-1]),
        "first": int(dataset.step[1]),
        "xs": axes[across],
        "ys": axes[down],
        "cells": cells,
    } | names


def _exported(run: xr.Dataset, found: xr.Dataset) -> dict[str, Any]:
    """One cell as whole numbers; None for a step that was not reached or not made."""
    place = run.embedding.values[:, 0].astype(float)
    reach = float(np.abs(place).max()) if np.isfinite(place).all() else 0.0
    steps = run.step.values[run.step.values <= found.end.item()]
    kept = np.unique(np.rint(np.geomspace(1, len(steps), POINTS)).astype(int)) - 1
    curves = {"steps": steps[kept].tolist()} | {
        part: [
            None if np.isnan(v) else round(1000 * float(v))
            for v in run[f"{part}_accuracy"].values[kept]
        ]
        for part in ("train", "test")
    }
    when = {name: found[f"{name}_step"].item() for name in ("fit", "test")}
    reached = {f"{name}_step": None if np.isnan(step) else int(step) for name, step in when.items()}
    return (
        curves
        | reached
        | {
            "phase": str(found.phase.item()),
            "end": int(found.end.item()),
            "reach": float(f"{reach:.3g}"),
            "embedding": np.rint(1000 * place / reach).astype(int).tolist() if reach else [],
        }
    )
