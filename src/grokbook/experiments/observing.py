"""Runs that are watched: any function of the network, recorded at every logged step beside what training logs."""

from __future__ import annotations

import hashlib
import inspect
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from grokbook.errors import ParameterError
from grokbook.experiments.watched import Watched
from grokbook.measures.complexity import network_complexity
from grokbook.measures.fourier_losses import (
    N_KEY,
    CyclicClasses,
    cyclic_classes,
    excluded_loss,
    key_frequencies,
    restricted_loss,
)
from grokbook.measures.representation import representation_quality
from grokbook.training.watching import View
from grokbook.training.watching import Watch as Observer

COMPLEXITY_PAIRS = 64  # operand pairs about which local complexity is taken


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


@dataclass(frozen=True)
class Observed(Watched):
    """An experiment that also records measures of the network at every logged step, each a variable (seed, step).

    `observers` maps names to functions of a `View`; the book's own (`OBSERVERS`) are always there. A measure is NaN
    where it refuses its input.

    Raises ParameterError for a name that a run already logs, or that is no identifier.

    Example:
        >>> from grokbook.experiments.gu2025 import modular_run
        >>> config = modular_run(5, 0.5, d_model=8, steps=20)
        >>> mine = {"largest": lambda view: np.abs(view.logits).max()}
        >>> run = Observed("made/up", config, seeds=(0,), observers=mine).run(progress=False)
        >>> run.largest.dims, run.restricted_loss.dims
        (('seed', 'step'), ('seed', 'step'))
    """

    observers: Mapping[str, Observer] = field(default_factory=dict, compare=False)
    listed_as = "observed"
    look_seconds = 0.06  # measured, of all observers at the sizes of the chapter on them

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, observer in self.observers.items():
            if not name.isidentifier() or name in OBSERVERS or not callable(observer):
                raise ParameterError(
                    f"observer {name!r} must be a function under a new name made of letters, digits and _."
                )

    def listed(self) -> dict[str, Any]:
        """The names of the measures with the version of the book's, the reader's own with a digest."""
        own = {name: observer_digest(observer) for name, observer in self.observers.items()}
        return dict.fromkeys(OBSERVERS, VERSION) | own

    @property
    def watched(self) -> Mapping[str, Observer]:
        """The book's observers and the reader's own."""
        return OBSERVERS | dict(self.observers)
