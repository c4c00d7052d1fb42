"""Claims about coverage and their checks."""

from __future__ import annotations

from grokbook.claims.ledger import Claim

CLAIMS: tuple[Claim, ...] = ()
