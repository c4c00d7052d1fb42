"""Measure the ratios: `python benchmarks/run.py` writes results.json and the table in README.md
beside it.

The two things of a ratio take turns in one process (A B A B ...), so that whatever else the machine
does slows both. Times are the processor's, on one thread: what another process takes in between is
not counted.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from plain import PlainTraining
from predictions import put_between
from work import (
    BETWEEN,
    EPOCHS,
    Files,
    Work,
    group_run,
    image_run,
    network_run,
    our_epochs,
    our_step,
    paper_run,
    plain_images,
    plain_network,
    products,
    toy_run,
)

from grokbook.machine import keep_freed_memory
from grokbook.runs.provenance import processor
from grokbook.training.compiled import compiles

HERE = Path(__file__).parent
MARK = "<!-- table: made by run.py -->\n"
NETWORK_STEP = "plain network step / ours"
IMAGES_EPOCH = "plain epoch over files / our epoch of drawn images"

TOGETHER = 4
NETWORKS = 16
"""How many runs of the toy, and of Tian's network, are rows of one program: more no longer fit in a
core's cache."""

KINDS = {
    "transformer": (paper_run, 1, 100),
    "two-layer": (network_run, NETWORKS, 60),
    "toy": (toy_run, TOGETHER, 200),
    "groups": (group_run, NETWORKS, 30),
    "images": (image_run, 1, 40),
}
"""The kinds of run: a maker of seed's configuration, how many are rows of one program, turns that
are timed."""


@dataclass(frozen=True)
class Comparison:
    """A row of the table: what is wanted of it, what makes the two pieces of work, and how many
    turns they take.

    A call of the second piece does `more` times the work of a call of the first.
    """

    name: str
    wanted: str
    pieces: Callable[[], tuple[Work, Work]]
    rounds: int
    more: float = 1

    def measure(self) -> dict[str, object]:
        """Median and quartiles of the ratios of single turns, after one call of each piece that is
        not timed.
        """
        slower, faster = self.pieces()
        slower()
        faster()
        ratios = [self.more * seconds(slower) / seconds(faster) for _ in range(self.rounds)]
        low, median, high = (round(quartile, 2) for quartile in statistics.quantiles(ratios, n=4))
        return {"ratio": median, "ratio_quartiles": [low, high], "rounds": self.rounds}


def seconds(work: Work) -> float:
    """Processor time of one call."""
    began = time.process_time()
    work()
    return time.process_time() - began


def step_and_products(kind: str, compiled: bool) -> tuple[Work, Work]:
    """A training step of a kind of run, and its matrix products and convolutions alone."""
    make, count, _ = KINDS[kind]
    configs = [make().with_seed(seed) for seed in range(count)]
    return our_step(*configs, compiled=compiled), products(*configs)


def comparisons(files: Path) -> Iterator[Comparison]:
    """The rows of the table that can be measured here; pictures are written into the folder
    `files`.
    """
    cores = os.cpu_count() or 1
    yield Comparison(
        "plain epoch / our epoch",
        "at least 12",
        lambda: (PlainTraining(paper_run()).epoch, our_epochs(paper_run())),
        25,
        EPOCHS,
    )
    for compiled in (False, True):
        for kind, (make, _, rounds) in KINDS.items():
            if compiled and not compiles(make()):
                continue
            name = f"{'compiled' if compiled else 'eager'} step / its products, {kind}"
            wanted = "at most 1.3" if compiled or kind == "transformer" else ""
            yield Comparison(name, wanted, partial(step_and_products, kind, compiled), rounds)
    if compiles(paper_run()):
        yield Comparison(
            NETWORK_STEP,
            "at least 6",
            networks,
            10,
            NETWORKS * cores,
        )
    yield Comparison(IMAGES_EPOCH, "at least 2", partial(epochs_of_images, files), 8)


def networks() -> tuple[Work, Work]:
    """Steps of one two-layer network, and of several as one compiled program."""
    several = map(network_run, range(NETWORKS))
    ours = our_epochs(*several, updates=BETWEEN, compiled=True)
    return plain_network(network_run()), ours


def epochs_of_images(files: Path) -> tuple[Work, Work]:
    """An epoch of training on images: a loop over files with a DataLoader, and our steps."""
    config = image_run()
    step = our_step(config)

    def ours() -> None:
        for _ in range(config.n_train // config.batch_size):
            step()

    return plain_images(config, Files(config, files)), ours


def machine() -> dict[str, object]:
    """What a reader needs to place the times."""
    return {
        "cores": os.cpu_count(),
        "architecture": platform.machine(),
        "torch": torch.__version__,
        "python": platform.python_version(),
    }


def table(results: dict[str, dict], rows: list[Comparison]) -> str:
    """The results as a Markdown table, a column a kind of processor, and a line on each machine."""
    lines = [f"| compared | wanted | {' | '.join(results)} |", "| --- " * (2 + len(results)) + "|"]
    for row in rows:
        line = f"| {row.name} | {row.wanted} |"
        for found in results.values():
            cell = found["rows"].get(row.name)
            text = "{} ({} to {})".format(cell["ratio"], *cell["ratio_quartiles"]) if cell else ""
            line += f" {text} |"
        lines.append(line)
    lines.append("")
    for kind, found in results.items():
        where = "{cores} cores ({architecture}), torch {torch}, Python {python}"
        text = f"{kind}: {where.format(**found['machine'])}. If a step took no longer than its"
        ratio = {name: row["ratio"] for name, row in found["rows"].items()}
        networks = ratio[NETWORK_STEP] * ratio["compiled step / its products, two-layer"]
        images = ratio[IMAGES_EPOCH] * ratio["eager step / its products, images"]
        limits = f"{NETWORK_STEP} {networks:.1f}, {IMAGES_EPOCH} {images:.1f}"
        lines += [f"{text} products: {limits}.", ""]
    return "\n".join(lines)


def main() -> None:
    """Measure, print, and write both files; columns of other kinds of processor stay."""
    torch.set_num_threads(1)
    keep_freed_memory()
    found = {}
    with TemporaryDirectory() as files:
        rows = list(comparisons(Path(files)))
        for row in rows:
            found[row.name] = row.measure()
            print(row.name, found[row.name]["ratio"], flush=True)
    file = HERE / "results.json"
    results = json.loads(file.read_text()) | {processor(): {"machine": machine(), "rows": found}}
    results = dict(sorted(results.items()))
    file.write_text(json.dumps(results, indent=1) + "\n")
    put_between(HERE / "README.md", MARK, table(results, rows))


if __name__ == "__main__":
    main()
