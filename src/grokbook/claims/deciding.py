"""Which runs the open entries of the ledger wait for, and the order that decides most of them per core minute."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from functools import partial
from itertools import count, islice

import pandas as pd

from grokbook.claims.ledger import OPEN, Claim, claims
from grokbook.claims.runs import Wanted, made_after, since
from grokbook.claims.verdicts import settled
from grokbook.paths import records_path
from grokbook.runs.experiment import Experiment
from grokbook.runs.learned import Times, learned
from grokbook.runs.recording import choose
from grokbook.runs.store import Store

BAND = 5
"""Younger seeds that are asked for, at most, where the recorded ones are older than the rule they are judged by."""

Run = tuple[str, int]
"""The key of an experiment, and a seed of it."""


@dataclass(frozen=True)
class Waiting:
    """What one open entry waits for: `runs` to be made, none where more runs of what it asks for decide nothing.

    `stand`: of each experiment with such runs, by its key, the seeds that count for the entry, those that it wants, and
    how many of these are beyond the seeds that it lists: they count for it once they are committed.
    """

    id: str
    runs: frozenset[Run]
    stand: Mapping[str, tuple[int, int, int]]


def waiting(chosen: Iterable[Claim], store: Store) -> list[Waiting]:
    """What each of these claims waits for; claims that ask for no runs are left out.

    A claim comes again for each part of its runs that alone may refute it (`Claim.refutes`).

    All seeds that it asks for and the store does not hold. Where its rule is younger than the recorded runs, these do
    not count: it waits for as many younger seeds as it asks for, up to `BAND`, first those missing, then further ones.
    """
    return [_waits(claim, wanted, store) for claim in chosen if claim.runs for wanted in (claim.runs, *claim.refutes)]


def _waits(claim: Claim, wanted: Wanted, store: Store) -> Waiting:
    rule, runs, stand = since(claim.rule_changed), set(), {}
    for experiment in wanted().values():
        held = set(store.seeds(experiment.key, experiment.code))
        counted = set(made_after(experiment, rule, store))
        missing = [seed for seed in experiment.seeds if seed not in held]
        short = min(len(experiment.seeds), BAND) - len(counted) - len(missing) if rule else 0
        further = islice((seed for seed in count(max(experiment.seeds) + 1) if seed not in held), max(short, 0))
        new = {*missing, *further}
        has = len(counted if rule else counted.intersection(experiment.seeds))
        runs |= {(experiment.key, seed) for seed in new}
        stand |= {experiment.key: (has, has + len(new), len(new) - len(missing))} if new else {}
    return Waiting(claim.id, frozenset(runs), stand)


def by_decided(entries: Iterable[Waiting], seconds: Callable[[Set[Run]], float]) -> Iterator[frozenset[Run]]:
    """The runs that entries wait for, as sets made one after the other: the most entries decided a second come first.

    Greedy: of all open entries, the next is the one whose runs that are not made yet decide most entries (it, and all
    that then want no other) for the seconds they take; of equals the cheaper, then the first. Of its runs those come
    first that decide one of these others. An entry that is given more than once is done with the first of them.

    Example:
        >>> a, b = frozenset({("x", 0)}), frozenset({("y", 0)})
        >>> entries = [Waiting("A", a | b, {}), Waiting("B", b, {})]
        >>> [sorted(runs) for runs in by_decided(entries, len)]
        [[('y', 0)], [('x', 0)]]
    """
    left, made = [entry for entry in entries if entry.runs], frozenset()
    while left:
        new = [entry.runs - made for entry in left]
        cost = [seconds(runs) for runs in new]
        ends = [len({entry.id for entry, other in zip(left, new, strict=True) if runs >= other}) for runs in new]
        best = min(range(len(new)), key=lambda n: (cost[n] / ends[n], cost[n]))
        first = min((n for n, runs in enumerate(new) if runs <= new[best]), key=cost.__getitem__)
        yield new[first]
        made |= new[first]
        done = {entry.id for entry in left if entry.runs <= made}
        left = [entry for entry in left if entry.id not in done]


def predicted_seconds(runs: Set[Run], known: Mapping[str, Experiment], times: Times) -> float:
    """Predicted seconds of these runs on one core, by the experiments with these keys."""
    keys = [key for key, _ in runs]
    return sum(times.predicted(known[key], keys.count(key)).seconds for key in set(keys))


def open_claims() -> list[Claim]:
    """The claims whose settled verdict is open."""
    known = settled()
    return [claim for claim in claims() if known.get(claim.id, OPEN[-1]) in OPEN]


def in_order(pattern: str | None, store: Store | None = None) -> list[Experiment]:
    """Recorded experiments in the order that decides most open entries per second, each with the seeds that are next.

    An experiment may come twice, first with the seeds that a nearer entry wants. What no entry wants follows, the
    cheapest first, and then what is complete.

    Raises ParameterError for a pattern that no experiment matches.
    """
    store = store or Store(records_path())
    named = {experiment.name for experiment in choose(pattern)}
    known = {experiment.key: experiment for experiment in choose()}
    entries = [e for e in waiting(open_claims(), store) if e.stand.keys() <= known.keys()]
    seconds = partial(predicted_seconds, known=known, times=(times := learned(store, known.values())))
    seeds = {key: set(store.seeds(key, experiment.code)) for key, experiment in known.items()}
    found = []
    for runs in by_decided(entries, seconds):
        own = {key: {run for run in runs if run[0] == key} for key, _ in runs}
        for key in sorted(own, key=lambda key: seconds(own[key])):
            seeds[key] |= {seed for _, seed in own[key]}
            found.append(replace(known[key], seeds=tuple(sorted(seeds[key]))))
    left = {key: len(set(experiment.seeds) - seeds[key]) for key, experiment in known.items()}
    planned = {experiment.key for experiment in found}
    rest = [e for e in known.values() if left[e.key] or e.key not in planned]
    rest.sort(key=lambda e: (not left[e.key], times.predicted(e, left[e.key]).seconds))
    return [experiment for experiment in (*found, *rest) if experiment.name in named]


def with_entries(table: pd.DataFrame, store: Store | None = None) -> pd.DataFrame:
    """A table of `records_table` with the open entries that wait for each experiment, and how far each is.

    `GF09 1/3`: of three seeds that entry GF09 wants, one counts; `2 beyond` are not in its list of seeds yet.
    """
    keys = {experiment.name: experiment.key for experiment in choose()}
    said: dict[str, dict[str, str]] = {key: {} for key in keys.values()}
    for entry in waiting(open_claims(), store or Store(records_path())):
        for key, (has, wants, beyond) in entry.stand.items():
            further = f" ({beyond} beyond)" if beyond else ""
            said.setdefault(key, {})[entry.id] = f"{entry.id} {has}/{wants}{further}"
    return table.assign(entries=[", ".join(said.get(keys.get(name, ""), {}).values()) for name in table.experiment])
