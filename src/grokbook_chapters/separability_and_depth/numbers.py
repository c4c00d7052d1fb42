"""Every number, text and truth of chapter 07's prose."""

from __future__ import annotations

from typing import Any

import pandas as pd
import xarray as xr

from companion.claims import load
from companion.claims.finding import some_of
from companion.page import Number, Prose, Truth
from grokbook_chapters.labelled import Tables
from grokbook_chapters.ranges import spread
from grokbook_chapters.separability_and_depth import networks, runs
from grokbook_chapters.separability_and_depth.claims import beyond, lessened, listed
from grokbook_chapters.separability_and_depth.depth import lives, stream_lengths

PAIRS = ("pairs_attention", "pairs_mlp")
TRAINING = "largest fall, training"


def numbers(probed: xr.Dataset) -> Prose:
    """What the prose uses of the networks that the page trains and probes, and of the recorded ones
    of one to four layers."""
    return {
        **_probe(probed),
        **_between(_by_layers(runs.between())),
        **_scarce(_by_layers(runs.scarce())),
        **_short(_by_layers(runs.by_depth())),
        **_causes(load(runs.causes(), lives)),
        **_stream(),
    }


def _by_layers(experiments: dict[int, Any]) -> pd.DataFrame:
    """A row a run, with its number of layers."""
    return pd.concat(load(experiments, lives), names=["layers", "seed"]).reset_index()


def _probe(probed: xr.Dataset) -> Prose:
    ends = probed[list(networks.watches()) + ["test_accuracy"]].isel(step=-1)
    last = ends.median("seed").to_array().to_series()
    own = networks.reached(probed.test_accuracy)
    lead = pd.Series(own - networks.reached(probed.probe_mlp))
    blind = all(last[name] <= last[f"{name}_wrong"] for name in PAIRS)
    both_right = min(last.test_accuracy, last.probe_mlp) >= networks.RIGHT
    fair = both_right and last.probe_dealt <= networks.NOISE
    scores = f"network {last.test_accuracy:.0%}, probe {last.probe_mlp:.0%}"
    linear = last.probe_attention >= networks.HALF
    order = "not in each network" if lead.notna().any() else "neither gets half of them right"
    seeds = probed.sizes["seed"]
    return {
        "networks": "one network" if seeds == 1 else f"{seeds} networks",
        "live_attention": f"{last.pairs_attention:.0%}",
        "live_mlp": f"{last.pairs_mlp:.0%}",
        "live_right": spread(ends.test_accuracy.to_series(), ".0%"),
        "probe_mlp": spread(ends.probe_mlp.to_series(), ".0%"),
        "probe_attention": spread(ends.probe_attention.to_series(), ".0%"),
        "lead": Number.median(lead, ",.0f", "\N{HORIZONTAL ELLIPSIS}"),
        "pairs_blind": Truth(blind, "true classes separate more pairs"),
        "probe_fair": Truth(fair, scores),
        "probe_first": Truth(lead.min() >= 0, order),
        "not_linear_yet": Truth(not linear, f"after the attention {last.probe_attention:.0%}"),
    }


def _between(rows: pd.DataFrame) -> Prose:
    """Modulus 59: falls, MED and steps by number of layers."""
    config = runs.between()[1].config
    medians = rows.groupby("layers").median(numeric_only=True)
    steps = medians.grok_step.to_numpy(float)
    fall = medians["largest fall"]
    training = medians[TRAINING]
    med = medians["final MED"]
    quotient = medians["MED over norm"]
    apart = beyond(rows, "largest fall", 1) and beyond(rows, "final MED", -1)
    later = rows.grok_step.notna().all() and (steps[1:] > steps[0]).all()
    kept = med.iloc[-1] / med.iloc[0]  # the part of MED that four layers leave
    by_length = quotient.iloc[-1] / quotient.iloc[0] > 2 * kept
    return {
        "between_p": config.task.p,
        "between_fraction": f"{config.task.train_fraction:.0%}",
        "between_width": config.model.d_model,
        "between_cells": f"{config.n_train:,}",
        "between_fall": listed(fall),
        "between_training": listed(training),
        "between_med": listed(med),
        "between_quotient": listed(quotient),
        "between_steps": listed(steps, ",.0f"),
        "ends_apart": Truth(apart, "four layers are not beyond one"),
        "fall_together": Truth(training.iloc[-1] >= 0.8 * fall.iloc[-1], "training less"),
        "med_is_length": Truth(by_length, "the quotient falls, too"),
        "all_depths": Truth(later, f"steps {listed(steps, ',.0f')}"),
    }


def _scarce(rows: pd.DataFrame) -> Prose:
    """Modulus 43: who generalises with fewer training pairs, and when."""
    config = runs.scarce()[1].config
    grown = rows.grok_step.notna().groupby(rows.layers)
    steps = rows.grok_step.astype(float).fillna(config.steps)
    late = steps.groupby(rows.layers).median()
    later = late.iloc[-1] > 2 * late.iloc[0] and grown.sum().min() > 1
    at = listed(late, ",.0f")
    return {
        "scarce_p": config.task.p,
        "scarce_cells": f"{config.n_train:,}",
        "scarce_grown": ", ".join(grown.agg(some_of)),
        "scarce_steps": at,
        "scarce_later": Truth(later, f"steps {at}"),
    }


def _short(rows: pd.DataFrame) -> Prose:
    """Modulus 37: who generalises in a short record."""
    generalises = rows.grok_step.notna()
    more = generalises[rows.layers > 1]
    study = lessened(rows)
    levels = study.numbers["levels"]
    diminishes = bool(study.corrected) and not more.any()
    return {
        "short_p": runs.SIZE,
        "short_steps": f"{runs.STEPS:,}",
        "one_layer": some_of(generalises[rows.layers == 1]),
        "more_layers": some_of(more),
        "diminishes": Truth(diminishes, f"highest accuracies {levels}"),
    }


def _causes(tables: Tables) -> Prose:
    """Four layers as they are and with one thing changed: the largest fall of the training
    accuracy."""
    drops = {name: table[TRAINING] for name, table in tables.items()}
    base = drops.pop("as they are")
    changed = pd.concat(drops)
    lessens = changed.min() > 0 and changed.max() < base.min()
    return {
        "as_they_are": spread(base, ".2f"),
        "each_lessens": Truth(lessens, f"as they are {spread(base, '.2f')}"),
    }


def _stream() -> Prose:
    growth = {}
    for name, hidden in (("wide", 4), ("narrow", 1)):
        lengths = stream_lengths(hidden)
        growth[f"stream_{name}"] = f"{lengths[-1] / lengths[0]:.1f}"
    return growth
