"""Every number and truth of chapter 04b's prose."""

from __future__ import annotations

import pandas as pd

from companion.page import Number, Prose, Truth
from grokbook.runs.experiment import Experiments
from grokbook_chapters.holes.counts import best_radius, covered_shares, predictors, radius_fits
from grokbook_chapters.labelled import Datasets


def numbers(
    experiments: Experiments,
    runs: Datasets,
    recorded: pd.DataFrame,
    table: pd.DataFrame,
    account: pd.DataFrame,
) -> Prose:
    """What the prose uses of the two runs of the page, the recorded runs, their rows `table` and
    the `account` of each row."""
    return {
        **_live(experiments, runs),
        **_measured(recorded, table),
        **_accounts(recorded, account),
        **_strip_67(recorded),
        **_shares(),
    }


def _live(experiments: Experiments, runs: Datasets) -> Prose:
    """How the square and the strip of the page end."""
    ends = {name: run.isel(step=-1) for name, run in runs.items()}
    square = ends["square"].test_accuracy_in_hole
    strip = ends["strip"].test_accuracy_in_hole
    task = experiments["square"].config.task
    seen = f"{square:.0%} of the square and {strip:.0%} of the strip are right"
    values = {
        "modulus": task.p,
        "hole": task.hole,
        "shown": f"{task.train_fraction:.0%}",
        "swaps_help": Truth(strip > square + 0.2, seen),
    }
    for name, end in ends.items():
        outside = end.test_accuracy_outside_hole
        values[f"{name}_outside"] = Number(outside, ".0%", "(no such cell)")
        values[f"{name}_inside"] = f"{end.test_accuracy_in_hole:.0%}"
    return values


def _measured(recorded: pd.DataFrame, table: pd.DataFrame) -> Prose:
    """Our runs beside the printed limits."""
    order = table.U.corr(table["U-Acc"], method="spearman")
    width = table["U high"] - table["U low"]
    judged = table.came[table["GO-Epoch"].notna()]
    return {
        "n_made": len(recorded),
        "rank_order": f"{order:.2f}",
        "widest": f"{width.max():.0f}",
        "widest_row": width.idxmax(),
        "n_judged": len(judged),
        "n_agree": (judged == "reproduced").sum(),
        "n_level": (judged == "not reached").sum(),
        "n_open": judged.isin(["still rising", "seeds differ"]).sum(),
        "order_kept": Truth(order > 0.9, f"rank correlation {order:.2f}"),
    }


def _accounts(recorded: pd.DataFrame, account: pd.DataFrame) -> Prose:
    """In how many rows most is missing outside the hole or in it, and what is right in it."""
    outer = account["missing outside"]
    inner = account["missing in the hole"]
    ready = recorded[recorded.generalised.fillna(False).astype(bool)]
    inside = ready.groupby("row")["in hole"].median()
    return {
        "n_outer": (outer > inner.abs()).sum(),
        "n_inner": (inner > outer).sum(),
        "n_rows": len(account),
        "n_lower": (outer + inner > 0).sum(),
        "hole_low": f"{inside.min():.0f}",
        "hole_high": f"{inside.max():.0f}",
        "hole_best": inside.idxmax(),
    }


def _strip_67(recorded: pd.DataFrame) -> Prose:
    """The row without test cells outside its hole."""
    own = recorded[recorded.row == "STRIP 67"]
    return {
        "bare_low": f"{own.upper.min():.0f}",
        "bare_high": f"{own.upper.max():.0f}",
        "bare_swapped": f"{own['transpose trained'].median():.0f}",
        "bare_others": f"{own['transpose not trained'].median():.0f}",
    }


def _shares() -> Prose:
    """How well counted shares explain the printed limits."""
    frame = predictors()
    printed = frame["U-Acc"]
    squares = frame[frame.split == "square"]
    both = 41 / 97  # columns of STRIP 40 whose cells lie in the hole in both orders
    unswapped = max(0.0, (frame.implied["STRIP 40"] / 100 - (1 - both)) / both)
    either = ((printed - frame["either order"]) ** 2).mean() ** 0.5
    own = best_radius(covered_shares(own=True), printed.to_numpy()).rmse
    return {
        "corr_square": f"{squares['U-Acc'].corr(squares.outside):.3f}",
        "rmse_all": f"{radius_fits().rmse['all']:.1f}",
        "rmse_own": f"{own:.1f}",
        "rmse_either": f"{either:.1f}",
        "unswapped": f"{100 * unswapped:.0f}",
        "strip_40": f"{printed['STRIP 40']:.1f}",
        "square_40": f"{printed['SQUARE 40']:.1f}",
        "strip_67": f"{printed['STRIP 67']:.1f}",
    }
