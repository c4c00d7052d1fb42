"""What differs between runs, as coordinates of their dataset: no number of a run is made here."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

from grokbook.training.config import RunConfig, canonical

Path = tuple[str, ...]


def varied(configs: Sequence[RunConfig], taken: Collection[str] = ()) -> dict[str, np.ndarray]:
    """The settings in which runs differ, name -> one value a run; a name that is `taken` has its
    part's before it.

    Rates of a group of parameters are GROUP_learning_rate, kinds of tasks, networks or optimisers
    have the name of the part. A split that is drawn by the run's own seed is none of its own.

    Example:
        >>> from grokbook.models.transformer import Shape
        >>> from grokbook.tasks import ModularTask
        >>> from grokbook.training.optim import AdamW
        >>> runs = [
        ...     RunConfig(ModularTask(5), Shape(5, d_model=8), AdamW(rate)) for rate in (0.1, 0.2)
        ... ]
        >>> {name: values.tolist() for name, values in varied(runs).items()}
        {'learning_rate': [0.1, 0.2]}
    """
    rows = [dict(_settings(config)) for config in configs]
    paths: dict[Path, None] = {}
    for row in rows:
        paths |= dict.fromkeys(row)
    seeds = [config.seed for config in configs]
    named: dict[str, list[Any]] = {}
    for path in paths:
        values = [row.get(path) for row in rows]
        is_own_split = path == ("task", "seed") and values == seeds
        if path == ("seed",) or is_own_split or len(set(map(_spelled, values))) == 1:
            continue
        name = _name(path)
        if name in {*taken, "run", "step", "seed"} or named.get(name, values) != values:
            name = "_".join(path)
        named[name] = values
    return {name: _column(values) for name, values in named.items()}


def _settings(config: RunConfig) -> Iterator[tuple[Path, Any]]:
    """Every setting of a run by its path."""
    values = config.as_dict()
    for part in ("task", "model", "optimizer"):
        kind = values[part].pop("class", None) or values[part].get("kind")
        values[part]["kind"] = kind or type(getattr(config, part)).__name__
    yield from leaves((), values)


def leaves(path: Path, value: Any) -> Iterator[tuple[Path, Any]]:
    """The values in a nested configuration below a path, each with its own."""
    if isinstance(value, list) and all(isinstance(v, dict) and "name" in v for v in value):
        named = {}
        for part in value:
            inner = dict(part)
            named[inner.pop("name")] = inner
        value = named or value
    if not isinstance(value, dict) or not value:
        yield path, value
        return
    for name, inner in value.items():
        yield from leaves((*path, str(name)), inner)


def _name(path: Path) -> str:
    """The last word of a path, the group's before that of a rate of its own, a part's own for its
    kind."""
    if path[-1] in ("kind", "class"):
        return path[-2]
    return "_".join(path[-2:]) if "groups" in path else path[-1]


def _spelled(value: Any) -> str:
    return canonical({"": value})[4:-1]


def _column(values: list[Any]) -> np.ndarray:
    """The values as an array: numbers (NaN for none) or words."""
    kinds = set(map(type, values)) - {type(None)}
    if kinds == {bool} and None not in values:
        return np.array(values)
    if kinds <= {int, float}:
        return np.array([np.nan if value is None else value for value in values])
    return np.array(list(map(_word, values)))


def _word(value: Any) -> str:
    """A value among words: nothing for none, a word as it is, anything else as a key has it."""
    if value is None:
        return ""
    return value if isinstance(value, str) else _spelled(value)
