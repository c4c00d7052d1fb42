"""Measured cells for the page: diagrams side by side as HTML, and what the script
`phase_explorer` draws."""

from __future__ import annotations

import html
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import numpy as np
import xarray as xr

from grokbook.curves.phases import OPEN, PHASES
from grokbook.plotting.palette import PHASES as COLOURS
from grokbook.plotting.phases import READABLE, short, sides

POINTS = 60
"""Points of each curve that are given to the page, at equal distances in the logarithm of their
number."""

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
    across, down = sides(phase)
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
    across, down = sides(found.phase)
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
