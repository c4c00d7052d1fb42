"""Measure the ratios: `python benchmarks/run.py` writes results.json and the table in README.md
beside it.

The two things of a ratio take turns in one process (A B A B ...), so that whatever else the machine
does slows both. Times are the processor's, on one thread: what another process takes in between is
not counted.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from multiprocessing import get_context
from multiprocessing.queues import SimpleQueue
from multiprocessing.synchronize import Barrier
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

import torch
from torch.utils.data import DataLoader
from work import (
    BETWEEN,
    EPOCHS,
    Files,
    Work,
    group_run,
    image_run,
    network_run,
    our_cells,
    our_epochs,
    our_stack,
    our_step,
    paper_run,
    plain_cell_step,
    plain_epoch,
    plain_images,
    plain_network,
    products,
    toy_run,
)

from grokbook.machine import process_environment, subnormals_as_zero
from grokbook.runs.provenance import processor
from grokbook.training import RunConfig
from grokbook.training.compiled import compiles
from grokbook.training.forward import split_weights
from grokbook.training.loop import advance, log, losses_and_gradient

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


def comparison(
    slower: list[float], faster: list[float], names: tuple[str, str]
) -> dict[str, object]:
    """Medians in milliseconds; median and quartiles of the ratios of single turns."""
    ratios = [a / b for a, b in zip(slower, faster, strict=True)]
    medians = {
        name: round(1e3 * statistics.median(t), 2)
        for name, t in zip(names, (slower, faster), strict=True)
    }
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


TOGETHER, NETWORKS = 4, 16
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


def steps(kind: str, compiled: bool) -> dict[str, object]:
    """A training step of a kind of run against its matrix products and convolutions alone."""
    make, count, rounds = KINDS[kind]
    configs = [make().with_seed(seed) for seed in range(count)]
    step, alone = in_turns(our_step(*configs, compiled=compiled), products(*configs), rounds)
    return comparison(
        step, alone, (f"{'compiled' if compiled else 'eager'} step, {kind}", "its products")
    )


def low_epochs(rounds: int = 15) -> dict[str, object]:
    """An epoch of the training written plainly against our compiled one with products in
    bfloat16."""
    ours = our_epochs(dataclasses.replace(paper_run(), dtype="bfloat16"), compiled=True)
    plain, low = in_turns(plain_epoch(paper_run()), ours, rounds)
    return comparison(
        plain, [t / EPOCHS for t in low], ("plain epoch", "our compiled epoch in bfloat16")
    )


def cell_steps(rounds: int = 20) -> dict[str, object]:
    """A step of a diagram's cell in plain PyTorch against ours of a cell among `TOGETHER` on each
    of the cores."""
    ours = our_cells(*map(toy_run, range(TOGETHER)))
    plain, batched = in_turns(plain_cell_step(toy_run()), ours, rounds)
    cores = os.cpu_count() or 1
    per_step = [t / TOGETHER / BETWEEN / cores for t in batched]
    found = comparison(plain, per_step, ("plain cell step", f"ours, {cores} cores"))
    return found | {"cell-steps a second": round(1 / statistics.median(per_step))}


def networks(rounds: int = 10) -> dict[str, object]:
    """A step of one of Tian's networks in plain PyTorch against ours among `NETWORKS` on each of
    the cores."""
    ours = our_cells(*map(network_run, range(NETWORKS)))
    plain, batched = in_turns(plain_network(network_run()), ours, rounds)
    cores, steps = os.cpu_count() or 1, network_run().steps
    alone = [t / BETWEEN for t in plain]
    per_step = [t / NETWORKS / BETWEEN / cores for t in batched]
    found = comparison(alone, per_step, ("plain network step", f"ours, {cores} cores"))
    return found | {"networks an hour": round(3600 / steps / statistics.median(per_step))}


def images(rounds: int = 8) -> dict[str, object]:
    """An epoch of training on images: a loop over files with a DataLoader against our steps; the
    images alone too."""
    config = image_run()
    task, size = config.task, config.batch_size
    batches = torch.from_numpy(task.inputs[task.train_index]).split(size)[: config.n_train // size]
    step = our_step(config)
    with TemporaryDirectory() as folder:
        files = Files(config, Path(folder))
        plain, ours = in_turns(
            plain_images(config, files), lambda: [step() for _ in batches], rounds
        )
        loader = DataLoader(files, size, shuffle=True, drop_last=True)
        read, drawn = in_turns(
            lambda: list(loader), lambda: [task.show(batch) for batch in batches], rounds
        )
    found = comparison(plain, ours, ("plain epoch over files", "our epoch of drawn images"))
    alone = comparison(read, drawn, ("images read", "images drawn"))
    return found | {
        "images a second": round(len(batches) * size / statistics.median(ours)),
        "images alone": alone,
    }


def decayed(rounds: int = 15) -> dict[str, object]:
    """A gradient of a network half of whose units have decayed: subnormal numbers as they are, and
    taken for zero."""
    stack = our_stack(network_run())
    split_weights(stack.config, stack.weights[0])["W_E"][..., ::2] *= (
        1e-20  # their squares are subnormal
    )

    def gradient() -> None:
        losses_and_gradient(stack, stack.batch())

    as_they_are, as_zero = in_turns(gradient, subnormals_as_zero()(gradient), rounds)
    return comparison(as_they_are, as_zero, ("subnormals as they are", "as zero"))


def _train_alone(config: RunConfig, updates: int, start: Barrier, ends: SimpleQueue) -> None:
    """In a process of its own, on one thread: `updates` of a run with the metrics of its schedule,
    timed together."""
    torch.set_num_threads(1)
    every = config.steps // config.log.points
    stack = our_stack(config)
    advance(stack)
    start.wait()
    for n in range(updates):
        if n % every == 0:
            log(stack)
        advance(stack)
    ends.put(time.perf_counter())


def side_by_side(config: RunConfig, updates: int) -> float:
    """Seconds by the clock in which every core trains one run for `updates` updates; starting is
    not counted."""
    context = get_context("spawn")
    count = os.cpu_count() or 1
    with mock.patch.dict(os.environ, process_environment()):
        start, ends = context.Barrier(count + 1), context.SimpleQueue()
        workers = [
            context.Process(target=_train_alone, args=(config, updates, start, ends))
            for _ in range(count)
        ]
        for worker in workers:
            worker.start()
        start.wait()
        began = time.perf_counter()
        last = max(ends.get() for _ in workers)
        for worker in workers:
            worker.join()
    return last - began


def plain_epochs(config: RunConfig, count: int) -> float:
    """Seconds by the clock of `count` epochs of one plain run that has all cores to itself, as
    torch would use them."""
    epoch = plain_epoch(config)
    torch.set_num_threads(os.cpu_count() or 1)
    try:
        epoch()
        began = time.perf_counter()
        for _ in range(count):
            epoch()
        return time.perf_counter() - began
    finally:
        torch.set_num_threads(1)


def runs_per_hour(rounds: int = 5, updates: int = 100, epochs: int = 5) -> dict[str, object]:
    """Runs of 10,000 steps an hour: plain, one after the other with all cores, against one run a
    core; in turns.

    By the clock, because cores are what is used up: on a machine that does something else it means
    little.
    """
    config, cores, found = paper_run(), os.cpu_count() or 1, []
    for _ in range(rounds):
        plain = 3600 / (plain_epochs(config, epochs) / epochs * config.steps)
        ours = 3600 * cores / (side_by_side(config, updates) / updates * config.steps)
        found.append((plain, ours))
    ratios = [ours / plain for plain, ours in found]
    quartiles = statistics.quantiles(ratios, n=4)
    return {
        "runs an hour": {
            "plain, one after the other": round(statistics.median(plain for plain, _ in found), 3),
            f"ours, {cores} side by side": round(statistics.median(ours for _, ours in found), 2),
        },
        "ratio": round(statistics.median(ratios), 2),
        "ratio_quartiles": [round(quartiles[0], 2), round(quartiles[2], 2)],
        "rounds": rounds,
    }


def machine() -> dict[str, object]:
    """What a reader needs to place the times."""
    cores, python = os.cpu_count(), platform.python_version()
    return {
        "cores": cores,
        "architecture": platform.machine(),
        "torch": torch.__version__,
        "python": python,
    }


NETWORK_STEP, IMAGES_EPOCH = (
    "plain network step / ours",
    "plain epoch over files / our epoch of drawn images",
)


def rows() -> Iterator[tuple[str, str, Callable[[], dict[str, object]]]]:
    """Name of a row, what is wanted of its ratio, and what measures it here."""
    yield "plain epoch / our epoch", "at least 12", epochs
    for compiled in (False, True):
        for kind in (
            KINDS if not compiled else [kind for kind in KINDS if compiles(KINDS[kind][0]())]
        ):
            wanted = "at most 1.3" if kind == "transformer" else ""
            yield (
                f"{'compiled' if compiled else 'eager'} step / its products, {kind}",
                wanted,
                partial(steps, kind, compiled),
            )
    if compiles(paper_run()):
        yield "plain epoch / our compiled epoch in bfloat16", "", low_epochs
        yield "plain cell step / ours", "at least 8", cell_steps
        yield NETWORK_STEP, "at least 4", networks
    yield IMAGES_EPOCH, "at least 2", images
    yield "subnormals as they are / as zero", "", decayed
    yield "runs of 10,000 steps an hour: ours / plain", "at least 15", runs_per_hour


def table(results: dict[str, dict]) -> str:
    """The results as a Markdown table, a column a kind of processor, and a line on each machine."""
    head = "| compared | wanted | " + " | ".join(results) + " |"
    lines = [head, "| --- " * (2 + len(results)) + "|"]
    for name, want, _ in rows():
        cells = [found["rows"].get(name) for found in results.values()]
        said = (
            "" if r is None else "{} ({} to {})".format(r["ratio"], *r["ratio_quartiles"])
            for r in cells
        )
        lines.append(f"| {name} | {want} | {' | '.join(said)} |")
    lines.append("")
    for kind, found in results.items():
        m = found["machine"]
        where = (
            f"{kind}: {m['cores']} cores ({m['architecture']}), torch {m['torch']}, Python"
            f" {m['python']}"
        )
        ratio = {name: row["ratio"] for name, row in found["rows"].items()}
        alone = [(NETWORK_STEP, "compiled", "two-layer"), (IMAGES_EPOCH, "eager", "images")]
        most = {
            what: ratio[what] * ratio[f"{how} step / its products, {kind}"]
            for what, how, kind in alone
        }
        limits = ", ".join(f"{what} {value:.1f}" for what, value in most.items())
        lines += [f"{where}. If a step took no longer than its products: {limits}.", ""]
    return "\n".join(lines)


def main() -> None:
    """Measure, print, and write both files; columns of other kinds of processor stay."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    torch.set_num_threads(1)
    found = {}
    for name, _, measure in rows():
        found[name] = measure()
        print(name, found[name]["ratio"], flush=True)
    file, readme = HERE / "results.json", HERE / "README.md"
    results = json.loads(file.read_text()) | {processor(): {"machine": machine(), "rows": found}}
    results = dict(sorted(results.items()))
    file.write_text(json.dumps(results, indent=1) + "\n")
    before, _, rest = readme.read_text().partition(BEGIN)
    readme.write_text(f"{before}{BEGIN}\n{table(results)}{END}{rest.partition(END)[2]}")


if __name__ == "__main__":
    main()
