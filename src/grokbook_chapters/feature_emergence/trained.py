"""What the runs of chapter 17 say: the bump, the boundary n(M), learning rates, Muon, other
groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from companion.claims import Finding, Runs, claim, judge
from companion.claims.finding import ENOUGH, UNDECIDED, Part, decided, most, some, some_of
from grokbook.curves.comparison import sooner
from grokbook_chapters.feature_emergence.runs import (
    ALPHAS,
    BUDGET,
    FEWEST,
    FINE,
    RIDGES,
    WIDER,
    arms,
    at_rest,
    finer_groups,
    fresh_boundary,
    rates,
)
from grokbook_chapters.feature_emergence.watching import AT_END
from grokbook_chapters.labelled import Row, Tables

STAGES = "One run, three stages"
LAW = "The boundary in networks"

# accuracy from which a run fits its training pairs, and on the unseen pairs from which it
# generalises
SOLVED = 0.95

RENAMED = {"test_accuracy": "accuracy", "test_loss": "loss"}  # columns at the end of a run

# factor by which a curve must rise above its start, and fall again from its highest, to have a bump
BUMP = 1.5

SOME = 3  # moduli from which on an exponent decides; two have one that is told only

TOO_FEW = Finding(UNDECIDED, "no setting has all its seeds")


def lives(data: xr.Dataset) -> pd.DataFrame:
    """One row a run, with its seed and axes: when it generalises and what it is at the end.

    `solved` and `pure` are the first logged steps at which 95 % of the unseen pairs are right and
    every irrep has a pure unit (NaN: never); `accuracy` and `loss` those of the test set at the
    end, `earlier` the loss after two thirds of the steps, `fits` whether 95 % of the training pairs
    are right; `energy`, `reached`, `purity` and `found` those of `node_measures`. A column is there
    where the runs have its curve.
    """
    last = data.isel(step=-1, drop=True)
    columns = {name: last[name] for name in AT_END if name in last}
    for name, column in RENAMED.items():
        if name in last:
            columns[column] = last[name]
    if is_curve(data, "test_accuracy"):
        columns["solved"] = first_step(data.test_accuracy >= SOLVED)
    if is_curve(data, "found"):
        columns["pure"] = first_step(data.found >= 1)
    if "test_loss" in data:
        late = 2 / 3 * data.step[-1].item()
        columns["earlier"] = data.test_loss.sel(step=late, method="nearest", drop=True)
    if "train_accuracy" in data:
        columns["fits"] = last.train_accuracy >= SOLVED
    return xr.Dataset(columns).to_dataframe().reset_index()


def is_curve(data: xr.Dataset, name: str) -> bool:
    """Whether runs have this variable at every logged step, not at their end alone."""
    return name in data and "step" in data[name].dims


def first_step(reached: xr.DataArray) -> xr.DataArray:
    """The first logged step at which it is so, NaN for never."""
    return reached.step.where(reached).min("step")


def complete(runs: Runs) -> dict[Any, Any]:
    """The runs of which all seeds that were asked for are recorded (three or more if that is not
    known), by label."""
    whole = {}
    for label, data in runs.items():
        known = label in runs.experiments
        wanted = len(runs.experiments[label].seeds) if known else ENOUGH
        if len(np.unique(data["seed"])) >= wanted:
            whole[label] = data
    return whole


def together(runs: Tables) -> pd.DataFrame:
    """The rows of all these runs as one table, with their `label` as its first column."""
    return pd.concat(runs, names=["label", None]).reset_index("label").reset_index(drop=True)


def edges(rows: pd.DataFrame, steps: int = BUDGET) -> pd.DataFrame:
    """By label and seed the neighbouring shares of the pairs, `low` and `high`, from the second of
    which on it solves.

    Solved within so many steps; NaN where the largest share is not solved, or all are.
    """
    share = rows.train_fraction
    run = ["label", "seed"]
    unsolved = rows.assign(low=share.mask(rows.solved <= steps)).groupby(run, sort=False).low
    both = rows.assign(low=unsolved.transform("max"))
    both["high"] = share.where(share > both.low)
    table = both.groupby(run, sort=False, as_index=False)[["low", "high"]].min()
    return table.assign(low=table.low.where(table.high.notna()))


def boundary_table(rows: pd.DataFrame, steps: int = BUDGET) -> pd.DataFrame:
    """By label: seeds whose boundary is inside the shares that were tried, and outside; of the
    first the share.

    It is half way between two shares (log), `share` the geometric mean over seeds, `least` and
    `most` their range. A label without a seed inside is left out.
    """
    places = edges(rows, steps)
    share = np.sqrt(places.low * places.high)
    table = share.groupby(places.label, sort=False).agg(
        inside="count", outside="size", share="mean", least="min", most="max"
    )
    table["share"] = np.exp(np.log(share).groupby(places.label, sort=False).mean())
    return table.assign(outside=table.outside - table.inside).dropna()


def exponent(rows: pd.DataFrame) -> Row:
    """The slope of ln n against ln M over the boundary, with the central 95 % of 2,000 draws; that
    of M ln M.

    A modulus (label) counts with three seeds or more inside the tried shares. A draw resamples the
    seeds, and takes for each modulus one place between the two shares that were tried, uniform in
    the logarithm. NaN for fewer than two moduli.
    """
    moduli = []
    logarithms = []
    for M, inside in edges(rows).dropna().groupby("label"):
        if len(inside) >= ENOUGH:
            moduli.append(M)
            logarithms.append(np.log(inside[["low", "high"]].to_numpy() * M**2))
    if len(moduli) < 2:
        return dict.fromkeys(("value", "low", "high", "wanted"), np.nan)
    rng = np.random.default_rng(0)
    x = np.log(moduli)

    def drawn(n: np.ndarray) -> float:
        low, high = rng.choice(n, len(n)).mean(axis=0)
        return rng.uniform(low, high)

    def slope(y: Sequence[float] | np.ndarray) -> np.ndarray:
        return np.polyfit(x, y, 1)[0]

    samples = [[drawn(n) for n in logarithms] for _ in range(2_000)]
    low, high = np.quantile(slope(np.transpose(samples)), [0.025, 0.975])
    return {
        "value": float(slope([n.mean() for n in logarithms])),
        "low": float(low),
        "high": float(high),
        "wanted": float(slope(x + np.log(x))),
    }


def has_bump(curve: np.ndarray, factor: float = BUMP) -> bool:
    """Whether a curve rises to `factor` times its start and falls by as much again before its end.

    Example:
        >>> has_bump(np.array([1.0, 3.0, 1.5])), has_bump(np.array([1.0, 3.0, 2.5]))
        (True, False)
    """
    known = np.asarray(curve)[np.isfinite(curve)]
    return bool(len(known) and known.max() >= factor * max(known[0], known[-1]))


def excess(with_decay: xr.Dataset, without: xr.Dataset) -> np.ndarray:
    """Seed by seed the norm of G_F with decay over that without, from where both have fitted on,
    (seed, step).

    NaN before the first logged step at which both have 95 % of their training pairs right.
    """
    fitted = np.minimum(with_decay.train_accuracy, without.train_accuracy) >= SOLVED
    quotient = with_decay.gradient_norm / without.gradient_norm
    return quotient.where(fitted.cumsum("step") > 0).transpose("seed", "step").values


class Controls(NamedTuple):
    """What must pass and what must not in place of `excess`, (seed, step) each."""

    oracle: np.ndarray
    null: np.ndarray


def controls(with_decay: xr.Dataset, without: xr.Dataset) -> Controls:
    """The oracle is twice as high while a tenth to nine tenths of the unseen pairs are right with
    decay. The null has no decay on either side: each seed's norm over that of the next.
    """
    rising = (with_decay.test_accuracy > 0.1) & (with_decay.test_accuracy < 0.9)
    shifted = without.assign(gradient_norm=without.gradient_norm.roll(seed=1, roll_coords=False))
    return Controls((1.0 + rising).transpose("seed", "step").values, excess(shifted, without))


def _counted(flags: pd.Series | np.ndarray) -> str:
    """In how many of some runs something is so: "in 2 of 3 runs"."""
    return f"in {some_of(flags)} runs"


@claim(
    "T29",
    "tian2025",
    "stage I, Fig. 3",
    section=STAGES,
    runs=arms,
    bars={"factor": (1.25, 2.0)},
    rule_changed="2026-11-26T18:39:11 91b57842",
    says="{told}",
)
def bump(runs: Runs, *, factor: float = BUMP) -> Finding:
    """The norm of G_F has a bump with weight decay, and only then.

    Our reading. A learned output layer at the size of Fig. 3, M = 71: in most seeds the norm with
    decay over that without, from the step at which both have fitted on, rises to 1.5 times and
    falls again. A solved one: the norm itself does so, from the first step, with a decay of 10 and
    not with 2e-4. M = 23, our size, is told; before all runs had been seen it was asked for as
    well. The first rule compared the highest value with start and end; it saw the fit. Rate, start,
    what decays, and the size of the solved layer are ours, so that nothing is refuted: said of the
    solved layer since its runs were seen, which leaves what bears the statement out as it was.
    """
    recorded = complete(runs)
    listed = []
    parts = [None]
    for size in ("M = 71", "M = 23"):
        if not {(size, True), (size, False)} <= set(recorded):
            continue
        pair = recorded[size, True], recorded[size, False]
        curves = excess(*pair)
        seen = bumps(curves, factor)
        oracle, null = [bumps(rows, factor) for rows in controls(*pair)]
        if size == "M = 71" and most(oracle) and not most(null):
            parts = [most(seen)]
        top = np.median(np.nanmax(curves, axis=1))
        listed.append(
            f"{size}, learned: {_counted(seen)} (highest {top:.1f} times, median; oracle"
            f" {_counted(oracle)}, null {_counted(null)})"
        )
    for decay, ridge in zip((True, False), RIDGES, strict=True):
        if ("solved", decay) not in recorded:
            parts.append(None)
            continue
        norms = recorded["solved", decay].gradient_norm.transpose("seed", "step").values
        seen = bumps(norms, factor)
        listed.append(f"solved, decay {ridge:g}: {_counted(seen)}")
        parts.append(most(seen == decay))
    return judge(*parts, elsewhere=True, told="; ".join(listed))


def bumps(curves: np.ndarray, factor: float) -> np.ndarray:
    """Which of some curves, (seed, step), have a bump, bool (seed,)."""
    return np.array([has_bump(curve, factor) for curve in curves])


@claim(
    "T30",
    "tian2025",
    "Figs 5, 6, 10 to 13",
    section=LAW,
    runs=fresh_boundary,
    through=lives,
    rule_changed="2026-11-22T16:05:54 ca091f0",
    says=(
        "n at the boundary grows as M^{value:.2f} ({low:.2f} to {high:.2f}, 95 % of draws of seeds "
        "and of places between the tried shares) over M = {moduli}, M log M as M^{wanted:.2f} there"
    ),
)
def law(runs: Runs) -> Finding:
    """The boundary between memorisation and generalisation follows M log M.

    Our reading: the exponent's band has that of M log M in it, with all moduli and whichever one is
    left out; it is refuted where all these bands lie on one side. That one is left out was added
    when M = 23, 41 and 71 had been seen.
    """
    recorded = complete(runs)
    if not recorded:
        return TOO_FEW
    rows = together(recorded)
    table = boundary_table(rows)
    fit = exponent(rows)
    if np.isnan(fit["value"]):
        places = [f"{share:.2f} of the pairs at M = {M}" for M, share in table.share.items()]
        listed = ", ".join(places) or "none of the shares that were tried"
        return Finding(UNDECIDED, f"the boundary is at {listed}")
    sides = {side_of(fit)} | {side_of(exponent(rows[rows.label != M])) for M in recorded}
    part = decided(sides == {0}, len(sides) == 1)
    table = table[table.inside >= ENOUGH]
    if len(table) < SOME or (part and fit["high"] >= 2):
        part = None  # too few moduli, or a band that has the constant share in it as well
    return judge(part, **fit, moduli=", ".join(map(str, table.index)))


def side_of(fit: Mapping[str, float]) -> int:
    """Where the band of an `exponent` lies to M ln M: 1 above it, -1 below, 0 with it inside."""
    if fit["low"] > fit["wanted"]:
        return 1
    return -1 if fit["high"] < fit["wanted"] else 0


@claim(
    "T31",
    "tian2025",
    "Fig. 7",
    section=LAW,
    runs=rates,
    through=lives,
    rule_changed="2026-11-29T13:22:10 43fba172",
    says="at rates {alphas} (energy as a part of the maximum's): {told}",
)
def large_rate(runs: Runs) -> Finding:
    """At the boundary a large learning rate leads to memorisation, with higher energy.

    A modulus where all runs or none generalise is not at the boundary, and decides nothing; this
    was added when M = 71 had been seen. What is not as stated refutes nothing, as the share of the
    pairs there is ours; that was mended after the runs were seen, and what bears the statement out
    is as it was.
    """
    recorded = complete(runs)
    listed = []
    parts: list[Part] = []
    if not set(runs.experiments or runs) <= set(recorded):
        parts.append(None)
    for M, rows in sorted(runs.items()):
        by = rows.groupby("learning_rate")
        counts = by.solved.count()
        sizes = by.size()
        energy = by.reached.median()
        share = (counts / sizes).to_numpy()
        at_boundary = 0 < share.mean() < 1
        generalise = ", ".join(map(some, counts, sizes))
        energies = ", ".join(f"{reached:.2f}" for reached in energy)
        where = "" if at_boundary else ", so that this is not at the boundary"
        listed.append(f"M = {M}: {generalise} generalise, energy {energies}{where}")
        if at_boundary and M in recorded:
            parts.append(share[-1] < 0.5 < share[:-1].min())
            parts.append(energy.iloc[-1] > energy.iloc[:-1].max())
    alphas = ", ".join(f"{rate:g}" for rate in ALPHAS)
    return judge(*parts, elsewhere=True, alphas=alphas, told="; ".join(listed))


def best_rate(rows: pd.DataFrame) -> pd.DataFrame:
    """The runs of the best rate at the fewest units: the least median of the test losses at the end
    where every run fits; else none."""
    narrow = rows[rows.width == FEWEST]
    tried = narrow.groupby("learning_rate")
    medians = tried.loss.median()[tried.fits.all()]
    if medians.empty:
        return rows[:0]
    return narrow[narrow.learning_rate == medians.idxmin()]


def _losses(rows: pd.DataFrame) -> pd.DataFrame:
    """Test losses at the end as a table that `sooner` compares: none of them is censored."""
    return pd.DataFrame({"grok_step": rows.loss.to_numpy(), "last_step": np.inf})


@claim(
    "T32",
    "tian2025",
    "Theorem 8, Fig. 8",
    section=LAW,
    runs=at_rest,
    through=lives,
    bars={"margin": (1.02, 1.1)},
    rule_changed="2026-11-26T22:12 59765dd",
    says=(
        "median test losses at the end at {width} units, each at its best rate, where all fit:"
        " {told}"
    ),
)
def muon_at_few_nodes(runs: Runs, *, margin: float = 1.05) -> Finding:
    """With few hidden units Muon has a lower test loss than Adam.

    Our reading: at the fewest units, each at its best rate and at rest (no fall by 1 % in the last
    third of the steps), by ranks (p <= 0.05). With correction: lower, but by less than 5 %. Share,
    width and rates are ours, so that equal losses refute nothing (said when sixteen seeds each,
    thirteen of them at rest, had been seen: they have no order). The first rules asked that most,
    then that all runs be apart, which no difference below the seeds' own satisfies.
    """
    best = {}
    medians = []
    for name, rows in complete(runs).items():
        rows = best_rate(rows)
        if len(rows):
            best[name] = rows
            medians.append(f"{rows.loss.median():.3f} with {name.capitalize()}")
    listed = ", ".join(medians)
    if len(best) < 2:
        return judge(None, width=FEWEST, told=listed)
    adam = _losses(best["adam"])
    muon = _losses(best["muon"])
    lower = sooner(muon, adam)
    near = sooner(muon, adam, factor=1 / margin) is False
    wins = _counted(muon.grok_step < adam.grok_step)
    by = "by less" if near else "perhaps by more"
    rests = all((rows.earlier / rows.loss).median() <= 1.01 for rows in best.values())
    parts = (lower, not near) if rests else (None,)
    return judge(
        *parts,
        corrected=bool(lower),
        elsewhere=True,
        width=FEWEST,
        told=f"{listed}; Muon is lower {wins}, {by} than {margin - 1:.0%}",
    )


@claim(
    "T33",
    "tian2025",
    "Fig. 5",
    section=LAW,
    runs=finer_groups,
    through=lives,
    bars={"factor": (1.1, 1.5)},
    says="{told}",
)
def other_groups(runs: Runs, *, factor: float = 1.25) -> Finding:
    """Composite and non-abelian groups, with representations of dimension 2 at most, have prime
    moduli's boundary.

    Our reading: shares within a factor of 1.25 of that of addition modulo 23, on the finer grid and
    fresh seeds, for each group with representations of dimension 2 at most. Those of dimension 3,
    for which Theorem 4 asks 9/4 of the pairs, are the null: where all of them pass too, the bar
    tells nothing. Width, rate and decay are not those of Fig. 5, so that nothing is refuted (said
    since the runs were seen; what bears it out is as it was). The first rule counted all six groups
    of the coarse grid; the second set dimension 3 aside when those runs had been seen.
    """
    recorded = complete(runs)
    if not recorded:
        return TOO_FEW
    table = boundary_table(together(recorded)).rename(index=FINE)
    listed = ", ".join(f"{name} {share:.2f}" for name, share in table.share.items())
    listed = listed or "no boundary is inside the shares that were tried"
    if len(table) < len(FINE) or table.inside.min() < ENOUGH:
        return judge(None, told=listed)
    ratio = table.share / table.share["Z23"]
    alike = np.log(ratio).abs() < np.log(factor)
    judged = alike[~alike.index.isin(WIDER)]
    part = None if alike.all() else bool(judged.all())
    return judge(part, elsewhere=True, value=ratio.max(), told=listed)
