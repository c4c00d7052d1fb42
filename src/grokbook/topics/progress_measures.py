"""Chapter 06: does any measure see generalisation coming? Live run, claims on MED, leads and lags as pictures."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
import pandas as pd
import seaborn as sns
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from grokbook.claims import Finding, Runs, claim, found, judge, load
from grokbook.claims.finding import UNDECIDED
from grokbook.experiments.lead_tasks import CONTROLS, lead_tasks, short_name, watched_run
from grokbook.experiments.observing import Observed
from grokbook.measures.lead_tables import LEVEL, alarm_summary, alarm_table, lead_table
from grokbook.plotting.style import COLOURS, panels, styled

FALLS = {"med": "falls"}
ENOUGH = 6
"""Runs that generalise with a delay below which nothing is concluded."""

MOST = 0.75
"""Share of the runs from which something counts as what happens."""

RUNS = (lead_tasks,)


def plan(p: int, train_fraction: float, d_model: int, steps: int, n_seeds: int) -> dict[str, Observed]:
    """Plan of chapter 06: the run that the page trains; `lead_tasks` is shown as far as it is recorded.

    Example:
        >>> list(plan(11, 0.6, 16, 500, 1))
        ['live']
    """
    sizes = {"train_fraction": train_fraction, "d_model": d_model, "steps": steps, "points": max(1, steps // 10)}
    return {"live": watched_run(p, label="live", n_seeds=n_seeds, **sizes)}


def tasks() -> dict[str, Observed]:
    """The ten tasks of `lead_tasks` by short name."""
    return {short_name(experiment): experiment for experiment in lead_tasks().values()}


def recorded_study() -> Runs:
    """What is recorded of the ten tasks, by short name; nothing is trained.

    Example:
        >>> len(recorded_study().experiments)
        10
    """
    return load(tasks())


# ---------------------------------------------------------------------------------------- claims

_JUDGED = {"section": "What the papers say", "runs": tasks}


def _too_few(count: int) -> Finding:
    said = "{count} runs that generalise with a delay are recorded; {needed} are needed"
    return judge(None, count=count, needed=ENOUGH).told(said)


@claim("G53", "gu2025", "section 4", **_JUDGED, seconds=3,
       says=(f"the lag test finds an association at p <= {LEVEL} in ",
             "{associated} of {runs} runs that generalise; half of MED's fall comes before half of the accuracy's ",
             "rise in {first}, and MED does not clearly fall around the rise in {still}"))  # fmt: skip
def captures_changes(runs: Mapping[str, xr.Dataset]) -> Finding:
    """MED directly shows changes of the test accuracy after the training accuracy has reached 1.

    After fitting, do MED's deviations from its trend go with those of the test accuracy (p <= 0.05 in most)?
    Associations that are not found do not refute, for the test has little power in short records; runs in which MED
    does not clearly fall while the accuracy rises do, where they are more than one in four.
    """
    rows = lead_table(runs, FALLS)
    rows = rows[rows.accuracy_step.notna()]
    if len(rows) < ENOUGH:
        return _too_few(len(rows))
    associated, moved = int((rows.p_value <= LEVEL).sum()), rows.share.dropna()
    share, still = associated / len(rows), len(rows) - len(moved)
    verdict = "holds" if share >= MOST else "fails" if still / len(rows) > 1 - MOST else UNDECIDED
    return found(verdict, share, associated=associated, runs=len(rows), first=int((moved > 0).sum()), still=still)


@claim("P15", "gu2024", "abstract, section 4.3", **_JUDGED, seconds=4,
       says=("an alarm at half of MED's median fall in the other tasks comes before half of the accuracy's rise in ",
             "{early} of {runs} runs that generalise, and goes off in {false} of {others} of tasks ",
             "chosen not to"))  # fmt: skip
def anticipates(runs: Mapping[str, xr.Dataset], controls: Collection[str] = CONTROLS) -> Finding:
    """MED is a robust hidden progress measure: a function that can anticipate grokking, for all operations.

    Does an alarm on MED, set by the other tasks, come before the accuracy's half way, and not in controls?
    """
    alarms = alarm_table(runs, FALLS, controls)
    generalise = int(alarms.accuracy_step.notna().sum())
    if generalise < ENOUGH:
        return _too_few(generalise)
    counts = alarm_summary(alarms).loc["med"]
    early, false = int(counts.early), int(counts["false"])
    share = early / generalise
    return judge(share >= MOST and not false, value=share, early=early, runs=generalise, false=false,
                 others=int(counts.others))  # fmt: skip


# ---------------------------------------------------------------------------------------- figures

STATES = {
    "not generalised": "never",
    "not fitted": "no fit",
    "no delay": "no delay",
    "not recorded": "too late",
    "undefined": "none",
    "other way": "other way",
    "no clear move": "no move",
}
"""What a cell without a lead says, by the state of its runs."""


def readable(name: str) -> str:
    """A measure's name as words.

    >>> readable("restricted_loss_now"), readable("normalised_med"), readable("med_gu2024")
    ('restricted loss now', 'normalised MED', 'MED (2024)')
    """
    words = name.replace("_", " ").replace(" ipr", " IPR").replace("gu2024", "(2024)").split(" ")
    return " ".join("MED" if word == "med" else word for word in words)


@styled
def progress_curves(run: xr.Dataset, rows: pd.DataFrame, columns: int = 3) -> Figure:
    """Accuracies and every measure of one run (dim `step`), with the events that a lead time is made of.

    `rows` has a row a measure (from `lead_rows`): the fit step and the accuracy's half way are dotted lines in all
    panels, blue and vermilion; a measure's own half way is a dashed green line, where it has one.
    """
    used = len(rows) + 1
    count = -(-used // columns)
    fig, axes = panels(count, columns, height=1.35 * count + 0.4, sharex=True)
    flat = axes.ravel()
    _accuracies(flat[0], run)
    flat[0].set_title("accuracy", fontsize=9)
    for ax, (_, row) in zip(flat[1:], rows.iterrows(), strict=False):
        ax.plot(run.step, run[row.measure], color=_colour(row.measure), lw=1.1)
        ax.set_title(readable(row.measure), fontsize=9)
        if row.state == "ok":
            ax.axvline(row.measure_step, color=COLOURS["measure"], ls="--", lw=1.1)
        else:
            ax.annotate(STATES[row.state], (0.97, 0.82), xycoords="axes fraction", ha="right", fontsize=8)
    for ax in flat[:used]:
        _events(ax, rows.iloc[0])
        ax.tick_params(labelsize=7.5)
    for ax in flat[used:]:
        ax.set_visible(False)
    for ax in flat[max(used - columns, 0) : used]:
        ax.set_xlabel("optimiser step", fontsize=8.5)
        ax.tick_params(labelbottom=True)
    fig.legend(*flat[0].get_legend_handles_labels(), loc="outside upper center", ncols=2, fontsize=8.5)
    return fig


def _accuracies(ax: Axes, run: xr.Dataset, labelled: bool = True) -> None:
    for name, label in (("train", "training set"), ("test", "test set")):
        ax.plot(run.step, run[f"{name}_accuracy"], color=COLOURS[name], label=label if labelled else None)


def _colour(name: str) -> str:
    return COLOURS["norm" if name.endswith("norm") else "test" if name == "test_loss" else "measure"]


def _events(ax: Axes, row: pd.Series) -> None:
    for column, colour in (("fit_step", "train"), ("accuracy_step", "test")):
        if pd.notna(row[column]):
            ax.axvline(row[column], color=COLOURS[colour], ls=":", lw=1.1)


@styled
def lead_summary(rows: pd.DataFrame, summary: pd.DataFrame) -> Figure:
    """Left: lead of every measure in every run (dots; a row of dots a measure), its median over runs and its null.

    Leads are shares of the accuracy's own time after fitting; positive is earlier than the accuracy. The grey bar is
    the 5 to 95 % range of the median when measures are matched with the accuracies of other runs. The numbers at the
    right edge are runs with a lead, of runs that generalise with a delay. Right: the share of runs whose increments
    are associated with the accuracy's at p <= 0.05, with the 5 % that chance gives as a dashed line.
    """
    names = list(summary.index)
    height = 0.36 * len(names) + 1.1
    fig, axes = panels(1, 2, height=height, sharey=True, width_ratios=[3.2, 1])
    left, right = axes[0]
    width = (summary.null_high - summary.null_low).to_numpy(dtype=float)
    left.barh(names, width, left=summary.null_low, height=0.72, color=COLOURS["quiet"], alpha=0.45, lw=0)
    one = dict.fromkeys(rows.task.unique(), COLOURS["measure"])
    dots = {"dodge": True, "jitter": False, "size": 2.6, "alpha": 0.65, "linewidth": 0, "legend": False}
    sns.stripplot(rows, x="share", y="measure", order=names, hue="task", palette=one, ax=left, **dots)
    for y, name in enumerate(names):
        row = summary.loc[name]
        left.plot([row["median"]] * 2, [y - 0.36, y + 0.36], color=COLOURS["theory"], lw=1.8, solid_capstyle="butt")
        left.annotate(f"{row.defined} of {row.runs}", (1.28, y), ha="right", va="center", fontsize=7.5)
        share = row.associated / row.tested if row.tested else np.nan
        right.barh(y, share, height=0.55, color=COLOURS["measure"], alpha=0.7)
        if not row.tested:
            right.annotate("not defined", (0.03, y), fontsize=7.5, va="center", color=COLOURS["theory"])
    right.axvline(0.05, color=COLOURS["theory"], ls="--", lw=1)
    right.set(xlim=(0, 1), xlabel="runs with $p \\leq 0.05$")
    left.axvline(0, color=COLOURS["test"], lw=1, ls=":")
    left.set(xlim=(-1.08, 1.3), ylim=(len(names) - 0.4, -0.6), ylabel="")
    left.set_yticks(range(len(names)), [readable(name) for name in names], fontsize=8.5)
    left.set_xlabel("lead / time from fitting to half accuracy")
    return fig


@styled
def lead_cells(rows: pd.DataFrame) -> Figure:
    """Measure x task: the median lead over seeds (colour: share of the accuracy's time; number: steps).

    A cell in which no seed has a lead is hatched and says why; a number with a star has fewer seeds than the others.
    """
    grouped = rows.groupby(["measure", "task"], sort=False)
    order = {"index": list(rows.measure.unique()), "columns": list(rows.task.unique())}
    shares = grouped.share.median().unstack("task").reindex(**order).astype(float)
    texts = grouped.apply(_number, include_groups=False).unstack("task").reindex(**order)
    fig, axes = panels(1, 1, height=0.34 * len(shares) + 2.1)
    ax = axes[0, 0]
    bar = {"label": "lead / time to half accuracy", "pad": 0.01, "fraction": 0.03}
    sns.heatmap(shares, cmap="PuOr", vmin=-1, vmax=1, annot=texts, fmt="", annot_kws={"fontsize": 7.5}, cbar_kws=bar,
                xticklabels=order["columns"], ax=ax)  # fmt: skip
    for (measure, task), group in grouped:
        if group.lead.isna().all():
            _hatch(ax, order["columns"].index(task), order["index"].index(measure), group)
    ax.set(xlabel="", ylabel="")
    ax.set_xticks(ax.get_xticks(), order["columns"], rotation=35, ha="right", fontsize=8)
    ax.set_yticks(np.arange(len(shares)) + 0.5, [readable(name) for name in order["index"]], fontsize=8.5, rotation=0)
    ax.grid(False)
    return fig


def _number(group: pd.DataFrame) -> str:
    """The median lead of a cell in steps, with a star where a seed has none."""
    leads = group.lead.dropna().astype(float)
    return f"{leads.median():.0f}{'*' * (len(leads) < len(group))}" if len(leads) else ""


def _hatch(ax: Axes, x: int, y: int, group: pd.DataFrame) -> None:
    """A cell without a lead: hatched, with the reason."""
    ax.add_patch(Rectangle((x, y), 1, 1, fc="white", ec=COLOURS["quiet"], hatch="////", lw=0, alpha=0.6))
    states = group.state[group.accuracy_step.notna()] if group.accuracy_step.notna().any() else group.state
    words = STATES[states.mode().iloc[0]].replace(" ", "\n")
    middle = {"ha": "center", "va": "center", "linespacing": 0.85}
    ax.text(x + 0.5, y + 0.5, words, fontsize=6, color=COLOURS["theory"], **middle)


@styled
def own_measure(dataset: xr.Dataset, names: Mapping[str, str]) -> Figure:
    """A few measures of one dataset under its accuracies, every seed: name -> label of the axis."""
    fig, axes = panels(1 + len(names), 1, height=1.7 * (1 + len(names)), sharex=True)
    top, *others = axes[:, 0]
    for number, seed in enumerate(dataset.seed.values):
        run = dataset.sel(seed=seed)
        _accuracies(top, run, labelled=not number)
        for ax, name in zip(others, names, strict=True):
            ax.plot(run.step, run[name], color=COLOURS["measure"])
    for ax, label in zip(others, names.values(), strict=True):
        ax.set_ylabel(label)
    top.set_ylabel("accuracy")
    top.legend(loc="center right")
    axes[-1, 0].set_xlabel("optimiser step")
    return fig
