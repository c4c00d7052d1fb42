"""Claims: the ledger of what the papers say, each with a check and a verdict."""

from grokbook.claims.ledger import CheckError, Claim, Finding, Outcome, as_table, choose, ledger, outcomes

__all__ = ["CheckError", "Claim", "Finding", "Outcome", "as_table", "choose", "ledger", "outcomes"]
