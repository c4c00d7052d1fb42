"""What looks into a run: functions of the network at each logged step, recorded beside what
training logs itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
import xarray as xr
from torch import Tensor
from torch.nn import functional as F

from grokbook.errors import ParameterError, TrainingError, checked_call, line
from grokbook.machine import generators_kept, limited_threads, say
from grokbook.models.networks import features
from grokbook.models.transformer import Parameters, Shape, mlp, self_attention
from grokbook.own_code import is_own
from grokbook.tasks.task import Task, what_is_read
from grokbook.training.config import RunConfig
from grokbook.training.contract import as_tensor
from grokbook.training.forward import all_outputs, pieces, split_weights
from grokbook.training.loop import Stack, draw


def preactivations(weights: Parameters, shape: Shape, first: Tensor, second: Tensor) -> Tensor:
    """Inputs of every ReLU at the read-out position, (N, n_layers * d_mlp), for operand vectors (N,
    d) each.

    `first` and `second` stand where the word embeddings of the operands do; positions and the cls
    row are the model's. A unit is active where its number is positive.

    Raises ParameterError if the two are not (N, d) alike.
    """
    if first.shape != second.shape or first.ndim != 2 or first.shape[1] != shape.d_model:
        raise ParameterError(
            f"operand vectors have shapes {tuple(first.shape)} and {tuple(second.shape)}; both must"
            f" be (N, {shape.d_model})."
        )
    cls = weights["W_E"][-1].expand_as(first)
    x = torch.stack([first, second, cls], dim=1)
    if shape.positional:
        x = x + weights["W_pos"]
    units = []
    for l in range(shape.n_layers):
        x = self_attention(weights, l, x, shape)
        units.append(F.linear(x[:, -1], weights[f"W_in.{l}"], weights[f"b_in.{l}"]))
        x = mlp(weights, l, x)
    return torch.cat(units, dim=1)


@checked_call
@dataclass(frozen=True)
class View:
    """What a watch may look at: a network at one logged step, its task, and where the run ends.

    `weights` maps names of parameters to tensors; `step` is the optimiser step; `final` is the view
    at the last logged step (None on that view itself): a measure that uses it looks into the
    future. Everything else is computed when first asked for.
    """

    config: RunConfig
    weights: Mapping[str, Tensor]
    step: int = 0
    final: View | None = None

    @property
    def _network(self) -> Any:
        """The network, which need not have what a measure asks of it."""
        return self.config.model

    @property
    def task(self) -> Task:
        """The task with its split."""
        return self.config.task

    @cached_property
    def embedding(self) -> np.ndarray:
        """Embeddings of the first operand's tokens, (p, d)."""
        return np.asarray(self._network.embeddings(self.weights)[0])

    @cached_property
    def logits(self) -> np.ndarray:
        """Outputs for all samples, (N, ...); on pairs modulo p in the order of the cell numbers i *
        p + j."""
        row = torch.cat([self.weights[name].reshape(-1) for name in self.config.model.shapes()])
        with torch.no_grad():
            return all_outputs(self.config, row, as_tensor(self.task.inputs)).double().numpy()

    @cached_property
    def features(self) -> np.ndarray:
        """What the last layer reads of every sample, (N, d), in the order of `logits`."""
        read = []
        with torch.no_grad():
            for piece in pieces(self.task, as_tensor(self.task.inputs)):
                seen = what_is_read(self.task, piece)
                read.append(features(self._network, self.weights, seen))
        return torch.cat(read).double().numpy()

    @cached_property
    def hidden(self) -> np.ndarray:
        """Inputs of every ReLU of a transformer at the read-out position for all cells, (p*p,
        n_layers * d_mlp)."""
        first, second = self._network.embeddings(self.weights)
        task: Any = self.task
        i, j = torch.from_numpy(task.pairs).T
        with torch.no_grad():
            return preactivations(self.weights, self._network, first[i], second[j]).double().numpy()


Watch = Callable[[View], float]


def look(watch: Watch, view: View) -> float:
    """A watch's value on a view as a float; NaN where the measure is not defined (it refuses its
    input)."""
    try:
        return float(watch(view))
    except ParameterError:
        return float("nan")


def try_watches(config: RunConfig, watches: Mapping[str, Watch]) -> None:
    """Call each watch of a reader's own once, on the network as it is drawn, before anything is
    trained.

    The library's own are not tried: what they refuse is known to be undefined there, and stays NaN.

    Raises ParameterError, which names the watch, for one that ends in an error, gives no number or
    changes weights.
    """
    own = {name: watch for name, watch in watches.items() if is_own(watch)}
    if not own:
        return
    with generators_kept():
        row = draw(config)
        weights, as_drawn = split_weights(config, row), row.clone()
        end = View(config, weights, config.steps)
        for name, watch in own.items():
            try:
                float(watch(View(config, weights, 0, end)))
            # whatever a reader's function raises is told before hours of training
            except Exception as error:
                raise ParameterError(
                    f"watch {name!r} fails on the network as it is drawn:"
                    f" {type(error).__name__}: {line(error)}"
                ) from error
            if not torch.equal(row, as_drawn):
                raise ParameterError(
                    f"watch {name!r} writes over the weights of the network; let it work on a copy."
                )


def run_watches(
    stack: Stack, r: int, watches: Mapping[str, Watch], failed: dict[str, str]
) -> xr.Dataset:
    """Each watch's values on the kept weights of run r, at the logged steps that it has reached.

    Why a watch ends in an error for the first time is noted in `failed`, and it is not called
    again: NaN from there on.
    """
    config = stack.configs[r]
    length = max(len(values) for values in stack.history[r].values())
    steps = stack.logged[:length].tolist()
    last = View(config, split_weights(config, stack.kept[r][steps[-1]]), steps[-1])
    values = {name: np.full(length, np.nan) for name in watches}
    for at, step in enumerate(steps):
        view = last
        if step < last.step:
            view = View(config, split_weights(config, stack.kept[r][step]), step, last)
        for name, watch in watches.items():
            if name in failed:
                continue
            try:
                values[name][at] = look(watch, view)
            except Exception as error:  # whatever a reader's function raises
                failed[name] = (
                    f"watch {name!r} fails at step {step:,} of seed {config.seed}:"
                    f" {type(error).__name__}: {line(error)}"
                )
    variables = {name: ("step", series, {"long_name": name}) for name, series in values.items()}
    return xr.Dataset(variables, {"step": steps})


def watched(
    dataset: xr.Dataset, rows: list[tuple[Stack, int]], watches: Mapping[str, Watch]
) -> xr.Dataset:
    """The dataset of these runs with every watch's values, dims `run` and `step`, computed on one
    thread.

    Raises ParameterError for a watch with the name of what every run logs, and TrainingError where
    watches end in an error: a sentence for each, and `history` with what there is.
    """
    taken = sorted(set(watches) & set(dataset.variables))
    if taken:
        raise ParameterError(
            f"watch {taken[0]!r} has the name of what every run logs; choose another."
        )
    failed: dict[str, str] = {}
    with limited_threads(1):
        parts = [run_watches(stack, r, watches, failed) for stack, r in rows]
    together = xr.concat(parts, dim="run", join="outer").reindex(step=dataset.step)
    whole = dataset.assign(together.data_vars)
    for name in watches:
        if name in failed:
            continue
        missing = sum(int(part[name].isnull().sum()) for part in parts)
        if missing == sum(part.sizes["step"] for part in parts):
            say(f"{name} is not defined at any step of these runs: all NaN.")
        elif missing and is_own(watches[name]):
            say(f"{name} is NaN, or refuses its input, at {missing} logged steps of these runs.")
    if failed:
        raise TrainingError(
            f"{'; '.join(failed.values())}; the runs are done, so with a mended watch the same call"
            " trains nothing where a store keeps them.",
            whole,
        )
    return whole
