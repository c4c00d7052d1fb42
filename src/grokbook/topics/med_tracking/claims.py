"""What the papers say of MED: its definition and closed forms, and that it moves with the test loss in every figure."""

from __future__ import annotations

import dataclasses
from functools import partial

import numpy as np

from grokbook.claims import Claim, Finding, Runs, all_of, band, claim, found, judge
from grokbook.claims.finding import UNDECIDED, Part
from grokbook.experiments.base import Experiment
from grokbook.experiments.gu2025 import fig5, modular_run
from grokbook.measures import (
    circle_med,
    fourier_power,
    linear_med,
    med,
    med_as,
    med_bound,
    med_spectral_bound,
)
from grokbook.measures.tracking import SETTLED, together, tracking_table
from grokbook.theory.one_frequency import circle
from grokbook.topics.med_tracking.settings import OPERATIONS, moduli, operations, stack, tracked
from grokbook.training import Schedule, train

ALMOST_IDENTICAL = 0.9
"""Share of intervals with equal signs from which we call two curves' patterns almost identical."""

LOW = 0.5
"""Test accuracy below which a ceiling is called low: our reading, the paper gives no number."""

OBSERVED = {"section": "What the papers say", "seconds": 5}
FIGURES = {"section": "Other moduli and other operations"}


# ---------------------------------------------------------------------------------------- definition and closed forms


@claim("P07", "gu2024", "Definition 6, Eq. 12", section="Definitions", kind="formula",
       says=("on a table that both operands share the sum is 2p MED - 2 |phi(0) - phi(p-1)| with the later MED ",
             "(relative difference {value:.1g}): the later mean goes round the circle, this sum does not"))  # fmt: skip
def two_range_relation(p: int = 97, d: int = 16) -> Finding:
    """MED is the sum of neighbour distances over both operands' ranges, without wrap-around.

    Eq. 12 on a shared table is 2 p MED - 2 |phi(0) - phi(p-1)|, with MED of Definition 4.2 (Gu 2025).
    """
    phi = np.random.default_rng(0).normal(size=(p, d))
    ours = 2 * p * med(phi) - 2 * np.linalg.norm(phi[0] - phi[-1])
    error = abs(med_as("gu2024_eq_12", phi) / ours - 1)
    return judge(error < 1e-12, value=error, low=0, high=1e-12, holds="holds with correction")


@claim("G26", "gu2025", "Definition 4.2", section="Closed forms", kind="formula",
       says=("largest relative deviation {value:.1e} over {count} embeddings; ",
             "both bounds hold on a random one"))  # fmt: skip
def med_closed_forms(p: int = 97) -> Finding:
    """MED is the mean distance of cyclically neighbouring embeddings.

    Tested on its closed forms (circles, all frequencies, a line, a circulant table) and its two bounds.
    """
    frequencies = range(1, p // 2 + 1)
    circles = {k: circle(p, k) for k in frequencies}
    errors = [abs(med(table) / circle_med(p, [k]) - 1) for k, table in circles.items()]
    errors.append(abs(med(np.hstack(list(circles.values()))) / np.sqrt(p) - 1))
    errors.append(abs(med(np.arange(p)[:, None] * 0.3) / linear_med(p, 0.3) - 1))
    rng = np.random.default_rng(0)
    first = rng.normal(size=p)
    wheel = np.stack([np.roll(first, i) for i in range(p)])  # circulant: all steps are equal
    errors.append(abs(med(wheel) / med_spectral_bound(wheel) - 1))
    random = rng.normal(size=(p, 16))
    kept = med(random) <= med_spectral_bound(random) <= med_bound(random) and fourier_power(random).min() >= 0
    worst = float(max(errors))
    return judge(bool(kept), worst < 1e-9, value=worst, low=0, high=1e-9, count=len(errors))


@claim("G14", "gu2025", "appendix B.4, section 4", section="Closed forms", kind="theorem",
       says=("one circle of radius 1 has MED from {least:.4f} to {most:.4f} (p = {p}) by the name of its ",
             "frequency alone, at equal loss on all cells and equal norms"))  # fmt: skip
def same_function_other_med(p: int = 97) -> Finding:
    """Weight decay is minimal exactly for uniform embeddings, and so MED falls.

    Relabelling i -> c i keeps the full loss and every norm (permute the outputs too) and moves MED.
    """
    values = [circle_med(p, [k]) for k in range(1, p // 2 + 1)]
    ratio = max(values) / min(values)
    return judge(ratio <= 1 + 1e-9, value=ratio, low=1, high=1, least=min(values), most=max(values), p=p)


# ---------------------------------------------------------------------------------------- three observations


@claim("P09", "gu2024", "Property 2", published="100 %", **OBSERVED,
       says=("test loss and MED change in the same direction in {value:.0%} of the intervals between logged steps ",
             "after fitting (1 run); p = {p}, {steps} steps, every step logged"))  # fmt: skip
def every_step(p: int = 11, steps: int = 250) -> Finding:
    """Test loss and MED increase and decrease together at every step.

    One small run that is logged at every step: a statement about every step needs one counterexample.
    """
    log = Schedule(dense_until=steps, dense_every=1)
    config = dataclasses.replace(modular_run(p, 0.3, d_model=32, steps=steps), log=log)
    run = train([config], device="cpu", progress=False).swap_dims(run="seed")
    share = float(tracking_table(run).agreement.iloc[0])
    return judge(share == 1, value=share, low=share, high=share, p=p, steps=steps)


def two_moduli() -> dict[int, Experiment]:
    """Fig. 5 at the two moduli whose runs were made."""
    return {p: fig5(p) for p in (47, 97)}


def _decided(runs: Runs, verdict: str) -> str:
    """The verdict, which stands on too few runs only where it refutes."""
    return verdict if verdict == "fails" or runs.complete() else UNDECIDED


def almost_identical(runs: Runs) -> Finding:
    """Test loss and MED show an almost identical pattern of variation: G27 and P5.1a."""
    table = stack(runs)
    a = table.agreement
    verdict = _decided(runs, "holds" if a.min() >= ALMOST_IDENTICAL else "fails")
    return found(
        verdict, a.median(), a.min(), a.max(), count=len(a), detrended=table.detrended.median(),
        null=table.null.median(), significant=(table.p_value < 0.05).sum(),
    )  # fmt: skip


_IDENTICAL = {
    "runs": two_moduli,
    "through": tracking_table,
    "published": f"at least {ALMOST_IDENTICAL:.0%} (our reading)",
    "says": (
        "test loss and MED change in the same direction in {value:.0%} of the intervals between logged steps (median ",
        "of {count} runs); after detrending in {detrended:.0%}, against {null:.0%} for curves shifted in time ",
        "(significant at 5% in {significant} of {count} runs)",
    ),
}

nearly_identical = claim("G27", "gu2025", "Remark 4.3, section 6.2", **OBSERVED, **_IDENTICAL,
                         statement="MED and the test loss change nearly identically.")(almost_identical)  # fmt: skip
first_observation = claim("P5.1a", "gu2024", "section 5.1, first observation", **OBSERVED, **_IDENTICAL,
                          statement="Unsmoothed test loss and MED vary in an almost identical pattern."
                          )(almost_identical)  # fmt: skip


@claim("P5.1b", "gu2024", "section 5.1, second observation", **OBSERVED, runs=two_moduli, through=tracking_table,
       published="every run in which MED falls below",
       says=("of {count} runs {grok} generalise, {above} of them without MED falling below its initial value; MED ",
             "falls below it in {below} runs, in {both} of these at about the time of generalising and in {alone} ",
             "without generalising"))  # fmt: skip
def second_observation(runs: Runs) -> Finding:
    """When MED falls below its initial value, grokking happens."""
    table = stack(runs)
    below, grok = table.below_step.notna(), table.grok_step.notna()
    both = together(table.below_step, table.grok_step, table.last_step)
    verdict = "vacuous" if not below.any() else "holds" if both[below].all() else "fails"
    counts = {"grok": grok, "above": grok & ~below, "below": below, "both": both, "alone": below & ~grok}
    numbers = {name: int(those.sum()) for name, those in counts.items()}
    return found(_decided(runs, verdict), float(both.mean()), 0, 1, count=len(table), **numbers)


@claim("P5.1c", "gu2024", "section 5.1, third observation", **OBSERVED, runs=two_moduli, through=tracking_table,
       published="every run",
       says={"vacuous": "neither curve settles before the last tenth of any of the {count} runs",
             "": ("of {count} runs {settled} settle before the last tenth of the record; the two ends are within a ",
                  "tenth of the run in {both} of these, MED settles between {first:+.0%} and {late:+.0%} of the run's ",
                  "length after the accuracy")})  # fmt: skip
def third_observation(runs: Runs) -> Finding:
    """When MED oscillates without a downward trend, the test accuracy has stopped rising.

    A run in which both settle in the last tenth of the record only, or never, decides nothing.
    """
    table = stack(runs)
    ends, last = table[["measure_settles", "accuracy_settles"]].astype(float), table.last_step.astype(float)
    decided = (ends.min(axis=1) <= (1 - SETTLED) * last).to_numpy()
    if not decided.any():
        return found("vacuous", count=len(table))
    both = together(table.measure_settles, table.accuracy_settles, table.last_step)[decided]
    gap = ((ends.measure_settles - ends.accuracy_settles) / last)[decided]
    verdict = _decided(runs, "holds" if both.all() else "fails")
    numbers = {"count": len(table), "settled": len(both), "both": int(both.sum())}
    return found(verdict, float(both.mean()), 0, 1, first=gap.min(), late=gap.max(), **numbers)


# ---------------------------------------------------------------------------------------- figures


def _part(holds: Part, runs: Runs) -> Part:
    """A part of a statement about every run: one run refutes it, three seeds of every setting bear it out."""
    return (True if runs.complete() else None) if holds else False


def moves_together(runs: Runs) -> Finding:
    """Do MED and the test loss change in the same direction in nine of ten intervals, in every run?"""
    table = stack(runs)
    middle, low, high = band(table.agreement)
    several = len(table) > 1
    seen = judge(
        _part(low >= ALMOST_IDENTICAL, runs), value=middle, low=low, high=high, published=PUBLISHED["MED"],
        share=f"{low:.0%} to {high:.0%}" if several else f"{middle:.0%}",
        count=f"median {middle:.0%}, {len(table)} runs" if several else "one run", runs=len(table),
        detrended=table.detrended.median(), null=table.null.median(), grok=table.grok_step.notna().sum(),
        rest=f"; not made: {', '.join(runs.absent())}" if low < ALMOST_IDENTICAL and runs.absent() else "",
    )  # fmt: skip
    return seen.told((
        "equal direction in {share} of the logged intervals ({count}); after detrending {detrended:.0%} against ",
        "{null:.0%} by chance; {grok} of {runs} runs generalise{rest}",
    ))  # fmt: skip


def low_ceiling(runs: Runs) -> Finding:
    """Does the test accuracy stay below `LOW` in every run?"""
    table = stack(runs)
    middle, low, high = band(table.best)
    seen = judge(
        _part(high < LOW, runs), value=middle, low=low, high=high, published=PUBLISHED["low ceiling"], runs=len(table),
        fresh=table.best_unmirrored.max(), agreement=table.agreement.median(),
    )  # fmt: skip
    return seen.told((
        "best test accuracy {low:.1%} to {high:.1%} (median {value:.1%}, {runs} runs), on cells whose transpose was ",
        "not trained at most {fresh:.1%}; MED and test loss in equal direction in {agreement:.0%} of the intervals",
    ))  # fmt: skip


def generalises(runs: Runs) -> Finding:
    """Does every run generalise? A run that has not may only be slow, and refutes nothing."""
    there = stack(runs).grok_step.notna()
    part = True if there.all() and runs.complete() else None
    seen = judge(part, value=float(there.mean()), low=1, high=1, published=PUBLISHED["generalising"],
                 grok=there.sum(), runs=len(there))  # fmt: skip
    return seen.told("{grok} of {runs} runs generalise within their record")


def stays_partial(runs: Runs) -> Finding:
    """Does no run generalise fully?"""
    table = stack(runs)
    full = table.grok_step.notna()
    seen = judge(_part(not full.any(), runs), value=float(full.mean()), low=0, high=0, published=PUBLISHED["ceiling"],
                 grok=full.sum(), runs=len(full), best=table.best.max())  # fmt: skip
    return seen.told("{grok} of {runs} runs generalise fully, best test accuracy {best:.1%}")


PUBLISHED = {
    "MED": f"at least {ALMOST_IDENTICAL:.0%} of the intervals (our reading of nearly identical)",
    "low ceiling": f"a low ceiling: below {LOW:.0%} (our reading)",
    "generalising": "every run generalises",
    "ceiling": "no run generalises fully",
}
_LOW = {"MED": moves_together, "ceiling": low_ceiling}
PARTS = {
    "fig12": {"MED": moves_together, "generalising": generalises},
    "fig13": {"MED": moves_together, "ceiling": stays_partial},
    "fig14": {"MED": moves_together},
    "fig15": {"MED": moves_together},
    **dict.fromkeys(("fig16", "fig17", "fig18", "fig19"), _LOW),
}
"""What a figure's statement says, part by part, and the judge of each part."""


@claim("GF05", "gu2025", "section 6.2, Fig. 5", **FIGURES, seconds=6, runs=moduli, through=tracked,
       published=PUBLISHED["MED"])  # fmt: skip
def figure_5(runs: Runs) -> Finding:
    """MED and the test loss move together at p = 47, 97, 211 and 379."""
    return moves_together(runs)


def _judged(figure: str, runs: Runs) -> Finding:
    """Every part of the statement of one figure."""
    return all_of({name: judge_part(runs) for name, judge_part in PARTS[figure].items()})


def _of_operation(figure: str) -> dict[str, Experiment]:
    return {figure: operations()[f"gu2025/{figure}"]}


def _figure(figure: str) -> Claim:
    said = [PUBLISHED["low ceiling" if part is low_ceiling else name] for name, part in PARTS[figure].items()]
    return claim(
        f"GF{figure[3:]}", "gu2025", f"appendix D.2, Fig. {figure[3:]}", **FIGURES, seconds=2, through=tracked,
        runs=partial(_of_operation, figure), statement=OPERATIONS[figure][-1], published="; ".join(said),
    )(partial(_judged, figure))  # fmt: skip


CLAIMS = tuple(_figure(figure) for figure in OPERATIONS)
