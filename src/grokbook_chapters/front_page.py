"""The front page: one network, what is done to it act by act, and what the library finds when it
does the same."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode

import numpy as np
import xarray as xr

from companion.claims import carrying, choose
from companion.claims.verdicts import settled
from companion.page import Prose, Truth, front
from grokbook.curves.delay import THRESHOLD, grok_times, middle
from grokbook.paths import project_root
from grokbook.runs.experiment import Experiment, Experiments, load_or_run
from grokbook.training.config import RunConfig, StopRule
from grokbook.training.handed_over import HandedOver
from grokbook.training.schedule import Schedule
from grokbook_chapters.labelled import Datasets
from grokbook_chapters.training_page import NONE, configuration, settings, training_page

FIGURE = "fig-front-train"
BASE: dict[str, Any] = {"train_fraction": 0.5, "n_seeds": 1, "steps": 2_000}
"""The network of the story, half of whose pairs are shown; the rest is as `settings` has it."""

DECAY = settings()["weight_decay"]
PAIRED: dict[str, Any] = {"split": "symmetric"}
"""Both orders of a pair are shown, or neither."""

ACTS: dict[str, dict[str, Any]] = {
    "shown": {},
    "paired": PAIRED,
    "no_decay": PAIRED | {"weight_decay": 0.0},
    "finished": PAIRED | {"given": "finished"},
    "half": PAIRED | {"given": "half"},
    "shuffled": PAIRED | {"given": "shuffled"},
    "tuned": PAIRED | {"weight_decay": 10 * DECAY},
}
"""What each act changes."""

SEEDS = (0, 1, 2, 3, 4)
KEPT = ("train_accuracy", "test_accuracy")


class Donor(NamedTuple):
    """Fit and grok step of a run that hands its first layer over."""

    fit: int
    grok: int


DONORS = (Donor(19, 617), Donor(23, 657), Donor(21, 567), Donor(19, 617), Donor(23, 657))
"""Those of the recorded runs of the act `paired`, by seed; a test compares."""

WAY = {"half": 0.5, "finished": 1.0, "shuffled": 1.0}
"""How far from fit to grok step a donor is when its first layer is taken."""


def network() -> None:
    """Show the network of the story, which begins to train by itself."""
    caption = "First by heart, then the rule."
    training_page(FIGURE, begin=True, story=True, caption=caption, **BASE)


def contents() -> None:
    """Show the chapters as one list."""
    front.contents(project_root())


def press(act: str, words: str) -> None:
    """Show a link that sets the network of the page to an act, and whose address repeats it.

    Raises KeyError for an act that is none of `ACTS`.
    """
    chosen = settings(**BASE, **ACTS[act])
    changed = {name: value for name, value in chosen.items() if NONE.get(name) != value}
    front.press(f"#{FIGURE}-area?{urlencode(changed)}", words)


def story() -> Experiments:
    """The runs of each act, which end once they have generalised.

    Example:
        >>> story()["half"].name
        'front/story[half]'
    """
    log = Schedule(30, 1, 200, "log")
    stop = StopRule(threshold=THRESHOLD - 1e-6, hold=4)
    experiments = {}
    for act, changes in ACTS.items():
        chosen = settings(**BASE, **changes) | {"given": "nothing"}
        config = dataclasses.replace(configuration(chosen), log=log, stop=stop)
        if act in WAY:
            config = given(config, act)
        name = f"front/story[{act}]"
        experiments[act] = Experiment(name, config, SEEDS, together=True, kept=KEPT)
    return experiments


def recorded_story() -> Datasets:
    """The runs of each act, from the records; what is not there is trained."""
    return {act: load_or_run(experiment) for act, experiment in story().items()}


def given(config: RunConfig, act: str) -> RunConfig:
    """A run whose first layer is that of a donor, `WAY` between its fit and its grok step."""
    way = WAY[act]
    steps = tuple(round(donor.fit + way * (donor.grok - donor.fit)) for donor in DONORS)
    donor = dataclasses.replace(config, stop=None)
    renaming = 0 if act == "shuffled" else 1
    model = HandedOver(config.model, donor, ("W_E",), renaming=renaming, steps=steps)
    return dataclasses.replace(config, model=model)


RUNS = (story,)


def numbers(runs: Datasets) -> Prose:
    """What the prose uses of the runs: medians of steps, and whether a sentence holds of them."""
    times = {act: grok_times(run) for act, run in runs.items()}
    end = runs["no_decay"].test_accuracy.isel(step=-1)
    generalised = int(times["no_decay"].grok_step.count())
    return {
        **_verdicts(),
        **_waits({act: middle(table.delay) for act, table in times.items()}),
        "fit": f"{times['shown'].fit_step.median():.0f}",
        "by_heart": percent(at_the_fit(runs["shown"])),
        "last": f"{BASE['steps']:,}",
        "without_decay": percent(float(end.median())),
        "decay_is_needed": Truth(generalised == 0, f"generalised: {generalised}"),
    }


def _verdicts() -> dict[str, int]:
    """How many claims that carry the papers are checked, and how they come out."""
    known = settled()
    words = [known.get(entry.id) for entry in carrying(choose())]
    return {
        "checked": len(words),
        "hold": words.count("holds"),
        "corrected": words.count("holds with correction"),
        "fail": words.count("fails"),
    }


def _waits(wait: Mapping[str, float]) -> Prose:
    """How long each act waits for generalisation, and how its wait is to that of `paired`."""
    share = {act: wait[act] / wait["paired"] for act in ACTS}
    shares = "; ".join(f"{act} {value:.2f}" for act, value in share.items())
    handed = share["finished"] < 0.25 < share["half"] < 0.75 and share["shuffled"] > 0.9
    values: dict[str, Any] = {
        "copying_is_not_it": Truth(1 / 1.5 < wait["paired"] / wait["shown"] < 1.5, shares),
        "features_are_handed": Truth(handed, shares),
        "tuned_away": Truth(share["tuned"] < 1 / 3, shares),
    }
    for act in ACTS:
        if act != "no_decay":
            values[f"{act}_wait"] = steps(wait[act])
    return values


def steps(wait: float) -> str:
    """A wait in words.

    Example:
        >>> steps(1234.0), steps(float("inf"))
        ('1,234 steps', 'longer than the run')
    """
    return f"{wait:,.0f} steps" if np.isfinite(wait) else "longer than the run"


def percent(share: float) -> str:
    """A share in words.

    Example:
        >>> percent(0.024)
        '2 %'
    """
    return f"{100 * share:.0f} %"


def at_the_fit(run: xr.Dataset) -> float:
    """The median test accuracy at the fit step, of those runs that fit."""
    fits = grok_times(run).fit_step.dropna().astype(int).to_xarray()
    return float(run.test_accuracy.sel(seed=fits.seed, step=fits).median())
