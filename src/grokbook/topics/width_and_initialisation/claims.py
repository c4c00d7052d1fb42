"""Figs 9 to 11 and 20 of Gu et al. 2025, 3 and 19 to 22 of Gu 2024: width, shift, positions, start, run-to-run spread.

A statement about two settings is judged by an exact test of their grok steps, censored runs included (`sooner`), and
only with three seeds of each; a part of a statement is True, False or None, not known from what is recorded. A ratio of
two medians of three seeds would "refute" by noise: of two equal settings one is first half of the time. A run that ends
low, or while its curve still rises, is "not by its last step" and refutes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import pairwise

import pandas as pd

from grokbook.claims import Finding, Runs, claim, enough, found, joint, judge
from grokbook.claims.finding import ENOUGH, UNDECIDED, Part
from grokbook.experiments.base import Experiment
from grokbook.experiments.gu2025 import fig5
from grokbook.measures.comparison import compare, oracles, paired_p, sooner
from grokbook.topics.width_and_initialisation.settings import (
    APART,
    FRESH,
    Settings,
    by_modulus,
    by_position,
    by_shift,
    by_start,
    by_width,
    fresh,
    small_by_position,
    small_by_shift,
    small_by_start,
)
from grokbook.topics.width_and_initialisation.tables import longest, times
from grokbook.topics.width_and_initialisation.words import LEVEL

HALF = 0.6
"""Ratio of grok steps up to which we call the epochs halved: one half, and a fifth of it as margin."""

HALVES = (0.5, 0.75)
"""Two other bars for it. HALF was written down before a Toeplitz start was trained at p = 97; these were not."""

ABOUT_07 = (0.6, 0.8)
"""Test accuracy that we call about 0.7."""

OTHER_BANDS = ((0.65, 0.75), (0.5, 0.9))
"""Two other bands for it."""

LEFT_THE_FLOOR = 0.5
"""Test accuracy from which a level counts as reached: a flat curve below may only be late."""

NEARLY_ALL = 0.985
"""Test accuracy that rounds to the paper's 0.99."""

NO_GAIN = 0.05
"""Gain in test accuracy that we call no "significant improvement"."""

SUBSTANTIAL = 0.1
"""Difference of the accuracy reached by two runs that we call substantial."""

STEADY = 2.0
"""Ratio of the latest to the earliest grok step below which we call a setting stable."""

SMALL_SIZE = "p = 59"
"""What marks the companions among the runs of a claim."""

Times = pd.DataFrame | None
_WIDTHS = {"section": "What is recorded of the width", "seconds": 3, "through": times}
_STARTS = {"section": "A special start", "seconds": 3, "through": times}
_POSITIONS = {"section": "Position vectors", "seconds": 3, "through": times}


def describe(label: str, table: pd.DataFrame) -> str:
    """How many runs of a setting generalise and when, as a clause.

    Example:
        >>> describe("k = 0", pd.DataFrame({"grok_step": [300, None], "last_step": [900, 900]}))
        'k = 0: 1 of 2 runs generalises by step 900, the first at step 300'
        >>> describe("k = 45", pd.DataFrame({"grok_step": [None, None], "last_step": [9000, 9000]}))
        'k = 45: no run of 2 generalises by step 9,000'
        >>> describe("k = 0", pd.DataFrame({"grok_step": [300], "last_step": [900]}))
        'k = 0: the one run generalises at step 300'
    """
    seen = table.grok_step.dropna()
    if len(table) == 1:
        does = f"generalises at step {int(seen.min()):,}" if len(seen) else "does not generalise"
        by = "" if len(seen) else f" by step {int(table.last_step.max()):,}"
        return f"{label}: the one run {does}{by}"
    begin = f", the first at step {int(seen.min()):,}" if len(seen) else ""
    begin += f", the last at {int(seen.max()):,}" if len(seen) > 1 else ""
    how_many = f"{len(seen)} of {len(table)} runs" if len(seen) else f"no run of {len(table)}"
    verb = "generalise" if len(seen) > 1 else "generalises"
    return f"{label}: {how_many} {verb} by step {int(table.last_step.max()):,}{begin}"


def listed(tables: Mapping[str, pd.DataFrame]) -> str:
    """`describe` of each of these settings."""
    return "; ".join(describe(label, table) for label, table in tables.items())


def levels(label: str, table: pd.DataFrame) -> str:
    """What accuracy the runs of a setting have at their end and at their best, and how many still rise.

    Example:
        >>> runs = {"late": [0.05, 0.9], "best": [0.1, 0.95], "rises": [False, True], "last_step": 900}
        >>> levels("d = 128", pd.DataFrame(runs))
        'd = 128: test accuracy 0.05 to 0.90 in the last fifth of 900 steps, best 0.10 to 0.95, still rising in 1 of 2'
    """
    ends = f"{table.late.min():.2f} to {table.late.max():.2f} in the last fifth of {int(table.last_step.max()):,} steps"
    best = f"best {table.best.min():.2f} to {table.best.max():.2f}"
    rising = f"still rising in {int(table.rises.sum())} of {len(table)}" if table.rises.any() else "no longer rising"
    return f"{label}: test accuracy {ends}, {best}, {rising}"


def settled(table: pd.DataFrame) -> pd.Series:
    """The late accuracy of the runs that have a level: those that have left the floor and no longer rise."""
    return table.late[~table.rises & (table.late >= LEFT_THE_FLOOR)]


def at_bars(bars: Iterable[object], verdict: Callable[..., Finding]) -> str:
    """The verdict at other bars, for a sentence.

    Example:
        >>> at_bars((0.5, 0.75), lambda bar: judge(bar > 0.6))
        'at 0.5 fails, at 0.75 holds'
    """
    return ", ".join(f"at {bar} {verdict(bar).verdict}" for bar in bars)


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


def halved(first: Times, second: Times, bar: float = HALF) -> Part:
    """Does `first` generalise before `bar` times the grok step of `second`? None where the seeds leave it open."""
    return sooner(first, second, factor=bar) if enough(first, second) else None


def fig20() -> dict[tuple[str, str], Experiment]:
    """The two starts of Fig. 20 at its three training fractions, by fraction and start."""
    return {(f"{f:.0%}", start): by_start(f)[start] for f in (0.3, 0.25, 0.2) for start in ("normal", "toeplitz")}


@claim("GF20", "gu2025", "appendix E, Fig. 20", runs=fig20, beside=aside(small_by_start), **_STARTS,
       published=f"half the epochs (ratio up to {HALF}: our reading)",
       says="{seen} (other bars: {bars}){beside}")  # fmt: skip
def toeplitz_halves(runs: Runs) -> Finding:
    """With a Toeplitz start grokking begins after half the epochs, at 30, 25 and 20 % trained."""
    shares, seen, value = ("30%", "25%", "20%"), [], None
    for share in shares:
        tables = {start: runs[share, start] for start in ("normal", "toeplitz") if (share, start) in runs}
        compared = compare(tables["toeplitz"], tables["normal"]) if len(tables) == 2 else None
        value = compared.low if compared and value is None else value
        if tables:
            seen.append(f"at {share} {listed(tables)}{f', {compared.describe()}' if compared else ''}")

    def at(bar: float, /, **numbers: object) -> Finding:
        return judge(*(halved(runs[s, "toeplitz"], runs[s, "normal"], bar) for s in shares), **numbers)

    beside = companions(runs, "50 % of p = 59")
    return at(HALF, value=value, seen="; ".join(seen), bars=at_bars(HALVES, at), beside=beside)


def same_seed_sooner(first: Times, second: Times, factor: float = 1.0) -> Part:
    """Is a run of `first` before `factor` times that of the same seed? None where pairs or their oracle leave it open.

    The oracle: pairs with the scatter of these about a ratio of one half. A test that does not find it is not used, nor
    is one on fewer than the seeds set aside: to stop when it looks well is to choose.
    """
    if not enough(first, second, least=len(FRESH)) or not oracles(first, second)[1] <= LEVEL:
        return None
    return sooner(first, second, factor=factor, level=LEVEL, test=paired_p)


@claim("GE1", "gu2025", "appendix E, Eq. (19)", runs=fresh, **_STARTS,
       published="yes (Fig. 20)", says="p = 59, half trained, {seen} (ratios to be beaten: {bars})")  # fmt: skip
def structure_speeds_up(runs: Runs) -> Finding:
    """A structured start, W_E = Toeplitz(v, v') with a random vector v, speeds grokking up.

    Our reading: normal numbers v, so that structure is all that differs from the random start, and seeds that had not
    been looked at when the question was asked. That a start can help is not refuted by a setting where it does not.
    """
    normal = runs["normal"]
    compared = {s: compare(runs[s], normal) for s in APART[1:] if s in runs} if normal is not None else {}
    value = compared["toeplitz_normal"].same_seed[0] if "toeplitz_normal" in compared else None
    seen = "; ".join(f"{start}: {each.describe()}" for start, each in compared.items())

    def at(factor: float, /, **numbers: object) -> Finding:
        return judge(same_seed_sooner(runs["toeplitz_normal"], normal, factor), fails=UNDECIDED, **numbers)

    return at(1.0, value=value, seen=seen, bars=at_bars((0.8, HALF), at))


# ---------------------------------------------------------------------------------------- width


def earlier_by(narrow: Times, wide: Times, gap: float) -> Part:
    """Does the wide network generalise more than `gap` steps before the narrow one?

    No wide network can, whatever it does, where every narrow one has generalised by step `gap`.
    """
    if enough(narrow) and bool((narrow.grok_step <= gap).fillna(False).all()):
        return False
    return sooner(wide, narrow, gap=gap) if enough(narrow, wide) else None


FIG_9 = (
    ("p = 97, k = 85, d = 128", "p = 97, k = 85, d = 256", 20_000),
    ("p = 47, k = 0, d = 64", "p = 47, k = 0, d = 256", 10_000),
)
"""The two panels of Fig. 9: narrow, wide, published gap in epochs."""


def of_figure(figure: str) -> Settings:
    """The runs of one of Figs 9 to 11, by modulus, shift and width, or by width alone where that is all there is."""
    runs = {label: run for label, run in by_width().items() if run.name.startswith(f"gu2025/{figure}[")}
    return runs if figure == "fig9" else {f"d ={label.partition(', d =')[2]}": run for label, run in runs.items()}


@claim("GF09", "gu2025", "appendix D.1, Fig. 9", runs=partial(of_figure, "fig9"), **_WIDTHS,
       beside=lambda: {"p = 47, d = 128, recorded for Fig. 5": fig5(47)}, says="{seen} (shares of the gap: {bars})",
       published=" and ".join(f"more than {gap:,} epochs earlier" for *_, gap in FIG_9))  # fmt: skip
def wider_is_earlier(runs: Runs, panels: tuple[tuple[str, str, int], ...] = FIG_9) -> Finding:
    """Width 256 groks over 20,000 epochs before 128 (p = 97, k = 85), over 10,000 before 64 (p = 47, k = 0)."""

    def at(share: float, /, **numbers: object) -> Finding:
        return judge(*(earlier_by(runs[narrow], runs[wide], share * gap) for narrow, wide, gap in panels), **numbers)

    return at(1.0, seen=listed(runs), bars=at_bars((0.5, 0), at))


def about_07(table: Times, band: tuple[float, float] = ABOUT_07) -> Part:
    """Do the runs stay about 0.7? Those with a level say so, three or more; a low or rising run says nothing yet."""
    ends = settled(table) if table is not None else pd.Series(dtype=float)
    inside = ends.between(*band)
    if len(ends) < ENOUGH:
        return None
    return True if inside.mean() > 0.5 else None if inside.any() else False


def reaches(table: Times, level: float) -> Part:
    """Is the median best accuracy at least `level`? Too low a one refutes it only where every run has its level."""
    if not enough(table):
        return None
    return True if table.best.median() >= level else False if len(settled(table)) == len(table) else None


@claim("GF10", "gu2025", "appendix D.1, Fig. 10", runs=partial(of_figure, "fig10"), says="{seen} (other bands: {bars})",
       published="about 0.7 at 128; 0.99 at 512; no gain at 1024", **_WIDTHS)  # fmt: skip
def accuracy_by_width(runs: Runs) -> Finding:
    """At p = 43 the test accuracy oscillates about 0.7 at width 128, reaches 0.99 at 512, gains nothing at 1024."""
    narrow, wide, wider = runs[longest(runs, "d = 128")], runs["d = 512"], runs["d = 1024"]
    gain = wider.best.median() - wide.best.median() if enough(wide, wider) else None
    ends = narrow.late.median() if enough(narrow) else None

    def at(band: tuple[float, float], /, **numbers: object) -> Finding:
        more = None if gain is None or reaches(wide, NEARLY_ALL) is None else bool(gain < NO_GAIN)
        return judge(about_07(narrow, band), reaches(wide, NEARLY_ALL), more, **numbers)

    seen = "; ".join(levels(label, table) for label, table in runs.items())
    return at(ABOUT_07, value=ends, seen=seen, bars=at_bars(OTHER_BANDS, at))


@claim("GF11", "gu2025", "appendix D.1, Fig. 11", runs=partial(of_figure, "fig11"),
       published="none up to 512; 1024 and 2048 do", says="{seen}", **_WIDTHS)  # fmt: skip
def boundary_by_width(runs: Runs) -> Finding:
    """At p = k = 43 widths 256 and 512 do not generalise in 200,000 epochs; 1024 does, and 2048 changes nothing."""
    parts = [_nobody(runs[f"d = {d}"]) for d in (256, 512)] + [_most(runs[f"d = {d}"]) for d in (1024, 2048)]
    return judge(*parts, seen=listed(runs))


def _nobody(table: Times) -> Part:
    """None of three or more, or most of them: one run of several may have drawn an easy training set."""
    if not enough(table):
        return None
    share = table.grok_step.notna().mean()
    return True if share == 0 else False if share > 0.5 else None


def _most(table: Times) -> Part:
    """Most of three or more; those that do not are only late."""
    return True if enough(table) and table.grok_step.notna().mean() > 0.5 else None


@claim("G51", "gu2025", "appendix E and D.1, Figs. 9, 10, 20", **_STARTS,
       runs=lambda: fig20() | of_figure("fig9") | of_figure("fig10"),
       published="half the epochs; 20,000 epochs; 0.7 to 0.99",
       says="{each} (the rows of Figs 9, 10 and 20 have the numbers)")  # fmt: skip
def acceleration(runs: Runs) -> Finding:
    """That start halves the epochs; wider embeddings grok 20,000 epochs earlier and reach 0.99 instead of 0.7."""
    at_43 = Runs({label: table for label, table in runs.items() if label[0] == "d"})
    halves = toeplitz_halves(runs)
    findings = {
        "start": halves,
        "p = 97, k = 85": wider_is_earlier(runs, FIG_9[:1]),
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
       beside=aside(small_by_shift), published="slower as k grows from 0 to 81",
       says="{seen} (k = 81 later than k = 0: {ends}){beside}")  # fmt: skip
def shift_delays(runs: Runs) -> Finding:
    """The speed of grokking falls as the shift k grows: 0, 45, 60, 81."""
    parts = [later(runs[f"k = {b}"], runs[f"k = {a}"]) for a, b in pairwise((0, 45, 60, 81))]
    ends = judge(later(runs["k = 81"], runs["k = 0"])).verdict
    return judge(*parts, seen=listed(own(runs)), ends=ends, beside=companions(runs, "50 % of p = 59"))


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
    """At width 256 the order of runs with and without position vectors is unstable.

    They are mixed, as the figure's are; apart they refute it where that is rare for equal settings, in either order.
    """
    on, off = runs["d = 256, on"], runs["d = 256, off"]
    part: Part = None
    if enough(on, off):
        both = compare(on, off), compare(off, on)
        mixed = all(each.p_value > each.least + 1e-12 for each in both)
        part = True if mixed else False if 2 * min(each.p_value for each in both) <= LEVEL else None
    return judge(part, seen=listed(runs))


@claim("PF21", "gu2024", "appendix E.1, Fig. 21", runs=partial(at_width, 512), **_POSITIONS,
       published=f"no instability (the latest before {STEADY:g} times the earliest: our reading)",
       says="{seen} (other ratios: {bars})")  # fmt: skip
def wide_is_stable(runs: Runs) -> Finding:
    """At width 512 the instability is gone."""

    def at(bar: float, /, **numbers: object) -> Finding:
        return judge(*(steady(runs[f"d = 512, {state}"], bar) for state in ("on", "off")), **numbers)

    return at(STEADY, seen=listed(runs), bars=at_bars((1.5, 3), at))


def steady(table: Times, bar: float = STEADY) -> Part:
    """Is the latest grok step of a setting below `bar` times the earliest? A late run counts with its last step."""
    if table is None or not table.grok_step.notna().any():
        return None
    if (table.grok_step.fillna(table.last_step) >= bar * table.grok_step.min()).any():
        return False
    return True if enough(table) and table.grok_step.notna().all() else None


# ---------------------------------------------------------------------------------------- spread


@claim("PF22", "gu2024", "appendix E.2, Fig. 22", section="Two runs of one setting", seconds=3, through=times,
       runs=lambda: {label: run for label, run in by_modulus().items() if label.startswith("p = 47")},
       published=f"significant in speed (a factor of {STEADY:g}), substantial in accuracy ({SUBSTANTIAL}): our reading",
       says="{seen}; speed: {speed}, accuracy reached: {accuracy} (other bars: {bars})")  # fmt: skip
def runs_differ(runs: Runs) -> Finding:
    """Two runs at p = 47, width 128, differ significantly in speed and substantially in the accuracy reached."""
    table = runs[longest(runs, "p = 47")]

    def at(bars: tuple[float, float], /, **numbers: object) -> Finding:
        return judge(speeds_differ(table, bars[0]), levels_differ(table, bars[1]), **numbers)

    parts = {"speed": judge(speeds_differ(table)).verdict, "accuracy": judge(levels_differ(table)).verdict}
    seen = "; ".join(f"{describe(n, t)}; {levels(n, t)}" for n, t in runs.items())
    return at((STEADY, SUBSTANTIAL), seen=seen, bars=at_bars(((1.5, 0.05), (3, 0.2)), at), **parts)


def speeds_differ(table: Times, bar: float = STEADY) -> Part:
    """The opposite of `steady`, for two runs or more."""
    answer = steady(table, bar)
    return None if answer is None else not answer


def levels_differ(table: Times, bar: float = SUBSTANTIAL) -> Part:
    """Do two runs reach levels that are more than `bar` apart? Not known from runs that are low or still rise."""
    ends = settled(table) if table is not None else pd.Series(dtype=float)
    if len(ends) > 1 and ends.max() - ends.min() > bar:
        return True
    return False if enough(table) and len(ends) == len(table) else None
