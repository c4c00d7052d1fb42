"""The whole ledger as the page shows it and offers it to programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from companion.claims import Claim, Finding, Outcome, as_table, export
from companion.claims.verdicts import settled
from grokbook.machine import duration

LEFT_OUT = (
    "Its check takes about {} and is left out at this preset; the verdict is the settled one."
)


def every_entry(chosen: Sequence[Claim], found: Sequence[Outcome]) -> pd.DataFrame:
    """`as_table` of all chosen claims: what was found, and for those that were not checked the
    settled verdict."""
    checked = {outcome.claim.id for outcome in found}
    known = settled()
    entries = list(found)
    for claim in chosen:
        if claim.id not in checked:
            said = LEFT_OUT.format(duration(claim.seconds))
            finding = Finding(known.get(claim.id, "not run"), said)
            entries.append(Outcome(claim, finding, 0.0))
    return as_table(entries)


def files(chosen: Sequence[Claim], found: Sequence[Outcome]) -> dict[str, Any]:
    """The ledger and its schema, by the names of their JSON files."""
    return {export.NAME: export.document(chosen, found), export.SCHEMA: export.schema()}
