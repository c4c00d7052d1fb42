"""Plan of chapter 09, its settings by question, the tables that an embedding starts from, and the cost of one step."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping

import numpy as np
import pandas as pd
import torch

from grokbook.errors import ParameterError
from grokbook.experiments import figures
from grokbook.experiments.base import Experiment
from grokbook.experiments.gu2025 import fig5, modular_run
from grokbook.measures import mean_norm, med
from grokbook.models.start import STARTS, embedding_start
from grokbook.theory.toeplitz_start import squared_steps
from grokbook.training.config import RunConfig
from grokbook.training.loop import advance, make_stack
from grokbook.training.optim import AdamW
from grokbook.training.schedule import Schedule

Settings = dict[str, Experiment]
FOUR = figures.STARTS_COMPARED


def width_and_initialisation(
    p: int, train_fraction: float, d_model: int, steps: int, n_seeds: int, start: str
) -> Settings:
    """Plan of chapter 09: small networks that differ in the start of the embedding, trained while the page is built.

    Raises ParameterError for a start that is unknown, or that is the one which the page compares with.

    Example:
        >>> list(width_and_initialisation(11, 0.6, 16, 100, 1, "toeplitz"))
        ['normal', 'toeplitz']
    """
    if start not in STARTS[1:]:
        known = ", ".join(STARTS[1:])
        raise ParameterError(f"start = {start!r} must be one of {known}; the page compares it with normal.")
    config = modular_run(p, train_fraction, d_model=d_model, steps=steps)
    config = dataclasses.replace(config, log=Schedule(points=100))
    return {
        name: Experiment(f"live/start[{name}, p={p}]", dataclasses.replace(config, start=name), tuple(range(n_seeds)))
        for name in ("normal", start)
    }


def by_modulus() -> Settings:
    """Fig. 22 of Gu 2024 (p = 47) and the same at p = 97: the settings with the most recorded seeds.

    Example:
        >>> list(by_modulus())
        ['p = 47', 'p = 97']
    """
    return {f"p = {p}": fig5(p) for p in (47, 97)}


def by_shift() -> Settings:
    """Fig. 3 of Gu 2024 at p = 97, by shift; k = 0 is the run of Fig. 5.

    Example:
        >>> list(by_shift())
        ['k = 0', 'k = 45', 'k = 60', 'k = 81']
    """
    return {"k = 0": fig5(97)} | {f"k = {run.config.task.shift}": run for run in figures.shifts().values()}


def small_by_shift() -> Settings:
    """The companions of Fig. 3 at p = 59, by shift.

    Example:
        >>> list(small_by_shift())
        ['k = 0', 'k = 20', 'k = 40', 'k = 59']
    """
    more = {f"k = {run.config.task.shift}": run for run in figures.small_shifts().values()}
    return {"k = 0": _small_normal()} | more


def _small_normal() -> Experiment:
    return figures.small_starts()["small/fig20[start=normal, frac=0.5]"]


def by_position() -> Settings:
    """Figs 19 to 21 of Gu 2024, p = k = 97: three widths, position vectors on and off.

    Example:
        >>> list(by_position())[:2]
        ['d = 128, on', 'd = 128, off']
    """
    return {_position(run): run for run in figures.positions().values()}


def small_by_position() -> Settings:
    """Their companions, p = k = 59.

    Example:
        >>> list(small_by_position())
        ['d = 64, on', 'd = 64, off', 'd = 32, on', 'd = 32, off']
    """
    on = figures.small_shifts()["small/fig3[k=59]"]
    return {_position(run): run for run in (on, *figures.small_positions().values())}


def _position(run: Experiment) -> str:
    model = run.config.model
    return f"d = {model.d_model}, {'on' if model.positional else 'off'}"


def by_width() -> Settings:
    """Figs 9 to 11 of Gu et al. 2025, and the recorded width 128 at p = 47 between the two of Fig. 9.

    Example:
        >>> list(by_width())[:3]
        ['p = 97, k = 85, d = 128', 'p = 97, k = 85, d = 256', 'p = 47, k = 0, d = 64']
    """
    runs = sorted([*figures.widths().values(), fig5(47)], key=_size)
    return {"p = {}, k = {}, d = {}".format(*_size(run, sign=1)): run for run in runs}


def _size(run: Experiment, sign: int = -1) -> tuple[int, int, int]:
    """Modulus (largest first), shift, width."""
    return sign * run.config.task.p, run.config.task.shift, run.config.model.d_model


def by_start(train_fraction: float = 0.3) -> Settings:
    """Fig. 20 at one training fraction: the four starts.

    Example:
        >>> list(by_start())
        ['normal', 'toeplitz', 'positive', 'circulant']
    """
    return {start: figures.fig20_run(start, train_fraction, 5 if start == "normal" else 3) for start in FOUR}


def small_by_start(train_fraction: float = 0.5) -> Settings:
    """The companions of Fig. 20 at one training fraction: its four starts and the Toeplitz table with normal entries.

    Example:
        >>> small_by_start(0.4)["toeplitz"].name
        'small/fig20[start=toeplitz, frac=0.4]'
    """
    runs = figures.small_starts()
    return {start: runs[f"small/fig20[start={start}, frac={train_fraction:g}]"] for start in (*FOUR, "toeplitz_normal")}


def by_optimiser() -> Settings:
    """AdamW, Muon and Grokfast at p = 59, everything else equal.

    Example:
        >>> list(by_optimiser())
        ['adamw', 'muon', 'grokfast']
    """
    runs = figures.small_accelerators()
    return {"adamw": _small_normal()} | {name: runs[f"small/optimizer[{name}]"] for name in ("muon", "grokfast")}


def start_table(p: int = 97, d: int = 128, draws: int = 20) -> pd.DataFrame:
    r"""MED, mean length, MED over mean length, and the relative spread of the steps of each start, means over `draws`.

    `expected step` is $\sqrt{\mathrm{E}\lVert\phi(i+1) - \phi(i)\rVert^2}$: $\sqrt2$ for entries of variance 1/d,
    $\sqrt{1/6}$ for those uniform in [0, 1) over $\sqrt d$; `centred length` is the root mean square length once the
    mean vector is taken away.

    Raises ParameterError for no draws.

    Example:
        >>> start_table(11, 16, 2).start.tolist()
        ['normal', 'toeplitz', 'positive', 'circulant', 'toeplitz_normal']
    """
    if draws < 1:
        raise ParameterError(f"draws = {draws} must be 1 or more.")
    rows = []
    for kind in STARTS:
        found = [_start_row(embedding_start(kind, p, d, seed).double().numpy()) for seed in range(draws)]
        step = np.sqrt(2.0 if "normal" in kind else 1 / 6)
        rows.append({"start": kind, "expected step": step} | pd.DataFrame(found).mean().to_dict())
    order = ["start", "MED", "expected step", "mean length", "centred length", "MED / mean length", "step spread"]
    return pd.DataFrame(rows)[order]


def _start_row(table: np.ndarray) -> dict[str, float]:
    steps = np.sqrt(squared_steps(table))
    length, value = mean_norm(table), med(table)
    centred = table - table.mean(axis=0)
    return {
        "MED": value,
        "mean length": length,
        "centred length": float(np.sqrt((centred**2).sum(axis=1).mean())),
        "MED / mean length": value / length,
        "step spread": float(steps.std() / steps.mean()),
    }


def step_costs(
    config: RunConfig, optimisers: Mapping[str, AdamW] = figures.ACCELERATORS, repeats: int = 15
) -> pd.DataFrame:
    """Milliseconds of one training step by optimiser, on one thread, and the ratio to the first optimiser.

    The optimisers take turns, a step each, so that whatever else the machine does falls on all of them alike; the
    medians of `repeats` turns are compared, after three turns that do not count.

    Raises ParameterError for fewer than one turn.

    Example:
        >>> table = step_costs(modular_run(5, 0.5, d_model=8, steps=10), repeats=2)
        >>> table.optimiser.tolist(), float(table.ratio[0])
        (['adamw', 'muon', 'grokfast'], 1.0)
    """
    if repeats < 1:
        raise ParameterError(f"repeats = {repeats} must be 1 or more.")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        seconds = _turns({n: dataclasses.replace(config, optimizer=o) for n, o in optimisers.items()}, repeats + 3)
    finally:
        torch.set_num_threads(before)
    middle = {name: float(np.median(values[3:])) for name, values in seconds.items()}
    first = next(iter(middle.values()))
    rows = [{"optimiser": n, "ms a step": 1e3 * s, "ratio": s / first} for n, s in middle.items()]
    return pd.DataFrame(rows)


def _turns(configs: Mapping[str, RunConfig], turns: int) -> dict[str, list[float]]:
    """Seconds of each of `turns` steps of each configuration, one step of each after the other."""
    stacks = {name: make_stack([config], torch.device("cpu")) for name, config in configs.items()}
    seconds: dict[str, list[float]] = {name: [] for name in stacks}
    for _ in range(turns):
        for name, stack in stacks.items():
            begun = time.perf_counter()
            advance(stack, stack.tokens[stack.train], stack.labels[stack.train])
            seconds[name].append(time.perf_counter() - begun)
    return seconds
