"""Training: runs as data (`RunConfig`), one call for many of them (`train`), and what may look into
one (`View`)."""

from grokbook.training.config import RunConfig, StopRule
from grokbook.training.ensemble import train
from grokbook.training.forward import split_weights
from grokbook.training.optim import Adam, AdamW, Group, Sgd
from grokbook.training.schedule import Schedule
from grokbook.training.watching import View

__all__ = [
    "Adam",
    "AdamW",
    "Group",
    "RunConfig",
    "Schedule",
    "Sgd",
    "StopRule",
    "View",
    "split_weights",
    "train",
]
