"""Ways into the ledger by the papers' own places."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pandas as pd

from companion.claims.ledger import FOUR, named
from companion.page.markup import rendered

Row = Mapping[str, Any]

_KINDS = (
    "abstract|answer|appendix|assumption|caption|conclusion|corollary|definition|eqs?|figs?|"
    "figures|lemma|property|proposition|remark|sections?|slides?|stage|table|theorem"
)
_BESIDE = r"(after |before |below |caption of |end of |formula beside |proof of )?"
_NAMES_A_PLACE = re.compile(rf"{_BESIDE}({_KINDS})\b", re.IGNORECASE)
_EARLIER = "Gu 2024, "


def places_of(paper: str, place: str) -> list[tuple[str, str]]:
    """The places that a claim names, each with its paper; what names none belongs to the place
    before it.

    Example:
        >>> places_of("gu2025", "Remark 4.3, Fig. 5; Gu 2024, section 5.1")
        [('gu2025', 'Remark 4.3'), ('gu2025', 'Fig. 5'), ('gu2024', 'section 5.1')]
        >>> places_of("liu2022", "Eq. 6, 24 and 27")
        [('liu2022', 'Eq. 6, 24 and 27')]
    """
    found: list[tuple[str, str]] = []
    for piece in place.split("; "):
        whose = "gu2024" if piece.startswith(_EARLIER) else paper
        for part in re.split(r", (?![^(]*\))", piece.removeprefix(_EARLIER)):
            if found and not _NAMES_A_PLACE.match(part):
                before_paper, before = found[-1]
                found[-1] = (before_paper, f"{before}, {part}")
            else:
                found.append((whose, part))
    return found


def in_order(place: str) -> list[Any]:
    """Words and numbers of a place, so that Fig. 5 comes before Fig. 10, and what is said after it
    beside it.

    Example:
        >>> sorted(["Fig. 10", "after Eq. 3", "Fig. 5"], key=in_order)
        ['after Eq. 3', 'Fig. 5', 'Fig. 10']
    """
    parts = re.split(r"(\d+)", re.sub(f"^{_BESIDE}", "", place.lower()))
    return [int(part) if part.isdigit() else part for part in parts]


def index_html(frame: pd.DataFrame) -> str:
    """Lists that lead to the claims of `frame`, which is what `companion.claims.ledger` gives: one
    a paper, each place with the claims that name it."""
    by_paper: dict[str, dict[str, list[Row]]] = {}
    for paper in FOUR:
        by_paper[paper] = {}
    for row in frame.to_dict("records"):
        if row["paper"] in FOUR and row["origin"] == "paper":
            for paper, place in places_of(row["paper"], row["place"]):
                by_paper[paper].setdefault(place, []).append(row)
    papers = {}
    for paper, places in by_paper.items():
        if places:
            papers[named(paper)] = [
                (place, places[place]) for place in sorted(places, key=in_order)
            ]
    return rendered("places", papers=papers)
