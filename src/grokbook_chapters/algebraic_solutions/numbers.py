"""Every number, text and truth of chapter 16's prose."""

from __future__ import annotations

import pandas as pd

from companion.page import Number, Prose, Truth
from companion.page.safe import counted
from grokbook_chapters.algebraic_solutions.claims import loss_formula, trained_counts
from grokbook_chapters.algebraic_solutions.hidden_nodes import OTHER
from grokbook_chapters.algebraic_solutions.runs import Recorded
from grokbook_chapters.algebraic_solutions.trained import Dropped
from grokbook_chapters.ranges import count_of

TABLE_DECAY = 5e-5
"""The weight decay of the slides' table."""


def numbers(
    d: int,
    frequencies: pd.DataFrame,
    dropped: Dropped,
    chance: pd.DataFrame,
    recorded: Recorded,
) -> Prose:
    """What the prose uses of the network modulo d that is built, of the one that the page trains,
    of random nodes and of the recorded networks."""
    return {
        "d": d,
        "pair_sum": 7 % d,
        "circles": counted((d - 1) // 2, "clock"),
        "off": f"{loss_formula().numbers['off']:.0%}",
        **_trained(frequencies, dropped),
        "chance_factor": f"{chance.factor.max():.0f}",
        "chance_built": f"{chance['as constructed'].max():.1f}",
        **_recorded(recorded),
    }


def _trained(frequencies: pd.DataFrame, dropped: Dropped) -> Prose:
    """How many frequencies end with four or six nodes, and what nodes do that are dropped."""
    four = int((frequencies.order == 4).sum())
    six = int((frequencies.order == 6).sum())
    factored = frequencies[frequencies.factorable]
    count = len(frequencies)
    built = factored.kind != OTHER
    rise = dropped.without.groupby("order").loss.mean() - dropped.loss
    rises = [f"{rise[n]:.2f} (of {n} nodes)" for n in (4, 6) if n in rise.index]
    losses = dropped.kept.loss
    highest = losses.max()
    idle = len(dropped.without) > 0 and dropped.counting < dropped.loss + 0.01
    return {
        "accuracy": f"{dropped.kept.accuracy.iloc[-1]:.1%}",
        "nodes": f"{len(dropped.kept) - 1:,}",
        "counting": len(dropped.without),
        "four": four,
        "six": six,
        "factored": f"{len(factored)} of {count}",
        "built": count_of(built),
        "rises": " or ".join(rises),
        "worst": Number(dropped.without.accuracy.min(), ".0%", "no share"),
        "solved": Truth(
            four + six == count, f"{four + six} of {count} frequencies have four or six nodes"
        ),
        "some_factor": Truth(len(factored) > 0, "no frequency of this network factors"),
        "some_count": Truth(len(rises) > 0, "no frequency has four nodes or six"),
        "rises_first": Truth(
            highest > losses[0], f"losses {losses[0]:.2f} and at most {highest:.2f}"
        ),
        "rest_is_idle": Truth(idle, f"losses {dropped.loss:.4f} and {dropped.counting:.4f}"),
    }


def _recorded(recorded: Recorded) -> Prose:
    """Frequencies by their nodes with weight decay and without, and the shares of the table."""
    share_names = ("table_solved", "table_factor", "table_built")
    shares: Prose = {name: Number(None, ".0%", "(not run)") for name in share_names}
    if 23 in recorded.by_modulus:
        counts = trained_counts(recorded.by_modulus[23])
        for name, count in zip(share_names, counts, strict=True):
            shares[name] = Number(count.share, ".0%", "(none)")
    with_decay = recorded.by_decay.get(TABLE_DECAY)
    without = recorded.by_decay.get(0.0)
    return {
        **shares,
        "kept_few": "(not run)" if with_decay is None else count_of(with_decay.order.isin([4, 6])),
        "kept_more": "(not run)" if without is None else count_of(without.order > 6),
    }
