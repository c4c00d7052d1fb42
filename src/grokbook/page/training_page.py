"""A page that trains in the reader's browser, with a still picture that the library trains."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from grokbook.errors import ParameterError
from grokbook.models.quadratic import Quadratic
from grokbook.models.transformer import Shape
from grokbook.page.interactive import interactive
from grokbook.plotting.style import COLOURS, panels, styled
from grokbook.plotting.training import steps_axis
from grokbook.runs.delay import grok_times
from grokbook.runs.experiment import Experiment, load_or_run
from grokbook.tasks import ModularTask
from grokbook.training import Adam, AdamW, RunConfig, Schedule, Sgd, StopRule

OPTIMIZERS = {"Adam": Adam, "AdamW": AdamW, "Sgd": Sgd}
USUAL: dict[str, dict[str, Any]] = {
    "quadratic": {"p": 23, "width": 128, "optimizer": "Adam", "learning_rate": 0.005, "weight_decay": 2e-5,
                  "train_fraction": 0.4, "loss": "squared_error"},
    "transformer": {"p": 23, "width": 32, "optimizer": "AdamW", "learning_rate": 0.01, "weight_decay": 1.0,
                    "train_fraction": 0.7, "loss": "cross_entropy"},
}  # fmt: skip
"""What a network is trained with unless a page says otherwise; the script has the same."""

LARGEST = {"quadratic": (59, 256), "transformer": (31, 48)}
"""The largest modulus and width of each network in a browser."""

NAMES = {"quadratic": "the two-layer network with squares as activation", "transformer": "the one-layer transformer"}
ALT = (
    "A table of all pairs that turns right cell by cell, the trained ones first, the unseen ones later; below it "
    "accuracies, losses, two measures, a spectrum and the neurons as clocks."
)


def settings(model: str = "quadratic", **changes: Any) -> dict[str, Any]:
    """The settings of a page that trains: the usual ones of a network with `changes`, as the script takes them.

    Raises ParameterError for an unknown network or setting, or a network too large for a page.

    Example:
        >>> settings(p=31)["p"], settings("transformer")["optimizer"]
        (31, 'AdamW')
    """
    if model not in USUAL:
        raise ParameterError(f"model = {model!r} is unknown; choose one of {', '.join(USUAL)}.")
    common = {"model": model, "split": "random", "seed": 0, "n_seeds": 2, "steps": 3000}
    found = common | USUAL[model]
    if unknown := set(changes) - set(found):
        raise ParameterError(f"{min(unknown)!r} is no setting of a page that trains; there are {', '.join(found)}.")
    found |= changes
    for name, most in zip(("p", "width"), LARGEST[model], strict=True):
        if found[name] > most:
            raise ParameterError(
                f"{name} = {found[name]} is too large for {NAMES[model]} in a browser: at most {most}."
            )
    return found


def configuration(found: dict[str, Any]) -> RunConfig:
    """The run of the library with the settings of a page; it ends once 99 per cent of the test set are right.

    Example:
        >>> configuration(settings()).n_train
        211
    """
    p, quadratic = found["p"], found["model"] == "quadratic"
    rates = {name: found[name] for name in ("learning_rate", "weight_decay")}
    return RunConfig(
        ModularTask(p, train_fraction=found["train_fraction"], split=found["split"], seed=found["seed"]),
        Quadratic(p, found["width"]) if quadratic else Shape(p, found["width"]),
        OPTIMIZERS[found["optimizer"]](**rates),
        found["steps"],
        Schedule(20, 2, 60, "log"),
        0,
        StopRule(),
        seed=found["seed"],
        start="uniform" if quadratic else "normal",
        loss=found["loss"],
    )


def training_page(name: str, *, model: str = "quadratic", caption: str = "", **changes: Any) -> None:
    """Put a page that trains into the chapter as the numbered figure `name`.

    Args:
        name: its label, starting with `fig-`.
        model: the network it opens with, "quadratic" or "transformer".
        caption: sentences of the chapter, before those that say what can be done.
        changes: settings to open with (`settings`); everything is under the reader's hand.

    The library trains the first seed as well, for the picture where scripts are off; the run is kept in the store.

    Raises ParameterError as `settings` does, and for what the library refuses to train.
    """
    found = settings(model, **changes)
    config = configuration(found)
    said = f"The page that trains: {NAMES[model]}, p = {found['p']}, {found['train_fraction']:.0%} of the pairs"
    run = load_or_run(Experiment(said, config, (found["seed"],))).isel(seed=0)
    how = "Train, pause, change any setting, click a neuron to drop it; the link repeats the run with all of that."
    words = f"{caption} {said} trained, seeds side by side. {how} {told(run)}".strip()
    interactive("training_page", name, words, ALT, found, still(config.task, run))


def first_trainer(name: str, **changes: Any) -> None:
    """Put the small trainer that has already begun to run into the page as the figure `name`; settings as above.

    Raises ParameterError as `settings` does.
    """
    found = settings(**changes)
    words = (
        f"A network of two layers learns addition modulo {found['p']} in your browser, seed {found['seed']}, from "
        f"{found['train_fraction']:.0%} of the pairs; held out: all others."
    )
    run = load_or_run(Experiment(words, configuration(found), (found["seed"],))).isel(seed=0)
    interactive("first_trainer", name, words, ALT, found, still(configuration(found).task, run))


def told(run: xr.Dataset) -> str:
    """When the library's run of one seed fits and generalises, in a sentence."""
    times, last = grok_times(run).iloc[0], int(run.step.max())
    reached = {name: times[name] for name in ("fit_step", "grok_step")}
    known, rule = (f"not by step {last:,}" if pd.isna(at) else f"by step {at:,}" for at in reached.values())
    return f"The library's run of seed {int(run.seed)} knows its training pairs {known} and the others {rule}."


@styled
def still(task: ModularTask, run: xr.Dataset) -> Figure:
    """The table of one run (dim `step`) by what was trained, and the accuracy on each part of it."""
    fig, axes = panels(1, 2, height=3.4, width_ratios=(2, 3))
    table, curves = axes[0]
    kinds = np.where(task.train_mask, 2, task.transposed_mask.astype(int))
    parts = (("test_accuracy_unmirrored", "unseen", "test"), ("test_accuracy_mirrored", "mirrored", "hole"),
             ("train_accuracy", "trained", "train"))  # fmt: skip
    table.imshow(kinds, cmap=ListedColormap([COLOURS[colour] for _, _, colour in parts]), vmin=0, vmax=2)
    table.set(title="all pairs", xlabel="b", ylabel="a")
    table.grid(visible=False)
    for series, label, colour in parts:
        if series in run:
            curves.plot(run.step.clip(1), run[series], color=COLOURS[colour], label=label)
    steps_axis(curves)
    curves.set(ylabel="accuracy", ylim=(-0.02, 1.02))
    curves.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=3)
    return fig
