"""The theorems of Tian 2025 (Li2) as chapter 17 checks them: identities, maxima, counts and
draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from companion.claims import Finding, claim, judge
from companion.claims.finding import band
from grokbook.tasks.groups import inverses
from grokbook_chapters.feature_emergence.backpropagated import (
    answers,
    as_printed,
    centred,
    cosines,
    enough_nodes,
    feature_gradient,
    features,
    keeps,
    modulated,
    paired_nodes,
    random_features,
    ridge,
    shrinkage,
    unreached,
)
from grokbook_chapters.feature_emergence.feature_energy import (
    ascend,
    by_irreps,
    by_traces,
    energy,
    example,
    gradient,
    local_maxima,
    spectrum,
)
from grokbook_chapters.feature_emergence.irreps import as_table, irreps

BEHIND = "What reaches the features"
CLIMB = "What one feature climbs"
HILLS = "Every hill of the energy"
ENOUGH = "How many features are enough"
LEFT = "What the learned leave to the others"
DATA = "How many pairs keep a hill"

# The groups on which the theorems are tried: odd and even cyclic ones, all three types of irreps,
# degrees to three.
GROUPS = ("Z5", "Z8", "Z12", "Z2xZ2", "S3", "D4", "D5", "Q8", "A4")

ROUNDING = 1e-8

TIMES = 20.0
"""As many times M ln M random pairs keep a maximum modulo M."""
MODULI = (101, 401, 1009, 4001)


def inverse_of(u: np.ndarray, group: str) -> np.ndarray:
    """Pu, with (Pu)(h) = u(h^-1): our reading of the slides' P, which they do not define."""
    return u[..., inverses(as_table(group))]


@claim(
    "T12",
    "tian2025",
    "stage I, Eq. 5",
    part_of="XT",
    section=BEHIND,
    kind="formula",
    says=(
        "the printed G_F and a finite difference of the loss agree to {value:.0e} (relative, {K}"
        " features of {n})"
    ),
)
def gradient_formula(K: int = 6, n: int = 20) -> Finding:
    """At the ridge solution the backpropagated gradient is the product of Eq. 5."""
    rng = np.random.default_rng(0)
    step = 1e-4
    F = rng.normal(size=(n, K))
    Y = np.eye(5)[rng.integers(5, size=n)]
    move = rng.normal(size=(n, K))
    V = ridge(F, Y, 0.7)

    def loss(features: np.ndarray) -> float:
        return (centred(Y - features @ V) ** 2).sum() / 2

    down = (loss(F - step * move) - loss(F + step * move)) / (2 * step)
    value = abs((as_printed(F, Y, 0.7) * move).sum() / down - 1)
    bar = ROUNDING * 100
    return judge(value < bar, value=value, low=0, high=bar, K=K, n=n)


@claim(
    "T13",
    "tian2025",
    "Lemma 1, Eq. 6",
    section=BEHIND,
    kind="theorem",
    shown_by="draws",
    seconds=3,
    says=(
        "with {K:,} random features of the {n} sums modulo {M} the direction is right (cosine "
        "{cosine:.4f}); the best factor is {value:.4f} of eta/(Kc + eta)^2 and {printed:.1e} of "
        "the printed one"
    ),
)
def prefactor(M: int = 5, K: int = 20_000, eta: float = 10.0) -> Finding:
    """For large width G_F is η / ((K c_1 + η)(n c_2 + η)) times Y Y^T F, with centred Y."""
    F = random_features(M, K)
    Y = answers(M)
    c = 4.0
    got = feature_gradient(F, Y, eta)
    target = centred(Y) @ (centred(Y).T @ centred(F))
    product = (got * target).sum()
    best = product / (target**2).sum()
    cosine = product / np.linalg.norm(got) / np.linalg.norm(target)
    printed = eta / ((K * c + eta) * (M**2 * c + eta))
    right = best / shrinkage(K, c, eta)
    theirs = best / printed
    parallel = cosine > 0.98
    return judge(
        parallel and abs(theirs - 1) < 0.05,
        corrected=parallel and abs(right - 1) < 0.05,
        value=right,
        low=0.95,
        high=1.05,
        K=K,
        n=M**2,
        M=M,
        cosine=cosine,
        printed=theirs,
    )


@claim(
    "T14",
    "tian2025",
    "stage I, key insights",
    section=BEHIND,
    kind="theorem",
    shown_by="counterexample",
    says=(
        "as eta falls from 1 to 1e-8, |G_F| comes to {value:.3f} with {narrow} features of {n} "
        "samples, where the least squares cannot fit, and to {wide_left:.0e} with {wide} (n - 1 or "
        "more)"
    ),
)
def no_decay(narrow: int = 6, wide: int = 30, n: int = 20) -> Finding:
    """If the weight decay is zero, G_F = 0: there is no feature learning."""
    rng = np.random.default_rng(0)
    Y = np.eye(5)[rng.integers(5, size=n)]
    of_narrow = size_of_gradient(rng.normal(size=(n, narrow)), Y, 1e-8)
    of_wide = size_of_gradient(rng.normal(size=(n, wide)), Y, 1e-8)
    return judge(
        of_narrow < 1e-4,
        of_wide < 1e-4,
        assumed=of_wide < 1e-4,
        value=of_narrow,
        low=of_narrow,
        high=of_narrow,
        narrow=narrow,
        wide=wide,
        n=n,
        wide_left=of_wide,
    )


def size_of_gradient(F: np.ndarray, Y: np.ndarray, eta: float) -> float:
    """The norm of `feature_gradient`."""
    return float(np.linalg.norm(feature_gradient(F, Y, eta)))


@claim(
    "T15",
    "tian2025",
    "stage I, key insights",
    part_of="XT",
    section=BEHIND,
    kind="theorem",
    shown_by="draws",
    seconds=2,
    says=(
        "|G_F| falls to {value:.0e} of itself from 100 to 10,000 features, to {decay:.0e} from"
        " decay 10 to 1e8"
    ),
)
def large_limits(M: int = 5) -> Finding:
    """For large weight decay, and for infinite width, G_F goes to zero."""
    Y = answers(M)
    few = random_features(M, 100)
    many = random_features(M, 10_000)
    usual = size_of_gradient(few, Y, 10.0)
    value = size_of_gradient(many, Y, 10.0) / usual
    decay = size_of_gradient(few, Y, 1e8) / usual
    return judge(value < 0.01, decay < 0.01, value=value, low=0, high=0.01, decay=decay)


@claim(
    "T16",
    "tian2025",
    "Theorem 1",
    part_of="XT",
    section=CLIMB,
    kind="theorem",
    says=(
        "for a random node on S3 the dynamics of Eq. 7 is the slope of E to {value:.0e} (relative)"
    ),
)
def ascent_of_energy() -> Finding:
    """The dynamics of independent features is exactly gradient ascent of the energy E."""
    w, move = np.random.default_rng(0).normal(size=(2, 12))
    slope = (energy(w + 1e-4 * move, "S3") - energy(w - 1e-4 * move, "S3")) / 2e-4
    value = abs(float(slope / (gradient(w, "S3") @ move)) - 1)
    return judge(value < 1e-5, value=value, low=0, high=1e-5)


@claim(
    "T17",
    "tian2025",
    "Eq. 9",
    part_of="XT",
    section=CLIMB,
    kind="theorem",
    says=(
        "for {of} groups the regular representation splits into irreps found numerically: each is "
        "a homomorphism to {value:.0e}, and their dimensions squared over c add up to M"
    ),
)
def regular_representation() -> Finding:
    """The regular representation of a finite group is a direct sum of irreps, each as often as its
    dimension."""
    worst = 0.0
    complete = True
    for group in GROUPS:
        table = as_table(group)
        every = irreps(group)
        complete &= sum(rho.dimension**2 // rho.norm for rho in every) == len(table)
        for rho in every:
            products = rho.matrices[:, None] @ rho.matrices
            worst = max(worst, float(np.abs(products - rho.matrices[table]).max()))
    return judge(complete, worst < ROUNDING, value=worst, low=0, high=ROUNDING, of=len(GROUPS))


@claim(
    "T18",
    "tian2025",
    "formula beside Theorem 2",
    part_of="ET",
    section=CLIMB,
    kind="formula",
    shown_by="counterexample",
    says=(
        "with Frobenius norms the sum over irreps is E (to {error:.0e} on S3 and Z5); with traces "
        "it is on Z5, and not on S3: {value:.1f}, where E is {right:.1f}"
    ),
)
def energy_by_irreps() -> Finding:
    """The energy is M/2 times the sum over the nontrivial irreps of |sum over r of tr S_(k,r)|^2 /
    d_k."""
    rng = np.random.default_rng(0)
    error = 0.0
    off = 0.0
    for group, n in (("Z5", 5), ("S3", 6)):
        w = rng.normal(size=2 * n)
        right = energy(w, group)
        traces = by_traces(w, group)
        error = max(error, abs(by_irreps(w, group) / right - 1))
        off = max(off, abs(traces / right - 1))
    return judge(
        off < ROUNDING,
        corrected=error < ROUNDING,
        value=traces,
        right=right,
        error=error,
    )


def off_printed(groups: Sequence[int | str], inputs: str = "unit") -> float:
    """How far the maxima of these groups are from M/8d (real irreps) and M/16d (others), d complex,
    relative."""
    worst = 0.0
    for group in groups:
        for m in local_maxima(group):
            parts = 8 if m.type == "real" else 16
            printed = len(as_table(group)) / (parts * m.irrep.degree)
            reached = energy(m.w, group, inputs=inputs)
            worst = max(worst, abs(reached / printed - 1))
    return worst


@claim(
    "T19",
    "tian2025",
    "Theorem 2",
    section=HILLS,
    kind="theorem",
    published="M/8d, M/16d",
    seconds=3,
    says=(
        "for unit inputs the maxima of {of} groups are M/8d and M/16d to {value:.0e}; for one-hot "
        "ones they are four times that; the printed list has no quaternionic irreps, as that of Q8 "
        "(M/16d = {q8:g}); in one formula M/(8D), D the real dimension"
    ),
)
def energies() -> Finding:
    """The maximum is M/(8 d_k) in a real irrep, and M/(16 d_k) in a pair of complex ones."""
    worst = off_printed(GROUPS)
    last = local_maxima("Q8", inputs="unit")[-1]
    right = worst < ROUNDING
    return judge(
        right,
        last.type != "quaternionic",
        corrected=right,
        value=worst,
        low=0,
        high=ROUNDING,
        of=len(GROUPS),
        q8=last.energy,
    )


class Ends(NamedTuple):
    """How far ascents end from an energy of the corrected list, at most, and the least part of a
    node in one irrep."""

    far: float
    pure: float


def ends_of_ascents(starts: int) -> Ends:
    """Where `starts` ascents on each group end.

    Example:
        >>> far, pure = ends_of_ascents(1)
        >>> far < 1e-6, pure > 1 - 1e-6
        (True, True)
    """
    rng = np.random.default_rng(0)
    worst = 0.0
    pure = 1.0
    for group in GROUPS:
        ends = ascend(rng.normal(size=(starts, 2 * len(as_table(group)))), group, steps=3_000)
        top = np.array([m.energy for m in local_maxima(group)])
        nearest = np.abs(energy(ends, group)[:, None] - top).min(axis=1)
        worst = max(worst, float(nearest.max()))
        pure = min(pure, float(spectrum(ends, group).max(axis=1).min()))
    return Ends(worst, pure)


def printed_maxima() -> float:
    """How far [u; ±Pu] with a random u of rank one in H_k is from the height of its irrep,
    relative, on all groups.

    Such a u is h -> x rho(h) y with random vectors x and y, and Pu is h -> y rho(h) x.

    Example:
        >>> printed_maxima() < 1e-12
        True
    """
    rng = np.random.default_rng(0)
    worst = 0.0
    for group in GROUPS:
        for m in local_maxima(group):
            x, y = rng.normal(size=(2, m.dimension))
            u = np.einsum("i,hij,j->h", x, m.irrep.matrices, y)
            for sign in (1, -1):
                w = np.concatenate([u, sign * inverse_of(u, group)])
                reached = float(energy(w / np.linalg.norm(w), group))
                worst = max(worst, abs(reached / m.energy - 1))
    return worst


@claim(
    "T20",
    "tian2025",
    "Theorem 2",
    section=HILLS,
    kind="theorem",
    shown_by="counterexample",
    seconds=5,
    also=("T21",),
    says=(
        "with (Pu)(h) = u(h^-1), [u; ±Pu] is a maximum in each irrep of {of} groups (to "
        "{off:.0e}); {starts} ascents end at listed heights (to {far:.0e}), {pure:.6f} of |w|^2 or "
        "more in one irrep. Other maxima have a v free of u ({modes} zero modes modulo 5), and u "
        "must have rank one (random u on S3: {low:.2f} to {high:.2f} of {top:g})"
    ),
)
def printed_family(draws: int = 200, starts: int = 20) -> Finding:
    """The local maxima are w = [u; ±Pu], each in one irrep (u in H_k); there are no others, and
    they are not connected.

    What survives: maxima of this form are in every irrep, every maximum is in one, none else
    exists, and no path of them leads from one irrep to another (proved on the page). With
    correction: a free vector of v takes the place of one of u's, and u has rank one. The slides do
    not define P; the inverse is our reading. The first rule counted the form alone and said
    "fails".
    """
    rng = np.random.default_rng(0)
    m = local_maxima("S3")[-1]
    u = rng.normal(size=(draws, 6)) @ m.irrep.projection
    w = np.concatenate([u, inverse_of(u, "S3")], axis=1)
    reached = energy(w / np.linalg.norm(w, axis=1, keepdims=True), "S3")
    every_u = reached.min() > m.energy * (1 - ROUNDING)
    modes = local_maxima(5)[0].zero_modes
    off = printed_maxima()
    far, pure = ends_of_ascents(starts)
    in_one_irrep = off < ROUNDING and far < 1e-6 and pure > 1 - 1e-6
    return judge(
        in_one_irrep,
        every_u,
        modes == 1,
        corrected=in_one_irrep,
        **band(reached),
        top=m.energy,
        modes=modes,
        off=off,
        starts=starts * len(GROUPS),
        of=len(GROUPS),
        far=far,
        pure=pure,
    )


@claim(
    "T22",
    "tian2025",
    "Corollary 2",
    part_of="ET",
    section=HILLS,
    kind="number",
    published="M/16, M/8",
    says=(
        "M/16 and, for even M, M/8 for unit inputs (to {value:.0e}, M = 11 and 12); for one-hot"
        " ones M/4 and M/2"
    ),
)
def modular_energies() -> Finding:
    """For modular addition all maxima are single frequencies with M/16, and M/8 for the alternating
    one of even M."""
    unit = off_printed((11, 12), "unit")
    raw = off_printed((11, 12), "one-hot")
    return judge(raw < ROUNDING, corrected=unit < ROUNDING, value=unit, low=0, high=ROUNDING)


def missed_by_pairs(group: str, *, conjugate: bool) -> float:
    """The part of the target that Theorem 3's nodes miss, with the conjugate or as printed."""
    nodes = paired_nodes(group, conjugate=conjugate)
    return unreached(features(nodes, group), answers(group))


@claim(
    "T23",
    "tian2025",
    "Theorem 3",
    section=ENOUGH,
    kind="theorem",
    shown_by="counterexample",
    seconds=3,
    also=("T24",),
    published="2M - 2",
    says=(
        "v = P conj(u) reaches them to {value:.0e} on {of} groups; v = Pu misses {least:.2f} to "
        "{most:.2f} of them. The number is at most the bound, and {nodes} for addition modulo {M}; "
        "four real cosines a frequency do it too (missed: {real:.0e})"
    ),
)
def reconstruction(
    groups: tuple[str, ...] = ("Z5", "Z7", "S3", "D4", "A4"), M: int = 23
) -> Finding:
    """Nodes [u; ± P u] whose u u* are complete bases of all H_k give exactly the centred answers.

    With q nontrivial irreps 2 ((M - q)^2 + q - 1) of them suffice, and 2M - 2 for Abelian groups.
    """
    mended = max(missed_by_pairs(group, conjugate=True) for group in groups)
    as_in_print = [missed_by_pairs(group, conjugate=False) for group in groups]
    literal = max(as_in_print)
    counts = [enough_nodes(group) for group in (*GROUPS, "S4", M)]
    within_bound = all(nodes <= bound for nodes, bound in counts)
    real = unreached(features(cosines(M), M), answers(M))
    nodes, _ = counts[-1]
    few = within_bound and nodes == 2 * M - 2 and real < ROUNDING
    return judge(
        literal < ROUNDING,
        few,
        corrected=mended < ROUNDING and few,
        value=mended,
        low=0,
        high=ROUNDING,
        least=min(as_in_print),
        most=literal,
        of=len(groups),
        nodes=nodes,
        M=M,
        real=real,
    )


@claim(
    "T25",
    "tian2025",
    "after Theorem 3",
    part_of="XT",
    section=ENOUGH,
    kind="observation",
    shown_by="count",
    says=(
        "{few} nodes for the {pairs:,} pairs of addition modulo {M}; the sentence follows the one "
        "on Abelian groups, and is not true of all: on A4 the theorem's number is {value:.0f} for "
        "144 pairs"
    ),
)
def more_efficient(M: int = 71) -> Finding:
    """For Abelian groups K = 2M - 2, and "This is much more efficient" than the M^2 nodes of
    memorisation."""
    few, _ = enough_nodes(M)
    a4, _ = enough_nodes("A4")
    return judge(few < M**2 / 2, value=a4, low=a4, high=a4, few=few, pairs=M**2, M=M)


def keeping(moduli: tuple[int, ...], draws: int) -> pd.DataFrame:
    """Do `TIMES` M ln M random pairs, and half as many, keep a maximum? A row a modulus.

    Columns M, pairs, share (of all pairs), kept and half: how many of the draws.
    """
    rows = []
    for M in moduli:
        pairs = min(M * M, round(TIMES * M * np.log(M)))
        survived = keeps(M, pairs, draws, steps=150).sum()
        half = keeps(M, pairs // 2, draws, steps=150).sum()
        row = {"M": M, "pairs": pairs, "share": pairs / M**2, "kept": survived, "half": half}
        rows.append(row)
    return pd.DataFrame(rows)


@claim(
    "T26",
    "tian2025",
    "Theorem 4",
    section=DATA,
    kind="theorem",
    shown_by="draws",
    seconds=12,
    says=(
        "{times:g} M ln M random pairs keep a maximum in {kept} of {draws} draws at M = {moduli}, "
        "where they are {shares} of all pairs; half as many keep it in {half}"
    ),
)
def samples(moduli: tuple[int, ...] = MODULI, draws: int = 4) -> Finding:
    """Of the order of d_k^2 M log(M/delta) random pairs keep the local maxima.

    Our reading, for d_k = 1: one constant, 20, serves all moduli to 4,001, where these are a small
    part of the pairs. Draws cannot refute a rate of large M with any constant. The constant is from
    other draws up to M = 2,003 (15 to 16.4 at the largest two). The first moduli were 7 to 23:
    there a sample has most of the pairs, and no rate shows.
    """
    table = keeping(moduli, draws)
    every = (table.kept == draws).all()
    return judge(
        every or None,
        value=table.share.iloc[-1],
        times=TIMES,
        draws=draws,
        moduli=", ".join(f"{M:,}" for M in table.M),
        shares=", ".join(f"{share:.0%}" for share in table.share),
        kept=", ".join(map(str, table.kept)),
        half=", ".join(map(str, table.half)),
    )


def modulation_table(M: int) -> pd.DataFrame:
    """With the first frequency learned by 16 units: the modified energy at its maximum and the
    least at the others'.

    A row a weight decay of the ridge, columns eta, learned, others.
    """
    first, *others = local_maxima(M)
    rho = irreps(M)[1]
    F = features(2 * np.stack([example(rho, seed) for seed in range(16)]), M)
    rows = []
    for eta in (1000.0, 10.0, 0.1):
        least = min(modulated(hill.w, M, F, eta) for hill in others)
        rows.append((eta, modulated(first.w, M, F, eta), least))
    return pd.DataFrame(rows, columns=["eta", "learned", "others"])


@claim(
    "T27",
    "tian2025",
    "Theorem 7",
    section=LEFT,
    kind="theorem",
    shown_by="counterexample",
    says=(
        "modulo {M}, with one frequency learned, the others keep {top:g} each; the learned one has "
        "{parts} at eta = {etas}: it goes to zero with eta, and is there for every eta above it"
    ),
)
def top_down(M: int = 11) -> Finding:
    """Once irreps S are learned, the modified energy has local maxima only on the missing ones."""
    left = modulation_table(M)
    learned, other, *_ = local_maxima(M)
    others_stay = left.others.iloc[-1] > 0.99 * other.energy
    gone = left.learned < 0.01 * learned.energy
    return judge(
        others_stay,
        *gone,
        assumed=others_stay and gone.iloc[-1],
        value=left.learned.iloc[0],
        low=left.learned.iloc[-1],
        high=left.learned.iloc[0],
        M=M,
        top=other.energy,
        parts=", ".join(f"{e:.2g}" for e in left.learned),
        etas=", ".join(f"{eta:g}" for eta in left.eta),
    )
