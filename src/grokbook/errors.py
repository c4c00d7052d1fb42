"""The errors a user can meet. Each message is one sentence that names the value and the rule it breaks."""

from __future__ import annotations


class GrokbookError(Exception):
    """Base of every error grokbook raises on purpose; its message is written for the person at the keyboard."""


class ParameterError(GrokbookError, ValueError):
    """A name, type, value or pair of values was refused before anything was computed."""


class TrainingError(GrokbookError, RuntimeError):
    """Training could not go on; `history` holds what was logged until then (or is None)."""

    def __init__(self, message: str, history: object = None) -> None:
        super().__init__(message)
        self.history = history


class RecordError(GrokbookError, RuntimeError):
    """A record could not be written, read or verified."""


class ChapterError(GrokbookError, RuntimeError):
    """A chapter could not be read, executed or built."""
