"""Chapter 02: what is learned (classes of an operation, splits of the grid), by exactly which network."""

from __future__ import annotations

import numpy as np
import sympy
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from grokbook.claims import Finding, claim, judge
from grokbook.experiments.base import Experiment
from grokbook.models.transformer import Shape
from grokbook.plotting.grids import on_grid
from grokbook.plotting.style import panels, styled
from grokbook.tasks.arithmetic import ModularTask
from grokbook.theory.quadratic_forms import quadratic_class_sizes

CLASSES = "The operation sorts the grid into classes"


def plan(p: int, train_fraction: float, square: int, strip: int, shift: int) -> dict[str, Experiment]:
    """Nothing is trained; the splits and the shifted task must exist."""
    ModularTask(p, train_fraction=train_fraction, split="square", hole=square)
    ModularTask(p, train_fraction=train_fraction, split="strip", hole=strip)
    Shape(p, shift=ModularTask(p, train_fraction=train_fraction, shift=shift).shift)
    return {}


@claim("G18", "gu2025", "section 3.1", section="The split decides what can be learned", kind="formula",
       says=("of {splits} random splits at p = {p}, {products} are products: the smallest product that holds a ",
             "training set has {low:.2f} to {high:.2f} times its cells"))  # fmt: skip
def products(p: int = 97, splits: int = 20) -> Finding:
    """Training and test sets are written as products I' x J' and I'' x J''.

    A slip of notation for a set and its complement: a set is a product exactly if |T| = |rows| * |columns|.
    """
    tasks = [ModularTask(p, seed=s) for s in range(splits)]
    excess = [t.train_mask.any(1).sum() * t.train_mask.any(0).sum() / t.train_index.size for t in tasks]
    low, high = float(min(excess)), float(max(excess))
    return judge(high == 1, fails="holds with correction", value=float(np.median(excess)), low=low, high=high,
                 published="1 (a product)",
                 splits=splits, p=p, products=sum(e == 1 for e in excess))  # fmt: skip


def not_translates(table: np.ndarray) -> int:
    """How many classes r of a table (p, p) are not class 0 moved by r along the columns.

    Example:
        >>> not_translates(np.add.outer(np.arange(5), np.arange(5)) % 5)
        0
    """
    return sum(not np.array_equal(table == r, np.roll(table == 0, r, axis=1)) for r in range(len(table)))


@claim("G36", "gu2025", "section 6.1", section=CLASSES, kind="theorem",
       says="{value:.0f} classes of p = {p} are not translates of class 0")
def classes_are_translates(primes: tuple[int, ...] = (5, 7, 11, 47, 97)) -> Finding:
    """The equivalence classes of i + j are isomorphic.

    Class r is class 0 moved by r along j, so all classes have p cells.
    """
    tables = [ModularTask(p).labels.reshape(p, p) for p in primes]
    wrong = sum(not_translates(table) for table in tables)
    told = ", ".join(map(str, primes))
    return judge(wrong == 0, value=float(wrong), low=0, high=0, p=told)


@claim("G37", "gu2025", "section 6.1", section=CLASSES, kind="theorem",
       says="the closed form is exact for {right} of the {of} primes from 5 to {largest}")
def quadratic_form_classes(largest: int = 101) -> Finding:
    """The solutions of a general f have no closed-form distribution; i^2 + ij + j^2 is taken as complex.

    The paper's example has a closed form (see `quadratic_class_sizes`).
    """
    primes = list(sympy.primerange(5, largest + 1))
    sizes = {p: ModularTask(p, "x2_plus_xy_plus_y2").class_sizes() for p in primes}
    wrong = sum(not np.array_equal(found, quadratic_class_sizes(p)) for p, found in sizes.items())
    return judge(wrong == 0, holds="holds with correction", value=float(wrong), low=0, high=0,
                 right=len(primes) - wrong, of=len(primes), largest=largest)  # fmt: skip


@claim("P02", "gu2024", "section 3", section=CLASSES, kind="formula", shown_by="counterexample",
       says="{{0, ..., p}} has {value} elements at p = {low}")
def printed_range(p: int = 97) -> Finding:
    """The dataset of addition modulo p is composed of (i, j) with i, j in {0, 1, ..., p}.

    A slip of notation: addition modulo p has p values.
    """
    values = len(range(p + 1))
    return judge(values == p, fails="holds with correction", value=values, low=p, high=p)


@styled
def operation_tables(tasks: dict[str, ModularTask], residue: int) -> Figure:
    """Labels of each task as a picture, with the equivalence class of `residue` in black."""
    fig, axes = panels(1, len(tasks), height=2.7)
    for ax, task in zip(axes[0], tasks.values(), strict=True):
        table = task.labels.reshape(task.p, task.p)
        ax.imshow(table, cmap="cividis")
        ax.imshow((table == residue) * 1.0, cmap=ListedColormap([(0, 0, 0, 0), "#000000"]), vmin=0, vmax=1)
    on_grid(axes[0], tasks)
    return fig
