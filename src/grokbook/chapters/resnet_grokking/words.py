"""Sentences of chapter 10 that depend on what came out."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np
import pandas as pd

from grokbook.chapters.resnet_grokking.features import on_pixels, read_off, tested
from grokbook.chapters.resnet_grokking.settings import FITTED, REACHED, SPLITS
from grokbook.claims.finding import some
from grokbook.tasks.shapes import ShapeTask, added, remembered, score

_PAPER = {
    "holds": "and runs at that size show it",
    "undecided": "and too few runs at that size are made to say so",
    "not run": "and runs at that size are not made here: they need a graphics card",
}
_SMALL = {
    "holds": "Small enough for this page most runs with weight decay show such a delay, and most runs without do not "
    "generalise by the same step",
    "fails": "Small enough for this page most runs generalise early, or without weight decay as well",
}
_SUM = {
    "holds": "where no test picture is a reordered training picture it comes late and by weight decay too, so a sum is "
    "learned",
    "fails": "where no test picture is a reordered training picture it comes early, or without decay as well",
}
_OPEN = (
    "no sum is shown: where no test picture is a reordered training picture, too few runs are recorded or they end "
    "before it comes"
)


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
    added = _SUM.get(verdicts["GR4"], _OPEN)
    return (
        f"> **Answer.** Gu et al. report that a ResNet-18 has its training images right at epoch 100 and its test "
        f"images at epoch 2,900, {_PAPER[verdicts['GR2']]}. {small}; {added}. {test}."
    )


def live(table: pd.DataFrame, last: int) -> str:
    """What came out of the runs that the page trained, from the table of `claims.reached`.

    Example:
        >>> row = {"fit_step": [100], "grok_step": [900], "delay": [800], "at_fit": [0.2], "at_end": [0.9]}
        >>> live(pd.DataFrame(row), 1_000).split(". ")[1]
        'The one run has 60% of the test set right, 800 steps later.'
    """
    fitted, late = table.fit_step.dropna().astype(float), table.grok_step.dropna()
    if fitted.empty:
        return f"By step {last:,} no run fits {FITTED:.0%} of its training set: these runs are too short."
    median = " (median)" * (len(table) > 1)
    told = (
        f"Here {_runs(len(fitted), len(table))} {FITTED:.0%} of the training set right by step {last:,}, from step "
        f"{fitted.median():,.0f} on{median}, with {table.at_fit.median():.0%} of the test set right at that step and "
        f"{table.at_end.median():.0%} at the end. "
    )
    if late.empty:
        return f"{told}No run keeps {REACHED:.0%} of the test set by then."
    waited = table.delay.dropna().astype(float)
    delay = f", {waited.median():,.0f} steps later{median and ' (median of these)'}" if len(waited) else ""
    reach = _runs(len(late), len(table))
    return f"{told}{reach[0].upper()}{reach[1:]} {REACHED:.0%} of the test set right{delay}."


def _runs(count: int, of: int) -> str:
    """So many of the page's runs as the beginning of a sentence."""
    if of == 1:
        return "the one run has"
    return "both runs have" if count == of == 2 else f"{some(count, of)} runs have"


def constant(task: ShapeTask) -> float:
    """Test accuracy of the best constant answer: the share of the most frequent label of the test set.

    Example:
        >>> task = ShapeTask(4, 1 - 1 / 256, tile=4)  # one test sample
        >>> constant(task)
        1.0
    """
    labels = task.targets[tested(task)]
    return float(np.bincount(labels).max() / len(labels))


def baselines(tasks: Mapping[str, ShapeTask]) -> pd.DataFrame:
    """Test accuracy by task and split of what is no network: the best constant answer, forgetting the order, adding.

    Adding is by how often each glyph occurs, and by the raw pixels. `trained labels` is the share of the test set whose
    label some training image has: no classifier that answers with such labels alone can score more.

    Example:
        >>> baselines({"small": ShapeTask(4, tile=4)})["adds"].tolist()
        [1.0, 1.0]
    """
    rows = []
    for name, given in tasks.items():
        for split in SPLITS:
            task = dataclasses.replace(given, split=split)
            known = task.targets[task.train_index]
            scores = {"best constant": constant(task), "forgets the order": score(task, remembered(task)),
                      "adds": score(task, added(task)), "adds by pixels": score(task, read_off(on_pixels(task), task)),
                      "trained labels": float(np.isin(task.targets[tested(task)], known).mean())}  # fmt: skip
            rows.append({"task": name, "split": split} | scores)
    return pd.DataFrame(rows)


def order_or_sum(runs: Mapping[str, pd.DataFrame], task: ShapeTask) -> str:
    """What the runs of both splits, tables of `claims.reached`, say on how much of the late rise is a sum; "" without.

    Accuracies are asked how much they are above `constant`, each a median over its runs' seeds.

    Example:
        >>> ends = {name: pd.DataFrame({"at_end": [end], "last_step": 9}) for name, end in zip(SPLITS, (0.8, 0.5))}
        >>> order_or_sum(ends, ShapeTask(5, 0.75, tile=4)).split(". ")[-1]
        'Above that, less than half of the rise is left where the order is of no use.'
    """
    if not {*SPLITS} <= {*runs}:
        return ""
    ends, lasts, best = {}, {}, {}
    for split in SPLITS:
        drawn = [dataclasses.replace(task, split=split, seed=int(seed)) for seed in runs[split].index]
        best[split] = float(np.median([constant(one) for one in drawn]))
        ends[split], lasts[split] = float(runs[split].at_end.median()), int(runs[split].last_step.max())
    random, multiset = SPLITS
    kinds = len(np.unique(drawn[0].multisets[tested(drawn[0])]))
    return (
        f"At their ends (step {lasts[random]:,} and {lasts[multiset]:,}) the runs with decay have {ends[random]:.0%} "
        f"of the test set right after the random split and {ends[multiset]:.0%} after the split by multiset (medians); "
        f"the best constant answer scores {best[random]:.0%} and {best[multiset]:.0%}. The second test set has only "
        f"{kinds} multisets, in all their orders. {_above(*(ends[split] - best[split] for split in SPLITS))}"
    )


def _above(up: float, strict: float) -> str:
    """What accuracies less those of the best constant answer say, after the random split and the one by multiset."""
    if up <= 0:
        return f"{'Neither' if strict <= 0 else 'Only the second'} is more than one constant answer can score."
    if strict <= 0:
        return "The second is no more than one constant answer can score, so no sum is shown."
    part = "less than half of the rise is left" if 2 * strict < up else "half of the rise or more is there too"
    return f"Above that, {part} where the order is of no use."
