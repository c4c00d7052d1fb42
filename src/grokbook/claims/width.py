"""Figs 9 to 11 and 20 of Gu et al. 2025, 3 and 19 to 22 of Gu 2024: width, shift, positions, start, run-to-run spread.

A statement about two settings is judged by an exact test of their grok steps, censored runs included (`sooner`), and
only with three seeds of each; a part of a statement is True, False or None, not known from what is recorded. A ratio of
two medians of three seeds would "refute" by noise: of two equal settings one is first half of the time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
import xarray as xr

from grokbook.claims.finding import Finding
from grokbook.claims.legacy import Claim
from grokbook.claims.recorded import ENOUGH, band, joint, not_run
from grokbook.experiments import figures
from grokbook.experiments.base import Experiment, available
from grokbook.experiments.gu2025 import fig5
from grokbook.experiments.width import (
    by_position,
    by_shift,
    by_start,
    small_by_position,
    small_by_shift,
    small_by_start,
)
from grokbook.measures import grok_times
from grokbook.measures.comparison import compare, pooled_spread, sooner

HALF = 0.6
"""Ratio of grok steps up to which we call the epochs halved: one half, and a fifth of it as margin."""

ABOUT_07 = (0.6, 0.8)
"""Test accuracy that we call about 0.7."""

END = 0.05
"""Share of a run's steps that we call its end."""

NO_GAIN = 0.01
"""Gain in test accuracy below which we call it none."""

APART = 0.1
"""Difference of the best test accuracy between two runs that we call substantial."""

STEADY = 2.0
"""Ratio of the latest to the earliest grok step below which we call a setting stable."""

Part = bool | None


def times_of(experiment: Experiment) -> pd.DataFrame | None:
    """`grok_times` of the recorded runs of an experiment, with their best test accuracy; None without any."""
    dataset = available(experiment)
    return None if dataset is None else grok_times(dataset).assign(best=dataset.test_accuracy.max("step").values)


def decide(
    parts: Iterable[Part], experiments: list[Experiment], seen: str, said: str, value: float = np.nan
) -> Finding:
    """One false part refutes, all true bear out; else the finding is "not run", with what was seen and what is missing.

    Example:
        >>> decide([True, False], [], "seen", "said", 1.0).verdict
        'fails'
    """
    verdict = joint({False: "fails", True: "holds", None: "not run"}[part] for part in parts)
    if verdict == "not run":
        return not_run(experiments, said, seen)
    return Finding(verdict, seen, float(value) if np.isfinite(value) else None, published=said)


def _enough(*tables: pd.DataFrame | None) -> bool:
    return all(t is not None and len(t) >= ENOUGH for t in tables)


def describe(label: str, table: pd.DataFrame | None) -> str:
    """How many runs of a setting generalise and when.

    Example:
        >>> describe("k = 0", pd.DataFrame({"grok_step": [300, None], "last_step": [900, 900]}))
        'k = 0: 1 of 2 generalise by step 900, the first at step 300'
    """
    if table is None:
        return f"{label}: not run"
    seen = table.grok_step.dropna()
    begin = f", the first at step {int(seen.min())}" if len(seen) else ""
    begin += f", the last at {int(seen.max())}" if len(seen) > 1 else ""
    return f"{label}: {len(seen)} of {len(table)} generalise by step {int(table.last_step.max())}{begin}"


def _listed(tables: Mapping[str, pd.DataFrame | None]) -> str:
    return "; ".join(describe(label, table) for label, table in tables.items() if table is not None)


def _tables(settings: Mapping[str, Experiment]) -> dict[str, pd.DataFrame | None]:
    return {label: times_of(experiment) for label, experiment in settings.items()}


def _beside(settings: Mapping[str, Experiment], what: str) -> str:
    """What the companions at p = 59 show, which decide nothing about the paper's setting."""
    listed = _listed(_tables(settings))
    return f" (companions of this book, {what}: {listed})" if listed else ""


# ---------------------------------------------------------------------------------------- the start


def halved(first: pd.DataFrame | None, second: pd.DataFrame | None) -> Part:
    """Does `first` generalise before 0.6 times the grok step of `second`? None where the seeds leave it open."""
    return sooner(first, second, factor=HALF) if _enough(first, second) else None


def toeplitz_halves() -> Finding:
    """GF20: at each of three training fractions, does the Toeplitz start take about half the steps?"""
    parts, seen, used, value = [], [], [], np.nan
    for fraction in (0.3, 0.25, 0.2):
        settings = {n: e for n, e in by_start(fraction).items() if n in ("normal", "toeplitz")}
        tables = _tables(settings)
        parts.append(halved(tables["toeplitz"], tables["normal"]))
        used += settings.values()
        if listed := _listed(tables):
            seen.append(f"at {fraction:.0%} {listed}")
        if all(t is not None for t in tables.values()):
            found = compare(tables["toeplitz"], tables["normal"])
            seen[-1] += f", {found.describe()}"
            value = found.low if np.isnan(value) else value
    beside = _beside(small_by_start(), "50 % of p = 59")
    said = f"half the epochs (ratio up to {HALF}: our reading)"
    return decide(parts, used, "; ".join(seen) + beside, said, value)


# ---------------------------------------------------------------------------------------- width


def earlier_by(narrow: pd.DataFrame | None, wide: pd.DataFrame | None, gap: float) -> Part:
    """Does the wide network generalise more than `gap` steps before the narrow one?

    No wide network can, whatever it does, where every narrow one has generalised by step `gap`.
    """
    if _enough(narrow) and bool((narrow.grok_step <= gap).fillna(False).all()):
        return False
    return sooner(wide, narrow, gap=gap) if _enough(narrow, wide) else None


FIG_9 = (
    ("gu2025/fig9[p=97, d=128]", "gu2025/fig9[p=97, d=256]", 20_000),
    ("gu2025/fig9[p=47, d=64]", "gu2025/fig9[p=47, d=256]", 10_000),
)
"""The two panels of Fig. 9: narrow, wide, published gap in epochs."""


def wider_is_earlier(panels: tuple[tuple[str, str, int], ...] = FIG_9) -> Finding:
    """GF09: is the gap in both panels larger than published?"""
    runs = figures.widths()
    parts, seen, used = [], [], []
    for narrow, wide, gap in panels:
        settings = {name.partition("[")[2].rstrip("]"): runs[name] for name in (narrow, wide)}
        tables = list(_tables(settings).values())
        parts.append(earlier_by(*tables, gap))
        used += settings.values()
        seen.append(_listed(dict(zip(settings, tables, strict=True))))
    between = times_of(fig5(47))
    seen.append("" if between is None else describe("p=47, d=128, recorded for Fig. 5", between))
    said = " and ".join(f"more than {gap:,} epochs earlier" for _, _, gap in panels)
    return decide(parts, used, "; ".join(filter(None, seen)), said)


def late_accuracy(dataset: xr.Dataset, share: float = 0.25) -> np.ndarray:
    """Median test accuracy of each run over the last `share` of its steps, by default a quarter.

    Example:
        >>> curve = ("seed", "step"), [[0.0, 0.0, 0.6, 0.8]]
        >>> late_accuracy(xr.Dataset({"test_accuracy": curve}, {"step": [0, 10, 80, 100]})).tolist()
        [0.7]
    """
    last = float(dataset.step.max())
    return dataset.test_accuracy.where(dataset.step >= (1 - share) * last, drop=True).median("step").values


def about_07(dataset: xr.Dataset | None) -> Part:
    """Do the runs oscillate about 0.7? One that ends above that refutes it; late ones below it decide nothing.

    The papers print no number of epochs, so that a run below 0.7 at the end of ours may only be slow.
    """
    if dataset is None:
        return None
    if (late_accuracy(dataset, END) > ABOUT_07[1]).any():
        return False
    late = late_accuracy(dataset)
    return True if len(late) >= ENOUGH and (late >= ABOUT_07[0]).all() else None


def accuracy_by_width() -> Finding:
    """GF10: late accuracy about 0.7 at width 128, best 0.99 at 512, no gain at 1024."""
    experiments = {d: figures.widths()[f"gu2025/fig10[p=43, d={d}]"] for d in (128, 256, 512, 1024)}
    there = {d: s for d, s in ((d, available(e)) for d, e in experiments.items()) if s is not None}
    found = {d: (late_accuracy(s), s.test_accuracy.max("step").values) for d, s in there.items()}
    seen = "; ".join(
        f"d = {d}: late test accuracy {late.min():.2f} to {late.max():.2f}, best {best.min():.2f} to {best.max():.2f} "
        f"({len(late)} runs)"
        for d, (late, best) in found.items()
    )
    middle = {d: (np.median(late), np.median(best)) for d, (late, best) in found.items() if len(late) >= ENOUGH}
    parts: list[Part] = [
        about_07(there.get(128)),
        bool(round(middle[512][1], 2) >= 0.99) if 512 in middle else None,
        bool(middle[1024][1] - middle[512][1] < NO_GAIN) if {512, 1024} <= set(middle) else None,
    ]
    value = middle[128][0] if 128 in middle else np.nan
    return decide(parts, list(experiments.values()), seen, "about 0.7 at 128; 0.99 at 512; no gain at 1024", value)


def boundary_by_width() -> Finding:
    """GF11: p = k = 43: no run of width 256 or 512 generalises in 200,000 steps, most of width 1024 and 2048 do."""
    experiments = {d: figures.widths()[f"gu2025/fig11[p=43, d={d}]"] for d in (256, 512, 1024, 2048)}
    tables = {d: times_of(e) for d, e in experiments.items()}
    parts = [_nobody(tables[d]) for d in (256, 512)] + [_most(tables[d]) for d in (1024, 2048)]
    seen = _listed({f"d = {d}": t for d, t in tables.items()})
    return decide(parts, list(experiments.values()), seen, "none up to 512; 1024 and 2048 do")


def _nobody(table: pd.DataFrame | None) -> Part:
    if table is None:
        return None
    return False if table.grok_step.notna().any() else True if _enough(table) else None


def _most(table: pd.DataFrame | None) -> Part:
    return bool(table.grok_step.notna().mean() > 0.5) if table is not None and _enough(table) else None


def acceleration() -> Finding:
    """G51: the sentence of appendices D.1 and E that Figs 9, 10 and 20 stand for."""
    halves = toeplitz_halves()
    found = {"start": halves, "p = 97, k = 85": wider_is_earlier(FIG_9[:1]), "p = 43": accuracy_by_width()}
    each = "; ".join(f"{name}: {finding.verdict}" for name, finding in found.items())
    evidence = f"{each} (the rows of Figs 9, 10 and 20 have the numbers)"
    verdict = joint(finding.verdict for finding in found.values())
    return Finding(verdict, evidence, halves.value, published="half the epochs; 20,000 epochs; 0.7 to 0.99")


# ---------------------------------------------------------------------------------------- shift and positions


def later(second: pd.DataFrame | None, first: pd.DataFrame | None) -> Part:
    """Does `second` generalise after `first`? None where too few or censored runs leave it open."""
    return sooner(first, second) if _enough(first, second) else None


def shift_delays() -> Finding:
    """PF03: does each larger shift at p = 97 give later grok steps?"""
    tables = _tables(by_shift())
    order = list(tables.values())
    parts = [later(b, a) for a, b in zip(order, order[1:], strict=False)]
    seen = _listed(tables) + _beside(small_by_shift(), "50 % of p = 59")
    return decide(parts, list(by_shift().values()), seen, "slower as k grows from 0 to 81")


def _pair(width: int) -> tuple[list[Experiment], pd.DataFrame | None, pd.DataFrame | None]:
    pair = [by_position()[f"d = {width}, {state}"] for state in ("on", "off")]
    return (pair, *(times_of(e) for e in pair))


def positions_delay() -> Finding:
    """PF19: at width 128 and p = k = 97, do runs with positions generalise after those without?"""
    pair, on, off = _pair(128)
    seen = _listed({"d = 128, on": on, "d = 128, off": off}) + _beside(small_by_position(), "p = k = 59")
    return decide([later(on, off)], pair, seen, "positions delay")


def order_is_unstable() -> Finding:
    """PF20: at width 256, do the grok steps with and without positions overlap?"""
    pair, on, off = _pair(256)
    part: Part = None
    if _enough(on, off):
        found = compare(on, off)
        part = found.p_value > found.least + 1e-12 and compare(off, on).p_value > found.least + 1e-12
    return decide([part], pair, _listed({"d = 256, on": on, "d = 256, off": off}), "the order changes from run to run")


def wide_is_stable() -> Finding:
    """PF21: at width 512, is the latest grok step less than twice the earliest, with positions and without?"""
    pair, on, off = _pair(512)
    parts = [_steady(t) for t in (on, off)]
    return decide(parts, pair, _listed({"d = 512, on": on, "d = 512, off": off}), "no instability")


def _steady(table: pd.DataFrame | None) -> Part:
    seen = table.grok_step.dropna().astype(float) if table is not None else pd.Series(dtype=float)
    if len(seen) > 1 and seen.max() >= STEADY * seen.min():
        return False
    return True if _enough(table) and len(seen) == len(table) else None


# ---------------------------------------------------------------------------------------- spread


def runs_differ() -> Finding:
    """PF22: p = 47, d = 128: do runs differ in speed, and in the best test accuracy by more than 0.1?"""
    experiment = fig5(47)
    dataset = available(experiment)
    said = f"substantial discrepancies (more than {APART} in accuracy: our reading)"
    if dataset is None or dataset.sizes["seed"] < 2:
        return not_run([experiment], said)
    best = dataset.test_accuracy.max("step").values
    middle, low, high = band(best)
    half = half_way(dataset)
    seen = (
        f"{len(best)} runs, {int(grok_times(dataset).grok_step.notna().sum())} generalise by step "
        f"{int(dataset.step.max())}: best test accuracy {low:.2f} to {high:.2f} (median {middle:.2f}), half of it "
        f"first reached at step {half.min():.0f} to {half.max():.0f}"
    )
    apart = [high - low > APART, bool(half.max() >= STEADY * half.min())]
    verdict = "holds" if all(apart) else "fails" if len(best) >= ENOUGH else "not run"
    return Finding(verdict, seen, high - low, low, high, said)


def half_way(dataset: xr.Dataset) -> np.ndarray:
    """First logged step at which each run has half of its own best test accuracy.

    Example:
        >>> curve = ("seed", "step"), [[0.0, 0.2, 0.5, 0.8]]
        >>> half_way(xr.Dataset({"test_accuracy": curve}, {"step": [0, 10, 20, 30]})).tolist()
        [20]
    """
    accuracy = dataset.test_accuracy.transpose("seed", "step").values
    return dataset.step.values[(accuracy >= accuracy.max(axis=1, keepdims=True) / 2).argmax(axis=1)]


def recorded_spread(groups: Iterable[Mapping[str, Experiment]]) -> tuple[float, int, int]:
    """Pooled spread of ln(grok step) over every recorded setting of some groups; runs and settings that enter.

    Example:
        >>> recorded_spread([])[1:]
        (0, 0)
    """
    each = {e.key: e for settings in groups for e in settings.values()}
    tables = [t for t in map(times_of, each.values()) if t is not None and t.grok_step.notna().sum() > 1]
    return pooled_spread(tables), sum(int(t.grok_step.notna().sum()) for t in tables), len(tables)


def comparison_table(settings: Mapping[str, Experiment], baseline: str) -> pd.DataFrame:
    """One row a setting: seeds, grok steps, ratio to the setting `baseline`, p values, what is missing at what cost.

    `ratio` is that of the median grok steps (bounds where censored), `over pairs` its range over pairs of runs, `same
    seed` over runs with one seed, `p` the exact one-sided p value of "not earlier than the baseline".

    Example:
        >>> comparison_table(by_start(0.2), "normal").columns.tolist()[:3]
        ['setting', 'seeds', 'generalise']
    """
    tables = _tables(settings)
    base = tables.get(baseline)
    rows = [_row(label, settings[label], table, base, label == baseline) for label, table in tables.items()]
    order = ["setting", "seeds", "generalise", "grok steps", "best accuracy", "ratio", "over pairs", "same seed", "p"]
    return pd.DataFrame(rows).reindex(columns=[*order, "at best", "missing", "core min"])


def _row(
    label: str, experiment: Experiment, table: pd.DataFrame | None, base: pd.DataFrame | None, itself: bool
) -> dict[str, object]:
    absent = len(experiment.missing_seeds())
    minutes = experiment.predicted(absent).seconds / 60 if absent else 0.0
    row: dict[str, object] = {"setting": label, "missing": absent, "core min": minutes, "seeds": 0, "generalise": ""}
    if table is None:
        return row
    row |= {"seeds": len(table), "generalise": f"{table.grok_step.notna().sum()} of {len(table)}"}
    row |= {"grok steps": _steps(table), "best accuracy": float(table.best.median())}
    if base is not None and not itself:
        found = compare(table, base)
        row |= {"ratio": between(found.low, found.high), "over pairs": between(*found.pairs)}
        row |= {"p": found.p_value, "at best": found.least, "same seed": ", ".join(f"{r:.2f}" for r in found.same_seed)}
    return row


def _steps(table: pd.DataFrame) -> str:
    seen = sorted(table.grok_step.dropna().astype(int))
    late = f"> {int(table.last_step.max())}" if len(seen) < len(table) else ""
    return ", ".join([*map(str, seen), *([late] * (len(table) - len(seen)))])


def between(low: float, high: float) -> str:
    """Bounds of a ratio for a table; an infinite upper bound is no bound.

    Example:
        >>> between(0.5, 0.5), between(0.5, 1.0), between(1.5, np.inf)
        ('0.50', '0.50 to 1.00', '> 1.50')
    """
    if np.isclose(low, high):
        return f"{low:.2f}"
    if np.isinf(high):
        return f"> {low:.2f}" if low > 0 else "not known"
    return f"{low:.2f} to {high:.2f}" if low > 0 else f"< {high:.2f}"


_PAGE = "09_width_and_initialisation: "


def _claim(number: str, paper: str, place: str, statement: str, heading: str, check: object) -> Claim:
    return Claim(number, paper, place, statement, "observation", _PAGE + heading, check, seconds=3)


_WIDTHS = "What is recorded of the width"
_STARTS = "A special start"
_POSITIONS = "Position vectors"

CLAIMS: tuple[Claim, ...] = (
    _claim("G51", "gu2025", "appendix E and D.1, Figs. 9, 10, 20",
           "That start halves the epochs; wider embeddings grok 20,000 epochs earlier and reach 0.99 instead of 0.7.",
           _STARTS, acceleration),
    _claim("GF09", "gu2025", "appendix D.1, Fig. 9",
           "Width 256 groks over 20,000 epochs before 128 (p = 97, k = 85), over 10,000 before 64 (p = 47, k = 0).",
           _WIDTHS, wider_is_earlier),
    _claim("GF10", "gu2025", "appendix D.1, Fig. 10",
           "At p = 43 the test accuracy oscillates about 0.7 at width 128, reaches 0.99 at 512, gains nothing at 1024.",
           _WIDTHS, accuracy_by_width),
    _claim("GF11", "gu2025", "appendix D.1, Fig. 11",
           "At p = k = 43 widths 256 and 512 do not generalise in 200,000 epochs; 1024 does, and 2048 changes nothing.",
           _WIDTHS, boundary_by_width),
    _claim("GF20", "gu2025", "appendix E, Fig. 20",
           "With a Toeplitz start grokking begins after half the epochs, at 30, 25 and 20 % trained.",
           _STARTS, toeplitz_halves),
    _claim("PF03", "gu2024", "section 5.2.1, Fig. 3",
           "The speed of grokking falls as the shift k grows: 0, 45, 60, 81.",
           "Shared tokens", shift_delays),
    _claim("PF19", "gu2024", "appendix E.1, Fig. 19",
           "At p = k = 97 and width 128 position vectors delay grokking.",
           _POSITIONS, positions_delay),
    _claim("PF20", "gu2024", "appendix E.1, Fig. 20",
           "At width 256 the order of runs with and without position vectors is unstable.",
           _POSITIONS, order_is_unstable),
    _claim("PF21", "gu2024", "appendix E.1, Fig. 21",
           "At width 512 the instability is gone.",
           _POSITIONS, wide_is_stable),
    _claim("PF22", "gu2024", "appendix E.2, Fig. 22",
           "Two runs at p = 47, width 128, differ significantly in speed and substantially in the accuracy reached.",
           "Two runs of one setting", runs_differ),
)  # fmt: skip
