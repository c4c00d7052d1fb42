"""The record store at the place that it had before version 0.2: it is in `grokbook.runs`."""

from grokbook.runs.store import RecordWarning, Store

__all__ = ["RecordWarning", "Store"]
