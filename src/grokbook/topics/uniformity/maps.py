"""Claims on additive blocks and on the smallest map (Gu et al. 2025, section 3, App. B)."""

from __future__ import annotations

import numpy as np

from grokbook.claims import Finding, claim, judge
from grokbook.errors import ParameterError
from grokbook.measures import med
from grokbook.theory.linear_operators import splitting_error
from grokbook.theory.minimal_map import printed_norm, smallest_map

LEMMA = "The smallest map"


@claim("G01", "gu2025", "section 3.2, appendix B.3", section="No additive network can add", kind="formula",
       shown_by="counterexample",
       says=("for a block B of width {d} as it starts, B(a + b) differs from B(a) + B(b) by up to {value:.2f} of the ",
             "largest output, by {frozen:.0e} when the same units are on for every cell; and a network that is a sum ",
             "of a map of phi(i) and one of phi(j) cannot be right on all cells of two classes (common-point theorem)"))
def block_is_additive(d: int = 16, cells: int = 200) -> Finding:
    """The output at cls is a truncated linear map of phi(i) plus one of phi(j).

    The error of writing the block's output as a function of i plus a function of j.
    """
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, cells, d)) / np.sqrt(d)
    w_in, w_out = (rng.normal(size=shape) / np.sqrt(d) for shape in ((d, 4 * d), (4 * d, d)))
    free = splitting_error(a, b, w_in, w_out)
    frozen = splitting_error(a, b, w_in, w_out, rng.integers(0, 2, 4 * d))
    return judge(free < 1e-9, value=free, low=0, high=1e-9, d=d, frozen=frozen)


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
    """By Lemma B.1 embeddings "uniformly distributed on the n - 1 dimensional manifold will reduce the sum of norms".

    Remark 3.9; our reading of "distributed on a smooth manifold" after the lemma, which one point of a sphere satisfies
    as printed. What the x of norm at most M look like for which the least norm |r| / 2M is attained.
    """
    rng = np.random.default_rng(0)
    same = np.tile(rng.normal(size=d), (p, 1))
    collapsed, spread = _least_over_printed(same), []
    for _ in range(draws):
        x = same + rng.uniform(0.1, 1) * rng.normal(size=(p, d))
        spread.append(_least_over_printed(x / np.linalg.norm(x, axis=1, keepdims=True)))
    alone = abs(collapsed - 1) < 1e-9 and min(spread) > 1 + 1e-9 and med(same) == 0
    return judge(not alone, value=float(min(spread)), low=1, high=1, collapsed=collapsed, med=med(same), draws=draws)
