"""Claims of Gu 2024, the anonymous predecessor through dynamical systems, and their checks."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd

from grokbook.claims.finding import Finding
from grokbook.claims.legacy import Claim
from grokbook.claims.tracking import SETTLED, recorded_table, together, tracking_table
from grokbook.experiments.gu2025 import modular_run
from grokbook.measures import med, med_as
from grokbook.training import Schedule, train

MODULI = (47, 97)
ALMOST_IDENTICAL = 0.9
"""Share of intervals with equal signs from which we call two curves' patterns almost identical."""


def two_range_relation(p: int = 97, d: int = 16) -> Finding:
    """P07: Eq. 12 on a shared table is 2 p MED - 2 |phi(0) - phi(p-1)|, with MED of Definition 4.2 (Gu 2025)."""
    phi = np.random.default_rng(0).normal(size=(p, d))
    ours = 2 * p * med(phi) - 2 * np.linalg.norm(phi[0] - phi[-1])
    error = abs(med_as("gu2024_eq_12", phi) / ours - 1)
    verdict = "holds with correction" if error < 1e-12 else "fails"
    evidence = (
        f"on a table that both operands share the sum is 2p MED - 2 |phi(0) - phi(p-1)| with the later MED (relative "
        f"difference {error:.1g}): the later mean goes round the circle, this sum does not"
    )
    return Finding(verdict, evidence, error, 0, 1e-12)


def stack(tables: dict[int, pd.DataFrame]) -> pd.DataFrame:
    """Tracking tables of several moduli under one another, index (p, seed)."""
    return pd.concat(tables, names=["p"])


def _runs() -> pd.DataFrame | None:
    """The tracking tables of all recorded moduli; None when a run was not made."""
    tables = {p: recorded_table(p) for p in MODULI}
    return None if any(table is None for table in tables.values()) else stack(tables)


def on_records(judge: Callable[[pd.DataFrame], Finding]) -> Finding:
    """Judge the recorded runs of p = 47 and 97, or say that they were not made."""
    table = _runs()
    return Finding("not run", "the records of p = 47 and 97 are not complete") if table is None else judge(table)


def same_sign_everywhere(table: pd.DataFrame) -> Finding:
    """P09: the increments of test loss and MED have the same sign at every step."""
    a = table.agreement
    verdict = "holds" if a.min() == 1 else "fails"
    share = f"{a.min():.0%}" if len(a) == 1 else f"{a.min():.0%} to {a.max():.0%}"
    evidence = (
        f"test loss and MED change in the same direction in {share} of the intervals between logged steps after "
        f"fitting ({len(a)} run{'s' * (len(a) > 1)})"
    )
    return Finding(verdict, evidence, a.median(), a.min(), a.max(), "100 %")


def every_step(p: int = 11, steps: int = 250) -> Finding:
    """P09 on one small run that is logged at every step: a statement about every step needs one counterexample."""
    config = modular_run(p, 0.3, d_model=32, steps=steps)
    log = Schedule(dense_until=steps, dense_every=1)
    run = train([dataclasses.replace(config, log=log)], device="cpu", progress=False).swap_dims(run="seed")
    found = same_sign_everywhere(tracking_table(run))
    return dataclasses.replace(found, evidence=f"{found.evidence}; p = {p}, {steps} steps, every step logged")


def almost_identical(table: pd.DataFrame) -> Finding:
    """P5.1a: test loss and MED show an almost identical pattern of variation."""
    a, significant = table.agreement, (table.p_value < 0.05).sum()
    verdict = "holds" if a.min() >= ALMOST_IDENTICAL else "fails"
    evidence = (
        f"test loss and MED change in the same direction in {a.median():.0%} of the intervals between logged steps "
        f"(median of {len(a)} runs); after detrending in {table.detrended.median():.0%}, against "
        f"{table.null.median():.0%} for curves shifted in time (significant at 5% in {significant} of {len(a)} runs)"
    )
    return Finding(verdict, evidence, a.median(), a.min(), a.max(), f"at least {ALMOST_IDENTICAL:.0%} (our reading)")


def below_initial_means_grokking(table: pd.DataFrame) -> Finding:
    """P5.1b: when MED falls below its initial value, grokking happens."""
    below, grok = table.below_step.notna(), table.grok_step.notna()
    both = together(table.below_step, table.grok_step, table.last_step)
    verdict = "vacuous" if not below.any() else "holds" if both[below].all() else "fails"
    evidence = (
        f"of {len(table)} runs {grok.sum()} generalise, {(grok & ~below).sum()} of them without MED falling below its "
        f"initial value; MED falls below it in {below.sum()} runs, in {both.sum()} of these at about the time of "
        f"generalising and in {(below & ~grok).sum()} without generalising"
    )
    return Finding(verdict, evidence, float(both.mean()), 0, 1, "every run in which MED falls below")


def settle_together(table: pd.DataFrame) -> Finding:
    """P5.1c: when MED stops declining and oscillates, the test accuracy stops increasing.

    A run in which both settle in the last tenth of the record only, or never, decides nothing.
    """
    last = table.last_step.astype(float)
    late = (1 - SETTLED) * last
    decided = (table.measure_settles.astype(float) <= late) | (table.accuracy_settles.astype(float) <= late)
    both = together(table.measure_settles, table.accuracy_settles, table.last_step)[decided]
    if not len(both):
        return Finding("vacuous", f"neither curve settles before the last tenth of any of the {len(table)} runs")
    gap = ((table.measure_settles - table.accuracy_settles).astype(float) / last)[decided]
    evidence = (
        f"of {len(table)} runs {len(both)} settle before the last tenth of the record; the two ends are within a tenth "
        f"of the run in {both.sum()} of these, MED settles between {gap.min():+.0%} and {gap.max():+.0%} of the run's "
        "length after the accuracy"
    )
    return Finding("holds" if both.all() else "fails", evidence, float(both.mean()), 0, 1, "every run")


CLAIMS = (
    Claim(
        "P07",
        "gu2024",
        "Definition 6, Eq. 12",
        "MED is the sum of neighbour distances over both operands' ranges, without wrap-around.",
        "formula",
        "05_med_tracking: Definitions",
        two_range_relation,
    ),
    Claim(
        "P09",
        "gu2024",
        "Property 2",
        "Test loss and MED increase and decrease together at every step.",
        "observation",
        "05_med_tracking: What the papers say",
        every_step,
        seconds=5,
    ),
    Claim(
        "P5.1a",
        "gu2024",
        "section 5.1, first observation",
        "Unsmoothed test loss and MED vary in an almost identical pattern.",
        "observation",
        "05_med_tracking: What the papers say",
        partial(on_records, almost_identical),
        seconds=5,
    ),
    Claim(
        "P5.1b",
        "gu2024",
        "section 5.1, second observation",
        "When MED falls below its initial value, grokking happens.",
        "observation",
        "05_med_tracking: What the papers say",
        partial(on_records, below_initial_means_grokking),
        seconds=5,
    ),
    Claim(
        "P5.1c",
        "gu2024",
        "section 5.1, third observation",
        "When MED oscillates without a downward trend, the test accuracy has stopped rising.",
        "observation",
        "05_med_tracking: What the papers say",
        partial(on_records, settle_together),
        seconds=5,
    ),
)
