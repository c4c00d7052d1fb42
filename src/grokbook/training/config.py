"""One training run as data: task, model, optimiser, length, what is logged. Equal data, equal
run."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from grokbook.errors import ParameterError, check_integers, checked_call, meant, shown
from grokbook.models.networks import Network
from grokbook.own_code import Code, code_behind, full_name, of_library, spelled
from grokbook.tasks.task import Task
from grokbook.training.contract import check_parts
from grokbook.training.losses import LOSSES, codes
from grokbook.training.optim import LATER, AdamW, Optimizer
from grokbook.training.schedule import Schedule

DTYPES = ("float32", "bfloat16")
MOST_STEPS = 10**9
# parts of runs that were recorded before a configuration named their kind
_FIRST = ("ModularTask", "Shape", "AdamW")
STOP_VARIABLES = ("test_accuracy", "train_accuracy", "test_loss", "train_loss")


@checked_call
@dataclass(frozen=True)
class StopRule:
    """Stop early once `variable` has been on the wanted side of `threshold` for `hold` logged steps
    in a row.

    The wanted side is at or above it (`above`) or at or below it. Steps that were not run are
    missing (NaN) in the result. Raises ParameterError when `hold` is below 1, `threshold` is not
    finite, or `variable` is not one of `STOP_VARIABLES`.
    """

    variable: str = "test_accuracy"
    threshold: float = 0.99
    above: bool = True
    hold: int = 5

    def __post_init__(self) -> None:
        if self.hold < 1:
            raise ParameterError(f"hold = {shown(self.hold)} must be 1 or more logged steps.")
        if not np.isfinite(self.threshold):
            raise ParameterError(f"threshold = {self.threshold} must be a finite number.")
        if self.variable not in STOP_VARIABLES:
            raise ParameterError(
                f"variable = {shown(self.variable)} cannot stop a run;"
                f" {', '.join(STOP_VARIABLES)} can."
            )

    def logs_needed(self, values: list[float]) -> int | None:
        """Number of logged `values` after which the rule is met for the first time, None if it
        never is."""
        for n in range(self.hold, len(values) + 1):
            if self.met(values[:n]):
                return n
        return None

    def met(self, values: list[float]) -> bool:
        """Whether the last `hold` of the logged `values` are all on the wanted side."""
        last = values[-self.hold :]
        sign = 1 if self.above else -1
        return len(last) == self.hold and all(sign * (v - self.threshold) >= 0 for v in last)


@checked_call
@dataclass(frozen=True)
class RunConfig:
    """A training run: the network of sizes `model` on `task` with `optimizer` for `steps` updates.

    `seed` draws the initial weights and the order of mini-batches; the split has its own seed in
    the task. `dtype` is "float32" or "bfloat16" (autocast: products in bfloat16, weights and the
    loss in float32). `snapshots` is the number of steps at which the embedding is kept, `start` one
    of the network's ways to draw it, `loss` a name of `LOSSES`. Runs of several seeds have splits
    of their own; with `split_seed` they share the one that it draws, and differ in their start
    alone. Without `batch_size` every update sees the whole training set. With it an epoch is a
    random order of the training set, cut into batches of that size; a remainder that fills no batch
    is left to the next epoch's order.

    Raises ParameterError when model and task disagree, a part of a reader's own breaks the contract
    of its kind (`grokbook.training.contract`) or a value is out of range.

    Example:
        >>> from grokbook.models.transformer import Shape
        >>> from grokbook.tasks import ModularTask
        >>> config = RunConfig(ModularTask(7), Shape(7, d_model=8), steps=10)
        >>> config.n_train, config.log.steps(config.steps).tolist()
        (14, [0, 10])
    """

    task: Task
    model: Network
    optimizer: Optimizer = field(default_factory=AdamW)
    steps: int = 10_000
    log: Schedule = field(default_factory=Schedule)
    snapshots: int = 6
    stop: StopRule | None = None
    dtype: str = "float32"
    seed: int = 0
    start: str = field(default="normal", kw_only=True, metadata=LATER)
    loss: str = field(default="cross_entropy", kw_only=True, metadata=LATER)
    batch_size: int | None = field(default=None, kw_only=True, metadata=LATER)
    split_seed: int | None = field(default=None, kw_only=True, metadata=LATER)

    def __post_init__(self) -> None:
        if self.split_seed is not None:
            check_integers(self, split_seed=0)
            if not hasattr(self.task, "seed"):
                rule = "the split of this task is drawn by no seed, so leave it out"
                raise ParameterError(f"split_seed = {self.split_seed}, but {rule}.")
            split = dataclasses.replace(self.task, seed=self.split_seed)
            object.__setattr__(self, "task", split)
        check_parts(self)
        if hasattr(self.model, "check"):
            self.model.check(self.task)
        check_integers(self, steps=1, snapshots=0, seed=0)
        if self.steps > MOST_STEPS:
            raise ParameterError(
                f"steps = {self.steps} is above the largest number of steps, {MOST_STEPS}."
            )
        _check_choice("dtype", self.dtype, DTYPES)
        _check_choice("start", self.start, getattr(self.model, "starts", ("normal",)))
        _check_choice("loss", self.loss, tuple(LOSSES))
        if self.batch_size is not None:
            check_integers(self, batch_size=1)
            if self.batch_size > (n := sizes(self.task)[1]):
                raise ParameterError(
                    f"batch_size = {self.batch_size} is more than the {n} training samples."
                )

    @property
    def n_train(self) -> int:
        """Number of training samples."""
        return int(self.task.train_index.size)

    def as_dict(self) -> dict[str, Any]:
        """The configuration as nested plain values, ready for JSON; parts without a field `kind`
        have their class's.

        A class that is not the library's is named in full (`class`), and so is a function in a
        field.
        """
        values = plain(self)
        for name in ("task", "model", "optimizer"):
            kind = type(getattr(self, name)).__name__
            if kind not in _FIRST:
                values[name].setdefault("kind", kind)
        return values

    def with_seed(self, seed: int) -> RunConfig:
        """The same run with `seed` for the initial weights, and for the split where a task draws it
        by none fixed."""
        task = self.task
        if hasattr(task, "seed"):
            task = dataclasses.replace(task, seed=seed)
        return dataclasses.replace(self, seed=seed, task=task)


_INSTEAD = {
    "loss": "for a loss of your own train in a loop of torch, and give its curves to grok_times.",
    "dtype": (
        "weights, checkpoints and records are float32; a network can compute in float64 inside, "
        "as grokbook.models.double.InDouble does."
    ),
    "start": "another one is drawn by a network of your own.",
}
"""What can be done where none of the choices will do."""


def _check_choice(name: str, value: object, choices: Sequence[str]) -> None:
    """Refuse a field that has none of its choices: what was meant, or can be done instead."""
    if isinstance(value, str) and value in choices:
        return
    word = value if isinstance(value, str) else getattr(value, "__name__", type(value).__name__)
    # float32 would be the nearest to float64
    near = "" if name == "dtype" else meant(word, choices)
    hint = f"did you mean {near}?" if near else _INSTEAD[name]
    raise ParameterError(
        f"{name} = {shown(value)} is unknown; choose one of {', '.join(choices)}; {hint}"
    )


def sizes(task: Task) -> tuple[int, int]:
    """Number of samples and of training samples of a task, by its own count where it has one:
    nothing is drawn."""
    return task.sizes() if hasattr(task, "sizes") else (len(task.inputs), len(task.train_index))


def plain(part: Any) -> Any:
    """A part of a configuration as plain values: fields added later only where they are not at
    their default."""
    if isinstance(part, tuple | list):
        return [plain(value) for value in part]
    if isinstance(part, dict):
        return {name: plain(value) for name, value in part.items()}
    if not dataclasses.is_dataclass(part) or isinstance(part, type):
        return spelled(part)
    values: dict[str, Any] = {}
    if not of_library(type(part)):
        values["class"] = full_name(type(part))
    for entry in dataclasses.fields(part):
        value = getattr(part, entry.name)
        if "later" not in entry.metadata or value != entry.default:
            values[entry.name] = plain(value)
    return values


# `tests/grokbook/training/test_golden.py` and the nightly job see a change that was not meant
NUMBERS = 0
"""Version of the numbers that the library computes, added to each record's own: raised by whoever
changes them."""


def code_of(*configs: RunConfig, watches: Mapping[str, Any] | None = None) -> Code:
    """The code of a reader's own that the numbers of some runs go through, and of what `watches`
    them."""
    parts = (part for c in configs for part in (c.task, c.model, c.optimizer))
    return code_behind(*parts, watches=watches)


def size_key(config: RunConfig) -> str:
    """Runs with equal keys can be rows of one stack.

    They may differ in seeds, split, answers (not in their shape), settings of the optimiser, batch
    size (not where batches have statistics) and in what a network's drawing alone uses
    (`grokbook.models.networks.ROWS`).
    """
    fields = config.as_dict()
    for free in ("seed", "split_seed", "task"):
        fields.pop(free, None)
    if not hasattr(config.model, "statistics"):
        fields.pop("batch_size", None)
    for entry in dataclasses.fields(config.model):
        if "rows" in entry.metadata:
            fields["model"].pop(entry.name, None)
    targets = config.task.targets
    known = codes(targets)
    content = np.ascontiguousarray(config.task.inputs).data
    fields["data"] = [hashlib.sha256(content).hexdigest(), targets.shape, str(targets.dtype)]
    fields["optimizer"] = type(config.optimizer).__qualname__
    fields["n"] = config.n_train
    fields["codes"] = None if known is None else known.shape
    return canonical(fields)


def canonical(config: dict[str, Any]) -> str:
    """One spelling of a configuration: JSON with sorted keys and no spaces."""
    return json.dumps(config, sort_keys=True, separators=(",", ":"), default=str)


def digest(config: dict[str, Any], length: int = 16) -> str:
    """The first `length` hexadecimal digits of the sha256 of the canonical spelling."""
    return hashlib.sha256(canonical(config).encode()).hexdigest()[:length]
