"""Every number, text and truth of chapter 02a's prose."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from companion.page import Number, Prose, Truth
from grokbook_chapters.how_a_network_adds import sum_of_angles as angles
from grokbook_chapters.how_a_network_adds.claims import meets_rule, pizza_lead, two_rules
from grokbook_chapters.how_a_network_adds.figures import HALF, PRIMES, best_few
from grokbook_chapters.how_a_network_adds.frequencies import fewest, score, wave_shares
from grokbook_chapters.how_a_network_adds.runs import TRANSFORMER, UNIFORM
from grokbook_chapters.labelled import Datasets


def numbers(p: int, logits: np.ndarray, table: pd.DataFrame, kinds: Datasets) -> Prose:
    """What the prose uses: the margins modulo `p`, one trained network and the recorded ones.

    `logits` are those of the network whose frequencies are taken away in `table` (as `without_each`
    gives it); `kinds` are the recorded networks by kind.
    """
    return {
        **_margins(p),
        **_needed(p),
        **_taken_away(logits, table),
        **_recorded(kinds),
    }


def _margins(p: int) -> Prose:
    """One frequency and the best few: margin of a clock, and what is left of a pizza's."""
    best = best_few(p)
    share = angles.margin(p, best) / len(best)
    single = angles.margin(p, [1])
    return {
        "p": p,
        "one": f"{single:.5f}",
        "amplitude": f"{1 / single:,.0f}",
        "few": len(best),
        "best_few": f"{share:.2f}",
        "one_keeps": f"1/{_fading(p, [1]):.0f}",
        "few_keep": f"1/{_fading(p, best):.0f}",
    }


def _fading(p: int, frequencies: Sequence[int]) -> float:
    """How many times the largest margin of a pizza is its least, over the difference i - j."""
    margins = angles.faded(p, frequencies)
    return margins.max() / margins.min()


def _needed(p: int) -> Prose:
    """The least number of frequencies for half of the margin at the largest modulus drawn."""
    largest = max(q for q in PRIMES if q <= p)
    return {
        "largest": largest,
        "least": angles.least(largest, HALF),
        "needed": angles.needed(largest, HALF),
        "enough": angles.enough(largest, HALF),
    }


def _taken_away(logits: np.ndarray, table: pd.DataFrame) -> Prose:
    """What one trained network answers without a key frequency of its embedding, and without
    another."""
    whole = score(logits).accuracy
    keys = sorted(fewest(wave_shares(logits)))
    is_key = table.frequency.isin(keys)
    used = table[is_key]
    idle = table[~is_key].without
    highest = used.without.max()
    others_idle = whole > 0.99 and len(idle) > 0 and idle.min() > 0.99 and highest < 0.9
    helped = used.exchanged.max()
    evidence = f"{whole:.0%} right as it is, {highest:.0%} without a key one"
    return {
        "modulus": logits.shape[1],
        "keys": ", ".join(map(str, keys)),
        "drop_low": f"{used.without.min():.0%}",
        "drop_high": f"{highest:.0%}",
        "idle": Number(idle.min(), ".1%", "(none)"),
        "donor_high": f"{helped:.0%}",
        "others_idle": Truth(others_idle, evidence),
        "donor_fails": Truth(helped < 0.9, f"{helped:.0%} with the donor's"),
    }


def _recorded(kinds: Datasets) -> Prose:
    """Key frequencies and rules of the recorded transformers."""
    transformers = kinds[TRANSFORMER]
    uniform = kinds[UNIFORM]
    lead = pizza_lead(transformers)
    uniform_lead = pizza_lead(uniform)
    lowest = min(lead.min(), uniform_lead.min())
    highest = max(lead.max(), uniform_lead.max())
    pairs = two_rules.finding().numbers
    return {
        "transformers": transformers.sizes["seed"],
        "all_keys": transformers.sizes["frequency"],
        "fewest_keys": int(transformers["keys"].min()),
        "most_keys": int(transformers["keys"].max()),
        "meet_rule": meets_rule(transformers).sum(),
        "uniform_pizzas": (uniform_lead > 0).sum(),
        "uniform_seeds": uniform.sizes["seed"],
        "lead_low": f"{lowest:.2f}",
        "lead_high": f"{highest:.2f}",
        "pairs": pairs["pairs"],
        "pairs_turned": pairs["turned"],
        "pairs_back": pairs["back"],
    }
