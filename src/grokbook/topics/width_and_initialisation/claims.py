"""Figs 9 to 11 and 20 of Gu et al. 2025, 3 and 19 to 22 of Gu 2024: width, shift, positions, start, run-to-run spread.

A statement about two settings is judged by an exact test of their grok steps, censored runs included (`sooner`), and
only with three seeds of each; a part of a statement is True, False or None, not known from what is recorded. A ratio of
two medians of three seeds would "refute" by noise: of two equal settings one is first half of the time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd
import xarray as xr

from grokbook.claims import Finding, Runs, band, claim, enough, found, joint, judge
from grokbook.claims.finding import UNDECIDED, Part
from grokbook.experiments.base import Experiment
from grokbook.experiments.gu2025 import fig5
from grokbook.measures import grok_times
from grokbook.measures.comparison import compare, sooner
from grokbook.topics.width_and_initialisation.settings import (
    Settings,
    by_position,
    by_shift,
    by_start,
    by_width,
    small_by_position,
    small_by_shift,
    small_by_start,
)
from grokbook.topics.width_and_initialisation.tables import times

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

SMALL_SIZE = "p = 59"
"""What marks the companions among the runs of a claim."""

Times = pd.DataFrame | None
_WIDTHS = {"section": "What is recorded of the width", "seconds": 3}
_STARTS = {"section": "A special start", "seconds": 3}
_POSITIONS = {"section": "Position vectors", "seconds": 3, "through": times}


def describe(label: str, table: pd.DataFrame) -> str:
    """How many runs of a setting generalise and when.

    Example:
        >>> describe("k = 0", pd.DataFrame({"grok_step": [300, None], "last_step": [900, 900]}))
        'k = 0: 1 of 2 generalise by step 900, the first at step 300'
    """
    seen = table.grok_step.dropna()
    begin = f", the first at step {int(seen.min())}" if len(seen) else ""
    begin += f", the last at {int(seen.max())}" if len(seen) > 1 else ""
    return f"{label}: {len(seen)} of {len(table)} generalise by step {int(table.last_step.max())}{begin}"


def listed(tables: Mapping[str, pd.DataFrame]) -> str:
    """`describe` of each of these settings."""
    return "; ".join(describe(label, table) for label, table in tables.items())


def aside(settings: Callable[[], Settings]) -> Callable[[], dict[tuple[str, str], Experiment]]:
    """What a claim is shown beside its runs: these companions, which decide nothing about the paper's setting."""
    return lambda: {(SMALL_SIZE, label): experiment for label, experiment in settings().items()}


def companions(runs: Runs, what: str) -> str:
    """What the companions show, in brackets."""
    shown = listed({label[1]: table for label, table in runs.items() if label[0] == SMALL_SIZE})
    return f" (companions of this book, {what}: {shown})" if shown else ""


def own(runs: Runs) -> dict[str, pd.DataFrame]:
    """The runs that are no companions."""
    return {label: table for label, table in runs.items() if label[0] != SMALL_SIZE}


# ---------------------------------------------------------------------------------------- the start


def halved(first: Times, second: Times) -> Part:
    """Does `first` generalise before 0.6 times the grok step of `second`? None where the seeds leave it open."""
    return sooner(first, second, factor=HALF) if enough(first, second) else None


def fig20() -> dict[tuple[str, str], Experiment]:
    """The two starts of Fig. 20 at its three training fractions, by fraction and start."""
    return {(f"{f:.0%}", start): by_start(f)[start] for f in (0.3, 0.25, 0.2) for start in ("normal", "toeplitz")}


@claim("GF20", "gu2025", "appendix E, Fig. 20", runs=fig20, through=times, beside=aside(small_by_start),
       published=f"half the epochs (ratio up to {HALF}: our reading)", says="{seen}{beside}", **_STARTS)  # fmt: skip
def toeplitz_halves(runs: Runs) -> Finding:
    """With a Toeplitz start grokking begins after half the epochs, at 30, 25 and 20 % trained."""
    parts, seen, value = [], [], None
    for share in ("30%", "25%", "20%"):
        tables = {start: runs[share, start] for start in ("normal", "toeplitz") if (share, start) in runs}
        normal, toeplitz = tables.get("normal"), tables.get("toeplitz")
        parts.append(halved(toeplitz, normal))
        compared = compare(toeplitz, normal) if len(tables) == 2 else None
        value = compared.low if compared and value is None else value
        if tables:
            seen.append(f"at {share} {listed(tables)}{f', {compared.describe()}' if compared else ''}")
    return judge(*parts, value=value, seen="; ".join(seen), beside=companions(runs, "50 % of p = 59"))


# ---------------------------------------------------------------------------------------- width


def earlier_by(narrow: Times, wide: Times, gap: float) -> Part:
    """Does the wide network generalise more than `gap` steps before the narrow one?

    No wide network can, whatever it does, where every narrow one has generalised by step `gap`.
    """
    if enough(narrow) and bool((narrow.grok_step <= gap).fillna(False).all()):
        return False
    return sooner(wide, narrow, gap=gap) if enough(narrow, wide) else None


FIG_9 = (("p=97, d=128", "p=97, d=256", 20_000), ("p=47, d=64", "p=47, d=256", 10_000))
"""The two panels of Fig. 9: narrow, wide, published gap in epochs."""


def of_figure(figure: str) -> Settings:
    """The runs of one of Figs 9 to 11, by modulus and width."""
    runs = {run.name: run for run in by_width().values()}
    named = {name.partition("[")[2].rstrip("]"): run for name, run in runs.items() if name.split("[")[0] == figure}
    return named if figure.endswith("fig9") else {f"d = {label.rpartition('=')[2]}": r for label, r in named.items()}


@claim("GF09", "gu2025", "appendix D.1, Fig. 9", runs=partial(of_figure, "gu2025/fig9"), through=times,
       beside=lambda: {"p=47, d=128, recorded for Fig. 5": fig5(47)}, says="{seen}",
       published=" and ".join(f"more than {gap:,} epochs earlier" for *_, gap in FIG_9), **_WIDTHS)  # fmt: skip
def wider_is_earlier(runs: Runs, panels: tuple[tuple[str, str, int], ...] = FIG_9) -> Finding:
    """Width 256 groks over 20,000 epochs before 128 (p = 97, k = 85), over 10,000 before 64 (p = 47, k = 0)."""
    return judge(*(earlier_by(runs[narrow], runs[wide], gap) for narrow, wide, gap in panels), seen=listed(runs))


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
    return True if enough(dataset) and (late_accuracy(dataset) >= ABOUT_07[0]).all() else None


LEVELS = "{}: late test accuracy {:.2f} to {:.2f}, best {:.2f} to {:.2f} ({} runs)"


@claim("GF10", "gu2025", "appendix D.1, Fig. 10", runs=partial(of_figure, "gu2025/fig10"), says="{seen}",
       published="about 0.7 at 128; 0.99 at 512; no gain at 1024", **_WIDTHS)  # fmt: skip
def accuracy_by_width(runs: Runs) -> Finding:
    """At p = 43 the test accuracy oscillates about 0.7 at width 128, reaches 0.99 at 512, gains nothing at 1024."""
    late = {label: late_accuracy(d) for label, d in runs.items()}
    best = {label: d.test_accuracy.max("step").values for label, d in runs.items()}
    ends = {n: (late[n].min(), late[n].max(), best[n].min(), best[n].max(), len(late[n])) for n in runs}
    middle = {label: float(np.median(best[label])) for label, d in runs.items() if enough(d)}
    wide, wider = middle.get("d = 512"), middle.get("d = 1024")
    return judge(
        about_07(runs["d = 128"]),
        None if wide is None else round(wide, 2) >= 0.99,
        None if wide is None or wider is None else wider - wide < NO_GAIN,
        value=float(np.median(late["d = 128"])) if "d = 128" in middle else None,
        seen="; ".join(LEVELS.format(label, *numbers) for label, numbers in ends.items()),
    )


@claim("GF11", "gu2025", "appendix D.1, Fig. 11", runs=partial(of_figure, "gu2025/fig11"), through=times,
       published="none up to 512; 1024 and 2048 do", says="{seen}", **_WIDTHS)  # fmt: skip
def boundary_by_width(runs: Runs) -> Finding:
    """At p = k = 43 widths 256 and 512 do not generalise in 200,000 epochs; 1024 does, and 2048 changes nothing."""
    parts = [_nobody(runs[f"d = {d}"]) for d in (256, 512)] + [_most(runs[f"d = {d}"]) for d in (1024, 2048)]
    return judge(*parts, seen=listed(runs))


def _nobody(table: Times) -> Part:
    if table is None:
        return None
    return False if table.grok_step.notna().any() else True if enough(table) else None


def _most(table: Times) -> Part:
    return bool(table.grok_step.notna().mean() > 0.5) if enough(table) else None


@claim("G51", "gu2025", "appendix E and D.1, Figs. 9, 10, 20", **_STARTS,
       runs=lambda: fig20() | of_figure("gu2025/fig9") | of_figure("gu2025/fig10"),
       published="half the epochs; 20,000 epochs; 0.7 to 0.99",
       says="{each} (the rows of Figs 9, 10 and 20 have the numbers)")  # fmt: skip
def acceleration(runs: Runs) -> Finding:
    """That start halves the epochs; wider embeddings grok 20,000 epochs earlier and reach 0.99 instead of 0.7."""
    tables = Runs({label: times(dataset) for label, dataset in runs.items()})
    at_43 = Runs({label: dataset for label, dataset in runs.items() if label[0] == "d"})
    halves = toeplitz_halves(tables)
    findings = {
        "start": halves,
        "p = 97, k = 85": wider_is_earlier(tables, FIG_9[:1]),
        "p = 43": accuracy_by_width(at_43),
    }
    each = "; ".join(f"{name}: {finding.verdict}" for name, finding in findings.items())
    value = None if halves.verdict == UNDECIDED else halves.value
    return found(joint(finding.verdict for finding in findings.values()), value, each=each)


# ---------------------------------------------------------------------------------------- shift and positions


def later(second: Times, first: Times) -> Part:
    """Does `second` generalise after `first`? None where too few or censored runs leave it open."""
    return sooner(first, second) if enough(first, second) else None


@claim("PF03", "gu2024", "section 5.2.1, Fig. 3", section="Shared tokens", seconds=3, runs=by_shift, through=times,
       beside=aside(small_by_shift), published="slower as k grows from 0 to 81", says="{seen}{beside}")  # fmt: skip
def shift_delays(runs: Runs) -> Finding:
    """The speed of grokking falls as the shift k grows: 0, 45, 60, 81."""
    parts = [later(runs[f"k = {b}"], runs[f"k = {a}"]) for a, b in pairwise((0, 45, 60, 81))]
    return judge(*parts, seen=listed(own(runs)), beside=companions(runs, "50 % of p = 59"))


def at_width(d: int) -> Settings:
    """The two settings of one of Figs 19 to 21, by width and position vectors."""
    return {label: run for label, run in by_position().items() if label.startswith(f"d = {d},")}


@claim("PF19", "gu2024", "appendix E.1, Fig. 19", runs=partial(at_width, 128), beside=aside(small_by_position),
       published="positions delay", says="{seen}{beside}", **_POSITIONS)  # fmt: skip
def positions_delay(runs: Runs) -> Finding:
    """At p = k = 97 and width 128 position vectors delay grokking."""
    part = later(runs["d = 128, on"], runs["d = 128, off"])
    return judge(part, seen=listed(own(runs)), beside=companions(runs, "p = k = 59"))


@claim("PF20", "gu2024", "appendix E.1, Fig. 20", runs=partial(at_width, 256),
       published="the order changes from run to run", says="{seen}", **_POSITIONS)  # fmt: skip
def order_is_unstable(runs: Runs) -> Finding:
    """At width 256 the order of runs with and without position vectors is unstable."""
    on, off = runs["d = 256, on"], runs["d = 256, off"]
    part: Part = None
    if enough(on, off):
        part = all(c.p_value > c.least + 1e-12 for c in (compare(on, off), compare(off, on)))
    return judge(part, seen=listed(runs))


@claim("PF21", "gu2024", "appendix E.1, Fig. 21", runs=partial(at_width, 512),
       published="no instability", says="{seen}", **_POSITIONS)  # fmt: skip
def wide_is_stable(runs: Runs) -> Finding:
    """At width 512 the instability is gone."""
    return judge(*(_steady(runs[f"d = 512, {state}"]) for state in ("on", "off")), seen=listed(runs))


def _steady(table: Times) -> Part:
    seen = table.grok_step.dropna().astype(float) if table is not None else pd.Series(dtype=float)
    if len(seen) > 1 and seen.max() >= STEADY * seen.min():
        return False
    return True if enough(table) and len(seen) == len(table) else None


# ---------------------------------------------------------------------------------------- spread


@claim("PF22", "gu2024", "appendix E.2, Fig. 22", section="Two runs of one setting", seconds=3,
       runs=lambda: {"p = 47": fig5(47)},
       published=f"substantial discrepancies (more than {APART} in accuracy: our reading)",
       says=("{runs} runs, {grokked} generalise by step {last}: best test accuracy {low:.2f} to {high:.2f} ",
             "(median {middle:.2f}), half of it first reached at step {first:.0f} to {late:.0f}"))  # fmt: skip
def runs_differ(runs: Runs) -> Finding:
    """Two runs at p = 47, width 128, differ significantly in speed and substantially in the accuracy reached."""
    dataset = runs["p = 47"]
    middle, low, high = band(dataset.test_accuracy.max("step").values)
    half = half_way(dataset)
    apart = [bool(high - low > APART), bool(half.max() >= STEADY * half.min())]
    refuting = False if enough(dataset) else None
    return judge(
        *(part or refuting for part in apart), value=high - low, low=low, high=high, runs=len(half), middle=middle,
        grokked=int(grok_times(dataset).grok_step.notna().sum()), last=int(dataset.step.max()), first=half.min(),
        late=half.max(),
    )  # fmt: skip


def half_way(dataset: xr.Dataset) -> np.ndarray:
    """First logged step at which each run has half of its own best test accuracy.

    Example:
        >>> curve = ("seed", "step"), [[0.0, 0.2, 0.5, 0.8]]
        >>> half_way(xr.Dataset({"test_accuracy": curve}, {"step": [0, 10, 20, 30]})).tolist()
        [20]
    """
    accuracy = dataset.test_accuracy.transpose("seed", "step").values
    return dataset.step.values[(accuracy >= accuracy.max(axis=1, keepdims=True) / 2).argmax(axis=1)]
