"""Every number, text and truth of chapter 17's prose."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr

from companion.page import Number, Prose, Truth
from grokbook_chapters.feature_emergence.claims import MODULI, TIMES
from grokbook_chapters.feature_emergence.measured import Recorded
from grokbook_chapters.feature_emergence.trained import SOLVED, exponent
from grokbook_chapters.labelled import Datasets
from grokbook_chapters.ranges import count_of


def numbers(
    M: int,
    train_fraction: float,
    decay: float,
    followed: Datasets,
    shares: np.ndarray,
    kept: pd.DataFrame,
    recorded: Recorded,
) -> Prose:
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


def _stages(followed: Datasets) -> Prose:
    """When the network fits, generalises and has all frequencies, and where the gradient points."""
    run = followed["decay"].median("seed")
    fit = _first(run.train_accuracy >= SOLVED)
    grok = _first(run.test_accuracy >= SOLVED)
    complete = _first(run.found >= 1)
    at = run.step[-1].item() if np.isnan(grok) else grok
    with_decay = float(run.alignment.sel(step=at))
    without = float(followed["none"].alignment.median("seed").sel(step=at))
    directions = f"cosines {with_decay:.2f} and {without:.2f}"
    if not np.isfinite([with_decay, without]).all():
        directions = "too few pairs for a direction"
    turned = grok > 0 and with_decay > without + 0.1
    fits = f"training pairs {_in_words(fit)}, held-out pairs {_in_words(grok)}"
    pure = f"all frequencies {_in_words(complete)}, held-out {_in_words(grok)}"
    return {
        "step_fit": Number(fit, ",.0f", "(not reached)"),
        "step_grok": Number(grok, ",.0f", "(not reached)"),
        "cosine_decay": f"{with_decay:.2f}",
        "cosine_none": f"{without:.2f}",
        "generalised": Truth(grok > fit, fits),
        "pure_last": Truth(grok >= 0 and not complete <= grok, pure),
        "turned": Truth(turned, directions),
    }


def _first(reached: xr.DataArray) -> float:
    """The first logged step at which it is so; NaN for never."""
    return float(reached.step.where(reached).min())


def _in_words(step: float) -> str:
    return "not in time" if np.isnan(step) else f"at step {step:,.0f}"


def _ascent(shares: np.ndarray) -> Prose:
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
    return Truth(powers[-1] < powers[0] - 0.1, listed)


def _recorded(recorded: Recorded) -> Prose:
    """How many recorded runs have pure features last, and the power of the boundary."""
    rows = recorded.by_share
    grokked = rows[(rows.decay > 0) & rows.solved.notna()]
    later = ~(grokked.pure <= grokked.solved)
    moduli = recorded.boundary.label
    larger = exponent(recorded.boundary[moduli > moduli.min()])
    power = recorded.power
    low = power["low"]
    high = power["high"]
    return {
        "later": count_of(later),
        "law_value": f"{power['value']:.2f}",
        "law_low": f"{low:.2f}",
        "law_high": f"{high:.2f}",
        "law_wanted": f"{power['wanted']:.2f}",
        "larger_value": f"{larger['value']:.2f}",
        "between": Truth(low > 1 and high < 2, f"exponent {low:.2f} to {high:.2f}"),
    }
