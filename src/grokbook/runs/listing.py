"""A table of what is recorded."""

from __future__ import annotations

from fnmatch import fnmatch

import pandas as pd

from grokbook.errors import checked_call
from grokbook.runs.experiment import default_store


@checked_call
def records(pattern: str = "*") -> pd.DataFrame:
    """The runs whose name matches a pattern ("gu2025/fig5*"): those recorded with the book, and
    those of this machine.

    One row a configuration: name, seeds, where it is ("book" or "here"), when it was made,
    megabytes, and its key. `load` takes a name, or a key where several configurations have one
    name.

    Example:
        >>> records("gu2025/lead*").columns.tolist()
        ['name', 'seeds', 'where', 'made', 'MB', 'key']
    """
    here = default_store()
    rows = []
    for store in (here, *here.fallbacks):
        where = "here" if store is here else "book"
        for entry in store.entries().values():
            name = entry["experiment"]
            if pattern == name or fnmatch(name, pattern):
                date = max(part.get("recorded_on", "") for part in entry["provenance"])
                size = round(entry["bytes"] / 1e6, 2)
                rows.append([name, tuple(entry["seeds"]), where, date, size, entry["key"]])
    table = pd.DataFrame(rows, columns=["name", "seeds", "where", "made", "MB", "key"])
    return table.sort_values(["name", "key"], ignore_index=True)
