"""What is computed once and asked for again: within a process, and by other chapters of the same build.

A page says which data it was made from (environment variable GROKBOOK_TRACE, one line a dataset); whoever is given
what was computed before is told these lines too.
"""

from __future__ import annotations

import contextlib
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

from grokbook.files import atomic_write

FINDINGS = "GROKBOOK_FINDINGS"
"""Name of the environment variable with the folder of the present build's findings; without it nothing is shared."""


def traced(compute: Callable[[], Any]) -> tuple[Any, str]:
    """What `compute` gives, and the lines about datasets that were noted meanwhile."""
    trace = Path(os.environ.get("GROKBOOK_TRACE", os.devnull))
    begin = trace.stat().st_size if trace.is_file() else 0
    value = compute()
    return value, trace.read_text(encoding="utf-8")[begin:] if trace.is_file() else ""


def tell(lines: str) -> None:
    """Note these lines about datasets once more (reading them leaves out what is there twice)."""
    path = os.environ.get("GROKBOOK_TRACE")
    if path and lines:
        with open(path, "a", encoding="utf-8") as stream:
            stream.write(lines)


def once_a_build(name: str, compute: Callable[[], Any]) -> Any:
    """What `compute` gives; in a build, what another chapter of the same build was given under this name.

    Code, records and packages do not change during a build, so what was computed is what would be.

    Example:
        >>> once_a_build("a", lambda: 1), once_a_build("a", lambda: 2)
        (1, 2)
    """
    folder = os.environ.get(FINDINGS)
    if not folder:
        return compute()
    path = Path(folder) / f"{name}.pickle"
    try:
        value, lines = pickle.loads(path.read_bytes())
        tell(lines)
    except (OSError, EOFError, ValueError, TypeError, pickle.UnpicklingError):
        value, lines = traced(compute)
        with contextlib.suppress(pickle.PicklingError, AttributeError, TypeError):  # a number that no file can hold
            atomic_write(path, pickle.dumps((value, lines)))
    return value
