"""Sentences of chapter 15 that depend on what came out."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
import pandas as pd
import xarray as xr

from grokbook.chapters.images.settings import REACHED
from grokbook.claims.finding import some
from grokbook.runs import Experiment

_SCALE = {
    "holds": "keeps the classes apart",
    "holds with correction": "keeps the features from going to zero, but not the classes apart",
    "fails": "does not keep the features from going to zero",
}


def answer(verdicts: Mapping[str, str]) -> str:
    """The chapter's answer in a box, from the verdicts of LM1, LM2, LM9, L32 and LM12.

    Example:
        >>> given = {"LM1": "holds", "LM2": "holds", "LM9": "holds", "L32": "holds", "LM12": "fails"}
        >>> answer(given).count("*holds*")
        3
    """
    return (
        "> **Answer.** Liu et al. make a network grok on handwritten digits by starting it with large weights. On "
        f"MNIST, with torch's usual start as control, this *{verdicts['LM1']}* (LM1). On digits of 8 by 8 pixels, "
        f"a set of ours, it *{verdicts['LM2']}* (LM2); that weight decay ends the delay *{verdicts['LM9']}* (LM9). "
        f"Their effective loss for classes keeps its scale, which {_SCALE[verdicts['L32']]}. It collapses any labels; "
        f"that an encoder learns from it to place new images *{verdicts['LM12']}* (LM12)."
    )


def turning(large: xr.Dataset, times: pd.DataFrame) -> pd.DataFrame:
    """Weight norm (part of its start) and variance within classes at fitting, at generalisation and at the end.

    A row a run that generalises; `times` has columns fit_step and grok_step, index seed.

    Example:
        >>> turning(xr.Dataset(coords={"seed": []}), pd.DataFrame({"fit_step": [], "grok_step": []})).empty
        True
    """
    rows = []
    for seed, row in times.dropna(subset=["fit_step", "grok_step"]).iterrows():
        run = large.sel(seed=seed)
        norm = run.weight_norm / run.weight_norm.isel(step=0)
        for name, at in (("fits", row.fit_step), ("generalises", row.grok_step), ("end", int(run.step[-1]))):
            rows.append({"seed": seed, "at": name, "step": int(at), "norm": float(norm.sel(step=at)),
                         "within classes": float(run.within_class_share.sel(step=at)),
                         "test accuracy": float(run.test_accuracy.sel(step=at))})  # fmt: skip
    return pd.DataFrame(rows)


def starts(usual: pd.DataFrame, large: pd.DataFrame, spread: float) -> str:
    """When runs from torch's start and from weights `spread` times as large get where: tables of `claims.reached`.

    Example:
        >>> row = pd.DataFrame({"fit_step": [100], "grok_step": [None], "last_step": [900]})
        >>> starts(row, row, 8.0).split(". ")[0].rpartition(", ")[2]
        'but no run keeps 60% of the test set by step 900'
    """
    return f"With torch's start, {_got(usual)}. With weights {spread:g} times as large, {_got(large)}."


def _got(table: pd.DataFrame) -> str:
    """When the runs of a table fit and generalise, medians of those that do."""
    told = []
    for column, what in (("fit_step", "95% of the training set"), ("grok_step", f"{REACHED:.0%} of the test set")):
        known = table[column].dropna().astype(float)
        there = "" if len(known) == len(table) else f"{some(len(known), len(table))} runs, "
        there = f" ({there}median)" if len(table) > 1 else ""
        told.append(
            f"{what} are right from step {known.median():,.0f}{there}"
            if len(known)
            else f"no run keeps {what} by step {int(table.last_step.max()):,}"
        )
    alike = table.fit_step.notna().any() == table.grok_step.notna().any()
    return f"{told[0]}, {'and' if alike else 'but'} {told[1]}"


def pace(experiment: Experiment) -> float:
    """Part of its weights that AdamW takes off at a step without any loss: rate times decay.

    Example:
        >>> from grokbook.chapters.images import small
        >>> round(pace(small()[8.0]), 6)
        0.0002
    """
    optimizer = experiment.config.optimizer
    return optimizer.learning_rate * optimizer.weight_decay


def waited(pace: float, rows: pd.DataFrame) -> str:
    """Norms of `turning` beside what decay alone gives from the fit on, e^(-pace t), where pace is rate times decay.

    Example:
        >>> rows = pd.DataFrame({"at": ["fits", "generalises", "end"], "step": [0, 100, 200], "norm": [1.0, 0.5, 0.4]})
        >>> waited(np.log(2) / 100, rows).split(". ")[-1][:70]
        'At step 200 it is 40%, and decay alone would give 25%: the loss then h'
    """
    if rows.empty:
        return "No run has generalised within its steps, so that there is nothing to compare."
    count = int((rows["at"] == "end").sum())
    middle = rows.groupby("at")[["step", "norm"]].median()
    fits, there, end = (middle.loc[name] for name in ("fits", "generalises", "end"))
    says = {at.step: fits.norm * np.exp(-pace * (at.step - fits.step)) for at in (there, end)}
    return (
        f"The test set is reached at step {there.step:,.0f}{f' (median of {count} runs)' if count > 1 else ''}, with "
        f"{there.norm:.0%} of the first norm, where decay alone gives {says[there.step]:.0%}. At step {end.step:,.0f} "
        f"it is {end.norm:.0%}, and decay alone would give {says[end.step]:.0%}"
        f"{': the loss then holds the weights up' if end.norm > 1.2 * says[end.step] else ''}."
    )


def collapse_table(runs: Mapping[str, xr.Dataset]) -> pd.DataFrame:
    """Both measures of neural collapse at the start and at the end of some runs, medians of their seeds.

    Example:
        >>> rise = xr.DataArray([[0.5, 0.1]], dims=("seed", "step"))
        >>> collapse_table({"a": xr.Dataset({"within_class_share": rise, "simplex_distance": rise})}).shape
        (1, 5)
    """
    rows = []
    for name, data in runs.items():
        row: dict[str, object] = {"runs": name}
        for measure, said in (("within_class_share", "within classes"), ("simplex_distance", "from a simplex")):
            middle = data[measure].median("seed" if "seed" in data.dims else "run")
            row |= {f"{said}, start": float(middle[0]), f"{said}, end": float(middle[-1])}
        rows.append(row)
    return pd.DataFrame(rows)


def crossings(data: xr.Dataset) -> tuple[float, float, float, float]:
    """Where runs are logged to generalise (median), steps of the log there, how far apart they cross, and their climb.

    They cross on straight lines between the logs; the climb is the largest from one log to the next at the crossing.
    """
    steps, found = data.step.values, []
    for curve in data.test_accuracy.values:
        at = int((curve >= REACHED).argmax())
        climb = curve[at] - curve[at - 1]
        found.append((steps[at], steps[at] - steps[at - 1], climb,
                      steps[at] - (steps[at] - steps[at - 1]) * (curve[at] - REACHED) / climb))  # fmt: skip
    logged, between, climbs, crossed = np.array(found).T
    return float(np.median(logged)), float(between.max()), float(np.ptp(crossed)), float(climbs.max())


def between(phase: xr.DataArray) -> str:
    """In how many lines of a diagram along the rate grokking stands between memorisation and comprehension, said.

    Example:
        >>> letters = np.array([[list("MGC"), list("GMC"), list("MMC")]])
        >>> between(xr.DataArray(letters, dims=("seed", "weight_decay", "last_lr")))
        'Of 2 lines along the rate with grokking 1 has memorisation, grokking, comprehension in this order.'
    """
    rows = phase.transpose("seed", "weight_decay", "last_lr").values.reshape(-1, phase.sizes["last_lr"])
    lines = [line for line in map("".join, rows) if "G" in line]
    if not lines:
        return "No line has grokking."
    right, part = (sum(re.fullmatch(order, line) is not None for line in lines) for order in ("M+G+C+", "M*G+C*"))
    rest = " From {} more memorisation or comprehension is missing, and what is there stands in this order."
    rest = rest.format(part - right) if part > right else ""
    have = "has" if right == 1 else "have"
    return (
        f"Of {len(lines)} lines along the rate with grokking {right} {have} memorisation, grokking, comprehension in "
        f"this order.{rest}"
    )
