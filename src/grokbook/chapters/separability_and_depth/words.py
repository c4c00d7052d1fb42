"""Sentences of chapter 07 on depth that depend on what came out, whole and chosen by the outcome."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from grokbook.chapters.separability_and_depth.depth import reached, studies, told, with_range
from grokbook.claims.finding import some
from grokbook.claims.runs import cost
from grokbook.runs.comparison import least_p

FEW = "Too few of these runs are recorded to compare them."


def not_run(absent: int, of: int) -> str:
    """How many depths of Fig. 2 are not recorded.

    Example:
        >>> not_run(4, 4), not_run(1, 4)
        ('none of its depths is recorded', '1 of its 4 depths not run')
    """
    return "none of its depths is recorded" if absent == of else f"{absent} of its {of} depths not run"


def short(table: pd.DataFrame, study: str) -> str:
    """How many runs of each depth of a study fit and generalise, in a sentence; without a run, that none is recorded.

    Example:
        >>> from grokbook.chapters.separability_and_depth.depth import depth_table
        >>> short(depth_table({}), "p = 37, 60 % trained")
        'No run is recorded.'
    """
    counts = table.groupby("layers")[["fit_step", "grok_step"]].agg(["count", "size"])
    said = [
        f"with {n} layer{'s' * (n > 1)} {some(row['fit_step', 'count'], row['fit_step', 'size'])} fit and "
        f"{some(row['grok_step', 'count'], row['grok_step', 'size'])} generalise"
        for n, row in counts.iterrows()
    ]
    config = studies()[study][1].config
    where = f"By step {config.steps:,} at {study}, width {config.model.d_model}"
    return f"{where}, {', '.join(said)}." if said else "No run is recorded."


def best(table: pd.DataFrame, steps: int) -> str:
    """Whether grokking diminishes with depth in the runs of a study, as the paper says; without two depths, nothing."""
    if table.layers.nunique() < 2:
        return ""
    found = reached(table)
    begin = {"holds": "That grokking diminishes with depth is what these runs show"}
    last = f"by step {steps:,}, in medians of {table.groupby('layers').size().min()} or more runs"
    return f"{begin.get(found.verdict, 'Of grokking that diminishes with depth')} {last}: {found.evidence}."


def shrunk(table: pd.DataFrame) -> str:
    """What the final MED over the norm says of the final MED, in a sentence; medians over seeds."""
    steps = table.groupby("layers")[["final MED", "MED over norm"]].median().diff().dropna()
    falls = (steps < 0).all()
    if steps.empty or not falls["final MED"]:
        return "Here MED does not fall with each layer."
    if falls["MED over norm"]:
        return "Here both fall with each layer."
    return "Here MED falls with each layer and the quotient does not: the embedding has shrunk."


def others(tables: Mapping[str, pd.DataFrame], main: str) -> str:
    """What the studies beside the main one show, in sentences, and which are not run, at what cost.

    Example:
        >>> others({"a": pd.DataFrame()}, "a")
        ''
    """
    beside = {name: table for name, table in tables.items() if name != main}
    said = [f"At {name}. {short(table, name)} {told(table)}" for name, table in beside.items() if len(table)]
    left = [name for name, table in beside.items() if not len(table)]
    if left:
        missing = cost(run for name in left for run in studies()[name].values())
        said.append(f"Not run: the same at {' and at '.join(left)}; {missing}.")
    return " ".join(said)


def told_causes(table: pd.DataFrame, *, least: int = 2, otherwise: str = FEW) -> str:
    """Largest fall, final test accuracy and runs that generalise of each variant, in a sentence; medians over seeds.

    `otherwise` is what is said of fewer than `least` variants.

    Example:
        >>> from grokbook.chapters.separability_and_depth.depth import depth_table
        >>> told_causes(depth_table({}, "what differs"), least=1, otherwise="It is not run.")
        'It is not run.'
    """
    if table["what differs"].nunique() < least:
        return otherwise
    said = [
        "{}: largest fall {:.2f}, final test accuracy {:.2f}, {} generalise".format(
            label, *part[["largest fall", "final test accuracy"]].median(), some(part.grok_step.count(), len(part))
        )
        for label, part in table.groupby("what differs", sort=False)
    ]
    return f"{'; '.join(said)}."


def told_training(table: pd.DataFrame) -> str:
    """Largest fall of the training accuracy as the networks are and with one thing changed; whether the seeds mix.

    Example:
        >>> from grokbook.chapters.separability_and_depth.depth import depth_table
        >>> told_training(depth_table({}, "what differs")) == FEW
        True
    """
    falls = {label: part["largest fall, training"] for label, part in table.groupby("what differs", sort=False)}
    base = falls.pop("as they are", pd.Series(dtype=float))
    if base.empty or not falls:
        return FEW
    each = "; ".join(f"{label} {with_range(values, '.2f')}" for label, values in falls.items())
    less = [label for label, values in falls.items() if values.max() < base.min()]
    mixed = f"Below every run as they are: {', '.join(less) or 'none'}."
    if len(less) == len(falls):
        mixed = "Each lies below every run as they are: each change lessens this oscillation"
        mixed += ", and none removes it." if all(values.min() > 0 for values in falls.values()) else "."
    few = min(map(len, falls.values()))
    exact = f"With {len(base)} seeds against {few} no exact test goes below {least_p(len(base), few):.2g} (chapter 9)."
    learned = table.grok_step.count()
    why = "" if learned else "; why not, they do not say"
    return (
        f"The largest fall of the training accuracy after the fit is {with_range(base, '.2f')} as they are; {each}. "
        f"{mixed} {exact} Of all these runs {some(learned, len(table))} generalise{why}."
    )


SEPARABLE = {
    "holds": "The first holds as it stands.",
    "vacuous": "The first is true of every network that fits its training cells, so it says nothing of learning.",
    "fails": "The first is not so: networks that fit do not hold their classes apart.",
}
FLUCTUATES = {
    "holds": "The second holds at the papers' own size.",
    "fails": "The second does not come out at the papers' own size.",
}
OPEN = "The second is open: the networks of the papers' own size are not trained, or too few."


def answer(verdicts: Mapping[str, str]) -> tuple[str, str]:
    """What was found of both statements of the chapter, by the verdicts on G31 and GF02: a sentence each.

    Example:
        >>> answer({"G31": "vacuous", "GF02": "not run"})[1][:18]
        'The second is open'
    """
    return SEPARABLE[verdicts["G31"]], FLUCTUATES.get(verdicts["GF02"], OPEN)
