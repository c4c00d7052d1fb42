"""What is printed reaches every terminal, pipe and file, whatever its encoding."""

from __future__ import annotations

import io
import os
import sys


def make_printable() -> None:
    """Let the standard streams of this process write whatever they are given: a character that
    their encoding has not as its number."""
    for stream in (sys.stdout, sys.stderr):
        # not where it was closed, or a program put its own there
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def forget_output() -> None:
    """Drop what standard output still holds and could not be written: the interpreter would try
    once more."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
