"""Runs that are watched: any function of the network, recorded at every logged step beside what training logs."""

from __future__ import annotations

import hashlib
import inspect
import itertools
import textwrap
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
import xarray as xr
from torch import Tensor

from grokbook.errors import ParameterError
from grokbook.experiments.base import Experiment
from grokbook.files import atomic_write
from grokbook.measures.complexity import network_complexity, preactivations
from grokbook.measures.fourier_losses import (
    N_KEY,
    CyclicClasses,
    cyclic_classes,
    excluded_loss,
    key_frequencies,
    restricted_loss,
)
from grokbook.measures.representation import representation_quality
from grokbook.records.store import from_bytes, to_bytes
from grokbook.tasks.arithmetic import ModularTask
from grokbook.training.config import RunConfig, canonical, digest
from grokbook.training.cost import Cost
from grokbook.training.ensemble import pick_device
from grokbook.training.loop import Stack, make_stack, operand_embeddings, run_id, run_logits, split_weights, train_stack
from grokbook.training.result import collect

COMPLEXITY_PAIRS = 64  # operand pairs about which local complexity is taken
_PER_LOOK = 0.06  # measured seconds of all observers at one logged step, at the sizes of the chapter on them


@dataclass(frozen=True)
class View:
    """What a measure may look at: a network at one logged step, its task, and where the run ends.

    `weights` maps the names of `grokbook.models.transformer.parameter_shapes` to tensors; `step` is the optimiser
    step; `final` is the view at the last logged step (None on that view itself): a measure that uses it looks into
    the future. Everything else is computed when first asked for.
    """

    config: RunConfig
    weights: Mapping[str, Tensor]
    step: int = 0
    final: View | None = None

    @property
    def task(self) -> ModularTask:
        """The task with its split."""
        return self.config.task

    @cached_property
    def embedding(self) -> np.ndarray:
        """Word embeddings of the first operand's tokens, (p, d)."""
        return operand_embeddings(self.config, self.weights["W_E"])[0]

    @cached_property
    def second_embedding(self) -> np.ndarray:
        """Word embeddings of the second operand's tokens, (p, d): the first's unless the task has a shift."""
        return operand_embeddings(self.config, self.weights["W_E"])[1]

    @cached_property
    def logits(self) -> np.ndarray:
        """Logits of all cells, (p*p, p), in the order of the cell numbers i * p + j."""
        row = torch.cat([w.reshape(-1) for w in self.weights.values()])
        with torch.no_grad():
            return run_logits(self.config, row, torch.from_numpy(self.task.tokens)).double().numpy()

    @cached_property
    def hidden(self) -> np.ndarray:
        """Inputs of every ReLU at the read-out position for all cells, (p*p, n_layers * d_mlp)."""
        k, p = self.task.shift, self.task.p
        first, second = self.weights["W_E"][:p], self.weights["W_E"][k : k + p]
        i, j = torch.from_numpy(self.task.pairs).T
        with torch.no_grad():
            return preactivations(self.weights, self.config.model, first[i], second[j]).double().numpy()


Observer = Callable[[View], float]


def _waves(view: View, source: View) -> tuple[CyclicClasses, list[int]]:
    group = cyclic_classes(view.task)
    return group, key_frequencies(source.logits, group, min(N_KEY, group.order // 2))


def _restricted(view: View, source: View) -> float:
    return restricted_loss(view.logits, view.task.labels, *_waves(view, source))


def _excluded(view: View, source: View) -> float:
    return excluded_loss(view.logits, view.task.labels, *_waves(view, source), cells=view.task.train_index)


def _complexity(view: View) -> float:
    pairs = np.random.default_rng(0).integers(view.task.p, size=(COMPLEXITY_PAIRS, 2))
    return network_complexity(view.weights, view.config.model, pairs + [0, view.task.shift])


OBSERVERS: dict[str, Observer] = {
    "restricted_loss": lambda view: _restricted(view, view.final or view),
    "restricted_loss_now": lambda view: _restricted(view, view),
    "excluded_loss": lambda view: _excluded(view, view.final or view),
    "excluded_loss_now": lambda view: _excluded(view, view),
    "local_complexity": _complexity,
    "representation_quality": lambda view: representation_quality(view.embedding),
}
"""The book's measures that training does not log itself; `_now` takes the key frequencies of the same step."""

VERSION = 1  # of OBSERVERS: raised when what one of them computes changes


def observer_digest(observer: Observer) -> str:
    """16 hexadecimal digits of an observer's source text, so that another function is another experiment.

    >>> observer_digest(lambda view: 1.0) != observer_digest(lambda view: 2.0)
    True
    """
    try:
        text = textwrap.dedent(inspect.getsource(observer))
    except (OSError, TypeError):
        text = ""
    code = getattr(observer, "__code__", None)
    compiled = "" if code is None else f"{code.co_code!r}{code.co_names!r}{[c for c in code.co_consts if _plain(c)]!r}"
    return hashlib.sha256(f"{text}{compiled}".encode()).hexdigest()[:16]


def _plain(value: object) -> bool:
    return value is None or isinstance(value, int | float | str | bytes | tuple)


def look(observer: Observer, view: View) -> float:
    """An observer's value on a view as a float; NaN where the measure is not defined (it refuses its input)."""
    try:
        return float(observer(view))
    except ParameterError:
        return float("nan")


@dataclass(frozen=True)
class Observed(Experiment):
    """An experiment that also records measures of the network at every logged step, each a variable (seed, step).

    `observers` maps names to functions of a `View`; the book's own (`OBSERVERS`) are always there. A measure is NaN
    where it refuses its input. Seeds are trained one after another in this process; a finished seed is kept in
    the folder of checkpoints, an interrupted one starts again.

    Raises ParameterError for a name that a run already logs, or that is no identifier.

    Example:
        >>> from grokbook.models.transformer import Shape
        >>> config = RunConfig(ModularTask(5, train_fraction=0.5), Shape(5, d_model=8), steps=20)
        >>> mine = {"largest": lambda view: np.abs(view.logits).max()}
        >>> run = Observed("made/up", config, seeds=(0,), observers=mine).run(progress=False)
        >>> run.largest.dims, run.restricted_loss.dims
        (('seed', 'step'), ('seed', 'step'))
    """

    observers: Mapping[str, Observer] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, observer in self.observers.items():
            if not name.isidentifier() or name in OBSERVERS or not callable(observer):
                raise ParameterError(
                    f"observer {name!r} must be a function under a new name made of letters, digits and _."
                )

    def configuration(self) -> dict[str, Any]:
        """The configuration without its seeds; `observed` names the measures, the reader's own with a digest."""
        own = {name: observer_digest(observer) for name, observer in self.observers.items()}
        return super().configuration() | {"observed": dict.fromkeys(OBSERVERS, VERSION) | own}

    def run(
        self,
        seeds: tuple[int, ...] | None = None,
        *,
        device: str = "auto",
        checkpoints: Path | None = None,
        progress: bool = True,
    ) -> xr.Dataset:
        """Train the seeds (default: all of the experiment's) and return the dataset, dims `seed` and `step`."""
        chosen = self.seeds if seeds is None else tuple(seeds)
        parts = [self._kept(seed, device, checkpoints) for seed in chosen]
        dataset = xr.concat(parts, dim="seed", join="outer", data_vars="all", coords="different", compat="equals")
        configuration = {"configuration": canonical(self.configuration()), "dtype": self.config.dtype}
        dataset.attrs = configuration | {"device": parts[0].attrs["device"]}
        return dataset

    def predicted(self, seeds: int | None = None) -> Cost:
        """Predicted seconds on one core of this machine, watching included, and memory of one run."""
        count = len(self.seeds) if seeds is None else seeds
        return super().predicted(count) + Cost(count * self.config.log.steps(self.config.steps).size * _PER_LOOK, 0)

    def _kept(self, seed: int, device: str, folder: Path | None) -> xr.Dataset:
        """One seed's dataset: read from the folder if it is there, else trained and kept there."""
        config = self.config.with_seed(seed)
        name = digest({"run": run_id([config]), "observed": self.configuration()["observed"]})
        path = None if folder is None else Path(folder) / f"{name}.nc"
        if path is not None and path.exists():
            return from_bytes(path.read_bytes())
        dataset = observed_run(config, OBSERVERS | dict(self.observers), device)
        if path is not None:
            atomic_write(path, to_bytes(dataset))
        return dataset


def observed_run(config: RunConfig, observers: Mapping[str, Observer], device: str = "auto") -> xr.Dataset:
    """One training run with every observer's value at each logged step; dims `seed` (of one) and `step`.

    Raises TrainingError when the loss became NaN or infinite, ParameterError for an observer's name that a run logs.
    """
    kept: list[tuple[int, Tensor]] = []

    def keep(stack: Stack) -> None:
        kept.append((stack.step, stack.weights[0].detach().cpu().clone()))

    chosen = pick_device(device)
    with _one_thread(chosen.type == "cpu"):
        stack = make_stack([config], chosen)
        train_stack(stack, save_now=keep)
        dataset = collect([(stack, 0)]).swap_dims(run="seed")
        taken = sorted(set(observers) & set(dataset.variables))
        if taken:
            raise ParameterError(f"observer {taken[0]!r} has the name of what every run logs; choose another.")
        values = watch(config, kept, observers)
    series = {name: np.full((1, dataset.sizes["step"]), np.nan) for name in observers}
    at = np.searchsorted(dataset.step.values, [step for step, _ in kept])
    for name in observers:
        series[name][0, at] = values[name]
    return dataset.assign({name: (("seed", "step"), data, {"long_name": name}) for name, data in series.items()})


def watch(
    config: RunConfig, kept: list[tuple[int, Tensor]], observers: Mapping[str, Observer]
) -> dict[str, list[float]]:
    """Each observer's values on a run's kept weight rows, given as (step, row) in order."""
    last = View(config, split_weights(config, kept[-1][1]), kept[-1][0])
    views = (View(config, split_weights(config, row), step, last) for step, row in kept[:-1])
    values: dict[str, list[float]] = {name: [] for name in observers}
    for view in itertools.chain(views, [last]):
        for name, observer in observers.items():
            values[name].append(look(observer, view))
    return values


@contextmanager
def _one_thread(wanted: bool) -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1 if wanted else before)
    try:
        yield
    finally:
        torch.set_num_threads(before)
