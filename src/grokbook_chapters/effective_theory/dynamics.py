"""Claims on the flow of the effective theory: what it keeps, how fast it is, and how appendix L
derives it."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

from companion.claims import Finding, claim, judge
from grokbook.theory.effective_flow import (
    conserved,
    effective_loss,
    flow,
    limit,
    quadratic_form,
    velocity,
)
from grokbook.theory.parallelograms import all_samples, gram, grokking_rate, permissible_set
from grokbook_chapters.effective_theory.representations import RATE

KEPT = "How the numbers get to the line"
# six embeddings on a line, whose mean is not zero
START = np.random.default_rng(0).normal(0.5, 1, size=6)


@claim(
    "L06",
    "liu2022",
    "section 3.2",
    section=KEPT,
    kind="formula",
    shown_by="proof",
    part_of="EL",
    says=(
        "doubling an embedding multiplies (E - mu) / sigma by {value:.2f} with sigma as printed "
        "and by {right:.2f} with its root"
    ),
)
def printed_deviation() -> Finding:
    """The embeddings are normalised by sigma = (1/p) sum |E_k - mu|^2.

    That is a variance, so that the result depends on the scale; the standard deviation is meant.
    """
    printed = 2 * START.var() / (2 * START).var()
    right = 2 * START.std() / (2 * START).std()
    return judge(
        np.isclose(printed, 1),
        corrected=np.isclose(right, 1),
        value=printed,
        right=right,
    )


@claim(
    "L07",
    "liu2022",
    "Eq. 6, 24 and 26; section 3.2, below Eq. 8",
    section=KEPT,
    kind="theorem",
    shown_by="proof",
    part_of="XL",
    also=("L09", "L13"),
    says=(
        "along the flow Z_0 drifts by {value:.0e}; l_eff and R^T H R / 2 differ by {apart:.0e}; at "
        "t = 3 / lambda_3 the slowest deviation is {left:.4f} of what it was, relative to the line "
        "(exp(-3) = {exact:.4f})"
    ),
)
def z0_is_kept() -> Finding:
    """Z_0, the sum of squared embeddings, is conserved; l_eff = R^T H R / 2; and t_h = 1 / lambda_3
    is the time in which the slowest component falls by a factor of e.
    """
    pairs = all_samples(6)
    line = np.arange(6) - 2.5
    slow = np.linalg.eigh(gram(pairs, 6))[1][:, 2]
    start = line + slow
    z0 = conserved(start)[1]
    end = flow(start, pairs, [3 * z0 / grokking_rate(pairs, 6)])[0]
    drift = abs(conserved(end)[1] / z0 - 1)
    apart = abs(effective_loss(start, pairs) - start @ quadratic_form(pairs, 6) @ start / z0)
    left = end @ slow / (end @ line) * (line @ line)
    exact = np.exp(-3)
    return judge(
        drift < 1e-12,
        apart < 1e-12,
        np.isclose(left, exact),
        value=drift,
        low=0,
        high=1e-12,
        apart=apart,
        left=left,
        exact=exact,
    )


@claim(
    "L08",
    "liu2022",
    "Eq. 6, 24 and 27",
    section=KEPT,
    kind="theorem",
    shown_by="counterexample",
    published="conserved",
    says=(
        "from (1, 0, 0) the sum goes from 1 to {value:.4f} = sqrt(6/5); dC/dt = (2 l_eff / Z_0) C "
        "to {error:.0e} at a random start, a term that Eq. 27 drops; from a centred start C stays "
        "0 to {centred:.0e}"
    ),
)
def sum_is_kept() -> Finding:
    """Two conserved quantities exist: the sum C of the embeddings is one of them.

    It is where it is 0, as it is of the normalised embeddings of Eq. 4.
    """
    pairs = all_samples(6)
    total, z0 = conserved(START)
    end = limit([1.0, 0.0, 0.0], all_samples(3)).sum()
    derived = 2 * effective_loss(START, pairs) / z0 * total[0]
    error = abs(velocity(START, pairs).sum() - derived)
    centred = abs(flow(START - START.mean(), pairs, [5.0]).sum())
    return judge(
        abs(end - 1) < 1e-6, assumed=centred < 1e-12, value=end, error=error, centred=centred
    )


@claim(
    "L10",
    "liu2022",
    "Eq. 9",
    section=KEPT,
    kind="theorem",
    shown_by="proof",
    says=(
        "minus the gradient is -(H - rho) R with rho = 2 l_eff / Z_0; at a random start the two "
        "differ by {value:.0%} of their length; with -H R the length Z_0 falls to {linear:.2f} of "
        "itself by t = 5, with the gradient it stays ({kept:.2f}), and the directions agree to "
        "{angle:.0e}"
    ),
)
def linear_flow() -> Finding:
    """ "The gradient descent is linear", dR/dt = -H R.

    A term rho R is missing. What is concluded from it survives: both flows pass through the same
    directions, so that the same deviations die out at the same rates relative to the line, and the
    time scale is 1 / lambda_3.
    """
    pairs = all_samples(6)
    true = velocity(START, pairs, kind="normalised")
    printed = velocity(START, pairs, kind="linear")
    apart = np.linalg.norm(true - printed) / np.linalg.norm(printed)
    true_end = flow(START, pairs, [5.0], kind="normalised")[0]
    printed_end = flow(START, pairs, [5.0], kind="linear")[0]
    turn = true_end / np.linalg.norm(true_end) - printed_end / np.linalg.norm(printed_end)
    angle = np.linalg.norm(turn)
    return judge(
        apart < 1e-6,
        corrected=angle < 1e-9,
        value=apart,
        linear=printed_end @ printed_end / (START @ START),
        kept=true_end @ true_end / (START @ START),
        angle=angle,
    )


@claim(
    "L11",
    "liu2022",
    "section 3.2, below Eq. 9",
    section=RATE,
    kind="formula",
    shown_by="proof",
    part_of="EL",
    says="at p = 4 the eigenvalues of H Z_0 are {value:.3f} sigma_i^2, 2 / |P_0(D)|",
)
def eigenvalues_of_h() -> Finding:
    """The eigenvalues of H are lambda_i = sigma_i^2."""
    pairs = all_samples(4)
    factor = 2 / len(permissible_set(pairs))
    squares = np.linalg.eigvalsh(gram(pairs, 4))
    ours = np.linalg.eigvalsh(2 * quadratic_form(pairs, 4))
    right = np.allclose(ours, factor * squares)
    return judge(np.allclose(ours, squares), corrected=right, value=factor)


def bias(samples: int) -> float:
    """b / y at eta t = 1, from db/dt = -samples (b - y), b(0) = 0: appendix L with A r left out.

    Example:
        >>> round(bias(1), 4), round(bias(2), 4)
        (0.6321, 0.8647)
    """
    solved = solve_ivp(lambda _, b: -samples * (b - 1), (0, 1), [0.0], rtol=1e-10, atol=1e-12)
    return float(solved.y[0, -1])


@claim(
    "L34",
    "liu2022",
    "appendix L, below Eq. 37 to Eq. 43",
    section=KEPT,
    kind="formula",
    shown_by="proof",
    part_of="EL",
    also=("L35", "L36", "L37"),
    says=(
        "y - b falls as exp(-{one:.3f} eta t) with one sample, exp(-{two:.3f} eta t) with two, and "
        "the force with it; with A = 1, y = 1 and r' = -r the sum r + r' moves at {total:.2f}, "
        "while the difference falls at the rate {rate:.2f} whatever y is, as U = {value:.2f} |r - "
        "r'|^2 has it; Eq. 41 has 0.5, Eq. 5 has 1: factors of the time only"
    ),
)
def appendix_l() -> Finding:
    """With one sample bias and force go as exp(-2 eta t); the flow keeps r' = -r; two samples of
    one label interact by U = |x1 - x2|^2 / 2.

    The factor 2 belongs to two samples. Half the difference of both samples follows Eq. 40 without
    r' = -r. A potential pulls on both samples: under k |x1 - x2|^2 their difference falls at 4 k.
    """
    one = -np.log(1 - bias(1))
    two = -np.log(1 - bias(2))
    r = np.array([0.7, -0.7])
    moves = 1.0 - r
    total = moves.sum()
    rate = -np.diff(moves)[0] / np.diff(r)[0]
    return judge(
        np.isclose(one, 2),
        total == 0,
        np.isclose(rate / 4, 0.5),
        corrected=np.allclose([one, two, rate], [1, 2, 1], atol=1e-6),
        value=rate / 4,
        one=one,
        two=two,
        total=total,
        rate=rate,
    )


@claim(
    "L38",
    "liu2022",
    "appendix L, the adiabatic limit",
    section=KEPT,
    kind="formula",
    published="1",
    shown_by="count",
    says=(
        "the mean eigenvalue of A^T A is {value:.2f} for 10 inputs and 1,000 outputs, near 2 "
        "outputs / (inputs + outputs); a square matrix of 400 has eigenvalues from {low:.2f} to "
        "{high:.2f}"
    ),
)
def xavier_is_not_orthogonal() -> Finding:
    """With a standard initialisation such as Xavier's, A^T A is about the identity.

    It is about a multiple of it where there are many more outputs than inputs, as in the toy:
    another unit of time.
    """
    rng = np.random.default_rng(0)

    def spectrum(inputs: int, outputs: int) -> np.ndarray:
        a = rng.normal(0, np.sqrt(2 / (inputs + outputs)), size=(outputs, inputs))
        return np.linalg.eigvalsh(a.T @ a)

    wide = spectrum(10, 1000)
    square = spectrum(400, 400)
    near = abs(wide.mean() - 1) < 0.1 and square.min() > 0.9 and square.max() < 1.1
    return judge(
        near,
        assumed=float(np.ptp(wide)) < wide.mean(),
        value=wide.mean(),
        low=square.min(),
        high=square.max(),
    )
