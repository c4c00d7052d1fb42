"""Power and size of the rules of chapter 09, by simulation: what they say where a paper is right, and of nothing."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from grokbook.chapters.width_and_initialisation import claims as judged
from grokbook.claims import Claim, Runs

Middles = Mapping[object, float]


def _starts(factor: float) -> Middles:
    shares = ("30%", "25%", "20%")
    return {f"{f}, {s}": 4_000 * (factor if s == "toeplitz" else 1) for f in shares for s in ("toeplitz", "normal")}


WIDE = ({"d = 256": 1e7, "d = 512": 1e7, "d = 1024": 2e4, "d = 2048": 2e4}, dict.fromkeys(
    (f"d = {d}" for d in (256, 512, 1024, 2048)), 2e4))  # fmt: skip
GAPS = {judged.FIG_9[0][0]: 35e3, judged.FIG_9[0][1]: 8e3, judged.FIG_9[1][0]: 18e3, judged.FIG_9[1][1]: 3e3}
# Claim -> its check, steps of a run, grok step in the middle of each setting where the paper is right, and where there
# is nothing; in words what the first is.
TRUTHS: dict[str, tuple[Claim, int, Middles, Middles, str]] = {
    "GF20": (judged.toeplitz_halves, 10_000, _starts(0.5), _starts(1), "half"),
    "GF09": (judged.wider_is_earlier, 40_000, GAPS, dict.fromkeys(GAPS, 8e3), "27,000 and 15,000 steps earlier"),
    "GF11": (judged.boundary_by_width, 200_000, *WIDE, "never, never, 20,000, 20,000"),
    "PF03": (judged.shift_delays, 10_000, {"k = 0": 3e3, "k = 45": 5e3, "k = 60": 8e3, "k = 81": 12e3},
             dict.fromkeys((f"k = {k}" for k in (0, 45, 60, 81)), 3e3), "four times later from 0 to 81"),
    "PF19": (judged.positions_delay, 20_000, {"d = 128, on": 8e3, "d = 128, off": 4e3},
             dict.fromkeys(("d = 128, on", "d = 128, off"), 6e3), "twice as late"),
    "PF20": (judged.order_is_unstable, 20_000, dict.fromkeys(("d = 256, on", "d = 256, off"), 6e3),
             {"d = 256, on": 8e3, "d = 256, off": 4e3}, "equal; nothing there: twice as late"),
}  # fmt: skip


def drawn(middles: Middles, last: int, spread: float, seeds: int, rng: np.random.Generator) -> Runs:
    """Tables of made-up runs: log-normal steps of this spread about the middle of each setting, censored at `last`."""

    def table(middle: float) -> pd.DataFrame:
        steps = pd.Series(middle * np.exp(spread * rng.normal(size=seeds)))
        seen = steps.where(steps <= last)
        level = seen.notna() * 1.0
        return pd.DataFrame({"grok_step": seen, "onset_step": seen, "last_step": last, "best": level, "late": level,
                             "rises": False, "swing": 0.0})  # fmt: skip

    return Runs({label: table(middle) for label, middle in middles.items()})


def powers(spread: float, draws: int = 40, more: tuple[int, ...] = (3, 5)) -> pd.DataFrame:
    """One row a rule and number of seeds: how often it bears out what is right, and what is not.

    `borne out`: it holds where the paper is right; `refuted`: it fails there; `false`: it holds where nothing is there.
    """
    rows = []
    for name, (claim, last, right, nothing, words) in TRUTHS.items():
        for seeds in (more[0], judged.ORDERED) if name == "PF20" else more:
            said = []
            for middles in (right, nothing):
                rng = np.random.default_rng(0)
                found = [claim.check(drawn(middles, last, spread, seeds, rng)).verdict for _ in range(draws)]
                said.append({word: found.count(word) / draws for word in ("holds", "fails")})
            true, none = said
            rows.append({"rule": name, "where it is right": words, "seeds": seeds, "borne out": true["holds"],
                         "refuted": true["fails"], "false": none["holds"]})  # fmt: skip
    return pd.DataFrame(rows)
