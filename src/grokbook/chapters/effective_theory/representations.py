"""Claims on parallelograms: what zero loss implies, how they are counted, which data determine the representation."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from math import comb

import numpy as np

from grokbook.claims import Finding, claim, judge
from grokbook.theory.linear_probability import (
    critical_fraction,
    crossing,
    first_linear,
    free_crossover,
    linear_probability,
    sets_with_a_line,
)
from grokbook.theory.parallelograms import (
    all_samples,
    augmented_set,
    equations,
    grokking_rate,
    ideal_model,
    implied_set,
    nullity,
    permissible_set,
    representation_quality_index,
    samples_of,
)

TABLE = "Two samples of one label are a parallelogram"
SPAN = "What follows from what is seen"
CRITICAL = "How many samples force a line"
ANSWERS = "A line is not yet an answer"
EQUATION_19 = ((0, 1, 1, 2), (0, 1, 2, 3), (1, 2, 2, 3))
APPENDIX_C = ((0, 4), (1, 3), (1, 5), (2, 4), (0, 2), (1, 1), (2, 4), (3, 3))


@claim("L01", "liu2022", "section 2; appendix C; section 4.1", section=TABLE, kind="number", published="55, 21, 45/10",
       part_of="XL",
       says="p = 10 has {value:.0f} samples, p = 6 has {six}; 45 and {rest} make up the first")  # fmt: skip
def sample_counts() -> Finding:
    """There are p (p + 1) / 2 samples: 21 for p = 6, and for p = 10 a split into 45 and 10."""
    ten, six = len(all_samples(10)), len(all_samples(6))
    return judge(ten == 55, six == 21, value=ten, low=55, high=55, six=six, rest=ten - 45)


Pairs = list[tuple[int, int]]


def worlds() -> Iterator[tuple[np.ndarray, Pairs]]:
    """Every embedding of three symbols with values 0 to 3, beside every training set."""
    sets = [list(pairs) for size in range(1, 7) for pairs in combinations(all_samples(3), size)]
    return product(map(np.array, product(range(4), repeat=3)), sets)


def zero_loss(embedding: np.ndarray, pairs: Pairs) -> bool:
    """Whether some decoder answers all pairs: equal sums of embeddings have equal labels."""
    labels: dict[float, int] = {}
    return all(labels.setdefault(embedding[i] + embedding[j], i + j) == i + j for i, j in pairs)


@claim("L02", "liu2022", "section 3.1, Proposition 1", section=TABLE, kind="theorem", shown_by="counterexample", says=(
    "p = 3, D = {{(0, 0)}}, E = (0, 1, 1): the loss can be zero ({fits}) and E_0 + E_1 = E_0 + E_2, with labels 1 and ",
    "2; among pairs of D no embedding with values 0 to 3 does so ({value:.0f} cases of {of})"))  # fmt: skip
def parallelograms_have_one_label() -> Finding:
    """When the training loss is zero, any parallelogram (i, j, m, n) in the representation satisfies i + j = m + n.

    True of parallelograms between training samples, which the proof uses.
    """
    example = np.array([0, 1, 1])
    fits = zero_loss(example, [(0, 0)])
    against = fits and example[0] + example[1] == example[0] + example[2]
    fitted = [[(e[i] + e[j], i + j) for i, j in pairs] for e, pairs in worlds() if zero_loss(e, pairs)]
    two_labels = [any(a[0] == b[0] and a[1] != b[1] for a, b in combinations(sums, 2)) for sums in fitted]
    return judge(not against, assumed=not any(two_labels), value=sum(two_labels), low=0, high=0, fits=fits,
                 of=len(fitted))  # fmt: skip


@claim("L03", "liu2022", "section 3.2, Proposition 2", section=TABLE, kind="theorem", shown_by="proof",
       says=("an injective decoder with zero loss gives samples of one label one sum; in {of} worlds of three symbols ",
             "that have such a decoder {value:.0f} leave a permissible parallelogram open"))  # fmt: skip
def injective_decoder() -> Finding:
    """With zero training loss and an injective decoder, samples of equal label form parallelograms.

    Worlds: embeddings of 3 symbols with values 0 to 3 and training sets; a decoder exists where sums and labels of
    the training samples determine each other.
    """
    wrong = of = 0
    for e, pairs in worlds():
        seen = {(e[i] + e[j], i + j) for i, j in pairs}
        if len(seen) == len({s for s, _ in seen}) == len({label for _, label in seen}):
            of += 1
            wrong += bool((equations(permissible_set(pairs), 3) @ e).any())
    return judge(wrong == 0 < of, value=wrong, low=0, high=0, of=of)


@claim("L04", "liu2022", "Eq. 1 and 19", section=TABLE, kind="number", published="3 at p = 4",
       part_of="EL",
       says=("{value:.0f} unordered pairs of different samples at p = 4, {literal} by Eq. 1 as printed; at p = 10 ",
             "{ten[0]} and {ten[1]}; (p + 1)(p - 1)(2p - 3) / 24, rounded down, errs {wrong} times up to p = {most}; ",
             "of the quadruples (i, j, m, n) of Eq. 19 {off} of 3 violate i + j = m + n"))  # fmt: skip
def parallelogram_counts(most: int = 40) -> Finding:
    """P_0 has three elements at p = 4, (0, 1, 1, 2), (0, 1, 2, 3) and (1, 2, 2, 3).

    Unordered pairs of different samples are meant, and the symbols of Eq. 19 are sorted: the outer two are one sample.
    """

    def numbers(p: int) -> list[int]:
        return [len(permissible_set(all_samples(p), counting=how)) for how in ("distinct", "literal")]

    three, literal = numbers(4)
    off = sum(i + j != m + n for i, j, m, n in EQUATION_19)
    wrong = sum(numbers(p)[0] != (p + 1) * (p - 1) * (2 * p - 3) // 24 for p in range(2, most + 1))
    meant = {tuple(sorted(a + b)) for a, b in permissible_set(all_samples(4))} == {*EQUATION_19}
    return judge(literal == 3, off == 0, corrected=three == 3 and wrong == 0 and meant, value=three, low=3, high=3,
                 literal=literal, ten=numbers(10), wrong=wrong, most=most, off=off)  # fmt: skip


@claim("L05", "liu2022", "section 3.1", section=TABLE, kind="observation", published="0", shown_by="count",
       bars={"delta": (0.01, 0.1)},
       says=("by Eq. 1 as printed no RQI is below {floor:.3f} (p = 10), each sample beside itself; of different ",
             "samples {value:.0%} of {draws} random embeddings close none at a tolerance of 0, {zero:.0%} at 0.01 ",
             "(mean RQI {mean:.4f}), {wide_zero:.0%} at 0.1 ({wide:.3f}); a line has {line:.0f}; {bars}"))  # fmt: skip
def random_quality(draws: int = 1_000, *, delta: float = 0.0) -> Finding:
    """ "A linear representation has RQI = 1, while a random representation [...] has RQI = 0 with high probability".

    Pairs of different samples are meant, as in Eq. 19, and "we can take delta [...] to be zero". Our reading of a high
    probability: nine in ten.
    """
    tables = np.random.default_rng(0).normal(size=(draws, 10))
    own, narrow, wide = (np.array([representation_quality_index(t, at) for t in tables]) for at in (delta, 0.01, 0.1))
    line, samples = representation_quality_index(np.arange(10.0)), all_samples(10)
    floor = len(samples) / len(permissible_set(samples, counting="literal"))
    zero, few, fewer = (float(np.mean(of == 0)) for of in (own, narrow, wide))
    return judge(line == 1, floor == 0, corrected=line == 1 and zero > 0.9, value=zero, low=0.9, high=1, draws=draws,
                 zero=few, wide_zero=fewer, mean=narrow.mean(), wide=wide.mean(), floor=floor, line=line)  # fmt: skip


@claim("L12", "liu2022", "section 3.2", section=CRITICAL, kind="theorem", published="2", shown_by="proof",
       part_of="XL",
       says="the nullity of all parallelograms is {low:.0f} to {high:.0f} for p from 3 to {most}")  # fmt: skip
def full_nullity(most: int = 14) -> Finding:
    """The equations of all parallelograms leave two degrees of freedom, so a training set never leaves fewer.

    A line a + k b solves them all; and the samples (k, k + 2), (k + 1, k + 1) make second differences zero.
    """
    found_ = [nullity(all_samples(p), p) for p in range(3, most + 1)]
    return judge(set(found_) == {2}, value=max(found_), low=min(found_), high=max(found_), most=most)


@claim("L14", "liu2022", "section 3.2", section=ANSWERS, kind="theorem", shown_by="counterexample",
       says=("at p = 10 {value:.2f} of the 10 unseen samples of a random split 45/10 have a label that no training ",
             "sample has, on average; all labels are seen in {all_seen:.1%} of the splits; a set of {n} samples can ",
             "force a line and leave an ideal model {accuracy:.0%} right"))  # fmt: skip
def line_without_answers(n: int = 45) -> Finding:
    """A training set that implies a unique linear structure "would result in perfect generalization".

    Sums that one sample has (0, 1, 2p - 3, 2p - 2) are lost when that sample is unseen. That every label is seen is a
    hypothesis that the paper's own sets, such as its splits 45/10, mostly do not meet.
    """
    samples = all_samples(10)
    sizes = np.bincount([i + j for i, j in samples])
    unseen = 55 - n
    lonely = sum(size * comb(55 - size, unseen - size) / comb(55, unseen) for size in sizes if size <= unseen)
    ideal = ideal_model(without_lonely(10), 10)
    fails = nullity(without_lonely(10), 10) == 2 and ideal["accuracy"] < 1
    return judge(not fails, value=lonely, low=lonely, high=lonely, n=len(without_lonely(10)),
                 accuracy=ideal["accuracy"], all_seen=all_labels_seen(sizes, n))  # fmt: skip


def without_lonely(p: int) -> list[tuple[int, int]]:
    """All samples but the four whose sum no other sample has.

    Example:
        >>> len(without_lonely(10))
        51
    """
    return [(i, j) for i, j in all_samples(p) if 1 < i + j < 2 * p - 3]


def all_labels_seen(sizes: np.ndarray, n: int) -> float:
    """The share of training sets of n samples that hold each label, exactly: products of (1 + x)^s - 1.

    Example: two labels, of one and of two samples; of the three sets of two samples two hold both.
        >>> round(all_labels_seen([1, 2], 2), 3)
        0.667
    """
    ways = np.array([1], dtype=object)
    for size in sizes:
        ways = np.convolve(ways, np.array([0] + [comb(int(size), k) for k in range(1, int(size) + 1)], dtype=object))
    return float(ways[n] / comb(int(sum(sizes)), n))


# P(nullity 2) at p = 10 by number of samples: shares of 10,000 random sets in the authors' stored output (Fig. 4a).
PUBLISHED = {22: 0.427, 23: 0.5795}


@claim("L15", "liu2022", "section 3.2, Fig. 4a", section=CRITICAL, kind="number", published="0.4", seconds=5,
       shown_by="draws",
       says=("{at[0]:.3f} and {at[1]:.3f} of {draws} random orders force a line with 22 and 23 of 55 samples, p = 10, ",
             "at most {off:.1f} standard errors from the authors' {theirs}; half do at a share of {value:.3f}; that ",
             "is {small:.3f} at p = 4 and {large:.3f} at p = 20, about {per:.1f} p samples"))  # fmt: skip
def critical_share(draws: int = 10_000) -> Finding:
    """The probability of a unique linear structure has a transition around r_c = 0.4 (p = 10).

    The authors' 10,000 random sets a size and ours differ by chance: the standard error is that of the difference.
    """
    curve = linear_probability(10, draws)
    off = max(abs(curve[n] - p) / np.sqrt(p * (1 - p) * (1 / draws + 1e-4)) for n, p in PUBLISHED.items())
    shares = {p: critical_fraction(p, max(100, draws // 25)) for p in (4, 20)}
    ours = crossing(curve)
    return judge(abs(ours - 0.4) < 0.02, off < 4, value=ours, low=0.38, high=0.42, draws=draws, at=curve[[*PUBLISHED]],
                 off=off, small=shares[4], theirs=" and ".join(map(str, PUBLISHED.values())), large=shares[20],
                 per=ours * 55 / 10)  # fmt: skip


@claim("L40", "liu2022", "section 3.2, Fig. 4a", section=CRITICAL, shown_by="proof", seconds=5, says=(
    "half of {draws} random orders force a line at {value:.2f} of the samples for p = 10 and {last:.2f} for 40, in ",
    "the limit at 1/2 p ln p samples; from 10 to 90 % of them lie {widths[0]:.2f} and {widths[1]:.2f} of that apart; ",
    "without a free symbol {free[0]:.2f}, {free[1]:.2f} and {free[2]:.2f} for p = 100, 1,000 and 100,000"))  # fmt: skip
def sharper_with_p(draws: int = 400) -> Finding:
    """The probability that the training set implies a unique linear structure "has a phase transition".

    Our reading: as p grows, it rises from 10 to 90 % over a part of the size that shrinks, at a share of the samples
    that stays. With correction: at p ln p / 2 samples, a share that falls to zero. That the width shrinks is proved in
    chapter 11; the check looks at it where the last free symbol decides.
    """
    orders = {p: np.quantile(first_linear(p, draws), [0.1, 0.5, 0.9]) for p in (10, 40)}
    shares = [half / len(all_samples(p)) for p, (_, half, _) in orders.items()]
    widths, free = ([(high - low) / half for low, half, high in each] for each in (
        orders.values(), [free_crossover(p) for p in (100, 1_000, 100_000)]))  # fmt: skip
    shrinks = bool((np.diff(free) < 0).all())
    return judge(shrinks, shares[1] > 0.9 * shares[0], corrected=shrinks, value=shares[0], draws=draws, last=shares[1],
                 widths=widths, free=free)  # fmt: skip


@claim("L16", "liu2022", "section 1, answer A2", section=CRITICAL, kind="theorem", shown_by="count",
       says=("{value:.0f} samples of two neighbouring sums force a line at p = 10, and no fewer do (at p = 4 and 5 ",
             "all sets were looked at: {least}); of random sets of 22, the published share, {half:.0%} do; a set of ",
             "{largest} of 55 does not (at p = 4 to 6 all larger ones do: {broken} left out break a line, no fewer)"))
def least_and_typical() -> Finding:
    """ "The critical training set size corresponds to the least amount of training data that can determine such a
    representation".

    It is the typical amount: the least at which half of random training sets determine it.
    """
    least = [next(size for size in range(16) if sets_with_a_line(p, size)) for p in (4, 5)]
    totals = {p: p * (p + 1) // 2 for p in (4, 5, 6)}
    broken = [next(k for k in range(n) if sets_with_a_line(p, n - k) < comb(n, k)) for p, n in totals.items()]
    two_sums, half = least_set(10), float((first_linear(10) <= 22).mean())
    forced = nullity(two_sums, 10) == 2 and least == [4, 5]
    return judge(forced and len(two_sums) == 22, corrected=abs(half - 0.5) < 0.1, value=len(two_sums), low=10, high=10,
                 half=half, largest=len(largest_failing_set(10)), least=" and ".join(map(str, least)),
                 broken=", ".join(map(str, broken)))  # fmt: skip


def least_set(p: int) -> list[tuple[int, int]]:
    """The p samples of the sums p - 1 and p, which force a line: no p - 1 samples do for p >= 4.

    Example:
        >>> least_set(4), nullity(least_set(12), 12)
        ([(0, 3), (1, 2), (1, 3), (2, 2)], 2)
    """
    return [(i, j) for i, j in all_samples(p) if i + j in (p - 1, p)]


def largest_failing_set(p: int) -> list[tuple[int, int]]:
    """All samples but the p - 2 with the symbol 0 whose sum others have: nothing is said about 0.

    Example:
        >>> len(largest_failing_set(10)), nullity(largest_failing_set(10), 10)
        (47, 3)
    """
    return [(i, j) for i, j in all_samples(p) if i > 0 or j < 2]


@claim("L17", "liu2022", "section 3.2, Fig. 5a", section=CRITICAL, kind="observation", shown_by="count", seconds=3,
       says=("the mean rate is {means[0]:.3f}, {means[1]:.3f}, {means[2]:.3f} and {means[3]:.3f} for 20, 30, 40 and ",
             "55 samples (p = 10, {draws} random sets a size); at 20 it is zero in {value:.0%} of them"))  # fmt: skip
def rate_by_size(draws: int = 200) -> Finding:
    """The grokking rate is zero with high probability below a share of about 0.4 and rises above it."""
    rng, samples = np.random.default_rng(0), np.array(all_samples(10))
    rates = {n: np.array([grokking_rate(samples[rng.permutation(55)[:n]], 10) for _ in range(draws if n < 55 else 1)])
             for n in (20, 30, 40, 55)}  # fmt: skip
    zero, means = float((rates[20] == 0).mean()), [float(r.mean()) for r in rates.values()]
    return judge(zero > 0.5, means == sorted(means), value=zero, low=0.5, high=1, means=means, draws=draws)


@claim("L21", "liu2022", "appendix C", section=SPAN, kind="theorem", shown_by="proof",
       part_of="XL",
       says="(0, 5, 2, 3) and 2 E_4 = E_3 + E_5 lie in the span of the equations before them ({first}, {second})")
def derived_parallelograms() -> Finding:
    """The first four samples imply (0, 5, 2, 3); the first six imply that 4 is the middle of 3 and 5."""
    first = ((0, 5), (2, 3)) in implied_set(APPENDIX_C[:4], 6)
    second = ((3, 5), (4, 4)) in implied_set(APPENDIX_C[:6], 6)
    too_early = ((3, 5), (4, 4)) in implied_set(APPENDIX_C[:4], 6)
    return judge(first, second, not too_early, first=first, second=second)


@claim("L22", "liu2022", "appendix C", section=SPAN, kind="number", published="8", shown_by="count",
       part_of="EL",
       says=("the eight listed samples are {value:.0f} different ones and leave {nullity} degrees of freedom, and ",
             "none of them can be left out; of all sets of {least} samples {few} suffice, none of fewer"))  # fmt: skip
def samples_for_six() -> Finding:
    """Eight samples determine the linear structure for p = 6 uniquely."""
    seven = samples_of(APPENDIX_C)
    left = nullity(seven, 6)
    least = next(size for size in range(22) if sets_with_a_line(6, size))
    needed = all(nullity([s for s in seven if s != out], 6) > 2 for out in seven)
    right = left == 2 and needed
    return judge(len(seven) == 8, right, corrected=right, value=len(seven), low=8, high=8, nullity=left,
                 least=least, few=sets_with_a_line(6, least))  # fmt: skip


@claim("L23", "liu2022", "appendix D, Eq. 12 to 14", section=SPAN, kind="theorem", shown_by="proof",
       part_of="XL",
       says="of {of} random nested pairs of sets {value:.0f} lose an answered sample")  # fmt: skip
def more_parallelograms_answer_more(draws: int = 200) -> Finding:
    """A larger set of parallelograms gives a larger augmented training set."""
    rng, samples, wrong = np.random.default_rng(0), all_samples(6), 0
    every = permissible_set(samples)
    for _ in range(draws):
        order = rng.permutation(len(every))
        small, large = sorted(rng.integers(0, len(every) + 1, 2))
        trained = [samples[k] for k in rng.permutation(len(samples))[:8]]
        nested = [set(augmented_set(trained, [every[k] for k in order[:n]])) for n in (small, large)]
        wrong += not nested[0] <= nested[1]
    return judge(wrong == 0, value=wrong, low=0, high=0, of=draws)


@claim("L26", "liu2022", "appendix E, Fig. 10", section=CRITICAL, kind="observation", published="below 22 of 55",
       part_of="XL",
       shown_by="count", seconds=2,
       says="of {draws} random orders (p = 10) {few:.1%} force a line with 16 samples, {value:.0%} with 20")
def early_lines(draws: int = 10_000) -> Finding:
    """An ideal RQI of 1 is possible with fewer than 40 % of the samples."""
    sizes = first_linear(10, draws)
    share = float((sizes <= 20).mean())
    return judge((sizes < 22).any(), value=share, low=0, high=1, draws=draws, few=float((sizes <= 16).mean()))


@claim("L27", "liu2022", "appendix E, Fig. 11", section=SPAN, kind="number", shown_by="count",
       part_of="XL",
       says=("the 8 sets of equations at p = 4 leave {most} to {fewest} degrees of freedom, and a part of a set never ",
             "fewer than the set; they have {value:.0f} different solutions, since A2 = A1 + A3"))  # fmt: skip
def hierarchy_of_four() -> Finding:
    """ "Each subset A can determine a representation R with n(A) degrees of freedom. So R should be a descendant of R*,
    and n(R*) <= n(R)".

    Eight sets of equations are arranged; that they have eight different solutions the paper does not say.
    """
    three = permissible_set(all_samples(4))
    sets = [c for size in range(4) for c in combinations(three, size)]
    left = {c: nullity([pair for two in c for pair in two], 4) for c in sets}
    ordered = all(left[a] <= left[b] for a in left for b in left if set(b) <= set(a))
    onto = [np.linalg.pinv(rows) @ rows for rows in (equations(c, 4).astype(float) for c in sets)]
    spans = {(np.round(projector, 9) + 0.0).tobytes() for projector in onto}
    return judge(ordered, value=len(spans), most=max(left.values()), fewest=min(left.values()))


@claim("L39", "liu2022", "Definition 1; appendices E and H", section=TABLE, kind="formula", shown_by="count",
       part_of="EL",
       says=("of {draws} random embeddings (p = 10) the printed rule |d| <= 0.01 closes {printed:.2%} of the ",
             "parallelograms, |d|^2 <= 0.01 (appendix H, and the authors' code) {value:.2%}"))  # fmt: skip
def two_tolerances(draws: int = 1_000) -> Finding:
    """A parallelogram is closed to within delta = 0.01."""
    tables = np.random.default_rng(0).normal(size=(draws, 10))
    printed, squared = (float(np.mean([representation_quality_index(t, d) for t in tables])) for d in (0.01, 0.1))
    return judge(printed == squared, corrected=True, value=squared, low=printed, high=printed, draws=draws,
                 printed=printed)  # fmt: skip
