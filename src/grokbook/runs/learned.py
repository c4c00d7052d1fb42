"""What a run will take, learned from what the records took: counted work, times a ratio measured on
its like.

`benchmarks/predictions.py` writes the ratios of the committed records into learned.json, for what
pages and the ledger say, and how far these predictions were off into book/how_to_rerun.md.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from grokbook.files import read_json
from grokbook.runs.experiment import Experiment
from grokbook.runs.provenance import processor
from grokbook.runs.store import Store
from grokbook.training.cost import Cost

Ratios = Mapping[str, Mapping[str, list[float]]]


@dataclass(frozen=True)
class Times:
    """Of each kind of run, by experiment: the recorded seconds of its programs over those that were
    counted for them.

    `measured` has those experiments alone whose records say the seconds of a processor of this
    kind.

    Example:
        >>> from grokbook_chapters.gu2025 import fig5
        >>> one = fig5(47)
        >>> twice = Times({one.key: {one.key: [2.0]}})
        >>> twice.predicted(one, 1).seconds == 2 * one.predicted(1).seconds
        True
    """

    ratios: Ratios
    measured: Ratios = field(default_factory=dict)

    def predicted(self, experiment: Experiment, seeds: int) -> Cost:
        """Seconds of one core for `seeds` runs of an experiment, and memory of one program.

        What is counted for them, times the ratio of the first of its `kinds` of which there are
        records.
        """
        counted = experiment.predicted(seeds)
        return Cost(counted.seconds * (self.ratio(experiment) or 1.0), counted.memory_mb)

    def medians(self) -> dict[str, dict[str, float]]:
        """What `WRITTEN` says: of each kind of run the median over its experiments, to two
        digits."""
        return {
            name: {kind: float(f"{_middle(by_key):.2g}") for kind, by_key in sorted(table.items())}
            for name, table in vars(self).items()
        }

    def ratio(self, experiment: Experiment, without: str = "") -> float | None:
        """The median ratio of its nearest kind, over the experiments of that kind `without` the one
        with this key.

        The smaller of two: a program's processor is never busy for longer than the seconds that
        pass meanwhile.
        """
        each = (_nearest(ratios, experiment, without) for ratios in (self.ratios, self.measured))
        return min((ratio for ratio in each if ratio is not None), default=None)


def _nearest(ratios: Ratios, experiment: Experiment, without: str) -> float | None:
    """The median ratio of the first of its kinds that is known."""
    for kind in kinds(experiment):
        if found := {key: each for key, each in ratios.get(kind, {}).items() if key != without}:
            return _middle(found)
    return None


def _middle(by_key: Mapping[str, list[float]]) -> float:
    return statistics.median(map(statistics.median, by_key.values()))


COUNTED = Times({})
"""Nothing is learned: predictions are what is counted."""

WRITTEN = Path(__file__).with_name("learned.json")
"""The median ratio of each kind of run, of all records and of those that were measured."""


@lru_cache(maxsize=1)
def _written() -> Times:
    tables = read_json(WRITTEN).items()
    return Times(
        **{
            name: {kind: {"median": [ratio]} for kind, ratio in table.items()}
            for name, table in tables
        }
    )


def expected(experiment: Experiment, seeds: int) -> Cost:
    """The same as `Times.predicted`, by the ratios in learned.json: no record is read for it.

    Example:
        >>> from grokbook_chapters.gu2025 import fig5
        >>> expected(fig5(379), 2).seconds == 2 * expected(fig5(379), 1).seconds
        True
    """
    return _written().predicted(experiment, seeds)


def kinds(experiment: Experiment) -> tuple[str, ...]:
    """What a run is like, the nearest first: itself, its family with this network, its family, its
    network, any run.

    Example:
        >>> from grokbook_chapters.gu2025 import fig5
        >>> kinds(fig5(47))[1:]
        ('gu2025/fig5 Shape', 'gu2025/fig5', 'gu2025 Shape', 'Shape alone', 'Shape', '')
    """
    family, network = experiment.name.partition("[")[0], type(experiment.config.model).__name__
    alone = f"{network} {'together' if experiment.together else 'alone'}"
    return (
        experiment.key,
        f"{family} {network}",
        family,
        f"{family.partition('/')[0]} {network}",
        alone,
        network,
        "",
    )


def learned(store: Store, experiments: Iterable[Experiment]) -> Times:
    """What the records of a store took of these experiments, by kind; programs that were continued
    do not count.

    A record says the seconds of the processor that its program used, an older one those that passed
    meanwhile. Of those made on this kind of processor and on others, the former count alone; what a
    GPU made tells nothing.
    """
    entries = {entry["key"]: entry["provenance"] for entry in store.entries().values()}
    ratios: dict[str, dict[str, list[float]]] = {}
    measured: dict[str, dict[str, list[float]]] = {}
    for experiment in experiments:
        parts = [
            part
            for part in entries.get(experiment.key, ())
            if "seconds" in part and not part.get("resumed")
        ]
        parts = [part for part in parts if part.get("device", "CPU").startswith("CPU")]
        here = [part for part in parts if part.get("processor") == processor()] or parts
        took = [
            part.get("cpu_seconds", part["seconds"])
            / experiment.predicted(len(part["seeds"])).seconds
            for part in here
        ]
        for kind in kinds(experiment) if took else ():
            ratios.setdefault(kind, {})[experiment.key] = took
            if all("cpu_seconds" in part and part.get("processor") == processor() for part in here):
                measured.setdefault(kind, {})[experiment.key] = took
    return Times(ratios, measured)
