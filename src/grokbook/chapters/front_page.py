"""The front page: a recorded run that moves under one slider, and the ledger's answers in six sentences."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import xarray as xr

from grokbook.claims import Outcome, choose, claims, outcomes
from grokbook.claims.verdicts import settled
from grokbook.runs.delay import grok_times, median_step
from grokbook.runs.experiment import Experiment
from grokbook.runs.gu2025 import fig5
from grokbook.runs.lead import accuracy_half_way, half_move

SHOWN = 1
"""The seed that is shown: of the five runs of Fig. 5 at p = 97 the one that generalises first."""


def often() -> dict[str, Experiment]:
    """One of the runs of `fig5(97)`, step for step, with its embedding kept every 200 steps.

    Example:
        >>> often()["run"].name, often()["run"].seeds
        ('gu2025/fig5[p=97, 51 snapshots]', (1,))
    """
    usual = fig5(97)
    config = dataclasses.replace(usual.config, snapshots=51)
    said = {"statement": usual.statement, "source": usual.source, "choices": usual.choices}
    return {"run": Experiment(f"{usual.name[:-1]}, 51 snapshots]", config, (SHOWN,), **said)}


RUNS = (often,)

ALT = (
    "Left: the embedded numbers in one plane, a tangle, later a ring. Right: their spectrum, flat, later a few "
    "peaks, and both accuracies, that of the test set rising long after the other."
)


def caption(run: xr.Dataset) -> str:
    """What the moving figure shows, of one run (no dim `seed`)."""
    p, times = run.sizes["token"], grok_times(run).iloc[0]
    late = "it does not generalise" if times.censored else f"it generalises at step {times.grok_step:,}"
    which = f"One recorded run: addition modulo {p}, seed {int(run.seed)}; {late} in {int(run.step.max()):,} steps."
    left = f"Left: the {p} embedded numbers in the plane of their strongest frequency, joined by angle."
    right = "Right: the spectrum, strongest frequencies in green; accuracy on training (blue) and test set (vermilion)."
    return f"{which} {left} {right}"


def circle(run: xr.Dataset) -> str:
    """When accuracy and spectrum of this run (no dim `seed`) are half way, by the rule of chapter 6, in sentences."""
    known = "No one told the network that its numbers lie on a clock."
    fit, accuracy, _ = accuracy_half_way(run.train_accuracy, run.test_accuracy)
    ring = None if fit is None else half_move(run.fourier_ipr, fit, "rises")[0]
    if accuracy is None or ring is None:
        return known
    first, then = (int(run.step[at]) for at in (accuracy, ring))
    order = "before it" if then < first else "after it" if then > first else "with it"
    return (
        f"{known} A circle grows in its embedding as the accuracy on new pairs rises: the accuracy is half way at step "
        f"{first:,}, the spectrum at step {then:,}, {order}. Adding numbers has become adding angles."
    )


# ------------------------------------------------------------------------------------------- six sentences


@dataclass(frozen=True)
class Answer:
    """One answer: of what `kind`, a `number` to see at a glance, the `sentence`, a bar of `parts` (words, size, look).

    A look is a verdict, or the name of a colour of the book. `ids` are the claims it rests on; `place` is the section
    that shows it, `NN_name: words of a heading`.
    """

    kind: str
    number: str
    sentence: str
    parts: tuple[tuple[str, float, str], ...]
    place: str
    ids: tuple[str, ...] = ()


def grokking(runs: xr.Dataset | None) -> Answer:
    """What grokking is, on the recorded runs of `fig5(97)`; a run that does not get there counts as later."""
    kind, place = "What grokking is", "01_what_is_grokking: The training set is fitted early"
    if runs is None:
        return Answer(kind, "not run", f"The runs of {fig5(97).name} are not recorded.", (), place)
    times, last = grok_times(runs), int(runs.step.max())
    fit, grok = (median_step(times, name) for name in ("fit_step", "grok_step"))
    seen, late = times.grok_step.dropna(), int(times.grok_step.isna().sum())
    if fit is None or not len(seen):
        return Answer(kind, f"{len(seen)} of {len(times)}", f"No such run generalises by step {last:,}.", (), place)
    known = f"{len(times)} networks that learn addition modulo 97 from 30 % of the pairs know these by step {fit:,.0f}"
    told = f"{known} (median). Of these {len(seen)} generalise, between steps {seen.min():,} and {seen.max():,}"
    rest = f", and {late} not by step {last:,}." if late else "."
    until = last if grok is None else grok
    parts = (("learning by heart", fit, "train"), ("delay", until - fit, "quiet"), ("the rule", last - until, "test"))
    return Answer(kind, f"{fit:,.0f} → {until:,.0f}", told + rest, parts, place)


def deeper(said: Mapping[str, Outcome]) -> Answer:
    """G54: uniformity in the layers behind the embedding."""
    found = said["G54"].finding
    share, band = found.value or 0.0, f"{found.low:.0%} to {found.high:.0%}, {found.numbers['learned']} runs"
    told = (
        "Uniformity is real, and it lies deeper than the embedding, as the paper concludes: when a small network "
        f"generalises, the class of a pair explains {share:.0%} of the spread behind its MLP ({band}). "
        f"Runs that only memorise end at {found.numbers['idle']:.0%}."
    )
    parts = (("explained by the class", share, "measure"), ("not", 1 - share, "quiet"))
    return Answer("What the papers got right", f"{share:.0%}", told, parts, said["G54"].claim.page, ("G54",))


def med(said: Mapping[str, Outcome]) -> Answer:
    """G53 and P15: MED describes the change and does not foretell it."""
    seen = said["P15"].finding.numbers
    first, runs = seen["first"], seen["runs"]
    told = (
        f"The measure MED falls when the accuracy rises (rank correlation {seen['tau']:.2f} among the runs of a task), "
        f"so it describes the change. But of {runs} small runs that generalise it is halfway before the accuracy in "
        f"{first} (of {seen['large']} of the papers' size in {seen['large_first']}), and falls as far in "
        f"{seen['anyway']} runs chosen not to generalise. It does not foretell."
    )
    parts = (("MED first", first, "measure"), ("accuracy first or together", runs - first, "test"))
    kind = "Right as a description, wrong as a forecast"
    return Answer(kind, f"{first} of {runs}", told, parts, said["P15"].claim.page, ("G53", "P15"))


def sums(said: Mapping[str, Outcome]) -> Answer:
    """G06: the sums of a class are not close, whatever the network answers."""
    seen = said["G06"].finding.numbers
    near, of = seen["near"], seen["of"]
    told = (
        "Right answers do not draw the sums of two embedded numbers together by class: the sums of every class have "
        f"one common mean. Of {of} embeddings tried, {near or 'none'} fit the classes into balls smaller, in "
        "the mean, than their own. What sorts the classes is products of coordinates, as on a circle, where angles add."
    )
    parts = (("classes close", near, "measure"), ("classes wide", of - near, "fails"))
    return Answer("What is wrong, and true instead", f"{near} of {of}", told, parts, said["G06"].claim.page, ("G06",))


def coverage(said: Mapping[str, Outcome]) -> Answer:
    """G22: an expectation below one is not a probability near one."""
    seen = said["G22"].finding.numbers
    grid, torus, p = seen["grid"].value, seen["torus"].value, seen["p"]
    told = (
        "How many pairs must be trained? The printed bound makes the expected number of uncovered cells small and "
        f"calls full coverage near certain. At its {seen['threshold']:,} of {p * p:,} cells all are covered in "
        f"{torus:.0%} of draws, and in {grid:.0%} where the grid has edges. The exact counts replace it."
    )
    parts = (("all covered", grid, "measure"), ("some cell missed", 1 - grid, "fails"))
    return Answer("What is wrong, and true instead", f"{grid:.0%}", told, parts, said["G22"].claim.page, ("G22",))


def still_open(verdicts: Mapping[str, str]) -> Answer:
    """What the settled verdicts leave open."""
    counts = Counter(verdicts.values())
    undecided, absent = counts["undecided"], counts["not run"]
    starts = verdicts.get("GE1") == verdicts.get("G51") == "undecided"
    among = " Among them: does a special start, or a wider network, bring generalisation forward?" * starts
    told = (
        f"{undecided} of {len(verdicts)} claims have runs that do not decide them, and {absent} wait for runs that "
        f"have not been made.{among} Each entry names what is missing, and what it would cost."
    )
    rest = len(verdicts) - undecided - absent
    parts = (("answered", rest, "quiet"), ("undecided", undecided, "undecided"), ("not run", absent, "not run"))
    page = "18_reproduction_report: The ledger"
    return Answer("What is open", f"{undecided + absent} of {len(verdicts)}", told, parts, page)


_JUDGED: tuple[tuple[Mapping[str, str], Callable[[Mapping[str, Outcome]], Answer]], ...] = (
    ({"G54": "holds"}, deeper),
    ({"G53": "holds", "P15": "fails"}, med),
    ({"G06": "fails"}, sums),
    ({"G22": "holds with correction"}, coverage),
)
"""The sentences that rest on claims, each with the verdicts under which it is true."""


def as_found(said: Sequence[Outcome]) -> Answer:
    """What is said where the verdicts are not those that a sentence was written for: the first claim as it came out."""
    first = said[0]
    told = f"{first.claim.statement} {first.finding.verdict.capitalize()}: {first.finding.evidence}."
    ids = tuple(one.claim.id for one in said)
    return Answer("What came out", first.finding.verdict, told, (), first.claim.page, ids)


def answers(runs: xr.Dataset | None) -> list[Answer]:
    """The six answers: the runs of `fig5(97)` (None: not recorded), four checks made now, and what is left open."""
    judged = []
    for expected, say in _JUDGED:
        said = list(outcomes(choose(list(expected))))
        as_written = {one.claim.id: one.finding.verdict for one in said} == expected
        judged.append(say({one.claim.id: one for one in said}) if as_written else as_found(said))
    return [grokking(runs), *judged, still_open(settled())]


def verdicts_of(paper: str) -> Counter[str]:
    """How many claims of a paper have each settled verdict; ours about it are not among them.

    Example:
        >>> verdicts_of("gu2024")["fails"] > 0
        True
    """
    known = settled()
    said = (c for c in claims() if c.paper == paper and c.origin == "paper" and c.id in known)
    return Counter(known[claim.id] for claim in said)
