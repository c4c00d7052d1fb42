"""Training: full-batch runs as data (`RunConfig`), one call for many of them (`train`)."""

from grokbook.training.config import RunConfig, StopRule
from grokbook.training.ensemble import train
from grokbook.training.optim import AdamW
from grokbook.training.schedule import Schedule

__all__ = ["AdamW", "RunConfig", "Schedule", "StopRule", "train"]
