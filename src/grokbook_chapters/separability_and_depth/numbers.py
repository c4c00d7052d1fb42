"""Every number, text and truth of chapter 07's prose."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd
import xarray as xr

from companion.claims import load
from companion.claims.finding import some
from companion.page import Number, Truth
from grokbook_chapters.ranges import spread
from grokbook_chapters.separability_and_depth import networks, runs
from grokbook_chapters.separability_and_depth.claims import beyond, lessened
from grokbook_chapters.separability_and_depth.depth import lives, stream_lengths

PAIRS = ("pairs_attention", "pairs_mlp")
TRAINING = "largest fall, training"


def numbers(probed: xr.Dataset) -> dict[str, Any]:
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


def _probe(probed: xr.Dataset) -> dict[str, Any]:
    last = probed[list(networks.watches()) + ["test_accuracy"]].isel(step=-1).median("seed")
    own = networks.reached(probed.test_accuracy)
    lead = pd.Series(own - networks.reached(probed.probe_mlp))
    blind = all(last[name] <= last[f"{name}_wrong"] for name in PAIRS)
    fair = min(last.test_accuracy, last.probe_mlp) >= networks.RIGHT
    fair = bool(fair and last.probe_dealt <= networks.NOISE)
    scores = f"network {float(last.test_accuracy):.0%}, probe {float(last.probe_mlp):.0%}"
    after_attention = float(last.probe_attention)
    seeds = probed.sizes["seed"]
    return {
        "networks": "one network" if seeds == 1 else f"{seeds} networks",
        "live_attention": f"{float(last.pairs_attention):.0%}",
        "live_mlp": f"{float(last.pairs_mlp):.0%}",
        "probe_attention": spread(pd.Series(probed.probe_attention.isel(step=-1)), ".0%"),
        "lead": Number.median(lead, ",.0f", "(not reached)"),
        "pairs_blind": Truth(blind, "true classes separate more pairs"),
        "probe_fair": Truth(fair, scores),
        "probe_first": Truth(bool(lead.min() >= 0), "the network is first"),
        "not_linear_yet": Truth(
            after_attention < networks.HALF, f"after the attention {after_attention:.0%}"
        ),
    }


def _between(rows: pd.DataFrame) -> dict[str, Any]:
    """Modulus 59: falls, MED and steps by number of layers."""
    config = runs.between()[1].config
    medians = rows.groupby("layers").median(numeric_only=True)
    steps = medians.grok_step.to_numpy(float)
    fall = medians["largest fall"]
    training = medians[TRAINING]
    med = medians["final MED"]
    quotient = medians["MED over norm"]
    apart = beyond(rows, "largest fall", 1) and beyond(rows, "final MED", -1)
    later = bool(rows.grok_step.notna().all() and (steps[1:] > steps[0]).all())
    by_length = quotient.iloc[-1] / quotient.iloc[0] > 2 * med.iloc[-1] / med.iloc[0]
    return {
        "between_p": config.task.p,
        "between_fraction": f"{config.task.train_fraction:.0%}",
        "between_width": config.model.d_model,
        "between_cells": f"{config.n_train:,}",
        "between_fall": _listed(fall, ".2f"),
        "between_training": _listed(training, ".2f"),
        "between_med": _listed(med, ".2f"),
        "between_quotient": _listed(quotient, ".2f"),
        "between_steps": _listed(steps, ",.0f"),
        "ends_apart": Truth(apart, "four layers are not beyond one"),
        "fall_together": Truth(bool(training.iloc[-1] >= 0.8 * fall.iloc[-1]), "training less"),
        "med_is_length": Truth(bool(by_length), "the quotient falls, too"),
        "all_depths": Truth(later, f"steps {_listed(steps, ',.0f')}"),
    }


def _listed(values: Iterable[float], form: str) -> str:
    return ", ".join(format(value, form) for value in values)


def _scarce(rows: pd.DataFrame) -> dict[str, Any]:
    """Modulus 43: who generalises with fewer training pairs, and when."""
    config = runs.scarce()[1].config
    groups = rows.groupby("layers").grok_step
    grown = groups.count()
    late = rows.grok_step.astype(float).fillna(config.steps).groupby(rows.layers).median()
    later = bool(late.iloc[-1] > 2 * late.iloc[0] and grown.min() > 1)
    shares = [some(int(n), int(of)) for n, of in zip(grown, groups.size(), strict=True)]
    return {
        "scarce_p": config.task.p,
        "scarce_cells": f"{config.n_train:,}",
        "scarce_grown": ", ".join(shares),
        "scarce_steps": _listed(late, ",.0f"),
        "scarce_later": Truth(later, f"steps {_listed(late, ',.0f')}"),
    }


def _short(rows: pd.DataFrame) -> dict[str, Any]:
    """Modulus 37: who generalises in a short record."""
    one = rows.grok_step[rows.layers == 1]
    more = rows.grok_step[rows.layers > 1]
    _, less, levels = lessened(rows)
    return {
        "short_p": runs.SIZE,
        "short_steps": f"{runs.STEPS:,}",
        "one_layer": some(one.count(), len(one)),
        "more_layers": some(more.count(), len(more)),
        "diminishes": Truth(bool(less) and more.count() == 0, f"highest accuracies {levels}"),
    }


def _causes(tables: dict[str, pd.DataFrame]) -> dict[str, Any]:
    """Four layers as they are and with one thing changed: the largest fall of the training
    accuracy."""
    drops = {name: table[TRAINING] for name, table in tables.items()}
    base = drops.pop("as they are")
    lessens = all(drop.min() > 0 and drop.max() < base.min() for drop in drops.values())
    return {
        "as_they_are": spread(base, ".2f"),
        "each_lessens": Truth(lessens, f"as they are {spread(base, '.2f')}"),
    }


def _stream() -> dict[str, Any]:
    growth = {}
    for name, hidden in (("wide", 4), ("narrow", 1)):
        lengths = stream_lengths(hidden)
        growth[f"stream_{name}"] = f"{lengths[-1] / lengths[0]:.1f}"
    return growth
