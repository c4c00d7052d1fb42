"""x^2 + xy + y^2: Fig. 4 of Gu et al. 2025 as counts of cells beside a memoriser, its DNNs, and an
older sum."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from companion.claims import Finding, Runs, claim, judge
from companion.claims.finding import ENOUGH, decided, enough
from companion.claims.runs import every_run
from grokbook.curves.limits import WINDOW, limits, moving_mean
from grokbook.tasks.arithmetic import ModularTask
from grokbook_chapters.ranges import spread
from grokbook_chapters.symmetric_form.runs import FORM, FORMS, PAPER, P, dnns, fig_4

# our reading of "approximately constant": a range of at most this part of the mean
NEARLY_CONSTANT = 0.25

# rise of the accuracy on cells without a trained transpose from which generalisation counts as
# improved
RISEN = 0.05


def counted_cells(runs: Runs, p: int = P) -> pd.DataFrame:
    """One row a run: where its right answers on the test set are, at its upper limit, as shares of
    all N = p^2 cells.

    Columns: fraction, seed, `accuracy` (the upper limit, see `limits`), `truncated`, `product` =
    accuracy * (1 - frac), `memoriser` = share of cells that are test cells with a trained
    transpose, `mirrored` and `unmirrored` = shares of cells answered with and without a trained
    transpose, and the `accuracy mirrored` and `accuracy unmirrored`. product = mirrored +
    unmirrored, since every test cell is of one kind.
    """
    rows = []
    for fraction, seed, run in every_run(runs):
        task = ModularTask(p, FORM, fraction, seed=seed)
        groups = task.groups()
        curve = run.test_accuracy.dropna("step")
        top = limits(curve.step.values, curve.values)
        row = {
            "fraction": fraction,
            "seed": seed,
            "accuracy": top.upper,
            "truncated": top.truncated,
            "product": top.upper * (1 - task.train_index.size / p**2),
            "memoriser": groups["mirrored"].mean(),
        }
        for name in ("mirrored", "unmirrored"):
            part = run[f"test_accuracy_{name}"].dropna("step")
            mean = moving_mean(part.step.values, part.values, WINDOW)
            right = np.interp(top.upper_step, *mean)
            row[name] = groups[name].mean() * right
            row[f"accuracy {name}"] = right
        rows.append(row)
    return pd.DataFrame(rows)


def by_fraction(cells: pd.DataFrame) -> pd.DataFrame:
    """`counted_cells` summarised: a row a fraction, medians over `seeds`, range of the product,
    runs still rising."""
    groups = cells.groupby("fraction")
    product = groups["product"]
    medians = groups.median(numeric_only=True).drop(columns=["seed", "truncated"])
    return medians.assign(
        low=product.min(),
        high=product.max(),
        seeds=groups.size(),
        rising=groups.truncated.sum().astype(int),
    )


def _values(values: Iterable[float], form: str) -> str:
    return ", ".join(format(value, form) for value in values)


@claim(
    "G6.1",
    "gu2025",
    "section 6.1",
    section="Three networks and one symmetry",
    seconds=3,
    runs=lambda: {label: run for label, run in dnns().items() if label[1] == FORMS[FORM]},
    published="around 0.01",
    bars={"risen": (RISEN / 2, 2 * RISEN)},
    says=(
        "highest test accuracy on x^2 + xy + y^2 at p = 97, half of the cells trained: {seen}"
        " (bars: {bars})"
    ),
)
def dnns_stay_at_guessing(runs: Runs, *, risen: float = RISEN) -> Finding:
    """With a 2-layer DNN in place of the transformer "the test accuracy will always remain around
    0.01".

    Read as at most `risen` at every logged step. Which DNN is meant is open: borne out where both
    stay, three runs each, and refuted where neither does. The other bars were added when its runs
    had been seen.
    """
    best = {name: float(run.test_accuracy.max()) for (name, _), run in runs.items()}
    highest = max(best.values())
    both = len(best) > 1
    stay = both and highest <= risen and enough(*runs.values())
    leave = both and min(best.values()) > risen
    seen = ", ".join(f"{high:.3f} ({name})" for name, high in best.items())
    return judge(decided(stay, leave), value=highest, low=0, high=risen, seen=seen)


@claim(
    "GF04",
    "gu2025",
    "section 6.1, Fig. 4",
    section="Figure 4 measured",
    runs=lambda: fig_4(PAPER),
    seconds=3,
    published="constant",
    also=("G38",),
    bars={"bar": (0.1, 0.5)},
    says=(
        "at frac = {fractions} (seeds: {seeds}; runs still rising: {rising}) Acc is {accuracies} "
        "and Acc (1 - frac) {products}, a range of {value:.0%} of the mean (constant is up to "
        "{high:.0%}; {bars}); a memoriser that swaps the operands has {memoriser}; of the test "
        "cells without a trained transpose {fresh} are right"
    ),
)
def product_is_constant(runs: Runs, *, bar: float = NEARLY_CONSTANT) -> Finding:
    """For x^2 + xy + y^2 at frac = 0.5, 0.6, 0.7, "the relationship Acc (1 - frac) = Constant holds
    approximately".

    Read as a range within `bar` of its mean. Refuted where two fractions with three seeds each,
    none of them still rising, are further apart; borne out by three such fractions. That "the
    generalization ability of the model has not improved" does not follow: the share of cells that
    cannot be copied may rise while the product stays.
    """
    table = by_fraction(counted_cells(runs))
    product = table["product"]
    sure = product[(table.seeds >= ENOUGH) & (table.rising == 0)]
    apart = len(sure) > 1 and np.ptp(sure) > bar * sure.mean()
    near = len(sure) == len(PAPER) and not apart
    return judge(
        decided(near, apart),
        value=np.ptp(product) / product.mean(),
        low=0,
        high=bar,
        products=_values(product, ".3f"),
        accuracies=_values(table.accuracy, ".3f"),
        memoriser=_values(table.memoriser, ".3f"),
        fractions=_values(table.index, "g"),
        seeds=spread(table.seeds, ".0f"),
        rising=table.rising.sum(),
        fresh=_values(table["accuracy unmirrored"], ".3f"),
    )


def lattice_sum(p: int) -> float:
    r"""Sum of 1 / (t1^2 + t2^2) over the cells of a p x p grid around its middle one, both t1 and
    t2 non-zero.

    p must be odd, so that there is a middle cell.

    Example:
        >>> round(lattice_sum(97), 2)
        21.17

    Source: Gu 2024, section 5.2.2, with every norm and both factors set to 1.
    """
    t = np.arange(1, (p - 1) // 2 + 1, dtype=float)
    return float(4 * (1 / (t[:, None] ** 2 + t**2)).sum())


@claim(
    "P05",
    "gu2024",
    "section 5.2.2",
    section="A sum that was taken for p²",
    kind="formula",
    published="bounded below",
    says=(
        "with influences of one size (our reading; the paper bounds none) the sum is {sums} at p = "
        "{sides}: it grows by {slope:.3f} times 2 pi for each unit of ln p, and sum / p^2 falls by "
        "a factor of {factor:.0f}; the upper bound is true, the lower one would need influences "
        "that grow like p^2 / ln p"
    ),
)
def quadratic_growth(sides: tuple[int, ...] = (47, 97, 397, 997)) -> Finding:
    """The influences, weighted by 1 / (t1^2 + t2^2), sum to between multiples of p^2 with c, C that
    "are constants"."""
    sums = np.array([lattice_sum(p) for p in sides])
    ratio = sums / np.array(sides) ** 2
    slopes = np.diff(sums) / np.diff(np.log(sides))
    return judge(
        ratio.min() > 0.5 * ratio.max(),
        value=ratio.min() / ratio.max(),
        factor=ratio[0] / ratio[-1],
        slope=slopes[-1] / (2 * np.pi),
        sums=_values(sums, ".1f"),
        sides=_values(sides, "d"),
    )
