"""Every number, text and truth of chapter 15's prose."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import xarray as xr

from companion.claims import Finding, findings
from companion.claims.finding import some_of
from companion.page import Number, Prose, Truth
from grokbook.runs.experiment import Experiment, Experiments
from grokbook_chapters.images.claims import (
    LATE,
    corner,
    drawn,
    frequency,
    reached,
    separation,
    share_outside,
)
from grokbook_chapters.images.refitted import pixel_read_out, read_out_wait
from grokbook_chapters.images.runs import LARGE, REACHED, read_outs
from grokbook_chapters.labelled import Datasets

JUDGED = ("L45", "LM12", "LM14")
"""Claims whose numbers the prose tells."""
ORDER = "M*G+C*"
"""Phases along a line with grokking, from the smallest rate on, as the paper orders them."""


def numbers(
    plan: Experiments,
    runs: Datasets,
    mnist: Datasets,
    decays: Datasets,
    phases: Mapping[str, xr.DataArray],
    fresh: Datasets,
) -> Prose:
    """What the prose uses.

    `runs` are those of `plan`, `mnist` the recorded ones by factor of the first weights, `decays`
    those with and without decay, `phases` the diagrams by set of digits, `fresh` the runs with a
    fresh read-out, on MNIST by factor and on the small digits by name.
    """
    return {
        **_starts(runs),
        **_waits(plan["large"]),
        **_decays(decays),
        **_on_mnist(mnist),
        **_read_outs(fresh),
        **_lines(phases),
        **_collapse(findings(JUDGED)),
    }


def _starts(runs: Datasets) -> Prose:
    """When the runs of the page fit and generalise, by start."""
    large = reached(runs["large"])
    usual = reached(runs["usual"])
    waits = _delays(large)
    short = _delays(usual)
    late = waits.notna().all() and (waits > LATE).all()
    soon = (short <= LATE).all()
    words = f"delays, large: {_in_words(waits)}; usual: {_in_words(short)}"
    return {
        "delayed": Truth(late and soon, words),
        "both_generalise": Truth(waits.notna().all() and short.notna().all(), words),
        "large_fit": _typical(large.fit_step),
        "large_grok": _typical(large.grok_step),
        "usual_fit": _typical(usual.fit_step),
        "usual_grok": _typical(usual.grok_step),
    }


def _delays(table: pd.DataFrame) -> pd.Series:
    return (table.grok_step - table.fit_step).astype(float)


def _in_words(delays: pd.Series) -> str:
    return ", ".join("no end" if np.isnan(delay) else f"{delay:,.0f} steps" for delay in delays)


def _typical(steps: pd.Series) -> Number:
    return Number.median(steps, ",.0f", "(not reached)")


def _waits(large: Experiment) -> Prose:
    """Steps after which decay alone has brought large weights to the usual size."""
    optimizer = large.config.optimizer
    pace = optimizer.learning_rate * optimizer.weight_decay
    wait = np.log(large.config.model.spread) / pace
    return {"wait_here": f"{wait:,.0f}"}


def _decays(decays: Datasets) -> Prose:
    free = reached(decays["no decay"])
    decayed = reached(decays["decay"])
    return {
        "free_last": f"{free.last_step.max():,d}",
        "free_there": some_of(free.grok_step.notna()),
        "decayed_there": some_of(decayed.grok_step.notna()),
    }


def _on_mnist(mnist: Datasets) -> Prose:
    large = reached(mnist[LARGE])
    usual = reached(mnist[1.0])
    return {
        "mnist_fit": Number.median(large.fit_step, ",.0f"),
        "mnist_grok": Number.median(large.grok_step, ",.0f"),
        "control_grok": Number.median(usual.grok_step, ",.0f"),
    }


def _read_outs(fresh: Datasets) -> Prose:
    """What a last layer that is fitted anew has right of the test set: of MNIST from large weights,
    and of the small digits."""
    large = read_out_wait(fresh[LARGE])
    (small,) = [read_out_wait(data) for name, data in fresh.items() if isinstance(name, str)]
    columns = ["start", "at_fit", "heavy_start", "heavy_at_fit", "own_at_fit"]
    typical = large[columns].median()
    least = small.least.min()
    pixels = pixel_read_out(read_outs()[LARGE])
    return {
        "fresh_start": f"{typical.start:.0%}",
        "fresh_fit": f"{typical.at_fit:.0%}",
        "heavy_start": f"{typical.heavy_start:.0%}",
        "heavy_fit": f"{typical.heavy_at_fit:.0%}",
        "fresh_own": f"{typical.own_at_fit:.0%}",
        "fresh_pixels": f"{pixels:.0%}",
        "small_least": f"{least:.0%}",
        "small_ready": Truth(least >= REACHED, f"at its least {least:.0%}"),
    }


def _lines(phases: Mapping[str, xr.DataArray]) -> Prose:
    """On how many lines along the rate grokking stands between memorisation and comprehension."""
    lines = []
    for phase in phases.values():
        cells = phase.transpose("seed", "weight_decay", "last_lr").values
        lines += ["".join(line) for line in np.concatenate(cells)]
    with_grokking = pd.Series([line for line in lines if "G" in line], dtype=str)
    in_order = with_grokking.str.fullmatch(ORDER)
    words = some_of(in_order)
    mnist = phases["MNIST"]
    low = corner(mnist, high=False)
    return {
        "ordered_lines": words,
        "ordered": Truth(in_order.all(), f"{words} lines"),
        "memorised_low": f"{frequency('M', low):.0%}",
        "memorised_rest": f"{share_outside('M', low, mnist):.0%}",
    }


def _collapse(judged: Mapping[str, Finding]) -> Prose:
    """What the effective loss does to classes, by the claims' own checks."""
    encoder = judged["LM12"].numbers
    decay = judged["LM14"].numbers
    centred, labels = drawn(0.0)
    before = separation(centred, labels, 0.0)
    near = separation(centred, labels)
    far = separation(*drawn(3.0))
    return {
        "class_at_one": f"{judged['L45'].value:.1f}",
        "before": f"{before:.0%}",
        "near": f"{near:.0%}",
        "far": f"{far:.0%}",
        "new_own": f"{judged['LM12'].value:.0%}",
        "new_dealt": f"{encoder['dealt']:.0%}",
        "new_seen": f"{encoder['seen']:.0%}",
        "new_centred": f"{encoder['centred']:.0%}",
        "ends_ended": f"{decay['ended']:.0%}",
        "ends_less": f"{decay['less']:.0%}",
    }
