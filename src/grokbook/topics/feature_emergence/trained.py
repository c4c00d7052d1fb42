"""What the runs of chapter 17 say: the bump, the boundary n(M), learning rates, Muon, other groups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from grokbook.claims import Finding, Runs, claim, enough, judge
from grokbook.claims.finding import ENOUGH, Part, most, some
from grokbook.topics.feature_emergence.settings import ALPHAS, BUDGET, WIDER, boundary, followed, muon, others, rates

STAGES, LAW, ELSE = "One run, three stages", "The boundary in networks", "Other groups, other optimisers"

SOLVED = 0.95
"""Test accuracy from which a run generalises."""

BUMP = 1.5
"""Factor by which a curve must rise above its start, and fall again from its highest, to have a bump."""

SOME = 3
"""Moduli from which on an exponent decides; two have one that is told only."""

FACTOR, OTHER_FACTORS = 1.25, (1.1, 1.5)
"""Within which two boundaries count as alike; two other readings."""

OUTSIDE = "no boundary is inside the shares that were tried"


def has_bump(curve: np.ndarray) -> bool:
    """Whether a curve rises to `BUMP` times its start and falls by as much again before its end.

    Example:
        >>> has_bump(np.array([1.0, 3.0, 1.5])), has_bump(np.array([1.0, 3.0, 2.5]))
        (True, False)
    """
    known = np.asarray(curve)[np.isfinite(curve)]
    return bool(known.max() >= BUMP * max(known[0], known[-1]))


def generalises(data: xr.Dataset, steps: int = BUDGET) -> xr.DataArray:
    """Whether each run of a grid reaches a test accuracy of 95 % within so many steps, (seed, axes)."""
    return data.test_accuracy.where(data.step <= steps).max("step") >= SOLVED


def bracket(data: xr.Dataset, steps: int = BUDGET) -> np.ndarray:
    """For each seed the two neighbouring shares of the pairs from the second of which on it generalises, (seed, 2).

    NaN where the largest does not, or all do.

    Example:
        >>> accuracy = (("seed", "train_fraction", "step"), [[[0.0], [1.0], [1.0]], [[0.0], [0.0], [0.0]]])
        >>> shares = {"seed": [0, 1], "train_fraction": [0.1, 0.4, 0.5], "step": [10]}
        >>> bracket(xr.Dataset({"test_accuracy": accuracy}, shares)).tolist()
        [[0.1, 0.4], [nan, nan]]
    """
    shares = data.train_fraction.values
    found = []
    for row in generalises(data, steps).transpose("seed", "train_fraction").values:
        failing = np.flatnonzero(~row)
        at = failing[-1] if len(failing) else -1
        inside = 0 <= at < len(shares) - 1
        found.append(shares[at : at + 2] if inside else (np.nan, np.nan))
    return np.array(found)


def critical_share(data: xr.Dataset, steps: int = BUDGET) -> np.ndarray:
    """For each seed the share of the pairs from which on it generalises: half way between the two shares (log)."""
    return np.sqrt(bracket(data, steps).prod(axis=1))


def whole(runs: Runs) -> dict[Any, xr.Dataset]:
    """The runs of which all seeds that were asked for are recorded (three or more if that is not known), by label."""
    asked = {label: len(one.seeds) for label, one in runs.experiments.items()}
    return {label: data for label, data in runs.items() if enough(data, least=asked.get(label, ENOUGH))}


def at_boundary(runs: Mapping[Any, xr.Dataset], steps: int = BUDGET) -> pd.DataFrame:
    """A row a label: seeds whose boundary is inside the shares that were tried, and outside; of the first the share.

    `share` is the median over these seeds, `least` and `most` their range; NaN where no seed is inside.
    """
    rows = []
    for label, data in runs.items():
        share = critical_share(data, steps)
        known = share[np.isfinite(share)] if np.isfinite(share).any() else np.array([np.nan])
        rows.append({"label": label, "inside": int(np.isfinite(share).sum()), "outside": int(np.isnan(share).sum()),
                     "share": np.median(known), "least": known.min(), "most": known.max()})  # fmt: skip
    return pd.DataFrame(rows, columns=["label", "inside", "outside", "share", "least", "most"])


def boundary_table(runs: Mapping[int, xr.Dataset], steps: int = BUDGET) -> pd.DataFrame:
    """A row a modulus with a boundary: pairs n there (median over seeds, least and most), and n / (M ln M)."""
    rows = at_boundary(runs, steps).dropna().rename(columns={"label": "M"}).sort_values("M", ignore_index=True)
    pairs = rows.M.astype(float) ** 2
    n = rows.share * pairs
    return rows.assign(n=n, least=rows.least * pairs, most=rows.most * pairs,
                       ratio=n / (rows.M * np.log(rows.M.astype(float))))[
        ["M", "inside", "outside", "n", "least", "most", "share", "ratio"]]  # fmt: skip


def exponent(runs: Mapping[int, xr.Dataset], steps: int = BUDGET, draws: int = 2_000) -> dict[str, float]:
    """The slope of ln n against ln M over the boundary, with the central 95 % of draws; that of M ln M.

    A modulus counts with three seeds or more inside the tried shares. A draw resamples the seeds, and takes for each
    modulus one place between the two shares that were tried, uniform in the logarithm. NaN for fewer than two moduli.
    """
    known = {M: bracket(data, steps) * M**2 for M, data in sorted(runs.items())}
    known = {M: np.log(n[np.isfinite(n[:, 0])]) for M, n in known.items() if np.isfinite(n[:, 0]).sum() >= ENOUGH}
    if len(known) < 2:
        return dict.fromkeys(("value", "low", "high", "wanted"), np.nan)
    rng, x = np.random.default_rng(0), np.log(list(known))

    def drawn(n: np.ndarray) -> float:
        low, high = rng.choice(n, len(n)).mean(axis=0)
        return rng.uniform(low, high)

    slopes = np.polyfit(x, np.transpose([[drawn(n) for n in known.values()] for _ in range(draws)]), 1)[0]
    value = np.polyfit(x, [n.mean() for n in known.values()], 1)[0]
    low, high = np.quantile(slopes, [0.025, 0.975])
    wanted = np.polyfit(x, np.log(np.exp(x) * x), 1)[0]
    return {name: float(number) for name, number in
            (("value", value), ("low", low), ("high", high), ("wanted", wanted))}  # fmt: skip


def counted(flags: Iterable[bool]) -> str:
    """In how many runs something is so, as words.

    Example:
        >>> counted([True, True]), counted([False]), counted([False, False, True])
        ('in both runs', 'in no run', 'in 1 of 3 runs')
    """
    every = list(flags)
    if len(every) == 1:
        return f"in {'the one' if every[0] else 'no'} run"
    return f"in {'both' if every == [True, True] else some(int(sum(every)), len(every))} runs"


@claim("T29", "tian2025", "stage I, Fig. 3", section=STAGES, runs=followed, says="{told}")
def bump(runs: Runs) -> Finding:
    """The norm of G_F has a bump with weight decay, and only then."""
    there, told, parts, tops = whole(runs), [], dict.fromkeys((True, False)), {}
    for decay, data in sorted(runs.items(), reverse=True):
        curves = data.gradient_norm.transpose("seed", "step").values
        flags = np.array([has_bump(curve) for curve in curves])
        tops[decay > 0] = float(np.median(np.nanmax(curves, axis=1) / curves[:, 0]))
        when = "with" if decay else "without"
        solved = counted(data.test_accuracy.max("step").values >= SOLVED)
        told.append(f"{when} weight decay {counted(flags)} (highest {tops[decay > 0]:.1f} times the start, median), "
                    f"and the unseen pairs are solved {solved}")  # fmt: skip
        if decay in there:
            parts[decay > 0] = most(flags if decay else ~flags)
    words = f"|G_F| rises to {BUMP} times its start or more and falls again: {'; '.join(told)}"
    return judge(*parts.values(), value=tops.get(True, tops.get(False)), told=words)


def _law_told(full: Mapping[int, xr.Dataset], fit: Mapping[str, float]) -> str:
    """The exponent over these moduli, `fit`, in words, or the boundary of each where there are too few for one."""
    early = exponent(full, BUDGET // 3, draws=1)["value"]
    table = boundary_table(full)
    if np.isnan(fit["value"]):
        each = (f"{r.share:.2f} of the pairs at M = {r.M}" for r in table.itertuples())
        return f"the boundary is at {', '.join(each)}" if len(table) else OUTSIDE if full else ""
    moduli = [r.M for r in table.itertuples() if r.inside >= ENOUGH]
    steps = (f"M^{exponent({M: full[M] for M in two}, draws=1)['value']:.2f}" for two in pairwise(moduli))
    first = (
        f"n at the boundary grows as M^{fit['value']:.2f} ({fit['low']:.2f} to {fit['high']:.2f}, 95 % of draws "
        f"of seeds and of places between the tried shares) over M = {', '.join(map(str, moduli))}, "
        f"M log M as M^{fit['wanted']:.2f} there; from each modulus to the next as {', '.join(steps)}"
    )
    return first if np.isnan(early) else f"{first}; within a third of the steps: M^{early:.2f}"


def _sides(full: Mapping[int, xr.Dataset], fit: Mapping[str, float]) -> set[int]:
    """Where the exponent lies, with all moduli (`fit`) and without each: above M log M (1), below (-1) or on it (0)."""
    fits = [fit, *(exponent({M: data for M, data in full.items() if left != M}) for left in full)]
    return {int(one["low"] > one["wanted"]) - int(one["high"] < one["wanted"]) for one in fits}


@claim("T30", "tian2025", "Figs 5, 6, 10 to 13", section=LAW, runs=boundary, says="{told}")
def law(runs: Runs) -> Finding:
    """The boundary between memorisation and generalisation follows M log M.

    Our reading: the exponent's band has that of M log M in it, with all moduli and whichever one is left out; it is
    refuted where all these bands lie on one side. That one is left out was added when M = 23, 41 and 71 had been seen.
    """
    full = whole(runs)
    fit = exponent(full)
    sides = _sides(full, fit)
    part: Part = True if sides == {0} else False if len(sides) == 1 else None
    if (boundary_table(full).inside >= ENOUGH).sum() < SOME or (part and fit["high"] >= 2):
        part = None  # too few moduli, or a band that has the constant share in it as well
    return judge(part, **{k: fit[k] for k in ("value", "low", "high")}, told=_law_told(full, fit))


def rate_table(runs: Mapping[Any, xr.Dataset]) -> pd.DataFrame:
    """A row a modulus and learning rate: runs that generalise, energy and purity of the nodes at the end (medians)."""
    rows = []
    for M, data in runs.items():
        solved = generalises(data, int(data.step[-1]))
        for rate in data.learning_rate.values:
            one = data.sel(learning_rate=rate)
            rows.append(
                {
                    "M": M,
                    "rate": float(rate),
                    "runs": one.sizes["seed"],
                    "generalise": int(solved.sel(learning_rate=rate).sum()),
                    **{name: float(one[name].median()) for name in ("energy", "reached", "purity", "found")},
                }
            )
    return pd.DataFrame(rows)  # fmt: skip


@claim("T31", "tian2025", "Fig. 7", section=LAW, runs=rates, says="{told}")
def large_rate(runs: Runs) -> Finding:
    """At the boundary a large learning rate leads to memorisation, with higher energy.

    A modulus where all runs or none generalise is not at the boundary, and decides nothing; this was added when M = 71
    had been seen.
    """
    parts: list[Part] = [None] * any(label not in whole(runs) for label in runs.experiments or runs)
    told = []
    for M, data in sorted(runs.items()):
        rows = rate_table({M: data})
        solved, energies = zip(*((some(r.generalise, r.runs), f"{r.reached:.2f}") for r in rows.itertuples()),
                               strict=True)  # fmt: skip
        share, reached = (rows.generalise / rows.runs).to_numpy(), rows.reached.to_numpy()
        at_it = 0 < share.mean() < 1
        where = "" if at_it else ", so that this is not at the boundary"
        told.append(f"M = {M}: {', '.join(solved)} generalise, energy {', '.join(energies)}{where}")
        if at_it and M in whole(runs):
            parts += [bool(share[-1] < 0.5 < share[:-1].min()), bool(reached[-1] > reached[:-1].max())]
    alphas = ", ".join(f"{a:g}" for a in ALPHAS)
    return judge(*parts, told=f"at rates {alphas} (energy as a part of the maximum's): {'; '.join(told)}")


@claim("T32", "tian2025", "Theorem 8, Fig. 8", section=ELSE, runs=muon, says="{told}")
def muon_at_few_nodes(runs: Runs) -> Finding:
    """With few hidden units Muon has a lower test loss than Adam.

    Our reading: at the fewest units, each at its best rate. One is lower if all its runs are, and still would be if
    every loss fell once more by as much as in the last third of the steps; anything else decides nothing. This was said
    when all runs had been seen; before, most of the seeds decided, each at its own best rate.
    """
    best = {name: best_rates(runs[name]) for name in ("adam", "muon") if name in runs}
    each = [f"{name.capitalize()} {', '.join(_loss_told(one))}" for name, one in best.items()]
    widths = next((", ".join(f"{w:g}" for w in one.width.values) for one in best.values()), "")
    told = (
        "test losses at the end (their change in the last third of the steps, and the best rate), medians of runs that "
        f"all fit, at widths {widths}: {'; '.join(each)}"
    )
    if len(whole(runs)) < 2:
        return judge(None, told=told)
    (adam, adam_next), (muon, muon_next) = (
        (few.end.values, (few.end - few.fall.clip(0)).values) for few in (one.isel(width=0) for one in best.values())
    )
    lower, higher = bool(muon.max() < adam_next.min()), bool(adam.max() < muon_next.min())
    seen = f"; with the fewest units Muon is lower {counted(muon < adam)}"
    return judge(lower if lower or higher else None, told=told + seen)


def best_rates(data: xr.Dataset) -> xr.Dataset:
    """Of runs over widths and rates those at each width's best rate: the least median of the test losses at the end.

    A rate counts where every run fits, with 95 % of its training pairs right. Variables `end` and `fall`, that of the
    last third of the steps, (seed, width), NaN where no rate counts; `learning_rate` is a coordinate over the widths.
    """
    fitted = data.test_loss.where(data.train_accuracy.isel(step=-1, drop=True) >= SOLVED)
    middle = fitted.isel(step=-1, drop=True).median("seed", skipna=False)
    curves = fitted.sel(learning_rate=middle.fillna(np.inf).idxmin("learning_rate")).transpose("seed", "width", "step")
    end = curves.isel(step=-1, drop=True)
    earlier = curves.sel(step=2 / 3 * data.step[-1].item(), method="nearest", drop=True)
    return xr.Dataset({"end": end, "fall": earlier - end})


def _loss_told(best: xr.Dataset) -> list[str]:
    """The median of `best_rates` at each width in words: the loss, its change, the rate."""
    middle = best.median("seed", skipna=False)
    rows = zip(middle.end.values, middle.fall.values, best.learning_rate.values, strict=True)
    return [f"{end:.3f} ({end / (end + fall) - 1:+.1%}, {rate:g})" if np.isfinite(end) else "none fits"
            for end, fall, rate in rows]  # fmt: skip


def group_rows(runs: Mapping[str, xr.Dataset]) -> pd.DataFrame:
    """A row a group with a boundary: its share of the pairs (median over seeds, least and most)."""
    return at_boundary(runs).dropna().rename(columns={"label": "group"}).reset_index(drop=True)


def twenty_three() -> dict[int, Any]:
    """The boundary of addition modulo 23 alone."""
    return {23: boundary()[23]}


@claim("T33", "tian2025", "Fig. 5", section=ELSE, runs=others, beside=twenty_three, says="{told}")
def other_groups(runs: Runs) -> Finding:
    """Composite and non-abelian groups, with representations of dimension 2 at most, have prime moduli's boundary.

    Our reading: shares within a factor of 1.25. At first all six groups counted; that the two with representations of
    dimension 3 are told beside, since the paper's have 2 at most, was said when the runs had been seen.
    """
    there = whole(runs)
    prime = group_rows({"addition modulo 23": there[23]} if 23 in there else {})
    rows = group_rows({name: data for name, data in there.items() if name != 23})
    complete = len(rows) == len(runs.experiments) and len(prime) and min(rows.inside.min(), prime.inside[0]) >= ENOUGH
    asked, wider = rows[~rows.group.isin(WIDER)], rows[rows.group.isin(WIDER)]

    def alike(table: pd.DataFrame, factor: float = FACTOR) -> Part:
        return bool((abs(np.log(table.share / prime.share[0])) < np.log(factor)).all()) if complete else None

    first, each, more = ([f"{r.group} {r.share:.2f}" for r in table.itertuples()] for table in (prime, asked, wider))
    told = f"shares at the boundary: {', '.join(first + each)}" if first + each else OUTSIDE if there else ""
    told += f"; with representations of dimension 3, where the paper has 2 at most: {', '.join(more)}" if more else ""
    if complete:
        others_said = (f"{judge(alike(asked, factor)).verdict} within {factor:g}" for factor in OTHER_FACTORS)
        told += f"; by other bars: {', '.join(others_said)}; with all six counted: {judge(alike(rows)).verdict}"
    return judge(alike(asked), value=float(prime.share[0]) if len(prime) else None, told=told)
