"""Checks of the claims on operators, norms and starts (Gu et al. 2025, section 3, App. B, E and D.1)."""

from __future__ import annotations

import numpy as np
from scipy.stats import ortho_group

from grokbook.claims.finding import Finding
from grokbook.errors import ParameterError
from grokbook.measures import med
from grokbook.theory.linear_operators import chain_in_bases, norms, splitting_error
from grokbook.theory.minimal_map import printed_norm, smallest_map
from grokbook.theory.toeplitz_start import draw_start, spread_between, spread_within


def block_is_additive(d: int = 16, cells: int = 200) -> Finding:
    """G01: the error of writing the block's output as a function of i plus a function of j."""
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, cells, d)) / np.sqrt(d)
    w_in, w_out = rng.normal(size=(d, 4 * d)), rng.normal(size=(4 * d, d)) / (4 * d)
    free = splitting_error(a, b, w_in, w_out)
    frozen = splitting_error(a, b, w_in, w_out, rng.integers(0, 2, 4 * d))
    evidence = (
        f"for a random block B of width {d}, B(a + b) differs from B(a) + B(b) by up to {free:.2f} of the largest "
        f"output, by {frozen:.0e} when the same units are on for every cell; and a network that is a sum of a map of "
        "phi(i) and one of phi(j) cannot be right on all cells of two classes (common-point theorem)"
    )
    return Finding("holds" if free < 1e-9 else "fails", evidence, free, 0, 1e-9)


def lemma_3_4(samples: int = 200) -> Finding:
    """G03: the inequalities of norms in random orthonormal bases, and in a basis that is scaled."""
    rng = np.random.default_rng(0)
    kept = 0
    for n in range(samples):
        m, k = rng.integers(2, 7, 2)
        bases = (ortho_group.rvs(size, random_state=rng) for size in (k, m))
        kept += chain_in_bases(rng.normal(size=(m, k)) * (n % 3 + 1), *bases)
    scaled = chain_in_bases([[1.0]], [[1.0]], [[0.1]])
    evidence = (
        f"holds in {kept} of {samples} random orthonormal pairs of bases; in the basis {{0.1}} of the line the "
        f"identity has matrix 10 and norm 1, and the lemma {'holds' if scaled else 'fails'}"
    )
    every = kept == samples
    verdict = "fails" if not every else "holds" if scaled else "needs an assumption"
    return Finding(verdict, evidence, kept / samples, 1, 1)


def norms_move_together(d: int = 16, samples: int = 400) -> Finding:
    """G04: do the Frobenius norm and the operator norm of a matrix change in the same direction?"""
    rng = np.random.default_rng(0)
    example = norms(np.diag([1.0, 1.0])), norms(np.diag([1.2, 0.0]))
    signs = []
    for _ in range(samples):
        m = rng.normal(size=(d, d))
        one, two = norms(m), norms(m + 0.05 * rng.normal(size=(d, d)))
        signs.append(np.sign(two.frobenius - one.frobenius) == np.sign(two.operator - one.operator))
    agree = float(np.mean(signs))
    opposite = (example[1].frobenius - example[0].frobenius) * (example[1].operator - example[0].operator) < 0
    evidence = (
        f"from diag(1, 1) to diag(1.2, 0) |M|_F goes {example[0].frobenius:.3f} to {example[1].frobenius:.3f} and the "
        f"operator norm {example[0].operator:.1f} to {example[1].operator:.1f}; under small random changes of "
        f"{d} x {d} matrices the two move the same way in {agree:.0%} of {samples} draws"
    )
    return Finding("fails" if opposite or agree < 1 else "holds", evidence, agree, 1, 1, "always")


def lemma_b_1(primes: tuple[int, ...] = (5, 7, 11), draws: int = 50) -> Finding:
    """G12: the least norm of Lemma B.1 beside the printed |r| / 2M."""
    x = [[1, 0], [1, 1], [1, -1]]
    small = smallest_map(x, [1.0]).norm, printed_norm(x, [1.0])
    rng = np.random.default_rng(0)
    samples = [rng.normal(size=(p, p)) for p in primes for _ in range(draws)]
    ratios = np.array([smallest_map(s, [1.0]).norm / printed_norm(s, [1.0]) for s in samples])
    off = np.r_[small[0] / small[1], ratios]
    evidence = (
        f"for x = (1,0), (1,1), (1,-1) and r = 1 the minimum is {small[0]:.3f}, printed {small[1]:.3f}; for Gaussian "
        f"x at p = {', '.join(map(str, primes))} it is {ratios.min():.1f} to {ratios.max():.1f} times the printed "
        f"value; for x_1 = -x_2 {_opposite()}"
    )
    return Finding("fails" if off.max() > 1 + 1e-9 else "holds", evidence, float(np.median(ratios)), 1, 1, "1")


def _opposite() -> str:
    try:
        smallest_map([[1, 1], [1, 0], [-1, 0]], [1.0])
    except ParameterError:
        return "there is no such map at all"
    return "there is such a map"


def minimum_is_a_manifold(p: int = 11, d: int = 8, draws: int = 50) -> Finding:
    """G13: what the x of norm at most M look like for which the least norm |r| / 2M is attained."""
    rng = np.random.default_rng(0)
    same = np.tile(rng.normal(size=d), (p, 1))
    collapsed = smallest_map(same, [1.0]).norm / printed_norm(same, [1.0])
    spread = []
    for _ in range(draws):
        x = same + rng.uniform(0.1, 1) * rng.normal(size=(p, d))
        x /= np.linalg.norm(x, axis=1, keepdims=True)
        spread.append(smallest_map(x, [1.0]).norm / printed_norm(x, [1.0]))
    evidence = (
        f"with all x_i equal the least norm is {collapsed:.3f} times |r|/2M and MED is {med(same):.0f}; for {draws} "
        f"other choices on the sphere it is at least {min(spread):.3f} times. Equality forces x_i = x_-i = v/2: one "
        "point"
    )
    alone = abs(collapsed - 1) < 1e-9 and min(spread) > 1 + 1e-9 and med(same) == 0
    return Finding("fails" if alone else "holds", evidence, float(min(spread)), 1, 1)


def toeplitz_is_more_uniform(p: int = 97, draws: int = 200) -> Finding:
    """G50: MED and the spread of the steps of a Toeplitz table (p, p) beside independent entries and a circulant."""
    rng = np.random.default_rng(0)
    kinds = ("independent", "toeplitz", "circulant")
    meds = {kind: np.array([med(draw_start(kind, p, p, rng)) for _ in range(draws)]) for kind in kinds}
    spread = {kind: np.sqrt(max(spread_within(kind, p, p), 0)) / 2 for kind in kinds}
    level = {kind: f"{values.mean():.2f} +- {values.std():.2f}" for kind, values in meds.items()}
    between = np.sqrt(spread_between("toeplitz", p, p) / spread_between("independent", p, p))
    lower = meds["toeplitz"].mean() < meds["independent"].mean() - 3 * meds["toeplitz"].std() / np.sqrt(draws)
    evidence = (
        f"MED {level['toeplitz']} against {level['independent']} for independent entries ({draws} draws, p = d = {p}): "
        f"the expected squared step is 2 d sigma^2 in both. The relative spread of the steps in a table is "
        f"{spread['toeplitz']:.3f} against {spread['independent']:.3f}, and {spread['circulant']:.3f} for a circulant, "
        "which a Toeplitz table is not; "
        f"from table to table the mean squared step varies {between:.0f} times as much"
    )
    equalised = spread["toeplitz"] < spread["independent"]
    verdict = "fails" if not equalised else "holds" if lower else "holds with correction"
    return Finding(verdict, evidence, spread["toeplitz"] / spread["independent"], 0, 1)
