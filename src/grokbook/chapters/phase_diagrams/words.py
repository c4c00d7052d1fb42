"""Sentences and tables of chapter 12 that depend on what came out, and on what is recorded."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np
import pandas as pd
import xarray as xr

from grokbook.chapters.phase_diagrams.published import COMPARED, counted
from grokbook.chapters.phase_diagrams.settings import more
from grokbook.claims import Runs
from grokbook.claims.finding import some
from grokbook.plotting.phases import READABLE
from grokbook.runs.delay import ROUNDING
from grokbook.runs.missing import with_missing
from grokbook.runs.phases import (
    OPEN,
    PHASES,
    RULES,
    PhaseRule,
    agreement,
    among_seeds,
    boundary_shift,
    kappa,
    phases,
)
from grokbook.runs.phases import shares as shares_of

DIAGRAMS = "diagrams of {}, a run being one seed of one,"
"""What is counted of our panels, as words of a sentence."""


def seed_or_size(phase: xr.DataArray) -> str:
    """Whether the share of cells that generalise moves more with the seed or with the size of the start (`spread`).

    Example:
        >>> cells = [[[list("MM")], [list("CC")]], [[list("MC")], [list("CC")]]]
        >>> ours = xr.DataArray(cells, dims=("spread", "seed", "decoder_weight_decay", "decoder_lr"))
        >>> seed_or_size(ours)
        'By seed the share that generalises moves by 100 and 50 points, by size by 25: by seed more than by size.'
    """
    share = 100 * phase.isin([*"CG"]).mean(["decoder_weight_decay", "decoder_lr"])
    seeds, sizes = share.max("seed") - share.min("seed"), share.mean("seed")
    size = float(sizes.max() - sizes.min())
    more = "by seed more than by size" if size < float(seeds.min()) else "the size matters as well"
    return (
        f"By seed the share that generalises moves by {seeds[0]:.0f} and {seeds[-1]:.0f} points, by size by "
        f"{size:.0f}: {more}."
    )


_ANSWERED = {
    "LP02": "In two published panels grokking is between the other two in {:.0%} of the lines of cells that have all "
    "three: in most lines along one axis of each panel, not along the other.",
    "LP11": "Two seeds of ours agree in {:.0%} of twelve cells, so a diagram with one seed a cell shows its seed too.",
    "LP13": "With the random numbers of the published runs our programs give the published phase in {:.0%} of the "
    "cells of one panel.",
}
"""What the answer says of a value of the ledger."""


def answer(said: pd.DataFrame) -> str:
    """The chapter's answer in a box, from the values of the ledger's rows LP02, LP11, LP13 (index id) that have one.

    Example:
        >>> answer(pd.DataFrame({"value": [0.4, None, None]}, index=["LP02", "LP11", "LP13"]))[-20:]
        'not along the other.'
    """
    told = [text.format(said.value[name]) for name, text in _ANSWERED.items() if pd.notna(said.value[name])]
    claimed = "Liu et al. divide the settings of their toy into four phases and call grokking sandwiched between "
    return f"> **Answer.** {claimed}comprehension and memorisation. {' '.join(told)}"


def capped(steps: int) -> PhaseRule:
    """The rule of this book for runs of `steps` steps: what is not reached by then counts as never by then.

    Example:
        >>> capped(300).cap
        300
    """
    return dataclasses.replace(PhaseRule(), cap=steps)


def rule_table(dataset: xr.Dataset, steps: int) -> pd.DataFrame:
    """A row a rule of `RULES`, each with its cap at `steps`: the number of cells in each phase, and not decided."""
    rows = []
    for name, rule in RULES.items():
        letters = np.ravel(phases(dataset, dataclasses.replace(rule, cap=steps)).phase)
        counts = {PHASES[letter]: int((letters == letter).sum()) for letter in PHASES}
        rows.append({"rule": name} | counts | {"not decided": int((letters == OPEN).sum())})
    return pd.DataFrame(rows)


def rules_differ(table: pd.DataFrame) -> str:
    """Whether the choice of the rule changes a count of `rule_table`, as a sentence."""
    counts = table.drop(columns="rule")
    if len(counts.drop_duplicates()) == 1:
        return "In this small diagram all four rules give the same counts."
    other = [name for name, row in zip(table.rule, counts.values, strict=True) if (row != counts.values[0]).any()]
    return f"Beside the rule of this book, other counts come from: {', '.join(other)}."


def live_told(phase: xr.DataArray) -> str:
    """What a small diagram shows, as sentences: how many cells are in each phase, and which phases do not occur."""
    counts = shares_of(phase) * int((phase != OPEN).sum())
    seen = [f"{PHASES[letter]} {count:.0f}" for letter, count in counts.items() if count > 0]
    missing = [PHASES[letter] for letter in "CGMX" if not counts[letter] > 0]
    absent = f" There is no cell of {' or '.join(missing)}." if missing else ""
    return f"Number of its cells in each phase: {', '.join(seen)}.{absent}"


def in_order(run: xr.Dataset, phase: xr.DataArray) -> str:
    """In how many cells the symbols lie in the order of their numbers at the end: where it generalises, and elsewhere.

    `run` has the embedding of each cell (one feature) and `phase` its letter, both of one seed.
    """
    ordered = np.sign(run.embedding.isel(feature=0).diff("token"))
    ordered = abs(ordered.sum("token")) == run.sizes["token"] - 1
    told = []
    for name, letters in (("that generalise", "CG"), ("that do not generalise", "MX")):
        cells = phase.isin(list(letters))
        if cells.any():
            told.append(f"in {some(int((ordered & cells).sum()), int(cells.sum()))} cells {name}")
    return f"The symbols lie in the order of their numbers {' and '.join(told)}."


def compared(ours: xr.DataArray, theirs: xr.DataArray) -> pd.DataFrame:
    """Agreement, kappa and shift of the boundary of each seed's diagram with a published one: a row a seed."""
    names = theirs.dims
    rows = []
    for seed in ours.seed.values.tolist():
        one = ours.sel(seed=seed).transpose(*names).values
        shift = f"{boundary_shift(one, theirs.values):+d}"
        rows.append((f"seed {seed}", agreement(one, theirs.values), kappa(one, theirs.values), shift))
    pairs = among_seeds(ours.transpose("seed", *names))
    rows += [(f"seeds {r.first} and {r.second}", r.agreement, r.kappa, "") for r in pairs.itertuples()]
    return pd.DataFrame(rows, columns=["compared", *COMPARED])


def comparison_told(table: pd.DataFrame) -> str:
    """What `compared` says: does the published panel agree less with our diagrams than one of ours with all others?

    Were it one more seed of ours, each of the n diagrams would be the one that agrees least in 1 of n cases.
    """
    single = table.compared.str.startswith("seed ")
    mean = table.agreement[single].mean()
    said = f"Of the cells that both decide, our diagrams agree with the published panel in {mean:.0%}"
    if single.all():
        return f"{said} (seeds: {int(single.sum())}); how well two seeds agree is not known from one."
    among, n = table.agreement[~single].mean(), int(single.sum()) + 1
    seeds = table.compared[single].str.removeprefix("seed ")
    ours = [table.agreement[table.compared.str.contains(rf"\b{seed}\b")].mean() for seed in seeds]
    least = (
        f"the published one agrees least with the others, as any seed would in 1 of {n} cases."
        if mean < min(ours) - ROUNDING
        else "one of ours agrees as little with the others: by this measure the published one could be another seed."
    )
    return f"{said}, with each other in {among:.0%}. Of the {n} diagrams {least}"


def followed(ours: xr.Dataset, fitted: xr.Dataset | None) -> xr.DataArray:
    """The phase of each run, those that ended before they had fitted decided by the same runs until they fit.

    Both are `phases`. A test set that was passed first is comprehension where the training set follows by the last
    step, and T where it does not; what `fitted` does not say either, or where it is None, stays open.

    Example:
        >>> known = {"fit_step": [np.nan] * 2, "test_step": [50.0] * 2, "phase": [*".."], "end": [200] * 2}
        >>> ours, again = (xr.Dataset({name: ("decoder_lr", values) for name, values in (known | other).items()})
        ...                for other in ({}, {"fit_step": [900, np.nan], "phase": [*"CT"]}))
        >>> followed(ours, again).values.tolist()
        ['C', 'T']
    """
    if fitted is None:
        return ours.phase
    early = (ours.phase == OPEN) & ours.test_step.notnull() & ours.fit_step.isnull()
    after = fitted.reindex_like(ours.phase, fill_value={"phase": OPEN})
    never = after.fit_step.isnull() & (after.phase != OPEN)
    letters = xr.where(after.fit_step > ours.end, "C", xr.where(never, "T", OPEN))
    return ours.phase.where(~early, letters)


def followed_told(panel: str, before: xr.DataArray, after: xr.DataArray) -> str:
    """How many cells `followed` decides, and as what, as a sentence; none where there was nothing to decide.

    Example:
        >>> cells = [xr.DataArray([list(letters)], dims=("seed", "decoder_lr")) for letters in (".G..", "CGT.")]
        >>> followed_told("6c", *cells)[:72]
        'Of our runs of 6c 3 of 4 ended with their test set passed before 90 % of'
    """
    was = before == OPEN
    if not was.any():
        return ""
    fit, never, left = (int((was & (after == letter)).sum()) for letter in ("C", "T", OPEN))
    others = f"; {left}, of seeds that were not made again, stay open" if left else ""
    return (
        f"Of our runs of {panel} {some(int(was.sum()), was.size)} ended with their test set passed before 90 % of the "
        f"training set was. Made again until it is, {fit} of these fit it (they count as comprehension: no delay), "
        f"{never} do not by the last step{others}."
    )


def shares_beside(ours: Mapping[str, xr.DataArray]) -> pd.DataFrame:
    """Percentage of each phase among the decided cells, ours over all seeds beside the published: two rows a panel.

    `ours` are diagrams by panel.

    Example:
        >>> cells = xr.DataArray([["C", "G"], ["M", "."]], dims=("decoder_weight_decay", "decoder_lr"))
        >>> shares_beside({"c": cells})["cells not decided"].tolist()
        [0, 1]
    """
    rows = []
    for panel, counts in counted().items():
        if panel in ours:
            theirs = np.repeat(list(counts), list(counts.values()))
            for name, cells in (("published", theirs), ("ours", ours[panel])):
                parts = {f"{PHASES[k]}, %": 100 * share for k, share in shares_of(cells).items()}
                unknown = {"cells not decided": int((cells == OPEN).sum())}
                rows.append({"panel": f"6{panel}", "whose": name} | parts | unknown)
    return pd.DataFrame(rows)


def beside(ours: Mapping[str, xr.DataArray], theirs: Mapping[str, xr.DataArray]) -> pd.DataFrame:
    """`compared` for every panel that is on both sides, by panel: a row a seed and a row a pair of seeds."""
    tables = {f"6{panel}": compared(ours[panel], cells) for panel, cells in theirs.items() if panel in ours}
    found = [table.assign(panel=panel) for panel, table in tables.items()]
    return pd.concat(found)[["panel", "compared", *COMPARED]] if found else pd.DataFrame()


def beside_told(
    table: pd.DataFrame, ours: Mapping[str, xr.DataArray], theirs: Mapping[str, xr.DataArray]
) -> str:
    """A paragraph for each published panel: `comparison_told` and `nowhere` where `beside` has it, else "not run".

    Example:
        >>> beside_told(pd.DataFrame(), {}, {"d": None})
        '*Panel 6d.* Not run: there is nothing of ours to set beside it.'
    """
    told = {f"6{panel}": "Not run: there is nothing of ours to set beside it." for panel in theirs}
    for panel in (panel for panel in theirs if panel in ours):
        told[f"6{panel}"] = comparison_told(table[table.panel == f"6{panel}"]) + nowhere(ours[panel], theirs[panel])
    return "\n\n".join(f"*Panel {name}.* {said}" for name, said in told.items())


def nowhere(ours: xr.DataArray, theirs: xr.DataArray) -> str:
    """The rates at which no cell of ours has the published letter, and the agreement at the others, as a sentence.

    Example:
        >>> axes = {"decoder_weight_decay": [0], "decoder_lr": [1e-4, 1e-3]}
        >>> nowhere(xr.DataArray([[list("MG")]], {"seed": [0]} | axes), xr.DataArray([list("CG")], axes))
        ' No cell agrees at the rate 0.0001; at the other rates 100% do.'
    """
    both = ours.transpose("decoder_lr", "seed", ...).values, theirs.transpose("decoder_lr", ...).values[:, None]
    ones, others = np.broadcast_arrays(*both)
    same = np.array([agreement(*pair) for pair in zip(ones, others, strict=True)])
    none = same == 0
    if none.all() or not none.any():
        return ""
    rates = [f"{rate:.2g}" for rate in ours.decoder_lr.values[none]]
    at = f"rate{'s' * (len(rates) > 1)} {', '.join(rates)}"
    return f" No cell agrees at the {at}; at the other rates {agreement(ones[~none], others[~none]):.0%} do."


def slowest(ours: xr.DataArray, theirs: xr.DataArray) -> str:
    """At the slowest rate of some cells: our seeds with a run that generalises, and the published cells that do.

    Example:
        >>> axes = {"decoder_weight_decay": [0, 1], "decoder_lr": [1e-4, 1e-3]}
        >>> cells = xr.DataArray([list("MG"), list("CG")], axes)
        >>> slowest(cells.expand_dims(seed=[0]), cells)
        'At the slowest rate all 1 seeds have a run that generalises; of the published cells there 1 of 2 do.'
    """
    good, published = (phase.isel(decoder_lr=0).isin([*"CG"]) for phase in (ours, theirs))
    seeds = good.any("decoder_weight_decay")
    return (
        f"At the slowest rate {some(int(seeds.sum()), seeds.size)} seeds have a run that generalises; of the published "
        f"cells there {some(int(published.sum()), published.size)} do."
    )


def comprehension_told(ours: xr.DataArray, theirs: xr.DataArray) -> str:
    """In how many of some cells each seed comprehends, beside the same published cells, as a sentence.

    Example:
        >>> axes = {"decoder_weight_decay": [0], "decoder_lr": [1e-4, 1e-3]}
        >>> cells = xr.DataArray([[list("CM")], [list("C.")]], {"seed": [0, 1]} | axes)
        >>> comprehension_told(cells, cells.isel(seed=0))
        'Of these 2 cells 1, 1 comprehend at seeds 0, 1 (1 not decided), and 1 of the published ones.'
    """
    each = [f"{int((one == 'C').sum())}" for one in ours]
    left = int((ours == OPEN).sum())
    return (
        f"Of these {theirs.size} cells {', '.join(each)} comprehend at seeds {', '.join(map(str, ours.seed.values))}"
        f"{f' ({left} not decided)' if left else ''}, and {int((theirs == 'C').sum())} of the published ones."
    )


def replayed_told(runs: Runs) -> str:
    """What the panels came to whose runs have the draws of the published ones, as far as they are recorded.

    Example:
        >>> cells = {"phase": (("seed", "decoder_lr"), [list("CGM.")])}
        >>> replayed_told({"c": xr.Dataset(cells)})
        'Panel 6c, cells in C, G, M and X: published 30, 85, 50 and 11; with its draws 1, 1, 1 and 0 (1 other).'
    """
    told = []
    for panel, data in sorted(runs.items()):
        ours = [int((data.phase == letter).sum()) for letter in "CGMX"]
        theirs = [counted()[panel][letter] for letter in "CGMX"]
        rest = data.phase.size - sum(ours)
        words = ["{}, {}, {} and {}".format(*counts) for counts in (theirs, ours)]
        other = f" ({rest} other)" if rest else ""
        told.append(f"Panel 6{panel}, cells in C, G, M and X: published {words[0]}; with its draws {words[1]}{other}.")
    return " ".join(told) or "None of these panels is recorded yet."


def ours_told(runs: Runs) -> str:
    """One sentence on which of our panels are recorded, and in how many seeds; none without a record."""
    if not runs:
        return "None of them is recorded yet, so this page has nothing of ours to set beside the published panel."
    told = [f"{name} (seeds: {data.sizes['seed']})" for name, data in sorted(runs.items())]
    return f"Recorded so far: {', '.join(told)}."


def figures_table() -> pd.DataFrame:
    """Figs 13 to 15: a row a sweep with its axes, its cells, and the seeds that are missing with their minutes."""
    sweeps = list(more().values())
    rows = []
    for label, sweep in more().items():
        axis = sweep.axes[1]
        side = f"{READABLE[axis.name]}, {axis.values[0]:g} to {axis.values[-1]:g}"
        rows.append({"figure": label, "down": side, "cells": int(np.prod(list(sweep.shape.values())))})
    return with_missing(rows, sweeps, ["figure", "down", "cells"])


def decay_told(others: Mapping[str, xr.DataArray], little: float) -> str:
    """Up to which decay of the embeddings each task of Fig. 15 comprehends as without any, from diagrams by figure.

    Example:
        >>> cells = xr.DataArray([list("CCMM")], dims=("decoder_lr", "encoder_weight_decay"),
        ...                      coords={"encoder_weight_decay": [0.0, 1.0, 2.0, 3.0]})
        >>> decay_told({"15 regression": cells}, 0.1)
        'regression has its share without decay, to within 10%, up to a decay of 1'
    """
    told = []
    for name, phase in others.items():
        figure, _, task = name.partition(" ")
        if figure == "15":
            part = (phase == "C").mean([dim for dim in phase.dims if dim != "encoder_weight_decay"])
            off = (np.abs(part - part[0]) >= little).values
            last = part.encoder_weight_decay.values[(int(off.argmax()) if off.any() else len(off)) - 1]
            told.append(f"{task} has its share without decay, to within {little:.0%}, up to a decay of {last:g}")
    return "; ".join(told)
