"""What a command prints while chapters run, and what it asks before it starts."""

from __future__ import annotations

import sys
import time
from typing import TextIO

from grokbook.errors import ParameterError

PREFIX = "grokbook: "
"""Lines of a cell's standard error that begin so are progress: printed here, kept off the page."""

PAUSE = 5.0
"""Seconds between two lines of one chapter's training that are printed."""


class Progress:
    """Reports of one command, as lines of `stream` (default: standard error)."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream

    def say(self, text: str) -> None:
        """Print a line."""
        print(text, file=self.stream or sys.stderr, flush=True)


class ProgressStream:
    """A file-like object that passes on the progress lines written to it, one in `PAUSE` seconds,
    after the name of the chapter."""

    def __init__(self, progress: Progress, label: str) -> None:
        self._progress = progress
        self._label = label
        self._unfinished = ""
        self._last_printed = -PAUSE

    def write(self, text: str) -> int:
        *lines, self._unfinished = (self._unfinished + text).replace("\r", "\n").split("\n")
        for line in lines:
            now = time.monotonic()
            if line.startswith(PREFIX) and now - self._last_printed >= PAUSE:
                self._progress.say(f"{self._label}: {line.removeprefix(PREFIX)}")
                self._last_printed = now
        return len(text)

    def flush(self) -> None:
        """Do nothing: an unfinished line waits for its end."""


def agree(sentence: str, yes: bool) -> None:
    """Go on if `yes`, or if the person at the terminal says so.

    Raises ParameterError with the sentence where nobody can be asked, and where the answer is not
    yes.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise ParameterError(f"{sentence}; say --yes to start it.")
    print(f"grokbook: {sentence}. Start it? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise ParameterError(f"{sentence}; it was not started.")
