"""The ledger as data for programs: one JSON document, the same at every call, with a schema beside
it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from companion.announced import chapter_of
from companion.claims.finding import Finding
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


Entry = Mapping[str, Any]
"""What a document has on one claim."""

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
_OF_RECORD = ("experiment", "key", "seeds", "sha256")


def document(
    chosen: Iterable[Claim],
    found: Iterable[Outcome] = (),
    seen: Mapping[str, Entry] | None = None,
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
    known = settled()
    findings = {outcome.claim.id: outcome.finding for outcome in found}
    held = {}
    for name, record in Store(records_path()).entries().items():
        held[record["key"]] = (name, record)
    records: dict[str, Any] = {}
    entries = []
    for claim in chosen:
        entry = _entry(claim, known.get(claim.id), findings.get(claim.id))
        entry |= _recorded(claim, held, records)
        if seen and not entry["computed"]:
            entry = dict(seen.get(claim.id, entry))
        entries.append(entry)
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


def _entry(claim: Claim, verdict: str | None, finding: Finding | None) -> dict[str, Any]:
    """One claim with its settled `verdict`, and what its check found where it was run."""
    entry = {name: getattr(claim, name) for name in _OF_CLAIM}
    shown = finding or Finding(verdict or "not run", claim.reason)
    own_paper = claim.named and not current().own
    return entry | {
        "also": list(claim.also),
        "verdict": shown.verdict,
        "settled": verdict,
        "computed": finding is not None,
        "published": shown.published or claim.published,
        "evidence": shown.evidence,
        "bars": dict(shown.at),
        "runs": finding and finding.runs,
        "value": _number(shown.value),
        "low": _number(shown.low),
        "high": _number(shown.high),
        "chapter": chapter_of(claim.topic),
        "command": "" if own_paper else f"grokbook claims --run --id {claim.id}",
    }


def _recorded(
    claim: Claim, held: Mapping[str, tuple[str, Mapping[str, Any]]], records: dict[str, Any]
) -> dict[str, list[str]]:
    """The records of a claim's experiments, which are entered into `records`, and what has none."""
    names = set()
    missing = set()
    for wanted in filter(None, (claim.runs, claim.beside)):
        for experiment in wanted().values():
            if experiment.key not in held:
                missing.add(experiment.name)
                continue
            name, record = held[experiment.key]
            records[name] = {part: record[part] for part in _OF_RECORD}
            names.add(name)
    return {"records": sorted(names), "not_recorded": sorted(missing)}


def _number(value: Any) -> float | None:
    """A number that JSON can hold; None for what is missing or infinite."""
    return None if value is None or not math.isfinite(value) else float(value)


def schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a `document`."""
    return read_json(Path(__file__).with_name(SCHEMA))


def text(content: Mapping[str, Any]) -> str:
    """A document as it is written to a file or to a terminal, in ASCII."""
    return json.dumps(content, indent=1, sort_keys=True, allow_nan=False) + "\n"
