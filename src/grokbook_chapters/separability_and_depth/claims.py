"""The statements of chapter 07: notions of separability, sums of indicators, theorems only cited,
and depth."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import linprog

from companion.claims import Finding, Runs, claim, judge
from companion.claims.finding import ENOUGH, UNDECIDED, Part, decided
from grokbook.theory.uniformity import class_sums
from grokbook_chapters.labelled import Tables
from grokbook_chapters.separability_and_depth.depth import lives
from grokbook_chapters.separability_and_depth.runs import (
    BETWEEN,
    LAYERS,
    SCARCE,
    STUDIES,
    fig_2,
    scarce,
    small,
)
from grokbook_chapters.separability_and_depth.separability import (
    class_separability,
    convexly_separable,
    convexly_separable_on,
    shuffled_share,
)

EXACT = 1e-6  # largest error of a reconstruction that counts as exact

# Our reading of "violently": a median largest fall of ten points of accuracy or more in the deepest
# network.
VIOLENT = 0.1

# What evidence calls the medians of `lives`.
MEDIANS = {
    "fall": "largest fall",
    "highest": "highest test accuracy",
    "med": "final MED",
    "quotient": "MED over norm",
    "training": "largest fall, training",
}

# A test accuracy that never reaches this could hardly fall so far if it fell to nothing, so it is
# not judged.
ROOM = 0.2

STAGES = "What the stages of trained networks show"


def inverse_root(x: np.ndarray) -> np.ndarray:
    """1 / sqrt(x): integrable on (0, 1], but not bounded."""
    return x**-0.5


@claim(
    "G28",
    "gu2025",
    "section 5, Eq. 6",
    kind="theorem",
    shown_by="proof",
    part_of="XG25",
    section="What more layers do",
    says=(
        "with 2^-n-steps cut off at n = {level} the function is missed by more than 2^-n on "
        "{value:.2g} of the interval, at {further} on {later:.2g}: almost everywhere in the limit"
    ),
)
def dense_simple_functions(
    f: Callable[[np.ndarray], np.ndarray] = inverse_root, level: int = 20
) -> Finding:
    """Sums of indicator functions are dense in the Lebesgue measurable functions.

    The paper names no sense; it holds almost everywhere and in measure. Steps of height 2^-n cut
    off at n miss f >= 0 on (0, 1] by more than 2^-n only where f > n, a set whose measure goes to 0
    if f is finite almost everywhere.
    """
    edges = np.geomspace(1e-12, 1, 200_001)
    values = f(np.sqrt(edges[1:] * edges[:-1]))
    width = np.diff(edges)
    missed = width @ (values > level)
    later = width @ (values > 4 * level)
    return judge(later <= missed / 2, value=missed, later=later, level=level, further=4 * level)


@claim(
    "G29",
    "gu2025",
    "section 5, after Definition 5.1",
    section="The order is the other way round",
    kind="theorem",
    shown_by="counterexample",
    also=("G30",),
    says=(
        "(0, 0) and {second} are separable in the plane and {lost} on the first axis; on some "
        "subspace, not a given one, it is the same notion"
    ),
)
def subspace_is_stronger(second: tuple[float, float] = (0.0, 1.0)) -> Finding:
    """Convex separability is stronger than subspace convex separability.

    Against it, on a given subspace: two points that are separable in the plane and not on the first
    axis.
    """
    a = [[0.0, 0.0]]
    b = [list(second)]
    lost = convexly_separable(a, b) and not convexly_separable_on(a, b, [[1.0, 0.0]])
    return judge(not lost, value=float(lost), second=tuple(second), lost="not" if lost else "too")


@claim(
    "G31",
    "gu2025",
    "sections 1 and 5",
    section="What a linear read-out sorts is separable",
    shown_by="counterexample",
    also=("G25", "G52", "P10"),
    says=(
        "sums of embeddings of all cells: {full:.0%} of the class pairs separable; noise sorted by "
        "a random linear read-out: {value:.0%} ({null:.0%} with labels shuffled), so a network "
        "that fits its training cells has it"
    ),
)
def read_out_is_separable(p: int = 7, d: int = 16, n: int = 200) -> Finding:
    """The goal of transformer learning is to make the embedding convexly separable on a certain
    subspace.

    Sums of embeddings of all cells never are separable; what a linear read-out sorts always is.
    """
    phi = np.random.default_rng(0).normal(size=(p, d))
    sums = class_sums(phi).reshape(-1, d)
    full = class_separability(sums, np.repeat(np.arange(p), p)).share
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(n, d))
    reader = rng.normal(size=(d, p))
    answers = (rows @ reader).argmax(axis=1)
    by_answer = class_separability(rows, answers).share
    null = shuffled_share(rows, answers).share
    verdict = "vacuous" if by_answer == 1 else "fails"
    if full == 1:
        verdict = "holds"
    return Finding(verdict, "", by_answer, 1, 1, numbers={"full": full, "null": null})


def recovery_error(measurements: int, n: int = 64, sparsity: int = 4, seed: int = 0) -> float:
    """Largest error of the l1 reconstruction of a sparse vector from Gaussian measurements, by
    linear programme."""
    rng = np.random.default_rng(seed)
    x = np.zeros(n)
    x[rng.choice(n, sparsity, replace=False)] = rng.normal(size=sparsity)
    a = rng.normal(size=(measurements, n))
    solution = linprog(np.ones(2 * n), A_eq=np.hstack([a, -a]), b_eq=a @ x, method="highs").x
    error = solution[:n] - solution[n:] - x
    return np.abs(error).max()


def recovered(measurements: int, seeds: int) -> float:
    """Share of the sparse vectors that are reconstructed exactly."""
    errors = [recovery_error(measurements, seed=seed) for seed in range(seeds)]
    return np.mean(np.array(errors) < EXACT)


@claim(
    "P11",
    "gu2024",
    "appendix C, Theorems 6 to 9",
    section=STAGES,
    kind="theorem",
    shown_by="proof",
    part_of="XG24",
    also=("P12",),
    says=(
        "of {seeds} sparse vectors of 64 numbers l1 recovers {value:.0%} from {measurements} "
        "random measurements and {fewer:.0%} from {few}: Theorem 8 holds with high probability, "
        "not for certain"
    ),
)
def cited_theorems(measurements: int = 32, few: int = 14, seeds: int = 10) -> Finding:
    """Fourier coefficients of smooth functions decay, sparse vectors "can be exactly reconstructed"
    from few random measurements, and eigenvalues of a return map decide the stability of a cycle.

    Standard, but that "with high probability" is left out of Theorem 8: of as many measurements
    some sets suffice and some do not. The predecessor adds that by these theorems sparsity implies
    "increasing periodicity". They go the other way, from smoothness to decay, and any table on the
    residues modulo p repeats after p steps, noise too. What stays is the observation that few
    frequencies carry the embedding of a network that generalises.
    """
    share = recovered(measurements, seeds)
    fewer = recovered(few, seeds)
    return judge(
        share == 1,
        fewer in (0, 1),
        corrected=share == 1,
        value=share,
        measurements=measurements,
        fewer=fewer,
        few=few,
        seeds=seeds,
    )


# ---------------------------------------------------------------------------------- what depth does


def studies(runs: Runs) -> Tables:
    """A row a run of every study with two depths or more, by its name: "" for the paper's size,
    which comes first."""
    tables = {}
    for name in ("", *STUDIES):
        depths = {}
        for n in LAYERS:
            label = (name, n) if name else n
            if label in runs:
                depths[n] = runs[label]
        if len(depths) > 1:
            tables[name] = pd.concat(depths, names=["layers", "seed"]).reset_index()
    return tables


def whole(rows: pd.DataFrame | None) -> bool:
    """Whether all four depths are there."""
    return rows is not None and rows.layers.nunique() == len(LAYERS)


def beyond(rows: pd.DataFrame, column: str, sign: int) -> bool:
    """Whether each of three or more of the deepest networks is beyond all of one layer, above them
    for `sign` 1.

    Of two groups of three that are alike one is so beyond the other in one grouping of twenty.
    """
    depths = (sign * rows[column]).groupby(rows.layers)
    beyond_all = depths.min().iloc[-1] > depths.max().iloc[0]
    return bool(beyond_all and depths.size().min() >= ENOUGH)


@dataclass(frozen=True)
class ByDepth:
    """What a study says of a statement about depth: its parts as printed, whether it holds with a
    correction, and numbers for a sentence."""

    parts: tuple[Part, ...]
    corrected: Part
    numbers: dict[str, Any]


def compared(rows: pd.DataFrame) -> ByDepth:
    """Whether the largest fall grows with depth, is violent at the last one, and whether the final
    MED falls.

    At every further layer, in medians of three seeds or more a depth; a fall is not judged without
    `ROOM` for it. With a correction it holds where that is so of the first depth and the last
    alone, the last is violent, and both are `beyond` the first.
    """
    by = rows.groupby("layers")
    medians = by[list(MEDIANS.values())].median()
    seeds = int(by.size().min())
    numbers = {word: listed(medians[name]) for word, name in MEDIANS.items()}
    numbers["layers"] = ", ".join(map(str, medians.index))
    numbers["value"] = rows["largest fall"].max()
    numbers["seeds"] = seeds
    if seeds < ENOUGH:
        return ByDepth((None,), False, numbers)
    steps = medians.diff().dropna()
    room = medians["highest test accuracy"] >= ROOM
    grows = decided((steps["largest fall"] > 0).all(), room.all())
    violent = decided(medians["largest fall"].iloc[-1] >= VIOLENT, room.iloc[-1])
    med_falls = (steps["final MED"] < 0).all()
    ends = bool(violent) and beyond(rows, "largest fall", 1) and beyond(rows, "final MED", -1)
    return ByDepth((grows, violent, med_falls), ends, numbers)


def lessened(rows: pd.DataFrame) -> ByDepth:
    """Whether the highest test accuracy falls at every further layer, in medians over three or more
    seeds of each; `levels` are these, by number of layers.

    It is not so where the deepest networks are not below the first, and holds with a correction
    where the last depth is `beyond` the first and one between is not in its place.
    """
    by = rows.groupby("layers")["highest test accuracy"]
    medians = by.median()
    part: Part = None
    if by.size().min() >= ENOUGH:
        part = (medians.diff().dropna() < 0).all()
    not_below = medians.iloc[-1] >= medians.iloc[0]
    less = decided(beyond(rows, "highest test accuracy", -1), not_below)
    return ByDepth((part,), less, {"levels": listed(medians)})


def listed(values: Iterable[float], form: str = ".2f") -> str:
    """Some numbers, one after the other."""
    return ", ".join(format(value, form) for value in values)


DEPTH = "What more layers do"


@claim(
    "GF02",
    "gu2025",
    "Fig. 2 (Gu 2024, Fig. 6)",
    section=DEPTH,
    runs=fig_2,
    beside=small,
    through=lives,
    published="accuracy fluctuates violently with more layers, MED falls",
    says=(
        "{where}{layers} layers, {seeds} seeds each, medians: the largest fall of the test "
        "accuracy is {fall}, the highest one {highest}; the final MED is {med}, over the norm "
        "{quotient}; the largest fall of the training accuracy is {training}"
    ),
)
def figure_2(runs: Runs) -> Finding:
    """As the number of transformer layers increases, the test accuracy fluctuates violently, while
    the MED keeps decreasing.

    See `compared`. The caption is of runs at modulus 97, so a study of another size is told, and
    decides nothing. (Before, one at modulus 59 gave "holds with correction".)
    """
    tables = studies(runs)
    if whole(tables.get("")):
        own = compared(tables[""])
        return judge(*own.parts, corrected=own.corrected, where="", **own.numbers)
    for name, rows in tables.items():
        if name:
            return judge(None, where=f"at {name}: ", **compared(rows).numbers)
    return Finding(UNDECIDED, "too few depths are recorded to compare them")


def little_trained() -> dict[Any, Any]:
    """The runs of Fig. 2, and the smaller study in which little is trained."""
    return fig_2() | {(SCARCE, n): run for n, run in scarce().items()}


@claim(
    "G55",
    "gu2025",
    "section 1",
    section=DEPTH,
    runs=little_trained,
    beside=small,
    through=lives,
    also=("G32",),
    rule_changed="2026-11-28T17:50:11 705cb561",
    says="the highest test accuracy is {levels} (medians, by number of layers)",
)
def diminishes(runs: Runs) -> Finding:
    """The grokking phenomenon diminishes as the number of transformer layers increases.

    Our reading: the highest test accuracy by the last step, see `lessened`. The sentence is
    general: without the paper's size a study in which little is trained, as in the figure, may bear
    it out with a correction, for its size, and refutes nothing. The study with more is told beside
    it.
    """
    tables = {name: rows for name, rows in studies(runs).items() if whole(rows)}
    if "" in tables:
        own = lessened(tables[""])
        return judge(*own.parts, corrected=own.corrected, **own.numbers)
    read = {}
    words = []
    for name in (SCARCE, BETWEEN):
        if name in tables:
            study = lessened(tables[name])
            read[name] = study
            words.append(f"at {name} {study.numbers['levels']}")
    known: Part = None
    corrected: Part = None
    if SCARCE in read:
        (part,) = read[SCARCE].parts
        known = None if part is None else False
        corrected = part or read[SCARCE].corrected
    return judge(known, corrected=corrected, elsewhere=True, levels="; ".join(words) or "not known")
