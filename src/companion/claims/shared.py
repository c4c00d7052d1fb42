"""What is computed once and asked for again: within a process, and by other chapters of the same
build.

A page says which data it was made from (`grokbook.runs.provenance.USED`); whoever is given what was
computed before is given these rows too.
"""

from __future__ import annotations

import contextlib
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

from grokbook.files import atomic_write
from grokbook.runs.provenance import USED

FINDINGS = "GROKBOOK_FINDINGS"
"""Name of the environment variable with the folder of the present build's findings; without it
nothing is shared."""

Row = dict[str, Any]


def traced(compute: Callable[[], Any]) -> tuple[Any, list[Row]]:
    """What `compute` gives, and the datasets that were used meanwhile."""
    begin = len(USED)
    value = compute()
    return value, USED[begin:]


def once_a_build(name: str, compute: Callable[[], Any]) -> Any:
    """What `compute` gives; in a build, what another chapter of the same build was given under this
    name.

    Code, records and packages do not change during a build, so what was computed is what would be.
    """
    folder = os.environ.get(FINDINGS)
    if not folder:
        return compute()
    path = Path(folder) / f"{name}.pickle"
    try:
        value, rows = pickle.loads(path.read_bytes())
        USED.extend(rows)
    except (OSError, EOFError, ValueError, TypeError, pickle.UnpicklingError):
        value, rows = traced(compute)
        # a number that no file can hold
        with contextlib.suppress(pickle.PicklingError, AttributeError, TypeError):
            atomic_write(path, pickle.dumps((value, rows)))
    return value
