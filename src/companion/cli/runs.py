"""Commands on runs: `grokbook sweep` over a grid, here or on a cluster, and `grokbook export`."""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grokbook.errors import ParameterError, shown
from grokbook.machine import duration

if TYPE_CHECKING:
    from grokbook.runs.experiment import Experiment

MOST_SEEDS = 1000
"""How many seeds of an experiment a command may ask for."""


@contextmanager
def stoppable() -> Iterator[None]:
    """Ctrl-C and SIGTERM end what runs inside with one line that says how to go on, exit code
    130."""
    with suppress(ValueError):  # only the main thread may say what a signal does
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        kept = "what was finished is kept, and trained runs up to their last checkpoint"
        print(f"\ngrokbook: stopped; {kept}: the same command goes on from there.", file=sys.stderr)
        raise typer.Exit(130) from None


def seconds(text: str) -> float:
    """A time such as 90s, 40m, 1h30m or 3600 in seconds.

    Raises ParameterError when it is none.

    Example:
        >>> seconds("40m"), seconds("1h30m"), seconds("90")
        (2400.0, 5400.0, 90.0)
    """
    found = re.fullmatch(r"(?:(\d+\.?\d*)h)?(?:(\d+\.?\d*)m)?(?:(\d+\.?\d*)s?)?", text.strip())
    if not text.strip() or found is None:
        raise ParameterError(f"{text!r} is not a time; write it like 90s, 40m or 1h30m.")
    hours, minutes, rest = (float(part or 0) for part in found.groups())
    return 3600 * hours + 60 * minutes + rest


def sweep(
    experiment: Annotated[
        str,
        typer.Argument(
            help="A name in `grokbook record --list`, or MODULE:NAME of a RunConfig of your own."
        ),
    ],
    grid: Annotated[
        list[str] | None,
        typer.Option(
            help="NAME=A:B:N (geometric if B >= 100 A > 0) or NAME=A,B,...; again for more."
        ),
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, max=MOST_SEEDS, help="Seeds of each cell.")] = 1,
    steps: Annotated[int | None, typer.Option(min=1, help="Optimiser steps of each run.")] = None,
    scheduler: Annotated[
        str | None, typer.Option(help="Address of a Dask cluster; default: processes here.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes here; default: one a core.")
    ] = None,
    store: Annotated[str | None, typer.Option(help="Folder of the record.")] = None,
    compiled: Annotated[
        bool, typer.Option("--compiled", help="Compile the update, where that is possible.")
    ] = False,
) -> None:
    """Train an experiment with every combination of some settings: here, or on a Dask cluster."""
    from grokbook.runs import cluster, default_store
    from grokbook.runs.store import Store
    from grokbook.runs.sweep import over_grid

    base = own(experiment) if ":" in experiment else experiment
    planned = over_grid(base, grid or [], seeds, steps)
    kept = default_store() if store is None else Store(Path(store))
    takes = duration(planned.predicted(seeds).seconds)
    print(f"{planned.name}, {seeds} of its seeds: about {takes} of one core", flush=True)
    options = {"workers": workers, "compiled": compiled, "progress": True}
    with stoppable():
        cluster.sweep(planned, scheduler or None, store=kept, **options)
    print(f"record    {kept.place(planned.key, planned.code)}")


def own(name: str) -> Experiment:
    """The run of a reader's own that `module:name` names, as an experiment; the module may lie in
    the current folder.

    It is a `RunConfig`, an experiment, or a function without arguments that gives one of these.

    Raises ParameterError for anything else.
    """
    import grokbook as gb
    from grokbook.runs.experiment import Experiment

    module, _, inside = name.partition(":")
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, here)
    try:
        found = getattr(import_module(module), inside)
    except (ImportError, AttributeError, ValueError, TypeError) as error:
        raise ParameterError(
            f"{shown(name)} names no run: {error}; write MODULE:NAME, such as own:run."
        ) from None
    found = found() if callable(found) else found
    if isinstance(found, gb.RunConfig):
        return Experiment(f"own/{module}-{inside}", found)
    if not isinstance(found, Experiment):
        wanted = "not a run: gb.RunConfig(task, model, optimizer, steps=...)"
        raise ParameterError(f"{shown(name)} is {shown(found)}, {wanted}.")
    return found


def export(
    name: Annotated[str, typer.Argument(help="A record's name or key.")],
    path: Annotated[Path, typer.Argument(help="FILE.csv or FILE.nc.")],
) -> None:
    """Write a record to a file."""
    import grokbook as gb

    with stoppable():
        print(f"written   {gb.export(name, path)}")
