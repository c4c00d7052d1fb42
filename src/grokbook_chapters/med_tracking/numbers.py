"""Every number, text and truth of chapter 05's prose."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import xarray as xr

from companion.claims import Finding, findings, load
from companion.claims.finding import some, some_of
from companion.page import Number, Prose, Truth
from grokbook.measures import circle_med, definition_table, med, med_spectral_bound
from grokbook_chapters.lead_tasks import lead_tasks
from grokbook_chapters.med_tracking.claims import longest, strangers, two_moduli
from grokbook_chapters.med_tracking.renaming import best_names
from grokbook_chapters.med_tracking.runs import LEVEL, tracked, with_controls

JUDGED = ("G27", "P5.1b", "P5.1c", "GD2")
"""Claims whose numbers the prose tells."""


def numbers(data: xr.Dataset, other: xr.Dataset, every: pd.DataFrame) -> Prose:
    """What the prose uses of the runs at two moduli and of `every` run of `tracked_settings`."""
    return {
        **_definitions(data),
        **_factors(data, other),
        **_association(data, other),
        **_observations(findings(JUDGED)),
        **_settings(every),
        **_best_names(data, other),
    }


def _definitions(data: xr.Dataset) -> Prose:
    """What the network that is shown has right; what MED is at the start in three definitions, of
    circles, and below its bound."""
    p = data.sizes["token"]
    right = data.test_accuracy.sel(seed=0)[-1].item()
    start = definition_table(data.embedding.sel(seed=0, snapshot=0).values)
    mean, total, ranges = start["expected at start"].iloc[:3]
    tables = data.embedding.stack(table=("seed", "snapshot")).transpose("table", ...).values
    gap = max(1 - med(table) / med_spectral_bound(table) for table in tables)
    return {
        "modulus": p,
        "shown_right": f"{right:.0%}",
        "networks": f"{data.sizes['seed']} networks",
        "start_mean": f"{mean:.3g}",
        "start_sum": f"{total:.3g}",
        "start_ranges": f"{ranges:.3g}",
        "med_low": f"{circle_med(p, 1):.2f}",
        "med_high": f"{circle_med(p, p // 2):.2f}",
        "highest": p // 2,
        "gap": f"{gap:.1%}",
    }


def _factors(data: xr.Dataset, other: xr.Dataset) -> Prose:
    """How long the vectors are and how they are arranged, where MED is highest and at the end."""
    peaks = []
    for runs in (data, other):
        curves = runs[["med", "embedding_norm", "normalised_med"]]
        relative = curves / curves.sel(step=0)
        peaks.append(relative.isel(step=relative.med.argmax("step")).to_dataframe())
    peak = pd.concat(peaks)
    length = peak.embedding_norm
    shape = peak.normalised_med
    start = data.normalised_med.sel(step=0)
    end = data.normalised_med.isel(step=-1)
    first = data.med.sel(step=0)
    last = data.med.isel(step=-1)
    highest = data.med.max("step").median()
    swells = highest > max(first.median(), last.median())
    by_length = length.min() > 1.5 and (shape - 1).abs().max() < 0.1
    either_way = end.min() < start.median() < end.max()
    return {
        "n_runs": len(peak),
        "peak_length_low": f"{length.min():.1f}",
        "peak_length_high": f"{length.max():.1f}",
        "peak_shape_low": f"{shape.min():.2f}",
        "peak_shape_high": f"{shape.max():.2f}",
        "shape_start": Number.median(start, ".2f"),
        "shape_low": f"{end.min():.2f}",
        "shape_high": f"{end.max():.2f}",
        "swells": Truth(swells, f"MED is at most {highest:.2f} (median)"),
        "mostly_length": Truth(by_length, f"lengths grow {length.min():.1f} times or more"),
        "either_way": Truth(either_way, f"the quotient ends at {end.min():.2f} or more"),
    }


def _association(data: xr.Dataset, other: xr.Dataset) -> Prose:
    """How test loss and MED move together in all recorded runs, and what passes on this page."""
    recorded = longest(load(two_moduli(), tracked))
    tried = with_controls([data, other])
    beyond = (tried.p_value <= LEVEL).groupby("measure").sum()
    own = tried.p_value["test loss itself"].dropna()
    clock = tried.p_value["a clock"].dropna()
    can_tell = (own <= LEVEL).all() and (clock == 1).all() if len(own) else None
    by_length = beyond["mean length"] >= 0.9 * beyond["MED"] > 2 * beyond["MED / mean length"]
    runs = len(tried.loc["MED"])
    late = some(int(beyond["test loss, one logged step late"]), runs)
    length = some(int(beyond["mean length"]), runs)
    return {
        "all_detrended": f"{recorded.detrended.median():.0%}",
        "all_null": f"{recorded.null.median():.0%}",
        "all_beyond": some_of(recorded.beyond),
        "all_strangers": strangers(recorded),
        "late_control": late,
        "can_tell": Truth(can_tell, f"the test loss passes in {beyond['test loss itself']} runs"),
        "length_not_shape": Truth(by_length, f"the mean length passes in {length}"),
    }


def _observations(judged: Mapping[str, Finding]) -> Prose:
    """What the claims' own checks say of the paper's observations."""
    alike = judged["G27"]
    second = judged["P5.1b"].numbers
    third = judged["P5.1c"].numbers
    exceptional = judged["GD2"].numbers
    return {
        "raw_low": f"{alike.low:.0%}",
        "raw_high": f"{alike.high:.0%}",
        "second_fell": second["fell"],
        "third_after": third["after"],
        "others_tracks": exceptional["tracks"],
        "others_above": exceptional["above"],
    }


def _settings(every: pd.DataFrame) -> Prose:
    """In how many runs of all settings MED and its quotient move with the test loss."""
    quotient = every.quotient_p_value <= LEVEL
    figures = every.index.get_level_values("setting").str.startswith("Fig.")
    mostly_length = every.beyond.sum() > 2 * quotient.sum()
    return {
        "beyond_large": some_of(every.beyond[figures]),
        "beyond_small": some_of(every.beyond[~figures]),
        "shape_beyond": some_of(quotient),
        "length_again": Truth(mostly_length, f"MED in {some_of(every.beyond)}"),
    }


def _best_names(data: xr.Dataset, other: xr.Dataset) -> Prose:
    """Whether the best renaming brings more than a narrow spectrum does."""
    page = [best_names(data), best_names(other)]
    small = {}
    for name, experiment in lead_tasks().items():
        adds = experiment.config.task.operation in ("add", "subtract")
        if adds and "few cells" not in name:
            small[name] = experiment
    tested = pd.concat([*page, *load(small, best_names).values()])
    of_page = pd.concat(page)
    falls = of_page.end < of_page.start
    better = int((tested.end < tested.low).sum())
    return {
        "n_tested": len(tested),
        "best_falls": Truth(falls.all(), f"it falls in {some_of(falls)}"),
        "narrow": Truth(better == 0, f"of the runs {better} below"),
    }
