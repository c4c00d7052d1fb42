"""What `gb.sweep` chooses against choices by hand: `python benchmarks/grids.py [TURNS]` writes the
table in README.md.

Four kinds of grid, by the clock, start of the processes included; all choices take turns. Where the
machine does something else too, the ratios say little.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from work import network_run, toy_run

import grokbook as gb
from grokbook.runs.sweep import spaced

README = Path(__file__).with_name("README.md")
BEGIN, END = "<!-- grids: made by grids.py -->", "<!-- end of grids -->"
CHOICES = {"as chosen": {}} | {
    f"{rows} rows, {workers} worker{'s' * (workers > 1)}": {"rows": rows, "workers": workers}
    for rows in (1, 4, 16)
    for workers in (1, 2)
}


def grids() -> Iterator[tuple[str, dict]]:
    """What a grid is called, and the arguments of `gb.sweep`."""
    bits = np.arange(128)[:, None] >> np.arange(7) & 1
    parity = gb.task(bits.astype(float), bits[:, :2].sum(1) % 2, train_fraction=0.5)
    decays = {"weight_decay": tuple(np.linspace(0, 2, 10))}
    grid = {"lr": spaced(1e-3, 1e-2, 10)} | decays
    yield (
        "200 runs of the cookbook's network",
        {"task": parity, "model": gb.MLP((7, 32, 2)), "grid": grid, "seeds": 2, "steps": 200},
    )
    nine = {"lr": spaced(1e-3, 1e-2, 3), "weight_decay": (0.1, 1.0, 2.0)}
    small = gb.Transformer(13, d_model=32)
    yield (
        "9 transformers, p = 13, width 32",
        {"task": gb.ModularTask(13), "model": small, "grid": nine, "steps": 1_000},
    )
    toy, network = toy_run(), network_run()
    yield (
        "100 cells of a phase diagram",
        {
            "task": toy.task,
            "model": toy.model,
            "optimizer": toy.optimizer,
            "loss": toy.loss,
            "grid": {
                "decoder_lr": spaced(1e-4, 1e-2, 10),
                "decoder_weight_decay": decays["weight_decay"],
            },
            "steps": 300,
        },
    )
    yield (
        "10 two-layer networks, M = 23",
        {
            "task": network.task,
            "model": network.model,
            "optimizer": network.optimizer,
            "loss": network.loss,
            "start": network.start,
            "steps": 1_000,
            "grid": {"lr": spaced(1e-3, 1e-2, 10)},
        },
    )


def seconds(arguments: dict, choice: dict) -> float:
    """Seconds by the clock of one sweep."""
    began = time.perf_counter()
    gb.sweep(**arguments, **choice, store=False, progress=False)
    return time.perf_counter() - began


def main() -> None:
    """Measure, print and write the table."""
    lines = [
        "| grid | " + " | ".join(CHOICES) + " | chosen / best |",
        "| --- " * (len(CHOICES) + 2) + "|",
    ]
    for name, arguments in grids():
        turns = [
            [seconds(arguments, choice) for choice in CHOICES.values()]
            for _ in range(int((sys.argv + ["3"])[1]))
        ]
        medians = [statistics.median(took) for took in zip(*turns, strict=True)]
        cells = " | ".join(f"{m:.1f} s" for m in medians)
        lines.append(f"| {name} | {cells} | {medians[0] / min(medians):.2f} |")
        print(lines[-1], flush=True)
    before, _, rest = README.read_text().partition(BEGIN)
    README.write_text(f"{before}{BEGIN}\n" + "\n".join(lines) + f"\n{END}{rest.partition(END)[2]}")


if __name__ == "__main__":
    main()
