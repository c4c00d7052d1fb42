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
from os.path import commonprefix
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ValidationError

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
_NOTEBOOKS = ("book/chapters", ".")
_RECORDS = "data/records/MANIFEST.json"
_NUMBER = re.compile(r"-?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?(?:e[+-]?\d+)?)")
_CLOCK = re.compile(
    r"(?i)(?:^|[\W_])(?:seconds|minutes|hours|core min|cost|memory|commit|recorded on)(?:$|[\W_])"
)
_MACHINE = (
    (r"```.*?```", ""),
    (r"(?m)^.*\*\*(?:Time|Recorded on|Trained)\b.*$", ""),
    (r"(?m)^>? ?(?:Nothing has to be|This will) train.*$", ""),
    (r"\b\d{4}-\d\d-\d\d\b", "(date)"),
    (r"\bcommit `?[0-9a-f]{7,40}`?", "(commit)"),
    (r"from the installed module `[\w.]+`", "(module)"),
    (
        (
            r"(?<![\w.,])[\d.,]+ (?:core"
            r" )?(?:ms|s|min|h|seconds?|minutes?|hours?|days?|[MG]B)(?![\w-])"
        ),
        "(cost)",
    ),
)
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
        both = ["(absent)" if v is None else one_line(v) for v in (self.old, self.new)]
        start = max(0, len(commonprefix(both)) - width // 3)
        before = "..." if start else ""
        old, new = (
            f"{before}{text[start : start + width]}{'...' if text[start + width :] else ''}"
            for text in both
        )
        return f"  {self.kind:<7} {one_line(self.item)}: {old} -> {new}"


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


def _checked(found: Any, file: Path) -> dict[str, Any]:
    """What was found in a file, or made of it, as a manifest; ParameterError where it is none."""
    try:
        return _Manifest.model_validate(found).model_dump()
    except ValidationError:
        said = f"{file} is not a manifest of format {_FORMAT}"
        raise ParameterError(f"{said}; `grokbook build` writes one to site/{NAME}.") from None


# ------------------------------------------------------------------------------- what a build holds


def manifest(folder: Path, root: Path | None = None) -> dict[str, Any]:
    """The manifest of the executed notebooks in a checkout, or any folder that holds
    `book/chapters`.

    Records and verdicts are those of the checkout `root` (default: `folder`), None where it has
    none. Raises ParameterError where there are no notebooks, or a file cannot be read.
    """
    root = root or folder
    found = next(
        (paths for part in _NOTEBOOKS if (paths := sorted((folder / part).glob("*.ipynb")))), []
    )
    if not found:
        raise ParameterError(
            f"{folder} holds no executed chapters and no {NAME}; name a checkout, a site or a"
            " manifest."
        )
    records = _json(root / _RECORDS) if (root / _RECORDS).is_file() else {}
    verdicts = of(root).verdicts
    made = {
        "format": _FORMAT,
        "chapters": {path.stem: _page(path) for path in found},
        "verdicts": _json(verdicts) if verdicts.is_file() else None,
        "records": records.get("records") if isinstance(records, dict) else records,
    }
    return _checked(made, root)


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
    notebook = _json(path)
    try:
        return content(notebook["cells"])
    except Exception as error:  # a notebook that somebody else made can be wrong in any place
        raise ParameterError(
            f"{path} is not an executed chapter ({type(error).__name__}: {error})."
        ) from None


def content(cells: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """One chapter: its preset, its items, the bands of the claims on it, and what the seeds of its
    numbers have."""
    items: dict[str, Any] = {}
    seen: Counter[str] = Counter()
    bands: dict[str, Any] = {}
    seeds: dict[str, Any] = {}
    for cell in cells:
        for output in cell.get("outputs", []):
            items.update(_items(output, seen, bands))
            glued = output.get("metadata", {}).get("scrapbook", {})
            if "seeds" in glued:
                seeds[f"glue {glued['name']}"] = [glued["value"], glued["seeds"]]
    box = ""
    for cell in cells:
        if "provenance" in cell["metadata"].get("tags", []):
            box += re.sub(r"[`\\]", "", "".join(cell["source"]))
    for key in re.findall(r"\*\*Data\*\* .+? \(record ([0-9a-f]+)\)", box):
        items[f"record {key}"] = "used"
    items["figures"] = seen["figure"]
    preset = re.search(r"preset (\w+)", box)
    return {"preset": preset and preset[1], "items": items, "bands": bands, "seeds": seeds}


def _items(
    output: Mapping[str, Any], seen: Counter[str], bands: dict[str, Any]
) -> Iterator[tuple[str, Any]]:
    """What one output puts on the page, by name; counts tables, figures and texts on the way."""
    # a notebook from disk has another order than one from a kernel
    data = dict(sorted(output.get("data", {}).items()))
    about = output.get("metadata", {})
    html = _text(data.get("text/html", ""))
    words = _text(data.get("text/markdown", output.get("text", "")))
    if "scrapbook" in about:
        yield from _glued(about["scrapbook"]["name"], _text(next(iter(data.values()))), bands)
    elif "grokbook" in about:
        seen["figure"] += 1
        figure = about["grokbook"]
        drawn = "".join(_text(data[kind]) for kind in data if kind != "text/plain")
        yield f"caption of {figure['name']}", _plain(figure["caption"])
        yield f"alt of {figure['name']}", _plain(figure["alt"])
        yield f"drawing of {figure['name']}", _digest(drawn)
    elif "<table" in html:
        seen["table"] += 1
        yield from _cells(html, f"table {seen['table']}")
    elif html:
        seen["drawing"] += 1
        yield f"drawing {seen['drawing']}", _digest(html)
    elif words and output.get("name") != "stderr" and _plain(words):
        seen["text"] += 1
        yield f"text {seen['text']}", _plain(words)


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
                values[about["name"]] = literal("".join(next(iter(output["data"].values()))))
    return values


def _glued(name: str, text: str, bands: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """A glued value; `ledger` holds rows of id, verdict, value, low, high."""
    value = literal(text)
    if name == "ledger":
        for claim, verdict, number, *band in json.loads(value):
            yield f"verdict of {claim}", verdict
            yield f"value of {claim}", number
            if None not in band:
                bands[claim] = band
    elif name.startswith(KEY):
        truth, said = json.loads(value)
        yield f"condition {name.removeprefix(KEY)}", "not known" if truth is None else truth
        yield f"text of condition {name.removeprefix(KEY)}", said
    elif not _CLOCK.search(name):
        yield f"glue {name}", _plain(value) if isinstance(value, str) else value


def _cells(html: str, name: str) -> Iterator[tuple[str, Any]]:
    """The cells of a table by row (its first cell) and column, unrounded where the page has the
    whole number."""
    from bs4 import BeautifulSoup

    table = BeautifulSoup(html, "html.parser").table
    heads = [head.get_text(strip=True) for head in table.thead.find_all("th")]
    rows: Counter[str] = Counter()
    yield f"text of {name}", _plain(table.caption.get_text() if table.caption else "")
    for row in table.tbody.find_all("tr"):
        cells = row.find_all(["td", "th"])
        first = cells[0].get_text(strip=True)
        rows[first] += 1
        number = f" ({rows[first]})" if rows[first] > 1 else ""
        for head, cell in zip(heads, cells, strict=True):
            if not _CLOCK.search(head):
                yield f"{name}, {first}{number}, {head}", _plain(cell.get_text(" ", strip=True))


def _text(value: Any) -> str:
    """A part of an output, which may stand there as lines, or as JSON whose order says nothing."""
    if isinstance(value, dict):
        return json.dumps(value, sort_keys=True)
    return "".join(value) if isinstance(value, list) else str(value)


def _plain(text: str) -> str:
    for pattern, instead in _MACHINE:
        text = re.sub(pattern, instead, text, flags=re.DOTALL if "```" in pattern else 0)
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
    found = [Difference(name, "chapter", "there", None, "gone") for name in then if name not in now]
    found += [Difference(name, "chapter", None, "there", "new") for name in now if name not in then]
    for name in both:
        seeds = [page[name].get("seeds", {}) for page in (then, now)]
        for d in _differences(name, then[name]["items"], now[name]["items"], bands):
            known = all(d.item in page for page in seeds)
            found.append(_against_seeds(d, *(page[d.item] for page in seeds)) if known else d)
    for part in ("verdicts", "records"):
        if old.get(part) is not None and new.get(part) is not None:
            found += _differences(part, old[part], new[part], {})
    return sorted(found, key=lambda d: d.chapter)


def _against_seeds(difference: Difference, old: Any, new: Any) -> Difference:
    """A difference with how far the number moved, and how far its seeds are apart; `old` and `new`
    are its value and what each seed has."""
    apart = None if None in (old[0], new[0]) else abs(new[0] - old[0])
    missing = None in (*old[1], *new[1])
    ranges = [max(seeds) - min(seeds) for _, seeds in (old, new) if not missing and len(seeds) > 1]
    return replace(difference, apart=apart, spread=max(ranges, default=None))


def _differences(
    chapter: str,
    old: Mapping[str, Any],
    new: Mapping[str, Any],
    bands: Mapping[str, Any],
) -> Iterator[Difference]:
    for item in dict.fromkeys([*old, *new]):
        a = old.get(item)
        b = new.get(item)
        if item not in new or item not in old:
            yield Difference(chapter, item, a, b, "new" if item in new else "gone")
        elif a != b and (kind := _kind(chapter, item, a, b, bands)):
            band = bands.get(item.removeprefix("value of "))
            yield Difference(chapter, item, a, b, kind, band=band and tuple(band))


def _kind(chapter: str, item: str, a: Any, b: Any, bands: Mapping[str, Any]) -> str | None:
    """How two values that are not equal differ; None where only rounding does."""
    if chapter == "records":
        return "text" if set(a["seeds"]) < set(b["seeds"]) else "moved"
    if chapter == "verdicts" or item.startswith("verdict") or item.endswith(", verdict"):
        return "moved"
    if item.startswith("drawing"):
        return "text"
    claim = re.fullmatch(r"value of (\S+)|table \d+, (\S+), evidence", item)
    band = bands.get(claim[1] or claim[2]) if claim else None
    if band and item.startswith("value"):
        return "within" if isinstance(b, int | float) and band[0] <= b <= band[1] else "moved"
    if all(isinstance(v, int | float) for v in (a, b)):
        return None if _close(a, b) else "moved"
    old = _numbers(a)
    new = _numbers(b)
    pairs = zip(old, new, strict=False)
    alike = len(old) == len(new) and all(_close(m, n) for m, n in pairs)
    if not alike:
        return "within" if band else "moved"
    return None if _NUMBER.sub("#", str(a)) == _NUMBER.sub("#", str(b)) else "text"


def _numbers(value: Any) -> list[float]:
    """The numbers that a text has."""
    return [float(number.replace(",", "")) for number in _NUMBER.findall(str(value))]


def _close(a: float, b: float) -> bool:
    if max(abs(a), abs(b)) > sys.float_info.max:  # a whole number may be that large
        return a == b
    return math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=TOLERANCE / 1000) or (
        math.isnan(a) and math.isnan(b)
    )


def lines(differences: Iterable[Difference], compared: int) -> Iterator[str]:
    """The differences under the names of their chapters, and a last line that counts them."""
    found = list(differences)
    by_chapter: dict[str, list[Difference]] = {}
    for difference in found:
        by_chapter.setdefault(difference.chapter, []).append(difference)
    for chapter, several in by_chapter.items():
        yield one_line(chapter)
        new = [d.item for d in several if d.kind == "new"]
        if new:
            listed = one_line(", ".join(new[:3]))
            yield f"  new     {len(new)} items: {listed}{', ...' if new[3:] else ''}"
        for difference in several:
            if difference.kind != "new":
                yield difference.line()
    if not found:
        yield f"no drift: {compared} chapters are the same."
        return
    counted = sum(d.counts for d in found)
    yield (
        f"{compared} chapters compared: {counted} numbers, verdicts or records moved or are gone, "
        f"{len(found) - counted} texts or drawings differ or are new."
    )
