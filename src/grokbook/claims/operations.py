"""Figs 5 and 12 to 19 of Gu et al. 2025: other moduli and operations, one row of the ledger a figure."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pandas as pd
import xarray as xr

from grokbook.claims.finding import Finding
from grokbook.claims.gu2024 import ALMOST_IDENTICAL
from grokbook.claims.legacy import Claim
from grokbook.claims.recorded import band, complete, joint, not_run, recorded_runs
from grokbook.claims.tracking import tracking_table
from grokbook.experiments.base import Experiment
from grokbook.experiments.figures import OPERATIONS, operations
from grokbook.experiments.gu2025 import FIG5_STEPS, fig5

LOW = 0.5
"""Test accuracy below which a ceiling is called low: our reading, the paper gives no number."""


def tracking_of(runs: dict[str, xr.Dataset]) -> pd.DataFrame:
    """`tracking_table` of every run of some datasets, with its experiment's name, best test accuracy and that apart
    from mirrored cells.

    Example:
        >>> tracking_of({}).empty
        True
    """
    tables = []
    for name, dataset in runs.items():
        best = dataset.test_accuracy.max("step").values
        fresh = dataset.test_accuracy_unmirrored.max("step").values
        tables.append(tracking_table(dataset).assign(experiment=name, best=best, best_unmirrored=fresh))
    return pd.concat(tables) if tables else pd.DataFrame()


def moves_together(experiments: list[Experiment]) -> Finding:
    """Do MED and the test loss change in the same direction in nine of ten intervals, in every run?

    One run in which they do not is enough for "fails"; for "holds" every experiment needs three seeds.
    """
    runs = recorded_runs(experiments)
    said = f"at least {ALMOST_IDENTICAL:.0%} of the intervals (our reading of nearly identical)"
    if not runs:
        return not_run(experiments, said)
    table = tracking_of(runs)
    middle, low, high = band(table.agreement)
    share = f"{low:.0%} to {high:.0%}" if len(table) > 1 else f"{middle:.0%}"
    count = f"median {middle:.0%}, {len(table)} runs" if len(table) > 1 else "one run"
    evidence = (
        f"equal direction in {share} of the logged intervals ({count}); "
        f"after detrending {table.detrended.median():.0%} against {table.null.median():.0%} by chance; "
        f"{table.grok_step.notna().sum()} of {len(table)} runs generalise"
    )
    if low < ALMOST_IDENTICAL:
        rest = [e for e in experiments if e.name not in runs]
        more = f"; not made: {', '.join(e.name for e in rest)}" if rest else ""
        return Finding("fails", evidence + more, middle, low, high, said)
    return Finding("holds", evidence, middle, low, high, said) if complete(experiments) else not_run(
        experiments, said, evidence
    )


def low_ceiling(experiments: list[Experiment]) -> Finding:
    """Does the test accuracy stay below `LOW` in every run? One run above it refutes, three seeds bear out."""
    runs = recorded_runs(experiments)
    said = f"a low ceiling: below {LOW:.0%} (our reading)"
    if not runs:
        return not_run(experiments, said)
    table = tracking_of(runs)
    middle, low, high = band(table.best)
    evidence = (
        f"best test accuracy {low:.1%} to {high:.1%} (median {middle:.1%}, {len(table)} runs), on cells whose "
        f"transpose was not trained at most {table.best_unmirrored.max():.1%}; MED and test loss in equal direction in "
        f"{table.agreement.median():.0%} of the intervals"
    )
    if high >= LOW:
        return Finding("fails", evidence, middle, low, high, said)
    return Finding("holds", evidence, middle, low, high, said) if complete(experiments) else not_run(
        experiments, said, evidence
    )


def generalises(experiments: list[Experiment]) -> Finding:
    """Does every run generalise? Three seeds bear out; a run that has not may only be slow, and refutes nothing."""
    runs = recorded_runs(experiments)
    said = "every run generalises"
    if not runs:
        return not_run(experiments, said)
    late = tracking_of(runs).grok_step.isna()
    evidence = f"{(~late).sum()} of {len(late)} runs generalise within their record"
    if late.any() or not complete(experiments):
        return not_run(experiments, said, evidence)
    return Finding("holds", evidence, float((~late).mean()), 1, 1, said)


def stays_partial(experiments: list[Experiment]) -> Finding:
    """Does no run generalise fully? One that does refutes, three seeds bear out."""
    runs = recorded_runs(experiments)
    said = "no run generalises fully"
    if not runs:
        return not_run(experiments, said)
    table = tracking_of(runs)
    full = table.grok_step.notna()
    evidence = f"{full.sum()} of {len(full)} runs generalise fully, best test accuracy {table.best.max():.1%}"
    if full.any():
        return Finding("fails", evidence, float(full.mean()), 0, 0, said)
    return Finding("holds", evidence, 0.0, 0, 0, said) if complete(experiments) else not_run(
        experiments, said, evidence
    )


def all_of(parts: dict[str, Finding]) -> Finding:
    """One finding for a statement with several parts: one false part refutes it, "holds" needs every part.

    Example:
        >>> all_of({"a": Finding("holds", "seen"), "b": Finding("not run", "missing")}).verdict
        'not run'
    """
    first, *others = parts.values()
    if not others:
        return first
    verdict = joint(finding.verdict for finding in parts.values())
    alike = {finding.evidence for finding in parts.values()} == {first.evidence}
    every = "; ".join(f"{name} ({finding.verdict}): {finding.evidence}" for name, finding in parts.items())
    said = "; ".join(finding.published for finding in parts.values())
    return replace(first, verdict=verdict, evidence=first.evidence if alike else every, published=said)


PARTS = {
    "fig12": {"MED": moves_together, "generalising": generalises},
    "fig13": {"MED": moves_together, "ceiling": stays_partial},
    "fig14": {"MED": moves_together},
    "fig15": {"MED": moves_together},
    **dict.fromkeys(("fig16", "fig17", "fig18", "fig19"), {"MED": moves_together, "ceiling": low_ceiling}),
}
"""What a figure's statement says, part by part, and the judge of each part."""


def status_table(experiments: list[Experiment]) -> pd.DataFrame:
    """One row an experiment: seeds recorded, runs that generalise, best accuracy, how MED moves with the test loss.

    `agreement` is the share of logged intervals in which both change in the same direction, `detrended` the same after
    detrending and `chance` that of shifted curves (medians over runs); `p < 0.05` counts runs. `missing`
    counts the seeds that were not made, `core min` is their predicted cost on one core here.

    Example:
        >>> status_table([operations()["gu2025/fig19"]]).columns.tolist()[:3]
        ['experiment', 'seeds', 'generalise']
    """
    rows = []
    for experiment in experiments:
        runs = recorded_runs([experiment])
        table = tracking_of(runs)
        row = {"experiment": experiment.name, "seeds": len(table)}
        if len(table):
            row |= {
                "generalise": int(table.grok_step.notna().sum()),
                "best accuracy": float(table.best.median()),
                "agreement": float(table.agreement.median()),
                "detrended": float(table.detrended.median()),
                "chance": float(table.null.median()),
                "p < 0.05": int((table.p_value < 0.05).sum()),
                "below start": int(table.below_step.notna().sum()),
            }
        absent = len(experiment.missing_seeds())
        minutes = experiment.predicted(absent).seconds / 60 if absent else 0.0
        rows.append(row | {"missing": absent, "core min": minutes})
    order = ["experiment", "seeds", "generalise", "best accuracy", "agreement", "detrended", "chance", "p < 0.05"]
    frame = pd.DataFrame(rows).reindex(columns=[*order, "below start", "missing", "core min"])
    return frame.astype(dict.fromkeys(["generalise", "p < 0.05", "below start"], "Int64"))


def figure_5() -> Finding:
    """GF05: the four moduli of Fig. 5."""
    return moves_together([fig5(p) for p in FIG5_STEPS])


def operation_figure(figure: str) -> Finding:
    """GF12 to GF19: one figure of another operation, every part of its statement judged."""
    experiments = [operations()[f"gu2025/{figure}"]]
    return all_of({name: judge(experiments) for name, judge in PARTS[figure].items()})


def _claim(figure: str) -> Claim:
    statement = OPERATIONS[figure][-1]
    return Claim(
        f"GF{figure[3:]}",
        "gu2025",
        f"appendix D.2, Fig. {figure[3:]}",
        statement,
        "observation",
        "05_med_tracking: Other moduli and other operations",
        partial(operation_figure, figure),
        seconds=2,
    )


CLAIMS = (
    Claim(
        "GF05",
        "gu2025",
        "section 6.2, Fig. 5",
        "MED and the test loss move together at p = 47, 97, 211 and 379.",
        "observation",
        "05_med_tracking: Other moduli and other operations",
        figure_5,
        seconds=6,
    ),
    *(_claim(figure) for figure in OPERATIONS),
)
