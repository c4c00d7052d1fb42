"""Every number, text and truth of chapter 19's prose."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from companion.page import Number, Truth
from grokbook.curves.delay import grok_times
from grokbook.logic import all_of
from grokbook.runs.experiment import recorded
from grokbook_chapters.causes.effects import came
from grokbook_chapters.causes.handed import SAME, waits
from grokbook_chapters.causes.stays import after, lost, stays

QUOTED = {
    "Q": (
        "features-0",
        "features-50",
        "head-50",
        "all-50",
        "features-100-shuffled",
        "decay-from-the-fit",
        "gradient-orthogonal-no-decay",
        "temperature-double-norm-held",
        "temperature-half-norm-held",
        "temperature-half",
        "ring-of-step-1",
        "pairs-70",
        "pairs-60",
    ),
    "T": (
        "features-50",
        "features-100",
        "head-50",
        "all-50",
        "embedding-given",
        "embedding-given-renamed",
        "decay-on-hidden-alone",
        "temperature-half-norm-held",
        "temperature-half",
    ),
    "L": ("decay-from-the-fit",),
}
"""Bench -> the arms of which the prose tells the share of the wait."""

BANDS = {
    "Q": ("features-50", "decay-double"),
    "T": ("features-50", "head-50", "all-50", "decay-double", "decay-not-on-embedding"),
    "L": ("decay-double",),
}
"""Bench -> the arms of which it tells the interval, too."""

TRUTHS: dict[str, dict[str, dict[str, str]]] = {
    "q_handed": {"Q": {"features_50": "shorter", "head_50": "shorter", "all_50": "shorter"}},
    "q_early": {"Q": {"features_0": "shorter"}},
    "q_given": {"Q": {"embedding_given": "none", "embedding_given_renamed": "none"}},
    "t_given": {"T": {"embedding_given": "shorter", "embedding_given_renamed": "shorter"}},
    "shuffled": {"Q": {"features_100_shuffled": "longer"}, "T": {"features_100_shuffled": "open"}},
    "t_handed": {
        "T": {
            "all_50": "shorter",
            "features_50": "open",
            "head_50": "same",
            "features_100": "shorter",
        }
    },
    "phases": {
        "Q": {"decay_until_the_fit": "never", "decay_from_the_fit": "same"},
        "T": {"decay_until_the_fit": "never", "decay_from_the_fit": "open"},
        "L": {"decay_until_the_fit": "never", "decay_from_the_fit": "longer"},
    },
    "across": {
        "Q": {"no_decay": "never", "gradient_orthogonal_no_decay": "shorter"},
        "T": {"no_decay": "never", "gradient_orthogonal_no_decay": "never"},
        "L": {"no_decay": "never", "gradient_orthogonal_no_decay": "never"},
    },
    "stablemax": {"Q": {"stablemax": "shorter"}, "T": {"stablemax": "longer"}},
    "places": {
        "Q": {"decay_on_a_random_half": "never"},
        "T": {
            "decay_on_a_random_half": "never",
            "decay_on_hidden_alone": "longer",
            "decay_on_embedding_alone": "never",
            "decay_not_on_embedding": "open",
        },
        "L": {"decay_on_a_random_half": "never"},
    },
    "norms": {
        "Q": {"norm_at_07": "shorter", "norm_at_085": "shorter", "norm_at_12": "longer"},
        "T": {"norm_at_12": "longer", "norm_at_145": "longer", "norm_at_17": "longer"},
        "L": {"norm_at_12": "never", "norm_at_145": "never"},
    },
    "starts": {
        "Q": {"start_double": "longer"},
        "T": {"start_double": "open"},
        "L": {"start_double": "longer"},
    },
    "logits": {
        "Q": {
            "temperature_half_norm_held": "longer",
            "temperature_double_norm_held": "shorter",
            "temperature_half": "longer",
        },
        "T": {
            "temperature_half_norm_held": "longer",
            "temperature_double_norm_held": "open",
            "temperature_half": "shorter",
        },
    },
    "lazy": {
        "Q": {"linearised": "never", "lazy_4": "longer", "rich_4": "shorter"},
        "T": {"lazy_4": "never", "rich_4": "longer"},
        "L": {"linearised": "never"},
    },
    "ring": {
        "Q": {"ring_of_step_1": "longer", "ring_at_random": "never"},
        "T": {"ring_of_step_1": "never"},
    },
    "sets": {
        "Q": {"data_covering": "same", "data_clumps": "same"},
        "T": {"data_covering": "open or same", "data_clumps": "open or same"},
        "L": {"data_many": "same", "data_few": "same"},
    },
    "pairs": {"Q": {"pairs_70": "longer", "pairs_60": "longer"}},
    "tuned": {"Q": {"adamw_tuned": "none"}},
}
"""Condition of the prose -> bench -> arm -> the word of its share, or several with "or" between."""

SPEEDS = (
    "rate-of-embedding-triple",
    "rate-of-embedding-third",
    "rate-of-decoder-triple",
    "rate-of-decoder-third",
    "decoder-width-double",
    "decoder-width-half",
)
"""Arms of bench L that change the speed of the embedding or of the decoder alone."""


def numbers(
    runs: Mapping[str, xr.Dataset],
    times: Mapping[str, Mapping[str, pd.DataFrame]],
    shares: Mapping[str, pd.DataFrame],
) -> dict[str, Any]:
    """What the prose uses of the runs that the page trains and of the recorded ones.

    `runs` are those of `plan`; `times` and `shares` have the tables of `recorded_times` and of
    `shares` by bench.
    """
    free_waits = {
        f"{bench}_free_wait": _free_wait(tables.get("free")) for bench, tables in times.items()
    }
    return {
        **_trained(runs),
        **free_waits,
        **_quoted(shares),
        **_truths(shares),
        **_speeds(shares["L"]),
        "law": Truth(_by_the_law(shares)),
        "stays": Truth(_stay()),
    }


def every_arm(shares: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """What each recorded arm leaves of the wait, in words: a row an arm, a column a bench."""
    columns = {bench: table.apply(_in_words, axis=1) for bench, table in shares.items()}
    return pd.DataFrame(columns).fillna("").rename_axis("arm")


def _in_words(row: pd.Series) -> str:
    if row.observed in ("never", "unfit"):
        return f"{row.late} of {row.runs} do not generalise"
    median = f"{row['median']:.2f}" if np.isfinite(row["median"]) else "not within most runs"
    return f"{median} ({_interval(row)})"


def _interval(row: pd.Series) -> str:
    """The interval of an arm's median; an end that late runs leave open is not printed."""
    if pd.isna(row.low):
        return "(not run)"
    if not np.isfinite(row.high):
        return f"{row.low:.2f} or more" if np.isfinite(row.low) else "no bound"
    return f"{row.low:.2f} to {row.high:.2f}" if np.isfinite(row.low) else f"{row.high:.2f} or less"


def _trained(runs: Mapping[str, xr.Dataset]) -> dict[str, Any]:
    """The share of the wait that the arm of the page leaves."""
    free, changed = map(grok_times, runs.values())
    share = waits(changed, free).median()
    generalises = bool(np.isfinite(share))
    return {
        "arm": [*runs][1].replace("-", " "),
        "live_share": f"{share:.2f}" if generalises else "(not within the runs)",
        "live": Truth(generalises, f"{changed.grok_step.count()} of {len(changed)} generalise"),
    }


def _free_wait(table: pd.DataFrame | None) -> Number:
    waits_by_seed = [] if table is None else table.delay
    return Number.median(waits_by_seed, ",.0f", "(not run)")


def _quoted(shares: Mapping[str, pd.DataFrame]) -> dict[str, Any]:
    """Medians of `QUOTED` and intervals of `BANDS`, by bench and arm."""
    texts: dict[str, Any] = {}
    for bench, arms in QUOTED.items():
        for arm, share in shares[bench]["median"].reindex(list(arms)).items():
            texts[_key(bench, arm)] = Number(share, ".2f", "(not run)")
    for bench, arms in BANDS.items():
        for arm, row in shares[bench].reindex(list(arms)).iterrows():
            texts[f"{_key(bench, arm)}_band"] = _interval(row)
    return texts


def _key(bench: str, arm: object) -> str:
    return f"{bench}_{arm}".replace("-", "_")


def _truths(shares: Mapping[str, pd.DataFrame]) -> dict[str, Truth]:
    """`TRUTHS`, each not known where one of its arms was not run."""
    return {
        name: Truth(all_of(came(shares[bench], **arms) for bench, arms in claimed.items()))
        for name, claimed in TRUTHS.items()
    }


def _speeds(toy: pd.DataFrame) -> dict[str, Any]:
    """How little the relative speed of embedding and decoder moves the wait on bench L."""
    rows = toy.reindex(list(SPEEDS))
    as_said = came(toy, rate_of_embedding_third="longer", rate_of_decoder_triple="longer")
    is_little = bool(rows.low.min() > 1 / SAME and rows.high.max() < SAME)
    return {
        "speed_from": Number(rows["median"].min(), ".2f", "(not run)"),
        "speed_to": Number(rows["median"].max(), ".2f", "(not run)"),
        "speeds": Truth(as_said and is_little),
    }


def _by_the_law(shares: Mapping[str, pd.DataFrame]) -> bool | None:
    """Whether twice the decay halves the wait on bench T, by its interval, and on no other."""
    halves = {}
    for bench, table in shares.items():
        if "decay-double" not in table.index:
            return None
        low, high = table.loc["decay-double", ["low", "high"]]
        halves[bench] = bool(low <= 0.5 <= high)
    return halves == {"Q": False, "T": True, "L": False}


def _stay() -> bool | None:
    """Whether all free runs of bench Q keep what they have generalised to ten times that step."""
    (experiment,) = stays("Q").values()
    data = recorded(experiment)
    return None if data is None else not lost(after(data)).any()
