"""Chapter 16: the algebra of networks that add without error, after Tian's CoGO, and what training finds of it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from grokbook.chapters.algebraic_solutions.trained import RUNS, plan
from grokbook.measures.hidden_nodes import CLOSE, OTHER, factorise, kind_of

__all__ = ["RUNS", "answer", "by_chance", "factor_words", "plan", "solved_words", "survives"]

_TRAINED = {
    "holds": "In networks trained at the paper's size nearly all frequencies are solved in these ways",
    "fails": "In networks trained at the paper's size not all shares of such solutions come out as printed",
}
_RAZOR = {
    "fails": "that the simpler of two solutions also has the smaller weights needs balanced layers",
    "holds": "the simpler of two solutions has the smaller weights",
}


def answer(verdicts: Mapping[str, str]) -> str:
    """The chapter's answer in a box, from the verdicts of T06, T07, T10 and T11.

    Example:
        >>> answer({"T06": "holds", "T07": "holds", "T10": "fails", "T11": "not run"}).count(". ")
        3
    """
    built = all(verdicts[name] == "holds" for name in ("T06", "T07"))
    exact = "They are exact: built here, they have no loss" if built else "Built here, not all of them are exact"
    trained = _TRAINED.get(verdicts["T11"], "Whether networks of the paper's size end there our runs do not decide")
    return (
        "> **Answer.** Networks with squares can be added and multiplied like numbers, the slides say, and those that "
        f"add modulo d without error are small products. {exact}; {_RAZOR[verdicts['T10']]}. {trained}. "
        "The algebra is proved and checked for all data and squared error; how training gets there they do not say."
    )


def by_chance(draws: int, seed: int = 0) -> pd.DataFrame:
    """How often random nodes pass the test of factors, in percent: a row an order and way to draw.

    All waves have size one. The angles of the layers are random, or random but for a sum of zero, as in a trained
    network. Columns: nodes, angles, factor, as constructed.

    Example:
        >>> by_chance(5).nodes.tolist()
        [4, 4, 6, 6]
    """
    rng, rows = np.random.default_rng(seed), []
    for n in (4, 6):
        free = np.exp(2j * np.pi * rng.uniform(size=(draws, 3, n)))
        tied = np.concatenate([free[:, :2], 1 / (free[:, :1] * free[:, 1:2])], axis=1)
        for angles, sets in (("random", free), ("random, sum zero", tied)):
            found = [factorise(nodes) for nodes in sets]
            passed = [each.factorable for each in found]
            known = [each.factorable and kind_of(each) != OTHER for each in found]
            rows.append({"nodes": n, "angles": angles, "factor": 100 * np.mean(passed),
                         "as constructed": 100 * np.mean(known)})  # fmt: skip
    return pd.DataFrame(rows)


def solved_words(table: pd.DataFrame) -> str:
    """What `frequency_table` says of a trained network, as a sentence or two.

    Example:
        >>> rows = {"order": [4, 5], "factorable": [True, False], "kind": ["nu=i * xi", ""]}
        >>> solved_words(pd.DataFrame(rows))
        'Of 2 frequencies 1 has order 4, none order 6 and 1 another order. Of those 1 factors, 1 as constructed.'
    """
    count = {order: int((table.order == order).sum()) for order in (4, 6)}
    said = {n: "none" if not n else str(n) for n in (*count.values(), len(table) - sum(count.values()))}
    factored = table[table.factorable]
    first = (
        f"Of {len(table)} frequencies {said[count[4]]} {'has' if count[4] < 2 else 'have'} order 4, "
        f"{said[count[6]]} order 6 and {said[len(table) - sum(count.values())]} another order."
    )
    if not sum(count.values()):
        return f"{first} It was trained too briefly, or is too small, for more."
    right = int((factored.kind != OTHER).sum())
    return f"{first} Of those {len(factored)} factor{'s' * (len(factored) == 1)}, {right or 'none'} as constructed."


def factor_words(best: pd.DataFrame) -> str:
    """What the picture of factors shows: `best` is the row of a frequency that factors, or no row.

    Example:
        >>> factor_words(pd.DataFrame())
        'No frequency of this short run factors, so there is no table to draw.'
    """
    if not len(best):
        return "No frequency of this short run factors, so there is no table to draw."
    row = best.iloc[0]
    limit = CLOSE * np.sqrt(3 * row.order)
    return (
        f"Frequency {row.frequency} of this network factors with an error of {row.error:.3f}, where {limit:.3f} is "
        f"allowed; of its {row.order} nodes each is the product of a face at the left and one on top."
    )


_SURVIVES = {
    "T01": "networks are a semi-ring once the order of their nodes is forgotten",
    "T03": "the loss is a sum over frequencies where the input layers have no constant part",
    "T08": "the network that learns by heart is exact, with one node a pair",
    "T09": "the razor's path exists for every network that the slides construct",
    "T10": "between balanced networks the simpler one is the smaller one",
}


def survives(verdicts: Mapping[str, str]) -> str:
    """What is true in place of the statements that need a word more, in one sentence.

    Example:
        >>> survives({"T10": "fails"})
        'What is true instead: between balanced networks the simpler one is the smaller one.'
    """
    said = [words for name, words in _SURVIVES.items() if verdicts.get(name, "holds") != "holds"]
    return f"What is true instead: {'; '.join(said)}." if said else "All statements hold as they are printed."
