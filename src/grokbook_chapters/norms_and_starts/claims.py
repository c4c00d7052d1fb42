"""What chapter 03a checks: two norms, Toeplitz starts, the predecessor's family of maps."""

from __future__ import annotations

import numpy as np
import pandas as pd
import sympy
from scipy.linalg import toeplitz
from scipy.stats import ortho_group

from companion.claims import Finding, claim, judge
from grokbook.tasks.groups import cyclic
from grokbook.theory.linear_operators import chain_in_bases

NORMS = "Two norms"
BEFORE = "The predecessor's family of maps"


@claim(
    "G03",
    "gu2025",
    "Lemma 3.4",
    section=NORMS,
    kind="theorem",
    shown_by="counterexample",
    also=("G04",),
    says=(
        "holds in {kept} of {samples} random orthonormal pairs of bases; in the basis {{0.1}} of "
        "the line the identity has matrix 10 and norm 1, and the lemma {there}"
    ),
)
def lemma_3_4(samples: int = 200) -> Finding:
    """The Frobenius norm of a matrix 'under two sets of basis vectors' lies between the operator
    norm and sqrt(min(m, n)) times it.
    """
    rng = np.random.default_rng(0)
    holding = 0
    for n in range(samples):
        m, k = rng.integers(2, 7, 2)
        matrix = rng.normal(size=(m, k)) * (n % 3 + 1)
        domain = ortho_group.rvs(k, random_state=rng)
        codomain = ortho_group.rvs(m, random_state=rng)
        holding += chain_in_bases(matrix, domain, codomain)
    scaled = chain_in_bases([[1.0]], [[1.0]], [[0.1]])
    return judge(
        scaled and holding == samples,
        assumed=holding == samples,
        value=holding / samples,
        low=1,
        high=1,
        kept=holding,
        samples=samples,
        there="holds" if scaled else "fails",
    )


@claim(
    "G50",
    "gu2025",
    "appendix E, Eq. (19); Gu 2024, Eq. 13",
    section="A Toeplitz start",
    kind="formula",
    shown_by="counterexample",
    says=(
        "moved by a row and a column, which leaves a circulant matrix as it is, Toeplitz(v, v') of "
        "two random vectors (p = {p}) differs in {value} entries, the program's Toeplitz(v, v) in "
        "{program}, and with v'_j = v_(-j mod p) in {closed}. Whether it makes learning easier, "
        "GE1 and GF20 ask of runs"
    ),
)
def toeplitz_is_circulant(p: int = 97) -> Finding:
    """The start W_E = Toeplitz(v, v') with a random vector v is "a circulant matrix generated from
    a random vector".

    What v' is the papers do not say. With correction where one choice of it makes the matrix
    circulant for every v.
    """
    v, other = np.random.default_rng(0).normal(size=(2, p))
    free = not_circulant(toeplitz(v, other))
    program = not_circulant(toeplitz(v, v))
    closed = not_circulant(toeplitz(v, np.roll(v[::-1], 1)))
    return judge(
        free == 0,
        corrected=closed == 0,
        value=free,
        p=p,
        program=program,
        closed=closed,
    )


def not_circulant(table: np.ndarray) -> int:
    """Entries of a square table that change when it is moved by a row and a column.

    Example:
        >>> not_circulant(np.eye(3)), not_circulant(np.diag([1.0, 2.0, 2.0]))
        (0, 2)
    """
    return int((np.roll(table, 1, axis=(0, 1)) != table).sum())


def region_map(x: np.ndarray, same: bool, root: bool = False) -> np.ndarray:
    """One of the paper's maps to [0, 1] in the plane, at points x (n, 2): from Urysohn's lemma,
    written out.

    A is the closed half plane y >= x with 0 on its edge (the complement of a cone), B the disc of
    radius 1/2 about (2, 0). The map is d(x, A) / (d(x, A) + d(x, B)): 0 on A, 1 on B; for `same` =
    False one minus it, as the paper has it for an output that is not the answer. `root` takes its
    root, another function with the same values on A, B.

    Example:
        >>> region_map(np.array([[2.0, 0.0], [-1.0, 0.0]]), same=True).tolist()
        [1.0, 0.0]
    """
    to_a = np.maximum(x[:, 0] - x[:, 1], 0) / np.sqrt(2)
    to_b = np.maximum(np.linalg.norm(x - [2, 0], axis=1) - 0.5, 0)
    value = (to_a / (to_a + to_b)) ** (0.5 if root else 1)
    return value if same else 1 - value


@claim(
    "P03",
    "gu2024",
    "Definition 4",
    section=BEFORE,
    kind="theorem",
    shown_by="counterexample",
    says=(
        "F(x)/|x| at |x| = 1e-{power} is {at[s not c]:.0e} for the maps of s not c, which are 1 at "
        "0, {at[its root]:.0e} for another choice of F with s = c and {at[s = c]:.1f} for the "
        "simplest one; and without an absolute value -F has {minus:.1f}"
    ),
)
def supremum_is_a_norm(decades: int = 12) -> Finding:
    """sup F(x) / |x| is a norm of the maps F.

    The quotient along rays to 0, for the paper's own maps, and for minus such a map.
    """
    radii = 10.0 ** -np.arange(decades)
    rays = np.stack([radii, -radii], axis=1) / np.sqrt(2)
    maps = {
        "s = c": region_map(rays, same=True),
        "its root": region_map(rays, same=True, root=True),
        "s not c": region_map(rays, same=False),
    }
    quotients = pd.DataFrame(maps) / radii[:, None]
    last = quotients.iloc[-1]
    grows = (last > 1e3 * quotients.iloc[0]).sum()
    minus = (-quotients["s = c"]).max()
    return judge(
        grows == 0 and minus >= 0,
        value=grows,
        power=decades - 1,
        minus=minus,
        at=last.to_dict(),
    )


@claim(
    "P04",
    "gu2024",
    "Theorem 3",
    section=BEFORE,
    kind="theorem",
    shown_by="count",
    also=("P06",),
    says=(
        "at {value:.0f} of the sums d1 + d2 that divide p the class changes (p = {p}: at d1 + d2 = "
        "1); that p divides d1 + d2 is wrong at {reversed} sums"
    ),
)
def divisibility(primes: tuple[int, ...] = (5, 7, 11)) -> Finding:
    """If d1 + d2 divides p, the maps of (i, j) and (i + d1, j + d2) are equal.

    Which sums d1 + d2 keep the class of (i, j), against "d1 + d2 divides p" and "p divides d1 +
    d2"; a class of i + j is moved by the sum alone.
    """
    printed = 0
    mended = 0
    for p in primes:
        label = cyclic(p)
        for total in range(2 * p):
            keeps = np.array_equal(np.roll(label, -total, axis=0), label)
            divides = total in sympy.divisors(p)
            printed += divides and not keeps
            mended += (total % p == 0) != keeps
    return judge(
        not printed,
        corrected=not mended,
        value=printed,
        p=", ".join(map(str, primes)),
        reversed=mended,
    )
