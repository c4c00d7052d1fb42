"""Every number, text and truth of chapter 19's prose."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from importlib.resources import files

import numpy as np
import pandas as pd

from companion.claims.finding import some
from companion.page import Number, Prose, Truth
from grokbook.curves.delay import grok_times
from grokbook.logic import all_of
from grokbook.runs.experiment import Experiments, recorded
from grokbook_chapters.causes.handed import SAME, middle, shares, waits
from grokbook_chapters.causes.laws import compared, exponents
from grokbook_chapters.causes.predictors import PREDICTORS, Foretold
from grokbook_chapters.causes.runs import SEEDS, arm
from grokbook_chapters.causes.stays import (
    LARGER,
    after,
    falls_in,
    falls_more,
    larger,
    lost,
    staying,
    stays,
)
from grokbook_chapters.labelled import Datasets, Tables

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
        "ring-of-step-1",
        "pairs-90",
    ),
    "T": (
        "features-50",
        "head-50",
        "all-50",
        "embedding-given",
        "embedding-given-renamed",
        "temperature-half-norm-held",
        "pairs-90",
    ),
    "L": ("decay-from-the-fit",),
    "R": ("features-50", "head-50", "temperature-half-norm-held"),
}
"""Bench -> the arms of which the prose tells the share of the wait."""

BANDS = {
    "Q": ("features-50",),
    "T": ("features-50", "head-50"),
}
"""Bench -> the arms of which it tells the interval, too."""

FORETOLD = {
    "laws_q": (
        "Q",
        {
            "inverse": "same or worse",
            "first passage": "same or worse",
            "printed": "same",
            "fitted": "better",
        },
    ),
    "laws_t": (
        "T",
        {"inverse": "same", "first passage": "same", "printed": "same", "fitted": "same"},
    ),
}
"""Condition of the prose -> a bench, and the word that each law must have there, or several."""

RATES = {"learning_rate": "rate", "weight_decay": "decay"}
"""Settings whose exponents the prose tells -> their names."""

SPEEDS = (
    "rate-of-embedding-triple",
    "rate-of-embedding-third",
    "rate-of-decoder-triple",
    "rate-of-decoder-third",
)
"""Arms of bench L that change the speed of the embedding or of the decoder alone."""


PUBLISHED_STEPS = 50_000
"""Steps of which published counts of falls are told."""


def numbers(
    runs: Datasets,
    times: Mapping[str, Tables],
    shares: Tables,
    grids: Mapping[str, pd.DataFrame | None],
    at_the_fit: Mapping[str, Mapping[str, Foretold]],
) -> Prose:
    """What the prose uses of the runs that the page trains and of the recorded ones.

    `runs` are those of `plan`; `times`, `shares`, `grids` and `at_the_fit` have the tables of
    `recorded_times`, of `shares`, of `lengths` and of `recorded_predictors` by bench.
    """
    return {
        **_trained(runs),
        **{f"{bench}_free_wait": _free_wait(tables) for bench, tables in times.items()},
        **_quoted(shares),
        **_truths(shares),
        **_speeds(shares["L"]),
        **_foretold(grids),
        **_told_at_the_fit(at_the_fit),
        **_tuned_steps(times),
        "again": Truth(_again()),
        "stays": Truth(_stay()),
        **_falls(),
        "turned": _turned(times, shares),
    }


def every_arm(shares: Tables) -> pd.DataFrame:
    """What each recorded arm leaves of the wait, in words: a row an arm, a column a bench."""
    columns = {bench: table.apply(_in_words, axis=1) for bench, table in shares.items()}
    return pd.DataFrame(columns).fillna("").rename_axis("arm")


def predictor_table(found: Mapping[str, Mapping[str, Foretold]]) -> pd.DataFrame:
    """Kendall's tau of each predictor with the wait, its interval and its word: a row a predictor,
    a column a bench."""
    columns = {}
    for bench, rows in found.items():
        words = {}
        for name, row in rows.items():
            ends = f"{row.low:.2f} to {row.high:.2f}"
            words[name.replace("_", " ")] = f"{row.tau:.2f} ({ends}), {row.word}"
        columns[bench] = pd.Series(words, dtype=str)
    return pd.DataFrame(columns).fillna("").rename_axis("predictor")


def _in_words(row: pd.Series) -> str:
    if not np.isfinite(row["median"]):
        return f"{row.late} of {row.runs} do not generalise"
    return f"{row['median']:.2f} ({_interval(row)})"


def _interval(row: pd.Series) -> str:
    """The interval of an arm's share; an end that late runs leave open is not printed."""
    if not np.isfinite(row.low):
        return "(not run)"
    end = f"to {row.high:.2f}" if np.isfinite(row.high) else "or more"
    return f"{row.low:.2f} {end}"


def _trained(runs: Datasets) -> Prose:
    """What the arm of the page is called and what it did."""
    name = next(label for label in runs if label != "free")
    share = waits(grok_times(runs[name]), grok_times(runs["free"])).median()
    did = "has no run that generalises"
    if np.isfinite(share):
        did = f"leaves {share:.2f} of the wait (median)"
    return {"arm": name.replace("-", " "), "arm_did": did}


def _free_wait(tables: Tables) -> Number:
    waits_by_seed = tables["free"].delay if "free" in tables else []
    return Number.median(waits_by_seed, ",.0f", "(not run)")


def _quoted(shares: Tables) -> Prose:
    """Medians of `QUOTED` and intervals of `BANDS`, by bench and arm."""
    texts: Prose = {}
    for bench, arms in QUOTED.items():
        for name, share in shares[bench]["median"].reindex(list(arms)).items():
            texts[_key(bench, name)] = Number(share, ".2f", "(not run)")
    for bench, arms in BANDS.items():
        for name, row in shares[bench].reindex(list(arms)).iterrows():
            texts[f"{_key(bench, name)}_band"] = _interval(row)
    return texts


def _key(bench: str, name: object) -> str:
    return f"{bench}_{name}".replace("-", "_")


def conditions() -> pd.DataFrame:
    """What the prose says of arms: columns `condition`, `bench`, `arm`, and the `word` that its
    share must have, or several with "or" between.

    "never" is of most runs; the prose says more where the word is "no run", or has "all" before it.
    """
    return pd.read_csv(str(files(__package__) / "conditions.csv"), dtype=str)


def _truths(shares: Tables) -> dict[str, Truth]:
    """Each of `conditions`: whether it is true of all its arms; not known where one was not run."""
    truths = {}
    for name, rows in conditions().groupby("condition"):
        parts = [_came_out(shares[row.bench], row.arm, row.word) for row in rows.itertuples()]
        truths[name] = Truth(all_of(parts))
    return truths


def _came_out(table: pd.DataFrame, name: str, words: str) -> bool | None:
    if name not in table.index:
        return None
    row = table.loc[name]
    if words == "no run":
        return bool(row.observed == "never" and row.late == row.runs)
    if words.startswith("all "):
        return bool(row.observed == words.removeprefix("all ") and row.late == 0)
    return row.observed in words.split(" or ")


def _speeds(toy: pd.DataFrame) -> dict[str, Number]:
    """The range of shares where embedding or decoder of bench L is faster or slower."""
    medians = toy["median"].reindex(list(SPEEDS))
    return {
        "speed_from": Number(medians.min(), ".2f", "(not run)"),
        "speed_to": Number(medians.max(), ".2f", "(not run)"),
    }


def _foretold(grids: Mapping[str, pd.DataFrame | None]) -> Prose:
    """Exponents of bench Q with their intervals, and the truths of `FORETOLD` and of exponents and
    norms."""
    table = grids["Q"]
    texts: Prose = dict(_powers(table))
    for name, (bench, words) in FORETOLD.items():
        own = grids[bench]
        texts[name] = Truth(None if own is None else _so(own, words))
    texts["rises_q"] = Truth(None if table is None else _rises(table))
    texts["inverse_t"] = Truth(None if grids["T"] is None else _inverse(grids["T"]))
    return texts


TOLD = {
    "Q": {"test_loss": "later", "fresh_readout": "sooner"},
    "T": {
        "test_loss": "later",
        "fresh_readout": "sooner",
        "weight_norm": "later",
        "hidden_norm": "later",
        "effective_rank": "later",
        "fourier_share": "sooner",
        "test_accuracy": "sooner",
    },
    "R": {},
}
"""Bench -> the predictors that foretell the wait, and how; the prose speaks of the first two."""

TAUS = ("test_loss", "fresh_readout")
"""Predictors of which the prose tells the tau, on benches Q and T."""


def _told_at_the_fit(found: Mapping[str, Mapping[str, Foretold]]) -> Prose:
    """The taus that the prose tells, and whether of each bench's predictors those of `TOLD`
    foretell the wait, and no other."""
    texts: Prose = {}
    for bench, told in TOLD.items():
        rows = found[bench]
        for name in TAUS if told else ():
            tau = rows[name].tau if rows else None
            texts[f"{bench}_tau_{name}"] = Number(tau, ".2f", "(not run)")
        words = {name: rows[name].word for name in PREDICTORS if name in rows}
        expected = {name: told.get(name, "not seen") for name in words}
        texts[f"told_{bench.lower()}"] = Truth(words == expected if rows else None)
    return texts


def _powers(table: pd.DataFrame | None) -> dict[str, str]:
    powers = {} if table is None else exponents(table)
    texts = {}
    for setting, name in RATES.items():
        told = "(not run)"
        if setting in powers:
            power = powers[setting]
            told = f"{power.median:.2f} ({power.low:.2f} to {power.high:.2f})"
        texts[f"Q_power_{name}"] = told
    return texts


def _so(table: pd.DataFrame, words: Mapping[str, str]) -> bool:
    """Whether each law came out on a bench as the prose has it."""
    return all(compared(table, law).word in told.split(" or ") for law, told in words.items())


def _rises(table: pd.DataFrame) -> bool:
    """Whether the norm at the grok step is above that at the fit step in every counted setting."""
    counted = table[table.fate == "counted"]
    return bool((counted.end > counted.start).all())


def _inverse(table: pd.DataFrame) -> bool:
    """Whether the exponents of rate and decay may be -1, and the norm at the grok step is below
    that at the fit step in every counted setting."""
    counted = table[table.fate == "counted"]
    powers = exponents(table)
    may_be = all(powers[name].low <= -1 <= powers[name].high for name in RATES)
    return may_be and bool((counted.end < counted.start).all())


def _tuned_steps(times: Mapping[str, Tables]) -> Prose:
    """Median fit and grok step of the tuned runs of bench Q."""
    table = times["Q"].get("tuned")
    texts: Prose = {}
    for event in ("fit", "grok"):
        steps = [] if table is None else table[f"{event}_step"]
        texts[f"Q_tuned_{event}"] = Number.median(steps, ".0f", "(not run)")
    return texts


def further() -> Experiments:
    """Arms of bench Q with twelve seeds that no other arm has."""
    seeds = tuple(range(SEEDS, 2 * SEEDS))
    names = ("free", "decay-from-the-fit", "decay-until-the-fit")
    return {name: dataclasses.replace(arm("Q", name), seeds=seeds) for name in names}


RUNS = (further,)


def _again() -> bool | None:
    """Whether it is so with the further seeds of bench Q, too: until the fit decay lets no run
    generalise, from the fit on it changes the wait by less than a half."""
    tables = {}
    for name, experiment in further().items():
        data = recorded(experiment)
        if data is None:
            return None
        tables[name] = grok_times(data)
    none_generalises = bool(tables["decay-until-the-fit"].grok_step.isna().all())
    share = middle(waits(tables["decay-from-the-fit"], tables["free"]).fillna(np.inf))
    return none_generalises and share.low > 1 / SAME and share.high < SAME


def _stay() -> bool | None:
    """Whether all free runs of bench Q keep what they have generalised to ten times that step."""
    table = _followed("Q")
    return None if table is None else not lost(table).any()


def _followed(bench: str) -> pd.DataFrame | None:
    """What the free runs of a bench do after their grok step; None where they are not recorded."""
    experiments = larger() if bench in LARGER else stays(bench)
    data = recorded(experiments[bench])
    return None if data is None else after(data)


AT_59 = {
    True: "so LayerNorm makes it fall more often",
    False: "so LayerNorm does not make it fall more often",
    None: "whether LayerNorm is why is open",
}
"""What the rule of `stays` says of the transformer of p = 59."""


def _falls() -> Prose:
    """How often the test accuracy of bench T and of the transformer of p = 59 (P) falls after its
    grok step, with LayerNorm and without (N), how deep that of T, and how long T waits where a run
    has generalised only once it stays."""
    followed = {bench: _followed(bench) for bench in ("T", "N", *LARGER)}
    texts: Prose = {}
    for bench, table in followed.items():
        falls = [] if table is None else table.falls
        if bench in LARGER and table is not None:
            falls = falls_in(table, PUBLISHED_STEPS)
        texts[f"{bench}_falls"] = Number.median(falls, ".0f", "(not run)")
    for bench in "TN":
        table = followed[bench]
        deepest = "(not run)" if table is None else f"{table.deepest.min():.0%}"
        texts[f"{bench}_deepest"] = deepest
    waits_if_it_stays = [] if followed["T"] is None else staying(followed["T"]).delay
    texts["T_staying_wait"] = Number.median(waits_if_it_stays, ",.0f", "(not run)")
    more = None
    if followed["T"] is not None and followed["N"] is not None:
        more = middle((followed["T"].falls - followed["N"].falls).dropna()).low > 0
    at_59 = AT_59[falls_more(followed["P"], followed["PN"])]
    return texts | {"falls_more": Truth(more), "at_59": at_59}


def _turned(times: Mapping[str, Tables], shares_by_bench: Tables) -> str:
    """How many arms have another word where a run has generalised only once it stays, as far as
    it is recorded."""
    turned = 0
    count = 0
    for bench, tables in times.items():
        later = {name: staying(table) for name, table in tables.items()}
        own = shares_by_bench[bench].observed
        other = shares(later, bench).observed.reindex(own.index)
        turned += int((own != other).sum())
        count += len(own)
    return some(turned, count) if count else "(not run)"
