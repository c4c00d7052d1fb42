"""Chapter 03: what weight decay and correct outputs do and do not imply for an embedding."""

from __future__ import annotations

from collections.abc import Mapping

from grokbook.claims.report import summary
from grokbook.errors import ParameterError
from grokbook.runs.experiment import Experiment
from grokbook.runs.gu2025 import fig5


def plan(p: int, p_recorded: int, p_other: int, d: int, n_seeds: int) -> dict[str, Experiment]:
    """The runs of Fig. 5 at two moduli, from the records; the theory itself trains nothing.

    Raises ParameterError for a width that leaves Lemma B.1 without any map, and for two equal moduli.

    Example:
        >>> list(plan(13, 97, 47, 32, 1))
        ['p_recorded', 'p_other']
    """
    if p // 2 + 1 > d:
        raise ParameterError(f"d = {d} is too small for p = {p}: Lemma B.1 needs p // 2 + 1 = {p // 2 + 1} or more.")
    if p_recorded == p_other:
        raise ParameterError(f"p_recorded = p_other = {p_other} must be two different moduli; take 47 and 97.")
    runs = {"p_recorded": p_recorded, "p_other": p_other}
    return {name: fig5(modulus).with_seeds(n_seeds) for name, modulus in runs.items()}


_SUMS = (
    "In every sum of embeddings all classes have one common mean: if all classes are close, all symbols are near one "
    "point, and no network that adds up functions of its operands can add."
)
_BEHIND = {
    "holds": "Products can do what sums cannot; and in runs that generalise the classes come together after the MLP, "
    "by whatever it computes.",
}
_OPEN = "Products can do what sums cannot; whether the layers behind the embedding bring the classes together is open."


def answer(verdicts: Mapping[str, str]) -> str:
    """The chapter's answer in a box, from the verdicts of its rows of the ledger by id: claimed, found, how sure.

    Example:
        >>> answer({"G06": "fails", "G54": "holds"}).split(". ")[-1].partition(" (")[0]
        'What is said of sums and products is proved, the rest was seen in runs of small networks'
    """
    claimed = "The papers say that correct outputs bring the sums of a class together, that weight decay does so too, "
    claimed += "and that neighbouring symbols are alike then"
    found = f"{_SUMS} {_BEHIND.get(verdicts['G54'], _OPEN)}"
    counted = summary(dict(verdicts).values()).rstrip(".")
    sure = f"What is said of sums and products is proved, the rest was seen in runs of small networks ({counted})."
    return f"> **Answer.** {claimed}. {found} {sure}"
