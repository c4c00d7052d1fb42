"""What differs between two builds of the book: numbers and texts of the pages, table cells,
figures, verdicts, records.

A build is reduced to a manifest: chapter -> item -> value, taken from the executed notebooks,
without anything that differs from one machine or day to the next (times, memory, dates, commits,
shown code). `grokbook build` writes it to `site/drift.json`, so that a published site can be
compared with later builds.
"""

from __future__ import annotations

import ast
import hashlib
import json
import math
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from os.path import commonprefix
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ValidationError

from companion.page.safe import counted
from companion.page.when import KEY
from companion.project import of
from grokbook.errors import ParameterError
from grokbook.errors import line as one_line
from grokbook.files import whole

NAME = "drift.json"
TOLERANCE = 1e-6
"""Relative difference up to which two numbers are the same; a thousandth of it is the same as
zero."""

ROLE = re.compile(r"\{glue:text\}`([^`:]+)(?::([^`]*))?`")
"""A glued value in prose; its groups are the name and the format."""

_FORMAT = 1
_RECORDS = "data/records/MANIFEST.json"
_NUMBER = re.compile(r"-?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?(?:e[+-]?\d+)?)")
_CLOCK = re.compile(
    r"(?i)(?:^|[\W_])(?:seconds|minutes|hours|core min|cost|memory|commit|recorded on)(?:$|[\W_])"
)
_MACHINE = {
    re.compile(r"```.*?```", re.DOTALL): "",
    re.compile(r"(?m)^.*\*\*Time\b.*$"): "",
    re.compile(r"\b\d{4}-\d\d-\d\d\b"): "(date)",
    re.compile(r"\bcommit `?[0-9a-f]{7,40}`?"): "(commit)",
    re.compile(
        r"(?<![\w.,])[\d.,]+ (?:core )?(?:ms|s|min|h|seconds?|minutes?|hours?|days?|[MG]B)(?![\w-])"
    ): "(cost)",
}
"""What a text says of a day or a machine, and what stands in its place here."""
_TEXTS = ("text", "caption", "alt", "drawing")
"""Items whose words may come and go; that any other is gone counts."""


@dataclass(frozen=True)
class Difference:
    """One item that is not the same in both builds; `kind` is moved, gone, new, text or within (its
    band).

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
    band: tuple[float, float] | None = None

    @property
    def counts(self) -> bool:
        """Whether a verdict, a number or a record moved, and not words alone."""
        return self.kind == "moved" or (self.kind == "gone" and not self.item.startswith(_TEXTS))

    @property
    def beyond(self) -> bool | None:
        """Whether a number moved by more than its seeds are apart, or out of its band; None where
        neither is known."""
        if self.band is not None:
            return self.kind == "moved"
        return None if self.apart is None or self.spread is None else self.apart > self.spread

    def line(self, width: int = 60) -> str:
        """The difference in a line; of long texts the part around the first difference."""
        texts = ["(absent)" if v is None else one_line(v) for v in (self.old, self.new)]
        start = max(0, len(commonprefix(texts)) - width // 3)
        old, new = (_excerpt(text, start, start + width) for text in texts)
        return f"  {self.kind:<7} {one_line(self.item)}: {old} -> {new}"


def _excerpt(text: str, start: int, end: int) -> str:
    before = "..." if start else ""
    after = "..." if end < len(text) else ""
    return f"{before}{text[start:end]}{after}"


class _Page(BaseModel):
    """What a manifest says of a chapter (`content`)."""

    preset: str | None
    items: dict[str, Any]
    bands: dict[str, tuple[float, float]] = {}
    seeds: dict[str, tuple[float | None, list[float | None]]] = {}


class _Record(BaseModel):
    """What a manifest says of a record."""

    seeds: list[int]
    sha256: str


class _Manifest(BaseModel):
    """A manifest, whoever wrote it."""

    format: Literal[1]
    chapters: dict[str, _Page]
    verdicts: dict[str, Any] | None = None
    records: dict[str, _Record] | None = None


def _checked(content: Any, file: Path) -> dict[str, Any]:
    """What a file has, as a manifest; raises ParameterError where it is none."""
    try:
        return _Manifest.model_validate(content).model_dump()
    except ValidationError:
        raise ParameterError(
            f"{file} is not a manifest of format {_FORMAT}; `grokbook build` writes one to"
            f" site/{NAME}."
        ) from None


# ------------------------------------------------------------------------------- what a build holds


def manifest(folder: Path, root: Path | None = None) -> dict[str, Any]:
    """The manifest of the executed notebooks in a checkout, or any folder that holds
    `book/chapters`.

    Records and verdicts are those of the checkout `root` (default: `folder`), None where it has
    none. Raises ParameterError where there are no notebooks, or a file cannot be read.
    """
    root = root or folder
    notebooks = sorted((folder / "book" / "chapters").glob("*.ipynb"))
    notebooks = notebooks or sorted(folder.glob("*.ipynb"))
    if not notebooks:
        raise ParameterError(
            f"{folder} holds no executed chapters and no {NAME}; name a checkout, a site or a"
            " manifest."
        )
    records = _json(root / _RECORDS) if (root / _RECORDS).is_file() else {}
    verdicts = of(root).verdicts
    content = {
        "format": _FORMAT,
        "chapters": {path.stem: _page(path) for path in notebooks},
        "verdicts": _json(verdicts) if verdicts.is_file() else None,
        "records": records.get("records") if isinstance(records, dict) else records,
    }
    return _checked(content, root)


def read(place: Path) -> dict[str, Any]:
    """The manifest of a build: a manifest file, or a folder as in `manifest` or with a `drift.json`
    in it.

    Raises ParameterError for anything else, and for a file that is broken or was written only in
    part.
    """
    file = place / NAME if (place / NAME).is_file() else place
    if not file.is_file():
        return manifest(place)
    return _checked(_json(file), file)


def _json(path: Path) -> Any:
    try:
        return json.loads(whole(path))
    except (OSError, ValueError, RecursionError) as error:
        raise ParameterError(
            f"{path} cannot be read: it is broken or was written only in part ({error})."
        ) from None


def _page(path: Path) -> dict[str, Any]:
    from nbformat import v4

    try:
        return content(v4.reads(whole(path).decode()).cells)
    except Exception as error:  # a notebook that somebody else made can be wrong in any place
        reason = one_line(f"{type(error).__name__}: {error}")
        raise ParameterError(f"{path} is not an executed chapter ({reason}).") from None


def content(cells: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """One chapter: its preset, its items, the bands of the claims on it, and what the seeds of its
    numbers have."""
    reader = _Reader()
    for cell in cells:
        for output in cell.get("outputs", []):
            reader.read(output)
    box = ""
    for cell in cells:
        if "provenance" in cell["metadata"].get("tags", []):
            box += re.sub(r"[`\\]", "", cell["source"])
    for key in re.findall(r"\*\*Data\*\* .+? \(record ([0-9a-f]+)\)", box):
        reader.items[f"record {key}"] = "used"
    reader.items["figures"] = reader.counts["figure"]
    preset = re.search(r"preset (\w+)", box)
    return {
        "preset": preset and preset[1],
        "items": reader.items,
        "bands": reader.bands,
        "seeds": reader.seeds,
    }


class _Reader:
    """Gathers what the outputs of a page put on it, by name."""

    def __init__(self) -> None:
        self.items: dict[str, Any] = {}
        self.bands: dict[str, Any] = {}
        self.seeds: dict[str, Any] = {}
        self.counts: Counter[str] = Counter()

    def read(self, output: Mapping[str, Any]) -> None:
        """Enter an output; tables, drawings and texts without a name are counted."""
        data = output.get("data", {})
        about = output.get("metadata", {})
        html = data.get("text/html", "")
        text = _plain(data.get("text/markdown", output.get("text", "")))
        if "scrapbook" in about:
            self._glued(about["scrapbook"], next(iter(data.values())))
        elif "grokbook" in about:
            self._figure(about["grokbook"], data)
        elif "<table" in html:
            self._table(html, self._number("table"))
        elif html:
            self.items[self._number("drawing")] = _digest(html)
        elif text and output.get("name") != "stderr":
            self.items[self._number("text")] = text

    def _number(self, kind: str) -> str:
        self.counts[kind] += 1
        return f"{kind} {self.counts[kind]}"

    def _glued(self, about: Mapping[str, Any], text: str) -> None:
        """A glued value; `ledger` holds rows of id, verdict, value, low, high."""
        name = about["name"]
        value = literal(text)
        if name == "ledger":
            for claim, verdict, number, *band in json.loads(value):
                self.items |= {f"verdict of {claim}": verdict, f"value of {claim}": number}
                if None not in band:
                    self.bands[claim] = band
        elif name.startswith(KEY):
            condition = name.removeprefix(KEY)
            truth, numbers = json.loads(value)
            self.items[f"condition {condition}"] = "not known" if truth is None else truth
            self.items[f"text of condition {condition}"] = numbers
        elif not _CLOCK.search(name):
            self.items[f"glue {name}"] = _plain(value) if isinstance(value, str) else value
        if "seeds" in about:
            self.seeds[f"glue {name}"] = [about["value"], about["seeds"]]

    def _figure(self, about: Mapping[str, Any], data: Mapping[str, Any]) -> None:
        self.counts["figure"] += 1
        name = about["name"]
        # a notebook from disk has another order than one from a kernel
        drawn = ""
        for kind in sorted(data.keys() - {"text/plain"}):
            part = data[kind]
            drawn += part if isinstance(part, str) else json.dumps(part, sort_keys=True)
        self.items[f"caption of {name}"] = _plain(about["caption"])
        self.items[f"alt of {name}"] = _plain(about["alt"])
        self.items[f"drawing of {name}"] = _digest(drawn)

    def _table(self, html: str, name: str) -> None:
        """The rows of a table, named by their first cells; without columns that tell of a
        machine."""
        from bs4 import BeautifulSoup

        table: Any = BeautifulSoup(html, "html.parser").table
        self.items[f"text of {name}"] = _plain(table.caption.get_text() if table.caption else "")
        heads = [head.get_text(strip=True) for head in table.thead.find_all("th")]
        for row in table.tbody.find_all("tr"):
            texts = [cell.get_text(" ", strip=True) for cell in row.find_all(["td", "th"])]
            columns = zip(heads, texts, strict=True)
            cells = [f"{head} {text}" for head, text in columns if not _CLOCK.search(head)]
            self.items[self._number(f"{name}, {texts[0]},")] = _plain(", ".join(cells))


def literal(text: str) -> Any:
    """The value that a cell glued, from the text of its output; the text where it is no literal,
    such as `nan`."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def glued(notebook: Mapping[str, Any]) -> dict[str, Any]:
    """The values that the cells of an executed notebook published, by name."""
    values = {}
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            about = output.get("metadata", {}).get("scrapbook")
            if about:
                values[about["name"]] = literal(next(iter(output["data"].values())))
    return values


def _plain(text: str) -> str:
    for pattern, instead in _MACHINE.items():
        text = pattern.sub(instead, text)
    return text.strip()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


# ------------------------------------------------------------------------------------- what differs


def compare(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Difference]:
    """Every difference between two manifests, by chapter; of records and verdicts only where both
    have them.

    A number has moved when it differs by more than `TOLERANCE` (relative), or, where the old build
    has a band for its claim, when it left the band. Raises ParameterError when no chapter was built
    at the same preset in both.
    """
    then = old["chapters"]
    now = new["chapters"]
    both = [name for name in then if name in now and then[name]["preset"] == now[name]["preset"]]
    if not both:
        raise ParameterError(
            "the two builds have no chapter at the same preset in common, so nothing can be"
            " compared."
        )
    bands = {}
    for page in then.values():
        bands |= page["bands"]
    differences = []
    for name in then.keys() | now.keys():
        if name not in now:
            differences.append(Difference(name, "chapter", "there", None, "gone"))
        elif name not in then:
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
        if d.item not in page.get("seeds", {}):
            return d
        number, seeds = page["seeds"][d.item]
        numbers.append(number)
        if None in seeds:
            ranges.append(None)
        elif len(seeds) > 1:
            ranges.append(max(seeds) - min(seeds))
    apart = None if None in numbers else abs(numbers[1] - numbers[0])
    spread = None if None in ranges else max(ranges, default=None)
    return replace(d, apart=apart, spread=spread)


def _differences(
    chapter: str,
    old: Mapping[str, Any],
    new: Mapping[str, Any],
    bands: Mapping[str, Any],
) -> Iterator[Difference]:
    for item in dict.fromkeys([*old, *new]):
        a = old.get(item)
        b = new.get(item)
        if item not in new:
            yield Difference(chapter, item, a, b, "gone")
        elif item not in old:
            yield Difference(chapter, item, a, b, "new")
        elif a != b:
            band = bands.get(item.removeprefix("value of "))
            kind = _kind(chapter, item, a, b, band)
            if kind:
                yield Difference(chapter, item, a, b, kind, band=band and tuple(band))


def _kind(chapter: str, item: str, a: Any, b: Any, band: Sequence[float] | None) -> str | None:
    """How two values that are not equal differ; None where only rounding does."""
    if chapter == "records":
        return "text" if set(a["seeds"]) < set(b["seeds"]) else "moved"
    if chapter == "verdicts" or item.startswith("verdict of "):
        return "moved"
    if item.startswith("drawing"):
        return "text"
    if band:
        is_inside = isinstance(b, int | float) and band[0] <= b <= band[1]
        return "within" if is_inside else "moved"
    if isinstance(a, int | float) and isinstance(b, int | float):
        return None if _close(a, b) else "moved"
    old = _numbers(a)
    new = _numbers(b)
    if len(old) != len(new) or not all(map(_close, old, new)):
        return "moved"
    return None if _NUMBER.sub("#", str(a)) == _NUMBER.sub("#", str(b)) else "text"


def _numbers(value: Any) -> list[float]:
    """The numbers that a text has."""
    return [float(number.replace(",", "")) for number in _NUMBER.findall(str(value))]


def _close(a: float, b: float) -> bool:
    if a == b or (math.isnan(a) and math.isnan(b)):
        return True
    if max(abs(a), abs(b)) > sys.float_info.max:  # a whole number may be that large
        return False
    return math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=TOLERANCE / 1000)


def lines(differences: Iterable[Difference], compared: int) -> Iterator[str]:
    """The differences under the names of their chapters, and a last line that counts them."""
    listed = list(differences)
    for chapter, group in groupby(listed, key=lambda d: d.chapter):
        yield one_line(chapter)
        new = 0
        for difference in group:
            if difference.kind == "new":
                new += 1
            else:
                yield difference.line()
        if new:
            yield f"  new     {counted(new, 'item')}"
    if not listed:
        yield f"no drift: {counted(compared, 'chapter')} compared."
        return
    moved = sum(d.counts for d in listed)
    yield (
        f"{counted(compared, 'chapter')} compared; numbers, verdicts or records that moved or are"
        f" gone: {moved}; texts or drawings that differ or are new: {len(listed) - moved}."
    )
