"""Sentences of chapter 11a, with the numbers of its runs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from grokbook.chapters.trained_toys.runs import GOAL
from grokbook.chapters.trained_toys.stored import RUN
from grokbook.claims.finding import some
from grokbook.runs.lead import rank_test

FAR, LOOKED = 0.1, 10
"""A gap worth a word; seeds that were known when the start was looked for."""


def told_stored(rows: pd.DataFrame) -> str:
    """How many stored runs came out again, from a table of `compared`.

    Example:
        >>> told_stored(pd.DataFrame({"accuracy": [True, True], "predicted": [True, True], "steps": [True, False]}))
        'Accuracy came out again in all 2, prediction in all 2, the step of a line (or that there is none) in 1 of 2.'
    """
    accuracy, predicted, steps = (some(int(rows[name].sum()), len(rows)) for name in ("accuracy", "predicted", "steps"))
    return (f"Accuracy came out again in {accuracy}, prediction in {predicted}, the step of a line (or that there is "
            f"none) in {steps}.")  # fmt: skip


def told_run(found: Mapping[str, float], steps: int, theirs: bool) -> str:
    """When one run of so many steps was on a line and right; `theirs`: with what the program prints of its own run.

    Example:
        >>> told_run({"train": 1135.0, "test": np.nan, "line": 805.0}, 1_600, theirs=True).partition(", ")[0]
        'It is on a line by update 805 (theirs at 801)'
        >>> told_run({"train": 1135.0, "test": np.nan, "line": 805.0}, 1_600, theirs=True).partition(". ")[2]
        'Note the order: the line is there before the training set is learned.'
    """
    said = {name: f"not by update {steps:,}" if np.isnan(step) else f"by update {step:,.0f}"
            + f" (theirs at {RUN[name]:,})" * theirs for name, step in found.items()}  # fmt: skip
    early = " Note the order: the line is there before the training set is learned." * (found["line"] < found["train"])
    return (f"It is on a line {said['line']}, passes 90 % of its training set {said['train']}, and of its test set "
            f"{said['test']}.{early}")  # fmt: skip


def told_published(sizes: Mapping[int, int]) -> str:
    """From how many pairs on the stored seeds have a line, in a sentence, from `stored.first_sizes`.

    Example:
        >>> told_published({0: 40, 1: 45, 2: 25})
        'Seed 2 is on a line from 25 pairs on (a share of 0.45), seed 0 from 40 (0.73), seed 1 from 45 (0.82).'
    """
    first, *others = sorted(sizes.items(), key=lambda one: one[1])
    rest = "".join(f", seed {seed} from {n} ({n / 55:.2f})" for seed, n in others)
    return f"Seed {first[0]} is on a line from {first[1]} pairs on (a share of {first[1] / 55:.2f}){rest}."


def told_order(table: pd.DataFrame) -> str:
    """In how many of the runs with a line it is there before the training set is learned, in a sentence.

    Example:
        >>> told_order(pd.DataFrame({"steps": [800.0, 900.0, np.nan], "fitted": [1000.0, 850.0, 700.0]}))
        'Of the runs that reach a line, 1 of 2 are on it before 90 % of their training pairs are right.'
    """
    reached = table[table.steps.notna()]
    early = (reached.steps < reached.fitted) | reached.fitted.isna()
    return (f"Of the runs that reach a line, {some(int(early.sum()), len(reached))} are on it before 90 % of their "
            f"training pairs are right.")  # fmt: skip


def told_left(table: pd.DataFrame) -> str:
    """How many runs were on a line and are not at their end, in a sentence.

    Example:
        >>> told_left(pd.DataFrame({"steps": [800.0, 900.0], "on a line": [True, False]}))
        'Of the runs that reach a line, 1 of 2 end off it again.'
    """
    reached = table[table.steps.notna()]
    left = int((~reached["on a line"]).sum())
    return f"Of the runs that reach a line, {some(left, len(reached))} end off it again."


def told_late(rows: pd.DataFrame) -> str:
    """How the prediction fares in runs in batches, in a sentence, from their rows of `measured`.

    Example:
        >>> rows = {"accuracy": [0.5, 0.9], "predicted": [0.9, 1.0], "trained": [0.5, 1.0], "rqi": [0.2, 1.0]}
        >>> told_late(pd.DataFrame(rows).assign(samples=54)).partition(". ")[2]
        'Of the gaps above 0.1, all 1 are in runs that are not on a line.'
    """
    off = rows.predicted - rows.accuracy
    blind, wide = rows.samples / 55 - rows.accuracy, rows[off > FAR]
    return (f"There it is {off.mean():.2f} too high on average and the share of trained pairs {blind.mean():.2f}, and "
            f"{rows.trained.mean():.0%} of the training pairs are right at that time. Of the gaps above {FAR}, "
            f"{some(int((wide.rqi <= GOAL).sum()), len(wide))} are in runs that are not on a line.")  # fmt: skip


def told_scales(table: pd.DataFrame) -> str:
    """The predicted steps of the runs that get to a line beside those they took, in a sentence.

    Example:
        >>> made = {"steps": [900.0, 1000.0], "predicted steps": [27e3, 50e3], "code steps": [900.0, 500.0]}
        >>> told_scales(pd.DataFrame(made)).partition(", ")[0]
        'Three time scales are 30 to 50 times the updates taken by the loss as printed'
    """
    both = table[table.steps.notna() & np.isfinite(table["predicted steps"])]
    if both.empty:
        return "No run gets there."
    printed, coded = (both[kind] / both.steps for kind in ("predicted steps", "code steps"))
    return (f"Three time scales are {printed.min():.0f} to {printed.max():.0f} times the updates taken by the loss as "
            f"printed, {coded.min():.1f} to {coded.max():.1f} times by that of the code.")  # fmt: skip


def told_starts(first: pd.DataFrame) -> str:
    """Whether seeds whose start is more of a ladder get to a line at more sizes, in a sentence, from `starts`.

    This was looked for when `LOOKED` seeds were known, so that the others are told alone.

    Example:
        >>> made = {"slope": [0.1, 0.5, 0.9, 0.95, 0.99], "reached": range(5), "seed": range(5)}
        >>> print(told_starts(pd.DataFrame(made)))
        Somers' D of the two is 1.00 over the 5 seeds (p = 0.0089).
    """
    tests = [rank_test([(-own.slope, -own.reached)]) for own in (first, first[first.seed >= LOOKED])]
    told = f"Somers' D of the two is {tests[0].tau:.2f} over the {len(first)} seeds (p = {tests[0].p_value:.4f})"
    if tests[1].pairs:
        told += f", and {tests[1].tau:.2f} over those from {LOOKED} on (p = {tests[1].p_value:.3f})"
    return f"{told}."
