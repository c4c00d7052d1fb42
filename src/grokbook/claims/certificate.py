"""A certificate: which claims, checked again on some machine, came out as they are settled."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from grokbook.claims.ledger import CheckError, Claim, claims, outcomes
from grokbook.claims.verdicts import settled
from grokbook.runs.provenance import provenance

_FORMAT = 1


def cheap_half(chosen: Iterable[Claim] | None = None) -> list[Claim]:
    """Of the claims that have a check (default: of the whole ledger) the half that takes least, the fastest first.

    Example:
        >>> half = cheap_half()
        >>> max(claim.seconds for claim in half) <= min(c.seconds for c in claims() if c.check and c not in half)
        True
    """
    checked = sorted((claim for claim in chosen or claims() if claim.check), key=lambda claim: claim.seconds)
    return checked[: (len(checked) + 1) // 2]


def digest(certificate: Mapping[str, Any]) -> str:
    """sha256 of a certificate without its field `sha256`: of its JSON with sorted keys and no spaces, in UTF-8.

    Example:
        >>> digest({"b": 1, "a": 2, "sha256": "of an older one"}) == digest({"a": 2, "b": 1})
        True
    """
    rest = {name: value for name, value in certificate.items() if name != "sha256"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def certify(
    budget: float, chosen: Iterable[Claim] | None = None, told: Callable[[str], object] = lambda line: None
) -> dict[str, Any]:
    """Check claims again (default: the cheap half), each as long as it is said to end within `budget` seconds.

    The certificate names machine, processor, versions, commit and time, each claim with its settled verdict and the one
    found now, how many agreed, which were left out, and ends with its own sha256 (`digest`).
    """
    wanted, known, begun = list(chosen or cheap_half()), settled(), time.monotonic()
    found: list[dict[str, Any]] = []
    for claim in wanted:
        if time.monotonic() - begun + claim.seconds > budget:
            break
        try:
            (outcome,) = outcomes([claim])
            verdict, seconds = outcome.finding.verdict, round(outcome.seconds, 3)
        except CheckError as error:
            verdict, seconds = f"error: {error}", None
        agrees = verdict == known.get(claim.id)
        found.append({"id": claim.id, "settled": known.get(claim.id), "found": verdict, "agrees": agrees})
        found[-1] |= {"seconds": seconds}
        told(f"{claim.id:<6} {verdict}{'' if agrees else f'; settled: {known.get(claim.id)}'}")
    made = provenance()
    names = ("commit", "dirty", "versions", "processor", "recorded_at", "fingerprint")
    content = {
        "format": _FORMAT,
        "about": "Claims of grokbook's ledger, checked again on this machine",
        "machine": {"system": platform.system(), "architecture": platform.machine(), "cores": os.cpu_count()},
        **{name: made[name] for name in names if name in made},
        "budget_seconds": budget,
        "agreed": sum(one["agrees"] for one in found),
        "checked": len(found),
        "left_out": [claim.id for claim in wanted[len(found) :]],
        "claims": found,
    }
    return content | {"sha256": digest(content)}
