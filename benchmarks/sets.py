"""What parameter sets cost: `python benchmarks/sets.py [ROOT]` puts the table of a build into
book/how_to_rerun.md.

ROOT is a checkout with a built site (default: this one). Seconds are those that executing a page
took in that build, by the clock and beside other pages; a page's weight is its HTML and the
pictures that it alone shows beside the default's.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path

from companion.page.sets import slug
from companion.page.sources import load_all
from grokbook.files import put_between

HERE = Path(__file__).parents[1]
MARK = "% sets: benchmarks/sets.py\n"
HEAD = "| chapter | parameters | executed in | the default in | its page | the default's |"


def seconds(cards: Iterable[Path]) -> float:
    """What executing some pages took."""
    return sum(json.loads(card.read_text(encoding="utf-8"))["seconds"] for card in cards)


def weight(site: Path, page: str) -> float:
    """Megabytes that a page adds to a site."""
    files = [site / "chapters" / f"{page}.html", *(site / "pairs" / page).glob("*")]
    return sum(path.stat().st_size for path in files) / 1e6


def table(root: Path) -> str:
    """A row for each set in a build as Markdown, then what share of the whole they are."""
    cards, site = root / "book" / "chapters", root / "site"
    lines, took, held = [HEAD, "| --- " * HEAD.count(" | ") + "| --- |"], 0.0, 0.0
    for chapter, name in ((c, name) for c in load_all(root) for name in c.sets):
        card, page = (
            cards / "sets" / slug(name) / f"{chapter.name}.json",
            f"{chapter.name}-{slug(name)}",
        )
        if not card.is_file() or not (site / "chapters" / f"{page}.html").is_file():
            continue
        one, size, own = seconds([card]), weight(site, page), seconds([cards / card.name])
        took, held = took + one, held + size
        ends = f"{own:.0f} s | {size:.2f} MB | {weight(site, chapter.name):.2f} MB |"
        lines.append(f"| {chapter.number.lstrip('0')} | {name} | {one:.0f} s | {ends}")
    every, whole = (
        took + seconds(cards.glob("*.json")),
        sum(path.stat().st_size for path in site.rglob("*.*")) / 1e6,
    )
    said = (
        f"All together: {took:.0f} of the {every:.0f} s of all pages, {held:.1f} MB of a site of"
        f" {whole:.0f} MB."
    )
    return "\n".join([*lines, "", said])


if __name__ == "__main__":
    put_between(
        HERE / "book" / "how_to_rerun.md", MARK, table(Path(sys.argv[1]) if sys.argv[1:] else HERE)
    )
