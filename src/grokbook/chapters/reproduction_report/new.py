"""What this book found that none of the papers says: each with a check that can fail, and where it is shown."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from grokbook.claims.ledger import choose, outcomes
from grokbook.measures import least_med, mean_norm, med
from grokbook.measures.representation import mean_squared_defect, spread
from grokbook.tasks.groups import cayley_table
from grokbook.theory import effective_flow
from grokbook.theory.coverage import expected_uncovered, guaranteed_size, printed_fraction, required_fraction
from grokbook.theory.group_deduction import additive_nullity
from grokbook.theory.memorisers import transpose_accuracy
from grokbook.theory.minimal_map import printed_norm, smallest_map
from grokbook.theory.one_frequency import circle
from grokbook.theory.parallelograms import all_samples
from grokbook.theory.toeplitz_start import draw_start, spread_within, squared_steps
from grokbook.theory.triple_product import conserved, flow, limit_point
from grokbook.theory.uniformity import closeness, common_point

Numbers = Mapping[str, Any]


@dataclass(frozen=True)
class New:
    """A finding: its title, a sentence with computed numbers, what shows it, and the label or claim that says where.

    `check` gives the numbers of the sentence and, as "true", whether the finding stood the check. `shown_by` is a word
    of the ledger's, `label` the label of a statement in a notebook, or the id of a claim.
    """

    slug: str
    title: str
    says: str
    shown_by: str
    label: str
    check: Callable[[], Numbers]


FOUND: list[New] = []


def new(slug: str, title: str, shown_by: str, label: str) -> Callable[[Callable[[], Numbers]], New]:
    """Make a function that gives numbers into a finding of `FOUND`; its docstring is the sentence they fill."""

    def made(check: Callable[[], Numbers]) -> New:
        says = " ".join((inspect.getdoc(check) or "").split())
        FOUND.append(New(slug, title, says, shown_by, label, check))
        return FOUND[-1]

    return made


@new("common-point", "All classes of a sum have one common point", "proof", "thm-uni-common")
def class_sums(tried: int = 20) -> Numbers:
    """For any embedding of p symbols, trained or not, the sums phi(i) + phi(j) of every class modulo p have the same
    mean.

    Closeness within the classes is therefore collapse: on {tried} random tables the class means differ by at most
    {gap:.0e}, and no mean radius is below {least:.2f} times that of the table.
    """
    rng = np.random.default_rng(0)
    gap, ratios = 0.0, []
    for _ in range(tried):
        table = rng.normal(size=(23, 8))
        i = np.arange(23)
        means = [(table[i] + table[(r - i) % 23]).mean(axis=0) for r in range(23)]
        gap = max(gap, float(np.abs(np.array(means) - common_point(table)).max()))
        found = closeness(table)
        ratios.append(found.deltas.mean() / found.radius)
    return {"tried": tried, "gap": gap, "least": min(ratios), "true": gap < 1e-12 and min(ratios) >= 1}


@new("med-bound", "The sharp bound of MED by the norm", "proof", "thm-spectral")
def bound_of_med(p: int = 97) -> Numbers:
    """MED <= 2 cos(pi/2p) sqrt(|E|_F^2/p), with equality for one circle of frequency (p - 1)/2. At p = 97 the circle
    has {most:.6f} and the bound is {bound:.6f}; the circle of frequency 1 has {least:.3f} at the same norm.
    """
    bound = 2 * np.cos(np.pi / (2 * p))
    most, least = med(circle(p, (p - 1) // 2)), med(circle(p, 1))
    return {"most": most, "bound": bound, "least": least, "true": abs(most - bound) < 1e-9 > least - most}


@new("renaming", "The best renaming of the symbols", "count", "cor-relabel")
def renamed(p: int = 59) -> Numbers:
    """MED reads which frequencies a network happened to take; its least value over the renamings i -> c i does not.

    Over the mean length it is {one:.3f} for a circle of any frequency modulo {p}, {few:.2f} for four circles at once
    and {noise:.2f} for noise: it reads how narrow the spectrum is.
    """

    def shape(table: np.ndarray) -> float:
        return least_med(table)[0] / mean_norm(table)

    rng = np.random.default_rng(0)
    ones = [shape(circle(p, k)) for k in (1, 5, 20)]
    few = shape(np.hstack([circle(p, k) for k in (3, 10, 17, 24)]))
    noise = shape(rng.normal(size=(p, 64)))
    return {"p": p, "one": ones[0], "few": few, "noise": noise, "true": np.ptp(ones) < 1e-9 and ones[0] < few < noise}


@new("smallest-map", "The least norm of Lemma B.1 for given vectors", "proof", "thm-uni-map")
def least_map(tried: int = 20) -> Numbers:
    """The smallest linear map with l(x_i) + l(x_-i) = r has norm |r| divided by the distance of 0 from the affine
    hull of the sums. On {tried} Gaussian draws it is {low:.1f} to {high:.1f} times the printed value.
    """
    rng = np.random.default_rng(0)
    draws = [rng.normal(size=(7, 7)) for _ in range(tried)]
    r = np.eye(3)[0]
    ratios = [smallest_map(x, r).norm / printed_norm(x, r) for x in draws]
    return {"tried": tried, "low": min(ratios), "high": max(ratios), "true": min(ratios) > 1}


@new("coverage", "How many cells a random training set leaves uncovered, exactly", "proof", "thm-expected")
def uncovered_cells(p: int = 97, k: int = 5, m: int = 2100) -> Numbers:
    """The expected number of cells with no trained cell within radius k has a closed form without replacement, on
    the torus and on the grid.

    At p = 97, k = 5 and 2,100 trained cells it is {torus:.3f} and {grid:.3f}; a fraction 1 - p^(-2/C) = {ours:.3f}
    suffices for at most one (printed as necessary: {theirs:.3f}); certainty needs {sure:,} of 9,409 cells.
    """
    torus, grid = (expected_uncovered(p, k, m, torus=ring) for ring in (True, False))
    ours, theirs = required_fraction(p, k), printed_fraction(p, k)
    least = expected_uncovered(p, k, int(np.ceil(ours * p * p)), torus=True)
    return {"torus": torus, "grid": grid, "ours": ours, "theirs": theirs, "sure": guaranteed_size(p, k),
            "true": least <= 1 and torus < grid}  # fmt: skip


@new("copyist", "A memoriser that swaps the operands", "count", "G38")
def copies(p: int = 97) -> Numbers:
    """On a commutative task, a memory that answers (j, i) for (i, j) is right on about the training fraction of the
    test cells: {half:.1%} at 50 % of p = 97. An accuracy below that shows no learning of the rule.
    """
    half = transpose_accuracy(p, p * p // 2)
    rng, right = np.random.default_rng(0), []
    for _ in range(5):
        trained = np.zeros(p * p, dtype=bool)
        trained[rng.permutation(p * p)[: p * p // 2]] = True
        right.append(trained.reshape(p, p).T[~trained.reshape(p, p)].mean())
    return {"half": half, "true": abs(np.mean(right) - half) < 0.01}


@new("toeplitz", "Structure without its scale", "proof", "prop-start-scale")
def structure(p: int = 97, draws: int = 200) -> Numbers:
    """A Toeplitz start has the same expected squared step as independent entries; only the relative variance of the
    squared steps within a table is smaller, {toeplitz:.3f} against {independent:.3f} at p = d = 97.

    The low MED of the published start is the scale of its numbers.
    """
    rng = np.random.default_rng(0)
    means = [np.mean([squared_steps(draw_start(kind, p, p, rng)).mean() for _ in range(draws)])
             for kind in ("toeplitz", "independent")]  # fmt: skip
    within = {kind: spread_within(kind, p, p) for kind in ("toeplitz", "independent")}
    return {**within, "true": abs(means[0] / means[1] - 1) < 0.05 and within["toeplitz"] < within["independent"]}


@new("parallelograms", "No mean of squared parallelograms can see a good representation", "proof", "prop-defect")
def defects(p: int = 47) -> Numbers:
    """Modulo p the mean squared defect of all parallelograms is 4 V for every embedding of variance V: {circle:.6f}
    V for a circle and {noise:.6f} V for noise. Only the distribution of the defects can differ.
    """
    noise = np.random.default_rng(0).normal(size=(p, 16))
    found = [mean_squared_defect(table) / spread(table) for table in (circle(p, 3), noise)]
    return {"circle": found[0], "noise": found[1], "true": bool(np.allclose(found, 4))}


@new("limit", "Where the starts of the cube end", "proof", "thm-limit")
def ends(tried: int = 10) -> Numbers:
    """From a start of the cube with x, w, u >= 0, not on an axis, and s such that the product of sqrt(x_i^2 + s) is 1,
    the flow of x w u ends there, by the conserved x^2 - w^2 and w^2 - u^2, and no integration is needed:

    on {tried} starts of the cube formula and integration differ by at most {error:.0e}, and the conserved
    quantities drift by {drift:.0e}.
    """
    starts = np.random.default_rng(0).uniform(0.1, 1, size=(tried, 3))
    paths = [flow(start, [0.0, 60.0]) for start in starts]
    error = max(float(np.abs(path[-1] - limit_point(start)).max()) for path, start in zip(paths, starts, strict=True))
    drift = max(float(np.abs(np.subtract(conserved(path[-1]), conserved(path[0]))).max()) for path in paths)
    return {"tried": tried, "error": error, "drift": drift, "true": error < 1e-6 and drift < 1e-6}


def _of_claim(name: str, **wanted: str) -> Numbers:
    """The numbers of a claim's finding; true while its verdict is the one that the sentence is written for."""
    finding = _found(name)
    numbers = {"value": finding.value, "low": finding.low, "high": finding.high, **finding.numbers}
    return {**numbers, "recorded": finding.runs, "true": finding.verdict == wanted["verdict"]}


@cache
def _found(name: str) -> Any:
    return next(iter(outcomes(choose([name])))).finding


@new("clock", "A test of lead that an oracle passes and a clock does not", "runs", "P15")
def no_lead() -> Numbers:
    """To be half way first is what a clock does in nearly every run that generalises.

    A rank correlation within tasks tells it from an oracle, and by it MED goes with the accuracy ({tau:.2f}, p =
    {p_value:.2g}) and does not lead it: it is first in {first} of {runs} small runs that
    generalise.
    """
    return _of_claim("P15", verdict="fails")


@new("deeper", "Where the classes come together", "runs", "G54")
def behind_the_mlp() -> Numbers:
    """The cells of a class do not come together in the sums of embeddings, where they cannot, but behind the MLP:

    at generalisation the class explains {value:.0%} there ({low:.0%} to {high:.0%}, {learned} runs that
    generalise), in {memorised} runs that memorise at most {idle:.0%}; these are small networks.
    """
    return _of_claim("G54", verdict="holds")


@new("separable", "What a linear read-out sorts is separable", "counterexample", "G31")
def read_out() -> Numbers:
    """Separability of the classes in the last row follows from fitted answers, right or wrong: noise sorted by a
    random read-out has {value:.0%} of its pairs separable, with labels shuffled {null:.0%}.

    A linear probe fitted on training cells alone can fail, and tells when the rule is there.
    """
    return _of_claim("G31", verdict="vacuous")


@new("cube", "The unit cube does not flow into one corner", "proof", "G47")
def corner() -> Numbers:
    """Only starts with x = w = u end in (1, 1, 1). The others end around it, at {value:.3f} in the mean and at most
    {most:.5f}, and {outside:.0%} of them outside the cube.
    """
    return _of_claim("G47", verdict="holds")


@new("line", "How many pairs force a line", "draws", "L15")
def forced_line() -> Numbers:
    """Random training pairs force the embedded numbers onto a line at no universal share.

    Half of the draws do at {value:.0%} of the pairs for ten numbers, {small:.0%} for four, {large:.0%} for twenty: at
    about {per:.1f} pairs a number.
    """
    return _of_claim("L15", verdict="holds")


@new("labels", "A line is not yet an answer", "counterexample", "L14")
def unseen_labels() -> Numbers:
    """A training set can force a line and leave sums that it never shows.

    In a random split of 45 of the 55 pairs {value:.2f} of the ten test pairs have a sum that no training pair has,
    and all sums are seen in {all_seen:.1%} of the splits.
    """
    return _of_claim("L14", verdict="fails")


@new("line-flow", "The motion of the effective theory in closed form", "proof", "thm-flow")
def normalised_flow(tried: int = 10) -> Numbers:
    """The embeddings move as e^(-Ht) R_0, brought back to their length at every moment.

    On {tried} starts of ten numbers the end of the flow is the start's projection on the solutions, to {error:.0e};
    the length is kept to {drift:.0e}, and the sum, which the paper calls conserved, grows by {growth:.0%} to
    {most:.0%}.
    """
    pairs, rng = all_samples(10), np.random.default_rng(0)
    starts = rng.normal(1, 1, size=(tried, 10))
    paths = [effective_flow.flow(start, pairs, [0.0, 1e4]) for start in starts]
    error = max(np.abs(path[-1] - effective_flow.limit(path[0], pairs)).max() for path in paths)
    drift = max(abs(np.linalg.norm(path[-1]) / np.linalg.norm(path[0]) - 1) for path in paths)
    grown = [path[-1].sum() / path[0].sum() - 1 for path in paths]
    kept = error < 1e-6 and drift < 1e-9 and min(grown) > 0
    return {"tried": tried, "error": error, "drift": drift, "growth": min(grown), "most": max(grown), "true": kept}


@new("groups", "Sums of real vectors collapse in every finite group", "proof", "thm-13-collapse")
def collapsed() -> Numbers:
    """If equal products have equal sums of vectors, all vectors are equal.

    There is {reals} degree of freedom for each of {tried} groups. Over the field of {p} elements, addition modulo
    {p} has {lines}: lines that go round.
    """
    names = ("Z5", "Z12", "Z2xZ4", "S3", "D4", "Q8", "A4")
    found = {additive_nullity(cayley_table(name)) for name in names}
    lines = additive_nullity(cayley_table("Z11"), field=11)
    return {"reals": max(found), "tried": len(names), "p": 11, "lines": lines, "true": (found, lines) == ({1}, 2)}


def stood() -> Iterator[tuple[New, Numbers]]:
    """The findings that stand their checks, each with its numbers."""
    for finding in FOUND:
        numbers = finding.check()
        if numbers["true"]:
            yield finding, numbers
