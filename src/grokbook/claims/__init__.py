"""Claims: the ledger of what the papers say, each with a check and a verdict."""

from grokbook.claims.finding import VERDICTS, Finding, all_of, band, enough, found, joint, judge
from grokbook.claims.ledger import (
    CheckError,
    Claim,
    Outcome,
    Paper,
    announced_by,
    as_table,
    choose,
    claim,
    claims,
    ledger,
    outcomes,
)
from grokbook.claims.runs import Runs, load

__all__ = [
    "VERDICTS",
    "CheckError",
    "Claim",
    "Finding",
    "Outcome",
    "Paper",
    "Runs",
    "all_of",
    "announced_by",
    "as_table",
    "band",
    "choose",
    "claim",
    "claims",
    "enough",
    "found",
    "joint",
    "judge",
    "ledger",
    "load",
    "outcomes",
]
