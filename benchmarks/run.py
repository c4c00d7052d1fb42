"""Measure the ratios: `python benchmarks/run.py` writes results.json and the table in README.md beside it.

The two things of a ratio take turns in one process (A B A B ...), so that whatever else the machine does slows both.
Times are the processor's, on one thread: what another process takes in between is not counted.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import time
from pathlib import Path

import torch
from work import EPOCHS, Work, our_epochs, our_step, paper_run, plain_epoch, products

HERE = Path(__file__).parent
BEGIN, END = "<!-- table: made by run.py -->", "<!-- end of table -->"


def seconds(work: Work) -> float:
    """Processor time of one call."""
    began = time.process_time()
    work()
    return time.process_time() - began


def in_turns(first: Work, second: Work, rounds: int) -> tuple[list[float], list[float]]:
    """Times of both, taken in turns after one call of each that is not timed."""
    first(), second()
    pairs = [(seconds(first), seconds(second)) for _ in range(rounds)]
    return [a for a, _ in pairs], [b for _, b in pairs]


def comparison(slower: list[float], faster: list[float], names: tuple[str, str]) -> dict[str, object]:
    """Medians in milliseconds; median and quartiles of the ratios of single turns."""
    ratios = [a / b for a, b in zip(slower, faster, strict=True)]
    medians = {name: round(1e3 * statistics.median(t), 2) for name, t in zip(names, (slower, faster), strict=True)}
    quartiles = statistics.quantiles(ratios, n=4)
    return {
        "milliseconds": medians,
        "ratio": round(statistics.median(ratios), 2),
        "ratio_quartiles": [round(quartiles[0], 2), round(quartiles[2], 2)],
        "rounds": len(ratios),
    }


def epochs(rounds: int = 25) -> dict[str, object]:
    """An epoch of the training written plainly against ours with metrics every ten steps."""
    plain, ours = in_turns(plain_epoch(paper_run()), our_epochs(paper_run()), rounds)
    return comparison(plain, [t / EPOCHS for t in ours], ("plain epoch", "our epoch"))


def steps(rounds: int = 200) -> dict[str, object]:
    """A training step against its matrix products alone."""
    step, alone = in_turns(our_step(paper_run()), products(paper_run()), rounds)
    return comparison(step, alone, ("training step", "its matrix products"))


def machine() -> dict[str, object]:
    """What a reader needs to place the times."""
    return {
        "cores": os.cpu_count(),
        "architecture": platform.machine(),
        "threads": torch.get_num_threads(),
        "torch": torch.__version__,
        "python": platform.python_version(),
        "run": "p = 97, 30 % training cells, d_model 128, one layer, float32",
    }


def table(results: dict[str, dict]) -> str:
    """The results as a Markdown table and a line on the machine."""
    lines = ["| compared | wanted | ratio (quartiles) | medians |", "| --- | --- | --- | --- |"]
    for name, wanted in (("epoch", "at least 12"), ("step", "at most 1.6")):
        r = results[name]
        times = ", ".join(f"{what} {value:g} ms" for what, value in r["milliseconds"].items())
        low, high = r["ratio_quartiles"]
        lines.append(f"| {' / '.join(r['milliseconds'])} | {wanted} | {r['ratio']} ({low} to {high}) | {times} |")
    m = results["machine"]
    where = f"{m['cores']} cores ({m['architecture']}), {m['threads']} thread used, torch {m['torch']}"
    return "\n".join([*lines, "", f"{where}, Python {m['python']}; {m['run']}."])


def main() -> None:
    """Measure, print, and write both files."""
    torch.set_num_threads(1)
    results = {"machine": machine(), "epoch": epochs(), "step": steps()}
    (HERE / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    readme = HERE / "README.md"
    before, _, rest = readme.read_text().partition(BEGIN)
    readme.write_text(f"{before}{BEGIN}\n{table(results)}\n{END}{rest.partition(END)[2]}")
    print(table(results))


if __name__ == "__main__":
    main()
