"""A page that trains in the reader's browser, with a still picture that the library trains."""

from __future__ import annotations

import dataclasses
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
LARGEST = {name: (MODULI[-1], widths[-1]) for name, widths in WIDTHS.items()}
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
    found = common | USUAL[model]
    if unknown := set(changes) - set(found):
        raise ParameterError(
            f"{min(unknown)!r} is no setting of a page that trains; there are {', '.join(found)}."
        )
    found |= changes
    for name, most in zip(("p", "width"), LARGEST[model], strict=True):
        if found[name] > most:
            raise ParameterError(
                f"{name} = {found[name]} is too large for {NAMES[model].lower()} in a browser: at"
                f" most {most}."
            )
    return found


def offered(p: int, width: int, train_fraction: float, model: str = "quadratic") -> dict[str, Any]:
    """What a page that trains offers nearest to the settings of a chapter's own run.

    Modulus and width are the largest up to those given, else the smallest; the share lies between
    0.05 and 0.95.

    Example:
        >>> offered(9, 48, 0.99)
        {'p': 7, 'width': 32, 'train_fraction': 0.95}
    """
    modulus = max((one for one in MODULI if one <= p), default=MODULI[0])
    size = max((one for one in WIDTHS[model] if one <= width), default=WIDTHS[model][0])
    return {"p": modulus, "width": size, "train_fraction": min(max(train_fraction, 0.05), 0.95)}


def configuration(found: dict[str, Any], fitted: int | None = None) -> RunConfig:
    """The run of the library with the settings of a page; it ends once 99 per cent of the test set
    are right.

    Args:
        found: what `settings` gives.
        fitted: the number of updates after which 95 per cent of the training pairs are right, where
            an intervention begins there.

    Raises ParameterError where that number is needed and not given, and for a first layer of
    another run, which the page itself trains.

    Example:
        >>> configuration(settings()).n_train
        211
    """
    if found["given"] != "nothing":
        raise ParameterError(
            f"given = {found['given']!r}: that first layer is of a run in the browser; with the"
            " library, HandedOver takes it from a donor."
        )
    p, quadratic = found["p"], found["model"] == "quadratic"
    rates = {name: found[name] for name in ("learning_rate", "weight_decay")}
    config = RunConfig(
        ModularTask(
            p, train_fraction=found["train_fraction"], split=found["split"], seed=found["seed"]
        ),
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
    return (
        config
        if all(found[name] == value for name, value in NONE.items())
        else intervened(config, found, fitted)
    )


def intervened(config: RunConfig, found: dict[str, Any], fitted: int | None = None) -> RunConfig:
    """A run with the interventions among the settings of a page; arguments and errors as in
    `configuration`."""
    model, optimizer = config.model, config.optimizer
    if off := tuple(Group(name, weight_decay=0.0) for name in LAYERS if not found[f"decay_{name}"]):
        model, optimizer = Layered(model), dataclasses.replace(optimizer, groups=off)
    if found["temperature"] != 1:
        model = Tempered(model, found["temperature"])
    hooks = _hooks(found, tuple(model.shapes()), fitted)
    return dataclasses.replace(
        config, model=model, optimizer=Hooked(optimizer, hooks) if hooks else optimizer
    )


def _hooks(found: dict[str, Any], names: tuple[str, ...], fitted: int | None) -> tuple[Hook, ...]:
    """Freezing and holding; where both act, the other weights alone are rescaled, so that the
    embedding stays."""
    if fitted is None and "fitted" in (found["freeze"], found["hold"]):
        raise ParameterError(
            "an intervention that begins once the pairs are fitted needs the step at which they"
            " are."
        )
    freeze, hold = ({"start": 0, "fitted": fitted}.get(found[name]) for name in ("freeze", "hold"))
    hooks: list[Hook] = [] if freeze is None else [Freeze(("W_E",), start=freeze)]
    if hold is not None and (freeze is None or hold < freeze):
        hooks.append(Hold(start=hold, stop=freeze))
    if hold is not None and freeze is not None:
        hooks.append(Hold(tuple(name for name in names if name != "W_E"), start=max(hold, freeze)))
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
    found = settings(model, **changes)
    said, config, run = library_run(found)
    words = f"{caption} {said} in your browser.".strip()
    options = found | {"begin": begin, "story": story}
    interactive("training_page", name, words, ALT, options, still(config.task, run))


def library_run(found: dict[str, Any]) -> tuple[str, RunConfig, xr.Dataset]:
    """The library's run of the first seed, from the store where it is kept: what is said of it,
    configuration, run."""
    config, share = (
        configuration(found | NONE),
        f"{100 * found['train_fraction']:.0f} % of the pairs",
    )
    said = f"{NAMES[found['model']]} learns addition modulo {found['p']} from {share}"
    return said, config, load_or_run(Experiment(said, config, (found["seed"],))).isel(seed=0)


@styled
def still(task: ModularTask, run: xr.Dataset) -> Figure:
    """The table of one run (dim `step`), row a, column a + b, by what was trained, and both
    accuracies."""
    fig, axes = panels(1, 2, height=3.4, width_ratios=(2, 3))
    table, curves = axes[0]
    rows, sums = np.arange(task.p)[:, None], np.arange(task.p)[None, :]
    shifted = task.train_mask[rows, (sums - rows) % task.p]
    parts = (("train_accuracy", "training", "train"), ("test_accuracy", "held out", "test"))
    table.imshow(
        shifted,
        cmap=ListedColormap([COLOURS[colour] for _, _, colour in parts[::-1]]),
        vmin=0,
        vmax=1,
    )
    table.set(title="all pairs", xlabel="a + b", ylabel="a")
    table.grid(visible=False)
    for series, label, colour in parts:
        curves.plot(run.step.clip(1), run[series], color=COLOURS[colour], label=label)
    steps_axis(curves)
    curves.set(ylabel="accuracy", ylim=(-0.02, 1.02))
    curves.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2)
    return fig
