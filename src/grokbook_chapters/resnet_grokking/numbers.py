"""Every number, text and truth of chapter 10's prose."""

from __future__ import annotations

import pandas as pd
import xarray as xr

from companion.claims.finding import some_of
from companion.page import Number, Prose, Truth
from companion.page.safe import counted
from grokbook.runs.experiment import Experiment
from grokbook_chapters.ranges import spread
from grokbook_chapters.resnet_grokking import claims, memorised, runs
from grokbook_chapters.resnet_grokking.recorded import Recorded
from grokbook_chapters.resnet_grokking.shapes import ShapeTask


def numbers(experiment: Experiment, live: xr.Dataset, recorded: Recorded) -> Prose:
    """What the prose uses of the dictionary, of the runs that the page trains, and of the recorded
    ones."""
    return {
        **_dictionary(experiment),
        **_live(claims.reached(live), int(live.step[-1])),
        "others_fade": _others_fade(live),
        **_small(recorded),
        "probe_sum": f"{recorded.probes['sum']:.2f}",
        "probe_dealt": f"{recorded.probes['dealt']:.2f}",
        "probe_ink": f"{recorded.probes['ink_sum']:.2f}",
    }


def _dictionary(experiment: Experiment) -> Prose:
    """Sizes of the paper's task and of the page's, and what forgetting the order scores there."""
    task = experiment.config.task
    images, trained = task.sizes()
    by_categories = ShapeTask(11, rule="categories").counts
    most = int(by_categories.max())
    known = memorised.known_share(11, 0.25)
    known_here = memorised.known_share(runs.GLYPHS, runs.FRACTION)
    return {
        "n_glyphs": task.n,
        "n_train": counted(trained, "image"),
        "n_test": f"{images - trained:,}",
        "classes": len(by_categories),
        "middle": int(by_categories.argmax()) + 4,
        "most": most,
        "most_share": f"{most / by_categories.sum():.1%}",
        "known": f"{known:.1%}",
        "known_here": f"{known_here:.0%}",
        "decay": f"{experiment.config.optimizer.weight_decay:g}",
    }


def _live(table: pd.DataFrame, last: int) -> Prose:
    """When the runs of the page fit, and what they answer then and at the end."""
    fits = f"of the networks {table.fit_step.count()} of {len(table)} fit"
    generalise = f"{table.grok_step.count()} of {len(table)} generalise by step {last:,}"
    return {
        "live_step": Number.median(table.fit_step, ",.0f", "(not reached)"),
        "live_at_fit": Number.median(table.at_fit, ".0%", "(not reached)"),
        "live_at_end": Number.median(table.at_end, ".0%"),
        "live_last": f"{last:,}",
        "live_fits": Truth(table.fit_step.notna().all(), fits),
        "live_waits": Truth(table.grok_step.isna().all(), generalise),
    }


def _others_fade(live: xr.Dataset) -> Truth:
    """Whether sums of other values can be read off less well at some step than at the start."""
    probe = live.probe_other.median("seed")
    start = probe[0].item()
    least = probe.min().item()
    return Truth(least < start - 0.1, f"R^2 {start:.2f} at the start, {least:.2f} at the least")


def _small(recorded: Recorded) -> Prose:
    """How many recorded runs generalise late by split, and what they answer at their ends beside
    the best constant."""
    named: Prose = {}
    for split in runs.SPLITS:
        table = recorded.small[split]
        free = recorded.small[f"{split}, no decay"]
        named[f"late_{split}"] = _late(table)
        named[f"free_{split}"] = _late(free)
        named[f"end_{split}"] = f"{table.at_end.median():.0%}"
        named[f"constant_{split}"] = f"{claims.constants(table, split).median():.0%}"
    summed = recorded.summed
    return {
        **named,
        "sum_more": some_of(claims.added_late(summed)),
        "sum_ends": spread(summed.at_end, ".2f"),
        "sum_best": spread(claims.constants(summed, "multiset"), ".2f"),
    }


def _late(table: pd.DataFrame) -> str:
    return some_of(claims.generalises_late(table))
