"""The command line: `grokbook list`, `run`, `build`, `record`, `claims`, `teach`."""

from __future__ import annotations

import io
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from shutil import get_terminal_size
from typing import Annotated, Any

import typer

from companion.project import current
from companion.teach.commands import app as teach
from grokbook import __version__
from grokbook.errors import GrokbookError, ParameterError, line
from grokbook.machine import duration
from grokbook.paths import chosen

MOST_SEEDS = 1000
"""How many seeds of an experiment a command may ask for."""

app = typer.Typer(
    help="Re-run the chapters of grokbook with your own parameters, and build the book.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.add_typer(teach, name="teach")


def main() -> None:
    """Run the command line; an error made for the reader, or by the system, is one line.

    The exit code is 2 for bad input, 1 for what failed, 130 for Ctrl-C where something was kept.
    """
    for stream in (sys.stdout, sys.stderr):
        # what a stream cannot write stands there as its number; a program may have put its own
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        try:
            with chosen():
                app()
        finally:
            sys.stdout.flush()
    except GrokbookError as error:
        print(f"grokbook: {line(error)}", file=sys.stderr)
        sys.exit(2 if isinstance(error, ParameterError) else 1)
    # the disk is full, say: what the system refuses is no fault of this program
    except OSError as error:
        place = f"{line(error.filename)}: " if error.filename else ""
        print(f"grokbook: {place}{error.strerror or error}.", file=sys.stderr)
        sys.exit(1)


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


def _version(wanted: bool) -> None:
    if wanted:
        print(f"grokbook {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Options before the command."""


def _console() -> Any:
    from rich.console import Console

    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=160)


def _table(*columns: str) -> Any:
    from rich import box
    from rich.table import Table

    return Table(*columns, box=box.SIMPLE_HEAD, pad_edge=False)


# --------------------------------------------------------------------------------------------- list


@app.command("list")
def list_(
    chapter: Annotated[
        str | None, typer.Argument(help="Number or name; all when left out.")
    ] = None,
) -> None:
    """List the chapters, or one chapter's parameters with types, presets, time and memory."""
    from grokbook.paths import project_root

    root = project_root()
    if chapter is None:
        _list_all(root, _console())
    else:
        _list_one(root, chapter, _console())


def _list_all(root: Path, console: Any) -> None:
    from companion.page import costs, sources
    from companion.site import state

    table = _table("nr", "chapter", "question", "laptop", "page")
    for chapter in sources.load_all(root):
        card = state.card(root, chapter.name)
        page = f"executed ({card['preset']})" if card else "not executed"
        time = duration(costs.page_estimate(chapter.page("laptop")).seconds)
        table.add_row(*map(_text, (chapter.number, chapter.title, chapter.question, time, page)))
    console.print(table)


def _list_one(root: Path, name: str, console: Any) -> None:
    from companion.page import costs, sources

    chapter = sources.find(root, name)
    console.print(f"{chapter.name}: {chapter.title}", style="bold", markup=False)
    console.print(chapter.question, markup=False)
    pages = [chapter.page(preset) for preset in chapter.presets]
    table = _table("parameter", "type", "default", *chapter.presets, "rule", "help")
    for p in chapter.parameters:
        values = [page.values[p.name] for page in pages]
        table.add_row(*map(_text, (p.name, p.type, p.default, *values, p.rule or "", p.help)))
    console.print(table if chapter.parameters else "It has no parameters.")
    for parameter, kinds in chapter.choices().items():
        several = _table(f"{parameter} may be", "")
        for kind, names in kinds.items():
            several.add_row(_text(kind), _text(", ".join(names)))
        console.print(several)
    costs_table = _table("preset", "time", "memory")
    for page in pages:
        cost = costs.page_estimate(page)
        costs_table.add_row(page.preset, duration(cost.seconds), f"{cost.memory_mb:.0f} MB")
    console.print(costs_table)
    console.print(
        "Times are predictions for this machine, of executing the page; runs that are in a store"
        " already cost nothing."
    )


# ------------------------------------------------------------------------------------------ execute


@app.command()
def run(
    chapter: Annotated[str, typer.Argument(help="Number or name of a chapter.")],
    preset: Annotated[str, typer.Option(help="smoke, laptop or paper.")] = "laptop",
    parameter: Annotated[
        list[str] | None, typer.Option("--parameter", "-p", help="name=value")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the results.")] = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Start also what takes more than an hour.")
    ] = False,
) -> None:
    """Run one chapter with your parameters: an executed notebook, and an HTML page that opens with
    what differs."""
    from companion.page import sources
    from companion.site.rerun import rerun
    from grokbook.paths import project_root

    root = project_root()
    changed = {}
    for pair in parameter or []:
        name, _, value = map(str.strip, pair.partition("="))
        if not name or "=" not in pair:
            raise ParameterError(f"-p {pair!r} is not of the form name=value, such as -p p=113.")
        changed[name] = value
    page = sources.find(root, chapter).page(preset, changed)
    with stoppable():
        notebook, made = rerun(page, root, out, yes=yes)
    print(f"notebook  {notebook}\npage      {made}")


@app.command()
def build(
    preset: Annotated[str, typer.Option(help="smoke, laptop or paper.")] = "laptop",
    only: Annotated[list[str] | None, typer.Option(help="A chapter; can be given again.")] = None,
    strict: Annotated[
        bool, typer.Option(help="Anything on standard error fails the build.")
    ] = False,
    force: Annotated[bool, typer.Option(help="Execute and build also what is up to date.")] = False,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Chapters side by side; default: one a core.")
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Start also what takes more than an hour.")
    ] = False,
) -> None:
    """Execute the chapters that changed and build the site."""
    from companion.site.book import build as bring_up_to_date
    from grokbook.paths import checkout

    root = checkout()
    with stoppable():
        bring_up_to_date(root, preset, only or [], strict, force, jobs=jobs, yes=yes)
    print(f"site      {root / 'site' / 'index.html'}")


@app.command()
def drift(
    old: Annotated[Path, typer.Argument(help="A build: drift.json, a site, or a checkout.")],
    new: Annotated[Path | None, typer.Argument(help="Another one; default: this checkout.")] = None,
) -> None:
    """Say what differs between two builds; exit code 1 when a verdict or a number moved beyond its
    band."""
    from companion.checks import drift as builds
    from grokbook.paths import project_root

    then = builds.read(old)
    now = builds.read(new or project_root())
    found = builds.compare(then, now)
    print("\n".join(builds.lines(found, len(now["chapters"]))))
    if any(difference.counts for difference in found):
        raise typer.Exit(1)


# ------------------------------------------------------------------------------------------ records


@app.command()
def record(
    only: Annotated[
        str | None, typer.Option(help="Experiments whose name matches this pattern.")
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(min=1, max=MOST_SEEDS, help="Seeds of each experiment.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Runs side by side; default: one a core.")
    ] = None,
    compiled: Annotated[
        bool, typer.Option("--compiled", help="Compile the update, where that is possible.")
    ] = False,
    list_only: Annotated[
        bool, typer.Option("--list", help="Show what there is, and what is missing.")
    ] = False,
    repeat: Annotated[
        float | None, typer.Option(help="Train the first steps of a share of the records again.")
    ] = None,
    draw: Annotated[
        int, typer.Option(min=0, help="With --repeat: the seed that draws the share.")
    ] = 0,
) -> None:
    """Train the recorded runs that are missing, by value per second; stop and start it as you
    like."""
    from grokbook import runs
    from grokbook.paths import checkout

    if list_only:
        _print_frame(runs.records_table(only, seeds), _console())
        return
    checkout()  # records belong to one: without it this is refused
    if repeat is not None:
        _repeat(repeat, draw)
        return
    with stoppable():
        done = runs.record(
            pattern=only,
            seeds=seeds,
            workers=workers,
            update="compiled" if compiled else "eager",
        )
        _print_frame(done, _console())


def _repeat(share: float, draw: int) -> None:
    import pandas as pd

    from grokbook.runs.repeating import repeat_sample

    done = repeat_sample(share, draw)
    rows = [{**asdict(one), "same": one.is_same} for one in done]
    _print_frame(pd.DataFrame(rows), _console())
    if not all(one.is_same for one in done):
        raise typer.Exit(1)


@app.command()
def claims(
    paper: Annotated[
        str | None, typer.Option(help="Only claims of this paper, such as gu2025.")
    ] = None,
    ids: Annotated[
        list[str] | None, typer.Option("--id", help="A claim such as G12; can be given again.")
    ] = None,
    live: Annotated[
        bool, typer.Option("--run", help="Compute the checks; a changed verdict fails.")
    ] = False,
    settle: Annotated[
        bool, typer.Option("--settle", help="With --run: write the verdicts down.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="As data for programs (JSON).")] = False,
) -> None:
    """Show what the papers claim and the settled verdicts; with --run, compute them again."""
    if as_json and settle:
        raise ParameterError("--json shows the ledger and --settle changes it: give one of them.")
    if settle and not live:
        raise ParameterError("--settle writes down what the checks find, so it needs --run.")
    from companion.claims import choose, export, outcomes, report, verdicts

    width = max(50, min(get_terminal_size((80, 24)).columns, 100))
    known = verdicts.settled()
    chosen = choose(ids, paper)
    found = []
    now = {}
    changed = []
    with stoppable():
        for outcome in outcomes(chosen) if live else ():
            name = outcome.claim.id
            settled = known.get(name)
            found.append(outcome)
            now[name] = outcome.finding.verdict
            if now[name] != settled:
                changed.append(name)
            if not as_json:
                print(report.entry(outcome.claim, settled, outcome, width) + "\n", flush=True)
    if as_json:
        print(export.text(export.document(chosen, found)), end="")
    else:
        for claim in () if live else chosen:
            print(report.entry(claim, known.get(claim.id), width=width) + "\n")
        words = [now.get(claim.id, known.get(claim.id)) for claim in chosen]
        text = report.summary(words)
        if changed:
            text += f" {len(changed)} of them differ from what is settled: {', '.join(changed)}."
        print(report.paragraph(text, width))
    if settle:
        verdicts.settle(now)
        print(f"The settled verdicts are written to {current().verdicts.name}.")
    elif changed:
        raise typer.Exit(1)


def _print_frame(frame: Any, console: Any) -> None:
    table = _table(*map(str, frame.columns))
    for row in frame.itertuples(index=False):
        table.add_row(*map(_text, row))
    console.print(table)


def _text(value: Any) -> Any:
    """A cell as it is, brackets and all; nothing for a missing value, four digits for a float."""
    from rich.text import Text

    if value is None or value != value:
        return ""
    return Text(f"{value:.4g}" if isinstance(value, float) else str(value))
