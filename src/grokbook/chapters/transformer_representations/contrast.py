"""Where the papers predict different things: training sets that cover the table, and training sets that force a line.

The toy of Liu et al. 2022 on the sums of two of ten symbols, with four chosen training sets of 42 of the 55 pairs.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from itertools import combinations

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from grokbook.claims import Finding, Runs, claim, judge
from grokbook.claims.finding import some
from grokbook.claims.runs import every_run
from grokbook.measures import med
from grokbook.plotting.grids import on_grid
from grokbook.plotting.style import COLOURS, panels, styled
from grokbook.runs.experiment import Experiment
from grokbook.runs.liu2022 import addition
from grokbook.tasks.chosen import ChosenAddition
from grokbook.theory.coverage import distance_to_training
from grokbook.theory.parallelograms import (
    Sample,
    all_samples,
    grokking_rate,
    ideal_model,
    nullity,
    representation_quality_index,
)
from grokbook.training.schedule import Schedule

P, STEPS, SEEDS, TOLERANCE = 10, 3_000, 5, 0.1
"""Symbols, steps of a run, runs of a set, and the code's rule for a closed parallelogram on a line."""

_ROW = tuple((0, j) for j in range(2, P))
HELD_OUT: dict[str, tuple[Sample, ...]] = {
    "line, covered": ((0, 2), (0, 9), (1, 3), (1, 7), (2, 4), (2, 6), (2, 7), (2, 9), (3, 9), (4, 9), (5, 6), (5, 7),
                      (6, 8)),
    "line, hole": ((0, 7), (1, 6), (1, 7), (1, 8), (2, 5), (2, 6), (2, 7), (2, 8), (2, 9), (3, 6), (3, 7), (3, 8),
                   (4, 7)),
    "no line, covered": (*_ROW, (2, 3), (2, 6), (3, 5), (4, 6), (6, 8)),
    "no line, hole": (*_ROW, (1, 7), (1, 8), (1, 9), (2, 8), (2, 9)),
}  # fmt: skip
"""The 13 test pairs of each set. Without a line: symbol 0 stands in two training pairs, alone with their sums."""


def training_pairs(name: str) -> list[Sample]:
    """The 42 training pairs of a set.

    Example:
        >>> len(training_pairs("line, hole"))
        42
    """
    return [pair for pair in all_samples(P) if pair not in HELD_OUT[name]]


def contrast() -> dict[str, Experiment]:
    """The runs of the four sets: the toy with one number a symbol, as in Fig. 3 of Liu et al. 2022.

    Example:
        >>> [made.config.n_train for made in contrast().values()]
        [42, 42, 42, 42]
    """
    found = {}
    for name in HELD_OUT:
        config = dataclasses.replace(
            addition(steps=STEPS, stop=None), task=ChosenAddition(P, trained=training_pairs(name)),
            log=Schedule(dense_until=STEPS, dense_every=50), snapshots=31,
        )  # fmt: skip
        found[name] = Experiment(f"liu2022/contrast[{name}]", config, tuple(range(SEEDS)))
    return found


RUNS = (contrast,)


def trained_mask(name: str) -> np.ndarray:
    """Which cells of the table (both orders of a pair) are trained, bool (p, p).

    Example:
        >>> int((~trained_mask("line, hole")).sum())
        26
    """
    mask = np.ones((P, P), dtype=bool)
    for i, j in HELD_OUT[name]:
        mask[i, j] = mask[j, i] = False
    return mask


def predictions() -> pd.DataFrame:
    """A row a set: what both papers look at, before anything is trained.

    `freedom` is the nullity, `rate` lambda_3 Z_0, `farthest` the largest Manhattan distance of a cell from a trained
    one, `sums` the number of different sums trained, `ideal` the share of test pairs that an ideal model answers.
    """
    rows = []
    for name in HELD_OUT:
        pairs = training_pairs(name)
        rows.append({
            "training set": name, "pairs": len(pairs), "sums": len({i + j for i, j in pairs}),
            "farthest": int(distance_to_training(trained_mask(name)).max()), "freedom": nullity(pairs, P),
            "rate": grokking_rate(pairs, P), "ideal": ideal_model(pairs, P)["validation"],
        })  # fmt: skip
    return pd.DataFrame(rows)


BEFORE = {"rate": ".2f", "ideal": ".2f"}
AFTER = {"test accuracy": ".2f", "lowest": ".2f", "highest": ".2f", "RQI": ".2f", "MED": ".3f"}
"""How the columns of `predictions` and of `by_set` are written."""


def facts() -> dict[str, float]:
    """Numbers of `predictions` that the text names: both distances, the rates of both sets with a line, the sums.

    Example:
        >>> facts()["sums"], facts()["far"] == 3
        (19, True)
    """
    table = predictions().set_index("training set")
    covered, hole = table.loc["line, covered"], table.loc["line, hole"]
    found = {"near": covered.farthest, "far": hole.farthest, "rate_hole": hole.rate, "rate_cover": covered.rate}
    return {name: float(value) for name, value in found.items()} | {"sums": int(table.sums.min())}


def outcomes(runs: Mapping[str, xr.Dataset]) -> pd.DataFrame:
    """A row a run: set, seed, accuracies, step at which the test set is at 0.9 (NaN: never), last RQI and MED.

    MED is that of the numbers moved and stretched to mean 0 and variance 1, without closing the circle.
    """
    rows = []
    for name, seed, run in every_run(runs):
        numbers = run.embedding.isel(snapshot=-1).transpose("token", "feature").values.astype(float)
        late = run.step.values[run.test_accuracy.values >= 0.9]
        rows.append({
            "training set": name, "seed": seed, "training": float(run.train_accuracy[-1]),
            "test": float(run.test_accuracy[-1]), "step": late[0] if len(late) else np.nan,
            "rqi": representation_quality_index(numbers, TOLERANCE),
            "med": med((numbers - numbers.mean()) / numbers.std(), cyclic=False),
        })  # fmt: skip
    return pd.DataFrame(rows)


def by_set(rows: pd.DataFrame) -> pd.DataFrame:
    """A row a set: runs, those that fit their training set, test accuracy (mean, lowest, highest), RQI, MED."""
    each = rows.groupby("training set", sort=False)
    return pd.DataFrame({
        "runs": each.size(), "fitted": each.training.agg(lambda a: int((a > 1 - 1e-6).sum())),
        "test accuracy": each.test.mean(), "lowest": each.test.min(), "highest": each.test.max(),
        "RQI": each.rqi.mean(), "MED": each.med.mean(),
    }).reset_index()  # fmt: skip


def effects(rows: pd.DataFrame) -> tuple[float, float]:
    """By how much the mean test accuracy of the sets with a line is above the others', and of covered ones with holes.

    Example:
        >>> made = pd.DataFrame({"training set": list(HELD_OUT), "test": [1.0, 0.9, 0.4, 0.3]})
        >>> [round(float(effect), 3) for effect in effects(made)]
        [0.6, 0.1]
    """
    mean = rows.groupby("training set").test.mean()
    line = mean["line, covered"] + mean["line, hole"] - mean["no line, covered"] - mean["no line, hole"]
    cover = mean["line, covered"] + mean["no line, covered"] - mean["line, hole"] - mean["no line, hole"]
    return line / 2, cover / 2


@claim("LT11", "liu2022", "section 3.2", section="Cover or parallelograms?", runs=contrast, origin="ours",
       rule_changed="2026-11-24T19:32 0772874", says=(
    "with cover held equal a forced line adds {line:+.2f} to the test accuracy, with the line held equal cover adds ",
    "{cover:+.2f}; {perfect} runs whose data force a line answer every test pair, of the fitted ones {fitted}; of the ",
    "runs without a line {others}, where an ideal model answers {ideal:.0%}; chance of a line's effect as large if ",
    "the {sets} sets were dealt out: p = {p:.2g}",
))  # fmt: skip
def line_or_cover(runs: Runs) -> Finding:
    """Where all sums are trained, a training set that implies "a unique linear structure" generalises whether it covers
    the table or not: a line decides more than cover does.

    Beyond chance, with the set as the unit (p < 0.05), which four sets cannot show: one of six orders is as good.
    """
    asked = list(runs.experiments or runs)
    ideal = predictions().ideal.min()
    if any(runs[name] is None for name in HELD_OUT):
        return judge(None, line=np.nan, cover=np.nan, perfect="no", fitted="none", others="none", p=np.nan, ideal=ideal,
                     sets=len(asked))  # fmt: skip
    rows = outcomes(runs)
    line, cover = effects(rows)
    p, least = by_sets(rows)
    has = rows["training set"].str.startswith("line")
    right, fit = rows.test > 1 - 1e-6, rows.training > 1 - 1e-6
    beyond = True if p < 0.05 else None if least >= 0.05 else False
    parts = (bool(line > abs(cover)), beyond) if runs.complete() else (None,)
    return judge(*parts, value=line, line=line, cover=cover, p=p, sets=len(asked), ideal=ideal,
                 perfect=some(int((right & has).sum()), int(has.sum())),
                 fitted=some(int((right & has & fit).sum()), int((has & fit).sum())),
                 others=some(int((right & ~has).sum()), int((~has).sum())))  # fmt: skip


def by_sets(rows: pd.DataFrame) -> tuple[float, float]:
    """Chance of a line's effect as large if the sets were dealt out to those with a line and without, and the least.

    Example:
        >>> made = pd.DataFrame({"training set": list(HELD_OUT), "test": [1.0, 0.9, 0.4, 0.3]})
        >>> [round(p, 3) for p in by_sets(made)]
        [0.167, 0.167]
    """
    mean = rows.groupby("training set").test.mean()
    has = mean.index.str.startswith("line")
    dealt = [mean.to_numpy()[list(which)].sum() for which in combinations(range(len(mean)), int(has.sum()))]
    return float(np.mean([one >= mean[has].sum() - 1e-12 for one in dealt])), 1 / len(dealt)


def told(rows: pd.DataFrame) -> str:
    """What the runs say of either prediction, in sentences with their numbers."""
    ideal = predictions().set_index("training set").ideal
    free = rows[~rows["training set"].str.startswith("line")]
    exact = int(np.isclose(free.test, free["training set"].map(ideal)).sum())
    told = [f"Of the {len(free)} runs without a forced line, {exact} end at just the test accuracy of the ideal model."]
    steps = rows.dropna(subset=["step"]).groupby("training set", sort=False).step.median()
    if {"line, covered", "line, hole"} <= set(steps.index):
        near, far = steps["line, covered"], steps["line, hole"]
        order = _ORDER[bool(near < far)] if near != far else "at one step"
        told.append(f"With a line the test set is at 90 % by step {near:,.0f} where the table is covered and by step "
                    f"{far:,.0f} with the hole (medians of those that are), {order}.")  # fmt: skip
    forced = rows[rows["training set"].str.startswith("line")]
    missed = forced[forced.test < 1 - 1e-6]
    if len(missed):
        short = int((missed.training < 1 - 1e-6).sum())
        told.append(f"Of the runs with a forced line {some(len(missed), len(forced))} miss a test pair; of these "
                    f"{some(short, len(missed))} have not fitted their training set either.")  # fmt: skip
    return " ".join(told)


def measures_told(rows: pd.DataFrame) -> str:
    """How well RQI and MED at the end tell the runs that answer every test pair from the others, in sentences.

    Example:
        >>> measures_told(pd.DataFrame({"test": [1.0, 0.5], "rqi": [1.0, 0.7], "med": [0.3, 0.6]}))[:56]
        'Of all pairs of a run that answers every test pair and a'
    """
    right = rows.test > 1 - 1e-6
    if right.all() or not right.any():
        return "The runs do not differ in whether they answer every test pair, so no measure can tell them apart."
    shares = []
    for name, sign in (("rqi", 1), ("med", -1)):
        good, bad = (sign * rows[name][kind].to_numpy() for kind in (right, ~right))
        shares.append(float((good[:, None] > bad + 1e-9).mean()))
    return ("Of all pairs of a run that answers every test pair and a run that does not, the former has the higher RQI "
            f"in {shares[0]:.0%} and the lower MED in {shares[1]:.0%}. The effective dimension of one number a symbol "
            "is 1 whatever is learned, and tells nothing here.")  # fmt: skip


_ORDER = {True: "the order that cover expects, not that of the grokking rates", False: "as the grokking rates have it"}
@styled
def four_sets() -> Figure:
    """The four training sets as pictures of the table, blue: trained."""
    fig, axes = panels(1, len(HELD_OUT), height=2.2)
    for ax, name in zip(axes[0], HELD_OUT, strict=True):
        ax.imshow(trained_mask(name), cmap=ListedColormap(["#dcdcdc", COLOURS["train"]]), vmin=0, vmax=1)
        ax.set(xticks=[0, 5, 9], yticks=[0, 5, 9])
    on_grid(axes[0], HELD_OUT)
    return fig


@styled
def set_accuracies(rows: pd.DataFrame) -> Figure:
    """The test accuracy of each run, a row a set; the dashed stroke is what an ideal model answers."""
    ideal = predictions().set_index("training set").ideal
    fig, axes = panels(1, 1, height=2.8)
    ax = axes[0, 0]
    for place, name in enumerate(HELD_OUT):
        part = rows[rows["training set"] == name]
        aside = 0.15 * (part.seed - part.seed.mean())
        ax.plot(part.test, aside - place, "o", ms=5, mfc="none", color=COLOURS["test"])
        ax.plot([ideal[name]] * 2, [-place - 0.42, -place + 0.42], color=COLOURS["theory"], ls="--")
    ax.set_yticks(-np.arange(len(HELD_OUT)), HELD_OUT)
    ax.set(xlim=(-0.04, 1.04), ylim=(0.5 - len(HELD_OUT), 0.5), xlabel="test accuracy")
    return fig
