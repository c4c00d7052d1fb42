"""What the runs of chapter 17 say: the bump, the boundary n(M), learning rates, Muon, other groups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from grokbook.chapters.feature_emergence.settings import (
    ALPHAS,
    BUDGET,
    FINE,
    GROUPS,
    RIDGES,
    WIDER,
    arms,
    boundary,
    every_group,
    muon,
    rates,
)
from grokbook.claims import Finding, Runs, claim, enough, judge
from grokbook.claims.finding import ENOUGH, Part, most, some

STAGES, LAW, ELSE = "One run, three stages", "The boundary in networks", "Other groups, other optimisers"

SOLVED = 0.95
"""Test accuracy from which a run generalises."""

BUMP = 1.5
"""Factor by which a curve must rise above its start, and fall again from its highest, to have a bump."""

SOME = 3
"""Moduli from which on an exponent decides; two have one that is told only."""

OUTSIDE = "no boundary is inside the shares that were tried"


def has_bump(curve: np.ndarray, factor: float = BUMP) -> bool:
    """Whether a curve rises to `factor` times its start and falls by as much again before its end.

    Example:
        >>> has_bump(np.array([1.0, 3.0, 1.5])), has_bump(np.array([1.0, 3.0, 2.5]))
        (True, False)
    """
    known = np.asarray(curve)[np.isfinite(curve)]
    return bool(len(known) and known.max() >= factor * max(known[0], known[-1]))


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

    `share` is the geometric mean over these seeds, `least` and `most` their range; NaN where no seed is inside.
    """
    rows = []
    for label, data in runs.items():
        share = critical_share(data, steps)
        known = share[np.isfinite(share)] if np.isfinite(share).any() else np.array([np.nan])
        rows.append({"label": label, "inside": int(np.isfinite(share).sum()), "outside": int(np.isnan(share).sum()),
                     "share": np.exp(np.log(known).mean()), "least": known.min(), "most": known.max()})  # fmt: skip
    return pd.DataFrame(rows, columns=["label", "inside", "outside", "share", "least", "most"])


def boundary_table(runs: Mapping[int, xr.Dataset], steps: int = BUDGET) -> pd.DataFrame:
    """A row a modulus with a boundary: pairs n there (geometric mean over seeds, least and most), and n / (M ln M)."""
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


def first_steps(curves: xr.DataArray, bar: float) -> np.ndarray:
    """For each seed the first logged step at which a curve (seed, step) is at `bar` or above; NaN where none is."""
    reached = (curves >= bar).transpose("seed", "step")
    return reached.step.where(reached).min("step").values


def share_table(runs: Mapping[tuple[float, float], xr.Dataset]) -> pd.DataFrame:
    """A row a share of the pairs and weight decay: runs, how many generalise, when, and what the others end with.

    `first`, `least` and `most` are median and range of the first logged step with 95 % of the unseen pairs, of those
    runs that have one; `lowest` and `highest` the range of the accuracy at the end of the others.

    Example:
        >>> accuracy = (("seed", "step"), [[0.0, 1.0], [0.0, 0.5]])
        >>> data = xr.Dataset({"test_accuracy": accuracy}, {"seed": [0, 1], "step": [0, 10]})
        >>> share_table({(0.6, 0.0): data})[["generalise", "first", "highest"]].values.tolist()
        [[1.0, 10.0, 0.5]]
    """
    rows = []
    for (share, decay), data in runs.items():
        steps, end = first_steps(data.test_accuracy, SOLVED), data.test_accuracy.isel(step=-1).values
        there, left = pd.Series(steps).dropna(), pd.Series(end[np.isnan(steps)])
        rows.append({"share": share, "decay": decay, "runs": len(steps), "generalise": len(there),
                     "first": there.median(), "least": there.min(), "most": there.max(), "lowest": left.min(),
                     "highest": left.max()})  # fmt: skip
    return pd.DataFrame(rows)


def excess(with_decay: xr.Dataset, without: xr.Dataset) -> np.ndarray:
    """Seed by seed the norm of G_F with decay over that without, from where both have fitted on, (seed, step).

    NaN before the first logged step at which both have 95 % of their training pairs right.
    """
    fitted = np.minimum(with_decay.train_accuracy, without.train_accuracy) >= SOLVED
    quotient = with_decay.gradient_norm / without.gradient_norm
    return quotient.where(fitted.cumsum("step") > 0).transpose("seed", "step").values


def controls(with_decay: xr.Dataset, without: xr.Dataset) -> tuple[np.ndarray, np.ndarray]:
    """What must pass and what must not in place of `excess`, (seed, step) each.

    The oracle is twice as high while a tenth to nine tenths of the unseen pairs are right with decay. The null has no
    decay on either side: each seed's norm over that of the next.
    """
    rising = (with_decay.test_accuracy > 0.1) & (with_decay.test_accuracy < 0.9)
    shifted = without.assign(gradient_norm=without.gradient_norm.roll(seed=1, roll_coords=False))
    return (1.0 + rising).transpose("seed", "step").values, excess(shifted, without)


@claim("T29", "tian2025", "stage I, Fig. 3", section=STAGES, runs=arms, bars={"factor": (1.25, 2.0)}, says="{told}")
def bump(runs: Runs, *, factor: float = BUMP) -> Finding:
    """The norm of G_F has a bump with weight decay, and only then.

    Our reading. A learned output layer: in most seeds the norm with decay over that without, from the step at which
    both have fitted on, rises to 1.5 times and falls again. A solved one: the norm itself does so, from the first step,
    with a decay of 10 and not with 2e-4. Rate, start, and what decays are not printed, so that learned output layers
    refute nothing. The first rule compared the highest value with start and end; it saw the fit, with and without
    decay.
    """
    there, parts, told = whole(runs), [], []
    for size in ("M = 71", "M = 23"):
        pair = [there.get((size, decay)) for decay in (True, False)]
        if any(one is None for one in pair):
            parts.append(None)
            continue
        seen, oracle, null = ([has_bump(row, factor) for row in rows] for rows in (excess(*pair), *controls(*pair)))
        parts.append(most(seen) if most(oracle) and not most(null) else None)
        top = np.median(np.nanmax(excess(*pair), axis=1))
        told.append(f"{size}, learned: {counted(seen)} (highest {top:.1f} times, median; oracle {counted(oracle)}, "
                    f"null {counted(null)})")  # fmt: skip
    for decay in (True, False):
        if (data := there.get(("solved", decay))) is not None:
            seen = [has_bump(row, factor) for row in data.gradient_norm.transpose("seed", "step").values]
            told.append(f"solved, decay {RIDGES[not decay]:g}: {counted(seen)}")
        parts.append(most(flag == decay for flag in seen) if data is not None else None)
    return judge(*parts, elsewhere=False not in parts[2:], told="; ".join(told))


def _law_told(full: Mapping[int, xr.Dataset], fit: Mapping[str, float]) -> str:
    """The exponent over these moduli, `fit`, in words, or the boundary of each where there are too few for one."""
    early = exponent(full, BUDGET // 3, draws=1)["value"]
    table = boundary_table(full)
    if np.isnan(fit["value"]):
        each = (f"{r.share:.2f} of the pairs at M = {r.M}" for r in table.itertuples())
        return f"the boundary is at {', '.join(each)}" if len(table) else OUTSIDE if full else ""
    table = table[table.inside >= ENOUGH]
    moduli, logs = table.M.tolist(), np.log(table[["M", "n"]].to_numpy(dtype=float)).T
    steps = (f"M^{slope:.2f}" for slope in np.diff(logs[1]) / np.diff(logs[0]))
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


@claim("T30", "tian2025", "Figs 5, 6, 10 to 13", section=LAW, runs=boundary,
       rule_changed="2026-11-22T16:05:54 ca091f0", says="{told}")  # fmt: skip
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


@claim("T31", "tian2025", "Fig. 7", section=LAW, runs=rates, rule_changed="2026-11-22T16:05:54 ca091f0",
       says="{told}")  # fmt: skip
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


@claim("T32", "tian2025", "Theorem 8, Fig. 8", section=ELSE, runs=muon,
       rule_changed="2026-11-22T16:05:54 ca091f0", says="{told}")  # fmt: skip
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
    """A row a group with a boundary: its share of the pairs (geometric mean over seeds, least and most)."""
    return at_boundary(runs).dropna().rename(columns={"label": "group"}).reset_index(drop=True)


@claim("T33", "tian2025", "Fig. 5", section=ELSE, runs=every_group, bars={"factor": (1.1, 1.5)},
       says="{told}")  # fmt: skip
def other_groups(runs: Runs, *, factor: float = 1.25) -> Finding:
    """Composite and non-abelian groups, with representations of dimension 2 at most, have prime moduli's boundary.

    Our reading: shares within a factor of 1.25 of that of addition modulo 23, on the finer grid and fresh seeds, for
    each group with representations of dimension 2 at most. Those of dimension 3, for which Theorem 4 asks 9/4 of the
    pairs, are the null: where all of them pass too, the bar tells nothing. The first rule counted all six groups of the
    coarse grid; the second set dimension 3 aside when those runs had been seen.
    """
    there = whole(runs)
    fine, coarse = ({r.group: r for r in group_rows({n: d for n, d in there.items() if n in names}).itertuples()}
                    for names in (FINE, GROUPS))  # fmt: skip
    prime = fine.get("Z23 finer")
    ratio = {name: row.share / prime.share for name, row in fine.items()} if prime else {}
    complete = len(ratio) == len(FINE) and min(row.inside for row in fine.values()) >= ENOUGH
    alike = {name: abs(np.log(r)) < np.log(factor) for name, r in ratio.items()}
    asked = [near for name, near in alike.items() if FINE[name] not in WIDER]
    told = [f"{FINE[name]} {row.share:.2f}" for name, row in fine.items()] or [OUTSIDE] * any(map(FINE.get, there))
    first = [f"{name} {row.share:.2f}" for name, row in coarse.items()]
    told += [f"on the coarse grid, other seeds: {', '.join(first)}"] * bool(first)
    return judge(all(asked) if complete and not all(alike.values()) else None, value=max(ratio.values(), default=None),
                 told="; ".join(told))  # fmt: skip
