"""What a network puts out: of one run's row of weights, and of the rows of a stack."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from grokbook.errors import ParameterError, checked_call
from grokbook.models.networks import parts_of, sizes_of
from grokbook.tasks.task import what_is_read
from grokbook.training.config import RunConfig

Noise = Callable[[Tensor], Tensor]
Seen = dict[str, Tensor]

PIECE = 256
"""Samples that are looked at together where the task makes what the network reads of them."""


@checked_call
def split_weights(config: RunConfig, row: Tensor) -> dict[str, Tensor]:
    """The named parameters that a row of the weight matrix begins with, as views.

    Raises ParameterError for a row that is too short.
    """
    shapes = config.model.shapes()
    needed = sum(sizes_of(shapes))
    if row.ndim != 1 or len(row) < needed:
        raise ParameterError(
            f"row has shape {tuple(row.shape)}, but must be one of {needed} or more numbers."
        )
    return parts_of(row, shapes)


def run_outputs(config: RunConfig, row: Tensor, inputs: Tensor, *more: Noise | Seen) -> Tensor:
    """Outputs (N, ...) in float32 of one run; products in bfloat16 where the configuration says
    so."""
    low = config.dtype == "bfloat16"
    with torch.autocast(row.device.type, dtype=torch.bfloat16, enabled=low):
        read = what_is_read(config.task, inputs)
        return config.model.forward(parts_of(row, config.model.shapes()), read, *more).float()


def all_outputs(config: RunConfig, row: Tensor, inputs: Tensor) -> Tensor:
    """The same of many inputs, in `pieces`."""
    return torch.cat([run_outputs(config, row, piece) for piece in pieces(config.task, inputs)])


def pieces(task: Any, inputs: Tensor) -> Sequence[Tensor]:
    """Inputs, `PIECE` at once where the task makes what the network reads of them."""
    return inputs.split(PIECE) if hasattr(task, "show") else [inputs]


def dropout(config: RunConfig) -> float:
    """The share of numbers that a run's network drops while it is trained."""
    return getattr(config.model, "dropout", 0.0)


def statistics(config: RunConfig) -> tuple[str, ...]:
    """The tensors at the end of a row that a run's network does not learn but collects from
    training batches."""
    return getattr(config.model, "statistics", ())


def as_tuple(result: Tensor | tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """One tensor as a tuple of one."""
    return result if isinstance(result, tuple) else (result,)


def over_rows(function: Callable[..., Any], *rows: Tensor) -> Any:
    """A function of one run on every run: as it is where there is one, mapped where there are
    several.

    It returns a tensor, or a tuple of tensors.
    """
    if len(rows[0]) > 1:
        return torch.vmap(function)(*rows)
    results = function(*(row[0] for row in rows))
    if isinstance(results, tuple):
        return tuple(part.unsqueeze(0) for part in results)
    return results.unsqueeze(0)
