"""Every number, text and truth of chapter 02's prose."""

from __future__ import annotations

from collections.abc import Mapping

from companion.page import Prose, Truth, counted
from grokbook.models.networks import products
from grokbook.models.transformer import Shape
from grokbook.tasks.arithmetic import ModularTask


def numbers(tasks: Mapping[str, ModularTask], shape: Shape) -> Prose:
    """What the prose uses of the tasks with each split, by its name, and of the network."""
    random = tasks["random"]
    p = random.p
    sizes = ModularTask(p, "x2_plus_xy_plus_y2").class_sizes()
    n = random.train_index.size
    ratio = _plain_products(shape, n) / products(shape, n)
    return {
        "modulus": p,
        "share": f"{random.train_fraction:.0%}",
        "class_zero": counted(int(sizes[0]), "cell"),
        "class_other": int(sizes[1]),
        "width": shape.d_model,
        "shift": shape.shift,
        "products_ratio": f"{ratio:.1f}",
        "square": tasks["square"].hole,
        "strip": tasks["strip"].hole,
        **_rows(random, tasks["strip"]),
        **_parameters(shape),
    }


def _plain_products(shape: Shape, samples: int) -> int:
    """Multiplications of the plain form: a layer on three positions, and the read-out."""
    layer = 3 * samples * 12 * shape.d_model**2
    return layer + samples * shape.d_model * shape.p


def _rows(random: ModularTask, strip: ModularTask) -> Prose:
    """Rows without a training cell: expected and counted."""
    p = random.p
    empty = _empty_rows(random)
    missed = _empty_rows(strip)
    chance = (1 - random.train_index.size / p**2) ** p
    rows = strip.hole + 1
    evidence = f"empty rows in the STRIP split: {missed}; in the strip: {rows}"
    return {
        "rows_expected": f"{p * chance:.1g}",
        "rows_missed": missed,
        "no_empty_row": Truth(empty == 0, f"empty rows in the random split: {empty}"),
        "strip_alone": Truth(missed == rows, evidence),
    }


def _empty_rows(task: ModularTask) -> int:
    """How many rows of the grid have no training cell."""
    return int((~task.train_mask.any(axis=1)).sum())


def _parameters(shape: Shape) -> Prose:
    """How many parameters there are, and what share of them the embedding table has."""
    total = sum(weight.numel() for weight in shape.draw(0).values())
    table = shape.vocabulary * shape.d_model
    cells = shape.p**2
    return {
        "n_parameters": f"{total:,}",
        "n_table": f"{table / total:.0%}",
        "more_parameters": Truth(total > 10 * cells, f"{total:,} parameters, {cells:,} cells"),
    }
