r"""Progress that is handed over: layers of a donor that is stopped on its way, in a network whose
rest is fresh.

A given layer of a network that generalises, frozen, decides the matter by construction: right
features must work, shuffled ones cannot. Here nothing is frozen but in four arms beside. The donor
is the free run of the bench, stopped at 0, 25, 50, 75 or 100 % of its own way from fit to grok
step. What is asked of the receiver is its own wait, grok step minus fit step, over that of the free
run of its seed. A donor of another seed has another split.

The rule, fixed before the first of these runs. A run that does not generalise by the last step has
an infinite share, one that does not fit has none. The share of an arm is the median over the seeds,
its interval the order statistics that hold the median of a continuous law with 95 % at least (third
and tenth of twelve). Its word is that of `word`. The intervals are not corrected for their number:
a claim holds where each of its parts does, which needs no correction, and no part is chosen after
the runs.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import partial
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import binom

from companion.claims import Finding, Runs, claim, enough, finding, judge
from companion.claims.finding import Part
from grokbook.curves.delay import THRESHOLD, grok_times
from grokbook.runs.experiment import Experiments
from grokbook.training.config import RunConfig, StopRule
from grokbook.training.handed_over import HandedOver
from grokbook.training.interventions import Freeze, Hooked
from grokbook_chapters.causes.effects import PART, against, texts
from grokbook_chapters.causes.runs import SEEDS, free, layers, recorded_as
from grokbook_chapters.labelled import Tables

CAP = 5_000
"""Last step of a receiver: 9 times the longest free wait on bench Q, 3 times that on T."""
NONE = 0.1
SAME = 1.5
"""A share whose interval ends below `NONE` is no wait; one between 1 / `SAME` and `SAME` is the
same."""
SHARES = {"Q": (0, 25, 50, 75, 100), "T": (0, 50, 100)}
HALF_WAY = ("R",)
"""Benches on which parts are handed over half way alone."""
KEPT = ("train_accuracy", "test_accuracy")


def donors(bench: str) -> pd.DataFrame:
    """Fit and grok step of the free runs of a bench by seed, as they are recorded."""
    table = pd.read_csv(str(files(__package__) / "donors.csv"))
    return table[table.bench == bench].set_index("seed")[["fit_step", "grok_step"]]


def stops(bench: str, percent: int) -> tuple[int, ...]:
    """The step at which the donor of each seed is stopped, this far on its way from fit to grok
    step."""
    table = donors(bench)
    steps = table.fit_step + (table.grok_step - table.fit_step) * percent / 100
    return tuple(int(step) for step in steps.round())


def parts(bench: str) -> dict[str, tuple[str, ...]]:
    """What is handed over: the features (hidden layer of Q, embedding of T), the head (what is
    left), or all."""
    names = tuple(free(bench).model.shapes())
    first = layers(bench)["embedding" if bench == "T" else "hidden"]
    head = tuple(name for name in names if name not in first)
    return {"features": first, "head": head, "all": names}


def receiver(
    bench: str,
    part: str,
    percent: int,
    *,
    other: int = 0,
    shuffled: bool = False,
    frozen: bool = False,
) -> RunConfig:
    """A run that starts with a part of a donor; it ends when it has generalised, whatever comes
    after."""
    config = free(bench)
    names = parts(bench)[part]
    model = HandedOver(
        config.model,
        dataclasses.replace(config, stop=None),
        names,
        renaming=0 if shuffled else 1,
        other=other,
        steps=stops(bench, percent),
    )
    optimizer: Any = config.optimizer
    if frozen:
        optimizer = Hooked(optimizer, (Freeze(names),))
    stop = StopRule(threshold=THRESHOLD - 1e-6, hold=4)
    return dataclasses.replace(config, model=model, optimizer=optimizer, steps=CAP, stop=stop)


def handed(bench: str) -> Experiments:
    """The arms of a bench: its parts at each of its `SHARES`, on the split of the donor and on
    another; then the shams. On bench L nothing is handed over, on R parts of a donor half way."""
    if bench not in (*SHARES, *HALF_WAY):
        return {}
    name = f"causes/{bench.lower()}-handed"
    made = partial(receiver, bench)
    if bench in HALF_WAY:
        known = parts(bench) if len(donors(bench)) else ()
        half_way = {f"{part}-50": made(part, 50) for part in known}
        return recorded_as(name, half_way, KEPT)
    configs = {}
    for part in parts(bench):
        for percent in SHARES[bench]:
            configs[f"{part}-{percent}"] = made(part, percent)
        for percent in SHARES[bench] if bench == "Q" else (50,):
            configs[f"{part}-{percent}-other-split"] = made(part, percent, other=1)
    for part in ("features", "head"):
        for percent in (50, 100) if bench == "Q" else (100,):
            configs[f"{part}-{percent}-shuffled"] = made(part, percent, shuffled=True)
        configs[f"{part}-100-frozen"] = made(part, 100, frozen=True)
        configs[f"{part}-100-frozen-shuffled"] = made(part, 100, frozen=True, shuffled=True)
    return recorded_as(name, configs, KEPT)


RUNS = (partial(handed, "Q"), partial(handed, "T"), partial(handed, "R"))


def predictions() -> pd.DataFrame:
    """The word that is predicted of each arm on each bench, and what it says if it comes out
    otherwise."""
    return texts("handed")


class Middle(NamedTuple):
    """A median and the ends of its interval."""

    median: float
    low: float
    high: float


def middle(values: pd.Series) -> Middle:
    """The median of some numbers, infinite ones among them, between two order statistics.

    Those are the innermost, as far from either end, between which the median of a continuous law
    lies with 95 % at least; NaN for fewer than six numbers, which have none.

    Example:
        >>> middle(pd.Series(range(12)))
        Middle(median=5.5, low=2.0, high=9.0)
    """
    ordered = np.sort(np.asarray(values, dtype=float))
    reach = int(binom.ppf(0.025, len(ordered), 0.5)) if len(ordered) else 0
    if not reach:
        return Middle(np.nan, np.nan, np.nan)
    halves = ordered[[(len(ordered) - 1) // 2, len(ordered) // 2]]
    return Middle(float(halves.mean()), float(ordered[reach - 1]), float(ordered[-reach]))


def waits(times: pd.DataFrame, base: pd.DataFrame) -> pd.Series:
    """Grok minus fit of each run over grok minus fit of the run of its seed in `base`.

    Infinite where it did not generalise by the last step, NaN where it did not fit.
    """
    same_seed = base.reindex(times.index)
    wait = (times.grok_step - times.fit_step).astype(float)
    base_wait = (same_seed.grok_step - same_seed.fit_step).astype(float)
    late = times.grok_step.isna() & times.fit_step.notna()
    return (wait / base_wait).mask(late, np.inf)


def word(times: pd.DataFrame, base: pd.DataFrame) -> str:
    """What the runs of an arm did: "unfit" or "never" where most did not, else by the interval of
    their share.

    "none" where it ends below `NONE`, "shorter" below 1, "longer" where it begins above 1, "same"
    where it lies between 1 / `SAME` and `SAME`, else "open".
    """
    shares_by_seed = waits(times, base)
    if 2 * shares_by_seed.isna().sum() > len(shares_by_seed):
        return "unfit"
    if 2 * np.isinf(shares_by_seed).sum() > len(shares_by_seed):
        return "never"
    _, low, high = middle(shares_by_seed.fillna(np.inf))
    if high < NONE:
        return "none"
    if high < 1:
        return "shorter"
    if low > 1:
        return "longer"
    return "same" if low > 1 / SAME and high < SAME else "open"


def judged(predicted: str, seen: str) -> str:
    """Whether a predicted word "agrees" with what was seen, "contradicts" it, or is "open".

    No wait at all is shorter too, and "never" is longer too; "not shorter" is met by the same,
    longer, never.

    Example:
        >>> judged("shorter", "none"), judged("not shorter", "never"), judged("none", "shorter")
        ('agrees', 'agrees', 'contradicts')
    """
    wider = {
        "shorter": ("shorter", "none"),
        "longer": ("longer", "never"),
        "not shorter": ("same", "longer", "never"),
    }
    if seen in ("open", "unfit"):
        return "open"
    return "agrees" if seen in wider.get(predicted, (predicted,)) else "contradicts"


def shares(times: Tables, bench: str) -> pd.DataFrame:
    """What each arm leaves of the wait, a row an arm: `median`, `low`, `high`, `runs`, `late` and
    the word `observed`.

    `times` is `tuning.recorded_times`. The wait is that of the runs with which the arm is compared
    (`against`); where these do not generalise there is no share, and no row.
    """
    rows = {}
    for name, table in times.items():
        base = times.get(against(name, bench))
        if base is None or base.grok_step.isna().all():
            continue
        counts = {"runs": len(table), "late": int(table.grok_step.isna().sum())}
        share = middle(waits(table, base).fillna(np.inf))
        rows[name] = share._asdict() | counts | {"observed": word(table, base)}
    columns = [*Middle._fields, "runs", "late", "observed"]
    names = pd.Index(list(rows), dtype=str, name="arm")
    return pd.DataFrame([*rows.values()], names, columns)


# What is claimed of these runs, written before the first of them.

OURS = {
    "rule_changed": "2026-11-29T20:08:21 a777bab2",
    "place": "chapter 19, on section 4.1",
    "section": "Progress can be handed over",
    "origin": "ours",
    "through": grok_times,
    "says": "shares of the free wait, median with its 95 % interval: {said}",
}


def asked(*benches: str) -> Experiments:
    """Every arm of some benches by bench and name."""
    return {(bench, name): arm for bench in benches for name, arm in handed(bench).items()}


def told(times: pd.DataFrame, bench: str, name: str) -> str:
    """The share of an arm, in words."""
    base = donors(bench)
    outcome = word(times, base)
    if outcome in ("never", "unfit"):
        late = times.grok_step.isna().sum()
        return f"{bench} {name} {outcome} ({late} of {len(times)} late)"
    share = middle(waits(times, base).fillna(np.inf))
    return f"{bench} {name} {share.median:.2f} [{share.low:.2f}, {share.high:.2f}]"


def as_predicted(times: pd.DataFrame | None, bench: str, predicted: str) -> Part:
    """Whether an arm comes out as predicted; one of fewer than twelve runs is not known."""
    if times is None or len(times) < SEEDS:
        return None
    return PART[judged(predicted, word(times, donors(bench)))]


def decided(runs: Runs, claimed: Mapping[tuple[str, str], str], *more: Part) -> Finding:
    """A finding whose parts are the predicted words of some arms, and `more`; an arm of fewer than
    twelve runs is open."""
    parts = list(more)
    said = []
    for (bench, name), predicted in claimed.items():
        times = runs[bench, name]
        parts.append(as_predicted(times, bench, predicted))
        if times is not None and len(times) >= SEEDS:
            said.append(told(times, bench, name))
    return judge(*parts, said="; ".join(said))


def lower(runs: Runs, bench: str, first: str, second: str) -> Part:
    """Whether an arm leaves less of the wait than another, seed by seed, by the interval of the
    median difference."""
    if not enough(runs[bench, first], runs[bench, second], least=SEEDS):
        return None
    less = waits(runs[bench, first], donors(bench)).clip(upper=CAP)
    more = waits(runs[bench, second], donors(bench)).clip(upper=CAP)
    _, low, high = middle((less - more).fillna(0.0))
    return finding.decided(high < 0, low > 0)


@claim("C03", "liu2022", runs=partial(asked, "Q"), **OURS)
def half_way(runs: Runs) -> Finding:
    """On bench Q the hidden layer of a donor half way through its wait shortens the wait of a fresh
    network, on another split too; that of a donor that has only fitted does not.
    """
    return decided(
        runs,
        {
            ("Q", "features-50"): "shorter",
            ("Q", "features-50-other-split"): "shorter",
            ("Q", "features-0"): "not shorter",
            ("Q", "features-0-other-split"): "not shorter",
        },
    )


@claim("C04", "liu2022", runs=partial(asked, "Q"), **OURS)
def more_than_the_head(runs: Runs) -> Finding:
    """On bench Q the hidden layer carries more of the progress than the head does: half way and at
    three quarters it leaves less of the wait."""
    found = decided(
        runs,
        {("Q", "features-50"): "shorter", ("Q", "features-75"): "shorter"},
        lower(runs, "Q", "features-50", "head-50"),
        lower(runs, "Q", "features-75", "head-75"),
    )
    said = [found.numbers["said"]]
    for name in ("head-50", "head-75"):
        if runs["Q", name] is not None:
            said.append(told(runs["Q", name], "Q", name))
    return dataclasses.replace(found, numbers={"said": "; ".join(said)})


@claim("C05", "liu2022", runs=partial(asked, "T"), **OURS)
def in_a_transformer(runs: Runs) -> Finding:
    """On bench T the embedding of a donor half way through its wait shortens the wait of a fresh
    network, and so does the rest."""
    return decided(runs, {("T", "features-50"): "shorter", ("T", "head-50"): "shorter"})


@claim("C06", "liu2022", runs=partial(asked, "Q", "T"), **OURS)
def shuffled(runs: Runs) -> Finding:
    """Handed over with its rows shuffled, and free to be trained, a finished layer shortens the
    wait on neither bench."""
    names = ("features-100-shuffled", "head-100-shuffled")
    return decided(runs, {(bench, name): "not shorter" for bench in "QT" for name in names})
