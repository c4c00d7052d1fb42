"""What differs between two builds of the book: numbers of the pages, rows of tables, figures,
verdicts, records.

A build is reduced to a manifest: chapter -> item -> value, taken from the executed notebooks,
without what differs from one machine or day to the next. `grokbook build` writes it to
`site/drift.json`, so that a published site can be compared with later builds.
"""

from __future__ import annotations

import ast
import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from companion import notebooks
from companion.notebooks import Notebook
from companion.page.safe import counted
from companion.page.when import KEY
from companion.project import of
from grokbook.errors import ParameterError
from grokbook.errors import line as one_line
from grokbook.files import read_json, whole

NAME = "drift.json"
TOLERANCE = 1e-6
"""Relative difference up to which two numbers are the same; a thousandth of it is the same as
zero."""

ROLE = re.compile(r"\{glue:text\}`([^`:]+)(?::([^`]*))?`")
"""A glued value in prose; its groups are the name and the format."""

Manifest = Mapping[str, Any]
"""What a build is reduced to."""
Items = Mapping[str, Any]
"""Values of a chapter by the name of their item."""

_FORMAT = 2
_RECORDS = "data/records/MANIFEST.json"
_NUMBER = re.compile(r"-?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?(?:e[+-]?\d+)?)")
_CLOCK = re.compile(r"(?i)(?:^|[\W_])(?:seconds|minutes|hours|core min|cost|memory)(?:$|[\W_])")
"""Names of glued values and of columns that tell of a machine."""


@dataclass(frozen=True)
class Difference:
    """One item that is not the same in both builds; `kind` is moved, gone, new, text, drawn or
    within (its band).

    Where both have a number, `apart` is how far it moved, and `spread` how far apart its seeds are:
    the largest less the smallest, in the build where that is more; None where it is not known.
    `band` is that of a claim's value.
    """

    chapter: str
    item: str
    old: Any
    new: Any
    kind: str
    apart: float | None = None
    spread: float | None = None
    band: Sequence[float] | None = None

    @property
    def counts(self) -> bool:
        """Whether a verdict, a number or a record moved, and not words alone."""
        return self.kind in ("moved", "gone")

    @property
    def beyond(self) -> bool | None:
        """Whether a number moved by more than its seeds are apart, or out of its band; None where
        neither is known."""
        if self.band is not None:
            return self.kind == "moved"
        return None if self.apart is None or self.spread is None else self.apart > self.spread

    def line(self) -> str:
        """The difference in a line."""
        about = f"{one_line(self.chapter)}: {self.kind:<6} {one_line(self.item)}"
        return f"{about}: {_in_a_line(self.old)} -> {_in_a_line(self.new)}"


def _in_a_line(value: Any) -> str:
    return "(absent)" if value is None else one_line(value)


# ------------------------------------------------------------------------------- what a build holds


def manifest(root: Path, names: Collection[str]) -> dict[str, Any]:
    """The manifest of executed chapters of a checkout, with its records and settled verdicts; None
    where it has none."""
    chapters = {}
    for name in names:
        chapters[name] = content(notebooks.read(root / "book" / "chapters" / f"{name}.ipynb"))
    records = None
    if (root / _RECORDS).is_file():
        records = {}
        for name, record in read_json(root / _RECORDS)["records"].items():
            records[name] = {"seeds": record["seeds"], "sha256": record["sha256"]}
    verdicts = of(root).verdicts
    settled = read_json(verdicts) if verdicts.is_file() else None
    return {"format": _FORMAT, "chapters": chapters, "verdicts": settled, "records": records}


def read(place: Path) -> dict[str, Any]:
    """The manifest of a build: a manifest file, a site, or a checkout whose site is built.

    Raises ParameterError for anything else, and for a file that is broken.
    """
    for file in (place, place / NAME, place / "site" / NAME):
        if file.is_file():
            break
    else:
        raise ParameterError(f"{place} is no manifest and holds no {NAME} of a built site.")
    try:
        found = json.loads(whole(file))
    except (OSError, ValueError, RecursionError) as error:
        raise ParameterError(
            f"{file} cannot be read: it is broken or was written only in part ({error})."
        ) from None
    if not isinstance(found, dict) or found.get("format") != _FORMAT:
        raise ParameterError(
            f"{file} is not a manifest of format {_FORMAT}; `grokbook build` writes one to"
            f" site/{NAME}."
        )
    return found


def content(notebook: Notebook) -> dict[str, Any]:
    """One executed chapter: its preset, its items, the bands of the claims on it, and what the
    seeds of its numbers have."""
    page = _Page()
    for output in notebooks.outputs(notebook):
        page.enter(output)
    box = ""
    for cell in notebook["cells"]:
        if "provenance" in cell["metadata"].get("tags", []):
            box += re.sub(r"[`\\]", "", cell["source"])
    for key in re.findall(r"\*\*Data\*\* .+? \(record ([0-9a-f]+)\)", box):
        page.items[f"record {key}"] = "used"
    preset = re.search(r"preset (\w+)", box)
    return {
        "preset": preset and preset[1],
        "items": page.items,
        "bands": page.bands,
        "seeds": page.seeds,
    }


@dataclass
class _Page:
    """What the outputs of a page put on it, by name."""

    items: dict[str, Any] = field(default_factory=dict)
    bands: dict[str, Any] = field(default_factory=dict)
    seeds: dict[str, Any] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)

    def enter(self, output: Mapping[str, Any]) -> None:
        """Enter a glued value, a figure or a table; what else there is has no item."""
        data = output.get("data", {})
        about = output.get("metadata", {})
        if "scrapbook" in about:
            self._glued(about["scrapbook"], literal(next(iter(data.values()))))
        elif "grokbook" in about:
            # a notebook from disk has another order than one from a kernel
            drawn = json.dumps({**data, "text/plain": ""}, sort_keys=True)
            digest = hashlib.sha256(drawn.encode()).hexdigest()
            self.items[f"drawing of {about['grokbook']['name']}"] = digest[:12]
        elif "<table" in data.get("text/html", ""):
            self._table(data["text/html"])

    def _glued(self, about: Mapping[str, Any], value: Any) -> None:
        """A glued value; `ledger` holds rows of id, verdict, value, low, high."""
        name = about["name"]
        if name == "ledger":
            for claim, verdict, number, *band in json.loads(value):
                self.items |= {f"verdict of {claim}": verdict, f"value of {claim}": number}
                if None not in band:
                    self.bands[claim] = band
        elif name.startswith(KEY):
            truth = json.loads(value)[0]
            condition = name.removeprefix(KEY)
            self.items[f"condition {condition}"] = "not known" if truth is None else truth
        elif not _CLOCK.search(name):
            self.items[f"glue {name}"] = value
        if "seeds" in about:
            self.seeds[f"glue {name}"] = [about["value"], about["seeds"]]

    def _table(self, html: str) -> None:
        """The rows of a table, named by their first cells."""
        from bs4 import BeautifulSoup

        table: Any = BeautifulSoup(html, "html.parser").table
        heads = [head.get_text(strip=True) for head in table.thead.find_all("th")]
        self.counts["table"] += 1
        for row in table.tbody.find_all("tr"):
            texts = [cell.get_text(" ", strip=True) for cell in row.find_all(["td", "th"])]
            name = f"table {self.counts['table']}, {texts[0]}"
            self.counts[name] += 1
            cells = []
            for head, text in zip(heads, texts, strict=True):
                if not _CLOCK.search(head):
                    cells.append(f"{head} {text}")
            self.items[f"{name}, {self.counts[name]}"] = ", ".join(cells)


def literal(text: str) -> Any:
    """The value that a cell glued, from the text of its output; the text where it is no literal,
    such as `nan`."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def glued(notebook: Notebook) -> dict[str, Any]:
    """The values that the cells of an executed notebook published, by name."""
    values = {}
    for output in notebooks.outputs(notebook):
        about = output.get("metadata", {}).get("scrapbook")
        if about:
            values[about["name"]] = literal(next(iter(output["data"].values())))
    return values


# ------------------------------------------------------------------------------------- what differs


def compare(old: Manifest, new: Manifest) -> list[Difference]:
    """Every difference between two manifests, by chapter; of records and verdicts only where both
    have them.

    A number has moved when it differs by more than `TOLERANCE` (relative), or, where the old build
    has a band for its claim, when it left the band. Raises ParameterError when no chapter was built
    at the same preset in both.
    """
    then = old["chapters"]
    now = new["chapters"]
    both = []
    for name in then:
        if name in now and then[name]["preset"] == now[name]["preset"]:
            both.append(name)
    if not both:
        raise ParameterError(
            "the two builds have no chapter at the same preset in common, so nothing can be"
            " compared."
        )
    bands = {}
    for page in then.values():
        bands |= page["bands"]
    differences = []
    for name in then.keys() - now.keys():
        differences.append(Difference(name, "chapter", "there", None, "gone"))
    for name in now.keys() - then.keys():
        differences.append(Difference(name, "chapter", None, "there", "new"))
    for name in both:
        for difference in _differences(name, then[name]["items"], now[name]["items"], bands):
            differences.append(_against_seeds(difference, then[name], now[name]))
    for part in ("verdicts", "records"):
        if old.get(part) is not None and new.get(part) is not None:
            differences += _differences(part, old[part], new[part], {})
    return sorted(differences, key=lambda d: d.chapter)


def _against_seeds(d: Difference, then: Mapping[str, Any], now: Mapping[str, Any]) -> Difference:
    """A difference with how far the number moved, and how far its seeds are apart, where both pages
    have what each seed has."""
    numbers = []
    ranges: list[float | None] = []
    for page in (then, now):
        if d.item not in page["seeds"]:
            return d
        number, seeds = page["seeds"][d.item]
        numbers.append(number)
        if None in seeds:
            ranges.append(None)
        elif len(seeds) > 1:
            ranges.append(max(seeds) - min(seeds))
    spread = None if None in ranges else max(ranges, default=None)
    return replace(d, apart=abs(numbers[1] - numbers[0]), spread=spread)


def _differences(
    chapter: str,
    old: Items,
    new: Items,
    bands: Mapping[str, Any],
) -> Iterator[Difference]:
    for item in dict.fromkeys([*old, *new]):
        a = old.get(item)
        b = new.get(item)
        band = bands.get(item.removeprefix("value of "))
        kind: str | None = None
        if item not in new:
            kind = "gone"
        elif item not in old:
            kind = "new"
        elif a != b:
            kind = _kind(item, a, b, band)
        if kind:
            yield Difference(chapter, item, a, b, kind, band=band)


def _kind(item: str, a: Any, b: Any, band: Sequence[float] | None) -> str | None:
    """How two values that are not equal differ; None where only rounding does."""
    if isinstance(a, dict):  # a record
        return "new" if set(a["seeds"]) < set(b["seeds"]) else "moved"
    if item.startswith("drawing"):
        return "drawn"
    if band:
        return "within" if b is not None and band[0] <= b <= band[1] else "moved"
    if isinstance(a, int | float) and isinstance(b, int | float):
        return None if _close(a, b) else "moved"
    old = _numbers(a)
    new = _numbers(b)
    if not old or len(old) != len(new) or not all(map(_close, old, new)):
        return "moved"
    return None if _NUMBER.sub("#", str(a)) == _NUMBER.sub("#", str(b)) else "text"


def _numbers(value: Any) -> list[float]:
    """The numbers that a text has."""
    return [float(number.replace(",", "")) for number in _NUMBER.findall(str(value))]


def _close(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=TOLERANCE / 1000)


def lines(differences: Iterable[Difference], compared: int) -> Iterator[str]:
    """The differences, and a last line that counts them; what is new is counted alone."""
    kinds: Counter[str] = Counter()
    for difference in differences:
        kinds[difference.kind] += 1
        if difference.kind != "new":
            yield difference.line()
    counts = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    yield f"{counted(compared, 'chapter')} compared: {counts or 'no drift'}."
