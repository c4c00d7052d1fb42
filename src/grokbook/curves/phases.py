"""Phases of learning: when a run reaches an accuracy on both sets, and what its diagram has in
common with another.

A phase is a letter: C comprehension, G grokking, M memorisation, X confusion, T the case that the
paper's table leaves out (the test set is reached and the training set is not), and "." for what a
record does not decide.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
import pandas as pd
import xarray as xr

from grokbook.curves.delay import ROUNDING
from grokbook.errors import ParameterError, checked_call, shown
from grokbook.logic import all_of, any_of

PHASES = {
    "C": "comprehension",
    "G": "grokking",
    "M": "memorisation",
    "X": "confusion",
    "T": "test set only",
}
Accuracies = TypeVar("Accuracies", np.ndarray, xr.DataArray)

BORDERS = ["CM", "CG", "GM"]
"""The pairs of phases whose borders `sandwich` counts."""

OPEN = "."
"""A cell that was not run, or whose record ends before its phase is known."""


@checked_call
@dataclass(frozen=True)
class PhaseRule:
    """What counts as reached, by when, and how much later is late.

    A set is reached at the first logged step at which its accuracy is at or above `threshold`
    (above it, where `strict`), no later than step `cap`. Comprehension is a test set at most `gap`
    steps after the training set (fewer than `gap`, unless `inclusive`).

    Raises ParameterError for a threshold outside (0, 1) and for a cap or gap that is not positive.

    Source: Liu et al. 2022, appendix A, Table 1.
    """

    threshold: float = 0.9
    cap: int = 100_000
    gap: int = 1_000
    strict: bool = False
    inclusive: bool = False

    def __post_init__(self) -> None:
        if not (0 < self.threshold < 1 and self.cap >= 1 and self.gap >= 1):
            raise ParameterError(
                f"{self} needs a threshold in (0, 1), and a cap and a gap of 1 or more."
            )

    def reached(self, accuracy: Accuracies) -> Accuracies:
        """Where an accuracy is high enough; NaN is not."""
        if self.strict:
            return accuracy > self.threshold + ROUNDING
        return accuracy >= self.threshold - ROUNDING

    def soon(self, delay: np.ndarray) -> np.ndarray:
        """Where a delay, in steps, is no delay."""
        return delay <= self.gap if self.inclusive else delay < self.gap


def phase_of(fit: np.ndarray, test: np.ndarray, rule: PhaseRule | None = None) -> np.ndarray:
    """The letter of each run from the steps at which it reaches its training set and its test set,
    NaN for never.

    Example:
        >>> never = float("nan")
        >>> "".join(
        ...     phase_of([100, 100, 100, never, never, 900], [500, 5_000, never, never, 50, 100])
        ... )
        'CGMXTC'

    Source: Liu et al. 2022, Table 1, which has the first four. A test set that is reached first
    counts as no delay.
    """
    rule = rule or PhaseRule()
    fit = np.asarray(fit, float)
    test = np.asarray(test, float)
    fits = fit <= rule.cap
    tests = test <= rule.cap
    with np.errstate(invalid="ignore"):
        soon = rule.soon(test - fit)
    cases = [fits & tests & soon, fits & tests, fits, ~tests]
    return np.select(cases, list("CGMX"), "T")


@checked_call
def phases(dataset: xr.Dataset, rule: PhaseRule | None = None, goal: float = 0.9) -> xr.Dataset:
    """First steps on both sets, last step and phase of every run of a dataset: dims `step` and any
    others.

    Variables `fit_step`, `test_step` (NaN where not reached), `end` and `phase` (a letter). What is
    not reached counts as never from `rule.cap` on, or where the run diverged; before, it is open. A
    run diverged where it ends before its last step (that of the dataset, or its own in an axis
    `steps`) and not by its stopping rule: that of the configuration which a record or a trained
    dataset holds, else a test accuracy of `goal`. What a run that was stopped had not reached is
    open.

    Raises ParameterError if an accuracy, or what the stopping rule asks of, is missing, for a
    `goal` outside (0, 1], and where the configuration is none of a run.
    """
    if not 0 < goal <= 1:
        raise ParameterError(f"goal = {goal} must be an accuracy in (0, 1].")
    rule = PhaseRule() if rule is None else rule
    stops = _stopping_rules(dataset) or {_Stop("test_accuracy", goal, True)}
    needed = {"train_accuracy", "test_accuracy", "step"} | {stop.variable for stop in stops}
    missing = needed - set(map(str, dataset.variables))
    if missing:
        raise ParameterError(
            f"dataset has no {sorted(missing)[0]}, but needs {', '.join(sorted(needed))}."
        )
    known = dataset.train_accuracy.notnull() & dataset.test_accuracy.notnull()
    end = dataset.step.where(known).max("step")
    fit = _first_step(dataset.train_accuracy, rule)
    test = _first_step(dataset.test_accuracy, rule)
    diverged = end < np.minimum(dataset.get("steps", np.inf), float(dataset.step.max()))
    for stop in stops:
        last = dataset[stop.variable].where(dataset.step == end).max("step")
        short = stop.threshold - last if stop.above else last - stop.threshold
        diverged &= short > ROUNDING
    decided = (fit.notnull() & test.notnull()) | (end >= rule.cap) | diverged
    letters = xr.apply_ufunc(phase_of, fit, test, kwargs={"rule": rule})
    phase = letters.where(decided, OPEN)
    return xr.Dataset({"fit_step": fit, "test_step": test, "end": end, "phase": phase})


class _Stop(NamedTuple):
    """A stopping rule: the variable that is to be above (or below) a threshold."""

    variable: str
    threshold: float
    above: bool


def _stopping_rules(dataset: xr.Dataset) -> set[_Stop]:
    """Those of the configurations that a record (one) or a trained dataset (a list) holds; raises
    ParameterError where these are none."""
    attribute = dataset.attrs.get("configuration", dataset.attrs.get("configs", "[]"))
    stops = set()
    try:
        configurations = json.loads(attribute)
        if not isinstance(configurations, list):
            configurations = [configurations]
        for configuration in configurations:
            if stop := configuration.get("stop"):
                stops.add(_Stop(stop["variable"], float(stop["threshold"]), bool(stop["above"])))
    except (TypeError, ValueError, KeyError, AttributeError, RecursionError):
        raise ParameterError(
            f"the configuration that the dataset holds is none of a run: {shown(attribute)}."
        ) from None
    return stops


def _first_step(accuracy: xr.DataArray, rule: PhaseRule) -> xr.DataArray:
    """The first step at which an accuracy is reached, NaN where it is not by the rule's cap."""
    step = accuracy.step.where(rule.reached(accuracy)).min("step")
    return step.where(step <= rule.cap)


def fractions(phase: xr.DataArray) -> xr.DataArray:
    """Share of the seeds in each phase, over dims (phase, axes of the diagram); NaN where no seed
    is decided."""
    several = phase if "seed" in phase.dims else phase.expand_dims("seed")
    decided = (several != OPEN).sum("seed")
    shares = [(several == letter).sum("seed") / decided.where(decided > 0) for letter in PHASES]
    return xr.concat(shares, pd.Index(list(PHASES), name="phase"))


def shares(phase: np.ndarray | xr.DataArray) -> pd.Series:
    """Share of each phase among the decided cells of a diagram; all NaN where there is none."""
    counts = pd.Series(np.ravel(phase)).replace(OPEN, np.nan).value_counts(normalize=True)
    return counts.reindex(list(PHASES), fill_value=0.0 if len(counts) else np.nan)


def orders(lines: Sequence[str]) -> pd.Series:
    """How often each order of phases occurs along lines of cells that have C, G and M all three;
    others are left out.

    An order is written without repetitions, and from the end that makes it first in the alphabet.
    """
    counts: Counter[str] = Counter()
    for line in lines:
        letters = re.sub("[^CGM]", "", line)
        order = re.sub(r"(.)\1+", r"\1", letters)
        if set("CGM") <= set(order):
            counts[min(order, order[::-1])] += 1
    return pd.Series(dict(counts.most_common()), dtype=int)


def borders(phase: np.ndarray) -> pd.Series:
    """How many pairs of neighbouring cells of a diagram are of two given phases, such as "CM"."""
    cells = np.asarray(phase)
    across = np.stack([cells[:, 1:].ravel(), cells[:, :-1].ravel()])
    down = np.stack([cells[1:].ravel(), cells[:-1].ravel()])
    first, second = np.sort(np.hstack([across, down]), axis=0)
    border = (first != second) & (first != OPEN) & (second != OPEN)
    pairs, counts = np.unique(np.char.add(first[border], second[border]), return_counts=True)
    return pd.Series(dict(zip(pairs.tolist(), counts.tolist(), strict=True)), dtype=int)


def sandwich(cells: Mapping[str, xr.DataArray]) -> pd.DataFrame:
    """A row a panel and direction: lines with C, G and M, those of them in this order, and the
    panel's borders.

    A panel is (decay, rate), or one for each seed: then lines and borders of all are counted.
    """
    rows = []
    for panel, grid in cells.items():
        diagrams = grid.values.reshape(-1, *grid.shape[-2:])
        pairs = pd.concat([borders(diagram) for diagram in diagrams])
        pairs = pairs.groupby(level=0).sum().reindex(BORDERS, fill_value=0)
        for along, lines in (("rate", diagrams), ("decay", diagrams.swapaxes(1, 2))):
            kinds = orders(["".join(line) for line in lines.reshape(-1, lines.shape[-1])])
            others = [f"{kind} ({n})" for kind, n in kinds.items() if kind != "CGM"]
            row = {"panel": panel, "along": along, "lines": int(kinds.sum())}
            row |= {"C, G, M": int(kinds.get("CGM", 0))}
            row |= {"other orders": ", ".join(others) or "none"}
            rows.append(row | pairs.to_dict())
    # the columns of a table without rows too
    columns = ["panel", "along", "lines", "C, G, M", "other orders", *BORDERS]
    return pd.DataFrame(rows, columns=columns)


def between(table: pd.DataFrame, least: int = 1) -> tuple[list[bool | None], bool | None]:
    """Of a table of `sandwich`: is grokking between in most lines of each row, and so in a
    direction of each panel?

    A row with fewer lines than `least` is not known.
    """
    most = (2 * table["C, G, M"] > table.lines).astype(object).mask(table.lines < least, None)
    by_panel = most.groupby(table.panel.to_numpy())
    return most.tolist(), all_of([any_of(part) for _, part in by_panel])
