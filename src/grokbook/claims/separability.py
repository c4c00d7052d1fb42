"""Claims about separability, depth, progress measures in general and the theorems that are cited, and their checks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import linprog

from grokbook.claims.finding import Finding
from grokbook.claims.legacy import Claim
from grokbook.measures import (
    class_separability,
    convexly_separable,
    convexly_separable_on,
    separate,
    shuffled_share,
    topologically_separable,
)

EXACT = 1e-6
"""Largest error of a reconstruction that counts as exact."""


def inverse_root(x: np.ndarray) -> np.ndarray:
    """1 / sqrt(x): integrable on (0, 1], but not bounded."""
    return x**-0.5


def dense_simple_functions(f: Callable[[np.ndarray], np.ndarray] = inverse_root, level: int = 20) -> Finding:
    """G28: steps of height 2^-n cut off at n approach f >= 0 on (0, 1] in L1; uniformly only where f is bounded."""
    edges = np.geomspace(1e-12, 1, 200_001)
    x, width = np.sqrt(edges[1:] * edges[:-1]), np.diff(edges)
    values = f(x)
    error = values - np.minimum(np.floor(values * 2.0**level) / 2.0**level, level)
    mean, largest = float(error @ width), float(error.max())
    verdict = "holds" if largest < 2 / level else "needs an assumption" if mean < 2 / level else "fails"
    evidence = f"sums of indicators miss the function by {mean:.2g} in L1 and by {largest:.2g} at most, level {level}"
    return Finding(verdict, evidence, mean, 0, 2 / level)


def _random_sets(trials: int) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Two sets of four points in space, two units apart or not, and two directions; seeded."""
    rng = np.random.default_rng(0)
    sets = rng.normal(size=(trials, 3, 4, 3))
    return [(a, b + 2 * (i % 2), u[:2]) for i, (a, b, u) in enumerate(sets)]


def subspace_is_stronger(second: tuple[float, float] = (0.0, 1.0), trials: int = 100) -> Finding:
    """G29: a pair of points separable in the plane and not on the first axis; projections never separate what meets."""
    a, b = [[0.0, 0.0]], [list(second)]
    lost = convexly_separable(a, b) and not convexly_separable_on(a, b, [[1.0, 0.0]])
    reverse = sum(convexly_separable_on(a, b, u) and not convexly_separable(a, b) for a, b, u in _random_sets(trials))
    verdict = "fails" if lost else "holds"
    evidence = (
        f"(0, 0) and {tuple(second)} are {'' if lost else 'not '}lost on the first axis; of {trials} random pairs of "
        f"sets {reverse} are separable on a plane and not in space"
    )
    return Finding(verdict, evidence, float(lost), 0, 0)


def topological_is_stronger(first: tuple[float, ...] = (0.0, 2.0), second: tuple[float, ...] = (1.0,)) -> Finding:
    """G30: disjoint sets whose hulls meet, with the common point that the linear programme returns."""
    a, b = np.array(first)[:, None], np.array(second)[:, None]
    found, apart = separate(a, b), topologically_separable(a, b)
    verdict = "fails" if apart and not found.separable else "holds"
    evidence = (
        f"{set(first)} and {set(second)} are {'disjoint' if apart else 'not disjoint'}; their hulls are "
        f"{found.gap + 0.0:.2g} apart, nearest points {found.nearest[0][0]:.2g} and {found.nearest[1][0]:.2g}"
    )
    return Finding(verdict, evidence, found.gap + 0.0, 0, 0)


def sums_by_class(p: int, d: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """phi(i) + phi(j) of a random table for all cells, (p*p, d), and the labels i + j mod p."""
    phi = np.random.default_rng(seed).normal(size=(p, d))
    points = (phi[:, None] + phi[None]).reshape(-1, d)
    return points, (np.add.outer(np.arange(p), np.arange(p)) % p).ravel()


def read_out_is_separable(p: int = 7, d: int = 16, n: int = 200) -> Finding:
    """G31: sums of embeddings of all cells never are separable; what a linear read-out sorts always is."""
    points, labels = sums_by_class(p, d)
    full = class_separability(points, labels).share
    rng = np.random.default_rng(1)
    rows, reader = rng.normal(size=(n, d)), rng.normal(size=(d, p))
    sorted_by = class_separability(rows, (rows @ reader).argmax(axis=1)).share
    null = shuffled_share(rows, (rows @ reader).argmax(axis=1)).share
    verdict = "holds" if full == 1 else "vacuous" if sorted_by == 1 else "fails"
    evidence = (
        f"sums of embeddings of all cells: {full:.0%} of the class pairs separable; noise sorted by a random linear "
        f"read-out: {sorted_by:.0%} ({null:.0%} with labels shuffled), so a network that fits its training cells has it"
    )
    return Finding(verdict, evidence, sorted_by, 1, 1)


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
    found = linprog(np.ones(2 * n), A_eq=np.hstack([a, -a]), b_eq=a @ x, method="highs").x
    return float(np.abs(found[:n] - found[n:] - x).max())


def return_slope(h: float = 1e-3) -> float:
    """Derivative at the cycle r = 1 of the first-return map of r' = r(1 - r^2), theta' = 1; it is exp(-4 pi)."""
    ends = [
        solve_ivp(lambda _, r: r * (1 - r * r), (0, 2 * np.pi), [1 + s], rtol=1e-12, atol=1e-14).y[0, -1]
        for s in (-h, h)
    ]
    return float((ends[1] - ends[0]) / (2 * h))


def cited_theorems(measurements: int = 32, seeds: int = 10, order: int = 2) -> Finding:
    """P11: Fourier decay, compressed sensing and the return map, each on an example with a known answer."""
    slope, back = fourier_decay(order), abs(return_slope())
    share = float(np.mean([recovery_error(measurements, seed=s) < EXACT for s in range(seeds)]))
    verdict = "holds" if slope <= -order and share == 1 and back < 1 else "fails"
    evidence = (
        f"a C^{order} function decays as n^{slope:.1f}; l1 recovers {share:.0%} of {seeds} sparse vectors from "
        f"{measurements} of 64 numbers; a return map of slope {back:.1g} at a stable cycle"
    )
    return Finding(verdict, evidence, slope, None, -order)


def roughness(p: int, k: int) -> float:
    """Mean step |f(x+1) - f(x)| of the wave cos(2 pi k x / p) on the ring of p residues."""
    wave = np.cos(2 * np.pi * k * np.arange(p) / p)
    return float(np.abs(np.roll(wave, -1) - wave).mean())


def sparse_is_not_smooth(p: int = 97, ks: tuple[int, ...] | None = None) -> Finding:
    """P12: waves of one frequency, all equally sparse, differ in their steps by the order of p."""
    steps = [roughness(p, k) for k in ks or tuple(range(1, p // 2 + 1))]
    ratio = max(steps) / min(steps)
    evidence = f"one-frequency waves modulo {p}, equally sparse, step {min(steps):.2g} to {max(steps):.2g} on average"
    return Finding("fails" if ratio > 2 else "holds", evidence, ratio, 1, 2)


def any_number_tells(steps: int = 1000, event: int = 700, values: np.ndarray | None = None) -> Finding:
    """G25: is there a phi with phi(f) = [the event has happened], for an f that knows nothing of it?

    By default f is random noise; such a phi exists exactly if no value of f occurs both before and after the event.
    """
    f = np.random.default_rng(0).normal(size=steps) if values is None else np.asarray(values)
    happened = np.arange(f.size) >= event
    both = np.intersect1d(f[happened], f[~happened]).size
    verdict = "vacuous" if values is None and both == 0 else "holds" if both == 0 else "fails"
    evidence = (
        f"{f.size} values of {'pure noise' if values is None else 'the given function'}: {both} occur both before and "
        f"after the event, so a mapping to 0 and 1 {'exists' if both == 0 else 'does not exist'}"
    )
    return Finding(verdict, evidence, float(both), 0, 0)


PAGE = "07_separability_and_depth: "

CLAIMS = (
    Claim(
        "G25",
        "gu2025",
        "Definition 4.1",
        "A function of weights and step is a progress measure of an event if some mapping of its values to 0 and 1 "
        "says whether the event has happened.",
        "formula",
        PAGE + "What the papers say",
        any_number_tells,
    ),
    Claim(
        "G28",
        "gu2025",
        "section 5, Eq. 6",
        "Linear sums of indicator functions are dense in the measurable functions.",
        "theorem",
        PAGE + "Sums of indicators",
        dense_simple_functions,
    ),
    Claim(
        "G29",
        "gu2025",
        "section 5, after Definition 5.1",
        "Convex separability is stronger than convex separability on a subspace.",
        "theorem",
        PAGE + "The order is the other way round",
        subspace_is_stronger,
        seconds=3,
    ),
    Claim(
        "G30",
        "gu2025",
        "section 5, after Definition 5.1",
        "Topological separability is stronger than \"positional\" (not defined; read as convex) separability.",
        "theorem",
        PAGE + "The order is the other way round",
        topological_is_stronger,
    ),
    Claim(
        "G31",
        "gu2025",
        "sections 1 and 5",
        "A transformer learns to make the embedded classes convexly separable on a subspace.",
        "observation",
        PAGE + "What a linear read-out sorts is separable",
        read_out_is_separable,
    ),
    Claim(
        "G32",
        "gu2025",
        "section 5, Eq. 7",
        "The number of regions grows at least quadratically with the number of layers.",
        "observation",
        PAGE + "Sums of indicators",
        reason="A conjecture about regions that are not defined for attention, so there is nothing to count; the runs "
        "of Fig. 2, which are to support it, are about accuracy.",
    ),
    Claim(
        "G52",
        "gu2025",
        "appendix C, Definitions C.4 to C.6",
        "Kernel functions, delayed generalisation and emergence are defined by integrals of them.",
        "formula",
        PAGE + "What the papers say",
        reason="The integrands and their measure are not given, and each side of the equivalences is defined by the "
        "other.",
    ),
    Claim(
        "P10",
        "gu2024",
        "Theorem 4",
        "The embedding encodes and the transformer decodes the information of the task.",
        "theorem",
        PAGE + "What the papers say",
        reason="Encoding and decoding are not defined, so no computation could contradict the sentence.",
    ),
    Claim(
        "P11",
        "gu2024",
        "appendix C, Theorems 6 to 9",
        "Fourier coefficients of smooth functions decay, sparse vectors are recovered from few measurements, and a "
        "return map describes the stability of a cycle.",
        "theorem",
        PAGE + "What the papers say",
        cited_theorems,
    ),
    Claim(
        "P12",
        "gu2024",
        "appendix C.1",
        "A sparse spectrum of the embedding means periodicity and smoothness by the theorems on Fourier decay.",
        "theorem",
        PAGE + "What the papers say",
        sparse_is_not_smooth,
    ),
)
