"""The sentences of chapter 14 that depend on what came out, and its table of three measures on the same runs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import xarray as xr

from grokbook.claims import load
from grokbook.experiments.lead_tasks import CONTROLS, lead_tasks, short_name
from grokbook.measures.lead_tables import LEVEL, event_table, in_words, ranked, readable
from grokbook.topics.transformer_representations.claims import RING

TIED = {"med": "falls", "representation_quality": "rises", "effective_dimension": "falls"}
"""MED (Gu et al.), representation quality and effective dimension (Liu et al.), each with its claimed direction."""

_CIRCLE = {
    "holds": "a ring is there when the runs generalise",
    "fails": "most runs generalise before their first two components show a ring",
    "undecided": "whether two components show a ring depends on the network",
}
_TURN = {
    "holds": "the effective dimension turns when they generalise",
    "fails": "the effective dimension turns long before they generalise",
}
_START = {
    "vacuous": "What the start shows on the final axes, a start that had no part in training shows as well.",
    "holds": "The start shows some of it on the final axes, and a start that had no part in training does not.",
    "holds with correction": "The start shows some of it on the final axes; so would every start, for training chooses "
    "what of it to keep.",
    "fails": "The start shows none of it on the final axes.",
}


def answer(said: pd.DataFrame) -> str:
    """The chapter's answer in a box, from the ledger's rows (index id).

    Example:
        >>> rows = pd.DataFrame({"verdict": ["fails", "holds", "vacuous"]}, index=["LT2", "LT3", "LT4"])
        >>> answer(rows).count(". ")
        3
    """
    turn, circle, start = (said.verdict[name] for name in ("LT2", "LT3", "LT4"))
    claimed = (
        "The paper says that a transformer generalises when its embedding finds a low-dimensional structure: two "
        "components show a circle, the effective dimension turns, and part of it was there before."
    )
    parts = [_CIRCLE.get(circle), _TURN.get(turn)]
    seen = " and ".join(part for part in parts if part)
    told = f"In our runs {seen}." if seen else "The runs that would decide this are not made."
    begun = _START.get(start, "What the start shows is not decided.")
    sure = "No run is at the paper's own size yet, and a circle in two components alone is no evidence of an algorithm."
    return f"> **Answer.** {claimed} {told} {begun} {sure}"


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
    ahead = f"First in most runs: {in_words(early)}." if early else "None is first in most runs: they describe."
    return f"{told} {ahead}"


def ring_table(found: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Median ring shares by network, of the runs that generalise and of those that do not (from `lives`)."""
    rows = []
    for name, table in found.items():
        for does, part in table.groupby(table.grok.notna(), sort=False):
            grok = part.ring_grok.median() if does else np.nan
            head = {"network": name, "generalise": "yes" if does else "no", "runs": len(part)}
            ends = {"start": part.ring_start.median(), "at generalisation": grok, "end": part.ring_end.median()}
            rows.append(head | ends)
    return pd.DataFrame(rows)


def ring_words(table: pd.DataFrame) -> str:
    """What `ring_table` says of the networks that generalise, as sentences.

    Example:
        >>> rows = pd.DataFrame({"network": ["a", "b"], "generalise": "yes", "at generalisation": [0.9, 0.4]})
        >>> ring_words(rows).split(".")[0]
        'When the networks generalise, two axes show a ring in a, and none in b'
    """
    does = table[table.generalise == "yes"].set_index("network")["at generalisation"]
    shown, hidden = [list(does.index[flags]) for flags in (does >= RING, does < RING)]
    if not len(does):
        return "No recorded run generalises."
    if not hidden or not shown:
        return f"In the networks that generalise two axes show {'a' if shown else 'no'} ring at that time."
    return (
        f"When the networks generalise, two axes show a ring in {in_words(shown)}, and none in {in_words(hidden)}. "
        "A rule may use several frequencies, and the first two axes need not belong to one: what PCA shows in two axes "
        "is a part."
    )


def turn_words(verdict: str) -> str:
    """What the verdict on LT2 means for a reader of a run."""
    means = {
        "holds": "So the turn marks that step.",
        "fails": "So the turn is no bell that rings at that step, in our runs or in the published mean.",
    }
    return means.get(verdict, "Whether the turn marks that step is not decided.")


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
    "LT3": "two components show a ring when the runs generalise",
    "LT4": "the start shows on the axes of the end what it does not show on its own",
    "LT5": "a few axes of the end are enough",
    "LT6": "the axes of the end are better than those of the moment",
    "LT7": "weight decay of the decoder brings generalisation forward",
    "LT8": "the numbers of the section, made at another modulus than the text says",
}


def start_table(found: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Median ring shares of the start on several axes by network, with those of its controls (from `lives`)."""
    columns = {"ring_start": "own axes", "seen": "axes of the end", "others": "another run's axes",
               "strange": "stranger", "alike": "stranger, kept alike", "rank": "rank"}  # fmt: skip
    rows = [{"network": name, "runs": len(table), **table[[*columns]].median()} for name, table in found.items()]
    return pd.DataFrame(rows).rename(columns=columns)


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
        said = " and ".join(f"{name} ({ring[name]:.0%}, accuracy {accuracy[name]:.0%})" for name in without)
        parts.append(f"There are trained rings without the rule: {said}. So a ring is not enough.")
    if "shuffled labels" in ring.index:
        parts.append(_SHUFFLED[bool(ring["shuffled labels"] <= chance)])
    return " ".join(parts)


_SHUFFLED = {
    True: "Labels dealt out at random leave no ring: it takes a table with an order, and a network that has felt it.",
    False: "Labels dealt out at random leave a ring too: it does not even take a table with an order.",
}
RINGED = ("strong decay", "Gu et al., p = 47")
"""Runs that do not generalise, in whose embedding a ring is looked for."""
