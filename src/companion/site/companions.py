"""Companions to other papers that are installed beside the book: its table of contents leads to
each.

A companion says so in its pyproject.toml, with any name and value, and has an address:

    [project.entry-points."grokbook.companions"]
    omnigrok = "omnigrok"
    [project.urls]
    Documentation = "https://..."
"""

from __future__ import annotations

from importlib.metadata import entry_points

from grokbook.errors import GrokbookError

GROUP = "grokbook.companions"
ADDRESSES = ("Documentation", "Homepage", "Repository")
"""The names of its addresses, the one where it is read first."""


def installed() -> list[dict[str, str]]:
    """The companions of this environment as entries of a table of contents: `url`, and `title`,
    their summary.

    Nothing of them is imported. Raises GrokbookError for one that names no address.
    """
    found = {}
    for point in entry_points(group=GROUP):
        if (about := point.dist and point.dist.metadata) is None:
            continue
        urls = dict(line.split(", ", 1) for line in about.get_all("Project-URL") or ())
        address = next((urls[name] for name in ADDRESSES if "://" in urls.get(name, "")), None)
        if address is None:
            said = (
                f"the companion {point.name} names no address in [project.urls] of its"
                " pyproject.toml"
            )
            raise GrokbookError(f"{said}; name one of {', '.join(ADDRESSES)} and install it again.")
        found[point.name] = {"title": about["Summary"] or point.name, "url": address}
    return [found[name] for name in sorted(found)]
