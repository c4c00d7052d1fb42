"""What the terminal shows while chapters run: a live line each, or plain lines where there is no
terminal."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TextIO

from grokbook.errors import ParameterError

PREFIX = "grokbook: "
"""Lines of a cell's standard error that begin so are progress: shown here, kept off the page."""

_SHOWN = (r"step \S+", r"(?<!test )acc \S+", r"test acc \S+", r"\S+ \S+ left$")


class Progress:
    """Reports of one command: on a terminal a live line for each chapter that runs, otherwise two
    that stay."""

    def __init__(self, stream: TextIO | None = None, quiet: bool = False) -> None:
        from rich.console import Console

        self.console = Console(
            file=stream or sys.stderr, highlight=False, soft_wrap=True, quiet=quiet
        )
        self.live = self.console.is_terminal and not quiet
        self._lines: list[Line] = []
        self._display: Any = None

    def say(self, text: str) -> None:
        """One line that stays."""
        self.console.print(text, markup=False)

    @contextmanager
    def chapter(self, label: str, cells: int) -> Iterator[Line]:
        """The line of a chapter with this many code cells; it is taken away when the chapter is
        over."""
        line = Line(self, label, cells)
        self._lines.append(line)
        if not self.live:
            self.say(f"{label}: {cells} code cells")
        elif self._display is None:
            from rich.live import Live

            self._display = Live(get_renderable=self._shown, console=self.console, transient=True)
            self._display.start()
        try:
            yield line
        finally:
            self._lines.remove(line)
            if self._display is not None and not self._lines:
                self._display.stop()
                self._display = None

    def _shown(self) -> Any:
        from rich.text import Text

        width = self.console.width
        return Text(
            "\n".join(line.text(width) for line in list(self._lines)), no_wrap=True, overflow="crop"
        )


@dataclass(eq=False)
class Line:
    """What is known of a running chapter: the cell it is at, and what the training code said
    last."""

    progress: Progress
    label: str
    cells: int
    cell: int = 0
    said: str = ""
    begin: float = field(default_factory=time.monotonic)
    printed: float = 0.0

    def at(self, cell: int) -> None:
        """Code cell `cell` (from 1) begins."""
        self.cell, self.said = cell, ""

    def training(self, said: str) -> None:
        """A progress line of the training code; without a terminal at most one in five seconds is
        printed."""
        self.said = said
        if not self.progress.live and time.monotonic() - self.printed > 5:
            self.printed = time.monotonic()
            self.progress.say(f"{self.label}: {said}")

    def text(self, width: int) -> str:
        """The live line: what the training code says is whole, the chapter's name has what room is
        left."""
        name = self.label.removeprefix("chapter ")
        seconds = time.monotonic() - self.begin
        done = f"{self.cell}/{self.cells}  {seconds:.0f} s  {short(self.said)}".rstrip()
        room = max(width - len(done) - 2, 2)
        return f"{name if len(name) <= room else name[: room - 1] + '…'}  {done}"[:width]


def short(said: str) -> str:
    """Step, accuracies and time left of a training line; another line as it is.

    >>> short(
    ...     "p=59 add d=64 seed=2 #2  step 404/2000  loss 0.004  test loss 15  acc 1"
    ...     "  test acc 0.5  about 36 s left"
    ... )
    'step 404/2000  acc 1  test acc 0.5  36 s left'
    """
    found = [re.search(pattern, said) for pattern in _SHOWN]
    return "  ".join(part[0] for part in found if part) if found[0] else said


class ProgressStream:
    """A file-like object that hands the progress lines written to it to the line of a chapter."""

    def __init__(self, line: Line) -> None:
        self._line, self._rest = line, ""

    def write(self, text: str) -> int:
        *lines, self._rest = (self._rest + text).replace("\r", "\n").split("\n")
        for line in lines:
            if line.startswith(PREFIX):
                self._line.training(line[len(PREFIX) :])
        return len(text)

    def flush(self) -> None:
        """Nothing is kept back but an unfinished line."""


def agree(sentence: str, yes: bool, stream: TextIO | None = None) -> None:
    """Go on if `yes`, or if the person at the terminal says so.

    Raises ParameterError with the sentence where nobody can be asked, and where the answer is not
    yes.
    """
    stream = stream or sys.stdin
    if yes:
        return
    if not stream.isatty():
        raise ParameterError(f"{sentence}; say --yes to start it.")
    print(f"grokbook: {sentence}. Start it? [y/N] ", end="", file=sys.stderr, flush=True)
    if stream.readline().strip().lower() not in ("y", "yes"):
        raise ParameterError(f"{sentence}; it was not started.")
