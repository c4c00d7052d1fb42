"""Every number, text and truth of chapter 18's prose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from companion.claims import Claim, Finding, Outcome, carrying, choose, load, outcomes
from companion.claims.verdicts import settled
from companion.page import Number, Prose, Truth
from grokbook_chapters.reproduction_report.formats import compared
from grokbook_chapters.reproduction_report.runs import MARGIN, in_bfloat16, in_float32

NOT_RUN = "(not run)"
TOLD: dict[str, dict[str, str | None]] = {
    "G14": {"least": ".3f", "most": ".3f", "value": ".0f", "p": "d"},
    "G54": {
        "value": ".0%",
        "low": ".0%",
        "high": ".0%",
        "learned": "d",
        "memorised": "d",
        "idle": ".0%",
    },
    "G27": {"shares": None, "low": ".0%", "significant": None, "detrended": ".0%", "null": ".0%"},
    "G53": {"tau": ".2f", "p_value": ".2g", "runs": "d", "large": "d", "large_tau": None},
    "P15": {
        "first": "d",
        "runs": "d",
        "large_first": None,
        "large": "d",
        "anyway": None,
        "tau": ".2f",
        "p_value": ".2g",
    },
    "GT1": {"runs": "d", "near": ".0f", "order": ".2f"},
    "G24": {
        "fraction": ".0%",
        "seen": None,
        "k": "d",
        "c": "d",
        "own": "d",
        "p": "d",
        "share": ".0%",
        "own_share": ".0%",
    },
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
) -> Prose:
    """What the prose uses: the claims that are `chosen`, what was `found` of those that were
    checked, their `table`, and the `checks` of `own_findings`."""
    return {
        **_counts(chosen, found, table),
        **_central(found),
        **_new(checks),
        **_formats(),
        "ledger": table[["id", "verdict", "value", "low", "high"]].to_json(orient="values"),
    }


def _counts(chosen: Sequence[Claim], found: Sequence[Outcome], table: pd.DataFrame) -> Prose:
    listed = [claim for claim in chosen if claim.part_of]
    carry = len(carrying(chosen))
    known = settled()
    differ = 0
    checks = 0
    seconds = 0.0
    for outcome in found:
        differ += outcome.finding.verdict != known.get(outcome.claim.id)
        checks += outcome.claim.check is not None
        seconds += outcome.seconds
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
        "n_checks": checks,
        "n_ours": sum(claim.origin == "ours" for claim in chosen),
        "n_younger": sum(bool(claim.rule_changed) for claim in chosen),
        "n_seconds": f"{seconds:.0f}",
        "n_differ": differ,
        "n_checked": len(table),
        "n_hold": int(verdicts.get("holds", 0)) + corrected,
        "n_corrected": corrected,
        "n_undecided": int(verdicts.get("undecided", 0)),
        "fail": f"{fail} {'fails' if fail == 1 else 'fail'}",
        "complete": Truth(left == 0, f"{left} checks take seconds and are left out"),
    }


def _central(found: Sequence[Outcome]) -> Prose:
    """The numbers of central claims, whatever claims were chosen."""
    judged = {outcome.claim.id: outcome.finding for outcome in found}
    missing = [claim for claim in choose([*TOLD]) if claim.id not in judged]
    judged |= {outcome.claim.id: outcome.finding for outcome in outcomes(missing)}
    texts: Prose = {}
    for claim, forms in TOLD.items():
        finding = judged[claim]
        for name, form in forms.items():
            texts[f"{claim}_{name}"] = Number(_number(finding, name), form, NOT_RUN)
    share = judged["L15"].value
    texts["L15_per"] = Number(None if share is None else share * 11 / 2, ".1f", NOT_RUN)
    texts["G27_bars"] = ", ".join(f"{float(bar):.0%}" for bar in judged["G27"].at)
    return texts


def _number(finding: Finding, name: str) -> Any:
    if finding.verdict == "not run":
        return None
    band = {"value": finding.value, "low": finding.low, "high": finding.high}
    return (band | dict(finding.numbers))[name]


def _new(checks: Mapping[str, Mapping[str, Any]]) -> Prose:
    """The numbers of what is new here, and whether each finding stands."""
    texts: Prose = {}
    for name, numbers in checks.items():
        for key, value in numbers.items():
            texts[f"{name}_{key}"] = value
        stands = texts.pop(f"{name}_true")
        texts[name] = Truth(stands, "its check does not stand")
    return texts


def _formats() -> Prose:
    """Whether half-size numbers move the grok steps."""
    single = load(in_float32()).get("p = 59")
    half = load(in_bfloat16()).get("p = 59")
    ratios = pd.Series(dtype=float)
    is_open = None
    if single is not None and half is not None:
        formats = compared(single, half)
        ratios = formats.ratios.low
        is_open = formats.alike is None if len(ratios) else None
    return {
        "ways_margin": f"{MARGIN:.1f}",
        "ways_pairs": len(ratios),
        "ways_low": Number(ratios.median(), ".2f", "(none)"),
        "ways_first": Number(ratios.min(), ".2f", "(none)"),
        "ways_last": Number(ratios.max(), ".2f", "(none)"),
        "ways_open": Truth(is_open, f"of {len(ratios)} pairs"),
    }
