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
    found: dict[Path, list[Any]] = {}
    for path in dict.fromkeys(path for row in rows for path in row):
        values = [row.get(path) for row in rows]
        own_split = path == ("task", "seed") and values == [config.seed for config in configs]
        if path != ("seed",) and not own_split and len(set(map(_said, values))) > 1:
            found[path] = values
    named: dict[str, list[Any]] = {}
    for path, values in found.items():
        name, whole = _name(path), "_".join(path)
        name = (
            whole
            if name in {*taken, "run", "step", "seed"} or named.get(name, values) != values
            else name
        )
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
    if (
        isinstance(value, list)
        and value
        and all(isinstance(v, dict) and "name" in v for v in value)
    ):
        value = {v["name"]: {n: inner for n, inner in v.items() if n != "name"} for v in value}
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


def _said(value: Any) -> str:
    return canonical({"": value})


def _column(values: list[Any]) -> np.ndarray:
    """The values as an array: numbers (NaN for none) or words."""
    if all(isinstance(value, bool) for value in values):
        return np.array(values)
    if all(
        isinstance(value, int | float | None) and not isinstance(value, bool) for value in values
    ):
        return np.array([np.nan if value is None else value for value in values])
    return np.array([_word(value) for value in values])


def _word(value: Any) -> str:
    """A value among words: nothing for none, a word as it is, anything else as a key has it."""
    if value is None:
        return ""
    return value if isinstance(value, str) else _said(value)[4:-1]
