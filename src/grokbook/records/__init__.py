"""Records: results kept by configuration, verified when read, with their provenance."""

from grokbook.records.store import RecordWarning, Store

__all__ = ["RecordWarning", "Store"]
