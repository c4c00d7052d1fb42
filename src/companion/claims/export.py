"""The ledger as data for programs: one JSON document, the same at every call, with a schema beside
it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from companion.announced import chapter_of
from companion.claims.ledger import PAPERS, Claim, Outcome
from companion.claims.verdicts import MEANINGS, settled
from companion.project import current
from grokbook.files import read_json
from grokbook.paths import records_path
from grokbook.runs.store import Store

NAME = "claims.json"
SCHEMA = "claims.schema.json"
"""The files on the site."""
_FORMAT = 1


_OF_CLAIM = (
    "id",
    "part_of",
    "paper",
    "place",
    "statement",
    "kind",
    "origin",
    "shown_by",
    "rule_changed",
    "section",
    "rule",
)
"""Fields of a claim that its entry has as they are."""


def document(
    chosen: Iterable[Claim],
    found: Iterable[Outcome] = (),
    seen: Mapping[str, Mapping[str, Any]] | None = None,
) -> dict[str, Any]:
    """The ledger of these claims, with what their checks `found` where they were run; plain values,
    nothing dated.

    A claim whose check was not run is as it was `seen` before (claims of a former document, by id);
    else it has its settled verdict, and no numbers (`computed` is false). Records are those that
    come with the book, by the name of their file, with the sha256 of the manifest. `schema`
    describes the form.

    Example:
        >>> from companion.claims import choose
        >>> one = document(choose(["G36"]))["claims"][0]
        >>> one["id"], one["verdict"], one["computed"], one["command"]
        ('G36', 'holds', False, 'grokbook claims --run --id G36')
    """
    chosen = list(chosen)
    held = {entry["key"]: (name, entry) for name, entry in Store(records_path()).entries().items()}
    known = settled()
    results = {outcome.claim.id: outcome for outcome in found}
    records: dict[str, Any] = {}
    entries = [
        _entry(claim, known.get(claim.id), results.get(claim.id), held, records) for claim in chosen
    ]
    before = seen or {}
    entries = [one if one["computed"] else dict(before.get(one["id"], one)) for one in entries]
    return {
        "$schema": SCHEMA,
        "format": _FORMAT,
        "name": current().name,
        "version": current().version,
        "papers": PAPERS | {claim.paper: claim.named for claim in chosen if claim.named},
        "verdicts": dict(MEANINGS),
        "records": records,
        "claims": entries,
    }


def _entry(
    claim: Claim,
    verdict: str | None,
    outcome: Outcome | None,
    held: Mapping[str, tuple[str, Mapping[str, Any]]],
    records: dict[str, Any],
) -> dict[str, Any]:
    """One claim; the records of its experiments are entered into `records`."""
    asked: list[Any] = []
    for wanted in (claim.runs, claim.beside):
        asked += wanted().values() if wanted else []
    there = []
    for experiment in asked:
        if experiment.key in held:
            name, record = held[experiment.key]
            parts = ("experiment", "key", "seeds", "sha256")
            records[name] = {part: record[part] for part in parts}
            there.append(name)
    entry = {name: getattr(claim, name) for name in _OF_CLAIM}
    entry |= {
        "also": list(claim.also),
        "verdict": verdict or "not run",
        "settled": verdict,
        "computed": outcome is not None,
        "published": claim.published,
        "evidence": claim.reason,
        "bars": {},
        "runs": None,
        "records": sorted(set(there)),
        "not_recorded": sorted({e.name for e in asked if e.key not in held}),
        "chapter": chapter_of(claim.topic),
        "command": f"grokbook claims --run --id {claim.id}",
    }
    if claim.named and not current().own:
        entry["command"] = ""
    finding = outcome.finding if outcome else None
    for part in ("value", "low", "high"):
        entry[part] = _number(getattr(finding, part, None))
    if finding:
        entry |= {"verdict": finding.verdict, "evidence": finding.evidence, "runs": finding.runs}
        entry |= {"bars": dict(finding.at), "published": finding.published or claim.published}
    return entry


def _number(value: Any) -> float | None:
    """A number that JSON can hold; None for what is missing or infinite."""
    return None if value is None or not math.isfinite(value) else float(value)


def schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a `document`."""
    return read_json(Path(__file__).with_name(SCHEMA))


def text(content: Mapping[str, Any]) -> str:
    """A document as it is written to a file."""
    return json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"
