"""The ten central claims of the papers, in their own words, with what came out and what is true instead."""

from __future__ import annotations

from dataclasses import dataclass

from grokbook.claims.ledger import Outcome
from grokbook.claims.verdicts import settled


@dataclass(frozen=True)
class Central:
    """A claim by its id: the paper's words, and the sentences that are true where it has the verdict `where`.

    `reason`, `number` and `survives` are templates of the finding's numbers, and of the verdicts `settled`, by id. With
    any other verdict the ledger's evidence stands in their place.
    """

    id: str
    quote: str
    where: str
    reason: str
    number: str
    survives: str


CENTRAL = (
    Central(
        "G14",
        "the necessary and sufficient condition for the weight decay term to reach a local minimum is that the "
        "embedding in the equivalence class of the training set remains uniform",
        "fails",
        "Renaming the symbols changes neither the loss on all cells nor any norm. Equal steps survive it, and MED, by "
        "which the paper measures uniformity, does not.",
        "One circle has MED from {least:.3f} to {most:.3f}, a factor of {value:.0f}, at p = {p}.",
        "Small norms bound MED from above, sharply; they say nothing about which symbols are neighbours.",
    ),
    Central(
        "G54",
        "this uniformity should be interpreted as representation uniformity rather than a concept restricted to the "
        "embedding space",
        "holds",
        "In small runs that generalise, the cells of a class come together behind the MLP, and in runs that memorise "
        "they do not.",
        "At generalisation the class explains {value:.0%} of the rows after the MLP ({low:.0%} to {high:.0%}; "
        "{learned} runs; {memorised} that memorise end at {idle:.0%} at most).",
        "The statement itself: uniformity is deeper than the embedding, where sums cannot have it.",
    ),
    Central(
        "G27",
        "The value of the MED function and the test loss exhibit nearly identical changes",
        "fails",
        "Their logged changes often have the same direction, and in no reading of ours nearly always in every run.",
        "Equal direction in {shares} of the logged intervals after fitting; the worst run {missed}.",
        "An association beyond chance is there in {significant} runs: {detrended:.0%} of the detrended "
        "changes, against {null:.0%} by chance. It is that of the vectors' length.",
    ),
    Central(
        "G53",
        "straightforwardly captures changes in test accuracy after training accuracy reaches 1",
        "holds",
        "Within a task, MED falls early in the runs in which the accuracy rises early.",
        "Rank correlation within tasks {tau:.2f} (p = {p_value:.2g}); {runs} of the runs, small networks, generalise.",
        "The statement, for synchrony. The mean length of the vectors alone does it as well.",
    ),
    Central(
        "P15",
        "a robust hidden progress measure that effectively captures the grokking phenomenon across all operations on "
        "prime number fields",
        "fails",
        "The abstract says of hidden progress measures that they anticipate grokking; MED mostly moves after the "
        "accuracy has. (The paper's Definition 5 asks for no lead.)",
        "It is first in {first} of {runs} small runs that generalise and in {large_first} of {large} of the papers' "
        "size, and falls as far in {anyway} runs chosen not to.",
        "MED goes with the accuracy (G53), behind it.",
    ),
    Central(
        "GT1",
        "the upper limit of accuracy achievable through grokking",
        "undecided",
        "An upper limit falls by one run that exceeds it. None does in a row that groks in print, and not every row is "
        "reached.",
        "{runs} runs, with limits within {near:.0f} points counted as reproduced.",
        "Which training set allows more and which less: the rows' order is nearly that of the paper (rank "
        "correlation {order:.2f}).",
    ),
    Central(
        "G24",
        "this lower bound is also the proportion of training sets required to stably observe grokking",
        "undecided",
        "No radius is printed, and the runs that do not generalise are too short to say so. It counts trained cells of "
        "every class; the theorem behind it asks for one's own.",
        "At {fraction:.0%} {seen}. A disc of radius {k} has {c} cells, {own} of them of the class; counted so, "
        "{share:.0%} becomes {own_share:.0%} (p = {p}).",
        "A fraction that suffices for coverage by any class, 1 - p^(-2/C), which is below the printed one.",
    ),
    Central(
        "G44",
        "The non-trivial attractors (equilibrium points) of the dynamical system defined by (11)-13 are all stable.",
        "holds with correction",
        "Every point of x w u = 1 is stable and none attracts: the surface does. The other equilibria, the axes, are "
        "not stable.",
        "Starts at distance r end within {value:.1f} r of a point of the surface.",
        "Where each start ends has a closed form, by two conserved quantities.",
    ),
    Central(
        "G31",
        "The goal of transformer learning is to make the embedding convexly separable on a certain subspace.",
        "vacuous",
        "Whatever a linear read-out sorts without a mistake is separable, noise as well as a learned rule.",
        "Noise sorted by a random read-out: {value:.0%} of the class pairs are separable; with its labels shuffled, "
        "{null:.0%}.",
        "A probe that can fail tells when, and behind which stage, the rule is there.",
    ),
    Central(
        "GF20",
        "The number of epochs required for grokking to begin on the right side is only half of that on the left side.",
        "undecided",
        "At the published setting too few runs are recorded to tell a factor of two from the spread over seeds.",
        "{seen}.",
        "Small companions, with seeds set aside, ask whether its structure alone brings generalisation forward: "
        "{settled[GE1]} (entry GE1).",
    ),
)
"""In the order of the argument: weight decay, MED, the training set, the flow, separability, a start."""

LABELS = {"fails": "True instead", "vacuous": "What says more", "undecided": "Beside it"}
"""How the last sentence begins, by the verdict; "What stands" where the claim holds."""


def sentences(entry: Central, outcome: Outcome) -> list[str]:
    """Reason, number and what is true; at another verdict than the entry's the evidence."""
    finding = outcome.finding
    if finding.verdict != entry.where:
        return [finding.evidence]
    known = {name: getattr(finding, name) for name in ("value", "low", "high")} | dict(finding.numbers)
    known["settled"] = settled()
    reason, number, true = (text.format(**known) for text in (entry.reason, entry.number, entry.survives))
    return [reason, number, f"{LABELS.get(entry.where, 'What stands')}: {true}"]
