"""Chapter 02: what is learned (classes of an operation, splits of the grid), by exactly which network."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import sympy
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from grokbook.claims import Finding, claim, judge
from grokbook.claims.report import summary
from grokbook.models.transformer import Shape
from grokbook.plotting.grids import on_grid
from grokbook.plotting.style import COLOURS, panels, styled
from grokbook.runs.experiment import Experiment
from grokbook.tasks.arithmetic import ModularTask
from grokbook.tasks.tables import split_table
from grokbook.theory.quadratic_forms import quadratic_class_sizes

CLASSES = "The operation sorts the grid into classes"
ARROW = {"arrowstyle": "-|>", "color": COLOURS["theory"], "lw": 1, "shrinkA": 0, "shrinkB": 0}


def plan(p: int, train_fraction: float, square: int, strip: int, shift: int) -> dict[str, Experiment]:
    """Nothing is trained; the splits, by both rules, and the shifted task must exist."""
    split_table(p, train_fraction, holes(square, strip))
    ModularTask(p, train_fraction=train_fraction, split="symmetric")
    Shape(p, shift=ModularTask(p, train_fraction=train_fraction, shift=shift).shift)
    return {}


def holes(square: int, strip: int) -> list[tuple[str, int | None]]:
    """The splits of the page's table, each with its hole.

    Example:
        >>> holes(45, 40)
        [('random', None), ('square', 45), ('strip', 40)]
    """
    return [("random", None), ("square", square), ("strip", strip)]


@claim("G18", "gu2025", "section 3.1", section="The split decides what can be learned", kind="formula",
       says=("of {splits} random splits at p = {p}, {products} are products: the smallest product that holds a ",
             "training set has {value:.2f} times its cells (median)"))  # fmt: skip
def products(p: int = 97, splits: int = 20) -> Finding:
    """Training and test sets are written as products I' x J' and I'' x J''.

    A slip of notation for a set and its complement: a set is a product exactly if |T| = |rows| * |columns|.
    """
    tasks = [ModularTask(p, seed=s) for s in range(splits)]
    excess = [t.train_mask.any(1).sum() * t.train_mask.any(0).sum() / t.train_index.size for t in tasks]
    low, high = float(min(excess)), float(max(excess))
    return judge(high == 1, corrected=True, value=float(np.median(excess)), low=low, high=high,
                 published="1 (a product)",
                 splits=splits, p=p, products=sum(e == 1 for e in excess))  # fmt: skip


def answer(verdicts: Mapping[str, str]) -> str:
    """The chapter's answer in a box, from the verdicts of its rows of the ledger by id: claimed, found, how sure.

    Example:
        >>> answer({"G36": "holds", "G37": "holds"}).split(". ")[-1]
        'All of it is proved or counted; nothing is trained (2 claims: 2 hold).'
    """
    claimed = "The papers describe one task, modular arithmetic on a grid of cells, and one network by operators"
    found = "The description is that of the code, biases aside; that of the splits is not: text and programs draw "
    found += "different training sets. Our closed form of the sizes of the classes of $i^2 + ij + j^2$ is exact"
    counted = summary(dict(verdicts).values()).rstrip(".")
    return f"> **Answer.** {claimed}. {found}. All of it is proved or counted; nothing is trained ({counted})."


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
       says=("the classes differ in size at {uneven} of the {of} primes from 5 to {largest}, so they are no ",
             "translates of one another; their sizes have a closed form, exact at {right}. Whether those of a general ",
             "f have one is not judged"))  # fmt: skip
def quadratic_form_classes(largest: int = 101) -> Finding:
    """The expression of f can be changed to make the distribution of its classes "complex": for example i² + ij + j².

    Our reading of "complex": not isomorphic, as the classes of i + j are. That there is no general closed form is not
    judged; `value` counts the primes at which our own formula of the sizes is wrong.
    """
    primes = list(sympy.primerange(5, largest + 1))
    sizes = {p: ModularTask(p, "x2_plus_xy_plus_y2").class_sizes() for p in primes}
    uneven = sum(len(set(found.tolist())) > 1 for found in sizes.values())
    wrong = sum(not np.array_equal(found, quadratic_class_sizes(p)) for p, found in sizes.items())
    return judge(uneven == len(primes), value=float(wrong), low=0, high=0, uneven=uneven, right=len(primes) - wrong,
                 of=len(primes), largest=largest)  # fmt: skip


@claim("P02", "gu2024", "section 3", section=CLASSES, kind="formula", shown_by="counterexample",
       says="{{0, ..., p}} has {value} elements at p = {low}")
def printed_range(p: int = 97) -> Finding:
    """The dataset of addition modulo p is composed of (i, j) with i, j in {0, 1, ..., p}.

    A slip of notation: addition modulo p has p values.
    """
    values = len(range(p + 1))
    return judge(values == p, corrected=True, value=values, low=p, high=p)


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


def empty_rows(random: ModularTask, strip: ModularTask) -> str:
    """How many rows of the grid have no training cell, in a random and in a STRIP split: the prediction, answered.

    Example:
        >>> strip = ModularTask(23, train_fraction=0.3, split="strip", hole=8)
        >>> empty_rows(ModularTask(23, train_fraction=0.3), strip).split(". ")[1]
        'In the STRIP split 9 are, the strip itself.'
    """
    empty = int((~random.train_mask.any(axis=1)).sum())
    expected = random.p * (1 - random.train_index.size / random.p**2) ** random.p
    none = "no row is empty, so it shows every symbol as a first operand"
    drawn = {0: none, 1: "one row is empty"}.get(empty, f"{empty} rows are empty")
    missed = int((~strip.train_mask.any(axis=1)).sum())
    rest = ", the strip itself" if missed == strip.hole + 1 else ", more than the strip"
    told = f"In the random split {drawn}; about {expected:.0e} empty rows are to be expected"
    return f"{told}. In the STRIP split {missed} are{rest}."


def _box(ax: Axes, x: float, y: float, text: str, width: float, ground: str = "white") -> None:
    """A box of this width with a text, its centre at (x, y)."""
    ax.add_patch(FancyBboxPatch((x - width / 2, y - 0.32), width, 0.64, boxstyle="round,pad=0.05", lw=1,
                                fc=ground, ec=COLOURS["theory"]))  # fmt: skip
    ax.text(x, y, text, ha="center", va="center", color=COLOURS["theory"])


@styled
def model_diagram(shape: Shape, i: int, j: int) -> Figure:
    """The model from a cell to its logits, top to bottom: tokens, rows of the table, attention, MLP, read-out.

    Every size is read from the parameters of `shape`, a network of one layer; (i, j) is the cell that is drawn.
    """
    size = {name.removesuffix(".0"): " × ".join(map(str, dims)) for name, dims in shape.shapes().items()}
    d, columns, last = shape.d_model, (1.2, 3.6, 6.0), 6.0
    fig, ((ax,),) = panels(1, 1, height=7.2)
    fig.set_figwidth(4.4)
    heights = {"token": 10.6, "row": 8.6, "attention": 6.6, "mlp": 4.1, "logits": 1.6}
    for x, token, role in zip(columns, (i, j + shape.shift, shape.vocabulary - 1), "ij ", strict=True):
        shift = f" + {shape.shift}" if role == "j" and shape.shift else ""
        ax.text(x, 11.25, f"${role}{shift}$" if role.strip() else "cls", ha="center", color="#444444")
        _box(ax, x, heights["token"], f"token {token}", 1.75)
        _box(ax, x, heights["row"], f"{d} numbers", 1.75)
        ax.annotate("", (x, heights["row"] + 0.4), (x, heights["token"] - 0.4), arrowprops=ARROW)
        ax.annotate("", (x, heights["attention"] + 0.4), (x, heights["row"] - 0.4), arrowprops=ARROW)
    _box(ax, 3.6, heights["attention"], f"attention: {shape.n_heads} heads of width {shape.d_head}", 6.6, "#EFEFEF")
    _box(ax, last, heights["mlp"], "MLP", 1.75, "#EFEFEF")
    _box(ax, last, heights["logits"], f"{shape.p} logits", 1.75)
    for start, end in (("attention", "mlp"), ("mlp", "logits")):
        ax.annotate("", (last, heights[end] + 0.4), (last, heights[start] - 0.4), arrowprops=ARROW)
        middle = heights[start] - 0.85
        ax.plot(last, middle, "o", ms=13, mfc="white", mec=COLOURS["theory"], zorder=3)
        ax.text(last, middle - 0.02, "+", ha="center", va="center", zorder=4)
        above = heights["row" if start == "attention" else start] + (-0.95 if start == "attention" else 0.85)
        ax.plot([last, 7.3, 7.3, last], [above, above, middle, middle], lw=1, zorder=1, color=COLOURS["theory"])
    notes = {9.6: f"$W_E$: {size['W_E']}, one row a token", 9.25: f"$W_{{pos}}$: {size.get('W_pos', 'none')}, added"}
    notes |= {5.75: f"$W_Q, W_K, W_V, W_O$: {size['W_Q']} each", 4.1: f"$W_{{in}}$: {size['W_in']}, ReLU"}
    notes |= {3.7: f"$W_{{out}}$: {size['W_out']}", 2.65: f"$W_U$: {size['W_U']}", 1.6: "the largest is the answer"}
    for y, note in notes.items():
        ax.text(0.3, y, note, va="center", fontsize=9.5, color="#444444",
                bbox={"fc": "white", "ec": "none", "pad": 1.5})  # fmt: skip
    ax.text(3.6, 11.9, f"cell $(i, j)$ = ({i}, {j})", ha="center", color=COLOURS["theory"])
    ax.set(xlim=(0.1, 7.5), ylim=(1.1, 12.3))
    ax.axis("off")
    return fig
