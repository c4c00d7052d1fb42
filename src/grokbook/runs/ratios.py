"""How much longer runs take than their counted cost says: one measured ratio for each kind of run,
in ratios.json.

`benchmarks/predictions.py` measures them on the records, and writes into book/machinery.md how
far predictions are off.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from grokbook.files import read_json
from grokbook.training.config import RunConfig

TABLE = Path(__file__).with_name("ratios.json")
"""Kind of run -> the median over its experiments of the seconds that were recorded over those that
were counted."""


def kinds(name: str, config: RunConfig) -> tuple[str, str]:
    """What runs of an experiment of this name are like: its family, the folder of its records, else
    the network.

    Example:
        >>> from grokbook.models.transformer import Shape
        >>> from grokbook.tasks.arithmetic import ModularTask
        >>> kinds("gu2025/fig5[p=47]", RunConfig(ModularTask(47), Shape(47)))
        ('gu2025/fig5', 'Shape')
    """
    family = "/".join(name.partition("[")[0].split("/")[:2])
    return family, type(config.model).__name__


@lru_cache(maxsize=1)
def _table() -> dict[str, float]:
    return read_json(TABLE)


def ratio(name: str, config: RunConfig) -> float:
    """The ratio of the first of the `kinds` of an experiment that was recorded; 1 where neither
    was."""
    family, network = kinds(name, config)
    return _table().get(family, _table().get(network, 1.0))
