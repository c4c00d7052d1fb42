"""The record store at the place that it had before version 0.2: it is in `grokbook.runs`."""

from typing import Any

import xarray as xr

from grokbook.runs import store
from grokbook.runs.experiment import Experiment, load_or_run
from grokbook.runs.store import RecordWarning

__all__ = ["RecordWarning", "Store"]


class Store(store.Store):
    """A folder of records, see `grokbook.runs.store`."""

    def load_or_run(self, experiment: Experiment, **options: Any) -> xr.Dataset:
        """The experiment's dataset, loaded or trained and kept: `grokbook.runs.load_or_run` with this store."""
        return load_or_run(experiment, self, **options)
