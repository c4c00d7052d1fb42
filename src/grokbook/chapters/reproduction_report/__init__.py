"""Chapter 18, which trains nothing: the claim ledger run and counted, what is new here, ways to train compared."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping

import pandas as pd
import seaborn as sns
import xarray as xr
from matplotlib.figure import Figure

from grokbook.claims.finding import VERDICTS, Finding
from grokbook.claims.ledger import KINDS, PAPERS, Claim, Outcome
from grokbook.claims.runs import cost, load
from grokbook.claims.verdicts import settled
from grokbook.machine import duration
from grokbook.plotting.style import panels, styled
from grokbook.runs.comparison import permutation_p
from grokbook.runs.delay import grok_times, median_step
from grokbook.runs.experiment import Experiment
from grokbook.runs.gu2025 import fig5, modular_run
from grokbook.training.schedule import Schedule


@styled
def verdicts_by_kind(table: pd.DataFrame) -> Figure:
    """The counts of verdicts by kind as a grid of numbers, darker for more claims; totals at the margins."""
    counts = pd.crosstab(table.verdict, table.kind).reindex(index=VERDICTS, columns=KINDS, fill_value=0)
    said = counts.astype(str).mask(counts == 0, "")
    kinds = [f"{kind}\n({total})" for kind, total in counts.sum().items()]
    verdicts = [f"{verdict} ({total})" for verdict, total in counts.sum(axis=1).items()]
    fig, ((ax,),) = panels(1, 1, height=3.6)
    most = 2 * max(1, counts.to_numpy().max())
    sns.heatmap(counts, vmin=0, vmax=most, cmap="Greys", annot=said, fmt="", cbar=False, ax=ax,
                     xticklabels=kinds, yticklabels=verdicts)  # fmt: skip
    ax.set(xlabel="", ylabel="")
    ax.tick_params(length=0)
    return fig


def left_out(claims: Iterable[Claim]) -> list[Outcome]:
    """Claims whose checks a page leaves out, with their settled verdicts, so that each still has its place there.

    Example:
        >>> from grokbook.claims import choose
        >>> left_out(choose(["G36"]))[0].finding.evidence
        'Its check takes about 1 s and is left out at this preset; the verdict is the settled one.'
    """
    said = "Its check takes about {} and is left out at this preset; the verdict is the settled one."
    known = settled()
    return [Outcome(c, Finding(known.get(c.id, "not run"), said.format(duration(c.seconds))), 0.0) for c in claims]


def left_said(left: int) -> str:
    """How many claims a page shows without running their checks, in a sentence.

    Example:
        >>> left_said(0), left_said(3)[:48]
        ('No check is left out.', '3 are shown with their settled verdicts: their c')
    """
    few = f"{left} are shown with their settled verdicts: their checks take seconds, and `slow` is off."
    return few if left else "No check is left out."


def counts_by_paper(table: pd.DataFrame) -> pd.DataFrame:
    """How many claims of each paper have each verdict, and how many there are in all; ours stand in a column of theirs.

    Example:
        >>> rows = {"paper": ["gu2025"] * 2, "verdict": ["fails"] * 2, "origin": ["paper", "ours"]}
        >>> counts_by_paper(pd.DataFrame(rows)).columns.tolist()
        ['verdict', 'Gu et al. 2025', 'this book']
    """
    whose = table.paper.map(PAPERS).where(table.origin == "paper", "this book")
    counts = pd.crosstab(table.verdict, whose).reindex(VERDICTS, fill_value=0)
    counts = counts[[name for name in (*PAPERS.values(), "this book") if name in counts]]
    counts.loc["all"] = counts.sum()
    return counts.rename_axis("verdict").rename_axis(None, axis=1).reset_index()


# ---------------------------------------------------------------------------------------- numbers and programs

BFLOAT16_SEEDS = {"p = 59": 5, "p = 97": 3}
"""Runs in bfloat16 that are compared with those in float32."""


def in_float32() -> dict[str, Experiment]:
    """Two settings that are recorded in float32: the small companion of chapter 09, and Fig. 5 at p = 97.

    Example:
        >>> list(in_float32())
        ['p = 59', 'p = 97']
    """
    small = dataclasses.replace(modular_run(59, 0.5, d_model=64, steps=4_000), log=Schedule(points=200))
    return {"p = 59": Experiment("small/fig20[start=normal, frac=0.5]", small, tuple(range(13))), "p = 97": fig5(97)}


def in_bfloat16() -> dict[str, Experiment]:
    """The same settings with products in bfloat16.

    Example:
        >>> [run.name for run in in_bfloat16().values()]
        ['small/bfloat16[p = 59]', 'small/bfloat16[p = 97]']
    """
    said = {"statement": "Products in bfloat16 do not change when a network generalises.", "source": "this book"}
    return {
        label: Experiment(
            f"small/bfloat16[{label}]",
            dataclasses.replace(run.config, dtype="bfloat16"),
            tuple(range(BFLOAT16_SEEDS[label])),
            **said,
        )
        for label, run in in_float32().items()
    }


LEVEL = 0.05
"""Level at which two ways to train differ."""

RUNS = (in_bfloat16,)


def by_update(dataset: xr.Dataset) -> dict[str, xr.Dataset]:
    """The runs of a record apart by how they were trained: number format and update ("eager" or "compiled").

    Example:
        >>> made = [{"seeds": [0], "dtype": "float32"}, {"seeds": [1], "dtype": "float32", "update": "compiled"}]
        >>> data = xr.Dataset({"x": ("seed", [1, 2])}, {"seed": [0, 1]}, {"provenance": json.dumps(made)})
        >>> list(by_update(data))
        ['float32, eager', 'float32, compiled']
    """
    found: dict[str, list[int]] = {}
    for made in json.loads(dataset.attrs["provenance"]):
        way = f"{made['dtype']}, {made.get('update', 'eager')}"
        found.setdefault(way, []).extend(s for s in made["seeds"] if s in dataset.seed)
    return {way: dataset.sel(seed=seeds) for way, seeds in found.items() if seeds}


def ways_table(datasets: Mapping[str, list[xr.Dataset]]) -> pd.DataFrame:
    """One row a setting and way to train: runs, how many generalise, when, and how it compares with the first way.

    `p` is two-sided: twice the smaller of the exact `permutation_p` of "not earlier" and "not later", at most 1; NaN
    for the first way itself.
    """
    rows = []
    for label, parts in datasets.items():
        times = {way: grok_times(runs) for part in parts for way, runs in by_update(part).items()}
        first = next(iter(times.values()), None)
        for way, table in times.items():
            seen = table.grok_step.dropna().astype(float)
            both = [permutation_p(table, first), permutation_p(first, table)]
            rows.append({"setting": label, "numbers, update": way, "runs": len(table), "generalise": len(seen),
                         "median grok step": median_step(table), "first": seen.min(), "last": seen.max(),
                         "p": float("nan") if table is first else min(1.0, 2 * min(both))})  # fmt: skip
    columns = ["setting", "numbers, update", "runs", "generalise", "median grok step", "first", "last", "p"]
    return pd.DataFrame(rows, columns=columns)


def ways_said(table: pd.DataFrame) -> str:
    """What the p values of `ways_table` say, in sentences.

    Example:
        >>> ways_said(pd.DataFrame({"p": [float("nan")]}))
        'One way of each setting is recorded, so nothing is compared.'
    """
    found = table.p.dropna()
    if found.empty:
        return "One way of each setting is recorded, so nothing is compared."
    least = f"the smallest p is {found.min():.2f}"
    if found.min() <= LEVEL:
        return f"Two ways differ: {least}."
    return (
        f"Nothing as large as the spread between seeds was found: {least}. That does not show that two ways are equal; "
        "with this many runs a change of the median by a tenth cannot be seen."
    )


def ways_open() -> str:
    """The settings whose runs in bfloat16 are not recorded, with their cost; nothing where all are.

    Example:
        >>> "{" in ways_open()
        False
    """
    left = {label: run for label, run in in_bfloat16().items() if run.missing_seeds()}
    return f"Not run: bfloat16 at {' and '.join(left)}; {cost(left.values())}." if left else ""


def ways() -> pd.DataFrame:
    """`ways_table` of what is recorded; nothing is trained."""
    parts = [load(in_float32()), load(in_bfloat16())]
    return ways_table({label: [part[label] for part in parts if label in part] for label in BFLOAT16_SEEDS})
