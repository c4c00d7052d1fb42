"""Chapter 01: networks started larger and decayed more, and what Liu et al. 2023 say of them, in
our reading."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.figure import Figure

import grokbook as gb
from companion.claims import Finding, Paper, Runs, claim, enough, judge
from companion.page import Number
from grokbook.models.intervened import Rescaled
from grokbook.models.quadratic import Quadratic
from grokbook.runs.experiment import Experiment

PAPER = Paper("omnigrok2023", "Liu et al. 2023")
READING = "our reading"
"""The place of a claim that is worded from what the paper is known for: its text was not at
hand."""

STARTS, DECAYS = (0.5, 1.0, 2.0, 4.0), (0.15, 0.3, 0.6, 1.2)
FIRST, SECOND = "A larger start waits longer", "More weight decay waits less"


def run(
    start: float = 1.0, decay: float = 0.3, p: int = 23, steps: int = 5_000, n_seeds: int = 3
) -> Experiment:
    """Sums modulo p, learned by a network of two layers, whose hidden units square, from `start`
    times its usual start.

    A run ends when it generalises.
    """
    task, model = (
        gb.ModularTask(p, train_fraction=0.8, split="symmetric"),
        Rescaled(Quadratic(p, width=128), start),
    )
    optimizer, log = gb.AdamW(lr=5e-3, weight_decay=decay), gb.Schedule(100, 10, 100, "log")
    config = gb.RunConfig(
        task, model, optimizer, steps=steps, log=log, stop=gb.StopRule(hold=4), snapshots=0
    )
    return Experiment(
        f"omnigrok/start-{start:g}-decay-{decay:g}", config, seeds=tuple(range(n_seeds))
    )


def by_start(**settings: int) -> dict[float, Experiment]:
    """The runs at the usual decay, by the factor of their start."""
    return {start: run(start, **settings) for start in STARTS}


def by_decay(**settings: int) -> dict[float, Experiment]:
    """The runs from the usual start, by their weight decay."""
    return {decay: run(decay=decay, **settings) for decay in DECAYS}


def plan(p: int, steps: int, n_seeds: int) -> dict[str, Experiment]:
    """What the page asks for."""
    asked = {"p": p, "steps": steps, "n_seeds": n_seeds}
    return {
        run.name: run for runs in (by_start(**asked), by_decay(**asked)) for run in runs.values()
    }


RUNS = (by_start, by_decay)
"""What `grokbook record` trains and keeps in `data/records`."""


def medians(runs: Runs) -> np.ndarray:
    """The median grok step of each label, a run that never generalised as infinite, so that order
    alone counts."""
    return np.array(
        [np.median(times.grok_step.astype(float).fillna(np.inf)) for times in runs.values()]
    )


@claim(
    "OG1",
    PAPER,
    READING,
    section=FIRST,
    runs=by_start,
    through=gb.grok_times,
    says=(
        "median grok steps from the smallest start to the largest: {said}; the largest over the "
        "smallest {value:.1f}"
    ),
)
def start_delays(runs: Runs) -> Finding:
    """A network that starts with larger weights generalises later."""
    if not enough(*(runs[start] for start in STARTS)):
        return Finding("undecided", "there are fewer than three runs of a setting")
    steps = medians(runs)
    ratio = float(steps[-1] / steps[0])
    said = ", ".join(f"{step:.0f}" for step in steps)
    return judge(
        bool((np.diff(steps) > 0).all()), elsewhere=True, value=ratio, low=1, high=np.inf, said=said
    )


@claim(
    "OG2",
    PAPER,
    READING,
    section=SECOND,
    kind="number",
    published="-1",
    runs=by_decay,
    through=gb.grok_times,
    says=(
        "slope of the logarithm of the median grok step over that of the decay {value:.2f}; steps"
        " {said}"
    ),
    bars={"bar": (0.1, 0.5)},
)
def decay_is_inverse(runs: Runs, bar: float = 0.25) -> Finding:
    """The time to generalise is inversely proportional to the weight decay."""
    if not enough(*(runs[decay] for decay in DECAYS)):
        return Finding("undecided", "there are fewer than three runs of a setting")
    steps = medians(runs)
    slope = (
        float(np.polyfit(np.log(DECAYS), np.log(steps), 1)[0])
        if np.isfinite(steps).all()
        else float("nan")
    )
    said = ", ".join(f"{step:.0f}" for step in steps)
    return judge(
        abs(slope + 1) <= bar,
        corrected=bool((np.diff(steps) < 0).all()),
        elsewhere=True,
        value=slope,
        low=-1 - bar,
        high=-1 + bar,
        said=said,
    )


def curves(starts: Mapping[float, xr.Dataset]) -> Figure:
    """Training and test accuracy of each seed against the step, a panel a start."""
    fig, axes = plt.subplots(2, 2, figsize=(7.2, 5.2), sharex=True, sharey=True)
    for ax, (factor, runs) in zip(axes.flat, starts.items(), strict=True):
        for seed in runs.seed.values:
            one = runs.sel(seed=seed)
            ax.semilogx(one.step, one.train_accuracy, color="C0")
            ax.semilogx(one.step, one.test_accuracy, color="C1")
        ax.set_title(rf"$\alpha = {factor:g}$")
    for ax in axes[1]:
        ax.set_xlabel("step")
    for ax in axes[:, 0]:
        ax.set_ylabel("accuracy")
    fig.tight_layout()
    return fig


def steps_by_decay(decays: Mapping[float, xr.Dataset]) -> Figure:
    """The grok step of each seed against the decay, and the line $1/\\gamma$ through the first
    median that is known."""
    fig, ax = plt.subplots(figsize=(5, 3))
    line = None
    for decay, runs in decays.items():
        steps = gb.grok_times(runs).grok_step.astype(float)
        ax.loglog([decay] * len(steps), steps, "o", color="C1", ms=4)
        middle = np.median(steps.fillna(np.inf))
        if line is None and np.isfinite(middle):
            line = middle * decay
    if line is not None:
        gamma = np.array([*decays])
        ax.loglog(gamma, line / gamma, "--", color="0.5")
    ax.set(xlabel=r"weight decay $\gamma$", ylabel="grok step")
    ax.set_xticks([*decays], [f"{decay:g}" for decay in decays])
    ax.minorticks_off()
    return fig


def numbers(starts: Mapping[float, xr.Dataset], n_seeds: int) -> dict[str, Any]:
    """What the prose uses: median fit and grok steps of three starts."""
    found: dict[str, Any] = {"n_seeds": n_seeds}
    for name, factor in (("small", 0.5), ("usual", 1.0), ("large", 4.0)):
        times = gb.grok_times(starts[factor])
        for event in ("fit", "grok"):
            steps = times[f"{event}_step"]
            found[f"{event}_{name}"] = Number.median(steps, ",.0f", "(not reached)")
    return found
