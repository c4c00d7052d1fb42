"""Chapter 06: does any measure see generalisation coming? Live run, claims on MED, events of many runs as pictures."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from grokbook.claims import Finding, Runs, claim, judge, load
from grokbook.measures.registry import claimed_directions
from grokbook.plotting.style import COLOURS, panels, styled
from grokbook.runs.experiment import Experiment
from grokbook.runs.gu2025 import fig5, operations
from grokbook.runs.lead import CONTROL_WAYS
from grokbook.runs.lead_tables import LEVEL, SAYS, event_table, in_words, readable, summary_table
from grokbook.runs.lead_tasks import CONTROLS, lead_tasks, short_name, watched_run
from grokbook.runs.observing import Observed

FALLS = {"med": "falls"}
ENOUGH = 6
"""Runs that generalise with a delay below which nothing is concluded."""

FRESH = {"add, separate tokens, p=47": range(10, 20), "subtract, p=47": range(10, 20)}
FRESH |= dict.fromkeys(CONTROLS, range(3, 6))
"""Seeds of four tasks that were made after the rule of the claims; the runs before them were looked at to find it."""

RULE = "2026-11-24T19:32:33+00:00 19243eb"
"""When this rule was fixed: largest moves, one look, p at most `LEVEL`."""

LEFT_OUT = ("med_gu2024", "med_code_base", "restricted_loss", "excluded_loss")
"""Measures the tables do without: other forms of MED, and losses at frequencies that are known afterwards only."""



def tasks() -> dict[str, Observed]:
    """The ten tasks of `lead_tasks` by short name, with the `FRESH` seeds."""
    named = {short_name(experiment): experiment for experiment in lead_tasks().values()}
    return {name: replace(one, seeds=one.seeds + tuple(FRESH.get(name, ()))) for name, one in named.items()}


RUNS = (tasks,)


def plan(p: int, train_fraction: float, d_model: int, steps: int, n_seeds: int) -> dict[str, Observed]:
    """Plan of chapter 06: the run that the page trains; `lead_tasks` is shown as far as it is recorded.

    Example:
        >>> list(plan(11, 0.6, 16, 500, 1))
        ['live']
    """
    sizes = {"train_fraction": train_fraction, "d_model": d_model, "steps": steps, "points": max(1, steps // 10)}
    return {"live": watched_run(p, label="live", n_seeds=n_seeds, **sizes)}


def recorded_study() -> Runs:
    """What is recorded of the ten tasks, by short name; nothing is trained.

    Example:
        >>> len(recorded_study().experiments)
        10
    """
    return load(tasks())


def directions() -> dict[str, str]:
    """The measures that the tables compare, with the way each is claimed to move.

    Example:
        >>> directions()["med"], len(directions())
        ('falls', 11)
    """
    return {name: way for name, way in claimed_directions().items() if name not in LEFT_OUT}


# ---------------------------------------------------------------------------------------- claims

_JUDGED = {"section": "What the papers say", "runs": tasks, "seconds": 4, "bars": {"share": (0.25, 0.75)},
           "rule_changed": RULE}  # fmt: skip


def own_size() -> dict[str, Experiment]:
    """The runs of Gu et al.'s own size: addition modulo 97, and other operations."""
    return {"gu2025/fig5[p=97]": fig5(97)} | operations()


def _associated(row: pd.Series) -> bool | None:
    """Is MED early where the accuracy is? Not found is not refuted; late where the accuracy is early is."""
    return True if row.p_value <= LEVEL else False if row.tau < 0 and row.p_value >= 1 - LEVEL else None


def _row(runs: Runs, share: float) -> pd.Series:
    """MED's row of `summary_table` on the small runs, with how often it is first in those of the papers' size."""
    small, large = ({k: data for k, data in runs.items() if (k in own_size()) is own} for own in (False, True))
    none = pd.Series({"runs": 0, "first": 0, "tau": np.nan, "p_value": np.nan, "anyway": "no", "says": ""})
    row = summary_table(event_table(small, FALLS, share=share), CONTROLS).loc["med"] if small else none
    lead = event_table(large, FALLS).query("generalises").lead if large else pd.Series(dtype=float)
    return pd.concat([row, pd.Series({"large_first": int((lead > 0).sum()), "large": len(lead), "needed": ENOUGH})])


@claim("G53", "gu2025", "section 4", **_JUDGED, says=(
    "rank correlation, within tasks, of the step at which MED has made half of its fall with that at which the ",
    "accuracy has made half of its rise: {tau:.2f} (p = {p_value:.2g}; {runs} runs that generalise, {needed} are ",
    "needed); at another share of both moves: {bars}"))  # fmt: skip
def captures_changes(runs: Runs, *, share: float = 0.5) -> Finding:
    """MED "straightforwardly captures changes in test accuracy after training accuracy reaches 1".

    Our reading, for synchrony: within a task, MED falls early in the runs in which the accuracy rises early.
    """
    row = _row(runs, share)
    return judge(_associated(row) if row.runs >= ENOUGH else None, value=float(row.tau), **row.drop("says"))


@claim("P15", "gu2024", "abstract", **_JUDGED, beside=own_size, says=(
    "MED has made half of its fall before the accuracy half of its rise in {first} of {runs} small runs that ",
    "generalise ({needed} are needed; in {large_first} of {large} of the papers' size, modulus 97); it falls as far ",
    "in {anyway} runs chosen not to; at another share of both moves: {bars}"))  # fmt: skip
def anticipates(runs: Runs, *, share: float = 0.5) -> Finding:
    """MED is "a robust hidden progress measure"; the abstract glosses the term as "a function that can anticipate the
    occurrence of grokking".

    Our reading of that gloss: as G53, and MED has made half of its fall first in more than half of the runs that
    generalise. Definition 5 of the paper asks for no lead. Judged on small networks; those of its own size are told.
    """
    row = _row(runs, share)
    parts = (_associated(row), bool(row["first"] > row.runs / 2)) if row.runs >= ENOUGH else (None,)
    return judge(*parts, value=float(row.tau), **row.drop("says"))


_WITH = {
    "holds": "within a task MED falls early in the runs that generalise early: it goes with the accuracy.",
    "fails": "within a task MED falls late in the runs that generalise early: it does not go with the accuracy.",
}
_BEFORE = {
    "holds": "It also comes first in most of them: it anticipates.",
    "fails": "It does not anticipate: in most runs that generalise the accuracy is first.",
}
_OPEN = "the recorded runs do not decide whether MED goes with the test accuracy."


def answer(said: pd.DataFrame) -> str:
    """The chapter's answer in a box, from the ledger's rows G53 and P15 (index id): what was claimed, what was found.

    Example:
        >>> rows = {"verdict": ["holds", "fails"], "evidence": ["both moves: at 0.25 undecided", ""]}
        >>> print(answer(pd.DataFrame(rows, index=["G53", "P15"])).split(". ")[-2])
        It does not anticipate: in most runs that generalise the accuracy is first
    """
    claimed = (
        "The papers say that MED captures the changes of the test accuracy; by one abstract's gloss of the term, a "
        "progress measure anticipates them"
    )
    found_with = _WITH.get(said.verdict["G53"], _OPEN)
    late = "So it cannot anticipate." if said.verdict["G53"] == "fails" else "Whether it anticipates is not decided."
    before = late if said.verdict["G53"] == "fails" else _BEFORE.get(said.verdict["P15"], late)
    _, told, others = said.evidence["G53"].rpartition("both moves: ")
    sure = "The networks are small, and that half of a move counts is our choice"
    sure += f" (the first verdict {others})." if told else "."
    return f"> **Answer.** {claimed}. In our runs, {found_with} {before} {sure}"


_TELL = {True: "The controls come out as they must, so the test can tell.",
         False: "The controls do not come out as they must on these runs, so the test cannot tell."}  # fmt: skip
_MUST = {"oracle": "goes with it", "oracle_early": "sees it coming", "clock": "early, as a clock"}
_GROUPS = {
    "sees it coming": "See it coming, that is, go with the accuracy and are first",
    "goes with it": "Go with it, and are not first",
    "early, as a clock": "Are first, and not seen to go with the accuracy, as a clock is not",
    "neither": "Are neither first nor seen to go with it",
}
_PARTS = {
    (True, True): "Both go with the accuracy.",
    (True, False): "The length goes with the accuracy; the quotient is not seen to.",
    (False, True): "The quotient goes with the accuracy; the length is not seen to.",
    (False, False): "By themselves, neither is seen to go with the accuracy.",
}


def come_out(summary: pd.DataFrame) -> str:
    """What comes out of the table of the measures, as whole sentences: the controls, then who does what."""
    own = summary[~summary.index.isin(CONTROL_WAYS)]
    told = [_TELL[all(summary.says[name] == word for name, word in _MUST.items())], ""]
    if not (own.says == SAYS[True, True]).any():
        told[0] += " No measure sees it coming."
    told += [f"- {said}: {in_words(own.index[own.says == word])}." for word, said in _GROUPS.items()
             if (own.says == word).any()]  # fmt: skip
    both = own[(own.says == SAYS[True, True]) & ~own.anyway.str.startswith(("0 ", "not"))]
    told += [f"\nIn runs chosen not to generalise, {readable(name)} moves as far in {row.anyway}: it also sees coming "
             "what does not come." for name, row in both.iterrows()]  # fmt: skip
    return "\n".join(told)


_UNTESTED = "The least quotient over all renamings does not; it is not logged at each step, and so not tested here."


def arrangement(summary: pd.DataFrame) -> str:
    """Whether measures of arrangement without a scale go with the accuracy: MED's quotient, and two without names."""
    goes = summary.p_value[["normalised_med", "fourier_ipr", "effective_dimension"]] <= LEVEL
    quotient = "goes with it" if goes.iloc[0] else "is not seen to (its row)"
    others = ("neither is seen to go", "one goes", "both go")[int(goes.iloc[1:].sum())]
    return (
        f"The quotient {quotient}; but by chapter 5 it depends on the names of the frequencies. {_UNTESTED} Of Fourier "
        f"IPR and effective dimension, which no renaming changes, {others} with the accuracy."
    )


def own_told(rows: pd.DataFrame, what: str) -> str:
    """Whether a reader's measure makes a lasting fall, in a sentence, from its rows of an event table.

    Example:
        >>> own_told(pd.DataFrame({"measure_delay": [np.inf]}), "the share")
        'Here the share makes no lasting fall within the record.'
    """
    moved, count = int(np.isfinite(rows.measure_delay).sum()), len(rows)
    some = "no lasting fall within the record" if not moved else "a lasting fall"
    return f"Here {what} makes {some}{f' in {moved} of {count} runs' if 0 < moved < count else ''}."


def parts_of_med(summary: pd.DataFrame) -> str:
    """MED beside the mean length of the vectors and their quotient: its numbers, and which part goes with the accuracy.

    Example:
        >>> names = ["med", "embedding_norm", "normalised_med"]
        >>> numbers = {"tau": [0.3, 0.4, 0.1], "p_value": [0.01, 0.01, 0.4], "first": [2, 3, 4], "runs": [9, 9, 9]}
        >>> parts_of_med(pd.DataFrame(numbers, names)).split(". ")[-1]
        'The length goes with the accuracy; the quotient is not seen to.'
    """
    tau = {name: f"{summary.tau[name]:.2f}" for name in ("med", "embedding_norm", "normalised_med")}
    part = tuple(bool(summary.p_value[name] <= LEVEL) for name in ("embedding_norm", "normalised_med"))
    return (
        f"MED has $\\tau$ = {tau['med']} and is first in {summary['first']['med']} of {summary.runs['med']} runs. Of "
        f"its two parts, as in chapter 5, the mean length of the vectors has {tau['embedding_norm']}, their quotient "
        f"{tau['normalised_med']}. {_PARTS[part]}"
    )


# ---------------------------------------------------------------------------------------- figures


@styled
def progress_curves(run: xr.Dataset, rows: pd.DataFrame, columns: int = 3) -> Figure:
    """Accuracies and some measures of one run (dim `step`), with the events that a lead is made of.

    `rows` has a row a measure (from `events`): fitting and the accuracy's half way are dotted lines in all panels,
    blue and vermilion; a measure's own half way is a dashed green line, where it has one.
    """
    used = len(rows) + 1
    count = -(-used // columns)
    fig, axes = panels(count, columns, height=1.5 * count + 0.4, sharex=True)
    flat = axes.ravel()
    _accuracies(flat[0], run)
    flat[0].set_title("accuracy", fontsize=9)
    for ax, (_, row) in zip(flat[1:], rows.iterrows(), strict=False):
        ax.plot(run.step, run[row.measure], color=_colour(row.measure), lw=1.1)
        ax.set_title(readable(row.measure), fontsize=9)
        if np.isfinite(row.measure_delay):
            ax.axvline(row.fit_step + row.measure_delay, color=COLOURS["measure"], ls="--", lw=1.1)
        else:
            ax.annotate("no move", (0.97, 0.82), xycoords="axes fraction", ha="right", fontsize=8)
    for ax in flat[:used]:
        _marked(ax, rows.iloc[0])
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


def _marked(ax: Axes, row: pd.Series) -> None:
    """The step of fitting and the accuracy's half way, as dotted lines."""
    for step, colour in ((row.fit_step, "train"), (row.fit_step + row.accuracy_delay, "test")):
        if np.isfinite(step):
            ax.axvline(step, color=COLOURS[colour], ls=":", lw=1.1)


@styled
def events_against(rows: pd.DataFrame, names: Collection[str], columns: int = 3) -> Figure:
    """When each measure is half way against when the accuracy is, in steps after fitting; a panel a measure.

    On the dotted diagonal both are at once; below it the measure is first. A dot is a run, of a control in grey. A
    hollow dot at an edge is a run in which the measure (top) or the accuracy (right) does not get there.
    """
    known = rows[["measure_delay", "accuracy_delay"]].replace(np.inf, np.nan)
    end = 1.08 * float(known.max(axis=None))
    count = -(-len(names) // columns)
    fig, axes = panels(count, columns, height=2.2 * count, sharex=True, sharey=True)
    for ax, name in zip(axes.ravel(), names, strict=False):
        part = rows[(rows.measure == name) & rows.measure_delay.notna()]
        there = np.isfinite(part.measure_delay) & np.isfinite(part.accuracy_delay)
        colour = COLOURS["quiet" if name.startswith(("oracle", "clock")) else "measure"]
        x, y = part.accuracy_delay.clip(upper=end), part.measure_delay.clip(upper=end)
        ax.plot([0, end], [0, end], color=COLOURS["test"], ls=":", lw=1)
        ax.plot(x[there], y[there], "o", ms=4, color=colour, alpha=0.8)
        ax.plot(x[~there], y[~there], "o", ms=4, mfc="none", color=colour, alpha=0.8)
        ax.set_title(readable(name), fontsize=9)
    for ax in axes[-1]:
        ax.set_xlabel("steps to half of the accuracy", fontsize=8.5)
    for ax in axes[:, 0]:
        ax.set_ylabel("steps to half of the measure", fontsize=8.5)
    return fig


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
