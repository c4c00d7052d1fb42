"""Claims: the ledger of what the papers say, each with a check and a verdict."""

from grokbook.claims.ledger import Claim, Finding, choose, ledger

__all__ = ["Claim", "Finding", "choose", "ledger"]
