"""Every number, text and truth of chapter 09's prose."""

from __future__ import annotations

import numpy as np
import pandas as pd

from companion.claims import findings
from companion.claims.finding import some_of
from companion.page import Prose, Truth
from grokbook.curves.comparison import (
    either_way,
    least_p,
    ratio_bounds,
    same_seed,
    span,
    steps_and_seen,
)
from grokbook.runs.experiment import Experiments
from grokbook_chapters.labelled import Tables
from grokbook_chapters.ranges import spread
from grokbook_chapters.width_and_initialisation import planning, runs
from grokbook_chapters.width_and_initialisation.claims import LEVEL, earlier_by, fig20, onset_ratio
from grokbook_chapters.width_and_initialisation.recorded import Recorded
from grokbook_chapters.width_and_initialisation.tables import recorded_spread


def numbers(live: Tables, recorded: Recorded) -> Prose:
    """What the prose uses of the runs that the page trains (tables of `grok_times` by start, the
    normal one first) and of the recorded ones."""
    return {
        **_yardstick(recorded.alike),
        **_spread(),
        **_shifts(recorded),
        **_positions(recorded),
        **_widths(recorded),
        **_starts(recorded),
        **_live(live),
        **_race(recorded.race),
    }


def _counted(table: pd.DataFrame) -> str:
    return some_of(table.grok_step.notna())


def _seen(table: pd.DataFrame) -> str:
    """The range of the grok steps of those that generalise."""
    return spread(table.grok_step.dropna(), ",.0f", "(none)")


def _yardstick(alike: Tables) -> Prose:
    """Of the seeds at two moduli of the papers' size how many generalise, and when."""
    large = alike["p = 97"]
    late = alike["p = 47"]
    first = next(iter(alike.values()))
    apart = planning.factors_apart(first)
    return {
        "pairs_two": f"{(apart >= 2).mean():.0%}",
        "alike_97": _counted(large),
        "alike_97_at": _seen(large),
        "alike_47": _counted(late),
        "alike_47_at": _seen(late),
        "alike_47_last": f"{late.last_step.max():,}",
    }


def _spread() -> Prose:
    """The standard deviation of ln(grok step) in settings of the papers' size and in ours, how
    often one of two runs takes twice as long, and the seeds that a change needs."""
    theirs = recorded_spread(_of_the_papers())
    low, high = planning.spread_interval(*theirs)
    chance = planning.chance_of_ratio(theirs.value)
    ours = recorded_spread(_companions())
    our_chance = planning.chance_of_ratio(ours.value)
    return {
        "spread": f"{theirs.value:.2f}",
        "spread_low": f"{low:.2f}",
        "spread_high": f"{high:.2f}",
        "spread_factor": f"{np.exp(theirs.value):.1f}",
        "spread_runs": theirs.runs,
        "spread_settings": theirs.settings,
        "ours": f"{ours.value:.2f}",
        "our_runs": ours.runs,
        "our_settings": ours.settings,
        "chance_two": f"{chance:.0%}",
        "chance_ours": f"{our_chance:.0%}",
        "seeds_half": planning.seeds_needed(theirs.value),
        "seeds_half_ours": planning.seeds_needed(ours.value),
        "seeds_fifth": planning.seeds_needed(theirs.value, 0.8),
    }


def _of_the_papers() -> list[Experiments]:
    shares = [runs.by_start(share) for share in (0.3, 0.25, 0.2)]
    return [
        runs.by_modulus(),
        *shares,
        fig20(),
        runs.by_shift(),
        runs.by_position(),
        runs.by_width(),
    ]


def _companions() -> list[Experiments]:
    shares = [runs.small_by_start(share) for share in (0.5, 0.4, 0.45)]
    return [
        runs.with_fresh_seeds(),
        *shares,
        runs.small_by_shift(),
        runs.by_optimiser(),
        runs.small_by_position(),
        runs.wider_by_position(96, 192),
        runs.narrow_by_position(runs.SPREAD),
        runs.many_by_position(),
        runs.companions_by_width(),
    ]


def _shifts(recorded: Recorded) -> Prose:
    """With shared tokens and without how many generalise, at both sizes."""
    large = dict(recorded.large_shifts)
    small = dict(recorded.small_shifts)
    unshifted = large.pop("k = 0")
    small_unshifted = small.pop("k = 0")
    shifted = pd.concat(large.values())
    small_shifted = pd.concat(small.values())
    later = [earlier_by(table, small_unshifted) for table in small.values()]
    return {
        "shift_none": _counted(unshifted),
        "shift_some": _counted(shifted),
        "shift_last": f"{unshifted.last_step.max():,}",
        "shift_small_none": _counted(small_unshifted),
        "shift_small_some": _counted(small_shifted),
        "shifts_never": Truth(shifted.grok_step.isna().all(), _counted(shifted)),
        "shifts_later": Truth(later == [True] * 3, f"later: {later}"),
    }


def _positions(recorded: Recorded) -> Prose:
    """Pairs with and without position vectors: which is later, and how the widest scatter."""
    with_them, without = recorded.positions.values()
    ratios = same_seed(with_them, without)
    own = pd.concat(recorded.own_positions)
    wider = recorded.wider_positions
    order = same_seed(wider["d = 96, on"], wider["d = 96, off"])
    widest = []
    for state in ("on", "off"):
        table = wider[f"d = 192, {state}"]
        widest.append(steps_and_seen(table)[0].max() / table.grok_step.min())
    below = own.late.max() < 1 / 97
    return {
        "many_pairs": len(ratios),
        "many_later": (ratios.low > 1).sum(),
        "many_earlier": (ratios.high < 1).sum(),
        "many_with": _counted(with_them),
        "many_without": _counted(without),
        "many_last": f"{without.last_step.max():,}",
        "own_size": _counted(own),
        "own_last": f"{own.last_step.max():,}",
        "own_late": f"{own.late.median():.1%}",
        "own_guess": f"{1 / 97:.1%}",
        "own_below": Truth(below, f"the accuracies end at {spread(own.late, '.1%')}"),
        "order_later": some_of(order.low > 1),
        "wide_span": f"{max(widest):.1f}",
    }


def _widths(recorded: Recorded) -> Prose:
    """The longest runs at width 128 and modulus 43, and both panels of companions."""
    table = recorded.narrow
    generalised = table.grok_step.notna()
    apart = _panel(recorded, runs.PANELS[0])
    shared = _panel(recorded, runs.PANELS[1])
    earlier = {"apart": earlier_by(*apart), "shared": earlier_by(*shared)}
    one_alone = earlier["shared"] is True and earlier["apart"] is None
    return {
        "level_came": _counted(table),
        "level_last": f"{table.last_step.max():,}",
        "level_high": spread(table.late[generalised], ".2f", "(none)"),
        "level_low": spread(table.late[~generalised], ".2f", "(none)"),
        "wide_seeds": len(runs.WIDTH_SEEDS),
        "wide_apart_share": f"{runs.PANELS[0].share:.0%}",
        "wide_apart_ratio": _medians(*apart[::-1]),
        "wide_shared_share": f"{runs.PANELS[1].share:.0%}",
        "wide_shared_ratio": _medians(*shared[::-1]),
        "wide_one": Truth(one_alone, f"earlier: {earlier}"),
    }


def _panel(recorded: Recorded, panel: runs.Panel) -> list[pd.DataFrame]:
    """The narrow and the wide companions of a panel."""
    return [recorded.companions[panel.label(width)] for width in panel.steps]


def _medians(first: pd.DataFrame, second: pd.DataFrame) -> str:
    """The ratio of the median grok steps, in words."""
    return span(*ratio_bounds(first, second))


def _starts(recorded: Recorded) -> Prose:
    """How long each start takes beside the random one, and the onsets of Fig. 20."""
    structure = findings(["GE1"])["GE1"].value
    words: Prose = {"structure_young": f"{structure:.2f}"}
    normal = recorded.starts["normal"]
    p_values = []
    for start in ("small_normal", "normal_mean", "toeplitz"):
        words[f"{start}_ratio"] = _medians(recorded.starts[start], normal)
        p_values.append(either_way(recorded.starts[start], normal))
    listed = ", ".join(f"{p:.2f}" for p in p_values)
    words["starts_alike"] = Truth(min(p_values) > LEVEL, f"p values {listed}")
    for share in ("30", "25"):
        toeplitz = recorded.onsets[f"{share}%, toeplitz"]
        words[f"onset_{share}"] = onset_ratio(toeplitz, recorded.onsets[f"{share}%, normal"])
    return words


def _live(live: Tables) -> Prose:
    """The comparison that the page trains: the ratio, and the least p value of so few seeds."""
    (_, normal), (start, other) = live.items()
    least = least_p(len(other), len(normal))
    return {
        "live_start": start.replace("_", " "),
        "live_normal": _counted(normal),
        "live_other": _counted(other),
        "live_last": f"{normal.last_step.max():,}",
        "live_least": f"{least:.2g}",
    }


def _race(race: Tables) -> Prose:
    one_rate = list(race) == list(runs.ACCELERATORS)
    return {"one_rate": Truth(one_rate, f"recorded: {', '.join(race)}")}
