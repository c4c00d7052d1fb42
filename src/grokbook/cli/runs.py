"""Commands on runs: `grokbook sweep` over a grid, here, on a cluster or as array jobs, and `grokbook export`."""

from __future__ import annotations

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
    """Ctrl-C and SIGTERM end what runs inside with one line that says how to go on, exit code 130."""
    with suppress(ValueError):  # only the main thread may say what a signal does
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        kept = "what was finished is kept, and trained runs up to their last checkpoint"
        print(f"\ngrokbook: stopped; {kept}: the same command goes on from there.", file=sys.stderr)
        raise typer.Exit(130) from None


def sweep(
    experiment: Annotated[
        str, typer.Argument(help="A name in `grokbook record --list`, or MODULE:NAME of a Run of your own.")
    ],
    grid: Annotated[
        list[str] | None, typer.Option(help="NAME=A:B:N (geometric if B >= 100 A > 0) or NAME=A,B,...; again for more.")
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, max=MOST_SEEDS, help="Seeds of each cell.")] = 1,
    steps: Annotated[int | None, typer.Option(min=1, help="Optimiser steps of each run.")] = None,
    scheduler: Annotated[str | None, typer.Option(help="Address of a Dask cluster; default: processes here.")] = None,
    shard: Annotated[str | None, typer.Option(help="I/N: only every N-th chunk, without Dask (array jobs).")] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes here; default: one a core.")] = None,
    store: Annotated[str | None, typer.Option(help="Folder of the record, or address to share chunks at.")] = None,
    compiled: Annotated[bool, typer.Option("--compiled", help="Compile the update, where that is possible.")] = False,
) -> None:
    """Train an experiment with every combination of some settings: here, on a Dask cluster, or as array jobs."""
    part, sign, of = (shard or "1/1").partition("/")
    if not (sign and part.isdecimal() and of.isdecimal()) or (shard and scheduler):
        rule = "needs no --scheduler" if shard and scheduler else "is not of the form I/N, such as 2/5"
        raise ParameterError(f"--shard {shown(shard)} {rule}.")
    from grokbook.runs import cluster
    from grokbook.runs.learned import expected
    from grokbook.runs.shared import is_address
    from grokbook.runs.store import Store

    asked = cluster.asked(own(experiment) if ":" in experiment else experiment, grid or [], seeds, steps)
    folder = None if store is None or is_address(store) else Store(Path(store))
    options = {"store": store if folder is None else folder, "compiled": compiled}
    takes = duration(expected(asked, seeds).seconds)
    print(f"{asked.name}, {seeds} of its seeds: about {takes} of one core", flush=True)
    with stoppable(), cluster.shown() as told:
        if scheduler:
            found = cluster.sweep(asked, scheduler, told=told, **options)
        else:
            found = cluster.shard(asked, int(part), int(of), workers=workers, told=told, **options)
    if found is None:
        print(f"shard     {shard} is done; the command that finds all chunks done writes the record")
    else:
        print(f"record    {cluster.place(asked, folder)}")


def own(name: str) -> Experiment:
    """The run of a reader's own that `module:name` names, as an experiment; the module may lie in the current folder.

    It is a `Run`, an experiment, or a function without arguments that gives one of these. Raises ParameterError for
    anything else.
    """
    from grokbook.runs.experiment import Experiment
    from grokbook.training.config import RunConfig

    module, _, inside = name.partition(":")
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, here)
    try:
        found = getattr(import_module(module), inside)
    except (ImportError, AttributeError, ValueError, TypeError) as error:
        raise ParameterError(f"{shown(name)} names no run: {error}; write MODULE:NAME, such as own:run.") from None
    found = found() if callable(found) else found
    if isinstance(found, RunConfig):
        return Experiment(f"own/{module}-{inside}", found)
    if not isinstance(found, Experiment):
        raise ParameterError(f"{shown(name)} is {shown(found)}, not a Run: gb.Run(task, model, optimizer, steps=...).")
    return found


def export(
    name: Annotated[str, typer.Argument(help="A record's name or key; `claims`: the ledger.")],
    path: Annotated[Path, typer.Argument(help="FILE.csv, .parquet or .nc, or a new folder for a data set.")],
) -> None:
    """Write a record, or the ledger of claims, as a table or as a folder with a card and a schema."""
    from grokbook.build.book import ledger
    from grokbook.claims import choose
    from grokbook.claims import export as ledgers
    from grokbook.face.files import export as written
    from grokbook.paths import project_root

    with stoppable():
        every = name == "claims" and ledgers.document(choose(), seen=ledger(project_root()))
        print(f"written   {written(ledgers.table(every) if every else name, path)}")
