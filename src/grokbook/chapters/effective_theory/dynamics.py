"""Claims on the flow of the effective theory: what it keeps, how fast it is, and how appendix L derives it."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

from grokbook.claims import Finding, claim, judge
from grokbook.theory.effective_flow import (
    conserved,
    effective_loss,
    flow,
    limit,
    quadratic_form,
    velocity,
)
from grokbook.theory.parallelograms import all_samples, gram, grokking_rate, permissible_set

KEPT = "What the flow keeps"
RATE = "The grokking rate is zero for most small training sets"
DERIVED = "Where the effective loss comes from"


def starts(p: int = 6, n: int = 5, centre: float = 0.5) -> list[np.ndarray]:
    """Random embeddings on a line of mean `centre`, (p,)."""
    return list(np.random.default_rng(0).normal(centre, 1, size=(n, p)))


@claim("L06", "liu2022", "section 3.2", section=KEPT, kind="formula", shown_by="proof",
       part_of="EL",
       says=("doubling an embedding multiplies (E - mu) / sigma by {value:.2f} with sigma as printed and by ",
             "{right:.2f} with its root; then C = {c:.0e} and Z_0 = {z0:.0f} for p = 6"))  # fmt: skip
def printed_deviation() -> Finding:
    """The embeddings are normalised by sigma = (1/p) sum |E_k - mu|^2.

    That is a variance, so that the result depends on the scale; the standard deviation is meant.
    """
    start = starts()[0]

    def normalised(e: np.ndarray, power: float) -> np.ndarray:
        return (e - e.mean()) / e.var() ** power

    factors = [np.linalg.norm(normalised(2 * start, k)) / np.linalg.norm(normalised(start, k)) for k in (1.0, 0.5)]
    (c,), z0 = conserved(normalised(start, 0.5))
    same = [bool(np.isclose(factor, 1)) for factor in factors]
    return judge(same[0], corrected=same[1], value=factors[0], low=1, high=1, right=factors[1], c=abs(c),
                 z0=z0)  # fmt: skip


@claim("L07", "liu2022", "Eq. 6, 24 and 26", section=KEPT, kind="theorem", shown_by="proof",
       part_of="XL",
       says="R . dR/dt is at most {value:.0e} at {n} random starts; along the flow Z_0 drifts by {drift:.0e}")
def z0_is_kept() -> Finding:
    """Z_0, the sum of squared embeddings, is conserved."""
    pairs = all_samples(6)
    rates = [abs(float(s @ velocity(s, pairs).ravel())) for s in starts()]
    drift = max(abs(conserved(flow(s, pairs, [5.0])[0])[1] / conserved(s)[1] - 1) for s in starts())
    return judge(max(rates) < 1e-12, drift < 1e-12, value=max(rates), low=0, high=1e-12, n=len(rates), drift=drift)


@claim("L08", "liu2022", "Eq. 6, 24 and 27", section=KEPT, kind="theorem", shown_by="counterexample",
       published="conserved",
       says=("from (1, 0, 0) the sum goes from 1 to {value:.4f} = sqrt(6/5); dC/dt = (2 l_eff / Z_0) C to {error:.0e} ",
             "at random starts, a term that Eq. 27 drops; from centred starts C stays 0 to {centred:.0e}"))  # fmt: skip
def sum_is_kept() -> Finding:
    """Two conserved quantities exist: the sum C of the embeddings is one of them.

    It is where it is 0, as it is of the normalised embeddings of Eq. 4.
    """
    end = float(limit([1.0, 0.0, 0.0], all_samples(3)).sum())
    pairs = all_samples(6)
    error = max(abs(velocity(s, pairs).sum() - 2 * effective_loss(s, pairs) / conserved(s)[1] * s.sum())
                for s in starts())  # fmt: skip
    centred = max(abs(flow(s - s.mean(), pairs, [5.0]).sum()) for s in starts())
    return judge(abs(end - 1) < 1e-6, assumed=centred < 1e-12, value=end, low=1, high=1, error=error, centred=centred)


@claim("L09", "liu2022", "section 3.2, below Eq. 8", section=RATE, kind="formula", shown_by="proof",
       part_of="XL",
       says="l_eff and R^T H R / 2 differ by at most {value:.0e} at {n} random starts")  # fmt: skip
def loss_is_quadratic() -> Finding:
    """l_eff = R^T H R / 2."""
    pairs = all_samples(6)
    apart = [abs(effective_loss(s, pairs) - s @ (2 * quadratic_form(pairs, 6) / (s @ s)) @ s / 2) for s in starts()]
    return judge(max(apart) < 1e-12, value=max(apart), low=0, high=1e-12, n=len(apart))


@claim("L10", "liu2022", "Eq. 9", section=KEPT, kind="theorem", shown_by="proof",
       says=("minus the gradient is -(H - rho) R with rho = 2 l_eff / Z_0; the two differ by up to {value:.0%} of ",
             "their length; with -H R the length Z_0 falls to {linear:.2f} of itself by t = 5, with the gradient it ",
             "stays ({kept:.2f}), and the directions agree to {angle:.0e}"))  # fmt: skip
def linear_flow() -> Finding:
    """ "The gradient descent is linear", dR/dt = -H R.

    A term rho R is missing. What is concluded from it survives: both flows pass through the same directions, so that
    the same deviations die out at the same rates relative to the line, and the time scale is 1 / lambda_3.
    """
    pairs = all_samples(6)
    apart, linear, kept, angle = [], [], [], []
    for s in starts():
        true, printed = (velocity(s, pairs, kind=kind) for kind in ("normalised", "linear"))
        apart.append(np.linalg.norm(true - printed) / np.linalg.norm(printed))
        ends = [flow(s, pairs, [5.0], kind=kind)[0] for kind in ("normalised", "linear")]
        kept.append(ends[0] @ ends[0] / (s @ s))
        linear.append(ends[1] @ ends[1] / (s @ s))
        angle.append(np.linalg.norm(ends[0] / np.linalg.norm(ends[0]) - ends[1] / np.linalg.norm(ends[1])))
    return judge(max(apart) < 1e-6, corrected=max(angle) < 1e-9, value=max(apart), low=0, high=0, linear=min(linear),
                 kept=min(kept), angle=max(angle))  # fmt: skip


@claim("L11", "liu2022", "section 3.2, below Eq. 9", section=RATE, kind="formula", shown_by="proof",
       part_of="EL",
       says="at p = 4 the eigenvalues of H Z_0 are {eigenvalues}, sigma_i^2 are {squares}: a factor of {value:.3f}")
def eigenvalues_of_h() -> Finding:
    """The eigenvalues of H are lambda_i = sigma_i^2."""
    pairs = all_samples(4)
    squares = np.linalg.eigvalsh(gram(pairs, 4))[2:]
    ours = np.linalg.eigvalsh(2 * quadratic_form(pairs, 4))[2:]
    factor = 2 / len(permissible_set(pairs))
    return judge(np.allclose(ours, squares), corrected=np.allclose(ours, factor * squares), value=factor, low=1, high=1,
                 **{name: " and ".join(f"{number:.3g}" for number in numbers)
                    for name, numbers in (("eigenvalues", ours), ("squares", squares))})  # fmt: skip


@claim("L13", "liu2022", "section 3.2", section=RATE, kind="theorem", shown_by="proof",
       part_of="XL",
       says=("at t = 3 / lambda_3 a deviation along the slowest direction is {value:.4f} of what it was, relative to ",
             "the line, in both flows (exp(-3) = {exact:.4f})"))  # fmt: skip
def three_times_the_scale(p: int = 7) -> Finding:
    """t_h = 1 / lambda_3 is the time in which the slowest component falls by a factor of e."""
    pairs = all_samples(p)
    slow = np.linalg.eigh(gram(pairs, p))[1][:, 2]
    line = np.arange(p) - (p - 1) / 2
    start = line + slow
    time = 3 * (start @ start) / grokking_rate(pairs, p)
    ratios = []
    for kind in ("normalised", "linear"):
        end = flow(start, pairs, [time], kind=kind)[0]
        ratios.append(float((end @ slow) / (end @ line) / ((start @ slow) / (start @ line))))
    exact = float(np.exp(-3))
    return judge(np.allclose(ratios, exact), value=ratios[0], low=exact, high=exact, exact=exact)


def bias(samples: int, time: float = 1.0) -> float:
    """b / y at a time, from db/dt = -samples (b - y) and b(0) = 0: the bias of appendix L where A r is left out.

    Example:
        >>> round(bias(1), 4), round(bias(2), 4)
        (0.6321, 0.8647)
    """
    solved = solve_ivp(lambda _, b: -samples * (b - 1), (0, time), [0.0], rtol=1e-10, atol=1e-12)
    return float(solved.y[0, -1])


@claim("L34", "liu2022", "appendix L, below Eq. 37", section=DERIVED, kind="formula", shown_by="proof",
       part_of="EL",
       says="at eta t = 1 b is {value:.4f} y, with two samples {two:.4f} y; 1 - exp(-2) is {printed:.4f}")  # fmt: skip
def bias_solution() -> Finding:
    """Without A r, b(t) = (1 - exp(-2 eta t)) y.

    The factor 2 belongs to two samples, which the appendix takes up afterwards.
    """
    one, two, printed = bias(1), bias(2), float(1 - np.exp(-2))
    return judge(np.isclose(one, printed), corrected=np.isclose(two, printed), value=one, low=printed, high=printed,
                 two=two, printed=printed)  # fmt: skip


@claim("L35", "liu2022", "appendix L, Eq. 38 and 39", section=DERIVED, kind="formula", published="2 and 2",
       part_of="EL",
       shown_by="proof",
       says="y - b falls as exp(-{value:.3f} eta t) with one sample, exp(-{two:.3f} eta t) with two (printed: 2, 2)")
def external_force() -> Finding:
    """The force of the label on r falls as exp(-2 eta t), with one sample (Eq. 38) and with two (Eq. 39)."""
    one, two = (float(-np.log(1 - bias(n))) for n in (1, 2))
    right = np.isclose(two, 2, atol=1e-6)
    return judge(np.isclose(one, 2), right, corrected=right, value=one, low=2, high=2, two=two)


@claim("L36", "liu2022", "appendix L, Eq. 40", section=DERIVED, kind="theorem", shown_by="counterexample",
       part_of="EL",
       says=("with r' = -r the sum r + r' moves at {value:.2f} in an example (A = 1, y = 1), so that it does not stay ",
             "0; the difference r - r' obeys Eq. 40 there all the same (to {error:.0e})"))  # fmt: skip
def opposite_samples() -> Finding:
    """Set r' = -r; then the pair follows dr/dt = -eta A^T A r.

    The flow does not keep r' = -r. Half the difference of both samples follows the equation without it.
    """
    a, y, r = np.array([[1.0]]), np.array([1.0]), np.array([0.7])
    force = a.T @ y
    moves = [-(a.T @ a) @ x + force for x in (r, -r)]
    error = float(np.abs((moves[0] - moves[1]) + 2 * (a.T @ a) @ r).max())
    total = float(np.linalg.norm(moves[0] + moves[1]))
    return judge(total == 0, corrected=error < 1e-12, value=total, low=0, high=0, error=error)


@claim("L37", "liu2022", "appendix L, Eq. 41 to 43", section=DERIVED, kind="formula", shown_by="proof",
       part_of="EL",
       says=("the losses of two samples of one label bring x1 - x2 down at the rate {rate:.3f}, as U = {value:.3f} ",
             "|x1 - x2|^2 does; Eq. 41 has 0.5, Eq. 5 has 1: factors of the time only"))  # fmt: skip
def potential_constants() -> Finding:
    """Two samples of one label interact by U = |x1 - x2|^2 / 2.

    With A the identity each moves by its own loss |x - y|^2 / 2. Under k |x1 - x2|^2 their difference falls at 4 k.
    """
    x, y = np.random.default_rng(0).normal(size=(2, 4)), np.ones(4)
    solved = solve_ivp(lambda _, at: y.repeat(2) - at, (0, 1), x.T.ravel(), rtol=1e-10, atol=1e-12)
    gaps = np.diff(solved.y[:, [0, -1]].reshape(4, 2, 2), axis=1)
    rate = float(-np.log(np.linalg.norm(gaps[..., 1]) / np.linalg.norm(gaps[..., 0])))
    factor = rate / 4
    return judge(np.isclose(factor, 0.5), corrected=rate > 0, value=factor, low=0.5, high=0.5, rate=rate)


@claim("L38", "liu2022", "appendix L, the adiabatic limit", section=DERIVED, kind="formula", published="1",
       shown_by="count", says=(
    "the mean eigenvalue of A^T A is {value:.2f} for 10 inputs and 1,000 outputs, {toy:.2f} for 1 and 30, near 2 ",
    "outputs / (inputs + outputs); a square matrix of 400 has eigenvalues from {low:.2f} to {high:.2f}"))  # fmt: skip
def xavier_is_not_orthogonal() -> Finding:
    """With a standard initialisation such as Xavier's, A^T A is about the identity.

    It is about a multiple of it where there are many more outputs than inputs, as in the toy: another unit of time.
    """
    rng = np.random.default_rng(0)

    def spectrum(inputs: int, outputs: int) -> np.ndarray:
        draws = max(1, 400 // inputs)
        a = rng.normal(0, np.sqrt(2 / (inputs + outputs)), size=(draws, outputs, inputs))
        return np.linalg.eigvalsh(a.transpose(0, 2, 1) @ a)

    wide, square, toy = spectrum(10, 1000), spectrum(400, 400), spectrum(1, 30)
    near = abs(wide.mean() - 1) < 0.1 and square.min() > 0.9 and square.max() < 1.1
    return judge(near, assumed=float(np.ptp(wide)) < wide.mean(), value=float(wide.mean()), low=float(square.min()),
                 high=float(square.max()), toy=float(toy.mean()))  # fmt: skip
