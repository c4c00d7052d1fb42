"""Writes `numbers.json`: of each claim the value, its band and the published number that its check
finds.

`grokbook claims --run --settle` writes verdicts; a check that finds another number on purpose has
it written down here: `python tests/companion/claims/settled_numbers.py G12 G18`, or without ids for all
claims.
"""

import json
import sys
from pathlib import Path

from companion.claims.finding import Finding
from companion.claims.ledger import choose, claims

FILE = Path(__file__).with_name("numbers.json")


def numbers(finding: Finding) -> list[float | str | None]:
    """Value, low, high, published."""
    given = (finding.value, finding.low, finding.high)
    return [*(None if number is None else float(number) for number in given), finding.published]


def settled() -> dict[str, list[float | str | None]]:
    """The numbers of each claim that are written down."""
    return json.loads(FILE.read_text(encoding="utf-8")) if FILE.is_file() else {}


if __name__ == "__main__":
    found = settled() | {
        claim.id: numbers(claim.finding()) for claim in choose(sys.argv[1:] or None)
    }
    lines = ",\n".join(
        f" {json.dumps(c.id)}: {json.dumps(found[c.id])}" for c in claims() if c.id in found
    )
    FILE.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
