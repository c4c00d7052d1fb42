r"""Does it stick: the free runs of benches Q and T, and of T without LayerNorm, long after they
generalise.

A run goes on to `TIMES` times the latest grok step of the bench's free runs, and is asked about the
window from its own grok step to `TIMES` times that step, or to its end if that comes first. The
accuracy is logged every fifth step on Q, every tenth on the others: shorter falls are not seen.

The rule, fixed before the first of these runs. `occupancy` is the share of logged steps of the
window at or above the threshold of 95 %, `falls` the number of stretches below it, `deepest` the
least accuracy in them. A run has lost it where a stretch is longer than three logged steps
(`reverted_step`). Predicted: on Q no run loses it; on T most do, and T falls more often than the
same network without LayerNorm, which is the direction of published counts (33 to 55 falls in 50,000
steps with it, 1 to 4 without), whose networks are other ones. Twelve seeds see "most" lose it, nine
or more of twelve, with a chance of 0.91 where each does with 0.85.

At the size of chapter 2 (`larger`): p = 59, width 64, with LayerNorm and without, three seeds,
followed to step `LAST`. The rule, fixed before these runs: LayerNorm makes it fall more often where
its least count of falls is above the greatest without it, which is so by chance in one of twenty
draws. Predicted is that it does, in the direction of the published counts; theirs are set beside
ours as falls in 50,000 steps of the window. Three seeds decide no more than that. Cost, measured
before: about 16 ms a step and run, 16 minutes of one core in all.

What came of it: 2 to 4 falls with LayerNorm, 1 or 2 without, in windows of half the length. The
least of the first is not above the greatest of the second, so it is open.
"""

from __future__ import annotations

import dataclasses
from functools import partial

import numpy as np
import pandas as pd
import xarray as xr

from companion.claims import Finding, Runs, claim, judge
from companion.claims.finding import Part, decided, some_of
from grokbook.curves.delay import ROUNDING, THRESHOLD, grok_times
from grokbook.models.layer_norm import GroupedShape, NormedShape
from grokbook.runs.experiment import Experiment, Experiments
from grokbook.training.schedule import Schedule
from grokbook_chapters.causes.handed import donors, middle
from grokbook_chapters.causes.runs import SEEDS, free, recorded_as
from grokbook_chapters.gu2025 import modular_run

TIMES = 10
BENCHES = {"Q": "Q", "T": "T: with LayerNorm", "N": "T without LayerNorm"}
EVERY = {"Q": 5, "T": 10, "N": 10}
KEPT = ("train_accuracy", "test_accuracy")


def stays(bench: str) -> Experiments:
    """The free run of a bench, going on; "N" is bench T without LayerNorm."""
    of = "Q" if bench == "Q" else "T"
    config = free(of)
    if bench == "N":
        config = dataclasses.replace(config, model=GroupedShape(config.model.p, 32))
    last = TIMES * int(donors(of).grok_step.max())
    log = Schedule(dense_until=last, dense_every=EVERY[bench])
    config = dataclasses.replace(config, steps=last, log=log, stop=None)
    return recorded_as("causes/stays", {bench: config}, KEPT)


LARGER = {"P": NormedShape, "PN": GroupedShape}
"""The transformer of p = 59 with LayerNorm and without."""

LAST = 10_000
"""Its last step."""


def larger() -> Experiments:
    """The transformer of chapter 2's size on whole unordered pairs, with LayerNorm and without."""
    found = {}
    for bench, network in LARGER.items():
        config = modular_run(59, 0.75, d_model=64, steps=LAST, split="symmetric")
        log = Schedule(dense_until=LAST, dense_every=10)
        config = dataclasses.replace(config, model=network(59, 64), log=log, snapshots=0)
        name = f"causes/stays[{bench}]"
        found[bench] = Experiment(name, config, (0, 1, 2), together=True, kept=KEPT)
    return found


RUNS = (*(partial(stays, bench) for bench in BENCHES), larger)


def after(data: xr.Dataset) -> pd.DataFrame:
    """`grok_times` of some runs, with what comes after: `followed`, `occupancy`, `falls`,
    `deepest`.

    `followed` is the last step of the window over the grok step. A run that did not generalise has
    none of them.
    """
    table = grok_times(data)
    rows = []
    for seed, run in table.iterrows():
        if pd.isna(run.grok_step):
            rows.append(dict.fromkeys(("followed", "occupancy", "falls", "deepest"), np.nan))
            continue
        last = min(TIMES * run.grok_step, run.last_step)
        curve = data.test_accuracy.sel(seed=seed, step=slice(run.grok_step, last)).values
        high = curve >= THRESHOLD - ROUNDING
        begun = high[:-1] & ~high[1:]
        row = {
            "followed": last / run.grok_step,
            "occupancy": high.mean(),
            "falls": int(begun.sum()),
            "deepest": float(curve.min()),
        }
        rows.append(row)
    return table.join(pd.DataFrame(rows, index=table.index))


def lost(table: pd.DataFrame) -> pd.Series:
    """Whether each run that generalises lost it within its window."""
    there = table[table.grok_step.notna()]
    return (there.reverted_step <= TIMES * there.grok_step).fillna(False).astype(bool)


def falls_in(table: pd.DataFrame, steps: int) -> pd.Series:
    """Falls of each run in so many steps after its grok step, by those of its window."""
    window = (table.followed - 1) * table.grok_step.astype(float)
    return table.falls * steps / window


def falls_more(first: pd.DataFrame | None, second: pd.DataFrame | None) -> Part:
    """Whether some runs fall more often than others: True where their least count of falls is above
    the greatest of the others, False where none is above the others' least, None where a run has
    not generalised."""
    if first is None or second is None:
        return None
    if first.falls.isna().any() or second.falls.isna().any():
        return None
    return decided(first.falls.min() > second.falls.max(), first.falls.max() <= second.falls.min())


def staying(table: pd.DataFrame) -> pd.DataFrame:
    """Grok times where a run has generalised only when it also stays, as far as its record goes:
    the grok step is that at which its last stay began, and there is none where it was lost at the
    end.

    `table` is one of `grok_times`.
    """
    return table.assign(grok_step=table.settled_step, delay=table.settled_step - table.fit_step)


OURS = {
    "rule_changed": "2026-11-29T20:13:02 6f3e7a68",
    "place": "chapter 19",
    "section": "How long, and does it stay?",
    "origin": "ours",
    "through": after,
    "says": "{said}",
}


def asked(*benches: str) -> Experiments:
    """The runs of some benches by bench."""
    experiments = {}
    for bench in benches:
        experiments |= stays(bench)
    return experiments


def told(table: pd.DataFrame, bench: str) -> str:
    """What the runs of a bench did, in words."""
    known = table[table.grok_step.notna()]
    gone = lost(table)
    return (
        f"{bench}: {some_of(gone)} lost it, occupancy {known.occupancy.median():.3f},"
        f" {known.falls.median():.0f} falls, deepest {known.deepest.min():.2f}"
    )


@claim("C07", "gu2025", runs=partial(asked, "Q"), **OURS)
def it_stays(runs: Runs) -> Finding:
    """On bench Q no run loses what it has generalised before ten times its grok step."""
    table = runs["Q"]
    if table is None:
        return judge(None, said="")
    gone = lost(table)
    whole = len(gone) == SEEDS or None
    return judge(not gone.any() and whole, said=told(table, "Q"))


@claim("C08", "gu2025", runs=partial(asked, "T", "N"), **OURS)
def layer_norm(runs: Runs) -> Finding:
    """On bench T most runs lose what they have generalised before ten times their grok step, and
    their accuracy falls more often than in the same network without LayerNorm."""
    with_it = runs["T"]
    without = runs["N"]
    if with_it is None:
        return judge(None, said="")
    gone = lost(with_it)
    most: Part = None
    if len(gone) == SEEDS:
        most = decided(gone.sum() >= 9, gone.sum() <= 3)
    if without is None:
        return judge(most, None, said=told(with_it, "T"))
    _, low, high = middle((with_it.falls - without.falls).dropna())
    more = decided(low > 0, high < 0)
    return judge(most, more, said=f"{told(with_it, 'T')}; {told(without, 'without')}")
