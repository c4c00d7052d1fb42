"""Claims of Gu et al. 2025 and their checks."""

from __future__ import annotations

from functools import partial

import numpy as np
import sympy

from grokbook.claims.finding import Finding
from grokbook.claims.gu2024 import almost_identical, on_records
from grokbook.claims.legacy import Claim
from grokbook.claims.tracking import ONSET, recorded_table
from grokbook.measures import circle_med, fourier_power, linear_med, med, med_bound, med_spectral_bound
from grokbook.tasks.arithmetic import ModularTask
from grokbook.theory.quadratic_forms import quadratic_class_sizes


def products(p: int = 97, splits: int = 20) -> Finding:
    """G18: is a random training set a product I' x J'? A set is one exactly if |T| = |rows| * |columns|."""
    tasks = [ModularTask(p, seed=s) for s in range(splits)]
    excess = [t.train_mask.any(1).sum() * t.train_mask.any(0).sum() / t.train_index.size for t in tasks]
    low, high = float(min(excess)), float(max(excess))
    verdict = "holds" if high == 1 else "fails"
    evidence = (
        f"of {splits} random splits at p = {p}, {sum(e == 1 for e in excess)} are products: the smallest product that "
        f"holds a training set has {low:.2f} to {high:.2f} times its cells"
    )
    return Finding(verdict, evidence, float(np.median(excess)), low, high, "1 (a product)")


def not_translates(table: np.ndarray) -> int:
    """How many classes r of a table (p, p) are not class 0 moved by r along the columns.

    Example:
        >>> not_translates(np.add.outer(np.arange(5), np.arange(5)) % 5)
        0
    """
    return sum(not np.array_equal(table == r, np.roll(table == 0, r, axis=1)) for r in range(len(table)))


def classes_are_translates(primes: tuple[int, ...] = (5, 7, 11, 47, 97)) -> Finding:
    """G36: class r of i + j is class 0 moved by r along j, so all classes have p cells."""
    wrong = sum(not_translates(ModularTask(p).labels.reshape(p, p)) for p in primes)
    evidence = f"{wrong} classes of p = {', '.join(map(str, primes))} are not translates of class 0"
    return Finding("holds" if wrong == 0 else "fails", evidence, float(wrong), 0, 0)


def quadratic_form_classes(largest: int = 101) -> Finding:
    """G37: the paper's example of classes without a closed form has one (see `quadratic_class_sizes`)."""
    primes = list(sympy.primerange(5, largest + 1))
    sizes = {p: ModularTask(p, "x2_plus_xy_plus_y2").class_sizes() for p in primes}
    wrong = sum(not np.array_equal(found, quadratic_class_sizes(p)) for p, found in sizes.items())
    evidence = f"the closed form is exact for {len(primes) - wrong} of the {len(primes)} primes from 5 to {largest}"
    return Finding("fails" if wrong else "holds with correction", evidence, float(wrong), 0, 0)


def circulant(p: int, rng: np.random.Generator) -> np.ndarray:
    """A random circulant table (p, p): row i is row 0 moved by i, so all steps are equal."""
    first = rng.normal(size=p)
    return np.stack([np.roll(first, i) for i in range(p)])


def med_closed_forms(p: int = 97) -> Finding:
    """G26: MED against its closed forms (circles, all frequencies, a line) and its two bounds."""
    i, frequencies = np.arange(p), np.arange(1, p // 2 + 1)
    angle = 2 * np.pi * np.outer(i, frequencies) / p
    every = np.stack([np.cos(angle), np.sin(angle)], axis=2)
    errors = [abs(med(every[:, k - 1]) / circle_med(p, [k]) - 1) for k in frequencies]
    errors.append(abs(med(every.reshape(p, -1)) / np.sqrt(p) - 1))
    errors.append(abs(med(i[:, None] * 0.3) / linear_med(p, 0.3) - 1))
    rng = np.random.default_rng(0)
    wheel = circulant(p, rng)
    errors.append(abs(med(wheel) / med_spectral_bound(wheel) - 1))
    random = rng.normal(size=(p, 16))
    kept = med(random) <= med_spectral_bound(random) <= med_bound(random) and fourier_power(random).min() >= 0
    worst = float(max(errors))
    evidence = f"largest relative deviation {worst:.1e} over {len(errors)} embeddings; both bounds hold on a random one"
    return Finding("holds" if kept and worst < 1e-9 else "fails", evidence, worst, 0, 1e-9)


def same_function_other_med(p: int = 97) -> Finding:
    """G14: relabelling i -> c i keeps the full loss and every norm (permute the outputs too) and moves MED."""
    values = [circle_med(p, [k]) for k in range(1, p // 2 + 1)]
    evidence = (
        f"one circle of radius 1 has MED from {min(values):.4f} to {max(values):.4f} (p = {p}) by the name of its "
        "frequency alone, at equal loss on all cells and equal norms"
    )
    ratio = max(values) / min(values)
    return Finding("fails" if ratio > 1 + 1e-9 else "holds", evidence, ratio, 1, 1)


def onset_of_random_split(p: int = 97) -> Finding:
    """G35: with a random 30 % split at p = 97 the test accuracy begins to rise around epoch 5000."""
    table = recorded_table(p)
    if table is None:
        return Finding("not run", f"the record of p = {p}, 30 %, is not complete", published="5000")
    steps, last = table.onset_step.dropna(), int(table.last_step.max())
    low = float(steps.min()) if len(steps) else float(last)
    high = float(steps.max()) if len(steps) == len(table) else float("inf")
    seen = ", ".join(f"{s:.0f}" for s in sorted(steps)) or "none"
    evidence = (
        f"{ONSET:.0%} of the test cells with an untrained transpose are right from steps {seen} on "
        f"({len(table) - len(steps)} of {len(table)} runs: not by step {last})"
    )
    return Finding("holds" if low <= 5000 <= high else "fails", evidence, low, low, high, "5000")


CLAIMS = (
    Claim(
        "G18",
        "gu2025",
        "section 3.1",
        "Training and test sets are products I' x J' and I'' x J''.",
        "formula",
        "02_task_and_model: The split decides what can be learned",
        products,
    ),
    Claim(
        "G26",
        "gu2025",
        "Definition 4.2",
        "MED is the mean distance of cyclically neighbouring embeddings.",
        "formula",
        "05_med_tracking: Closed forms",
        med_closed_forms,
    ),
    Claim(
        "G14",
        "gu2025",
        "appendix B.4, section 4",
        "Weight decay is minimal exactly for uniform embeddings, and so MED falls.",
        "theorem",
        "05_med_tracking: Closed forms",
        same_function_other_med,
    ),
    Claim(
        "G27",
        "gu2025",
        "Remark 4.3, section 6.2",
        "MED and the test loss change nearly identically.",
        "observation",
        "05_med_tracking: What the papers say",
        partial(on_records, almost_identical),
        seconds=5,
    ),
    Claim(
        "G35",
        "gu2025",
        "section 6.1",
        "With a random 30 % split at p = 97 the test accuracy begins to rise around epoch 5000.",
        "number",
        "01_what_is_grokking: What the papers say",
        onset_of_random_split,
        seconds=3,
    ),
    Claim(
        "G36",
        "gu2025",
        "section 6.1",
        "The equivalence classes of i + j are isomorphic.",
        "theorem",
        "02_task_and_model: The operation sorts the grid into classes",
        classes_are_translates,
    ),
    Claim(
        "G37",
        "gu2025",
        "section 6.1",
        "The solutions of a general f have no closed-form distribution; i^2 + ij + j^2 is taken as complex.",
        "theorem",
        "02_task_and_model: The operation sorts the grid into classes",
        quadratic_form_classes,
    ),
)
