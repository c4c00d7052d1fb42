"""The pictures of chapter 04a, from arrays and tables."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from grokbook.plotting.grids import on_grid
from grokbook.plotting.labels import name_lines
from grokbook.plotting.style import COLOURS, mark, panels, styled

DISCS = {"": "#eeeeee", "covered": "#8fd0bb", "training cell": COLOURS["train"],
         "covered, same class $i+j$": COLOURS["second"]}  # fmt: skip
# Kinds of cells in their order 0, 1, ...: what the legend calls them (nothing: not in it), and their colours.
UNCOVERED = {"covered test cell": "#f6f6f6", "training cell": "#9cc4de", "uncovered": COLOURS["test"]}


@styled
def cells(kinds: Mapping[str, np.ndarray], names: Mapping[str, str], *, mark: bool = False) -> Figure:
    """Grids of cells in one colour a kind, row 0 at the top, side by side; title -> (p, p) of indices into `names`.

    With `mark` cells of the last kind are larger squares where they are fewer than 2 %.
    """
    fig, axes = panels(1, len(kinds), height=2.9 if len(kinds) > 2 else 3.9)
    last = len(names) - 1
    for ax, kind in zip(axes[0], kinds.values(), strict=True):
        ax.imshow(kind, cmap=ListedColormap([*names.values()]), vmin=0, vmax=last)
        if mark and (kind == last).mean() < 0.02:
            rows, columns = np.nonzero(kind == last)
            ax.plot(columns, rows, "s", ms=3, color=[*names.values()][-1])
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_locator(MaxNLocator(5, integer=True))
    on_grid(axes[0], kinds)
    shown = [Patch(color=colour, label=name) for name, colour in names.items() if name]
    fig.legend(handles=shown, loc="outside lower center", ncols=len(shown))
    return fig


@styled
def expectation_and_probability(table: pd.DataFrame, printed: float) -> Figure:
    """Expected number of uncovered cells (left) and probability of full coverage (right) by the training fraction.

    Lines are exact (right: Markov's bound), points are means over draws with standard errors. `table` is what
    `tables.coverage_table` gives for one radius; `printed` is the paper's threshold, a dotted line.
    """
    fig, (both,) = panels(1, 2, height=3.5)
    left, right = both
    for grid, rows in table.groupby("grid", sort=False):
        look = {"color": COLOURS["measure" if grid == "torus" else "quiet"]}
        points = {"ls": "", "marker": "o", "ms": 4, "elinewidth": 1, **look}
        line, label = {"ls": "--", "lw": 1.1, **look}, "torus" if grid == "torus" else "bounded grid"
        seen, error = rows[rows.uncovered > 0], np.minimum(rows["uncovered error"], 0.9 * rows.uncovered)
        left.plot(rows.fraction, rows.expected, label=label, **line)
        left.errorbar(seen.fraction, seen.uncovered, error[seen.index], **points)
        right.plot(rows.fraction, rows.bound, label=label, **line)
        right.errorbar(rows.fraction, rows.covered, rows["covered error"], **points)
    left.axhline(1, color=COLOURS["quiet"], lw=0.6)
    left.set(yscale="log", ylabel="uncovered cells")
    left.set_ylim(bottom=2e-3)
    right.set(ylim=(-0.04, 1.04), ylabel="P(all covered)")
    for ax in both:
        mark(ax, printed, r"printed $2\ln p/C$", COLOURS["theory"])
        ax.set_xlabel(r"training fraction $\alpha$")
    name_lines(left)
    return fig
