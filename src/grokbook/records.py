"""The records: `grokbook.records(pattern)` lists them; here is also the store at its place before version 0.2."""

import sys
from fnmatch import fnmatch
from types import ModuleType
from typing import Any

import pandas as pd
import xarray as xr

from grokbook.errors import checked_call
from grokbook.runs import store
from grokbook.runs.experiment import Experiment, default_store, load_or_run
from grokbook.runs.store import RecordWarning

__all__ = ["RecordWarning", "Store", "records"]


class Store(store.Store):
    """A folder of records, see `grokbook.runs.store`."""

    def load_or_run(self, experiment: Experiment, **options: Any) -> xr.Dataset:
        """The experiment's dataset, loaded or trained and kept: `grokbook.runs.load_or_run` with this store."""
        return load_or_run(experiment, self, **options)


@checked_call
def records(pattern: str = "*") -> pd.DataFrame:
    """The runs whose name matches a pattern ("gu2025/fig5*"): those recorded with the book, and those of this machine.

    One row a configuration: name, seeds, where it is ("book" or "here"), when it was made, megabytes, and its key.
    `load` takes a name, or a key where several configurations have one name.

    Example:
        >>> records("gu2025/lead*").columns.tolist()
        ['name', 'seeds', 'where', 'made', 'MB', 'key']
    """
    here = default_store()
    rows = []
    for where, place in (("here", here), *(("book", behind) for behind in here.fallbacks)):
        for entry in place.entries().values():
            if pattern == entry["experiment"] or fnmatch(entry["experiment"], pattern):
                made = max(part.get("recorded_on", "") for part in entry["provenance"])
                size = round(entry["bytes"] / 1e6, 2)
                rows.append([entry["experiment"], tuple(entry["seeds"]), where, made, size, entry["key"]])
    table = pd.DataFrame(rows, columns=["name", "seeds", "where", "made", "MB", "key"])
    return table.sort_values(["name", "key"], ignore_index=True)


class _Listing(ModuleType):
    """The module of a name that is a function too: `grokbook.records("gu2025/*")`."""

    def __call__(self, *given: Any, **named: Any) -> pd.DataFrame:
        return records(*given, **named)


sys.modules[__name__].__class__ = _Listing
