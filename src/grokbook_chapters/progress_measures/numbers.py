"""Every number, text and truth of chapter 06's prose."""

from __future__ import annotations

import numpy as np
import pandas as pd

from companion.page import Number, Prose, Truth
from grokbook.curves.lead import RankTest, ranked
from grokbook_chapters.labelled import Datasets, Tables
from grokbook_chapters.lead_tasks import CONTROLS
from grokbook_chapters.progress_measures.refitted import read_out_times
from grokbook_chapters.progress_measures.runs import directions
from grokbook_chapters.progress_measures.tables import (
    CONTROL_WAYS,
    LEVEL,
    SHARES,
    controlled,
    summary_table,
    typical_run,
)

SEES = "sees it coming"
NO_TAU = "(not defined)"
TOLD = ("med", "test_loss", "restricted_loss_now", "excluded_loss_now")
"""Measures of which the prose says in how many networks they are first."""
TWO_LAYERS = "two layers"
"""How the names of two-layer networks begin among the runs with a fresh read-out."""
CONTROLS_SAY = {"oracle": "goes with it", "oracle_early": SEES, "clock": "early, as a clock"}
"""What the test has to say of the controls."""


def numbers(
    study: Datasets,
    rows: pd.DataFrame,
    own: Tables,
    watched: pd.DataFrame,
    fresh: Datasets,
) -> Prose:
    """What the prose uses.

    `rows` are the events of the small networks of `study` at one half, `own` those of the papers'
    size by share, `watched` those of the measure that the page adds, `fresh` the runs with a fresh
    read-out.
    """
    units = watched[watched.measure == "active_units"].measure_delay
    return {
        **_networks(rows),
        **_two_questions(summary_table(rows, CONTROLS)),
        **_at_other_shares(study, rows),
        **_step_of_fitting(rows),
        **_own_size(own),
        **_read_outs(fresh),
        "units_stay": Truth(not np.isfinite(units).any(), "it falls and stays down in some"),
    }


def _networks(rows: pd.DataFrame) -> Prose:
    each = rows.drop_duplicates(["task", "seed"])
    typical = typical_run(rows)
    same = (rows.task == typical.task) & (rows.seed == typical.seed)
    clock = rows[same & (rows.measure == "clock")].measure_delay.iloc[0]
    early = clock < typical.accuracy_delay
    return {
        "n_runs": len(each),
        "n_tasks": each.task.nunique(),
        "typical": f"{typical.task}, seed {typical.seed}",
        "clock_early": Truth(early, f"half way after {clock:,.0f} steps"),
    }


def _two_questions(summary: pd.DataFrame) -> Prose:
    """Who is first, who goes with the accuracy, at one half of both moves."""
    of = summary["first"].map(str) + " of " + summary.runs.map(str)
    tau = summary.tau.map("{:.2f}".format)
    own = summary[~summary.index.isin(CONTROL_WAYS)]
    says = summary.says
    early = sorted(own.index[own.says == "early, as a clock"])
    early_losses = early == ["excluded_loss_now", "restricted_loss_now"]
    neither = sorted(own.index[own.says == "neither"])
    can_tell = all(says[name] == word for name, word in CONTROLS_SAY.items())
    length_goes = summary.p_value["embedding_norm"] <= LEVEL
    return {
        "n_measures": len(own),
        "clock_first": of["clock"],
        **{f"first_{name}": of[name] for name in TOLD},
        "tau_med": tau["med"],
        "tau_embedding_norm": tau["embedding_norm"],
        "tau_normalised_med": tau["normalised_med"],
        "loss_anyway": summary.anyway["test_loss"],
        "can_tell": Truth(can_tell, f"the clock is {says['clock']}"),
        "losses_early": Truth(early_losses, ", ".join(early)),
        "quotient_does_not": Truth(neither == ["normalised_med"], ", ".join(neither)),
        "length_goes": Truth(length_goes, of["embedding_norm"]),
        "med_goes": Truth(says["med"] == "goes with it", says["med"]),
    }


def _at_other_shares(study: Datasets, rows: pd.DataFrame) -> Prose:
    """Who sees it coming at a quarter, half and three quarters of both moves."""
    seeing = []
    for share in SHARES:
        events = rows if share == 0.5 else controlled(study, directions(), share=share)
        summary = summary_table(events, CONTROLS).drop(index=[*CONTROL_WAYS])
        seeing.append(set(summary.index[summary.says == SEES]))
    always = set.intersection(*seeing)
    return {"loss_sees": Truth(always == {"test_loss"}, ", ".join(sorted(always)))}


def _step_of_fitting(rows: pd.DataFrame) -> Prose:
    """The step of fitting in place of a measure, and MED beside it."""
    fits = rows[rows.measure == "clock"].assign(measure_delay=rows.fit_step)
    from_zero = ranked(fits.assign(accuracy_delay=fits.accuracy_delay + fits.fit_step))
    fitting = ranked(fits)
    med = rows[rows.measure == "med"]
    same_fit = ranked(med.assign(task=med.task + ", fit at " + med.fit_step.map(str)))
    return {
        "tau_zero": _tau(from_zero),
        "tau_fit": _tau(fitting),
        "tau_same_med": _tau(same_fit),
        "fit_tells": _beyond_chance(fitting),
        "med_beyond_fit": _beyond_chance(same_fit),
    }


def _beyond_chance(test: RankTest) -> Truth:
    return Truth(test.p_value <= LEVEL, f"p = {test.p_value:.2g}")


def _tau(test: RankTest) -> Number:
    return Number(test.tau, ".2f", NO_TAU)


def _own_size(own: Tables) -> Prose:
    """What the recorded runs of the papers' size do at three shares."""
    sums = {}
    seen = {}
    for share, events in own.items():
        table = summary_table(events)
        sums[share] = table
        seen[share] = list(table.index[table.says == SEES])
    half = own[0.5]
    of_loss = half[half.measure == "test_loss"]
    delays = of_loss.measure_delay
    loss = sums[0.5].loc["test_loss"]
    loss_early = loss["first"] == loss.runs and loss.tau < 0
    med = pd.DataFrame([table.loc["med"] for table in sums.values()])
    taus = ", ".join(med.tau.map("{:.2f}".format))
    goes = (med.p_value <= LEVEL).tolist()
    ipr = [sums[0.5].says["fourier_ipr"], sums[0.75].says["fourier_ipr"]]
    return {
        "own_runs": of_loss.generalises.sum(),
        "own_loss_from": f"{delays.quantile(0.25):,.0f}",
        "own_loss_to": f"{delays.quantile(0.75):,.0f}",
        "own_med_first": ", ".join(med["first"].map(str)),
        "own_med_tau": taus,
        "own_med_goes_late": Truth(goes == [False, True, True], taus),
        "own_loss_sees_late": Truth(seen == {0.25: [], 0.5: [], 0.75: ["test_loss"]}, str(seen)),
        "own_loss_early": Truth(loss_early, f"first in {loss['first']}"),
        "own_ipr_goes": Truth(ipr == ["goes with it"] * 2, ", ".join(ipr)),
    }


def _read_outs(fresh: Datasets) -> Prose:
    """How far a fresh read-out is ahead in two-layer networks and in transformers, what its shams
    read, and what the test of the page says of it."""
    tables = {name: read_out_times(data) for name, data in fresh.items()}
    every = pd.concat(tables, names=["network"])
    ahead = every.ahead_half.groupby("network").median()
    two_layers = ahead.index.str.startswith(TWO_LAYERS)
    layers = ahead[two_layers]
    transformers = ahead[~two_layers]
    ways = {"fresh_readout": "rises"}
    sums = [summary_table(controlled(fresh, ways, share=share)) for share in SHARES]
    says = [table.says["fresh_readout"] for table in sums]
    half = sums[SHARES.index(0.5)].loc["fresh_readout"]
    parts = f"{layers.min():.0%} and {layers.max():.0%}"
    shams = max(every.start.max(), every.dealt.max())
    return {
        "fresh_layers": parts,
        "fresh_transformers": f"{transformers.min():.0%} and {transformers.max():.0%}",
        "fresh_first": f"{half['first']} of {half.runs}",
        "fresh_tau": f"{half.tau:.2f}",
        "fresh_shams": f"{shams:.0%}",
        "fresh_sees": Truth(says == [SEES] * len(SHARES), ", ".join(says)),
        "fresh_by_kind": Truth(layers.min() > 2 * transformers.max(), parts),
    }
