"""By what a stack of runs is known: configurations, the code behind them, and what a reader's own
code computes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import torch
import xarray as xr
from torch import Tensor

from grokbook.machine import generators_kept, limited_threads, plain_torch, subnormals_as_zero
from grokbook.own_code import Code, is_own
from grokbook.training.checkpoint import load_checkpoint, save_checkpoint
from grokbook.training.config import NUMBERS, RunConfig, code_of, digest
from grokbook.training.forward import split_weights
from grokbook.training.loop import Stack, advance, log, make_stack
from grokbook.training.watching import View, Watch, look
from grokbook.version import __version__

ReadAtEnd = Callable[[RunConfig, Mapping[str, Tensor]], xr.Dataset]
"""What is recorded of the parameters (name -> tensor) with which a run, whose seed is given,
ends."""

PROBED_UPDATES = 3
"""Updates after which weights are compared: the third is the first that both moments of Adam have
shaped."""


def probe(
    config: RunConfig,
    watches: Mapping[str, Watch] | None = None,
    read_at_end: ReadAtEnd | None = None,
) -> str:
    """Digest, 16 hexadecimal digits, of what the parts of a run compute with seed 0.

    It covers the samples, answers and groups of the task, the weights as they are drawn, what is
    logged of them, the value of each watch, the weights after three updates and what is read of
    these. A value of a module that was set from outside, a changed entry of a table, a data file or
    a variable of the environment that any of them reads makes another probe, where the source is
    the same. Rounding differs between processors, and so may the probe.

    Example:
        >>> from grokbook.models.transformer import Shape
        >>> from grokbook.tasks.arithmetic import ModularTask
        >>> config = RunConfig(ModularTask(5, train_fraction=0.5), Shape(5, d_model=8), steps=20)
        >>> (
        ...     probe(config) == probe(config),
        ...     probe(config) == probe(replace(config, loss="squared_error")),
        ... )
        (True, False)
    """
    config = config.with_seed(0)
    seen = hashlib.sha256()
    with generators_kept(), plain_torch(), limited_threads(1), subnormals_as_zero():
        for table in (config.task.inputs, config.task.targets, config.task.train_index):
            seen.update(np.ascontiguousarray(table).tobytes())
        for name, index in config.task.groups().items():
            seen.update(name.encode() + np.ascontiguousarray(index).tobytes())
        stack = make_stack([config], torch.device("cpu"))
        seen.update(stack.weights.numpy().tobytes())
        log(stack)
        seen.update(repr(stack.history[0]).encode())
        drawn = View(config, split_weights(config, stack.weights[0].clone()), 0)
        for name, watch in (watches or {}).items():
            seen.update(f"{name}={look(watch, replace(drawn, final=drawn))!r}".encode())
        for step in stack.logged.tolist():  # what a schedule does later than the updates below
            seen.update(repr(config.optimizer.numbers(min(step, config.steps - 1))).encode())
        for _ in range(PROBED_UPDATES):
            advance(stack)
        seen.update(stack.weights.numpy().tobytes())
        if read_at_end is not None:
            ends = read_at_end(config, split_weights(config, stack.weights[0].clone()))
            seen.update(repr(ends.to_dict()).encode())
    return seen.hexdigest()[:16]


def code_and_probe(
    config: RunConfig,
    watches: Mapping[str, Watch] | None = None,
    read_at_end: ReadAtEnd | None = None,
) -> Code:
    """The code of a reader's own behind a run and what looks into it, and what it computes.

    Where the probe ends in an error the code is not known. It runs first: what own code imports is
    loaded by it.
    """
    own_watches = {name: watch for name, watch in (watches or {}).items() if is_own(watch)}
    looks: dict[str, Any] = dict(own_watches)
    if read_at_end is not None and is_own(read_at_end):
        looks["read_at_end"] = read_at_end
    if not looks and not code_of(config).own:
        return Code()
    try:
        computed = probe(config, own_watches, looks.get("read_at_end"))
    except Exception as error:  # whatever a reader's part raises, training it will say
        return Code(None, True, f"it fails on seed 0: {error}")
    code = code_of(config, watches=looks)
    return replace(code, probe=computed) if code.digest else code


def run_id(configs: list[RunConfig], keep: bool = False) -> str:
    """Identity of a stack for its checkpoint: configurations, code and what it computes, torch,
    what is kept."""
    identity: dict[str, Any] = {
        "configs": [config.as_dict() for config in configs],
        "numbers": NUMBERS,
        "torch": torch.__version__,
    }
    if (code := code_of(*configs)).own:
        identity |= {"code": code.digest, "probe": code_and_probe(configs[0]).probe}
    if keep:
        identity["keep"] = True
    return digest(identity)


_STATE = ("weights", "state", "step", "history", "snapshots", "kept", "diverged")


def code_id(configs: list[RunConfig]) -> str:
    """What two machines must share to train for each other: the library's version, that of its
    numbers, own code."""
    return digest({"library": __version__, "numbers": NUMBERS, "code": code_of(*configs).digest})


def save(stack: Stack, path: str, identity: str | None = None) -> None:
    """Checkpoint of all that changes while the stack is trained, under its identity (default: its
    `run_id`)."""
    state = {name: getattr(stack, name) for name in _STATE}
    save_checkpoint(path, state | {"run_id": identity or run_id(stack.configs, stack.keep)})


def restore(stack: Stack, path: str, identity: str | None = None) -> bool:
    """Continue from the checkpoint at `path` if it has this identity (default: the stack's);
    whether it had."""
    identity = identity or run_id(stack.configs, stack.keep)
    fresh = {"weights": stack.weights, "state": stack.state}
    saved = load_checkpoint(path, identity, fresh)
    if saved is None:
        return False
    device = stack.weights.device
    saved["weights"] = saved["weights"].to(device)
    saved["state"] = {name: value.to(device) for name, value in saved["state"].items()}
    for name in _STATE:
        setattr(stack, name, saved[name])
    return True
