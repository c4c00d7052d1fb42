"""One training run as data: task, model, optimiser, length, what is logged. Equal data, equal run."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

from grokbook.errors import ParameterError
from grokbook.models.networks import Network
from grokbook.models.start import STARTS
from grokbook.tasks.arithmetic import ModularTask
from grokbook.training.optim import AdamW
from grokbook.training.schedule import Schedule

DTYPES = ("float32", "bfloat16")
LOSSES = ("cross_entropy", "squared_error")
_LATER = {"start": "normal", "loss": "cross_entropy"}  # fields added later: at these values a run is named as before
STOP_VARIABLES = ("test_accuracy", "train_accuracy", "test_loss", "train_loss")


@dataclass(frozen=True)
class StopRule:
    """Stop early once `variable` has been on the wanted side of `threshold` for `hold` logged steps in a row.

    The wanted side is at or above it (`above`) or at or below it. Steps that were not run are missing (NaN) in
    the result. Raises ParameterError when `hold` is below 1 or `variable` is not one of `STOP_VARIABLES`.
    """

    variable: str = "test_accuracy"
    threshold: float = 0.99
    above: bool = True
    hold: int = 5

    def __post_init__(self) -> None:
        if self.hold < 1:
            raise ParameterError(f"hold = {self.hold!r} must be 1 or more logged steps.")
        if self.variable not in STOP_VARIABLES:
            raise ParameterError(f"variable = {self.variable!r} cannot stop a run; {', '.join(STOP_VARIABLES)} can.")

    def logs_needed(self, values: list[float]) -> int | None:
        """Number of logged `values` after which the rule is met for the first time, None if it never is."""
        return next((n for n in range(self.hold, len(values) + 1) if self.met(values[:n])), None)

    def met(self, values: list[float]) -> bool:
        """Whether the last `hold` of the logged `values` are all on the wanted side."""
        last = values[-self.hold :]
        sign = 1 if self.above else -1
        return len(last) == self.hold and all(sign * (v - self.threshold) >= 0 for v in last)


@dataclass(frozen=True)
class RunConfig:
    """A full-batch training run: the model of sizes `model` on `task` with `optimizer` for `steps` updates.

    `seed` draws the initial weights; the split has its own seed in the task. `dtype` is "float32" or "bfloat16"
    (autocast: products in bfloat16, weights and the loss in float32). `snapshots` is the number of steps at
    which the word embedding is kept. `start` says how the word embedding is drawn (`grokbook.models.start`), `loss` is
    the mean "cross_entropy" or the mean "squared_error" of the logits against one-hot labels.

    Raises ParameterError when model and task disagree (modulus, shift) or a value is out of range.

    Example:
        >>> from grokbook.models.transformer import Shape
        >>> config = RunConfig(ModularTask(7), Shape(7, d_model=8), steps=10)
        >>> config.n_train, config.log.steps(config.steps).tolist()
        (14, [0, 10])
    """

    task: ModularTask
    model: Network
    optimizer: AdamW = field(default_factory=AdamW)
    steps: int = 10_000
    log: Schedule = field(default_factory=Schedule)
    snapshots: int = 6
    stop: StopRule | None = None
    dtype: str = "float32"
    seed: int = 0
    start: str = field(default="normal", kw_only=True)
    loss: str = field(default="cross_entropy", kw_only=True)

    def __post_init__(self) -> None:
        if (self.task.p, self.task.shift) != (self.model.p, self.model.shift):
            raise ParameterError(
                f"the model is made for p = {self.model.p}, shift = {self.model.shift}, but the task has "
                f"p = {self.task.p}, shift = {self.task.shift}; they must be equal."
            )
        for name, least in (("steps", 1), ("snapshots", 0), ("seed", 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise ParameterError(f"{name} = {value!r} must be an integer of {least} or more.")
        for name, choices in (("dtype", DTYPES), ("start", STARTS), ("loss", LOSSES)):
            value = getattr(self, name)
            if value not in choices:
                raise ParameterError(f"{name} = {value!r} is unknown; choose one of {', '.join(choices)}.")

    @property
    def n_train(self) -> int:
        """Number of training cells."""
        return int(self.task.train_index.size)

    def as_dict(self) -> dict[str, Any]:
        """The configuration as nested plain values, ready for JSON."""
        values = dataclasses.asdict(self)
        return {name: value for name, value in values.items() if name not in _LATER or value != _LATER[name]}

    def with_seed(self, seed: int) -> RunConfig:
        """The same run with `seed` for both the split and the initial weights."""
        return dataclasses.replace(self, seed=seed, task=dataclasses.replace(self.task, seed=seed))


def canonical(config: dict[str, Any]) -> str:
    """One spelling of a configuration: JSON with sorted keys and no spaces."""
    return json.dumps(config, sort_keys=True, separators=(",", ":"), default=str)


def digest(config: dict[str, Any], length: int = 16) -> str:
    """The first `length` hexadecimal digits of the sha256 of the canonical spelling.

    Example:
        >>> digest({"b": 1, "a": 2}) == digest({"a": 2, "b": 1})
        True
    """
    return hashlib.sha256(canonical(config).encode()).hexdigest()[:length]
