"""Experiments: what the papers ran, as frozen configurations that run, load and predict their
cost."""

from grokbook.runs.experiment import Experiment, default_store, load_or_run, recorded
from grokbook.runs.recording import catalogue, record, records_table

__all__ = [
    "Experiment",
    "catalogue",
    "default_store",
    "load_or_run",
    "record",
    "recorded",
    "records_table",
]
