"""Sentences of chapter 10 that depend on what came out."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np
import pandas as pd

from grokbook.claims.finding import some
from grokbook.tasks.shapes import ShapeTask, added, remembered, score
from grokbook.topics.resnet_grokking.settings import FITTED, REACHED, SPLITS

_PAPER = {
    "holds": "and runs at that size show it",
    "fails": "and runs at that size from drawn weights do not show it",
    "undecided": "and too few runs at that size are made to say so",
    "not run": "and runs at that size are not made here: they need a graphics card",
}
_SMALL = {
    "holds": "Small enough for this page the task does show it, by weight decay and not without",
    "fails": "Small enough for this page the task does not show it in the way that the paper has it",
}
_SUM = {
    "holds": "it also comes late where no test picture is a reordered training picture, so a sum is learned",
    "fails": "where no test picture is a reordered training picture it does not come by the last step: no sum is shown",
}


def answer(verdicts: Mapping[str, str]) -> str:
    """The chapter's answer in a box, from the verdicts of GR1 to GR4.

    Example:
        >>> given = {"GR1": "fails", "GR2": "not run", "GR3": "holds", "GR4": "undecided"}
        >>> answer(given).split(". ")[-1]
        'Their test set hardly tells a sum from less: who only forgets the order gets nearly all of it right.'
    """
    test = {
        "fails": "Their test set hardly tells a sum from less: who only forgets the order gets nearly all of it right",
        "holds": "Who only forgets the order does not get their test set right",
    }[verdicts["GR1"]]
    small = _SMALL.get(verdicts["GR3"], "Whether the task shows it at a size for this page is not decided")
    added = _SUM.get(verdicts["GR4"], "what was recorded does not decide whether it is a sum that is learned")
    return (
        f"> **Answer.** Gu et al. report that a ResNet-18 fits four pictures at epoch 100 and adds them up at epoch "
        f"2,900, {_PAPER[verdicts['GR2']]}. {small}; {added}. {test}."
    )


def live(table: pd.DataFrame, last: int) -> str:
    """What came out of the runs that the page trained, from the table of `claims.reached`.

    Example:
        >>> row = {"fit_step": [100], "grok_step": [900], "delay": [800], "at_fit": [0.2], "at_end": [0.9]}
        >>> live(pd.DataFrame(row), 1_000).split(". ")[1]
        'The one run has 60% of the test set right, 800 steps later (median).'
    """
    fitted, late = table.fit_step.dropna().astype(float), table.grok_step.dropna()
    if fitted.empty:
        return f"By step {last:,} no run fits {FITTED:.0%} of its training set: these runs are too short."
    told = (
        f"Here {_runs(len(fitted), len(table))} {FITTED:.0%} of the training set right by step {last:,}, from step "
        f"{fitted.median():,.0f} on (median), with {table.at_fit.median():.0%} of the test set right at that step and "
        f"{table.at_end.median():.0%} at the end. "
    )
    if late.empty:
        return f"{told}No run keeps {REACHED:.0%} of the test set by then."
    waited = table.delay.dropna().astype(float)
    delay = f", {waited.median():,.0f} steps later (median)" if len(waited) else ""
    reach = _runs(len(late), len(table))
    return f"{told}{reach[0].upper()}{reach[1:]} {REACHED:.0%} of the test set right{delay}."


def _runs(count: int, of: int) -> str:
    """So many of the page's runs as the beginning of a sentence."""
    if of == 1:
        return "the one run has"
    return "both runs have" if count == of == 2 else f"{some(count, of)} runs have"


def baselines(tasks: Mapping[str, ShapeTask]) -> pd.DataFrame:
    """Test accuracy by task and split of programs that are not networks: guessing, forgetting the order, adding.

    Example:
        >>> baselines({"small": ShapeTask(4, tile=4)})["adds"].tolist()
        [1.0, 1.0]
    """
    rows = []
    for name, given in tasks.items():
        for split in SPLITS:
            task = dataclasses.replace(given, split=split)
            frequent = np.bincount(task.targets[task.train_index]).argmax()
            scores = {"guesses": np.full(len(task.targets), frequent), "forgets the order": remembered(task),
                      "adds": added(task)}  # fmt: skip
            rows.append({"task": name, "split": split} | {what: score(task, said) for what, said in scores.items()})
    return pd.DataFrame(rows)


def order_or_sum(runs: Mapping[str, pd.DataFrame], task: ShapeTask) -> str:
    """What the runs of both splits, tables of `claims.reached`, say on how much of the late rise is a sum; "" without.

    Example:
        >>> ends = {name: pd.DataFrame({"at_end": [end]}) for name, end in (("random", 0.8), ("multiset", 0.2))}
        >>> order_or_sum(ends, ShapeTask(5, 0.75, tile=4)).split(". ")[-1][:44]
        'So most of what comes in these steps is that'
    """
    if not {*SPLITS} <= {*runs}:
        return ""
    random, multiset = (float(runs[split].at_end.median()) for split in SPLITS)
    strict = dataclasses.replace(task, split="multiset")
    most = (
        "So most of what comes in these steps is that the order is forgotten"
        if 2 * multiset < random
        else "So the larger part of what comes is more than a forgotten order"
    )
    return (
        f"At their ends the runs with decay have {random:.0%} of the test set right after the random split and "
        f"{multiset:.0%} after the split by multiset (medians), where the program that forgets the order has "
        f"{score(strict, remembered(strict)):.0%}. {most}."
    )
