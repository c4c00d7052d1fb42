"""Claims about where the training data lie, settled by recorded runs: Table 1 and Fig. 4 of Gu et al. 2025."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from grokbook.claims.ceilings import GENERALISED, NEAR, measured, measured_ceilings, recorded_rows, runs_table, spread
from grokbook.claims.coverage import NEARLY_CONSTANT, ceiling_by_distance, certain_above_the_threshold, constant_product
from grokbook.claims.finding import Finding
from grokbook.claims.legacy import Claim
from grokbook.claims.symmetric_form import by_fraction, counted_cells, recorded_fractions
from grokbook.claims.table1 import best_radius, covered_shares
from grokbook.experiments.base import Experiment, available
from grokbook.experiments.data_distribution import fig_4_run, table_1_run
from grokbook.experiments.gu2025 import fig5
from grokbook.experiments.published import TABLE_1, table_1

PERFECT = 0.995
"""Our reading of "the test accuracy reaches 1"."""

RISEN = 0.05
"""Rise of the accuracy on cells without a trained transpose from which more data count as generalising further."""

PAPER_FRACTIONS = (0.5, 0.6, 0.7)
"""Training fractions at which the paper compares Acc (1 - frac)."""


def missing(experiments: Iterable[Experiment]) -> Finding:
    """The finding of a claim whose records are not there: not run, and what the missing runs would cost."""
    wanted = list(experiments)
    minutes = sum(experiment.predicted().seconds for experiment in wanted) / 60
    names = ", ".join(experiment.name for experiment in wanted)
    return Finding("not run", f"not recorded: {names}; about {minutes:.0f} min on one core here")


def listed(rows: pd.DataFrame, form: str = "{row}") -> str:
    """The rows of a table in one phrase, each by `form`; "none" for an empty table.

    Example:
        >>> listed(pd.DataFrame({"row": ["SQUARE 30", "STRIP 50"], "U": [18.2, 41.0]}), "{row} {U:.0f}")
        'SQUARE 30 18, STRIP 50 41'
    """
    return ", ".join(form.format(**row) for row in rows.to_dict("records")) or "none"


# ---------------------------------------------------------------------------------------------------------- Table 1


def measured_table(n_seeds: int = 3) -> pd.DataFrame:
    """`measured` of what is recorded of Table 1, with `gap`: points from the published U-Acc to our range."""
    table = measured(runs_table(recorded_rows(n_seeds)))
    for name in ("U low", "U high"):
        table[name] = table.get(name, pd.Series(np.nan, table.index)).astype(float)
    below, above = table["U low"] - table["U-Acc"], table["U-Acc"] - table["U high"]
    return table.assign(gap=np.maximum(np.maximum(below, above), 0))


def ceilings_of_table_1(n_seeds: int = 3) -> Finding:
    """GT1: the upper limits of Table 1. A row agrees when the published one is within `NEAR` points of our range.

    "Holds with correction" when the rows agree in which some run has generalised outside its hole, and others do not.
    """
    table = measured_table(n_seeds)
    if (table.seeds == 0).any():
        absent = table[table.seeds == 0]
        return missing(table_1_run(s, h, n_seeds=n_seeds) for s, h in zip(absent.split, absent.hole, strict=True))
    agree, slow = table.gap <= NEAR, (table.generalised == 0) & (table.share > 0)
    verdict = "holds" if agree.all() else "holds with correction" if agree[~slow].all() else "fails"
    off = table[~agree].assign(own=[_range(low, high) for low, high in table[~agree][["U low", "U high"]].values])
    seeds = sorted(table.seeds.unique())
    evidence = (
        f"{table.seeds.sum()} runs ({' to '.join(str(s) for s in dict.fromkeys((seeds[0], seeds[-1])))} a row): the "
        f"published U-Acc is within {NEAR:.0f} points of our range in {agree.sum()} of {len(table)} rows; elsewhere "
        f"(ours / published) {listed(off, '{row} {own} / {U-Acc:.1f}')}; no run has reached "
        f"{GENERALISED:.0%} outside its hole by the end in {listed(table[slow])}"
    )
    return Finding(verdict, evidence, float(table.gap.median()), float(table.gap.min()), float(table.gap.max()), "0")


def _range(low: float, high: float) -> str:
    return f"{low:.1f}" if high - low < 0.05 else f"{low:.1f} to {high:.1f}"


def ceiling_set_by_distance(n_seeds: int = 3) -> Finding:
    """G33: one distance explains the ceilings: the published ones (see `ceiling_by_distance`) and the measured ones."""
    published = ceiling_by_distance()
    done = measured_ceilings(runs_table(recorded_rows(n_seeds)))
    if len(done) < 3:
        return published
    order = [(split, hole) for split, hole, *_ in TABLE_1]
    rows = [order.index(row) for row in zip(done.split, done.hole, strict=True)]
    n, rmse = best_radius(covered_shares("code")[rows], done.U.to_numpy())
    band = float((table_1()["U-Acc"] - table_1()["L-Acc"]).mean())
    verdict = "holds" if published.verdict == "holds" and rmse <= band else "fails"
    evidence = (
        f"{published.evidence}; measured, {len(done)} rows in which a run has generalised outside the hole: best "
        f"radius {n}, off by {rmse:.1f}; correlation with the share outside {done.U.corr(done['outside']):.2f}, in "
        f"either order {done.U.corr(done['either order']):.2f}; right in the hole {done['in hole'].min():.0f} to "
        f"{done['in hole'].max():.0f}%"
    )
    return Finding(verdict, evidence, published.value, 0, band, f"at most {band:.1f} points")


def reaches_one_for_certain(n_seeds: int = 5) -> Finding:
    """G34: above the threshold test accuracy 1 is certain: by coverage, and by the recorded random splits of 30 %."""
    theory, runs = certain_above_the_threshold(), available(fig5(97, n_seeds=n_seeds))
    if runs is None:
        return theory
    best = runs.test_accuracy.max("step")
    reached, last = int((best >= PERFECT).sum()), int(runs.step[-1])
    verdict = "holds" if theory.verdict == "holds" and reached == best.size else "fails"
    evidence = (
        f"{theory.evidence}; of {best.size} recorded random splits of 30% of p = 97, above that threshold, {reached} "
        f"reached an accuracy of {PERFECT} by step {last} (highest accuracies {float(best.min()):.3f} to "
        f"{float(best.max()):.3f})"
    )
    return Finding(verdict, evidence, reached / best.size, 0, 1, "100%")


# ----------------------------------------------------------------------------------------------------------- Fig. 4


def _at_paper_fractions(n_seeds: int) -> pd.DataFrame | Finding:
    """`by_fraction` at the paper's three fractions, or the finding that a record is missing."""
    runs = recorded_fractions(n_seeds)
    absent = [fraction for fraction in PAPER_FRACTIONS if fraction not in runs]
    if absent:
        return missing(fig_4_run(fraction, n_seeds=n_seeds) for fraction in absent)
    return by_fraction(counted_cells({fraction: runs[fraction] for fraction in PAPER_FRACTIONS}))


def product_is_constant(n_seeds: int = 3) -> Finding:
    """GF04: Acc (1 - frac) is about constant at 0.5, 0.6 and 0.7, read as a range within a quarter of its mean."""
    table = _at_paper_fractions(n_seeds)
    if isinstance(table, Finding):
        return table
    product = table["product"]
    width = float(np.ptp(product) / product.mean())
    evidence = (
        f"Acc = {_values(table.accuracy, '.3f')}, Acc (1 - frac) = {_values(product, '.3f')} at frac = "
        f"{_fractions(table)} (medians, {spread(table.seeds, '.0f')} seeds; {table.rising.sum()} runs still rising), "
        f"a range of {width:.0%} of the mean; a memoriser that swaps the operands has "
        f"{_values(table.memoriser, '.3f')}"
    )
    return Finding("holds" if width <= NEARLY_CONSTANT else "fails", evidence, width, 0, NEARLY_CONSTANT, "constant")


def more_data_do_not_generalise(n_seeds: int = 3) -> Finding:
    """G38: a constant product means no further generalisation. Right only for cells whose transpose was not trained.

    Fails when the accuracy on those cells rises by more than `RISEN` from the smallest to the largest fraction.
    """
    theory, table = constant_product(), _at_paper_fractions(n_seeds)
    if isinstance(table, Finding):
        return theory
    fresh = table["accuracy unmirrored"]
    rise = float(fresh.iloc[-1] - fresh.iloc[0])
    verdict = "fails" if rise > RISEN else theory.verdict
    evidence = (
        f"{theory.evidence}; measured: on test cells without a trained transpose {_values(fresh, '.3f')} right at "
        f"frac = {_fractions(table)} (medians, {spread(table.seeds, '.0f')} seeds), with one "
        f"{_values(table['accuracy mirrored'], '.3f')}"
    )
    return Finding(verdict, evidence, rise, -RISEN, RISEN, "no rise")


def _values(values: pd.Series, form: str) -> str:
    return ", ".join(format(value, form) for value in values)


def _fractions(table: pd.DataFrame) -> str:
    return ", ".join(f"{fraction:g}" for fraction in table.index)


MEASURED = "04_data_distribution: Table 1 measured"

CLAIMS: tuple[Claim, ...] = (
    Claim(
        "G33",
        "gu2025",
        "Table 1, Remark 3.11",
        "The ceiling of the test accuracy with a hole is set by which cells the training set covers within a distance.",
        "observation",
        MEASURED,
        ceiling_set_by_distance,
        seconds=8,
    ),
    Claim(
        "G34",
        "gu2025",
        "section 6.1",
        "Above a threshold of the training fraction the test accuracy becomes 1 with probability 100 %.",
        "theorem",
        "04_data_distribution: What suffices, and what is necessary",
        reaches_one_for_certain,
    ),
    Claim(
        "G38",
        "gu2025",
        "section 6.1, Fig. 4",
        "As Acc (1 - frac) is about constant for x^2 + xy + y^2, more training data do not generalise further.",
        "observation",
        "04_data_distribution: A memoriser that swaps the operands",
        more_data_do_not_generalise,
        seconds=3,
    ),
    Claim(
        "GF04",
        "gu2025",
        "Fig. 4",
        "For x^2 + xy + y^2 modulo 97, Acc (1 - frac) is about constant at training fractions 0.5, 0.6 and 0.7.",
        "observation",
        "04_data_distribution: Figure 4 measured",
        product_is_constant,
        seconds=3,
    ),
    Claim(
        "GT1",
        "gu2025",
        "Table 1",
        "With a hole the test accuracy reaches the printed U-Acc, from 99 % (SQUARE 30) to 8 % (STRIP 67).",
        "observation",
        MEASURED,
        ceilings_of_table_1,
        seconds=8,
    ),
)
