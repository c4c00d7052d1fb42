"""What Liu et al. 2022 say of their phase diagrams, judged on our runs: section 4.1 and appendix G."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import xarray as xr

from grokbook.claims import Finding, claim, enough, found, judge
from grokbook.claims.finding import band, some
from grokbook.measures.phases import OPEN, PHASES, agreement, among_seeds, fractions, kappa, phases
from grokbook.topics.phase_diagrams.published import panels, same_cells, sandwiched, steps_beside
from grokbook.topics.phase_diagrams.settings import (
    SEEDS,
    SHORTER,
    TASKS,
    by_seed,
    by_start,
    fig6,
    more,
    replayed,
    until_fit,
)
from grokbook.topics.phase_diagrams.words import capped, followed, generalising

ENDS = 3
"""Values at each end of an axis that are compared."""

LITTLE = 0.1
"""A difference of shares of comprehension below which an axis counts as without much effect; fixed before any run."""


def _panels(*names: str) -> Callable[[], dict[str, object]]:
    return lambda: {f"6{name}": fig6()[name] for name in names}


def _figure(number: str) -> Callable[[], dict[str, object]]:
    return lambda: {task: more()[f"{number} {task}"] for task in TASKS}


def usual(phase: xr.DataArray) -> xr.DataArray:
    """The phase that most seeds have in each cell, the first of `PHASES` where several have as many.

    Example:
        >>> str(usual(xr.DataArray(list("GGC"), dims="seed")).values)
        'G'
    """
    found = fractions(phase)
    letters = xr.DataArray(np.array([*PHASES]), dims="phase")
    best = found.fillna(-1).argmax("phase")
    return letters.isel(phase=best).where(found.notnull().all("phase"), OPEN).drop_vars("phase", errors="ignore")


_THEIRS, DRAWN = "Ours beside theirs", "With their own draws"
_OURS = {"section": _THEIRS, "through": phases}


@claim("LP04", "liu2022", "section 4.1", **_OURS, runs=_panels("b", "c"), says="all four phases in {told}")
def four_in_ours(runs: Mapping[str, xr.Dataset]) -> Finding:
    """Of the diagrams 6b to 6d, "they all include four phases". Here: our runs of 6b and 6c, most seeds of each."""
    parts, told = [], []
    for name in ("6b", "6c"):
        data = runs[name]
        if data is None:
            parts.append(None)
            continue
        four = [set("CGMX") <= set(np.ravel(data.phase.sel(seed=seed))) for seed in data.seed]
        told.append(f"{name}: {sum(four)} of {len(four)} seeds")
        parts.append(sum(four) > len(four) / 2 if enough(data) else None)
    return judge(*parts, told="; ".join(told))


@claim(
    "LP05",
    "liu2022",
    "section 4.1, Fig. 6",
    **_OURS,
    runs=lambda: _panels("b", "c")() | {f"{name} until fit": panel for name, panel in until_fit().items()},
    says="of the lines with all three phases in the order C, G, M (phase of most seeds): {told}",
)
def sandwich_in_ours(runs: Mapping[str, xr.Dataset]) -> Finding:
    """In 6b to 6d "grokking is sandwiched between comprehension and memorization". Here: our runs of 6b and 6c.

    Our reading: as LP02.
    """
    axes = ("decoder_weight_decay", "decoder_lr")
    panels = {name: (runs[name], runs[f"{name} until fit"]) for name in ("6b", "6c")}
    cells = {name: followed(*both) for name, both in panels.items() if name in runs}
    found = sandwiched({name: usual(phase).transpose(*axes) for name, phase in cells.items()})
    return found if all(enough(*both) for both in panels.values()) else judge(None, **found.numbers)


@claim(
    "LP06",
    "liu2022",
    "section 4.1, Fig. 6a",
    **_OURS,
    runs=_panels("a"),
    says=(
        "of the cells with embeddings slower than a tenth of the decoder {slow} memorise; of those that "
        "comprehend {fast} have embeddings faster than the decoder"
    ),
)
def competition(runs: Mapping[str, xr.Dataset]) -> Finding:
    """ "A fast decoder coupled with slow representation learning" leads to memorisation; comprehension "requires
    representation learning to be faster, but not too much, than the decoder".

    Our reading: the first in most cells with a tenth of the decoder's rate or less; the second in all that comprehend.
    """
    phase = usual(runs["6a"].phase)
    ratio = (phase.encoder_lr / phase.decoder_lr).broadcast_like(phase)
    slow = phase.where(ratio < 0.11).values[(ratio < 0.11).values]
    fast = ratio.values[(phase == "C").values]
    numbers = {"slow": f"{np.mean(slow == 'M'):.0%}", "fast": f"{np.mean(fast > 1):.0%}" if fast.size else "(no cell)"}
    whole = enough(runs["6a"]) and fast.size > 0
    parts = (np.mean(slow == "M") > 0.5, bool((fast > 1).all())) if whole else (None,)
    return judge(*map(_known, parts), **numbers)


def _known(part: bool | np.bool_ | None) -> bool | None:
    return None if part is None else bool(part)


def short(data: xr.Dataset) -> xr.DataArray:
    """Phases of runs of `SHORTER` steps, (seed, decay, rate, ...); what is not reached by the last counts as never."""
    return phases(data, capped(SHORTER)).phase.transpose("seed", "decoder_weight_decay", "decoder_lr", ...)


def with_published(phase: xr.DataArray, panel: str) -> float:
    """Share of cells (decay, rate) in which a seed agrees with the published panel, the median over seeds."""
    theirs = same_cells(phase, panel).values
    return float(np.median([agreement(one.values, theirs) for one in phase]))


@claim("LP11", "liu2022", "section 4.1, Fig. 6", section=_THEIRS, runs=by_seed, through=short, says=(
    "two of {seeds} seeds agree in {value:.0%} of {cells} cells of 6b (median of pairs; {low:.0%} to {high:.0%}), a ",
    "seed of ours and the published panel in {theirs:.0%} of the same cells (median); kappa of two seeds {kappa:.2f}",
))  # fmt: skip
def one_seed_a_cell(runs: Mapping[str, xr.DataArray]) -> Finding:
    """Ours: a diagram with one seed a cell, as all published ones, shows what its settings do.

    Our reading: two seeds agree in 80 % of the cells or more, in the median of pairs.
    """
    phase = runs["cells"]
    pairs = among_seeds(phase)
    value, low, high = band(pairs.agreement)
    verdict = "undecided" if not enough(phase) else "holds" if value >= 0.8 else "fails"
    return found(verdict, value, low, high, seeds=len(phase), cells=phase[0].size, theirs=with_published(phase, "b"),
                 kappa=pairs.kappa.median())  # fmt: skip


@claim("LP12", "liu2022", "section 4.1, Fig. 6d", section=_THEIRS, runs=by_start, through=short, says="{told}")
def size_of_the_start(runs: Mapping[str, xr.DataArray]) -> Finding:
    """Ours: panel 6d follows from what is printed of it, where the size of the first matrices is not.

    Our reading: at every seed the shares of the cells that generalise, from either size, differ by less than a tenth;
    refuted where each seed has a tenth or more from one of the sizes.
    """
    cells = runs["cells"]
    if not enough(cells):
        return judge(None, told=f"{len(cells)} of {SEEDS} seeds are recorded")
    sizes = [cells.isel(spread=k) for k in (0, -1)]
    shares = [generalising(one) for one in sizes]
    gap = (shares[0] - shares[1]).values
    part = False if (gap >= LITTLE).all() or (gap <= -LITTLE).all() else True if (abs(gap) < LITTLE).all() else None
    told = [
        f"from entries up to {float(one.spread) / 2:g} {share.mean().item():.0%} of {one[0].size} cells of 6d "
        f"generalise ({share.min().item():.0%} to {share.max().item():.0%} at {len(one)} seeds); the published panel "
        f"is met in {with_published(one, 'd'):.0%} of them, another seed in {among_seeds(one).agreement.median():.0%}"
        for one, share in zip(sizes, shares, strict=True)
    ]
    return judge(part, value=float(gap.mean()), low=float(gap.min()), high=float(gap.max()),
                 told="; ".join(told) + " (medians)")  # fmt: skip


SAME, OTHERS = 0.9, 0.6
"""Share of the cells from which two diagrams count as the same, and up to which as those of two seeds."""


@claim("LP13", "liu2022", "section 4.1, Fig. 6b", section=DRAWN, runs=lambda: {"b": replayed()["b"]}, says=(
    "with the draws of the published runs {value:.1%} of {cells} cells have the published phase (kappa {kappa:.2f}); ",
    "of the steps of the runs without decay, as far as they generalise, {met} come out as published",
))  # fmt: skip
def their_draws(runs: Mapping[str, xr.Dataset]) -> Finding:
    """Ours: the published panel 6b is what the printed settings give with the draws of its program.

    Our reading: nine tenths of the cells have the published phase; refuted where they are no more than six tenths, as
    between two seeds.
    """
    theirs = panels()["b"]
    ours = phases(runs["b"]).phase.isel(seed=0).transpose(*theirs.dims).values
    value = agreement(ours, theirs.values)
    steps = steps_beside(runs["b"]).met
    part = True if value >= SAME else False if value <= OTHERS else None
    return judge(part, value=value, cells=theirs.size, kappa=kappa(ours, theirs.values),
                 met=some(int(steps.sum()), len(steps)))  # fmt: skip


def comprehended(phase: xr.DataArray, axis: str, slow: bool) -> tuple[float, float]:
    """Share of comprehension at the `ENDS` lowest and the `ENDS` highest values of an axis.

    With `slow`, at the slower half of the decoder's rates only.

    Example:
        >>> cells = xr.DataArray([list("CCCMMM")] * 2, dims=("decoder_lr", "spread"))
        >>> comprehended(cells, "spread", slow=True)
        (1.0, 0.0)
    """
    part = phase.isel(decoder_lr=slice(phase.sizes["decoder_lr"] // 2)) if slow else phase
    ends = (part.isel({axis: slice(ENDS)}), part.isel({axis: slice(-ENDS, None)}))
    low, high = (float((end == "C").mean() / max(float((end != OPEN).mean()), 1e-9)) for end in ends)
    return low, high


def in_corner(phase: xr.DataArray) -> tuple[float, float]:
    """Share of grokking at the slower half of the rates and the `ENDS` smallest batches, and in all other cells.

    Example:
        >>> cells = xr.DataArray([list("GGGM"), list("MMMM")], dims=("decoder_lr", "batch_size"))
        >>> in_corner(cells)
        (1.0, 0.0)
    """
    corner = phase.isel(decoder_lr=slice(phase.sizes["decoder_lr"] // 2), batch_size=slice(ENDS))
    inside, known = (int(count) for count in ((corner == "G").sum(), (corner != OPEN).sum()))
    outside, others = int((phase == "G").sum()) - inside, int((phase != OPEN).sum()) - known
    return inside / max(known, 1), outside / max(others, 1)


def beyond(more: float, less: float) -> bool | None:
    """Whether one share is larger than another by `LITTLE` or more; None for a smaller difference, either way.

    Example:
        >>> beyond(0.4, 0.2), beyond(0.2, 0.4), beyond(0.4, 0.35)
        (True, False, None)
    """
    return None if abs(more - less) < LITTLE else more > less


def alike(low: float, high: float) -> bool | None:
    """Whether two shares differ by less than `LITTLE`; None where both are so small that any two would."""
    return None if max(low, high) < 2 * LITTLE else abs(high - low) < LITTLE


def _compared(
    runs: Mapping[str, xr.Dataset], axis: str, right: Callable[[float, float], bool | None], slow: bool = True
) -> Finding:
    """Judge a comparison of both ends of an axis, a part a task; a task with fewer than three seeds decides nothing.

    Where it is so in one task and the other way round in the other, it holds with correction: for one of them.
    """
    parts, told = [], []
    for task in TASKS:
        data = runs[task]
        if data is None:
            parts.append(None)
            continue
        low, high = comprehended(data.phase, axis, slow)
        ends = [comprehended(phase, axis, slow) for _, phase in data.phase.groupby("seed")]
        rising = sum(less < more for less, more in ends)
        at_ends = f"{low:.0%} at the low end, {high:.0%} at the high end"
        told.append(f"{task}: {at_ends} (seeds with more there: {rising} of {len(ends)})")
        parts.append(right(low, high) if enough(data) else None)
    return judge(*parts, told="; ".join(told), fails="holds with correction" if True in parts else "fails")


_MORE = {"section": "Batch size, first distances, decay of the embeddings", "through": phases}
_TOLD = "cells that comprehend, {told}"


@claim("LP07", "liu2022", "appendix G, Fig. 13", **_MORE, runs=_figure("13"), says=_TOLD)
def small_batches(runs: Mapping[str, xr.Dataset]) -> Finding:
    """ "Large batch size (with small learning rate) leads to comprehension, implying that smaller batch size seems
    harmful".

    Our reading: at the slower half of the rates, more comprehension, by a tenth or more, at the three largest batches
    than at the smallest.
    """
    return _compared(runs, "batch_size", lambda low, high: beyond(high, low))


@claim("LP14", "liu2022", "appendix G, Fig. 13", **_MORE, runs=_figure("13"), says="cells that grok, {told}")
def grokking_in_a_corner(runs: Mapping[str, xr.Dataset]) -> Finding:
    """ "The grokking region appears at the top left of the phase diagram (small decoder learning rate and small batch
    size)".

    Our reading: where there is grokking at all, its share at the slower half of the rates and the three smallest
    batches is larger, by a tenth or more, than in the other cells; only seeds that grok somewhere are counted, and
    fewer than three of them decide nothing.
    """
    parts, told = [], []
    for task in TASKS:
        if (data := runs[task]) is None:
            parts.append(None)
        elif not (grokking := (data.phase == "G").any(["decoder_lr", "batch_size"])).any():
            told.append(f"{task}: none")
        else:
            seen = data.isel(seed=grokking.values)
            inside, outside = in_corner(seen.phase)
            seeds = f"seeds that grok: {seen.sizes['seed']} of {data.sizes['seed']}"
            told.append(f"{task}: {inside:.0%} in the corner, {outside:.0%} elsewhere ({seeds})")
            parts.append(beyond(inside, outside) if enough(seen) else None)
    return judge(*parts, told="; ".join(told))


@claim("LP08", "liu2022", "appendix G, Fig. 14", **_MORE, runs=_figure("14"), says=_TOLD)
def small_starts(runs: Mapping[str, xr.Dataset]) -> Finding:
    """ "It is beneficial to use a smaller initialization scale".

    Our reading: at the slower half of the rates, more comprehension, by a tenth or more, at the three smallest scales
    than at the largest.
    """
    return _compared(runs, "spread", beyond)


@claim("LP09", "liu2022", "appendix G, Fig. 15", **_MORE, runs=_figure("15"), says=_TOLD)
def embedding_decay(runs: Mapping[str, xr.Dataset]) -> Finding:
    """ "Representation weight decay in general does not affect model performance much".

    Our reading: at all rates, shares of comprehension at both ends of the axis (ours, 0 to 9: the paper prints none)
    that differ by less than a tenth, where one of them is a fifth or more.
    """
    return _compared(runs, "encoder_weight_decay", alike, slow=False)


OUR_CLAIMS = ("LP04", "LP05", "LP06", "LP07", "LP08", "LP09", "LP11", "LP12", "LP13", "LP14")
