"""Measure the ratios: `python benchmarks/run.py` writes results.json and the table in README.md beside it.

The two things of a ratio take turns in one process (A B A B ...), so that whatever else the machine does slows both.
Times are the processor's, on one thread: what another process takes in between is not counted.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import platform
import statistics
import time
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
from grokbook.training import RunConfig
from grokbook.training.compiled import compiler_here
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


def compiled_steps(rounds: int = 100) -> dict[str, object]:
    """A compiled training step against its matrix products alone."""
    step, alone = in_turns(our_step(paper_run(), compiled=True), products(paper_run()), rounds)
    return comparison(step, alone, ("compiled step", "its matrix products"))


def low_epochs(rounds: int = 15) -> dict[str, object]:
    """An epoch of the training written plainly against our compiled one with products in bfloat16."""
    ours = our_epochs(dataclasses.replace(paper_run(), dtype="bfloat16"), compiled=True)
    plain, low = in_turns(plain_epoch(paper_run()), ours, rounds)
    return comparison(plain, [t / EPOCHS for t in low], ("plain epoch", "our compiled epoch in bfloat16"))


TOGETHER, NETWORKS = 4, 16
"""How many runs of the toy, and of Tian's network, are rows of one program: more no longer fit in a core's cache."""


def cell_steps(rounds: int = 20) -> dict[str, object]:
    """A step of a diagram's cell in plain PyTorch against ours of a cell among `TOGETHER` on each of the cores."""
    ours = our_cells(*map(toy_run, range(TOGETHER)))
    plain, batched = in_turns(plain_cell_step(toy_run()), ours, rounds)
    cores = os.cpu_count() or 1
    per_step = [t / TOGETHER / BETWEEN / cores for t in batched]
    found = comparison(plain, per_step, ("plain cell step", f"ours, {cores} cores"))
    return found | {"cell-steps a second": round(1 / statistics.median(per_step))}


def networks(rounds: int = 10) -> dict[str, object]:
    """A step of one of Tian's networks in plain PyTorch against ours among `NETWORKS` on each of the cores."""
    ours = our_cells(*map(network_run, range(NETWORKS)))
    plain, batched = in_turns(plain_network(network_run()), ours, rounds)
    cores, steps = os.cpu_count() or 1, network_run().steps
    alone = [t / BETWEEN for t in plain]
    per_step = [t / NETWORKS / BETWEEN / cores for t in batched]
    found = comparison(alone, per_step, ("plain network step", f"ours, {cores} cores"))
    return found | {"networks an hour": round(3600 / steps / statistics.median(per_step))}


def images(rounds: int = 8) -> dict[str, object]:
    """An epoch of training on images: a loop over files with a DataLoader against our steps; the images alone too."""
    config = image_run()
    task, size = config.task, config.batch_size
    batches = torch.from_numpy(task.inputs[task.train_index]).split(size)[: config.n_train // size]
    step = our_step(config)
    with TemporaryDirectory() as folder:
        files = Files(config, Path(folder))
        plain, ours = in_turns(plain_images(config, files), lambda: [step() for _ in batches], rounds)
        loader = DataLoader(files, size, shuffle=True, drop_last=True)
        read, drawn = in_turns(lambda: list(loader), lambda: [task.show(batch) for batch in batches], rounds)
    found = comparison(plain, ours, ("plain epoch over files", "our epoch of drawn images"))
    alone = comparison(read, drawn, ("images read", "images drawn"))
    return found | {"images a second": round(len(batches) * size / statistics.median(ours)), "images alone": alone}


def decayed(rounds: int = 15) -> dict[str, object]:
    """A gradient of a network half of whose units have decayed: subnormal numbers as they are, and taken for zero."""
    stack = our_stack(network_run())
    split_weights(stack.config, stack.weights[0])["W_E"][..., ::2] *= 1e-20  # their squares are subnormal

    def gradient() -> None:
        losses_and_gradient(stack, stack.batch())

    as_they_are, as_zero = in_turns(gradient, subnormals_as_zero()(gradient), rounds)
    return comparison(as_they_are, as_zero, ("subnormals as they are", "as zero"))


def _train_alone(config: RunConfig, updates: int, start: Barrier, ends: SimpleQueue) -> None:
    """In a process of its own, on one thread: `updates` of a run with the metrics of its schedule, timed together."""
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
    """Seconds by the clock in which every core trains one run for `updates` updates; starting is not counted."""
    context = get_context("spawn")
    count = os.cpu_count() or 1
    with mock.patch.dict(os.environ, process_environment()):
        start, ends = context.Barrier(count + 1), context.SimpleQueue()
        workers = [context.Process(target=_train_alone, args=(config, updates, start, ends)) for _ in range(count)]
        for worker in workers:
            worker.start()
        start.wait()
        began = time.perf_counter()
        last = max(ends.get() for _ in workers)
        for worker in workers:
            worker.join()
    return last - began


def plain_epochs(config: RunConfig, count: int) -> float:
    """Seconds by the clock of `count` epochs of one plain run that has all cores to itself, as torch would use them."""
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
    """Runs of 10,000 steps an hour: plain, one after the other with all cores, against one run a core; in turns.

    By the clock, because cores are what is used up: on a machine that does something else it means little.
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
    rows = (("epoch", "at least 12"), ("step", "at most 1.6"), ("compiled", "at most 1.3"))
    batched = (("cells", "at least 8"), ("networks", "at least 10"), ("images", "at least 5"), ("decayed", "above 1"))
    for name, wanted in (*rows, ("bfloat16", "at least 30"), *batched):
        if (r := results.get(name)) is None:
            continue
        times = ", ".join(f"{what} {value:g} ms" for what, value in r["milliseconds"].items())
        low, high = r["ratio_quartiles"]
        lines.append(f"| {' / '.join(r['milliseconds'])} | {wanted} | {r['ratio']} ({low} to {high}) | {times} |")
    r = results["hour"]
    rates = ", ".join(f"{what} {value:g} an hour" for what, value in r["runs an hour"].items())
    low, high = r["ratio_quartiles"]
    what = "runs of 10,000 steps an hour: ours / plain"
    lines.append(f"| {what} | at least 15 | {r['ratio']} ({low} to {high}) | {rates} |")
    m = results["machine"]
    where = f"{m['cores']} cores ({m['architecture']}), {m['threads']} thread used, torch {m['torch']}"
    return "\n".join([*lines, "", f"{where}, Python {m['python']}; {m['run']}."])


def main() -> None:
    """Measure, print, and write both files."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    torch.set_num_threads(1)
    results = {"machine": machine(), "epoch": epochs(), "step": steps(), "hour": runs_per_hour()}
    if compiler_here():
        results |= {"compiled": compiled_steps(), "bfloat16": low_epochs()}
        results |= {"cells": cell_steps(), "networks": networks()}
    results |= {"images": images(), "decayed": decayed()}
    (HERE / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    readme = HERE / "README.md"
    before, _, rest = readme.read_text().partition(BEGIN)
    readme.write_text(f"{before}{BEGIN}\n{table(results)}\n{END}{rest.partition(END)[2]}")
    print(table(results))


if __name__ == "__main__":
    main()
