"""Chapter 18: checks of its exercises."""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import combinations
from math import pi, prod, sin

import numpy as np
from sympy import primerange

from companion.claims import Finding
from companion.exercises.registry import Mistakes, exercise, number
from grokbook.measures.embedding_difference import diameter
from grokbook.tasks import ModularTask
from grokbook.theory.one_frequency import circle
from grokbook.theory.uniformity import closeness
from grokbook_chapters.task_and_model.claims import products


@exercise("ex-18-modulus", draws={"p": tuple(primerange(29, 130)), "seed": range(100_000)})
def modulus(changes: str, ratio: float, excess: float, *, p: int, seed: int) -> Mistakes:
    """The name of one of the three checks, and two numbers, to three digits."""
    yield changes == "products", "are not products"
    yield changes == "classes_are_translates", "one modulus after the other"
    yield changes != "same_function_other_med", "name one of the three checks"
    largest = sin(pi * (p // 2) / p) / sin(pi / p)
    yield from number(ratio, largest, "it is the ratio of the largest", ("one frequency", 1))
    mask = ModularTask(p, train_fraction=0.02, seed=seed).train_mask
    rows = mask.any(axis=1).sum()
    columns = mask.any(axis=0).sum()
    right = rows * columns / mask.sum()
    typical = (("30 %", products(p).value), ("upside down", 1 / right))
    yield from number(excess, right, "multiply the rows with a trained", *typical)


@exercise(
    "ex-18-own",
    draws={"slope": [prod(some) - 1 for n in (4, 5) for some in combinations(primerange(50), n)]},
)
def own(line: Callable[[int], Finding], moduli: Collection[int], *, slope: int) -> Mistakes:
    """A function of p that returns a Finding, and a list of primes."""
    fails = set()
    for p in primerange(50):
        finding = line(p)
        cells = np.bincount((1 + slope) * np.arange(p) % p, minlength=p)
        differ = int((cells != cells[0]).sum())
        if differ:
            fails.add(p)
        said = finding.verdict
        right = "fails" if differ else "holds"
        yield said != right, "at p = N the check says `N`", p, said, cells.tolist()
        yield finding.value != differ, "the value", p, finding.value
    for p in sorted(fails.symmetric_difference(map(int, moduli))):
        yield p in fails, "is missing", p
        yield True, "at N the verdict is not `fails`", p


@exercise(
    "ex-18-vacuous", draws={"p": (5, 7, 11, 13), "share": [n / 10_000 for n in range(6300, 9000)]}
)
def vacuous(keeps: object, breaks: object, allowed: float, *, p: int, share: float) -> Mistakes:
    """Two arrays with p rows, and a radius, to three digits."""
    radii = {}
    for name, given in (("first", keeps), ("second", breaks)):
        table = np.asarray(given, dtype=float)
        if table.ndim != 2 or len(table) != p:
            yield True, "the N embedding is to have N rows", name, table.shape
        yield not np.ptp(table, axis=0).any(), "a single point", name
        radii[name] = closeness(table).delta / diameter(table)
    yield radii["first"] > share, "is false of it", radii["first"]
    yield radii["second"] <= share, "is true of it", radii["second"]
    radius = share * diameter(circle(p, 1))
    yield from number(allowed, radius, "multiply the circle's diameter", ("opposite", 2 * share))
