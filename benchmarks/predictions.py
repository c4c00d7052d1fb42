"""What is learned of costs: `python benchmarks/predictions.py` writes learned.json beside
`grokbook.runs.learned`, and how far such predictions are off into book/how_to_rerun.md.

Every program of the records is held against what `grokbook.runs.learned` predicts without it.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable

import pandas as pd

from grokbook.files import atomic_write, put_between
from grokbook.paths import checkout, records_path
from grokbook.runs.experiment import Experiment
from grokbook.runs.learned import WRITTEN, Times, learned
from grokbook.runs.recording import catalogue
from grokbook.runs.store import Store

MARK = "% off by: benchmarks/predictions.py\n"


def predictions(times: Times, experiments: Iterable[Experiment]) -> pd.DataFrame:
    """Every recorded program against its prediction: columns `known` and `off`, predicted seconds
    over those it took.

    `known` is "other seeds" where the same experiment has other programs, all but this one, and
    "similar runs" for an experiment as if it had no record, once, against the median of its own
    programs.
    """
    rows = []
    for experiment in experiments:
        own = (times.measured or times.ratios).get(experiment.key, {}).get(experiment.key, [])
        if len(own) > 1:
            others = [[*own[:n], *own[n + 1 :]] for n in range(len(own))]
            rows += [
                ("other seeds", statistics.median(rest) / one)
                for rest, one in zip(others, own, strict=True)
            ]
        if own and (like := times.ratio(experiment, experiment.key)):
            rows.append(("similar runs", like / statistics.median(own)))
    return pd.DataFrame(rows, columns=["known", "off"])


def off_by(table: pd.DataFrame) -> pd.DataFrame:
    """How far predictions were off, by what was known: median error, shares within 25 % and a
    factor 2, the worst.

    Example:
        >>> table = pd.DataFrame({"known": ["other seeds"] * 4, "off": [1.0, 1.1, 0.8, 4.0]})
        >>> off_by(table).loc["other seeds"].tolist()
        [15.0, 75.0, 75.0, 4.0, 4.0]
    """
    error, factor = (table.off - 1).abs(), table.off.where(table.off >= 1, 1 / table.off)
    error, factor = error.groupby(table.known), factor.groupby(table.known)
    shares = {
        "error": error.median(),
        "near": error.agg(lambda one: (one <= 0.25).mean()),
        "twice": factor.agg(lambda one: (one <= 2).mean()),
    }
    percent = pd.DataFrame(
        {name: (100 * share).round().astype(int) for name, share in shares.items()}
    )
    return percent.assign(worst=factor.max().round(1)).assign(predictions=error.size())


def as_markdown(rows: pd.DataFrame) -> str:
    """The table of `off_by` as it stands in book/how_to_rerun.md."""
    lines = [
        f"| {r.Index} | {r.predictions} | {r.error} % | {r.near} % | {r.twice} % | {r.worst:g} |"
        for r in rows.itertuples()
    ]
    head = (
        "| known from | predictions | median error | within 25 % | within a factor 2 | worst"
        " factor |"
    )
    return "\n".join([head, "| --- | --- | --- | --- | --- | --- |", *lines]) + "\n"


def now() -> tuple[Times, pd.DataFrame]:
    """What the records say today, and how far it is off."""
    experiments = list(catalogue().values())
    times = learned(Store(records_path()), experiments)
    return times, off_by(predictions(times, experiments))


if __name__ == "__main__":
    times, errors = now()
    atomic_write(WRITTEN, (json.dumps(times.medians(), indent=1) + "\n").encode())
    put_between(checkout() / "book" / "how_to_rerun.md", MARK, as_markdown(errors))
