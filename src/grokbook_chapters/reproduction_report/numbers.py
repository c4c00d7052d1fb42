"""Every number, text and truth of chapter 18's prose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from companion.claims import Claim, Finding, Outcome, carrying, choose, load, outcomes
from companion.claims.verdicts import settled
from companion.page import Number, Truth
from grokbook_chapters.reproduction_report.formats import compared
from grokbook_chapters.reproduction_report.runs import MARGIN, in_bfloat16, in_float32

NOT_RUN = "(not run)"
TOLD: dict[str, dict[str, str | None]] = {
    "G14": {"least": ".3f", "most": ".3f", "value": ".0f", "p": "d"},
    "G54": {"value": ".0%", "low": ".0%", "high": ".0%", "learned": "d", "memorised": "d"}
    | {"idle": ".0%"},
    "G27": {"shares": None, "low": ".0%", "significant": None, "detrended": ".0%", "null": ".0%"},
    "G53": {"tau": ".2f", "p_value": ".2g", "runs": "d", "large": "d", "large_tau": None},
    "P15": {"first": "d", "runs": "d", "large_first": None, "large": "d", "anyway": None}
    | {"tau": ".2f", "p_value": ".2g"},
    "GT1": {"runs": "d", "near": ".0f", "order": ".2f"},
    "G24": {"fraction": ".0%", "seen": None, "k": "d", "c": "d", "own": "d", "p": "d"}
    | {"share": ".0%", "own_share": ".0%"},
    "G31": {"value": ".0%", "null": ".0%"},
    "GF20": {"seen": None},
    "G46": {"stays": ".1f", "mean": ".3f", "most": ".5f", "outside": ".0%"},
    "L15": {"value": ".0%", "small": ".0%", "large": ".0%"},
    "L14": {"value": ".2f", "all_seen": ".1%"},
}
"""Numbers that the page tells of central claims, with the form in which it prints them."""


def numbers(
    chosen: Sequence[Claim],
    found: Sequence[Outcome],
    table: pd.DataFrame,
    checks: Mapping[str, Mapping[str, Any]],
) -> dict[str, Any]:
    """What the prose uses: the claims that are `chosen`, what was `found` of those that were
    checked, their `table`, and the `checks` of `own_findings`."""
    return {
        **_counts(chosen, found, table),
        **_central(found),
        **_new(checks),
        **_formats(),
        "ledger": table[["id", "verdict", "value", "low", "high"]].to_json(orient="values"),
    }


def _counts(
    chosen: Sequence[Claim], found: Sequence[Outcome], table: pd.DataFrame
) -> dict[str, Any]:
    listed = [claim for claim in chosen if claim.part_of]
    carry = len(carrying(chosen))
    known = settled()
    moved = [one for one in found if one.finding.verdict != known.get(one.claim.id)]
    left = len(chosen) - len(found)
    verdicts = table.verdict.value_counts()
    corrected = int(verdicts.get("holds with correction", 0))
    fail = int(verdicts.get("fails", 0))
    return {
        "n_claims": len(chosen),
        "n_carry": carry,
        "n_listed": len(listed),
        "n_lists": len({claim.part_of for claim in listed}),
        "n_appendix": len(chosen) - carry - len(listed),
        "n_moved": sum(len(claim.also) for claim in chosen),
        "n_checks": sum(one.claim.check is not None for one in found),
        "n_ours": sum(claim.origin == "ours" for claim in chosen),
        "n_younger": sum(bool(claim.rule_changed) for claim in chosen),
        "n_seconds": f"{sum(one.seconds for one in found):.0f}",
        "n_differ": len(moved),
        "n_checked": len(table),
        "n_hold": int(verdicts.get("holds", 0)) + corrected,
        "n_corrected": corrected,
        "fail": f"{fail} {'fails' if fail == 1 else 'fail'}",
        "complete": Truth(left == 0, f"{left} checks take seconds and are left out"),
    }


def _central(found: Sequence[Outcome]) -> dict[str, Any]:
    """The numbers of central claims, whatever claims were chosen."""
    judged = {one.claim.id: one.finding for one in found}
    missing = [claim for claim in choose([*TOLD]) if claim.id not in judged]
    judged |= {one.claim.id: one.finding for one in outcomes(missing)}
    told: dict[str, Any] = {}
    for claim, forms in TOLD.items():
        finding = judged[claim]
        for name, form in forms.items():
            told[f"{claim}_{name}"] = Number(_number(finding, name), form, NOT_RUN)
    pairs = judged["L15"].value
    told["L15_per"] = Number(None if pairs is None else pairs * 11 / 2, ".1f", NOT_RUN)
    told["G27_bars"] = ", ".join(f"{float(bar):.0%}" for bar in judged["G27"].at)
    return told


def _number(finding: Finding, name: str) -> Any:
    if finding.verdict == "not run":
        return None
    band = {"value": finding.value, "low": finding.low, "high": finding.high}
    return (band | dict(finding.numbers))[name]


def _new(checks: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The numbers of what is new here, and whether each finding stands."""
    told: dict[str, Any] = {}
    for name, made in checks.items():
        for key, value in made.items():
            if key == "true":
                told[name] = Truth(bool(value), "its check does not stand")
            else:
                told[f"{name}_{key}"] = value
    return told


def _formats() -> dict[str, Any]:
    """Whether half-size numbers move the grok steps."""
    single = load(in_float32()).get("p = 59")
    half = load(in_bfloat16()).get("p = 59")
    made = None if single is None or half is None else compared(single, half)
    pairs = 0 if made is None else len(made.ratios)
    seen = made.ratios.low.describe() if made is not None and pairs else {}
    told: dict[str, Any] = {"ways_margin": f"{MARGIN:.1f}", "ways_pairs": pairs}
    for name, key in {"low": "50%", "first": "min", "last": "max"}.items():
        told[f"ways_{name}"] = Number(seen.get(key), ".2f", "(none)")
    is_open = made.alike is None if made is not None and pairs else None
    told["ways_open"] = Truth(is_open, f"of {pairs} pairs")
    return told
