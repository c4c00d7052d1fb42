"""The sentences of chapter 14 that depend on what came out, and its table of three measures on the same runs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import xarray as xr
from scipy.stats import kendalltau

from grokbook.chapters.transformer_representations.claims import RING, middle
from grokbook.chapters.transformer_representations.embedding import last_rings
from grokbook.chapters.transformer_representations.settings import by_dropout
from grokbook.claims import load
from grokbook.claims.finding import some
from grokbook.runs.delay import grok_times
from grokbook.runs.lead_tables import LEVEL, event_table, in_words, ranked, readable
from grokbook.runs.lead_tasks import CONTROLS, lead_tasks, short_name

TIED = {"med": "falls", "representation_quality": "rises", "effective_dimension": "falls"}
"""MED (Gu et al.), representation quality and effective dimension (Liu et al.), each with its claimed direction."""

def answer(said: pd.DataFrame) -> str:
    """The chapter's answer in a box, from the ledger's rows (index id).

    Example:
        >>> rows = pd.DataFrame({"verdict": ["undecided", "undecided", "holds"]}, index=["LT2", "LT3", "LT4"])
        >>> answer(rows).count(". ")
        3
    """
    turn, circle, start = (said.verdict[name] for name in ("LT2", "LT3", "LT4"))
    claimed = (
        "The paper says that a transformer generalises when its embedding finds a low-dimensional structure: two "
        "components show a circle, the effective dimension turns, and part of it was there before."
    )
    found = (
        f"In the authors' settings the circle at that step is *{circle}* (LT3), the turn at that step *{turn}* (LT2), "
        f"the start seen on the axes of the end *{start}* (LT4)."
    )
    rest = "Rules changed after their runs wait for fresh seeds. A circle alone is no evidence of an algorithm."
    return f"> **Answer.** {claimed} {found} {rest}"


def tied(small: xr.Dataset | None) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Three measures on the same runs: of each network and measure how often it is first, and its rank correlation.

    The first table has a row a network and measure, the second a row a run and measure (`event_table`).
    """
    gu = {short_name(e): e for e in lead_tasks().values() if short_name(e) not in CONTROLS}
    networks: dict[str, Mapping[str, xr.Dataset]] = {"Gu et al.": load(gu)}
    if small is not None:
        networks["Liu et al."] = {"small": small}
    rows = pd.concat([event_table(runs, TIED).assign(network=name) for name, runs in networks.items() if runs])
    table = [
        {"network": name, "measure": measure, **_tie(part)}
        for (name, measure), part in rows[rows.generalises].groupby(["network", "measure"], sort=False)
    ]
    return pd.DataFrame(table), rows


def _tie(part: pd.DataFrame) -> dict[str, object]:
    lead = part.lead.replace([np.inf, -np.inf], np.nan)
    test = ranked(part)
    return {"runs": len(part), "first": int((lead > 0).sum()), "lead": lead.median(), "tau": test.tau,
            "p": test.p_value}  # fmt: skip


_AGREE = {
    True: "In the network of Gu et al. the measures watch one event: each is early in the runs that generalise early.",
    False: "In the network of Gu et al. they do not all watch one event: {which} shows no association "
    "with the accuracy at p = 0.05.",
}


def agree(table: pd.DataFrame) -> str:
    """What `tied` says of Gu et al.'s network, whose runs are many, as a sentence or two.

    Example:
        >>> rows = pd.DataFrame({"network": "Gu et al.", "measure": ["med", "effective_dimension"], "runs": 24,
        ...                      "first": [2, 3], "p": [0.02, 0.3]})
        >>> "do not all" in agree(rows)
        True
    """
    rows = table[table.network == "Gu et al."]
    if not len(rows):
        return "The runs of Gu et al.'s network are not recorded."
    apart = [readable(name) for name in rows.measure[rows.p > LEVEL]]
    told = _AGREE[not apart].format(which=in_words(apart) if apart else "")
    early = [readable(name) for name in rows.measure[rows["first"] > rows.runs / 2]]
    ahead = f"There first in most runs: {in_words(early)}." if early else _DESCRIBE
    none = table.p[table.network != "Gu et al."] > LEVEL
    if none.empty:
        return f"{told} {ahead}"
    small = "no measure is" if none.all() else "not every measure is" if none.any() else "every measure is"
    return f"{told} {ahead} In the small runs ({table.runs[none.index].max()}) {small} associated with the accuracy."


_DESCRIBE = "There none is first in most runs: they describe."


def ring_table(found: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Median ring shares by network, of the runs that generalise and of those that do not (from `lives`)."""
    rows = []
    for name, table in found.items():
        for does, part in table.groupby(table.grok.notna(), sort=False):
            grok = part.ring_grok.median() if does else np.nan
            head = {"network": name, "generalise": "yes" if does else "no", "runs": len(part)}
            ends = {"start": part.ring_start.median(), "at generalisation": grok, "end": part.ring_end.median()}
            rows.append(head | ends | {"second axis": part.roundness.median(),
                                      "variance at generalisation": part.plane_grok.median() if does else np.nan,
                                      "variance at the end": part.plane.median()})  # fmt: skip
    return pd.DataFrame(rows)


def ring_words(table: pd.DataFrame) -> str:
    """What `ring_table` says of the networks that generalise, as sentences.

    Example:
        >>> rows = pd.DataFrame({"network": ["a", "b"], "generalise": "yes", "at generalisation": [0.9, 0.4]})
        >>> ring_words(rows).split(".")[0]
        'When the networks generalise, one frequency has half of the power of two axes or more in a, and less in b'
    """
    does = table[table.generalise == "yes"].set_index("network")["at generalisation"]
    shown, hidden = [list(does.index[flags]) for flags in (does >= RING, does < RING)]
    if not len(does):
        return "No recorded run generalises."
    if not hidden or not shown:
        return f"When they generalise, one frequency has {'more' if shown else 'less'} than half of the power there."
    return (
        "When the networks generalise, one frequency has half of the power of two axes or more in "
        f"{in_words(shown)}, and less in {in_words(hidden)}. "
        "A rule may use several frequencies, and the first two axes need not belong to one: what PCA shows in two axes "
        "is a part."
    )


def dimension_table(found: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """When the runs that generalise do, and what their effective dimension does (medians, from `lives`), by network."""
    rows = []
    for name, table in found.items():
        does = table[table.grok.notna()]
        start = does.at_start
        parts = {"highest at": does.peak_step / does.grok, "then": does.peak / start,
                 "when they generalise": does.at_grok / start, "at the end": does.at_end / start,
                 "length": does.length}  # fmt: skip
        head = {"network": name, "runs": len(table), "generalise": len(does), "at step": does.grok.median()}
        rows.append(head | {what: values.median() for what, values in parts.items()})
    return pd.DataFrame(rows)


def dropout_turns(table: pd.DataFrame, pairs: Mapping[str, tuple[str, str]]) -> str:
    """What dropout does to the turn, from `dimension_table`; a pair is a network with dropout and one without.

    Example:
        >>> rows = pd.DataFrame({"network": ["a", "b"], "highest at": [0.5, 0.1]})
        >>> dropout_turns(rows, {"p = 59": ("a", "b")})
        'Dropout makes the difference: with it the turn is at 0.50 of that step, without it at 0.10 (p = 59).'
    """
    at = table.set_index("network")["highest at"].dropna()
    both = {size: (at[one], at[two]) for size, (one, two) in pairs.items() if one in at and two in at}
    if not both:
        return "Runs with and without dropout are not recorded."
    later = all(one >= 2 * two for one, two in both.values())
    head = "Dropout makes the difference" if later else "Dropout alone does not make the difference"
    told = "; ".join(f"with it the turn is at {one:.2f} of that step, without it at {two:.2f} ({size})"
                     for size, (one, two) in both.items())  # fmt: skip
    return f"{head}: {told}."


def decay_words(pairs: Mapping[str, tuple[pd.DataFrame | None, pd.DataFrame | None]]) -> str:
    """What a decay of the embedding does to runs of one seed; a pair is `lives` with it and without it.

    Example:
        >>> without = pd.DataFrame({"seed": [0, 1], "length": [0.5, 0.8], "grok": [900, 1000]})
        >>> decay_words({"small": (without.assign(length=0.4)[:1], without)})[-83:]
        '0.80 times as long as without it, and generalise at 1.00 times the step (seeds: 1).'
    """
    told = []
    for size, tables in pairs.items():
        both = [table for table in tables if table is not None]
        if len(both) < 2:
            continue
        rows = both[0].merge(both[1], on="seed")
        length, step = (_span(rows[f"{name}_x"] / rows[f"{name}_y"]) for name in ("length", "grok"))
        told.append(f"With that decay the vectors of {size} end {length} times as long as without it, and generalise "
                    f"at {step} times the step (seeds: {len(rows)}).")  # fmt: skip
    return " ".join(told) or "Runs with and without it are not recorded."


def _span(values: pd.Series) -> str:
    ends = sorted({f"{value:.2f}" for value in (values.min(), values.max())})
    return " to ".join(ends)


def survives(said: pd.DataFrame) -> str:
    """What is left of the section's statements, from the ledger's rows (index id): those that hold, in a few words.

    Example:
        >>> survives(pd.DataFrame({"verdict": ["holds", "fails"]}, index=["LT1", "LT7"]))
        'What survives: the effective dimension rises a little and then falls far.'
    """
    good = [words for name, words in _SURVIVES.items() if said.verdict.get(name, "").startswith("holds")]
    if not good:
        return "None of the statements is borne out by the runs recorded so far."
    return f"What survives: {'; '.join(good)}."


_SURVIVES = {
    "LT1": "the effective dimension rises a little and then falls far",
    "LT2": "it does not fall below its start before the runs generalise",
    "LT3": "two components show a ring when the runs generalise",
    "LT4": "the start shows on the axes of the end what it does not show on its own",
    "LT5": "a few axes of the end are enough",
    "LT6": "the axes of the end are better than those of the moment",
    "LT7": "weight decay of the decoder brings generalisation forward",
}


def start_table(found: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Median ring shares of the start on several axes by network, with those of its controls (from `lives`)."""
    columns = {"ring_start": "own axes", "seen": "axes of the end", "others": "another run's axes",
               "strange": "stranger", "alike": "stranger, kept alike", "rank": "rank"}  # fmt: skip
    rows = [{"network": name, "runs": len(table), **table[[*columns]].median()} for name, table in found.items()]
    return pd.DataFrame(rows).rename(columns=columns)


_SAY = {
    2: "So the start has a say in which frequency wins.",
    1: "That is a hint at most that the start has a say in which frequency wins.",
    0: "So there is no sign that the start decides which frequency wins.",
}


def ticket_words(found: Mapping[str, pd.DataFrame]) -> str:
    """What the columns of `start_table` say of the start's part in which frequency wins, as sentences.

    A rank is compared with those of strangers whose start is left in the end as much (`drawn` of `lives`): means over
    runs, of those that generalise and of all.
    """
    rows = pd.concat(found.values(), ignore_index=True)
    told, signs, rng = [], 0, np.random.default_rng(0)
    for part, what in ((rows[rows.grok.notna()], "that generalise"), (rows, "in all")):
        if part.empty:
            continue
        mean = part["rank"].mean()
        null = np.mean([rng.choice(ranks, 20_000) for ranks in part.drawn], axis=0)
        p = (1 + (null >= mean - 1e-9).sum()) / 20_001
        signs += p < LEVEL
        told.append(f"{mean:.0%} in the {len(part)} runs {what}, a stranger's start {null.mean():.0%} (p = {p:.2g})")
    more = some(int((rows.alike > rows.seen).sum()), len(rows))
    return (
        f"Random starts of which every frequency is kept as much show more than the true one in {more} runs: any table "
        "has such planes, and this control overshoots. Does the frequency that wins begin as a strong one? At the "
        f"start it exceeds this part of the others (means): {'; '.join(told)}. {_SAY[signs]}"
    )


def evidence(table: pd.DataFrame, chance: float) -> str:
    """What `control_table` says of a ring, as sentences: whether there are rings without the rule, and without a table.

    `chance` is the ring share that random embeddings of the small runs rarely exceed.

    Example:
        >>> names = ["its embedding, a fresh decoder", "shuffled labels", "strong decay"]
        >>> rows = pd.DataFrame({"embedding": names, "ring share": [0.9, 0.2, 0.9], "accuracy": [0.03, 0.03, 0.05]})
        >>> evidence(rows, 0.3).count(". ")
        3
    """
    rows = table.set_index("embedding")
    ring, accuracy = rows["ring share"], rows["accuracy"]
    fresh = accuracy["its embedding, a fresh decoder"]
    parts = [
        f"In front of a fresh decoder the same embedding answers {fresh:.1%} of the pairs: a ring says something of "
        "the embedding, and an algorithm needs a decoder that reads it."
    ]
    without = [name for name in RINGED if name in ring.index and ring[name] >= RING and accuracy[name] < 0.5]
    if without:
        said = " and ".join(f"{name} ({ring[name]:.0%}, accuracy {accuracy[name]:.0%}; medians)" for name in without)
        parts.append(f"There are trained rings without the rule: {said}. So a ring is not enough.")
    if "shuffled labels" in ring.index:
        parts.append(_SHUFFLED[bool(ring["shuffled labels"] <= chance)])
    return " ".join(parts)


_SHUFFLED = {
    True: "Labels dealt out at random leave no ring: it takes a table with an order, and a network that has felt it.",
    False: "Labels dealt out at random leave a ring too: it does not even take a table with an order.",
}
RINGED = ("strong decay",)
"""Runs that do not generalise, in whose embedding a ring is looked for."""


def each_ring(data: xr.Dataset | None) -> str:
    """The ring shares at the end of some runs, each with the share of its training pairs that it knows."""
    if data is None:
        return "(not recorded)"
    shares = zip(last_rings(data), data.train_accuracy[:, -1].values, strict=True)
    return ", ".join(f"{ring:.0%} (knows {known:.0%} of its training pairs)" for ring, known in shares)


def heart_words(data: xr.Dataset | None) -> str:
    """Whether the ring shares of runs go with what they know of the rule, as the end of a sentence.

    By Kendall's rank correlation with the test accuracy, one-sided.
    """
    if data is None:
        return "they are not recorded"
    test = kendalltau(last_rings(data), data.test_accuracy[:, -1].values, alternative="greater")
    if test.pvalue <= LEVEL:
        return (f"their ring shares rank as their test accuracies do (rank correlation {test.statistic:.2g}), so they "
                "are not without the rule")  # fmt: skip
    return f"their ring shares do not go with their test accuracies (rank correlation {test.statistic:.2g})"


def dropout_words(runs: Mapping[float, xr.Dataset], verdict: str) -> str:
    """What dropout does to the step of generalisation, by its share, and to the delay, by the verdict on LT9."""
    if len(runs) < len(by_dropout()):
        return "Not all of these runs are recorded."
    steps = {share: middle(grok_times(data)) for share, data in runs.items()}
    sooner, others = ([f"{s:g}" for s in steps if s and (steps[s] < steps[0.0]) is way] for way in (True, False))
    if not sooner:
        return "No share of these brings generalisation forward here."
    rest = f", a share of {' or '.join(others)} does not" if others else ""
    delay = "" if verdict == "holds" else ", and the delay does not vanish"
    return (
        f"A share of {' or '.join(sooner)} brings generalisation forward here{rest}{delay}. The best of the shares was "
        'picked afterwards, and the paper\'s "under $10^3$ steps" belongs to another size.'
    )


def counted(runs: Mapping[str, xr.Dataset | None]) -> str:
    """How many runs a caption's figure has of each setting.

    Example:
        >>> counted({"decay 0": xr.Dataset(coords={"seed": [0, 1]}), "decay 1": None})
        'runs: 2 at decay 0'
    """
    return "runs: " + ", ".join(f"{data.sizes['seed']} at {name}" for name, data in runs.items() if data is not None)
