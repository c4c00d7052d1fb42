"""`grokbook certify`: claims checked again on some machine, and a file that says what agreed."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from grokbook.errors import ParameterError


def seconds(text: str) -> float:
    """A time such as 90s, 40m, 1h30m or 3600 in seconds.

    Raises ParameterError when it is none.

    >>> seconds("40m"), seconds("1h30m"), seconds("90")
    (2400.0, 5400.0, 90.0)
    """
    found = re.fullmatch(r"(?:(\d+\.?\d*)h)?(?:(\d+\.?\d*)m)?(?:(\d+\.?\d*)s?)?", text.strip())
    if not text.strip() or found is None:
        raise ParameterError(f"{text!r} is not a time; write it like 90s, 40m or 1h30m.")
    hours, minutes, rest = (float(part or 0) for part in found.groups())
    return 3600 * hours + 60 * minutes + rest


def certify(
    budget: Annotated[str, typer.Option(help="Check what is said to fit into this time, such as 10m.")] = "10m",
    out: Annotated[Path, typer.Option(help="The file that is written.")] = Path("certificate.json"),
) -> None:
    """Check the cheap half of the claims again on this machine, and write what agreed (JSON)."""
    limit = seconds(budget)
    from grokbook.claims import certificate, export
    from grokbook.files import atomic_write

    made = certificate.certify(limit, told=partial(print, flush=True))
    atomic_write(out, export.text(made).encode())
    print(f"{made['agreed']} of {made['checked']} claims agree, {len(made['left_out'])} left out  {out}")
    if made["agreed"] < made["checked"]:
        raise typer.Exit(1)
