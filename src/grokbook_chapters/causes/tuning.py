r"""Tuned away: the wait that is left where learning rate and decay are searched, every step logged.

The search that came before (`causes.runs.searches`) logged every tenth step, and its best run stood
at both edges of its grid. Here every step is logged, and a run has generalised where its accuracy
stays for `PERSISTENCE` more steps, as long as three logs of ten steps. All runs warm up over ten
steps, as their bench does (L has no warm-up).

The rule, fixed before the first of these runs. The best setting of a bench is that of the least
median grok step of three seeds that no arm has, of equals the first. Where it lies on an edge of
the grid, the grid is doubled beyond that edge until it lies inside. Then twelve seeds are run at
it: what counts is their wait, as a share of that of the free run of their seed, by the words of
`handed.word`: "none" where the interval of the median share ends below a tenth. Predicted is what
the sentence of Liu et al. says, that grokking comes of settings that are not tuned: no wait is
left on any bench. With twelve seeds the interval ends below a tenth with a chance of 0.98 where
nineteen of twenty runs are below it, of 0.56 where four of five are.

Changed after the searches and before the arms: the tuned runs go on to `FOLLOWED` steps whatever
they do. A search ends its runs where they generalise, and the best of bench L do so before they
fit.

What came of the rule: on T the best lies where decay all but keeps the network from fitting. Three
seeds of the search did, nine of twelve others did not, and so bench T is open. On L the sham stands
2 % below the free runs, by the steps that a coarser log skips.
"""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from companion.claims import Finding, Runs, claim, judge
from companion.claims.finding import Part
from grokbook.curves.delay import THRESHOLD, grok_times
from grokbook.runs.experiment import Experiments, available
from grokbook.runs.sweep import Axis, Sweep
from grokbook.training.config import RunConfig, StopRule
from grokbook.training.schedule import Schedule
from grokbook_chapters.causes.effects import texts
from grokbook_chapters.causes.handed import (
    CAP,
    as_predicted,
    donors,
    handed,
    middle,
    waits,
    word,
)
from grokbook_chapters.causes.runs import arms, free, recorded_as
from grokbook_chapters.labelled import Tables

PERSISTENCE = 30
"""Logged steps that an accuracy has to stay, one by one."""

FOLLOWED = 1_000
"""Last step of a tuned run."""

BENCHES = ("Q", "T", "L")
SEARCH_SEEDS = (12, 13, 14)
KEPT = ("train_accuracy", "test_accuracy")


class Grid(NamedTuple):
    """The settings that are tried on a bench, and the last step of a run: slower ones are not the
    best."""

    rates: tuple[float, ...]
    decays: tuple[float, ...]
    steps: int


GRIDS = {
    "Q": Grid((0.04, 0.08, 0.16, 0.32, 0.64, 1.28), (0.3, 0.6, 1.2, 2.4, 4.8, 9.6), 200),
    "T": Grid((0.005, 0.01, 0.02, 0.04, 0.08, 0.16), (0.5, 1.0, 2.0, 4.0, 8.0, 16.0), 400),
    "T-slower": Grid((0.00125, 0.0025), (0.5, 1.0, 2.0, 4.0, 8.0, 16.0), 400),
    "T-slowest": Grid((0.0003125, 0.000625), (8.0, 16.0, 32.0, 64.0), 400),
    "T-more-decay": Grid((0.00125, 0.0025, 0.005), (32.0, 64.0), 400),
    "L": Grid((0.003, 0.006, 0.012, 0.024, 0.048, 0.096), (0.5, 1.0, 2.0, 4.0, 8.0, 16.0), 300),
}

TUNED = {"Q": (0.32, 2.4), "T": (0.00125, 32.0), "L": (0.012, 2.0)}
"""Rate and decay of the best of `searches`, by bench."""


def each_step(bench: str, steps: int) -> RunConfig:
    """The free run of a bench with every step logged, until it has generalised or reached a
    step."""
    stop = StopRule(threshold=THRESHOLD - 1e-6, hold=PERSISTENCE + 1)
    log = Schedule(dense_until=steps, dense_every=1)
    return dataclasses.replace(free(bench), steps=steps, log=log, stop=stop)


def searches() -> Experiments:
    """The grids of rate and decay, with three seeds that no arm has; that of T is doubled twice,
    where its best lay on an edge."""
    found = {}
    for name, grid in GRIDS.items():
        axes = (Axis("learning_rate", grid.rates), Axis("weight_decay", grid.decays))
        config = each_step(name[0], grid.steps)
        found[name] = Sweep(f"causes/tuning[{name}]", config, SEARCH_SEEDS, kept=KEPT, axes=axes)
    return found


def timed(data: xr.Dataset) -> pd.DataFrame:
    """`grok_times` of runs that are logged step by step."""
    return grok_times(data, persistence=PERSISTENCE)


def best(*searched: pd.DataFrame) -> tuple[float, float]:
    """Rate and decay of the least median grok step in the times of a bench's searches, of equals
    the first; a run that did not generalise is later than any other."""
    late = pd.concat(searched).grok_step.astype(float).fillna(np.inf)
    medians = late.groupby(["learning_rate", "weight_decay"]).median()
    rate, decay = medians.idxmin()
    return float(rate), float(decay)


def tuned(bench: str) -> Experiments:
    """The arms of a bench: the best setting once it is known, the free run logged so, and that with
    twice its decay."""
    plain = each_step(bench, CAP)
    settings = plain.optimizer
    twice = dataclasses.replace(settings, weight_decay=2 * settings.weight_decay)
    configs = {
        "logged-each-step": plain,
        "logged-each-step-decay-double": dataclasses.replace(plain, optimizer=twice),
    }
    if bench in TUNED:
        rate, decay = TUNED[bench]
        best_of = dataclasses.replace(settings, learning_rate=rate, weight_decay=decay)
        followed = each_step(bench, FOLLOWED)
        configs["tuned"] = dataclasses.replace(followed, optimizer=best_of, stop=None)
    return recorded_as(f"causes/{bench.lower()}-tuned", configs, KEPT)


RUNS = (searches, *(partial(tuned, bench) for bench in BENCHES))


def predictions() -> pd.DataFrame:
    """The word that is predicted of each arm on each bench, and what it says if it comes out
    otherwise."""
    return texts("tuning")


def recorded_times(bench: str) -> Tables:
    """The grok times of each recorded arm of a bench, set by hand, handed over or tuned."""
    tables = {}
    for read, experiments in ((grok_times, arms(bench) | handed(bench)), (timed, tuned(bench))):
        for name, experiment in experiments.items():
            data = available(experiment)
            if data is not None:
                tables[name] = read(data)
    return tables


OURS = {
    "rule_changed": "2026-11-30T07:14:06 077f3027",
    "place": "chapter 19, on section 4.2",
    "section": "How long, and does it stay?",
    "origin": "ours",
    "through": timed,
    "says": "shares of the free wait, median with its 95 % interval: {said}",
}


def asked() -> Experiments:
    """The tuned runs by bench."""
    return {bench: tuned(bench)["tuned"] for bench in BENCHES if bench in TUNED}


def told(times: pd.DataFrame, bench: str) -> str:
    """What the tuned runs of a bench do, in words."""
    base = donors(bench)
    share = middle(waits(times, base).fillna(np.inf))
    return (
        f"{bench} {word(times, base)}, {share.median:.3f} [{share.low:.3f}, {share.high:.3f}],"
        f" fit {times.fit_step.median():.0f}, grok {times.grok_step.median():.0f}"
    )


def left(runs: Runs | Tables, bench: str) -> Part:
    """Whether the tuned runs of a bench have no wait left."""
    return as_predicted(runs[bench], bench, "none")


@claim("C09", "liu2022", runs=asked, **OURS)
def tuned_away(runs: Runs) -> Finding:
    """With rate and decay tuned less than a tenth of the wait is left on benches Q, T and L."""
    parts = [left(runs, bench) for bench in BENCHES]
    known = [told(runs[bench], bench) for bench in BENCHES if runs[bench] is not None]
    return judge(*parts, said="; ".join(known))
