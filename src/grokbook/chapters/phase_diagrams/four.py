"""Fig. 12 of Liu et al. 2022: which parallelograms form at p = 4 with a fast decoder, and with a slow one."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.figure import Figure
from scipy.stats import mannwhitneyu

from grokbook.claims import Finding, Runs, claim, judge
from grokbook.claims.finding import some
from grokbook.claims.runs import every_run
from grokbook.plotting.style import COLOURS, panels, styled
from grokbook.runs.experiment import Experiment
from grokbook.runs.liu2022 import addition, rates
from grokbook.tasks.chosen import ChosenAddition
from grokbook.theory.parallelograms import all_samples, closed_set, permissible_set
from grokbook.training.schedule import Schedule

TRAINED = ((0, 2), (1, 1), (0, 3), (1, 2), (1, 3), (2, 2))
"""The training set of Eq. 21: it has all three parallelograms of four symbols."""

SPEEDS = {"fast decoder": (1e-3, 1e-2), "slow decoder": (1e-2, 1e-3)}
"""Rates of embeddings and decoder, (eta_1, eta_2) in Fig. 12."""

STEPS, SEEDS, TOLERANCE = 2_000, 40, 0.1
"""Steps of a run, runs of each pair of rates, and the code's rule for a closed parallelogram on a line."""


def fig12() -> dict[str, Experiment]:
    """The runs of Fig. 12, by the speed of the decoder.

    Example:
        >>> fig12()["slow decoder"].config.n_train
        6
    """
    found = {}
    for name, (encoder, decoder) in SPEEDS.items():
        config = dataclasses.replace(
            addition(4, 6, steps=STEPS, stop=None, optimizer=rates(decoder, encoder_lr=encoder)),
            task=ChosenAddition(4, trained=TRAINED), log=Schedule(dense_until=STEPS, dense_every=100), snapshots=3,
        )  # fmt: skip
        found[name] = Experiment(
            f"liu2022/fig12[{name}]", config, tuple(range(SEEDS)), source="Liu et al. 2022, Fig. 12",
            statement="A slow decoder makes more parallelograms at p = 4 than a fast one.",
            choices=f"One number a symbol, 2,000 steps and {SEEDS} first weights; our seeds draw answers and weights.",
        )  # fmt: skip
    return found


RUNS = (fig12,)


def closed(runs: Mapping[str, xr.Dataset], tolerance: float = TOLERANCE) -> pd.DataFrame:
    """A row a run: rates, seed, accuracy on the six pairs, parallelograms closed of three, before and at the end.

    `which` names them, A1 to A3 as in Eq. 20; `numbers` are the four at the end, moved to mean 0 and variance 1.
    """
    names = dict(zip(permissible_set(all_samples(4)), ("A1", "A2", "A3"), strict=True))
    rows = []
    for name, seed, run in every_run(runs):
        table = run.embedding.transpose("snapshot", "token", "feature").values[..., 0].astype(float)
        first, last = (closed_set(numbers, tolerance) for numbers in (table[0], table[-1]))
        numbers = (table[-1] - table[-1].mean()) / table[-1].std()
        rows.append({
            "rates": name, "seed": seed, "fitted": float(run.train_accuracy[-1]), "before": len(first),
            "closed": len(last), "which": ", ".join(names[one] for one in last) or "none", "numbers": numbers,
        })  # fmt: skip
    return pd.DataFrame(rows)


_FOUR = {"section": "Four symbols, two pairs of rates", "runs": fig12}


@claim("LP10", "liu2022", "appendix E, Fig. 12", **_FOUR, says=(
    "of three parallelograms {slow:.1f} are closed on average with the slow decoder and {fast:.1f} with the fast one ",
    "({runs} runs of each, one-sided p = {p:.2g}), all three in {all_slow} and in {all_fast} runs; before training ",
    "{before_slow:.1f} and {before_fast:.1f} on average",
))  # fmt: skip
def slow_is_better(runs: Runs) -> Finding:
    """ "The relatively slow decoder produces better representations (in the sense of higher RQI) than a fast decoder".

    Our reading: more closed parallelograms on average, by a rank test at the level of 0.05.
    """
    rows = closed(runs)
    each = rows.groupby("rates")[["closed", "before"]].mean()
    fast, slow = (rows.closed[rows.rates == name] for name in SPEEDS)
    p = float(mannwhitneyu(slow, fast, alternative="greater").pvalue) if len(fast) and len(slow) else np.nan
    part = None if not runs.complete() else True if p < 0.05 else False if slow.mean() <= fast.mean() else None
    return judge(part, value=p, runs=min(len(fast), len(slow)), p=p, slow=slow.mean(), fast=fast.mean(),
                 all_slow=int((slow == 3).sum()), all_fast=int((fast == 3).sum()),
                 before_slow=each.before.get("slow decoder", np.nan),
                 before_fast=each.before.get("fast decoder", np.nan))  # fmt: skip


ALL = ("none", "A1", "A2", "A3", "A1, A2, A3")
"""The five representations of four symbols: two of the three parallelograms imply the third."""


@claim("LP15", "liu2022", "appendix E, Fig. 12", **_FOUR, bars={"tolerance": (0.05, 0.2)},
       rule_changed="2026-11-24T19:02 ba64f54", says=(
    "closed at the end: {told}; these are {value} of the {of} representations that there are; {fitted} runs fit their ",
    "six pairs (closed up to another tolerance: {bars})",
))  # fmt: skip
def every_representation(runs: Runs, *, tolerance: float = TOLERANCE) -> Finding:
    """ "In Figure 12, we show our algorithms actually generates all possible representations".

    Our reading: each of the five that there are (chapter 11) is what some run ends with.
    """
    rows = closed(runs, tolerance)
    kinds = rows.which.value_counts().reindex(ALL, fill_value=0)
    seen = int((kinds > 0).sum())
    part = True if seen == len(ALL) else False if runs.complete() else None
    return judge(part, value=seen, of=len(ALL), fitted=some(int((rows.fitted > 1 - 1e-6).sum()), len(rows)),
                 told=", ".join(f"{kind} ({count})" for kind, count in kinds.items()))  # fmt: skip


@styled
def figure_12(rows: pd.DataFrame) -> Figure:
    """Fig. 12: the four numbers of each run at its end, a line a run, fewest closed parallelograms below."""
    fig, axes = panels(1, len(SPEEDS), height=3.8)
    for ax, name in zip(axes[0], SPEEDS, strict=True):
        part = rows[rows.rates == name].sort_values("closed", ignore_index=True)
        for place, row in part.iterrows():
            ax.axhline(place, color=COLOURS["quiet"], lw=0.5)
            for k, number in enumerate(row.numbers):
                ax.text(number, place, str(k), ha="center", va="center", fontsize=10, color=COLOURS["measure"])
        ax.set_yticks(range(len(part)), part.which, fontsize=8)
        ax.set(title=name, xlim=(-2, 2), ylim=(-0.7, len(part) - 0.3), xlabel="normalised $E_k$")
    return fig
