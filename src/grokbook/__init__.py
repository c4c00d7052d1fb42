"""grokbook: a tested library of grokking (delayed generalisation) and the book that runs it.

`import grokbook as gb` gives the names of `__all__`, each loaded when it is first used (PEP 562); the reference on the
site has them all. The rooms behind them, ground floor first: `tasks`, `models`, `measures`, `theory`, `training`,
`runs`, `claims`, `plotting`, `face`, `chapters`, `exercises`, `page`, `check`, `build`, `cli`. A lower room never
imports a higher one.
"""

# ruff: noqa: F405
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grokbook.face import *  # noqa: F403

__version__ = "0.2.0"

# fmt: off
__all__ = [
    "AdamW", "GroupTask", "MLP", "ModularTask", "Muon", "Paper", "PhaseRule", "Run", "Schedule", "Sgd", "StopRule",
    "Transformer", "View",
    "claim", "compare", "export", "fourier_power", "from_module", "from_torch_optim", "grok_times", "ledger", "load",
    "load_checkpoint", "measure", "measures", "med", "phases", "plot_curves", "plot_embedding", "records", "sweep",
    "task", "to_pandas", "to_transformer_lens", "train", "weight_norm",
]
# fmt: on


def __getattr__(name: str) -> Any:
    """A name of the face, loaded now."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(import_module("grokbook.face"), name)
    except KeyboardInterrupt:
        raise KeyboardInterrupt("stopped while grokbook was loading") from None


def __dir__() -> list[str]:
    """What completion shows."""
    return sorted({*globals(), *__all__})
