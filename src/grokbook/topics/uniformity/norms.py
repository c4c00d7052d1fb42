"""Claims on operators, norms and starts (Gu et al. 2025, section 3, App. B, E and D.1)."""

from __future__ import annotations

import numpy as np
from scipy.stats import ortho_group

from grokbook.claims import Finding, claim, found, judge
from grokbook.errors import ParameterError
from grokbook.measures import med
from grokbook.theory.linear_operators import chain_in_bases, norms, splitting_error
from grokbook.theory.minimal_map import printed_norm, smallest_map
from grokbook.theory.toeplitz_start import STARTS, draw_start, spread_between, spread_within

LEMMA, NORMS = "The smallest map", "Two norms"


@claim("G01", "gu2025", "section 3.2, appendix B.3", section="No additive network can add", kind="formula",
       shown_by="counterexample",
       says=("for a random block B of width {d}, B(a + b) differs from B(a) + B(b) by up to {value:.2f} of the ",
             "largest output, by {frozen:.0e} when the same units are on for every cell; and a network that is a sum ",
             "of a map of phi(i) and one of phi(j) cannot be right on all cells of two classes (common-point theorem)"))
def block_is_additive(d: int = 16, cells: int = 200) -> Finding:
    """The output at cls is a truncated linear map of phi(i) plus one of phi(j).

    The error of writing the block's output as a function of i plus a function of j.
    """
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, cells, d)) / np.sqrt(d)
    w_in, w_out = rng.normal(size=(d, 4 * d)), rng.normal(size=(4 * d, d)) / (4 * d)
    free = splitting_error(a, b, w_in, w_out)
    frozen = splitting_error(a, b, w_in, w_out, rng.integers(0, 2, 4 * d))
    return judge(free < 1e-9, value=free, low=0, high=1e-9, d=d, frozen=frozen)


@claim("G03", "gu2025", "Lemma 3.4", section=NORMS, kind="theorem", shown_by="counterexample",
       says=("holds in {kept} of {samples} random orthonormal pairs of bases; in the basis {{0.1}} of the line the ",
             "identity has matrix 10 and norm 1, and the lemma {there}"))  # fmt: skip
def lemma_3_4(samples: int = 200) -> Finding:
    """The Frobenius norm of a matrix 'under two sets of basis vectors' lies between the operator norm and
    sqrt(min(m, n)) times it.
    """
    rng = np.random.default_rng(0)
    kept = 0
    for n in range(samples):
        m, k = rng.integers(2, 7, 2)
        bases = (ortho_group.rvs(size, random_state=rng) for size in (k, m))
        kept += chain_in_bases(rng.normal(size=(m, k)) * (n % 3 + 1), *bases)
    scaled = chain_in_bases([[1.0]], [[1.0]], [[0.1]])
    verdict = "fails" if kept < samples else "holds" if scaled else "needs an assumption"
    return found(verdict, kept / samples, 1, 1, kept=kept, samples=samples, there="holds" if scaled else "fails")


@claim("G04", "gu2025", "section 3.1", section=NORMS, kind="theorem", published="always", shown_by="counterexample",
       says=("from diag(1, 1) to diag(1.2, 0) |M|_F goes {one.frobenius:.3f} to {two.frobenius:.3f} and the operator ",
             "norm {one.operator:.1f} to {two.operator:.1f}: by the lemma alone not even the sign is known. Where all ",
             "entries shrink by one factor, as under decay alone, both norms do ({scaled:.0%} of {samples} matrices ",
             "of {d} x {d}); under small random changes they move the same way in {value:.0%}"))  # fmt: skip
def norms_move_together(d: int = 16, samples: int = 400) -> Finding:
    """By Lemma 3.4 the variation of the weight decay term can be estimated through changes of the operator norms.

    Do both norms change in the same direction: in one example, when a matrix is scaled, and under random changes?
    """

    def alike(before, after):
        return np.sign(after.frobenius - before.frobenius) == np.sign(after.operator - before.operator)

    rng = np.random.default_rng(0)
    one, two = norms(np.diag([1.0, 1.0])), norms(np.diag([1.2, 0.0]))
    starts = rng.normal(size=(samples, d, d))
    agree = float(np.mean([alike(norms(m), norms(m + 0.05 * rng.normal(size=(d, d)))) for m in starts]))
    scaled = float(np.mean([alike(norms(m), norms(0.99 * m)) for m in starts]))
    verdict = "holds" if alike(one, two) and agree == 1 else "needs an assumption" if scaled == 1 else "fails"
    return found(verdict, agree, 1, 1, one=one, two=two, d=d, samples=samples, scaled=scaled)


def _least_over_printed(x: np.ndarray) -> float:
    return smallest_map(x, [1.0]).norm / printed_norm(x, [1.0])


@claim("G12", "gu2025", "Lemma B.1", section=LEMMA, kind="theorem", published="1", shown_by="counterexample",
       says=("for x = (1,0), (1,1), (1,-1) and r = 1 the minimum is {least:.3f}, printed {printed:.3f}; for Gaussian ",
             "x at p = d = {p} it is {value:.1f} times the printed value in the median (5 and 95 % quantiles ",
             "{low:.1f} and {high:.1f}, {of} draws); for x_1 = -x_2 {opposite}, in width {d} none for {none} of ",
             "{tries} x from p = 2d + 1 on. With the x_i free too, as in the proof, the printed value is right"))
def lemma_b_1(primes: tuple[int, ...] = (5, 7, 11), draws: int = 50, d: int = 5) -> Finding:
    """The least norm of l with l(x_i) + l(x_-i) = r, for given x_i of length at most M, is |r| / 2M."""
    x = [[1, 0], [1, 1], [1, -1]]
    least, printed = smallest_map(x, [1.0]).norm, printed_norm(x, [1.0])
    rng = np.random.default_rng(0)
    ratios = [_least_over_printed(rng.normal(size=(p, p))) for p in primes for _ in range(draws)]
    wide = [p for p in (2 * d + 1, 2 * d + 3, 4 * d + 1) for _ in range(draws)]
    low, value, high = np.quantile(ratios, [0.05, 0.5, 0.95])
    return judge(max(least / printed, *ratios) <= 1 + 1e-9, value=float(value), low=low, high=high, least=least,
                 printed=printed, p=", ".join(map(str, primes)), of=len(ratios), d=d, tries=len(wide),
                 opposite="there is a map" if _exists([[1, 1], [1, 0], [-1, 0]]) else "there is no map",
                 none=sum(not _exists(rng.normal(size=(p, d))) for p in wide))  # fmt: skip


def _exists(x: np.ndarray | list[list[int]]) -> bool:
    """Whether a map as in Lemma B.1 exists for these x, shape (p, d)."""
    try:
        smallest_map(x, [1.0])
    except ParameterError:
        return False
    return True


@claim("G13", "gu2025", "after Lemma B.1, Remark 3.9", section=LEMMA, kind="theorem", shown_by="proof",
       says=("with all x_i equal the least norm is {collapsed:.3f} times |r|/2M and MED is {med:.0f}; for {draws} ",
             "other choices on the sphere it is at least {value:.3f} times. Equality forces x_i = x_-i = v/2: one ",
             "point"))
def minimum_is_a_manifold(p: int = 11, d: int = 8, draws: int = 50) -> Finding:
    """The minimum corresponds to an embedding that is distributed on a smooth manifold of n - 1 dimensions.

    What the x of norm at most M look like for which the least norm |r| / 2M is attained.
    """
    rng = np.random.default_rng(0)
    same = np.tile(rng.normal(size=d), (p, 1))
    collapsed, spread = _least_over_printed(same), []
    for _ in range(draws):
        x = same + rng.uniform(0.1, 1) * rng.normal(size=(p, d))
        spread.append(_least_over_printed(x / np.linalg.norm(x, axis=1, keepdims=True)))
    alone = abs(collapsed - 1) < 1e-9 and min(spread) > 1 + 1e-9 and med(same) == 0
    return judge(not alone, value=float(min(spread)), low=1, high=1, collapsed=collapsed, med=med(same), draws=draws)


@claim("G50", "gu2025", "appendix E, Eq. (19); Gu 2024, Eq. 13", section="A Toeplitz start", kind="formula",
       shown_by="draws",
       says=("MED {level[toeplitz]} against {level[independent]} for independent entries ({draws} draws, p = d = ",
             "{p}): the expected squared step is 2 d sigma^2 in both. The relative spread of the steps in a table is ",
             "{spread[toeplitz]:.3f} against {spread[independent]:.3f}, and {spread[circulant]:.3f} for a circulant, ",
             "which a Toeplitz table is not; from table to table the mean squared step varies {between:.0f} times as ",
             "much"))  # fmt: skip
def toeplitz_is_more_uniform(p: int = 97, draws: int = 200) -> Finding:
    """A circulant start, Toeplitz(v, v'), gives the embedding uniformity beforehand.

    MED and the spread of the steps of a Toeplitz table (p, p) beside independent entries and a circulant.
    """
    rng = np.random.default_rng(0)
    meds = {kind: np.array([med(draw_start(kind, p, p, rng)) for _ in range(draws)]) for kind in STARTS}
    spread = {kind: np.sqrt(max(spread_within(kind, p, p), 0)) / 2 for kind in STARTS}
    level = {kind: f"{values.mean():.2f} +- {values.std():.2f}" for kind, values in meds.items()}
    between = np.sqrt(spread_between("toeplitz", p, p) / spread_between("independent", p, p))
    lower = meds["toeplitz"].mean() < meds["independent"].mean() - 3 * meds["toeplitz"].std() / np.sqrt(draws)
    equalised = spread["toeplitz"] < spread["independent"]
    verdict = "fails" if not equalised else "holds" if lower else "holds with correction"
    return found(verdict, spread["toeplitz"] / spread["independent"], 0, 1, level=level, draws=draws, p=p,
                 spread=spread, between=between)  # fmt: skip
