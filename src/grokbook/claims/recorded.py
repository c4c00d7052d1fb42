"""What the checks of the figures share: recorded runs or "not run", and how few runs may decide what."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd
import xarray as xr

from grokbook.claims.finding import Finding
from grokbook.experiments.base import Experiment, available

ENOUGH = 3
"""Seeds from which runs may bear out a statement. One run is enough to refute a statement about every run."""


def in_words(seconds: float) -> str:
    """A cost for a sentence: minutes below two hours, hours above.

    Example:
        >>> in_words(600), in_words(4e4)
        ('10 minutes', '11 hours')
    """
    return f"{max(seconds / 60, 1):.0f} minutes" if seconds < 7200 else f"{seconds / 3600:.0f} hours"


def cost(experiments: Iterable[Experiment]) -> str:
    """What the missing runs of some experiments would take on one core of this machine.

    Example:
        >>> cost([])
        'nothing is missing'
    """
    waiting = [(e, len(e.missing_seeds())) for e in experiments]
    runs = sum(n for _, n in waiting)
    seconds = sum(e.predicted(n).seconds for e, n in waiting)
    return f"{runs} runs, predicted {in_words(seconds)} on one core" if runs else "nothing is missing"


def not_run(experiments: Iterable[Experiment], published: str = "", seen: str = "") -> Finding:
    """The finding of a figure whose runs were not made: which, at what cost, and what was seen so far."""
    experiments = list(experiments)
    names = ", ".join(e.name for e in experiments)
    return Finding("not run", f"{names}: {cost(experiments)}{'; ' if seen else ''}{seen}", published=published)


def joint(parts: Iterable[str]) -> str:
    """The verdict on a statement of several parts: one that fails refutes it, it holds where all do, else "not run".

    Example:
        >>> joint(["holds", "fails", "not run"]), joint(["holds", "not run"]), joint(["holds"]), joint([])
        ('fails', 'not run', 'holds', 'not run')
    """
    verdicts = set(parts)
    return "fails" if "fails" in verdicts else "holds" if verdicts == {"holds"} else "not run"


def recorded_runs(experiments: Iterable[Experiment]) -> dict[str, xr.Dataset]:
    """The datasets of those experiments of which at least one seed is recorded, by name."""
    found = {e.name: available(e) for e in experiments}
    return {name: dataset for name, dataset in found.items() if dataset is not None}


def complete(experiments: Iterable[Experiment], least: int = ENOUGH) -> bool:
    """Whether every experiment has at least `least` recorded seeds."""
    return all(len(e.seeds) - len(e.missing_seeds()) >= least for e in experiments)


def band(values: pd.Series | list[float]) -> tuple[float, float, float]:
    """Median, smallest and largest of some values.

    Example:
        >>> band([3.0, 1.0, 2.0])
        (2.0, 1.0, 3.0)
    """
    series = pd.Series(values, dtype=float)
    return float(series.median()), float(series.min()), float(series.max())
