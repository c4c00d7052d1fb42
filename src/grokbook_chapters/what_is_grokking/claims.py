"""What chapter 01 plans and checks: one run, its delay, where a random split begins to grok."""

from __future__ import annotations

import dataclasses

import pandas as pd
import xarray as xr

from companion.claims import Finding, Runs, claim, judge
from grokbook.curves.delay import ONSET, grok_times, median_step
from grokbook.curves.limits import limits_table
from grokbook.plotting.moving import MOST_FRAMES
from grokbook.runs.experiment import Experiments
from grokbook_chapters.gu2025 import fig5, fresh_fig5, live_run

ALL_SEEDS = 19  # of the papers' size, all that are recorded


def plan(p: int, train_fraction: float, d_model: int, steps: int, n_seeds: int) -> Experiments:
    """The live run on a symmetric split, a random split that shows as many unordered pairs, and the
    recorded run.

    A random split of a share a shows the share 1 - (1 - a)^2 of the unordered pairs {i, j} in at
    least one order.
    """
    alike = round(1 - (1 - train_fraction) ** 0.5, 12)
    live = live_run(p, train_fraction, d_model, steps, n_seeds, split="symmetric")
    config = dataclasses.replace(live.config, snapshots=MOST_FRAMES)
    return {
        "live": dataclasses.replace(live, config=config),
        "random": live_run(p, alike, d_model, steps, n_seeds),
        "paper": fig5(97, n_seeds=ALL_SEEDS),
    }


# The epoch around which the accuracy "begins to rise steadily" with a random split of 30 % (section
# 6.1).
PRINTED_ONSET = 5000

RULE = "2026-11-29T06:44:52 5ba1372c"  # when it was last changed: after the nine runs were made

# The book's two onsets: test cells with an untrained transpose, where copying cannot help; the
# whole test set.
ONSETS = ("fresh cells", "all cells")


def onsets(data: xr.Dataset) -> pd.DataFrame:
    """When the test accuracy begins to rise, by both definitions: a row a seed, NA for not by
    `last_step`.

    `fresh cells`: the first stay of the accuracy on cells with an untrained transpose at `ONSET` or
    above; `all cells`: the first stay of the test accuracy five points above its plateau (GO-Epoch
    as chapter 4b reads it).
    """
    fresh = data.assign(test_accuracy=data.test_accuracy_unmirrored)
    limits = limits_table(data)
    columns = {
        "fresh cells": grok_times(fresh, threshold=ONSET).grok_step,
        "all cells": limits.onset,
        "last_step": limits.last_step,
    }
    return pd.DataFrame(columns)


def reached_by_a_seed(steps: pd.Series) -> bool:
    """Whether the printed onset lies in the range of the seeds, where a run that is not there
    counts as later.

    Example:
        >>> reached_by_a_seed(pd.Series([900, 6000])), reached_by_a_seed(pd.Series([900, 1000]))
        (True, False)
    """
    not_later = (steps <= PRINTED_ONSET).fillna(False)
    sooner = (steps < PRINTED_ONSET).fillna(False)
    return bool(not_later.any() and not sooner.all())


@claim(
    "G35",
    "gu2025",
    "section 6.1",
    section="At the paper's size",
    kind="number",
    runs=lambda: {"30 %": fresh_fig5()},
    through=onsets,
    published="5000",
    bars={"around": (500, 2000)},
    rule_changed=RULE,
    says=(
        "steps from which {share:.0%} of the test cells with an untrained transpose are right: "
        "{fresh}; from which the test accuracy is five points above its plateau: {all}; their "
        "medians over {count} runs are {medians}; 5,000 lies in the range of the seeds by {among} "
        "of the two; with another width: {bars}"
    ),
)
def onset_of_random_split(runs: Runs, *, around: int = 1000) -> Finding:
    """At p = 97 and a random 30 % the test accuracy "begins to rise steadily around epoch 5000".

    The paper defines neither a rise nor "around". It holds where the median run (one that is not
    there counts as later) is within `around` steps by both of `ONSETS`, of nine fresh seeds. Five
    others had been seen. A definition whose median is farther off decides only where 5000 lies
    outside the range of its seeds, as the paper shows one run. So it holds with correction where
    one definition is near and the other excluded, and fails where both are excluded. The condition
    on the range was added after these runs; before, the median alone gave "holds with correction".
    """
    table = runs["30 %"]
    last = int(table.last_step.max())
    near = []
    clear = []
    among = 0
    medians = []
    for name in ONSETS:
        median = median_step(table, name)
        is_near = median is not None and abs(median - PRINTED_ONSET) <= around
        in_range = reached_by_a_seed(table[name])
        near.append(is_near)
        clear.append(is_near or not in_range)
        among += in_range
        medians.append("later" if median is None else f"{median:,.0f}")
    decides = all(clear) and len(table) >= len(fresh_fig5().seeds)
    return judge(
        all(near) if decides else None,
        corrected=any(near),
        value=median_step(table, ONSETS[0]),
        low=PRINTED_ONSET - around,
        high=PRINTED_ONSET + around,
        share=ONSET,
        medians=" and ".join(medians),
        count=len(table),
        among=among,
        fresh=_steps(table["fresh cells"], last),
        all=_steps(table["all cells"], last),
    )


def _steps(steps: pd.Series, last: int) -> str:
    """The onsets in order, and how many runs have none by the last step."""
    known = ", ".join(f"{step:,}" for step in sorted(steps.dropna()))
    absent = steps.isna().sum()
    return f"{known} ({absent} of {len(steps)} runs: not by step {last:,})" if absent else known
