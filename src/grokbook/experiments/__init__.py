"""Experiments: what the papers ran, as frozen configurations that run, load and predict their cost."""

from grokbook.experiments.base import Experiment, default_store, load_or_run, recorded

__all__ = ["Experiment", "default_store", "load_or_run", "recorded"]
