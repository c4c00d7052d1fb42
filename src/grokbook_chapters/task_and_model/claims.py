"""What chapter 02 checks and plans: classes of an operation, splits of the grid."""

from __future__ import annotations

import numpy as np
import sympy

from companion.claims import Finding, claim, judge
from companion.claims.finding import band
from grokbook.models.transformer import Shape
from grokbook.runs.experiment import Experiments
from grokbook.tasks.arithmetic import ModularTask
from grokbook_chapters.task_and_model.quadratic_forms import quadratic_class_sizes

CLASSES = "The operation sorts the grid into classes"


def plan(p: int, train_fraction: float, square: int, strip: int, shift: int) -> Experiments:
    """Nothing is trained; the splits, by both rules, and the shifted task must exist."""
    holes = {"random": None, "square": square, "strip": strip, "symmetric": None}
    for split, hole in holes.items():
        for rule in ("code", "text"):
            ModularTask(p, "add", train_fraction, split, hole, rule=rule)
    Shape(p, shift=ModularTask(p, train_fraction=train_fraction, shift=shift).shift)
    return {}


@claim(
    "G18",
    "gu2025",
    "section 3.1",
    section="The split decides what can be learned",
    kind="formula",
    part_of="EG",
    published="1 (a product)",
    says=(
        "of {splits} {kind} splits at p = {p}, {products} are products: the smallest product that "
        "holds a training set has {value:.2f} times its cells (median)"
    ),
)
def products(
    p: int = 97, splits: int = 20, kind: str = "random", hole: int | None = None
) -> Finding:
    """Training and test sets are written as products I' x J' and I'' x J''.

    A set is a product exactly if |T| = |rows| * |columns|. A slip of notation where the two are a
    set and its complement.
    """
    excess = []
    whole = True
    for seed in range(splits):
        task = ModularTask(p, split=kind, hole=hole, seed=seed)
        trained = task.train_mask
        smallest_product = trained.any(axis=1).sum() * trained.any(axis=0).sum()
        excess.append(smallest_product / task.train_index.size)
        cells = np.sort([*task.train_index, *task.test_index])
        whole &= np.array_equal(cells, np.arange(p * p))
    return judge(
        max(excess) == 1,
        corrected=whole,
        **band(excess),
        splits=splits,
        kind=kind,
        p=p,
        products=excess.count(1),
    )


def not_translates(table: np.ndarray) -> bool:
    """Whether some class r of a table (p, p) is not class 0 moved by r along the columns: labels
    are no j + g(i).

    Example:
        >>> not_translates(np.add.outer(np.arange(5), np.arange(5)) % 5)
        False
    """
    return bool(np.ptp((table - np.arange(len(table))) % len(table), axis=1).any())


@claim(
    "G36",
    "gu2025",
    "section 6.1",
    section=CLASSES,
    kind="theorem",
    part_of="XG25",
    says="at {value:.0f} of the moduli {p} a class is not a translate of class 0",
)
def classes_are_translates(primes: tuple[int, ...] = (5, 7, 11, 47, 97)) -> Finding:
    """The equivalence classes of i + j are isomorphic.

    Class r is class 0 moved by r along j, so all classes have p cells.
    """
    wrong = sum(not_translates(ModularTask(p).labels.reshape(p, p)) for p in primes)
    return judge(wrong == 0, value=wrong, low=0, high=0, p=", ".join(map(str, primes)))


@claim(
    "G37",
    "gu2025",
    "section 6.1",
    section=CLASSES,
    kind="theorem",
    part_of="XG25",
    says=(
        "class 0 has a size of its own at {uneven} of the {of} primes from 5 to {largest}, so that "
        "not all are translates; our formula of the sizes is wrong at {value:.0f}. Whether those "
        "of a general f have one is not judged"
    ),
)
def quadratic_form_classes(largest: int = 101) -> Finding:
    """The expression of f can be changed to make the distribution of its classes "complex": for
    example i² + ij + j².

    Our reading of "complex": not isomorphic, as the classes of i + j are. That there is no general
    closed form is not judged; `value` counts the primes at which our own formula of the sizes is
    wrong.
    """
    primes = list(sympy.primerange(5, largest + 1))
    uneven = 0
    wrong = 0
    for p in primes:
        sizes = ModularTask(p, "x2_plus_xy_plus_y2").class_sizes()
        uneven += bool(np.ptp(sizes))
        wrong += not np.array_equal(sizes, quadratic_class_sizes(p))
    return judge(
        uneven == len(primes),
        value=wrong,
        low=0,
        high=0,
        uneven=uneven,
        of=len(primes),
        largest=largest,
    )


@claim(
    "P02",
    "gu2024",
    "section 3",
    section=CLASSES,
    kind="formula",
    shown_by="counterexample",
    part_of="EG",
    says="the {values} numbers {{0, ..., p}} are {value} residues at p = {p}: 0 and p are the same",
)
def printed_range(p: int = 97, modulus: int | None = None) -> Finding:
    """The dataset of addition modulo p is composed of (i, j) with i, j in {0, 1, ..., p}.

    A slip of notation where leaving out the last number leaves each residue once.
    """
    residues = np.arange(p + 1) % (modulus or p)
    once = len(set(residues))
    all_but_last = len(set(residues[:-1]))
    return judge(once == p + 1, corrected=all_but_last == once == p, value=once, values=p + 1, p=p)
