"""What the terminal shows while a chapter runs: one live line, or plain lines where there is no terminal."""

from __future__ import annotations

import sys
import time
from typing import Any, TextIO

PREFIX = "grokbook: "
"""Lines of a cell's standard error that begin so are progress: shown here, kept off the page."""


class Progress:
    """Reports of one command; `live` rewrites one line, otherwise every chapter gets two."""

    def __init__(self, stream: TextIO | None = None, quiet: bool = False) -> None:
        from rich.console import Console

        self.console = Console(file=stream or sys.stderr, highlight=False, soft_wrap=True, quiet=quiet)
        self.live = self.console.is_terminal and not quiet
        self._status: Any = None
        self._label, self._cells, self._cell, self._begin = "", 0, 0, 0.0
        self._last_line = 0.0

    def say(self, text: str) -> None:
        """One line that stays."""
        self.console.print(text, markup=False)

    def start(self, label: str, cells: int) -> None:
        """A chapter with this many code cells begins."""
        self._label, self._cells, self._cell, self._begin = label, cells, 0, time.monotonic()
        if self.live:
            self._status = self.console.status(f"{label}: starting a kernel")
            self._status.start()
        else:
            self.say(f"{label}: {cells} code cells")

    def cell(self, number: int) -> None:
        """Code cell `number` (from 1) begins."""
        self._cell = number
        self._update("")

    def training(self, line: str) -> None:
        """A progress line of the training code; without a terminal at most one in five seconds is printed."""
        self._update(line)
        if not self.live and time.monotonic() - self._last_line > 5:
            self._last_line = time.monotonic()
            self.say(f"{self._label}: {line}")

    def _update(self, extra: str) -> None:
        if self._status is not None:
            seconds = time.monotonic() - self._begin
            text = f"{self._label}: cell {self._cell} of {self._cells}, {seconds:.0f} s"
            self._status.update(f"{text}  {extra}" if extra else text)

    def stop(self) -> None:
        """The chapter is over, well or badly: the live line is taken away."""
        if self._status is not None:
            self._status.stop()
            self._status = None


class ProgressStream:
    """A file-like object that hands the progress lines written to it to a `Progress`."""

    def __init__(self, progress: Progress) -> None:
        self._progress, self._rest = progress, ""

    def write(self, text: str) -> int:
        *lines, self._rest = (self._rest + text).replace("\r", "\n").split("\n")
        for line in lines:
            if line.startswith(PREFIX):
                self._progress.training(line[len(PREFIX) :])
        return len(text)

    def flush(self) -> None:
        """Nothing is kept back but an unfinished line."""
