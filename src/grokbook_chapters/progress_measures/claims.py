"""What the papers say of MED as a progress measure: that it goes with the test accuracy, and that
it comes first."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from companion.claims import Finding, Runs, band, claim, judge
from companion.claims.finding import Part, agreed, reaches
from grokbook.curves.lead import RankTest, event_table, ranked
from grokbook_chapters.lead_tasks import CONTROLS
from grokbook_chapters.progress_measures.refitted import read_out_times
from grokbook_chapters.progress_measures.runs import own_size, read_outs, tasks
from grokbook_chapters.progress_measures.tables import LEVEL, SHARES, summary_table

FALLS = {"med": "falls"}
ENOUGH = 6  # runs that generalise with a delay below which nothing is concluded

_JUDGED = {
    "section": "At the papers' own size",
    "runs": own_size,
    "beside": tasks,
    "seconds": 8,
    "rule_changed": "2026-11-30T11:01:25 4242ed16",
}


def _associated(test: RankTest) -> Part:
    """Is MED early where the accuracy is? Not found is not refuted; late where the accuracy is
    early is."""
    if test.p_value <= LEVEL:
        return True
    return False if test.tau < 0 and test.p_value >= 1 - LEVEL else None


class Events(NamedTuple):
    """At each of `SHARES` the rank test and the leads of MED in the runs of the papers' size that
    generalise, none where these are too few; and numbers for a sentence."""

    tests: list[RankTest]
    leads: list[pd.Series]
    numbers: dict[str, Any]

    @property
    def goes_with_accuracy(self) -> Part:
        """Is MED early where the accuracy is, at every share?"""
        return agreed([_associated(test) for test in self.tests])


def _read(runs: Runs) -> Events:
    """The events of both sizes.

    The numbers of the small runs are MED's row of `summary_table` at half of both moves; the value
    is the rank correlation of the large ones there.
    """
    small = dict(runs)
    large = {label: small.pop(label) for label in own_size() if label in runs}
    tests = []
    leads = []
    for share in SHARES if large else ():
        table = event_table(large, FALLS, share=share)
        if table.generalises.sum() >= ENOUGH:
            tests.append(ranked(table))
            leads.append(table.lead[table.generalises])
    numbers: dict[str, Any] = {"large": 0, "large_first": "none", "large_tau": "not known"}
    if tests:
        numbers = {
            "large": len(leads[0]),
            "large_first": ", ".join(str((lead > 0).sum()) for lead in leads),
            "large_tau": ", ".join(f"{test.tau:.2f}" for test in tests),
            "value": float(tests[1].tau),
        }
    if small:
        row = summary_table(event_table(small, FALLS), CONTROLS).loc["med"]
        numbers |= row.drop("says").to_dict()
    else:
        numbers |= {"runs": 0, "first": 0, "tau": np.nan, "p_value": np.nan, "anyway": "no"}
    return Events(tests, leads, numbers)


@claim(
    "G53",
    "gu2025",
    "section 4",
    **_JUDGED,
    says=(
        "at the papers' own size ({large} runs generalise) the rank correlation of MED's fall with "
        "the accuracy's rise is {large_tau} at a quarter, half, three quarters of both; in {runs} "
        "small runs, half: {tau:.2f} (p = {p_value:.2g})"
    ),
)
def captures_changes(runs: Runs) -> Finding:
    """MED "straightforwardly captures changes in test accuracy after training accuracy reaches 1".

    Our reading, for synchrony: of the runs of a task that generalise, MED falls early in those in
    which the accuracy rises early, at each of `SHARES` of both moves. Small companions of ours are
    told and judge nothing: one task of two carries them. That the papers' own size judges, at every
    share, was settled after its runs were seen. So was that runs which do not generalise are left
    out: they counted as the latest, and half of their unfinished move as early (-0.35, -0.06, 0.28
    at p = 97).
    """
    events = _read(runs)
    return judge(events.goes_with_accuracy, **events.numbers)


@claim(
    "P15",
    "gu2024",
    "abstract",
    **_JUDGED,
    says=(
        "at the papers' own size MED is first in {large_first} of {large} runs that generalise, at "
        "a quarter, half, three quarters of both moves; in {first} of {runs} small ones at half; "
        "it falls as far in {anyway} chosen not to"
    ),
)
def anticipates(runs: Runs) -> Finding:
    """MED is "a robust hidden progress measure"; the abstract glosses the term as "a function that
    can anticipate the occurrence of grokking".

    Our reading of that gloss: as G53, and MED has made its share of its fall first in more than
    half of the runs that generalise. Definition 5 of the paper asks for no lead. That the papers'
    own size judges, at every share, was settled after its runs were seen: before, small runs judged
    and the share did not reach the large ones.
    """
    events = _read(runs)
    first = [bool((lead > 0).mean() > 0.5) for lead in events.leads]
    return judge(events.goes_with_accuracy, agreed(first), **events.numbers)


MOVED = 0.1
"""Rise of the fresh read-out by the middle of the wait from which the representation has moved."""
READABLE = 0.5
"""Share of the test pairs that a sham may not have right."""


def _sham_reads(table: pd.DataFrame) -> bool:
    """Does a read-out find half of the test pairs without training, or without their labels?"""
    return bool(max(table.start.max(), table.dealt.max()) >= READABLE)


@claim(
    "R01",
    "chou2026",
    "abstract",
    section="Is it the read-out that waits?",
    runs=read_outs,
    through=read_out_times,
    bars={"ahead": (0.125, 0.5)},
    rule_changed="2026-11-30T07:11:18 4e70e6c7",
    says=(
        "a fresh read-out has half of the test pairs right ahead of the network, as a part of its "
        "wait (medians): {told}"
    ),
)
def read_out_is_biased(runs: Runs, *, ahead: float = 0.25) -> Finding:
    """In networks that grok "the readout is train-biased before grokking onset, and representation
    learning is gradual but not absent, contrary to the lazy-to-rich account".

    Our reading, for each kind of network: with the last layer refitted on the training pairs, half
    of the test pairs are right before the network itself has them right, by a quarter or more of
    its wait from the fit on, in most runs (biased); and by the middle of that wait the refitted
    layer has a tenth of the test pairs more right than on the features of step 0 (not absent). Each
    part is refuted where most runs show less than a tenth of it, open where kinds of networks
    differ, and where a sham, features of step 0 or training labels dealt out, has half of the test
    pairs right. Only the abstract was at hand; what is refitted, and how, is ours; of modulus 97 no
    run keeps what is asked. Predicted before the runs: both parts hold, ahead by about a third in
    two-layer networks and in transformers.
    """
    if not runs:
        return judge(None, None, told="not run")
    biased: list[Part] = []
    moving: list[Part] = []
    told = []
    for label, table in runs.items():
        fair = not _sham_reads(table)
        biased.append(reaches(table.ahead_half, ahead) if fair else None)
        moving.append(reaches(table.middle - table.start, MOVED) if fair else None)
        told.append(f"{label} {table.ahead_half.median():.2f}")
    every = pd.concat(runs.values())
    return judge(
        agreed(biased),
        agreed(moving),
        **band(every.ahead_half),
        told="; ".join(told),
    )
