"""Sentences of chapter 09 that depend on what came out, whole and chosen by the verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import pandas as pd
import xarray as xr

from grokbook.chapters.width_and_initialisation.tables import at_own_best, between, times_of
from grokbook.claims.finding import UNDECIDED, Part
from grokbook.runs.comparison import compare, oracles, ratio_bounds
from grokbook.runs.experiment import Experiment

LEVEL = 0.05
"""Level of every test."""

PAPERS = (
    "The papers say, from one run of each kind or two, that wider networks and a Toeplitz start of the embedding bring "
    "generalisation forward, and that separate tokens and position vectors delay it."
)
"""What the papers say, in a sentence."""

FOUND = {
    "holds": (
        "A Toeplitz structure alone, at the scale and the mean of the random start, does bring it forward, on seeds "
        "that had not been looked at when the question was put."
    ),
    UNDECIDED: "Whether a Toeplitz structure alone brings it forward is, by the rules set beforehand, {structure}.",
    "not run": "The runs that would tell the structure of a Toeplitz start from its scale and mean are not made.",
}
"""What was found of the start, by the verdict on GE1; `structure` is what `judged_starts` says of it."""


def answer(verdicts: pd.Series, structure: str) -> str:
    """The chapter's answer in a box: what the papers say, what was found of the start, how many rows are decided.

    `verdicts` of the ledger's rows by id; `structure` is what `judged_starts` says of the start "toeplitz_normal".

    Example:
        >>> answer(pd.Series({"GE1": "holds", "GF09": "fails", "GF10": "holds"}), "earlier")[-58:]
        "Each of the 2 rows on the papers' own settings is decided."
    """
    found = FOUND[verdicts["GE1"]].format(structure=structure)
    return f"> **Answer.** {PAPERS} {found} {sure(verdicts.drop('GE1'))}"


def sure(verdicts: Iterable[str]) -> str:
    """How many of these rows are decided, in a sentence.

    Example:
        >>> sure(["undecided", "not run"])[:21], sure(["holds", "fails"])
        ('None of the 2 rows on', "Each of the 2 rows on the papers' own settings is decided.")
    """
    every = list(verdicts)
    decided = sum(verdict not in (UNDECIDED, "not run") for verdict in every)
    rows, why = f"{len(every)} rows on the papers' own settings", "are too few, too short or not made"
    if decided == len(every):
        return f"Each of the {rows} is decided."
    if not decided:
        return f"None of the {rows} is decided: the runs {why}."
    return f"Decided: {decided} of the {rows}; for the others the runs {why}."


def followed(runs: Mapping[str, xr.Dataset | None]) -> str:
    """Seeds and steps of the runs of each setting, for a caption.

    Example:
        >>> followed({"p = 47": xr.Dataset(coords={"seed": [0, 1], "step": [0, 9000]}), "p = 97": None})
        'p = 47: 2 seeds, 9,000 steps; p = 97: not run'
    """
    said = []
    for label, data in runs.items():
        count = 0 if data is None else data.sizes["seed"]
        made = f"{count} seed{'s' * (count > 1)}, {int(data.step.max()):,} steps" if count else "not run"
        said.append(f"{label}: {made}")
    return "; ".join(said)


def of_shifts(settings: Mapping[str, Experiment], later: Callable[[pd.DataFrame, pd.DataFrame], Part]) -> str:
    """Whether the small networks with a shift generalise later than those without, in a sentence.

    Example:
        >>> of_shifts({}, lambda second, first: None)
        'The small networks are not run.'
    """
    there = {label: table for label, table in times_of(settings).items() if table is not None}
    base = there.pop("k = 0", None)
    if base is None or not there:
        return "The small networks are not run."
    parts = {label: later(table, base) for label, table in there.items()}
    said = {
        answer: f"{' and '.join(label for label in parts if parts[label] is part)} {answer}"
        for part, answer in ((True, "later"), (False, "earlier"), (None, "not decided"))
        if part in parts.values()
    }
    return f"At the small size, against k = 0, by the exact test at {LEVEL:.0%}: {'; '.join(said.values())}."


def of_figures(verdicts: Mapping[str, str]) -> str:
    """The verdicts on some figures, by number, in a sentence.

    Example:
        >>> of_figures({"19": "not run", "20": "not run"}), of_figures({"19": "holds", "20": "not run"})
        ('No run of Figures 19 and 20 is made.', 'Figure 19: *holds*, Figure 20: *not run*.')
    """
    if set(verdicts.values()) == {"not run"}:
        *most, last = verdicts
        return f"No run of Figures {', '.join(most)} and {last} is made."
    return f"{', '.join(f'Figure {number}: *{verdict}*' for number, verdict in verdicts.items())}."


def seen(evidence: str) -> str:
    """What a claim's evidence says of its runs: without what is missing, and without the companions in brackets.

    Example:
        >>> seen("a, b: 3 runs, predicted 9 minutes on one core; c: 1 of 2 (companions of this book: d)")
        'c: 1 of 2'
    """
    there = evidence.partition(" on one core")[2].removeprefix("; ") or evidence
    return there.partition(" (companions of this book")[0]


def controls(alarms: float, oracle: float, paired: float) -> str:
    """What the controls of the tests gave, in sentences; see `start_controls`.

    Example:
        >>> controls(float("nan"), float("nan"), float("nan"))
        'They are computed from the runs of the normal start, and these are not made.'
    """
    if alarms != alarms:
        return "They are computed from the runs of the normal start, and these are not made."
    return (
        "The normal start against itself: of all ways to halve its fresh seeds the test of groupings calls "
        f"{alarms:.1%} earlier; it may call 5 %. An effect that is there: the same runs with every step halved, "
        f"against themselves, p = {oracle:.3f}; and the pairs of each start with their own scatter about one half, "
        f"paired p = {paired:.3f} for the start where it is largest."
    )


def judged_starts(
    settings: Mapping[str, Experiment], sooner: Callable[[pd.DataFrame, pd.DataFrame], Part]
) -> dict[str, str]:
    """What a test says of each start against the normal one: earlier, later or not decided, with its numbers.

    Example:
        >>> judged_starts({}, lambda first, second: None)
        {}
    """
    there = times_of(settings)
    answers = {True: "earlier", False: "later", None: "not decided"}
    found = dict.fromkeys((start for start in settings if start != "normal"), "not run")
    for start in found:
        if there[start] is not None and there.get("normal") is not None:
            pair = there[start], there["normal"]
            part, seen, control = sooner(*pair), compare(*pair), oracles(*pair)[1]
            numbers = f"same seed {between(*seen.same_seed)}, paired p = {seen.paired:.3f}, {seen.pairs} pairs"
            if part is None and seen.paired <= LEVEL < control:
                numbers += f"; withheld: its pairs find a half that is put there only at p = {control:.3f}"
            found[start] = f"{answers[part]} ({numbers})"
    return found


def race_words(settings: Mapping[str, Experiment], costs: Mapping[str, float]) -> str:
    """What the runs of `by_optimiser` say, each at its own best rate; with one rate of any of them, that it is nothing.

    `costs` is the time of a step by optimiser, that of AdamW being 1.

    Example:
        >>> race_words({}, {})
        'No run of AdamW is recorded, so that nothing can be compared.'
    """
    best, there = at_own_best(settings), times_of(settings)
    if "adamw" not in best:
        return "No run of AdamW is recorded, so that nothing can be compared."
    once = [name for name in costs if best.get(name, ("", 0))[1] < 2]
    if once:
        return (
            f"Fewer than two learning rates are recorded of {' and '.join(once)}. A rate that suits one optimiser need "
            "not suit another, so from these rows nothing follows about which is faster."
        )
    base = there[best["adamw"][0]]
    found = {best[name][0]: ratio_bounds(there[best[name][0]], base) for name in costs if name != "adamw"}
    each = [
        f"{label} needs {between(low, high)} times the steps and "
        f"{between(low * costs[label.partition(',')[0]], high * costs[label.partition(',')[0]])} times the seconds"
        for label, (low, high) in found.items()
    ]
    rates = min(n for _, n in best.values())
    return f"Each at its own best of {rates} or more rates, against {best['adamw'][0]}: {'; '.join(each)}."
