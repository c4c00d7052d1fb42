"""Chapter 18: checks of its exercises."""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import combinations
from math import pi, prod, sin

import numpy as np
from sympy import primerange

from grokbook.chapters.task_and_model import products
from grokbook.claims import Finding
from grokbook.exercises.asked import exercise, near
from grokbook.measures.embedding_difference import diameter
from grokbook.tasks import ModularTask
from grokbook.theory.one_frequency import circle
from grokbook.theory.uniformity import closeness


@exercise("ex-18-modulus", draws={"p": tuple(primerange(29, 130)), "seed": range(100_000)})
def modulus(changes: str, ratio: float, excess: float, *, p: int, seed: int) -> str | None:
    """The name of one of the three checks, and two numbers."""
    if changes == "products":
        return "at no modulus from 3 to 23 are all random splits products; they are not products at 3 either."
    if changes == "classes_are_translates":
        return "the classes are translates for every p; try this check for one modulus after the other."
    if changes != "same_function_other_med":
        return "name one of the three checks, as a text."
    if near(ratio, 1, 1e-9):
        return "at p = 3 there is one frequency, and the ratio is 1; this is asked for your p."
    if not near(ratio, sin(pi * (p // 2) / p) / sin(pi / p), 1e-6):
        return "it is the ratio of the largest to the least MED of a circle: the `value` of the finding at your p."
    task = ModularTask(p, train_fraction=0.02, seed=seed)
    rows, columns = (set(one.tolist()) for one in np.divmod(task.train_index, p))
    right = len(rows) * len(columns) / task.train_index.size
    if near(excess, products(p).value, 1e-9):
        return "this is what the check finds with 30 % trained, where every row and column has a trained cell."
    if near(excess * right, 1, 1e-9):
        return "this is upside down: the product holds the training set and has more cells."
    return None if near(excess, right, 1e-9) else "multiply the rows with a trained cell by such columns, then divide."


@exercise("ex-18-own", draws={"slope": [prod(some) - 1 for n in (4, 5) for some in combinations(primerange(50), n)]})
def own(line: Callable[[int], Finding], moduli: Collection[int], *, slope: int) -> str | None:
    """A function of p that returns a Finding, and a list of primes."""
    bad = [p for p in primerange(50) if (slope + 1) % p == 0]
    for p in primerange(50):
        found = line(p)
        cells = [sum((i + slope * i) % p == r for i in range(p)) for r in range(p)]
        if found.verdict != ("fails" if p in bad else "holds"):
            return f"at p = {p} the check says `{found.verdict}`, and the classes have {cells} cells of the line."
        if found.value != sum(one != cells[0] for one in cells):
            return f"at p = {p} the value is {found.value}; it counts the classes that differ from class 0."
    given = {int(p) for p in moduli}
    if missing := sorted(set(bad) - given):
        return f"{missing[0]} is missing in your list: there the verdict is `fails`."
    return None if given == set(bad) else f"at {min(given - set(bad))} the verdict is not `fails`."


@exercise("ex-18-vacuous", draws={"p": tuple(primerange(13, 50)), "share": [n / 1000 for n in range(560, 900)]})
def vacuous(keeps: object, breaks: object, allowed: float, *, p: int, share: float) -> str | None:
    """Two arrays with p rows, and a radius."""
    tables = [np.asarray(one, dtype=float) for one in (keeps, breaks)]
    for name, table in zip(("first", "second"), tables, strict=True):
        if table.ndim != 2 or len(table) != p:
            return f"the {name} embedding is to have {p} rows, and has the shape {table.shape}."
        if not np.ptp(table, axis=0).any():
            return f"the {name} embedding is a single point, of which every such sentence is true."
    first, second = (closeness(table).delta / diameter(table) for table in tables)
    if first > share:
        return f"the first needs balls of {first:.3f} of its diameter, so the sentence is false of it."
    if second <= share:
        return f"the second needs balls of {second:.3f} of its diameter, so the sentence is true of it."
    if near(allowed, 2 * share, 1e-6):
        return "no two of an odd number of symbols are opposite on the circle, so its diameter is less than 2."
    return (
        None if near(allowed, share * diameter(circle(p, 1)), 1e-6) else "multiply the circle's diameter by the share."
    )
