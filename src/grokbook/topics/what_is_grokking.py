"""Chapter 01: one run, its delay, the part of the test set that can be copied, and the circle that appears."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import xarray as xr

from grokbook.claims import Finding, Runs, claim, judge
from grokbook.experiments.base import Experiment
from grokbook.experiments.gu2025 import fig5, live_run
from grokbook.measures import (
    grok_times,
    limits_table,
    median_step,
)
from grokbook.measures.tracking import ONSET
from grokbook.plotting.moving import MOST_FRAMES


def plan(p: int, train_fraction: float, d_model: int, steps: int, n_seeds: int) -> dict[str, Experiment]:
    """The live run, a symmetric split that shows as many unordered pairs, and the recorded run.

    A random split shows the share 1 - (1 - alpha)^2 of the unordered pairs {i, j} in at least one order.
    """
    shown = round(1 - (1 - train_fraction) ** 2, 12)
    live = live_run(p, train_fraction, d_model, steps, n_seeds)
    return {
        "live": dataclasses.replace(live, config=dataclasses.replace(live.config, snapshots=MOST_FRAMES)),
        "symmetric": live_run(p, shown, d_model, steps, n_seeds, split="symmetric"),
        "paper": fig5(97),
    }


_DATED = {
    "holds": "There it begins in our runs too.",
    "fails": "In our runs it does not begin there.",
}
"""The verdicts on that date, as a sentence."""


def answer(verdict: str, paper: xr.Dataset | None) -> str:
    """The chapter's answer in a box, from the verdict on claim G35 and the recorded runs of `fig5(97)` (None: none).

    Example:
        >>> print(answer("fails", None).split(". ")[-1])
        In our runs it does not begin there.
    """
    claimed = (
        "The papers say that a network can generalise long after it has fitted its training set, and one of them dates "
        f"the rise of the test accuracy at p = 97 to about epoch {PRINTED_ONSET:,}."
    )
    dated = _DATED.get(verdict, "When it begins in our runs depends on the seed and on what is called the beginning.")
    if paper is None:
        return f"> **Answer.** {claimed} The runs of this page show the delay at a smaller size. {dated}"
    times = grok_times(paper)
    fit, grok = median_step(times, "fit_step"), times.grok_step.dropna()
    seen = f"We see it: networks of that size fit by step {fit:,.0f}" if fit else "Not every network of that size fits"
    late = f", the first generalises at step {grok.min():,}" if len(grok) else ""
    count = f"{len(grok)} of {len(times)} recorded runs generalise by step {int(paper.step.max()):,}"
    apart = f", and the grok steps lie {_apart(times)} steps apart" if len(grok) else ""
    sure = f"We are sure of the delay and not of its length: {count}{apart}."
    return f"> **Answer.** {claimed} {seen}{late}. {dated} {sure}"


def _apart(times: pd.DataFrame) -> str:
    """How far the grok steps lie apart; a run without one is later than its last step."""
    late, least = times.grok_step.fillna(times.last_step), "at least " * bool(times.censored.any())
    return f"{least}{int(late.max() - late.min()):,}"


def around_fit(times: pd.DataFrame, steps: int) -> tuple[int, int, str, str]:
    """Two steps at which the page reads accuracies, the median fit step and twice that, and what to call them.

    `times` is the table of `grok_times`. Where a step is not reached within `steps`, the last one stands for it.

    Example:
        >>> around_fit(pd.DataFrame({"fit_step": [100, 120, None], "last_step": 500}), 500)
        (120, 240, 'At the median fit step', 'about twice the median fit step')
        >>> around_fit(pd.DataFrame({"fit_step": [None], "last_step": 20}), 20)
        (20, 20, 'No median fit step is reached; at the last step', 'the last one')
    """
    fit = median_step(times, "fit_step")
    if fit is None:
        return steps, steps, "No median fit step is reached; at the last step", "the last one"
    later = 2 * int(fit)
    words = "about twice the median fit step" if later <= steps else "the last one"
    return int(fit), min(later, steps), "At the median fit step", words


PRINTED_ONSET = 5000
"""The epoch around which the accuracy "begins to rise steadily" with a random split of 30 % (section 6.1)."""

AROUND = (500, 1000, 2000)
"""Our readings of "around", in steps to either side."""

ONSETS = ("fresh cells", "all cells")
"""The book's two onsets: test cells with an untrained transpose, where copying cannot help; the whole test set."""


def onsets(data: xr.Dataset) -> pd.DataFrame:
    """When the test accuracy begins to rise, by both definitions: a row a seed, NA for not by `last_step`.

    `fresh cells`: the first stay of the accuracy on cells with an untrained transpose at `ONSET` or above; `all cells`:
    the first stay of the test accuracy five points above its plateau (GO-Epoch as chapter 4b reads it).
    """
    fresh = data.assign(test_accuracy=data.test_accuracy_unmirrored)
    table = limits_table(data)[["onset", "last_step"]].rename(columns={"onset": "all cells"})
    return table.assign(**{"fresh cells": grok_times(fresh, threshold=ONSET).grok_step})[[*ONSETS, "last_step"]]


@claim("G35", "gu2025", "section 6.1", section="What the papers say", kind="number", runs=lambda: {"30 %": fig5(97)},
       through=onsets, published="5000",
       says=("steps from which {share:.0%} of the test cells with an untrained transpose are right: {fresh}; from ",
             "which the test accuracy is five points above its plateau: {all}; median within 500, 1,000, 2,000 ",
             "steps of 5,000: {within}"))  # fmt: skip
def onset_of_random_split(runs: Runs) -> Finding:
    """At p = 97 and a random 30 % the test accuracy "begins to rise steadily around epoch 5000".

    The paper defines neither a rise nor "around". It holds where the median run (one that is not there counts as later)
    is within each of `AROUND` by both of `ONSETS`, fails where it is within none by either, and is undecided otherwise.
    """
    table = runs["30 %"]
    medians = [median_step(table, name) for name in ONSETS]
    off = [abs((np.inf if median is None else median) - PRINTED_ONSET) for median in medians]
    within = [[apart <= around for around in AROUND] for apart in off]
    decided = all(map(all, within)) or not any(map(any, within))
    words = {name.split()[0]: _steps(table[name], int(table.last_step.max())) for name in ONSETS}
    told = " and ".join(", ".join("yes" if near else "no" for near in row) for row in within)
    return judge(all(map(all, within)) if decided else None, value=medians[0], low=PRINTED_ONSET - AROUND[1],
                 high=PRINTED_ONSET + AROUND[1], share=ONSET, within=told, **words)  # fmt: skip


def _steps(steps: pd.Series, last: int) -> str:
    """The steps in order, then how many runs have none."""
    known = ", ".join(f"{s:,}" for s in sorted(steps.dropna()))
    absent = int(steps.isna().sum())
    return known + f" ({absent} of {len(steps)} runs: not by step {last:,})" * bool(absent)
