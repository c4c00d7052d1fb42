"""What runs take over what is counted for them: `python benchmarks/predictions.py` writes
ratios.json beside `grokbook.runs.ratios`, and how far predictions by it are off into
book/machinery.md.
"""

from __future__ import annotations

import json
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from grokbook.files import atomic_write
from grokbook.paths import checkout, records_path
from grokbook.runs.experiment import Experiment
from grokbook.runs.ratios import TABLE, kinds
from grokbook.runs.recording import catalogue
from grokbook.runs.store import Store

MARK = "% off by: benchmarks/predictions.py\n"


class Measured(NamedTuple):
    """The kinds of a recorded experiment, the nearest first, the seconds it took over those counted
    for it, and whether they are of the processor."""

    kinds: tuple[str, ...]
    ratio: float
    is_of_processor: bool


def measured_of(experiment: Experiment, programs: Iterable[Mapping[str, Any]]) -> Measured | None:
    """The median over the recorded programs of an experiment; None where none tells.

    A record says the seconds of the processor that its program used; an older one those that passed
    meanwhile, which count where no other is there. Programs that were continued, and those of a
    GPU, do not count.
    """
    of_processor = []
    passed = []
    for program in programs:
        on_cpu = program.get("device", "CPU").startswith("CPU")
        if on_cpu and "seconds" in program and not program.get("resumed"):
            counted = experiment.counted(len(program["seeds"])).seconds
            passed.append(program["seconds"] / counted)
            if "cpu_seconds" in program:
                of_processor.append(program["cpu_seconds"] / counted)
    if not passed:
        return None
    ratio = statistics.median(of_processor or passed)
    return Measured(kinds(experiment.name, experiment.config), ratio, bool(of_processor))


def measured(store: Store, experiments: Iterable[Experiment]) -> list[Measured]:
    """Every experiment whose records tell what it took."""
    programs = {entry["key"]: entry["provenance"] for entry in store.entries().values()}
    rows = []
    for experiment in experiments:
        row = measured_of(experiment, programs.get(experiment.key, ()))
        if row is not None:
            rows.append(row)
    return rows


def ratios(rows: Iterable[Measured]) -> dict[str, float]:
    """The median of each kind, to two digits: over the experiments with seconds of the processor,
    over all where a kind has none, since those that passed depend on what else the machine did."""
    of_processor = defaultdict(list)
    passed = defaultdict(list)
    for row in rows:
        column = of_processor if row.is_of_processor else passed
        for kind in row.kinds:
            column[kind].append(row.ratio)
    by_kind = passed | of_processor
    return {kind: float(f"{statistics.median(by_kind[kind]):.2g}") for kind in sorted(by_kind)}


def as_markdown(rows: list[Measured], table: Mapping[str, float]) -> str:
    """How far the ratios of the nearest kinds are off, as it stands in book/machinery.md."""
    of_processor = {row.kinds[0] for row in rows if row.is_of_processor}
    known = {row.kinds[0] for row in rows}
    factors = []
    for row in rows:
        if row.is_of_processor or row.kinds[0] not in of_processor:
            off = table[row.kinds[0]] / row.ratio
            factors.append(max(off, 1 / off))
    near = statistics.mean(factor <= 1.25 for factor in factors)
    twice = statistics.mean(factor <= 2 for factor in factors)
    head = "| experiments | kinds of run | within 25 % | within a factor 2 | worst factor |"
    numbers = f"| {len(factors)} | {len(known)} | {near:.0%} | {twice:.0%} | {max(factors):.0f} |"
    return "\n".join([head, "| --- | --- | --- | --- | --- |", numbers.replace("%", " %")]) + "\n"


def put_between(path: Path, mark: str, text: str) -> None:
    """Write a text between the two lines `mark` of a file, with blank lines about it.

    Raises ValueError where the file has not two of them.
    """
    before, _, after = path.read_text(encoding="utf-8").split(mark)
    atomic_write(path, f"{before}{mark}\n{text.strip()}\n\n{mark}{after}".encode())


def now() -> tuple[list[Measured], dict[str, float]]:
    """What the records say today, and the table of it."""
    rows = measured(Store(records_path()), catalogue().values())
    return rows, ratios(rows)


if __name__ == "__main__":
    rows, table = now()
    atomic_write(TABLE, (json.dumps(table, indent=1) + "\n").encode())
    put_between(checkout() / "book" / "machinery.md", MARK, as_markdown(rows, table))
