"""Claims about coverage and the distribution of the training set, and their checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product

import numpy as np
import sympy

from grokbook.claims.finding import Finding
from grokbook.claims.legacy import Claim
from grokbook.claims.table1 import correlations, predictors, radius_fits
from grokbook.experiments.published import table_1
from grokbook.tasks.arithmetic import ModularTask
from grokbook.theory.coverage import (
    disc_size,
    disc_sizes,
    expected_uncovered,
    guaranteed_size,
    least_training_size,
    miss_probability,
    printed_fraction,
    required_fraction,
    same_class_distance,
    same_class_size,
)
from grokbook.theory.coverage_probability import Estimate, enumerate_coverage, full_coverage, printed_bound
from grokbook.theory.memorisers import transpose_accuracy

CLOSE_TO_ONE = 0.95
"""Our reading of a probability "close to 1"."""

NEARLY_CONSTANT = 0.25
"""Our reading of "approximately constant": a range of at most this part of the mean."""


def training_size(p: int, k: int) -> int:
    """Training cells at the printed threshold, ceil((2 ln p / C) p^2), at most p^2.

    Example:
        >>> training_size(97, 5)
        2100
    """
    return min(int(np.ceil(printed_fraction(p, k) * p * p)), p * p)


def share_text(found: Estimate) -> str:
    """A simulated probability with its standard error, as "0.81 +- 0.02"."""
    return f"{found.value:.2f} ± {found.error:.2f}"


# ------------------------------------------------------------------------------------ Theorem 3.10 and its proof


def exact_answers(p: int) -> np.ndarray:
    """What the network of one frequency answers on every cell: argmax over r of cos(2 pi (i + j - r) / p), (p, p).

    Example:
        >>> exact_answers(5)[3].tolist()
        [3, 4, 0, 1, 2]
    """
    i, j, r = np.ogrid[:p, :p, :p]
    return np.cos(2 * np.pi * (i + j - r) / p).argmax(axis=2)


def a_cell_of_the_class_is_near(p: int = 97, radius: int | None = None, seeds: int = 5) -> Finding:
    """G15: a right answer needs a cell of the same class at distance below D1; the theorem leaves D1 open.

    As printed the cell is one of I x J, which (i, j) itself is. Read with training cells, the condition is compared
    with what a model without any training set answers right: all cells.
    """
    masks = [ModularTask(p, seed=s).train_mask for s in range(seeds)]
    apart = np.concatenate([same_class_distance(m)[~m] for m in masks])
    limit = 2 * p if radius is None else radius
    share = float((apart < limit).mean())
    right = bool((exact_answers(p) == np.add.outer(np.arange(p), np.arange(p)) % p).all())
    verdict = "vacuous" if share == 1 else "fails" if right else "holds"
    evidence = (
        f"as printed (i, j) itself is such a cell; with training cells, every test cell of {seeds} random splits has "
        f"one within distance {int(apart.max())}, whatever a model answers, and for D1 = 5 a sum computed exactly "
        f"(right on {'all' if right else 'not all'} cells) breaks it at {(apart >= 5).mean():.0%} of the test cells"
    )
    return Finding(verdict, evidence, share, 1, 1, "D1 is not given")


def class_pairs(p: int) -> tuple[np.ndarray, ...]:
    """Every pair of cells of one class without wrap: i, j, i', j' with i + j = i' + j' and i < i', four flat arrays."""
    i, j, a = np.indices((p, p, p)).reshape(3, -1)
    b = i + j - a
    fits = (a > i) & (b >= 0) & (b < p)
    return i[fits], j[fits], a[fits], b[fits]


def signed_distance(i: np.ndarray, j: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """|i - i' + j - j'|, as the proof of Theorem 3.10 has it."""
    return np.abs(i - a + j - b)


def manhattan_distance(i: np.ndarray, j: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """|i - i'| + |j - j'|, the distance of the theorem itself."""
    return np.abs(i - a) + np.abs(j - b)


def neighbour_inequality(p: int = 23, distance: Callable[..., np.ndarray] = signed_distance) -> Finding:
    """G16: |phi(i) + phi(j) - k| <= |i - i' + j - j'| delta + delta', with k = phi(i') + phi(j') so that delta' = 0."""
    rng, angle = np.random.default_rng(0), 2 * np.pi * np.arange(p) / p
    tables = {"a circle": np.stack([np.cos(angle), np.sin(angle)], axis=1), "normal rows": rng.normal(size=(p, 8))}
    i, j, a, b = class_pairs(p)
    broken, by_mean, right = 0, 0, 0
    for phi in tables.values():
        moved = np.linalg.norm(phi[i] + phi[j] - phi[a] - phi[b], axis=1)
        steps = np.linalg.norm(np.diff(phi, axis=0), axis=1)
        broken += int((moved > distance(i, j, a, b) * steps.max() + 1e-9).sum())
        by_mean += int((moved > manhattan_distance(i, j, a, b) * steps.mean() + 1e-9).sum())
        right += int((moved > manhattan_distance(i, j, a, b) * steps.max() + 1e-9).sum())
    total = 2 * i.size
    evidence = (
        f"broken by {broken} of {total} pairs of one class (a circle and normal rows, p = {p}): the printed factor is "
        f"0 for all of them; (|i - i'| + |j - j'|) times the largest step is broken by {right}, times the mean step "
        f"by {by_mean}"
    )
    return Finding("holds" if broken == 0 else "fails", evidence, broken / total, 0, 0)


def chain_lengths(mask: np.ndarray) -> np.ndarray:
    """Length of the shortest chain of condition (ii) from each cell, s = 1 or 2, (p*p,); inf where there is none.

    A chain goes from a cell over training cells 1 .. s to training cell 0 of the cell's class; cells t and s - t are
    of one class.
    """
    p = mask.shape[0]
    i, j = np.divmod(np.arange(p * p), p)
    apart = (np.abs(i[:, None] - i) + np.abs(j[:, None] - j)).astype(float)
    kin = ((i + j)[:, None] - (i + j)) % p == 0
    trained = mask.ravel()
    last = np.where(kin & trained[:, None] & trained, apart, np.inf)
    one = np.where(kin & trained, (apart[:, :, None] + last[None]).min(axis=1), np.inf).min(axis=1)
    step = np.where(trained[:, None] & trained, apart, np.inf)
    two_steps = (apart[:, :, None] + step[None]).min(axis=1)
    two = np.where(kin & trained, (two_steps[:, :, None] + last[None]).min(axis=1), np.inf).min(axis=1)
    return np.minimum(one, two)


def chains_include_neighbours(p: int = 7, limits: Iterable[tuple[int, int]] | None = None) -> Finding:
    """G17: condition (ii), a chain shorter than D2, includes condition (i), a cell of the class nearer than D1."""
    mask = ModularTask(p, train_fraction=0.3).train_mask
    near, chain = same_class_distance(mask).ravel(), chain_lengths(mask)
    pairs = list(limits or product(range(1, 2 * p), repeat=2))
    lost = {(d1, d2): bool(((near < d1) & ~(chain < d2)).any()) for d1, d2 in pairs}
    ordered, other = (sum(v for (a, b), v in lost.items() if (a <= b) is kept) for kept in (True, False))
    verdict = "fails" if ordered else "needs an assumption" if other else "holds"
    evidence = (
        f"at p = {p} (i) holds somewhere without (ii) for {ordered} of the {sum(a <= b for a, b in pairs)} pairs with "
        f"D1 <= D2 and for {other} of the {sum(a > b for a, b in pairs)} others; the shortest chain is never "
        f"shorter than the direct way ({int((chain < near).sum())} cells), so (ii) is (i) with D2 in place of D1"
    )
    return Finding(verdict, evidence, float(ordered + other), 0, 0, "no condition on D1, D2")


# --------------------------------------------------------------------------------------- appendix B.6, step by step


def counted_discs(p: int, k: int, torus: bool) -> np.ndarray:
    """Cells within distance below k of each cell, counted offset by offset, (p, p)."""
    inside, total = np.ones((p, p), dtype=int), np.zeros((p, p), dtype=int)
    for s, t in product(range(1 - k, k), repeat=2):
        if abs(s) + abs(t) < k:
            wide = np.pad(inside, k, mode="wrap" if torus else "constant")
            total += wide[k + s : k + s + p, k + t : k + t + p]
    return total


def every_disc_has_c_cells(p: int = 97, k: int = 5) -> Finding:
    """G19: each training cell covers exactly C = 1 + sum 4d cells."""
    grid, ring, c = counted_discs(p, k, False), counted_discs(p, k, True), 1 + sum(4 * d for d in range(1, k))
    formulas = np.array_equal(grid, disc_sizes(p, k)) and np.array_equal(ring, disc_sizes(p, k, torus=True))
    everywhere = bool((grid == c).all())
    right = formulas and (ring == c).all() and c == disc_size(k)
    verdict = "holds" if everywhere else "holds with correction" if right else "fails"
    evidence = (
        f"p = {p}, k = {k}: C = {c} at every cell of the torus; on the bounded grid of the paper at "
        f"{(grid == c).mean():.0%} of the cells, and {grid.min()} at a corner"
    )
    return Finding(verdict, evidence, float((grid == c).mean()), 1, 1, "100%")


def one_cell_is_covered(p: int = 97, k: int = 5) -> Finding:
    """G20: a cell is covered with probability 1 - (1 - C/N)^m, which is the value for draws with replacement."""
    n, c, m = p * p, disc_size(k), training_size(p, k)
    sizes = np.unique(np.linspace(1, n - c, 50).astype(int))
    exact = np.array([miss_probability(n, c, int(size)) for size in sizes])
    printed = (1 - c / n) ** sizes
    same, safe = np.allclose(exact, printed, rtol=1e-9), bool((exact <= printed * (1 + 1e-12)).all())
    verdict = "holds" if same else "holds with correction" if safe else "fails"
    ours, theirs = n * float(miss_probability(n, c, m)), n * (1 - c / n) ** m
    evidence = (
        f"without replacement a cell is missed less often at all {sizes.size} sizes tried; at p = {p}, k = {k}, "
        f"m = {m} {ours:.3f} cells are missed on average (torus), by the printed formula {theirs:.3f}"
    )
    return Finding(verdict, evidence, ours / theirs, 1, 1, "1")


def printed_union_bound(p: int = 97, k: int = 5, m: int = 3000, *, torus: bool = False) -> Finding:
    """G21: P_full >= 1 - N (1 - C/N)^m, on the grid of the paper exactly at p = 3, k = 2, by simulation at p, k, m."""
    gaps = [float(enumerate_coverage(3, 2, s, torus=torus).probability) - printed_bound(3, 2, s) for s in range(1, 9)]
    worst = int(np.argmin(gaps)) + 1
    exact, bound = enumerate_coverage(3, 2, worst, torus=torus).probability, printed_bound(3, 2, worst)
    drawn, again = (full_coverage(p, k, m, torus=torus, replacement=r) for r in (False, True))
    evidence = (
        f"{'torus' if torus else 'grid'}, p = 3, k = 2, m = {worst}: P_full = {exact} = {float(exact):.3f}, bound "
        f"{bound:.3f}; p = {p}, k = {k}, m = {m}: {drawn.value:.3f} ± {drawn.error:.3f} ({again.value:.3f} ± "
        f"{again.error:.3f} with replacement), bound {printed_bound(p, k, m):.3f}"
    )
    return Finding("holds" if min(gaps) >= -1e-12 else "fails", evidence, min(gaps), 0, 1, "0 or more")


def below_one_means_covered(p: int = 97, k: int = 5, eps: float = 1.0) -> Finding:
    """G22: fewer than one uncovered cell in expectation makes full coverage nearly certain."""
    m, threshold = least_training_size(p, k, eps, torus=True), training_size(p, k)
    least = full_coverage(p, k, m, torus=True)
    torus, grid = (full_coverage(p, k, threshold, torus=t) for t in (True, False))
    verdict = "holds" if least.interval()[1] >= CLOSE_TO_ONE else "fails"
    evidence = (
        f"p = {p}, k = {k}, torus: at the least m with E < {eps:g} ({m}) all cells are covered in {share_text(least)} "
        f"of the draws; at the printed m = {threshold} in {share_text(torus)} (grid: {share_text(grid)}, where E = "
        f"{expected_uncovered(p, k, threshold):.2f})"
    )
    return Finding(verdict, evidence, least.value, *least.interval(), "close to 1")


def fraction_is_necessary(largest: int = 97, least_k: int = 2) -> Finding:
    """G23: E[prop] = 1 implies alpha >= 2 ln p / C. On the torus E[prop] = 1 exactly from m = N - C + 1 on."""
    cases = [(p, k) for p in sympy.primerange(3, largest + 1) for k in range(least_k, (p + 1) // 2 + 1)]
    against = [(p, k) for p, k in cases if guaranteed_size(p, k, torus=True) / p**2 < printed_fraction(p, k)]
    sizes = {(p, k): int(np.ceil(required_fraction(p, k) * p * p)) for p, k in cases}
    short = sum(expected_uncovered(p, k, m, torus=True) > 1 + 1e-9 for (p, k), m in sizes.items())
    p = largest if sympy.isprime(largest) else int(sympy.prevprime(largest))
    evidence = (
        f"{len(against)} of {len(cases)} pairs (p, k) up to p = {largest} break it (p = {p}, k = 2: 2 ln p / C = "
        f"{printed_fraction(p, 2):.2f} > 1); where it is kept it is far off: p = {p}, k = 5 needs alpha = "
        f"{guaranteed_size(p, 5, torus=True) / p**2:.4f}, not {printed_fraction(p, 5):.4f}; 1 - p^(-2/C) = "
        f"{required_fraction(p, 5):.4f} suffices for E <= 1 ({short} exceptions)"
    )
    return Finding("fails" if against else "holds", evidence, float(len(against)), 0, 0, "0 exceptions")


def needed_radius(p: int, train_fraction: float, draws: int = 100, quantile: float = 0.95) -> float:
    """Least k at which `quantile` of random splits have a training cell of the same class in every disc (torus).

    inf where more of the splits than that leave a class without any training cell.
    """
    masks = [ModularTask(p, train_fraction=train_fraction, seed=s).train_mask for s in range(draws)]
    return 1 + float(np.quantile([same_class_distance(m, torus=True).max() for m in masks], quantile, method="higher"))


def fraction_for_grokking(p: int = 97, k: int = 5, train_fraction: float = 0.3) -> Finding:
    """G24: the bound is the fraction needed to observe grokking, though it counts cells of all classes."""
    c, own = disc_size(k), same_class_size(k)
    radius = needed_radius(p, train_fraction)
    evidence = (
        f"at k = {k} a disc has {c} cells, {own} of them of the class that Theorem 3.10 asks for; with {own} in place "
        f"of {c} the bound asks for {1 - p ** (-2 / own):.0%}, not {required_fraction(p, k):.0%}; at "
        f"{train_fraction:.0%} and p = {p} the own class is covered in 95% of the draws only from k = "
        f"{radius:.0f} on; at fixed k = {k} the "
        f"bound grows with ln p ({printed_fraction(p, k):.2f} at {p}, {printed_fraction(p * p, k):.2f} at {p * p})"
    )
    return Finding("holds" if radius <= k else "fails", evidence, radius, float(k), float(k), f"k = {k}")


# -------------------------------------------------------------------------------------------- section 6 and Gu 2024


def ceiling_by_distance(rule: str = "code") -> Finding:
    """For G33: the ceilings of Table 1 are the shares of test cells within one distance of the training set.

    "Are" is read with the paper's own oscillation: the root mean squared error must not exceed the mean of
    U-Acc - L-Acc.
    """
    fits, frame, published = radius_fits(rule).set_index("rows"), predictors(rule), table_1()
    seen = correlations(frame)
    band = float((published["U-Acc"] - published["L-Acc"]).mean())
    n, rmse = fits.loc["all"]
    evidence = (
        f"shares covered within one radius for all {len(frame)} rows, at best {n:.0f}, miss the printed ceilings "
        f"(U-Acc) by {rmse:.1f} points (root mean square; SQUARE alone: n = "
        f"{fits.loc['SQUARE', 'n']}, {fits.loc['SQUARE', 'rmse']:.1f}; STRIP: n = {fits.loc['STRIP', 'n']}, "
        f"{fits.loc['STRIP', 'rmse']:.1f}) against a printed oscillation of {band:.1f}; U-Acc correlates with the "
        f"share outside the hole at {seen['square', 'outside']:.3f} (SQUARE) and {seen['all', 'outside']:.2f} (all), "
        f"with the share outside it in either order at {seen['all', 'either order']:.2f} (all)"
    )
    return Finding("holds" if rmse <= band else "fails", evidence, float(rmse), 0, band, f"at most {band:.1f} points")


def certain_above_the_threshold(p: int = 97, k: int = 5) -> Finding:
    """For G34: above a threshold of the training fraction the test accuracy becomes 1 with probability 100 %.

    Checked for what the paper derives it from, full coverage: its probability is 1 only from `guaranteed_size` on.
    """
    n, threshold, sure = p * p, training_size(p, k), guaranteed_size(p, k)
    found = full_coverage(p, k, threshold)
    verdict = "holds" if sure <= threshold else "fails"
    evidence = (
        f"p = {p}, k = {k}: at the printed threshold ({threshold / n:.1%}) the grid is covered with probability "
        f"{share_text(found)}; the probability is 1 only from {sure} of {n} cells on ({sure / n:.2%}); for 95% "
        f"{least_training_size(p, k, 0.05)} cells suffice ({least_training_size(p, k, 0.05) / n:.1%})"
    )
    return Finding(verdict, evidence, found.value, *found.interval(), "100%")


def constant_product(p: int = 97, fractions: tuple[float, ...] = (0.5, 0.6, 0.7)) -> Finding:
    """For G38: Acc (1 - frac) = constant shows that more data do not generalise; a memoriser has it nearly constant."""
    sizes = [int(fraction * p * p) for fraction in fractions]
    accuracy = np.array([transpose_accuracy(p, m) for m in sizes])
    products = accuracy * (1 - np.array(sizes) / p**2)
    spread = float(np.ptp(products) / products.mean())
    verdict = "holds with correction" if spread <= NEARLY_CONSTANT else "holds"
    evidence = (
        f"Acc (1 - frac) is the number of right test cells over p^2, an identity; a memoriser that swaps the operands "
        f"has {', '.join(f'{a:.2f}' for a in accuracy)} and products {', '.join(f'{x:.3f}' for x in products)} at frac "
        f"= {', '.join(f'{f:g}' for f in fractions)}, a range of {spread:.0%} of their mean"
    )
    return Finding(verdict, evidence, spread, 0, NEARLY_CONSTANT, "constant, approximately")


def lattice_sum(p: int) -> float:
    r"""Sum of 1 / (t1^2 + t2^2) over the cells of a p x p grid around its middle one, both t1 and t2 non-zero.

    p must be odd, so that there is a middle cell.

    Example:
        >>> round(lattice_sum(97), 2)
        21.17

    Source: Gu 2024, section 5.2.2, with every norm and both factors set to 1.
    """
    t = np.arange(1, (p - 1) // 2 + 1, dtype=float)
    return float(4 * (1 / (t[:, None] ** 2 + t**2)).sum())


def quadratic_growth(sides: tuple[int, ...] = (47, 97, 397, 997), total: Callable = lattice_sum) -> Finding:
    """P05: the sum over the training set lies between constant multiples of p^2."""
    sums = np.array([total(p) for p in sides])
    ratio = sums / np.array(sides) ** 2
    slopes = np.diff(sums) / np.diff(np.log(sides))
    evidence = (
        f"the sum is {', '.join(f'{s:.1f}' for s in sums)} at p = {', '.join(map(str, sides))}: it grows by "
        f"{slopes[-1] / (2 * np.pi):.3f} times 2 pi for each unit of ln p, and sum / p^2 falls by a factor of "
        f"{ratio[0] / ratio[-1]:.0f}"
    )
    verdict = "holds" if ratio.min() > 0.5 * ratio.max() else "fails"
    return Finding(verdict, evidence, float(ratio.min() / ratio.max()), 0.5, 1, "bounded below")


COVERED = "04_data_distribution: How many cells stay uncovered"
CERTAIN = "04_data_distribution: An expectation below one is not a probability near one"
ENOUGH = "04_data_distribution: What suffices, and what is necessary"
OWN_CLASS = "04_data_distribution: The theorem asks for the same class"

CLAIMS: tuple[Claim, ...] = (
    Claim(
        "G15",
        "gu2025",
        "Theorem 3.10 (i)",
        "Where the output on a test cell is right, a cell of the same class lies within a distance D1.",
        "theorem",
        OWN_CLASS,
        a_cell_of_the_class_is_near,
    ),
    Claim(
        "G16",
        "gu2025",
        "appendix B.5",
        "For cells of one class, |phi(i) + phi(j) - k| <= |i - i' + j - j'| delta + delta'.",
        "formula",
        OWN_CLASS,
        neighbour_inequality,
    ),
    Claim(
        "G17",
        "gu2025",
        "Theorem 3.10 (ii)",
        "Condition (ii), a chain of cells of total length below D2, includes condition (i).",
        "theorem",
        OWN_CLASS,
        chains_include_neighbours,
    ),
    Claim(
        "G19",
        "gu2025",
        "appendix B.6",
        "Each training cell covers exactly C = 1 + sum over d < k of 4d cells of the p x p grid.",
        "formula",
        "04_data_distribution: On the bounded grid, discs at the border are smaller",
        every_disc_has_c_cells,
    ),
    Claim(
        "G20",
        "gu2025",
        "appendix B.6",
        "A cell is covered by m random training cells with probability 1 - (1 - C/N)^m.",
        "formula",
        COVERED,
        one_cell_is_covered,
    ),
    Claim(
        "G21",
        "gu2025",
        "appendix B.6",
        "All cells of the grid are covered with probability at least 1 - N (1 - C/N)^m.",
        "theorem",
        CERTAIN,
        printed_union_bound,
        seconds=2,
    ),
    Claim(
        "G22",
        "gu2025",
        "appendix B.6",
        "An expected number of uncovered cells below 1 makes the probability of full coverage close to 1.",
        "theorem",
        CERTAIN,
        below_one_means_covered,
    ),
    Claim(
        "G23",
        "gu2025",
        "Theorem 3.12",
        "If the expected share of covered test cells is 1, then alpha >= 2 ln p / C.",
        "theorem",
        ENOUGH,
        fraction_is_necessary,
    ),
    Claim(
        "G24",
        "gu2025",
        "after Theorem 3.12",
        "This bound is also the training fraction that is required to observe grokking stably.",
        "observation",
        OWN_CLASS,
        fraction_for_grokking,
    ),
    Claim(
        "P05",
        "gu2024",
        "section 5.2.2",
        "The sum of 1 / (t1^2 + t2^2) over the training set lies between constant multiples of p^2.",
        "formula",
        "04_data_distribution: A sum that was taken for p²",
        quadratic_growth,
    ),
)
