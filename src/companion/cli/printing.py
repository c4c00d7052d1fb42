"""What is printed reaches every terminal, pipe and file, whatever its encoding."""

from __future__ import annotations

import codecs
import io
import json
import os
import sys

HANDLER = "grokbook.escaped"


def escaped(error: UnicodeError) -> tuple[str, int]:
    """What is written for characters that an encoding has not: their numbers, as JSON has them.

    Example:
        >>> codecs.register_error(HANDLER, escaped)
        >>> "η ≥ 1".encode("ascii", HANDLER)
        b'\\\\u03b7 \\\\u2265 1'
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join(json.dumps(character)[1:-1] for character in missing), error.end


def make_printable() -> None:
    """Let the standard streams of this process write whatever they are given (`escaped`)."""
    codecs.register_error(HANDLER, escaped)
    for stream in (sys.stdout, sys.stderr):
        # not where it was closed, or a program put its own there
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=HANDLER)


def forget_output() -> None:
    """Drop what standard output still holds and could not be written: the interpreter would try
    once more."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
