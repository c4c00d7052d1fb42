"""The statements of chapter 07: notions of separability, sums of indicators, theorems only cited, and depth."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from scipy.integrate import solve_ivp
from scipy.optimize import linprog

from grokbook.chapters.separability_and_depth.depth import FORMS, lives
from grokbook.chapters.separability_and_depth.runs import BETWEEN, LAYERS, SCARCE, STUDIES, deciding, small
from grokbook.claims import Finding, Runs, claim, found, judge
from grokbook.claims.finding import ENOUGH, UNDECIDED, Part
from grokbook.measures import (
    class_separability,
    convexly_separable,
    convexly_separable_on,
    separate,
    shuffled_share,
)

EXACT = 1e-6  # largest error of a reconstruction that counts as exact

# Our reading of "violently": a median largest fall of ten points of accuracy or more in the deepest network.
VIOLENT = 0.1

# A test accuracy that never reaches this could hardly fall so far if it fell to nothing, so it is not judged.
ROOM = 0.2

PAPERS_SAY = "What the papers say"
INDICATORS = "Sums of indicators come near almost everywhere, not uniformly"
ORDER = "The order is the other way round"


# ----------------------------------------------------------------------------------------------------- indicators


def inverse_root(x: np.ndarray) -> np.ndarray:
    """1 / sqrt(x): integrable on (0, 1], but not bounded."""
    return x**-0.5


@claim("G28", "gu2025", "section 5, Eq. 6", section=INDICATORS, kind="theorem", shown_by="proof",
       part_of="XG25", says=(
    "with 2^-n-steps cut off at n = {level} the function is missed by more than 2^-n on {value:.2g} of the interval, ",
    "at {further} on {low:.2g}: almost everywhere in the limit; in L1 by {mean:.2g}, uniformly by {largest:.2g}"))
def dense_simple_functions(f: Callable[[np.ndarray], np.ndarray] = inverse_root, level: int = 20) -> Finding:
    """Sums of indicator functions are dense in the Lebesgue measurable functions.

    The paper names no sense; it holds almost everywhere and in measure. Steps of height 2^-n cut off at n miss f >= 0
    on (0, 1] by more than 2^-n only where f > n, a set whose measure goes to 0 if f is finite almost everywhere.
    """
    edges = np.geomspace(1e-12, 1, 200_001)
    x, width = np.sqrt(edges[1:] * edges[:-1]), np.diff(edges)
    values = f(x)

    def errors(n: int) -> np.ndarray:
        return values - np.minimum(np.floor(np.minimum(values, n) * 2.0**n) / 2.0**n, n)

    missed, later = (float(width @ (errors(n) > 2.0**-n)) for n in (level, 4 * level))
    mean, largest = float(errors(level) @ width), float(errors(level).max())
    return judge(later <= missed / 2, value=missed, low=later, mean=mean, largest=largest, level=level,
                 further=4 * level)  # fmt: skip


# ------------------------------------------------------------------------------------------- order of the notions


@claim("G29", "gu2025", "section 5, after Definition 5.1", section=ORDER, kind="theorem", seconds=3,
       shown_by="counterexample", also=("G30",),
       says=("(0, 0) and {second} are {lost} on the first axis; of {trials} random pairs of sets {reverse} are "
             "separable on a plane and not in space. On some subspace, not a given one, it is the same notion: ",
             "{normal} of the {apart} separable pairs are so on the line of a normal"))
def subspace_is_stronger(second: tuple[float, float] = (0.0, 1.0), trials: int = 100) -> Finding:
    """Convex separability is stronger than subspace convex separability.

    Against it, on a given subspace: a pair of points separable in the plane and not on the first axis. The other way
    round: of random sets of four points in space, every other pair two units apart, projections on a plane never
    separate what meets.
    """
    a, b = [[0.0, 0.0]], [list(second)]
    lost = convexly_separable(a, b) and not convexly_separable_on(a, b, [[1.0, 0.0]])
    drawn = np.random.default_rng(0).normal(size=(trials, 3, 4, 3))
    drawn[1::2, 1] += 2
    slabs = [separate(a, b) for a, b, _ in drawn]
    both = list(zip(drawn, slabs, strict=True))
    reverse = sum(convexly_separable_on(a, b, u[:2]) and not slab.separable for (a, b, u), slab in both)
    apart = [convexly_separable_on(a, b, [slab.normal]) for (a, b, _), slab in both if slab.separable]
    return judge(not lost, value=float(lost), second=tuple(second), lost="lost" if lost else "not lost",
                 trials=trials, reverse=reverse, normal=sum(apart), apart=len(apart))  # fmt: skip


# ------------------------------------------------------------------------------------------- what a read-out sorts


def sums_by_class(p: int, d: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """phi(i) + phi(j) of a random table for all cells, (p*p, d), and the labels i + j mod p."""
    phi = np.random.default_rng(seed).normal(size=(p, d))
    points = (phi[:, None] + phi[None]).reshape(-1, d)
    return points, (np.add.outer(np.arange(p), np.arange(p)) % p).ravel()


@claim("G31", "gu2025", "sections 1 and 5", section="What a linear read-out sorts is separable",
       shown_by="counterexample", also=("G25", "G52", "P10"), says=(
    "sums of embeddings of all cells: {full:.0%} of the class pairs separable; noise sorted by a random linear ",
    "read-out: {value:.0%} ({null:.0%} with labels shuffled), so a network that fits its training cells has it"))
def read_out_is_separable(p: int = 7, d: int = 16, n: int = 200) -> Finding:
    """The goal of transformer learning is to make the embedding convexly separable on a certain subspace.

    Sums of embeddings of all cells never are separable; what a linear read-out sorts always is.
    """
    full = class_separability(*sums_by_class(p, d)).share
    rng = np.random.default_rng(1)
    rows, reader = rng.normal(size=(n, d)), rng.normal(size=(d, p))
    answers = (rows @ reader).argmax(axis=1)
    by_answer, null = class_separability(rows, answers).share, shuffled_share(rows, answers).share
    verdict = "holds" if full == 1 else "vacuous" if by_answer == 1 else "fails"
    return found(verdict, by_answer, 1, 1, full=full, null=null)


# ------------------------------------------------------------------------------------------------- what is cited


def fourier_decay(order: int = 2, n: int = 2**14) -> float:
    """Slope of log |c_n| against log n for |sin t|^(order + 1), a function of class C^order for even order."""
    t = 2 * np.pi * np.arange(n) / n
    size = np.abs(np.fft.rfft(np.abs(np.sin(t)) ** (order + 1))) / n
    at = np.arange(8, 65, 2)
    return float(np.polyfit(np.log(at), np.log(size[at]), 1)[0])


def recovery_error(measurements: int, n: int = 64, sparsity: int = 4, seed: int = 0) -> float:
    """Largest error of the l1 reconstruction of a sparse vector from Gaussian measurements, by linear programme."""
    rng = np.random.default_rng(seed)
    x = np.zeros(n)
    x[rng.choice(n, sparsity, replace=False)] = rng.normal(size=sparsity)
    a = rng.normal(size=(measurements, n))
    solution = linprog(np.ones(2 * n), A_eq=np.hstack([a, -a]), b_eq=a @ x, method="highs").x
    return float(np.abs(solution[:n] - solution[n:] - x).max())


def return_slope(h: float = 1e-3) -> float:
    """Derivative at the cycle r = 1 of the first-return map of r' = r(1 - r^2), theta' = 1; it is exp(-4 pi)."""
    solved = solve_ivp(lambda _, r: r * (1 - r * r), (0, 2 * np.pi), [1 - h, 1 + h], rtol=1e-12, atol=1e-14)
    return float(np.diff(solved.y[:, -1])[0] / (2 * h))


@claim("P11", "gu2024", "appendix C, Theorems 6 to 9", section=PAPERS_SAY, kind="theorem", shown_by="proof",
       part_of="XG24",
       says=("a C^{order} function decays as n^{value:.1f}; l1 recovers {share:.0%} of {seeds} sparse vectors from ",
             "{measurements} of 64 numbers and {fewer:.0%} from {few}, so Theorem 8 holds with high probability, not ",
             "for certain; a return map of slope {back:.1g} at a stable cycle"))  # fmt: skip
def cited_theorems(measurements: int = 32, few: int = 14, seeds: int = 10, order: int = 2) -> Finding:
    """Fourier coefficients of smooth functions decay, sparse vectors "can be exactly reconstructed" from few random
    measurements, and eigenvalues of a return map decide the stability of a cycle.

    Each on an example with a known answer. "With high probability" is left out of Theorem 8.
    """
    slope, back = fourier_decay(order), abs(return_slope())
    share, fewer = (np.mean([recovery_error(m, seed=s) < EXACT for s in range(seeds)]) for m in (measurements, few))
    right = slope <= -order and share == 1 and back < 1
    return judge(right, fewer in (0, 1), corrected=right, value=slope, high=-order, measurements=measurements,
                 order=order, share=share, fewer=fewer, few=few, seeds=seeds, back=back)  # fmt: skip


@claim("P12", "gu2024", "appendix C.1", section=PAPERS_SAY, kind="theorem", shown_by="counterexample",
       part_of="XG24",
       says="{what} modulo {p}, of which the largest wave holds {share:.0%} of the power, repeats after {p} steps to "
       "{value:.1g}; Theorems 6 and 7 lead from smoothness to decay, not from sparsity to periodicity")
def sparse_means_periodic(p: int = 97, values: np.ndarray | None = None) -> Finding:
    """According to Theorems 6 and 7, the emergence of sparsity implies that the signal exhibits increasing periodicity
    or quasi-periodicity.

    The signals are tables on the residues modulo p, and each is a sum of (p - 1)/2 waves of period p: noise too.
    """
    f = np.random.default_rng(0).normal(size=p) if values is None else np.asarray(values)
    waves = np.fft.fft(f) / p
    later = (waves * np.exp(2j * np.pi * np.outer(np.arange(p, 2 * p), np.arange(p)) / p)).sum(axis=1).real
    power = np.abs(waves[1 : (p + 1) // 2]) ** 2
    off, share = float(np.abs(later - f).max()), float(power.max() / power.sum())
    return judge(off < EXACT, anything=off < EXACT and share < 1 / 2, value=off, low=0, high=EXACT, p=p, share=share,
                 what="noise" if values is None else "the given table")  # fmt: skip


# ------------------------------------------------------------------------------------------------ what depth does


def on_depths(runs: Runs, read: Callable[[pd.DataFrame], tuple[tuple[Part, ...], Part, dict[str, Any]]]) -> Finding:
    """What `read` finds at all four depths of the paper's size, else at all four `between`, which may not refute.

    It is given a row a run, column `layers` and those of `lives`, and returns the statement's parts, whether it holds
    with a correction, and its numbers. Without either a smaller study is told, and decides nothing.
    """
    for name, rows in studies(runs).items():
        decides = name in ("", BETWEEN)
        if rows.layers.nunique() == len(LAYERS) or not decides:
            parts, mended, numbers = read(rows)
            numbers["where"] = f"at {name}: " if name else ""
            return judge(*(parts if decides else [None]), corrected=mended, elsewhere=bool(name), **numbers)
    return Finding(UNDECIDED, "too few depths are recorded to compare them")


def studies(runs: Runs) -> dict[str, pd.DataFrame]:
    """A row a run of every study with two depths or more, by its name: "" for the paper's size, which comes first."""
    tables = {"": {n: runs[n] for n in LAYERS if n in runs}}
    tables |= {name: {n: runs[name, n] for n in LAYERS if (name, n) in runs} for name in STUDIES}
    each = {name: depths for name, depths in tables.items() if len(depths) > 1}
    return {name: pd.concat(depths, names=["layers", "seed"]).reset_index() for name, depths in each.items()}


def beyond(rows: pd.DataFrame, column: str, sign: int) -> bool:
    """Whether each of three or more of the deepest networks is beyond all of one layer, above them for `sign` 1.

    Of two groups of three that are alike one is so beyond the other in one grouping of twenty.
    """
    each = [sign * part[column] for _, part in rows.groupby("layers")]
    return min(map(len, each)) >= ENOUGH and bool(each[-1].min() > each[0].max())


def compared(rows: pd.DataFrame) -> tuple[tuple[Part, ...], Part, dict[str, Any]]:
    """Whether the largest fall grows with depth, is violent at the last one, and whether the final MED falls.

    At every further layer, in medians over the seeds that all depths have; not judged without `ROOM` to fall, and with
    fewer than three common seeds. With a correction it holds where that is so of the first depth and the last alone,
    the last is violent, and both are `beyond` the first.
    """
    depths = rows.groupby("seed").layers.nunique()
    seeds = depths.index[depths == rows.layers.nunique()]
    common = rows[rows.seed.isin(seeds)] if len(seeds) else rows
    medians = common.groupby("layers")[list(FORMS)].median()
    steps, room = medians.diff().dropna(), medians["highest test accuracy"] >= ROOM
    grown = bool((steps["largest fall"] > 0).all()) or (False if room.all() else None)
    violent = bool(medians["largest fall"].iloc[-1] >= VIOLENT) or (False if room.iloc[-1] else None)
    parts = (grown, violent, bool((steps["final MED"] < 0).all()))
    names = {"fall": "largest fall", "highest": "highest test accuracy", "med": "final MED",
             "quotient": "MED over norm", "training": "largest fall, training"}  # fmt: skip
    numbers = {word: ", ".join(f"{value:.2f}" for value in medians[name]) for word, name in names.items()}
    numbers |= {"layers": ", ".join(map(str, medians.index)), "seeds": len(seeds)}
    numbers["value"] = float(rows["largest fall"].max())
    ends = bool(violent) and beyond(common, "largest fall", 1) and beyond(common, "final MED", -1)
    return (parts, ends, numbers) if len(seeds) >= ENOUGH else ((None, None, None), False, numbers)


def lessened(rows: pd.DataFrame) -> tuple[tuple[Part], Part, dict[str, Any]]:
    """Whether the highest test accuracy falls at every further layer, in medians over three or more seeds of each.

    It is not so where the deepest networks are not below the first, and holds with a correction where the last depth
    is `beyond` the first and one between is not in its place.
    """
    by = rows.groupby("layers")["highest test accuracy"]
    middle = by.median()
    part = bool((middle.diff().dropna() < 0).all()) if by.size().min() >= ENOUGH else None
    less = beyond(rows, "highest test accuracy", -1) or (None if middle.iloc[-1] < middle.iloc[0] else False)
    return (part,), less, {"levels": ", ".join(f"{value:.2f}" for value in middle)}


_DEPTH: dict[str, Any] = {"section": "What more layers do", "beside": small, "through": lives}


@claim("GF02", "gu2025", "Fig. 2 (Gu 2024, Fig. 6)", **_DEPTH, runs=partial(deciding, BETWEEN),
       rule_changed="2026-11-28T14:26:54 bc1e7e15", says=(
    "{where}{layers} layers, {seeds} seeds each, medians: the largest fall of the test accuracy is {fall}, the ",
    "highest one {highest}; the final MED is {med}, over the norm {quotient}; the largest fall of the training ",
    "accuracy is {training}"), published="accuracy fluctuates violently with more layers, MED falls")  # fmt: skip
def figure_2(runs: Runs) -> Finding:
    """As the number of transformer layers increases, the test accuracy fluctuates violently, while the MED keeps
    decreasing.

    See `compared`; without all four depths of the paper's size a study `between` may bear it out.
    """
    return on_depths(runs, compared)


@claim("G55", "gu2025", "section 1", also=("G32",), **_DEPTH, runs=partial(deciding, BETWEEN, SCARCE),
       rule_changed="2026-11-28T17:50:11 705cb561",
       says="{where}the highest test accuracy is {levels} (medians, by number of layers)")  # fmt: skip
def diminishes(runs: Runs) -> Finding:
    """The grokking phenomenon diminishes as the number of transformer layers increases.

    Our reading: the highest test accuracy by the last step, see `lessened` and, for where, `on_depths`. Without the
    paper's size two studies between may bear it out: together, or with a correction that in which little is trained
    (`SCARCE`), for such.
    """
    rows = {name: table for name, table in studies(runs).items() if table.layers.nunique() == len(LAYERS)}
    if "" in rows or SCARCE not in rows:
        return on_depths(runs, lessened)
    read = {name: lessened(rows[name]) for name in (SCARCE, BETWEEN) if name in rows}
    parts, mended, numbers = zip(*read.values(), strict=True)
    levels = "; ".join(f"at {name} {said['levels']}" for name, said in zip(read, numbers, strict=True))
    few = parts[0][0] or mended[0]
    return judge(*sum(parts, ()), corrected=few, elsewhere=True, where="", levels=levels)
