"""What the scripts of this folder found, as Markdown tables between marks in
book/how_to_rerun.md."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from grokbook.files import put_between

PAGE = Path(__file__).parents[2] / "book" / "how_to_rerun.md"


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table.

    >>> print(table(("a", "b"), [(1, 2)]))
    | a | b |
    | --- | --- |
    | 1 | 2 |
    """
    return "\n".join(
        f"| {' | '.join(map(str, row))} |" for row in (columns, ["---"] * len(columns), *rows)
    )


def mark(name: str) -> str:
    """The line above and below what a script wrote."""
    return f"% {name}: .ci/trust/{name}.py\n"


def rows(name: str, page: Path = PAGE) -> list[list[str]]:
    """The rows of a script's table as it stands on the page, without its head."""
    _, between, _ = page.read_text(encoding="utf-8").split(mark(name))
    return [
        line.strip("| ").split(" | ") for line in between.splitlines() if line.startswith("| ")
    ][2:]


def write(name: str, text: str, page: Path = PAGE) -> None:
    """Put a script's text between its two marks on the page; ValueError where they are not
    there."""
    put_between(page, mark(name), text)
