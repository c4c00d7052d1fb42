"""What chapter 17 says of what comes out: each sentence is chosen by the numbers it speaks of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import xarray as xr

from grokbook.chapters.feature_emergence.trained import SOLVED, counted, has_bump
from grokbook.claims.runs import cost
from grokbook.runs.experiment import Experiment
from grokbook.theory.feature_energy import spectrum

STEADY = 0.02
"""Change of n / (M ln M) from one modulus to the next, as a part, below which it counts as none."""


def _learned_at(data: xr.Dataset, part: str) -> int | None:
    """The logged step from which on the median run has learned a part of the pairs; None if it never has."""
    reached = np.flatnonzero(data[f"{part}_accuracy"].median("seed") >= SOLVED)
    return int(data.step[reached[0]]) if len(reached) else None


def learned_said(data: xr.Dataset) -> str:
    """When the median run knows the trained pairs and the others, as a sentence.

    Example:
        >>> both = {f"{part}_accuracy": (("seed", "step"), [[0, 1]]) for part in ("train", "test")}
        >>> learned_said(xr.Dataset(both, {"seed": [0], "step": [0, 10]}))
        'With weight decay the trained pairs and the others are known by step 10.'
    """
    train, test, last = _learned_at(data, "train"), _learned_at(data, "test"), int(data.step[-1])
    if train is None and test is None:
        return f"These {last} steps are too few for this network to learn its training pairs, so expect no stages yet."
    if test is None:
        return f"With weight decay the trained pairs are known by step {train}, the others not by step {last}."
    if train == test:
        return f"With weight decay the trained pairs and the others are known by step {test}."
    known = "not" if train is None else f"by step {train}"
    return (
        f"With weight decay the trained pairs are known {known}{',' * (train is None)} and the others by step {test}."
    )


def stages_said(runs: Mapping[str, xr.Dataset]) -> str:
    """What the followed runs show of the accuracies, of the bump and of the nodes, as sentences.

    `runs` has "decay" and "none", each with dims seed and step.
    """
    flags = {name: [has_bump(data.gradient_norm.isel(seed=n).values) for n in range(data.sizes["seed"])]
             for name, data in runs.items()}  # fmt: skip
    here, there = (counted(flags[name]) for name in ("decay", "none"))
    told = [learned_said(runs["decay"])]
    told.append(f"The gradient's norm has a bump {here} with decay and {there} without.")
    if (step := _learned_at(runs["decay"], "test")) is not None:
        cosines = [float(data.alignment.sel(step=step).median()) for data in (runs["decay"], runs["none"])]
        told.append(f"At step {step} the gradient has a cosine of {cosines[0]:.2f} with the direction of Lemma 1 with "
                    f"decay, and of {cosines[1]:.2f} without: what decay changes is less its size than where it "
                    "points." if cosines[0] > cosines[1] + 0.1 else "")  # fmt: skip
    first = float(runs["decay"].reached.isel(step=0).median())
    ends = [float(runs[name].reached.isel(step=-1).median()) for name in ("decay", "none")]
    told.append(f"The units start with {first:.0%} of the largest energy and end with {ends[0]:.0%} with decay and "
                f"{ends[1]:.0%} without.")  # fmt: skip
    return " ".join(filter(None, told))


def climb_said(path: np.ndarray, M: int) -> str:
    """Which frequency takes a random unit, from the nodes (steps + 1, 2M) of its ascent.

    Example:
        >>> from grokbook.chapters.feature_emergence import one_ascent
        >>> climb_said(one_ascent(11, 30), 11)
        'after 30 steps one frequency has 100% of the weights, the one that was strongest at the start'
    """
    shares = spectrum(path, M)[:, 1:]
    winner = int(shares[-1].argmax())
    first = "the one that was" if winner == shares[0].argmax() else "and not the one that was"
    return (
        f"after {len(path) - 1} steps one frequency has {shares[-1, winner]:.0%} of the weights, {first} strongest "
        "at the start"
    )


def rate_said(kept: Mapping[int, np.ndarray]) -> str:
    """Whether n / (M ln M) of the median draw is flat over the moduli, as the end of a sentence.

    Example:
        >>> rate_said({7: np.array([30.0]), 11: np.array([90.0])}), rate_said({7: np.array([30.0])})
        ('ours rises', 'one modulus shows no rate')
    """
    ratio = np.array([np.median(n) / (M * np.log(M)) for M, n in kept.items()])
    change = np.diff(ratio) / ratio[:-1]
    if not len(change):
        return "one modulus shows no rate"
    kinds = {"ours is flat": abs(change) < STEADY, "ours rises": change > 0, "ours falls": change < 0}
    return next((words for words, true in kinds.items() if true.all()), "ours goes up and down")


def bars_said(middle: Mapping[float, float]) -> str:
    """The share of the pairs by bar, the first bar left out, as words in brackets; empty for one bar.

    Example:
        >>> bars_said({0.5: 0.6, 0.3: 0.55}), bars_said({0.5: 0.6})
        (' (55% at a bar of 0.3)', '')
    """
    others = [f"{share:.0%} at a bar of {bar:g}" for bar, share in list(middle.items())[1:]]
    return f" ({', '.join(others)})" if others else ""


def waiting(experiments: Iterable[Experiment], pattern: str) -> str:
    """What of these is not recorded, at what cost, and how to record it: a note for a page, empty if nothing is.

    Example:
        >>> waiting([], "tian2025/*")
        ''
    """
    left = [e for e in experiments if e.missing_seeds()]
    if not left:
        return ""
    return f"> **Not run.** Of these, {cost(left)}: `grokbook record --only '{pattern}'`."


_LAW = {
    "holds": "In our networks the boundary grows with M as M log M does",
    "fails": "In our networks of one width the boundary does not grow with M as M log M does, "
    "whichever modulus is left out",
}


def law_said(verdict: str) -> str:
    """What the verdict on the boundary says, as the beginning of a sentence."""
    return _LAW.get(verdict, "Whether the boundary of networks follows M log M is open here")


_MENDED = {
    "T13": "a prefactor",
    "T18": "a norm for a trace",
    "T19": "a third type of representation",
    "T20": "another family of maxima",
    "T22": "the length of the inputs",
    "T23": "a conjugate",
}
_ASSUMED = {
    "T14": "units enough to fit the training answers (T14)",
    "T27": "a decay near zero (T27)",
}


def _those(words: Mapping[str, str], verdicts: Mapping[str, str]) -> str:
    """The words of the claims that do not simply hold, as a list with "and"."""
    *first, last = [said for name, said in words.items() if verdicts.get(name, "holds") != "holds"] or [""]
    return f"{', '.join(first)} and {last}" if first else last


def answer(verdicts: Mapping[str, str]) -> str:
    """The chapter's answer in a box, from the verdicts of its rows of the ledger by id.

    Example:
        >>> answer({"T13": "holds with correction", "T18": "fails", "T30": "not run"}).count(". ")
        3
    """
    claimed = (
        "The paper says that features are the hills of an energy that only data and architecture fix, climbed one "
        "by one in a window that weight decay opens, and kept by about M log M pairs"
    )
    mended = _those(_MENDED, verdicts)
    found = "The hills are proved here for every finite group, one family for each real irreducible representation"
    found += f"; the paper's formulas need {mended}" if mended else ", as printed"
    return f"> **Answer.** {claimed}. {found}. {law_said(verdicts['T30'])}. Theorems are checked by proof, count and " \
           "draws; what is said of trained networks rests on the runs that are shown as made."  # fmt: skip


def survives(verdicts: Mapping[str, str]) -> str:
    """What is left of the paper's argument, what had to be mended and what to be assumed, as sentences.

    Example:
        >>> survives({"T14": "needs an assumption"}).split(". ")[1]
        'What has to be assumed: units enough to fit the training answers (T14).'
    """
    said = [
        "What survives is the argument as a whole: one gradient behind a ridge, an energy for each unit, hills that "
        "are the representations of the group, and units that make room for one another."
    ]
    mended, assumed = _those(_MENDED, verdicts), _those(_ASSUMED, verdicts)
    said += [f"The corrections are {mended}."] if mended else []
    said += [f"What has to be assumed: {assumed}."] if assumed else []
    return " ".join(said)
