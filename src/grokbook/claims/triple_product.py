"""Claims about triple product and their checks."""

from __future__ import annotations

from grokbook.claims.ledger import Claim

CLAIMS: tuple[Claim, ...] = ()
