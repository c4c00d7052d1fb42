"""The statements of Gu et al. 2025, section 6.3, on the dictionary of pictures, and ours on what its test can show."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np
import pandas as pd
import xarray as xr

from grokbook.claims import Finding, Runs, claim, found, judge
from grokbook.claims.finding import Part, band, most, some
from grokbook.claims.words import spread
from grokbook.measures import grok_times
from grokbook.measures.phases import PhaseRule, phases
from grokbook.models.resnet import ResNet
from grokbook.tasks.shapes import ShapeTask, added, known_share, remembered, score
from grokbook.topics.resnet_grokking.features import WATCHED, Pictured
from grokbook.topics.resnet_grokking.settings import (
    BATCH,
    FITTED,
    LATE,
    REACHED,
    SPLITS,
    WIDTH,
    fig7,
    small,
    small_run,
)
from grokbook.training import View

TASK, CONTROLS, DELAY = "Four pictures, one sum", "What a test set can show", "Memorise, then generalise"
SIZE, FEATURES = "At the paper's size", "What the features know"


@claim("G39", "gu2025", "section 6.3", section=TASK, kind="number", published="14641",
       says=("{value:,.0f} = {entries}⁴ samples, {trained} for training; sums of categories are {classes} classes, ",
             "the largest, sum {mode}, has {most} ({share:.1%}), the accuracy of always answering it; the authors' ",
             "program adds sides, which makes {sides} classes"))  # fmt: skip
def dictionary_sums(entries: int = 11) -> Finding:
    """A dictionary of 11 pictures in four places generates 14,641 samples, 25 % of them for training."""
    task = ShapeTask(entries, rule="categories")
    total, counts = int(task.counts.sum()), task.counts
    return judge(total == 14_641, value=float(total), low=14_641, high=14_641, entries=entries, sides=_classes(entries),
                 trained=task.sizes()[1], classes=len(counts), mode=int(counts.argmax()) + 4, most=int(counts.max()),
                 share=counts.max() / total)  # fmt: skip


def _classes(n: int) -> int:
    return int((ShapeTask(n).counts > 0).sum())


@claim("GR1", "gu2025", "section 6.3, Fig. 7", section=CONTROLS, shown_by="count", says=(
    "a program that only forgets the order scores {value:.1%} on the paper's split (median of {seeds} drawn splits; ",
    "the exact mean of what it knows is {known:.1%}) and cannot add; split by multiset it scores {blind:.1%} and a ",
    "program that adds scores {adds:.0%}",
))  # fmt: skip
def accuracy_shows_addition(n: int = 11, train_fraction: float = 0.25, seeds: int = 5) -> Finding:
    """A test accuracy near 1 on the paper's random split shows that the sum is learned.

    Our reading of "a task that induces grokking", a step from fitting to the rule. Controls: an oracle that adds must
    pass, a memoriser that does not add must not.
    """
    tasks = {split: [ShapeTask(n, train_fraction, split, seed=s) for s in range(seeds)] for split in SPLITS}
    blind, low, high = band([score(task, remembered(task)) for task in tasks["random"]])
    fair = [score(task, remembered(task)) for task in tasks["multiset"]]
    adds = min(score(task, added(task)) for task in tasks["multiset"])
    return found("fails" if blind > 0.9 else "holds", blind, low, high, seeds=seeds, adds=adds,
                 known=known_share(n, train_fraction), blind=float(np.median(fair)))  # fmt: skip


def reached(data: xr.Dataset) -> pd.DataFrame:
    """Fit step at 95 % of the training set, in batches as the authors count it; grok step at `REACHED` of the test set.

    A row a seed, with the accuracies on the test set at the fit step and at the end.
    """
    fitted = grok_times(data.assign(train_accuracy=data.train_accuracy_in_batches), threshold=FITTED)
    table = fitted[["fit_step", "last_step"]].assign(grok_step=grok_times(data, threshold=REACHED).grok_step)
    known = table.fit_step.dropna().astype(int)
    at_fit = pd.Series({seed: float(data.test_accuracy.sel(seed=seed, step=step)) for seed, step in known.items()})
    ends = data.test_accuracy.isel(step=slice(-5, None)).median("step")
    return table.assign(delay=table.grok_step - table.fit_step, at_fit=at_fit, at_end=ends.to_series())


def _late(table: pd.DataFrame | None) -> Part:
    """Whether most runs generalise more than `LATE` steps after they fit; open for fewer than three runs."""
    return None if table is None else most((table.delay > LATE).fillna(False))


def _not_by_the_end(table: pd.DataFrame | None) -> bool:
    """Whether most runs end before they generalise: that refutes nothing."""
    return table is not None and 2 * int(table.grok_step.isna().sum()) > len(table)


def _told(name: str, table: pd.DataFrame | None) -> str:
    if table is None:
        return f"{name}: not run"
    late, of = int((table.delay > LATE).fillna(False).sum()), len(table)
    which = f"{some(late, of)} runs reach" if of > 1 else f"its one run {'reaches' if late else 'does not reach'}"
    return (
        f"{name}: {which} {REACHED:.0%} of the test set more than {LATE} steps after the training set (test accuracy "
        f"{table.at_fit.median():.2f} at that step and {table.at_end.median():.2f} at the end, medians; at most "
        f"{table.at_end.max():.2f}; last step {int(table.last_step.max()):,})"
    )


def _delayed(runs: Mapping[str, pd.DataFrame], with_decay: str, without: str) -> Finding:
    """Whether runs with decay generalise late, and those without do not by their last step.

    Runs with decay that end before they generalise leave it open.
    """
    table, control = runs[with_decay], _late(runs[without])
    late = None if _not_by_the_end(table) else _late(table)
    return judge(
        late,
        None if control is None else not control,
        told="; ".join(_told(name, runs[name]) for name in (with_decay, without)),
    )


@claim("GR2", "gu2025", "section 6.3, Fig. 7", section=SIZE, runs=fig7, through=reached,
       published="1 after approximately 100 epochs, 0.3 to 0.4 for about 2800 epochs", says="{told}")  # fmt: skip
def the_published_curve(runs: Runs) -> Finding:
    """ "The training accuracy reaches 1 after approximately 100 epochs, while the test accuracy fluctuates between 0.3
    and 0.4 for about 2800 epochs before rapidly rising to 1".
    """
    table = runs["decay=0.0001"]
    if table is None:
        return judge(None, told="not run")
    epoch = ShapeTask().sizes()[1] // BATCH
    fit, wait = (spread(table[column].astype(float) / epoch, ",.0f", "not reached") for column in ("fit_step", "delay"))
    near = most((table.at_fit - 0.35).abs() < 0.1)
    return judge(most((table.delay > 1_000 * epoch).fillna(False)), near, told=(
        f"training set at epoch {fit or 'not reached'}, test set {wait or 'not reached'} epochs later"
    ))  # fmt: skip


@claim("GR3", "gu2025", "section 6.3", section=DELAY, runs=small, through=reached, says="{told}")
def small_images_grok(runs: Runs) -> Finding:
    """On four glyphs and a narrow ResNet-18 the test accuracy rises long after the training accuracy, by weight decay.

    A setting of ours; random split. Control: no decay, which must not show it by the same step.
    """
    return _delayed(runs, "random", "random, no decay")


@claim("GR4", "gu2025", "section 6.3", section=DELAY, runs=small, through=reached, says="{told}")
def small_images_add(runs: Runs) -> Finding:
    """The same where no test picture is a reordered training picture: what comes late is then a sum."""
    return _delayed(runs, "multiset", "multiset, no decay")


def falls(data: xr.Dataset) -> pd.DataFrame:
    """Of the runs that generalise late: the end of a measure over its value when the run fits, a row a run.

    Columns `steps_apart` (MED of the glyphs) and `test_loss`, which must fall where a run generalises; and `early`, MED
    when the run fits over MED at its start.
    """
    table = reached(data)
    rows = {}
    for seed, row in table[(table.delay > LATE).fillna(False)].iterrows():
        run = data.sel(seed=seed)
        ends = run.isel(step=slice(-5, None)).median("step")
        fitted = run.sel(step=row.fit_step)
        rows[seed] = {name: float(ends[name] / fitted[name]) for name in FALLING}
        rows[seed]["early"] = float(fitted.steps_apart / run.steps_apart[0])
    return pd.DataFrame.from_dict(rows, orient="index", columns=[*FALLING, "early"])


FALLING = ["steps_apart", "test_loss"]


def letters(data: xr.Dataset) -> xr.DataArray:
    """The phase of every cell of the map: both sets at `REACHED`, late from `LATE` steps on, never by the last step."""
    return phases(data, PhaseRule(REACHED, cap=int(data.step.max()), gap=LATE), goal=REACHED).phase


def with_decay() -> Mapping[str, Pictured]:
    """The small runs that have decay."""
    return {name: run for name, run in small().items() if name in SPLITS}


@claim("GR5", "gu2025", "section 7", section=FEATURES, runs=with_decay, through=falls, says="{told}")
def representation_uniformity(runs: Runs) -> Finding:
    """Uniformity "should be interpreted as representation uniformity rather than a concept restricted to the embedding
    space": where a run generalises late, MED of its glyph features falls.

    Our reading: by a tenth or more between fitting and the end. Control: the test loss must fall by the same rule.
    """
    late = [table for table in runs.values() if not table.empty]
    if not late:
        return judge(None, told="no recorded run generalises late")
    table = pd.concat(late)
    lower = (table < 0.9).sum()
    control = most(table.test_loss < 0.9)
    return judge(most(table.steps_apart < 0.9) if control else None, told=(
        f"of the runs that generalise late MED of the glyphs falls by a tenth in "
        f"{some(int(lower.steps_apart), len(table))}, at all in {some(int((table.steps_apart < 1).sum()), len(table))} "
        f"(its end over its value when they fit: {table.steps_apart.median():.2f}, median; that over its start: "
        f"{table.early.median():.2f}); the test loss falls by a tenth in {some(int(lower.test_loss), len(table))}"
    ))  # fmt: skip


def untrained(seed: int, width: int = WIDTH) -> dict[str, float]:
    """R^2 of probes on an untrained network's features, on multisets that they were not fitted on: sum and controls."""
    config = small_run(split="multiset").with_seed(seed)
    model = ResNet(config.task.outputs, width, "small", channels=1, size=2 * config.task.tile)
    view = View(dataclasses.replace(config, model=model), model.draw(seed))
    return {name: WATCHED[f"probe_{name}"](view) for name in ("sum", "other", "dealt")}


@claim("GR6", "gu2025", "section 6.3", section=FEATURES, shown_by="counterexample", seconds=3, says=(
    "least squares on the pooled features of untrained networks gives the sum of unknown multisets with R2 = ",
    "{value:.2f} ({low:.2f} to {high:.2f}, {seeds} seeds), other values of the same glyphs with {other:.2f}, labels ",
    "dealt out at random with {dealt:.2f}; average pooling is itself a linear map",
))  # fmt: skip
def pooling_destroys_linearity(seeds: int = 5) -> Finding:
    """ "Convolutional networks tend to destroy linearity due to pooling layers".

    Our reading: a straight line through pooled features cannot give the sum (R2 below 0.5). Control: labels dealt out.
    """
    rows = pd.DataFrame([untrained(seed) for seed in range(seeds)])
    value, low, high = band(rows["sum"])
    fair = rows.dealt.median() < 0.2
    verdict = "undecided" if not fair else "fails" if low > 0.5 else "holds" if high < 0.5 else "undecided"
    return found(verdict, value, low, high, seeds=seeds, other=rows.other.median(), dealt=rows.dealt.median())
