"""Every number, text and truth of chapter 17's prose."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from companion.page import Number, Truth
from grokbook_chapters.feature_emergence.claims import MODULI, TIMES
from grokbook_chapters.feature_emergence.measured import Recorded
from grokbook_chapters.feature_emergence.trained import SOLVED, exponent


def numbers(
    M: int,
    train_fraction: float,
    decay: float,
    followed: Mapping[str, xr.Dataset],
    shares: np.ndarray,
    kept: pd.DataFrame,
    recorded: Recorded,
) -> dict[str, Any]:
    """What the prose uses of the runs that are followed, of a unit's ascent (`shares` of its
    frequencies), of random pairs that keep a hill, and of the recorded runs."""
    networks = followed["decay"].sizes["seed"]
    return {
        "M": M,
        "share": f"{train_fraction:.0%}",
        "decay": f"{decay:g}",
        "networks": "one network" if networks == 1 else f"medians of {networks} networks",
        **_stages(followed),
        **_ascent(shares),
        "times": f"{TIMES:g}",
        "largest_tried": f"{MODULI[-1]:,}",
        "slower": _slower(kept),
        **_recorded(recorded),
    }


def _stages(followed: Mapping[str, xr.Dataset]) -> dict[str, Any]:
    """When the network fits, generalises and has all frequencies, and where the gradient points."""
    run = followed["decay"].median("seed")
    fit = _first(run.train_accuracy >= SOLVED)
    grok = _first(run.test_accuracy >= SOLVED)
    complete = _first(run.found >= 1)
    at = run.step[-1].item() if np.isnan(grok) else grok
    cosines = {
        name: float(data.alignment.median("seed").sel(step=at)) for name, data in followed.items()
    }
    known = bool(np.isfinite(list(cosines.values())).all())
    directions = f"cosines {cosines['decay']:.2f} and {cosines['none']:.2f}"
    if not known:
        directions = "too few pairs for a direction"
    turned = known and grok > 0 and cosines["decay"] > cosines["none"] + 0.1
    steps = [_told(step) for step in (fit, grok, complete)]
    return {
        "step_fit": Number(fit, ",.0f", "(not reached)"),
        "step_grok": Number(grok, ",.0f", "(not reached)"),
        "cosine_decay": f"{cosines['decay']:.2f}",
        "cosine_none": f"{cosines['none']:.2f}",
        "generalised": Truth(grok > fit, f"training pairs {steps[0]}, held-out pairs {steps[1]}"),
        "pure_last": Truth(
            grok >= 0 and not complete <= grok, f"all frequencies {steps[2]}, held-out {steps[1]}"
        ),
        "turned": Truth(bool(turned), directions),
    }


def _first(reached: xr.DataArray) -> float:
    """The first logged step at which it is so; NaN for never."""
    return float(reached.step.where(reached).min())


def _told(step: float) -> str:
    return "not in time" if np.isnan(step) else f"at step {step:,.0f}"


def _ascent(shares: np.ndarray) -> dict[str, Any]:
    winner = int(shares[-1].argmax())
    return {
        "climbed": len(shares) - 1,
        "won_start": f"{shares[0, winner]:.0%}",
        "won_end": f"{shares[-1, winner]:.0%}",
        "first_wins": Truth(winner == int(shares[0].argmax()), f"frequency {winner + 1} wins"),
    }


def _slower(kept: pd.DataFrame) -> Truth:
    """Whether the number of pairs grows with a smaller power of M at the end than at first."""
    medians = kept.groupby("M").n.median()
    powers = np.diff(np.log(medians)) / np.diff(np.log(medians.index))
    listed = "powers of M " + ", ".join(f"{power:.2f}" for power in powers)
    if len(powers) < 2:
        return Truth(None, "too few moduli")
    return Truth(bool(powers[-1] < powers[0] - 0.1), listed)


def _recorded(recorded: Recorded) -> dict[str, Any]:
    """How many recorded runs have pure features last, and the power of the boundary."""
    grokked = recorded.by_share[(recorded.by_share.decay > 0) & recorded.by_share.solved.notna()]
    later = ~(grokked.pure <= grokked.solved)
    power = recorded.power
    larger = exponent(recorded.boundary[recorded.boundary.label > recorded.boundary.label.min()])
    return {
        "later": f"{later.sum()} of {len(grokked)}",
        "law_value": f"{power['value']:.2f}",
        "law_low": f"{power['low']:.2f}",
        "law_high": f"{power['high']:.2f}",
        "law_wanted": f"{power['wanted']:.2f}",
        "larger_value": f"{larger['value']:.2f}",
        "between": Truth(
            power["low"] > 1 and power["high"] < 2,
            f"exponent {power['low']:.2f} to {power['high']:.2f}",
        ),
    }
