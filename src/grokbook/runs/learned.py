"""What a run will take, learned from what the records took: counted work, times a ratio measured on its like.

`main` writes how far these predictions were off into book/how_to_rerun.md.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pandas as pd

from grokbook.files import put_between
from grokbook.paths import checkout, records_path
from grokbook.runs.experiment import Experiment
from grokbook.runs.provenance import processor
from grokbook.runs.store import Store
from grokbook.training.cost import Cost

MARK = "% off by: grokbook.runs.learned.main()\n"


@dataclass(frozen=True)
class Times:
    """Of each kind of run, by experiment: the recorded seconds of its programs over those that were counted for them.

    Example:
        >>> from grokbook.runs.gu2025 import fig5
        >>> one = fig5(47)
        >>> twice = Times({one.key: {one.key: [2.0]}})
        >>> twice.predicted(one, 1).seconds == 2 * one.predicted(1).seconds
        True
    """

    ratios: Mapping[str, Mapping[str, list[float]]]

    def predicted(self, experiment: Experiment, seeds: int) -> Cost:
        """Seconds of one core for `seeds` runs of an experiment, and memory of one program.

        What is counted for them, times the ratio of the first of its `kinds` of which there are records.
        """
        counted = experiment.predicted(seeds)
        return Cost(counted.seconds * (self.ratio(experiment) or 1.0), counted.memory_mb)

    def ratio(self, experiment: Experiment, without: str = "") -> float | None:
        """The median ratio of its nearest kind, over the experiments of that kind `without` the one with this key."""
        for kind in kinds(experiment):
            by_key = self.ratios.get(kind, {})
            if found := [statistics.median(each) for key, each in by_key.items() if key != without]:
                return statistics.median(found)
        return None


COUNTED = Times({})
"""Nothing is learned: predictions are what is counted."""


def kinds(experiment: Experiment) -> tuple[str, ...]:
    """What a run is like, the nearest first: itself, its family with this network, its family, its network.

    Example:
        >>> from grokbook.runs.gu2025 import fig5
        >>> kinds(fig5(47))[1:]
        ('gu2025/fig5 Shape', 'gu2025/fig5', 'gu2025 Shape', 'Shape alone', 'Shape')
    """
    family, network = experiment.name.partition("[")[0], type(experiment.config.model).__name__
    alone = f"{network} {'together' if experiment.together else 'alone'}"
    return experiment.key, f"{family} {network}", family, f"{family.partition('/')[0]} {network}", alone, network


def learned(store: Store, experiments: Iterable[Experiment]) -> Times:
    """What the records of a store took of these experiments, by kind; programs that were continued do not count.

    A record says the seconds of the processor that its program used, an older one those that passed meanwhile. Of
    those made on this kind of processor and on others, the former count alone.
    """
    entries = {entry["key"]: entry["provenance"] for entry in store.entries().values()}
    ratios: dict[str, dict[str, list[float]]] = {}
    for experiment in experiments:
        parts = [part for part in entries.get(experiment.key, ()) if "seconds" in part and not part.get("resumed")]
        here = [part for part in parts if part.get("processor") == processor()] or parts
        took = [part.get("cpu_seconds", part["seconds"]) / experiment.predicted(len(part["seeds"])).seconds
                for part in here]  # fmt: skip
        for kind in kinds(experiment) if took else ():
            ratios.setdefault(kind, {})[experiment.key] = took
    return Times(ratios)


def predictions(times: Times, experiments: Iterable[Experiment]) -> pd.DataFrame:
    """Every recorded program against its prediction: columns `known` and `off`, predicted seconds over those it took.

    `known` is "other seeds" where the same experiment has other programs, all but this one, and "similar runs" for an
    experiment as if it had no record, once, against the median of its own programs.
    """
    rows = []
    for experiment in experiments:
        own = times.ratios.get(experiment.key, {}).get(experiment.key, [])
        if len(own) > 1:
            others = [[*own[:n], *own[n + 1 :]] for n in range(len(own))]
            rows += [("other seeds", statistics.median(rest) / one) for rest, one in zip(others, own, strict=True)]
        if own and (like := times.ratio(experiment, experiment.key)):
            rows.append(("similar runs", like / statistics.median(own)))
    return pd.DataFrame(rows, columns=["known", "off"])


def off_by(table: pd.DataFrame) -> pd.DataFrame:
    """How far predictions were off, by what was known: median error, shares within 25 % and a factor 2, the worst.

    Example:
        >>> table = pd.DataFrame({"known": ["other seeds"] * 4, "off": [1.0, 1.1, 0.8, 4.0]})
        >>> off_by(table).loc["other seeds"].tolist()
        [15.0, 75.0, 75.0, 4.0, 4.0]
    """
    error, factor = (table.off - 1).abs(), table.off.where(table.off >= 1, 1 / table.off)
    error, factor = error.groupby(table.known), factor.groupby(table.known)
    shares = {"error": error.median(), "near": error.agg(lambda one: (one <= 0.25).mean()),
              "twice": factor.agg(lambda one: (one <= 2).mean())}  # fmt: skip
    percent = pd.DataFrame({name: (100 * share).round().astype(int) for name, share in shares.items()})
    return percent.assign(worst=factor.max().round(1)).assign(predictions=error.size())


def as_markdown(rows: pd.DataFrame) -> str:
    """The table of `off_by` as it stands in book/how_to_rerun.md."""
    lines = [f"| {r.Index} | {r.predictions} | {r.error} % | {r.near} % | {r.twice} % | {r.worst:g} |"
             for r in rows.itertuples()]  # fmt: skip
    head = "| known from | predictions | median error | within 25 % | within a factor 2 | worst factor |"
    return "\n".join([head, "| --- | --- | --- | --- | --- | --- |", *lines]) + "\n"


def main() -> None:
    """Write the table into book/how_to_rerun.md, between its two marks."""
    from grokbook.runs.recording import catalogue

    experiments = list(catalogue().values())
    made = as_markdown(off_by(predictions(learned(Store(records_path()), experiments), experiments)))
    put_between(checkout() / "book" / "how_to_rerun.md", MARK, made)
