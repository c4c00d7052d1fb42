"""grokbook: a tested library of grokking (delayed generalisation).

`import grokbook as gb` gives the names of `__all__`, each loaded when it is first used (PEP 562);
the reference on the site has them all. The rooms behind them, ground floor first: `tasks`,
`models`, `measures`, `theory`, `training`, `runs`, `curves`, `plotting`. The book that runs it
stands beside it: `companion`, the machine that makes pages and a ledger of claims, and
`grokbook_chapters`.
"""

# ruff: noqa: F405
from __future__ import annotations

from importlib import import_module

from grokbook.version import __version__ as __version__

# what a type checker takes for True; to load typing takes as long as all the rest of a start
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from grokbook.public import *  # noqa: F403

__all__ = [
    "AdamW",
    "Experiment",
    "GroupTask",
    "MLP",
    "ModularTask",
    "Muon",
    "PhaseRule",
    "RunConfig",
    "Schedule",
    "Sgd",
    "StopRule",
    "Transformer",
    "View",
    "compare",
    "fourier_power",
    "from_module",
    "from_torch_optim",
    "grok_times",
    "load",
    "load_checkpoint",
    "measure",
    "measures",
    "med",
    "phases",
    "plot_curves",
    "plot_embedding",
    "records",
    "sweep",
    "task",
    "to_pandas",
    "to_transformer_lens",
    "train",
    "weight_norm",
]


def __getattr__(name: str) -> Any:
    """A public name, loaded now."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(import_module("grokbook.public"), name)
    except KeyboardInterrupt:
        raise KeyboardInterrupt("stopped while grokbook was loading") from None


def __dir__() -> list[str]:
    """What completion shows."""
    return sorted({*globals(), *__all__})
