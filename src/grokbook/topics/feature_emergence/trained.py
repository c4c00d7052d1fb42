"""What the runs of chapter 17 say: the bump, the boundary n(M), learning rates, Muon, other groups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from grokbook.claims import Finding, Runs, claim, enough, judge
from grokbook.topics.feature_emergence.settings import ALPHAS, BUDGET, boundary, followed, muon, others, rates

STAGES, LAW, ELSE = "One run, three stages", "The boundary in networks", "Other groups, other optimisers"

SOLVED = 0.95
"""Test accuracy from which a run generalises."""

BUMP = 1.5
"""Factor by which a curve must rise above its start, and fall again from its highest, to have a bump."""

SOME = 3
"""Moduli from which on an exponent is fitted."""


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


def critical_share(data: xr.Dataset, steps: int = BUDGET) -> np.ndarray:
    """For each seed the share of the pairs from which on it generalises: half way between two tried shares (log).

    NaN where the largest does not, or all do.

    Example:
        >>> accuracy = (("seed", "train_fraction", "step"), [[[0.0], [1.0], [1.0]], [[0.0], [0.0], [0.0]]])
        >>> shares = {"seed": [0, 1], "train_fraction": [0.1, 0.4, 0.5], "step": [10]}
        >>> critical_share(xr.Dataset({"test_accuracy": accuracy}, shares)).round(6).tolist()
        [0.2, nan]
    """
    shares = data.train_fraction.values
    found = []
    for row in generalises(data, steps).transpose("seed", "train_fraction").values:
        failing = np.flatnonzero(~row)
        at = failing[-1] if len(failing) else -1
        inside = 0 <= at < len(shares) - 1
        found.append(np.sqrt(shares[at] * shares[at + 1]) if inside else np.nan)
    return np.array(found)


def boundary_table(runs: Mapping[int, xr.Dataset], steps: int = BUDGET) -> pd.DataFrame:
    """A row a modulus: pairs n at the boundary (median over seeds, least and most), and n / (M ln M)."""
    rows = []
    for M, data in runs.items():
        n = critical_share(data, steps) * M**2
        known = n[np.isfinite(n)]
        if len(known):
            rows.append({"M": M, "seeds": len(known), "n": np.median(known), "least": known.min(), "most": known.max(),
                         "share": np.median(known) / M**2, "ratio": np.median(known) / (M * np.log(M))})  # fmt: skip
    return pd.DataFrame(rows, columns=["M", "seeds", "n", "least", "most", "share", "ratio"])


def exponent(runs: Mapping[int, xr.Dataset], steps: int = BUDGET, draws: int = 2_000) -> dict[str, float]:
    """The slope of ln n against ln M over the boundary, with the central 95 % of resampled seeds; that of M ln M.

    NaN for fewer than three moduli.
    """
    known = {M: critical_share(data, steps) * M**2 for M, data in runs.items()}
    known = {M: n[np.isfinite(n)] for M, n in known.items() if np.isfinite(n).any()}
    if len(known) < SOME:
        return dict.fromkeys(("value", "low", "high", "wanted"), np.nan)
    rng, x = np.random.default_rng(0), np.log(list(known))
    slopes = [np.polyfit(x, [np.log(rng.choice(n, len(n))).mean() for n in known.values()], 1)[0] for _ in range(draws)]
    value = np.polyfit(x, [np.log(n).mean() for n in known.values()], 1)[0]
    low, high = np.quantile(slopes, [0.025, 0.975])
    wanted = np.polyfit(x, np.log(np.exp(x) * x), 1)[0]
    return {name: float(number) for name, number in
            (("value", value), ("low", low), ("high", high), ("wanted", wanted))}  # fmt: skip


def _mostly(flags: np.ndarray) -> bool | None:
    """True where most runs have it, False where most have not, None for fewer than three."""
    return None if flags.size < SOME else bool(2 * flags.sum() > flags.size)


@claim("T29", "tian2025", "stage I, Fig. 3", section=STAGES, runs=followed, says=(
    "with weight decay |G_F| rises and falls by half or more in {decayed} runs, without in {plain}; its highest is ",
    "{value:.1f} times the start with decay and {other:.1f} times without (medians)",
))  # fmt: skip
def bump(runs: Runs) -> Finding:
    """The norm of $G_F$ has a bump with weight decay, and only then."""
    flags, tops = {}, {}
    for decay, data in runs.items():
        curves = data.gradient_norm.transpose("seed", "step").values
        flags[decay] = np.array([has_bump(curve) for curve in curves])
        tops[decay] = float(np.median(np.nanmax(curves, axis=1) / curves[:, 0]))
    there = {decay: flag for decay, flag in flags.items() if enough(runs[decay])}
    with_decay = [_mostly(flag) for decay, flag in there.items() if decay]
    without = [not _mostly(flag) for decay, flag in there.items() if not decay]
    parts = [*(with_decay or [None]), *(without or [None])]
    count = {decay: f"{int(flag.sum())} of {len(flag)}" for decay, flag in flags.items()}
    decayed = next((decay for decay in flags if decay), None)
    return judge(*parts, value=tops.get(decayed, np.nan), decayed=count.get(decayed, "no"), plain=count.get(0.0, "no"),
                 other=tops.get(0.0, np.nan))  # fmt: skip


@claim("T30", "tian2025", "Figs 5, 6, 10 to 13", section=LAW, runs=boundary, says=(
    "n at the boundary grows as M^{value:.2f} ({low:.2f} to {high:.2f}, 95 % of resampled seeds) over M = {moduli}, ",
    "M log M as M^{wanted:.2f} there; within a third of the steps: M^{early:.2f}",
))  # fmt: skip
def law(runs: Runs) -> Finding:
    """The boundary between memorisation and generalisation follows $n \\sim M\\log M$."""
    full = {M: data for M, data in sorted(runs.items()) if enough(data)}
    fit = exponent(full)
    early = exponent(full, BUDGET // 3)["value"]
    part = None if np.isnan(fit["value"]) else fit["low"] <= fit["wanted"] <= fit["high"]
    moduli = ", ".join(map(str, boundary_table(full).M))
    return judge(part, **{k: fit[k] for k in ("value", "low", "high")}, wanted=fit["wanted"], moduli=moduli,
                 early=early)  # fmt: skip


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


@claim("T31", "tian2025", "Fig. 7", section=LAW, runs=rates, says=(
    "at rates {alphas} these generalise: {solved}; the mean energy of the nodes is then {energies} of the maximum's",
))  # fmt: skip
def large_rate(runs: Runs) -> Finding:
    """At the boundary a large learning rate leads to memorisation, with higher energy."""
    parts: list[bool | None] = []
    solved, energies = [], []
    for M, data in sorted(runs.items()):
        rows = rate_table({M: data})
        solved.append(f"M = {M}: " + ", ".join(f"{r.generalise} of {r.runs}" for r in rows.itertuples()))
        energies.append(f"M = {M}: " + ", ".join(f"{e:.2f}" for e in rows.reached))
        if enough(data):
            share, reached = (rows.generalise / rows.runs).to_numpy(), rows.reached.to_numpy()
            parts += [bool(share[-1] < 0.5 < share[:-1].min()), bool(reached[-1] > reached[:-1].max())]
    return judge(*parts, alphas=", ".join(f"{a:g}" for a in ALPHAS), solved="; ".join(solved),
                 energies="; ".join(energies))  # fmt: skip


@claim("T32", "tian2025", "Theorem 8, Fig. 8", section=ELSE, runs=muon, says=(
    "final test losses (medians) at widths {widths}: Adam {adam}, Muon {muon}",
))  # fmt: skip
def muon_at_few_nodes(runs: Runs) -> Finding:
    """With few hidden units Muon has a lower test loss than Adam."""
    losses = {name: data.test_loss.isel(step=-1).median("seed") for name, data in runs.items() if enough(data)}
    told = {name: ", ".join(f"{x:.3f}" for x in losses[name].values) if name in losses else "not run"
            for name in ("adam", "muon")}  # fmt: skip
    widths = next((", ".join(f"{w:g}" for w in loss.width.values) for loss in losses.values()), "")
    part = bool((losses["muon"] < losses["adam"])[0]) if len(losses) == 2 else None
    return judge(part, widths=widths, **told)


def group_rows(runs: Mapping[str, xr.Dataset]) -> pd.DataFrame:
    """A row a group: share of the pairs at the boundary (median over seeds, least and most)."""
    rows = []
    for name, data in runs.items():
        share = critical_share(data)
        known = share[np.isfinite(share)]
        if len(known):
            rows.append({"group": name, "seeds": len(known), "share": np.median(known), "least": known.min(),
                         "most": known.max()})  # fmt: skip
    return pd.DataFrame(rows, columns=["group", "seeds", "share", "least", "most"])


def twenty_three() -> dict[int, Any]:
    """The boundary of addition modulo 23 alone."""
    return {23: boundary()[23]}


@claim("T33", "tian2025", "Fig. 5", section=ELSE, runs=others, beside=twenty_three, says=(
    "shares at the boundary: {shares}; addition modulo 23: {value:.2f}",
))  # fmt: skip
def other_groups(runs: Runs) -> Finding:
    """Composite moduli, products and non-abelian groups have the boundary of prime moduli of their size."""
    rows = group_rows({name: data for name, data in runs.items() if name != 23 and enough(data)})
    reference = group_rows({"Z23": runs[23]}).share if runs[23] is not None else pd.Series(dtype=float)
    known = len(rows) == len(runs.experiments) and len(reference)
    part = bool((abs(np.log(rows.share / reference.iloc[0])) < np.log(1.25)).all()) if known else None
    return judge(part, value=float(reference.iloc[0]) if len(reference) else np.nan,
                 shares=", ".join(f"{r.group} {r.share:.2f}" for r in rows.itertuples()))  # fmt: skip
