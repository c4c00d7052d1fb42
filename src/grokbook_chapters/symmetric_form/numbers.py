"""Every number, text and truth of chapter 04c's prose."""

from __future__ import annotations

import numpy as np
import pandas as pd

from companion.page import Number, Prose, Truth
from grokbook.theory.memorisers import transpose_accuracy
from grokbook_chapters.labelled import Datasets
from grokbook_chapters.symmetric_form.claims import RISEN, counted_cells
from grokbook_chapters.symmetric_form.figures import last_accuracies
from grokbook_chapters.symmetric_form.runs import FORM, FORMS, NETWORKS, PAPER, STEPS, P

APART = 50
"""Points between the two kinds of cells from which a network counts as one that swaps."""


def numbers(
    p: int,
    networks: Datasets,
    recorded: Datasets,
    counted: pd.DataFrame,
    dnns: Datasets,
) -> Prose:
    """What the prose uses of the networks of the page, at modulus p, and of the recorded runs.

    `recorded` are those of Fig. 4, `counted` the table of them by fraction, `dnns` the DNNs at the
    paper's size.
    """
    return {
        **_small(p, networks),
        **_figure_4(recorded, counted),
        **_large(dnns),
        "hidden": ", ".join(f"{share:.1%}" for share in hidden_shares()),
    }


def _small(p: int, networks: Datasets) -> Prose:
    transformer, dnn, _ = NETWORKS
    last = last_accuracies(networks)
    gap = last["swap shown"] - last["swap not shown"]
    of_form = gap.xs(FORMS[FORM], level="operation").groupby("network").median()
    swaps = [name for name in NETWORKS if of_form[name] >= APART]
    learned = last["swap not shown"].xs((dnn, FORMS["add"]), level=["network", "operation"])
    evidence = f"{APART} points apart: {', '.join(swaps) or 'none'}"
    return {
        "small_p": p,
        "small_guess": f"{100 / p:.1f}",
        "small_seeds": networks[transformer, FORMS[FORM]].sizes["seed"],
        "linear_runs": (learned >= APART).sum(),
        "linear_of": len(learned),
        "only_transformer_swaps": Truth(swaps == [transformer], evidence),
    }


def _figure_4(recorded: Datasets, counted: pd.DataFrame) -> Prose:
    fresh = counted_cells(recorded)["accuracy unmirrored"].max()
    off = (counted["product"] - counted.memoriser).abs().max()
    return {
        "beyond": f"{fresh:.1%}",
        "form_steps": f"{STEPS:,}",
        "guess": f"{100 / P:.1f}",
        "only_swapped": Truth(fresh <= RISEN, f"{fresh:.1%} of the other cells"),
        "on_arch": Truth(off < 0.02, f"{off:.3f} from the memoriser's product"),
    }


def _large(dnns: Datasets) -> Prose:
    """How far the two DNNs come on the form at the paper's size."""
    of_form = [data for (_, operation), data in dnns.items() if operation == FORMS[FORM]]
    best = max((float(data.test_accuracy.max()) for data in of_form), default=None)
    steps = max((int(data.step.max()) for data in of_form), default=0)
    return {
        "dnns_steps": f"{steps:,}",
        "dnns_best": Number(best, ".1%", "(not run)"),
    }


def hidden_shares() -> list[float]:
    """The share of the cells that cannot be copied which a network may have right at each of the
    paper's fractions while its product stays that of the memoriser at the first."""
    trained = (np.array(PAPER) * P**2).astype(int)
    tested = 1 - trained / P**2
    copied = tested * [transpose_accuracy(P, n) for n in trained.tolist()]
    return list((copied[0] - copied) / (tested - copied))
