"""A page that trains in the reader's browser, with a still picture that the library trains."""

from __future__ import annotations

import dataclasses
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from companion.page.interactive import interactive
from grokbook.errors import ParameterError
from grokbook.models.intervened import Tempered
from grokbook.models.layered import Layered
from grokbook.models.quadratic import Quadratic
from grokbook.models.transformer import Shape
from grokbook.plotting.style import COLOURS, panels, styled
from grokbook.plotting.training import steps_axis
from grokbook.runs.experiment import Experiment, load_or_run
from grokbook.tasks import ModularTask
from grokbook.training import Adam, AdamW, Group, RunConfig, Schedule, Sgd, StopRule
from grokbook.training.interventions import Freeze, Hold, Hook, Hooked

OPTIMIZERS = {"Adam": Adam, "AdamW": AdamW, "Sgd": Sgd}
USUAL: dict[str, dict[str, Any]] = {
    "quadratic": {
        "p": 23,
        "width": 128,
        "optimizer": "Adam",
        "learning_rate": 0.005,
        "weight_decay": 2e-5,
        "train_fraction": 0.4,
        "loss": "squared_error",
    },
    "transformer": {
        "p": 23,
        "width": 32,
        "optimizer": "AdamW",
        "learning_rate": 0.01,
        "weight_decay": 1.0,
        "train_fraction": 0.7,
        "loss": "cross_entropy",
    },
}
"""What a network is trained with unless a page says otherwise; the script has the same."""

LAYERS = ("embedding", "hidden", "output")
NONE: dict[str, Any] = {
    "freeze": "never",
    "hold": "never",
    "temperature": 1,
    "given": "nothing",
    **{f"decay_{name}": 1 for name in LAYERS},
}
"""The interventions of a page, all off: when the embedding is frozen, the norm held ("start",
"fitted"), T, the first layer that another run gives ("half", "finished", "shuffled"), decay."""

MODULI = (5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59)
WIDTHS = {"quadratic": (16, 32, 64, 128, 256), "transformer": (16, 32, 48, 64)}
"""What the script offers: moduli, and widths of each network."""
LARGEST = {name: {"p": MODULI[-1], "width": widths[-1]} for name, widths in WIDTHS.items()}
"""The largest modulus and width of each network in a browser."""

NAMES = {
    "quadratic": "The two-layer network with squares as activation",
    "transformer": "The one-layer transformer",
}
ALT = (
    "A table of all pairs, a column one sum, that turns right cell by cell, the trained ones first,"
    " the held-out ones later; beside it the accuracy of both against the step."
)


def settings(model: str = "quadratic", **changes: Any) -> dict[str, Any]:
    """The settings of a page that trains: the usual ones of a network with `changes`, as the script
    takes them.

    Raises ParameterError for an unknown network or setting, or a network too large for a page.

    Example:
        >>> settings(p=31)["p"], settings("transformer")["optimizer"]
        (31, 'AdamW')
    """
    if model not in USUAL:
        raise ParameterError(f"model = {model!r} is unknown; choose one of {', '.join(USUAL)}.")
    common = {
        "model": model,
        "split": "random",
        "seed": 0,
        "n_seeds": 2,
        "steps": 3000,
        **NONE,
        "beside": 0,
    }
    usual = common | USUAL[model]
    if unknown := set(changes) - set(usual):
        raise ParameterError(
            f"{min(unknown)!r} is no setting of a page that trains; there are {', '.join(usual)}."
        )
    chosen = usual | changes
    for name, most in LARGEST[model].items():
        if chosen[name] > most:
            raise ParameterError(
                f"{name} = {chosen[name]} is too large for {NAMES[model].lower()} in a browser: at"
                f" most {most}."
            )
    return chosen


def offered(p: int, width: int, train_fraction: float) -> dict[str, Any]:
    """What a page that trains offers nearest to the settings of a chapter's own two-layer network.

    Modulus and width are the largest up to those given, else the smallest; the share lies between
    0.05 and 0.95.

    Example:
        >>> offered(9, 48, 0.99)
        {'p': 7, 'width': 32, 'train_fraction': 0.95}
    """
    return {
        "p": largest_up_to(p, MODULI),
        "width": largest_up_to(width, WIDTHS["quadratic"]),
        "train_fraction": min(max(train_fraction, 0.05), 0.95),
    }


def largest_up_to(most: int, choices: Sequence[int]) -> int:
    """The largest of some rising numbers up to `most`, else the first.

    Example:
        >>> largest_up_to(9, (5, 7, 11)), largest_up_to(2, (5, 7, 11))
        (7, 5)
    """
    return choices[max(bisect_right(choices, most) - 1, 0)]


def configuration(chosen: dict[str, Any], fitted: int | None = None) -> RunConfig:
    """The run of the library with the settings of a page; it ends once 99 per cent of the test set
    are right.

    Args:
        chosen: what `settings` gives.
        fitted: the number of updates after which 95 per cent of the training pairs are right, where
            an intervention begins there.

    Raises ParameterError where that number is needed and not given, and for a first layer of
    another run, which the page itself trains.

    Example:
        >>> configuration(settings()).n_train
        211
    """
    if chosen["given"] != "nothing":
        raise ParameterError(
            f"given = {chosen['given']!r}: that first layer is of a run in the browser; with the"
            " library, HandedOver takes it from a donor."
        )
    p = chosen["p"]
    seed = chosen["seed"]
    quadratic = chosen["model"] == "quadratic"
    network = Quadratic if quadratic else Shape
    optimizer = OPTIMIZERS[chosen["optimizer"]]
    share = chosen["train_fraction"]
    config = RunConfig(
        ModularTask(p, train_fraction=share, split=chosen["split"], seed=seed),
        network(p, chosen["width"]),
        optimizer(chosen["learning_rate"], weight_decay=chosen["weight_decay"]),
        chosen["steps"],
        Schedule(20, 2, 60, "log"),
        0,
        StopRule(),
        seed=seed,
        start="uniform" if quadratic else "normal",
        loss=chosen["loss"],
    )
    return intervened(config, chosen, fitted)


def intervened(config: RunConfig, chosen: dict[str, Any], fitted: int | None = None) -> RunConfig:
    """A run with the interventions among the settings of a page; arguments and errors as in
    `configuration`."""
    model = config.model
    optimizer = config.optimizer
    off = tuple(Group(name, weight_decay=0.0) for name in LAYERS if not chosen[f"decay_{name}"])
    if off:
        model = Layered(model)
        optimizer = dataclasses.replace(optimizer, groups=off)
    if chosen["temperature"] != 1:
        model = Tempered(model, chosen["temperature"])
    hooks = _hooks(chosen, tuple(model.shapes()), fitted)
    if hooks:
        optimizer = Hooked(optimizer, hooks)
    return dataclasses.replace(config, model=model, optimizer=optimizer)


def _hooks(chosen: dict[str, Any], names: tuple[str, ...], fitted: int | None) -> tuple[Hook, ...]:
    """Freezing and holding; where both act, the other weights alone are rescaled, so that the
    embedding stays."""
    if fitted is None and "fitted" in (chosen["freeze"], chosen["hold"]):
        raise ParameterError(
            "an intervention that begins once the pairs are fitted needs the step at which they"
            " are."
        )
    steps = {"start": 0, "fitted": fitted}
    freeze = steps.get(chosen["freeze"])
    hold = steps.get(chosen["hold"])
    hooks: list[Hook] = []
    if freeze is not None:
        hooks.append(Freeze(("W_E",), start=freeze))
    if hold is not None and (freeze is None or hold < freeze):
        hooks.append(Hold(start=hold, stop=freeze))
    if hold is not None and freeze is not None:
        others = tuple(name for name in names if name != "W_E")
        hooks.append(Hold(others, start=max(hold, freeze)))
    return tuple(hooks)


def training_page(
    name: str,
    *,
    model: str = "quadratic",
    caption: str = "",
    begin: bool = False,
    story: bool = False,
    **changes: Any,
) -> None:
    """Put a page that trains into the chapter as the numbered figure `name`.

    Args:
        name: its label, starting with `fig-`.
        model: the network it opens with, "quadratic" or "transformer".
        caption: sentences of the chapter, before those that say what is trained.
        begin: whether it begins to run by itself, as on the front page.
        story: whether it is pinned beside a text, and shows the circle of its first layer as well.
        changes: settings to open with (`settings`); everything is under the reader's hand. With
            `beside=1` there are two runs of the first seed, with the interventions among the
            settings and without.

    The library trains the first seed as well, without interventions, for the picture where scripts
    are off; the run is kept in the store.

    Raises ParameterError as `settings` does, and for what the library refuses to train.
    """
    chosen = settings(model, **changes)
    share = f"{100 * chosen['train_fraction']:.0f} % of the pairs"
    sentence = f"{NAMES[model]} learns addition modulo {chosen['p']} from {share}"
    config = configuration(chosen | NONE)
    runs = load_or_run(Experiment(sentence, config, (chosen["seed"],)))
    picture = still(config.task, runs.isel(seed=0))
    words = f"{caption} {sentence} in your browser.".strip()
    options = chosen | {"begin": begin, "story": story}
    interactive("training_page", name, words, ALT, options, picture)


@styled
def still(task: ModularTask, run: xr.Dataset) -> Figure:
    """The table of one run (dim `step`), row a, column a + b, by what was trained, and both
    accuracies."""
    fig, axes = panels(1, 2, height=3.4, width_ratios=(2, 3))
    table, curves = axes[0]
    rows, sums = np.indices((task.p, task.p))
    shifted = task.train_mask[rows, (sums - rows) % task.p]
    colours = ListedColormap([COLOURS["test"], COLOURS["train"]])
    table.imshow(shifted, cmap=colours, vmin=0, vmax=1)
    table.set(title="all pairs", xlabel="a + b", ylabel="a")
    table.grid(visible=False)
    steps = run.step.clip(1)
    curves.plot(steps, run.train_accuracy, color=COLOURS["train"], label="training")
    curves.plot(steps, run.test_accuracy, color=COLOURS["test"], label="held out")
    steps_axis(curves)
    curves.set(ylabel="accuracy", ylim=(-0.02, 1.02))
    curves.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2)
    return fig
