"""The runs that a claim asks for: loaded once for all claims, with what is missing and what that
would cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import xarray as xr

from companion.claims.finding import ENOUGH, UNDECIDED, Finding, enough
from companion.claims.shared import Row, traced
from grokbook.errors import ParameterError
from grokbook.machine import duration
from grokbook.runs.experiment import Experiment, available, default_store
from grokbook.runs.provenance import USED

Wanted = Callable[[], Mapping[Any, Experiment]]
Look = Callable[[Any], Any]


class Runs(dict[Any, Any]):
    """What is recorded of some experiments: label -> dataset (or what a claim looks at it
    `through`).

    A label whose experiment has no recorded seed gives None and is not counted. `experiments` holds
    all that was asked for, by label.

    Example:
        >>> runs = Runs()
        >>> runs["d = 256"] is None, len(runs)
        (True, 0)
    """

    def __init__(
        self,
        found: Mapping[Any, Any] | None = None,
        experiments: Mapping[Any, Experiment] | None = None,
    ):
        super().__init__(found or {})
        self.experiments = dict(experiments or {})

    def __missing__(self, label: Any) -> None:
        return None

    def complete(self, least: int = ENOUGH) -> bool:
        """Whether every experiment asked for has at least `least` recorded seeds."""
        return enough(*(self[label] for label in self.experiments or self), least=least)


@dataclass(frozen=True)
class _Asked:
    """What names a loaded dataset: the record's key, the seeds that are there, and the view of
    it."""

    key: str
    seeds: tuple[int, ...]
    through: Look | None
    experiment: Experiment = field(compare=False)


@lru_cache(maxsize=256)
def _loaded(asked: _Asked) -> tuple[Any, list[Row]]:
    """The data, and what its loading noted for the page."""
    dataset, rows = traced(lambda: available(asked.experiment))
    return dataset if dataset is None or asked.through is None else asked.through(dataset), rows


def since(rule_changed: str) -> datetime | None:
    """The time in the "date commit" of a rule, as UTC; a date without a time is the end of that
    day, None for "".

    Raises ParameterError for anything else.

    Example:
        >>> since("2026-11-23 91444ca").isoformat(), since("")
        ('2026-11-23T23:59:59+00:00', None)
    """
    if not rule_changed:
        return None
    day, _, commit = rule_changed.partition(" ")
    when = None
    with suppress(ValueError):
        when = _utc(day if "T" in day else f"{day}T23:59:59")
    if when is None or not commit:
        raise ParameterError(
            f"rule_changed = {rule_changed!r} must be date and commit, such as '2026-11-23"
            " 91444ca'."
        )
    return when


def _utc(text: str) -> datetime:
    """A time in ISO 8601, taken as UTC where it names no zone. Raises ValueError for anything
    else."""
    when = datetime.fromisoformat(text)
    return when.astimezone(UTC) if when.tzinfo else when.replace(tzinfo=UTC)


def made_after(experiment: Experiment, when: datetime | None) -> tuple[int, ...]:
    """The recorded seeds of an experiment, or those of them whose records say that they were made
    after a time.

    After a time, the committed records' further seeds count too: they were made to decide by a rule
    that is younger than the runs that a page lists.

    A record without a time of day counts as made at the beginning of its day.
    """
    store = default_store()
    if when is None:
        missing = experiment.missing_seeds(store)
        return tuple(seed for seed in experiment.seeds if seed not in missing)
    stores = (store, *store.fallbacks)
    committed = sorted(stores[-1].seeds(experiment.key, experiment.code))
    seeds = tuple(dict.fromkeys((*experiment.seeds, *committed)))
    young: set[int] = set()
    for place in stores:
        held = place.find(experiment.key)
        for part in held[1]["provenance"] if held else ():
            if _utc(part.get("recorded_at", part["recorded_on"])) > when:
                young.update(part["seeds"])
    recorded = made_after(replace(experiment, seeds=seeds), None)
    return tuple(seed for seed in recorded if seed in young)


def older(experiment: Experiment, when: datetime | None) -> bool:
    """Whether a recorded run of those that an experiment lists is older than a rule of this
    time."""
    return not set(made_after(experiment, None)) <= set(made_after(experiment, when))


def outdated(found: Finding, rule_changed: str) -> Finding:
    """A finding on runs that are older than the rule they are judged by: undecided, with what the
    rule would say."""
    said = (
        f"the rule was changed after these runs ({rule_changed}); by it: {found.verdict}:"
        f" {found.evidence}"
    )
    return replace(found, verdict=UNDECIDED, evidence=said, value=None, low=None, high=None)


def load(
    wanted: Mapping[Any, Experiment], through: Look | None = None, after: datetime | None = None
) -> Runs:
    """What is recorded of these experiments, each looked at `through` a function of its dataset;
    nothing is trained.

    With `after` only runs that were made after that time are given.
    """
    found = {}
    for label, experiment in wanted.items():
        seeds = made_after(experiment, after)
        if not seeds:
            continue
        young = experiment if after is None else replace(experiment, seeds=seeds)
        data, rows = _loaded(_Asked(experiment.key, seeds, through, young))
        USED.extend(rows)
        if data is not None:
            found[label] = data
    return Runs(found, wanted)


def every_run(runs: Mapping[Any, xr.Dataset]) -> Iterator[tuple[Any, int, xr.Dataset]]:
    """Label, seed and dataset without `seed` of each run of some datasets.

    Example:
        >>> one = xr.Dataset({"loss": ("seed", [2.0, 1.0])}, {"seed": [0, 3]})
        >>> [(label, seed, float(run.loss)) for label, seed, run in every_run({"a": one})]
        [('a', 0, 2.0), ('a', 3, 1.0)]
    """
    for label, data in runs.items():
        for seed in data.seed.values.tolist():
            yield label, seed, data.sel(seed=seed)


def cost(experiments: Iterable[Experiment]) -> str:
    """How many runs of some experiments are missing, and what they would take on one core of this
    machine.

    Example:
        >>> cost([])
        'no run is missing'
    """
    waiting = {e.key: e for e in experiments if e.missing_seeds()}
    if not waiting:
        return "no run is missing"
    runs = 0
    seconds = 0.0
    for experiment in waiting.values():
        count = len(experiment.missing_seeds())
        runs += count
        seconds += experiment.predicted(count).seconds
    settings = f"{len(waiting)} setting{'s' if len(waiting) > 1 else ''}"
    missing = f"{runs} runs of {settings} are" if runs > 1 else f"1 run of {settings} is"
    return f"{missing} missing, predicted {duration(seconds)} on one core"


def left_open(runs: Runs, seen: Finding) -> Finding:
    """The same finding where it is decided; else with what is missing at what cost before what was
    seen so far."""
    if runs and seen.verdict != UNDECIDED:
        return seen
    asked = runs.experiments
    verdict = UNDECIDED if asked.keys() & runs.keys() else "not run"
    complete = not any(e.missing_seeds() for e in asked.values())
    missing = "" if complete and seen.evidence else cost(asked.values())
    evidence = "; ".join(filter(None, (missing, seen.evidence.strip())))
    return replace(seen, verdict=verdict, evidence=evidence, value=None, low=None, high=None)
