"""The empirical figures of Gu et al. 2025 and Gu 2024 as named experiments, and small companions of some of them.

Each function gives one figure: name -> experiment. Names carry the setting, as in `gu2025/fig20[start=toeplitz,
frac=0.25]`. The papers state neither seeds nor, for most figures, the number of steps or how the hidden layer scales
with the width: ours are three seeds, the steps below, and d_mlp = 4 d (`Experiment.choices` says so for each).

The companions, `small/...`, ask a figure's question of a network that a laptop trains in a minute.
"""

from __future__ import annotations

import dataclasses

from grokbook.experiments.base import Experiment
from grokbook.experiments.gu2025 import modular_run
from grokbook.training.accelerators import Grokfast, Muon
from grokbook.training.config import RunConfig
from grokbook.training.optim import AdamW
from grokbook.training.schedule import Schedule

Runs = dict[str, Experiment]

OPERATIONS = {
    "fig12": ("subtract", 0.3, 128, "x - y generalises, and MED moves with the test loss."),
    "fig13": ("multiply", 0.3, 128, "x y generalises partly or not at all, and MED moves with the test loss."),
    "fig14": ("x2_plus_y2", 0.2, 256, "On x^2 + y^2 MED moves with the test loss."),
    "fig15": ("x3_plus_y3", 0.2, 128, "On x^3 + y^3 MED moves with the test loss."),
    "fig16": ("x2_plus_xy_plus_y2", 0.3, 128, "x^2 + xy + y^2 has a low ceiling, and MED moves with the test loss."),
    "fig17": ("x2_plus_xy_plus_y2", 0.3, 256, "Width 256: x^2 + xy + y^2 has a low ceiling, MED moves with the loss."),
    "fig18": ("x2_plus_xy_plus_y2", 0.4, 256, "At 40 % x^2 + xy + y^2 has a low ceiling, MED moves with the loss."),
    "fig19": ("x3_plus_xy_plus_y3", 0.5, 256, "x^3 + xy + y^3 generalises little or not, MED moves with the loss."),
}
"""Figs 12 to 19: operation, training fraction, width and what the paper says; p = 97, a random split, one layer."""

OPERATION_STEPS = 10_000
STARTS_COMPARED = ("normal", "toeplitz", "positive", "circulant")
"""Starts of the embedding in Fig. 20: the two of the paper, and two controls."""

SMALL = {"p": 59, "d_model": 64, "steps": 4_000}
"""Size of the companions: prime, width, steps."""


def _one(name: str, config: RunConfig, statement: str, source: str, choices: str, n_seeds: int) -> Experiment:
    return Experiment(name, config, tuple(range(n_seeds)), statement=statement, source=source, choices=choices)


def _named(*experiments: Experiment) -> Runs:
    return {experiment.name: experiment for experiment in experiments}


def operations(n_seeds: int = 3) -> Runs:
    """Figs 12 to 19: other operations modulo 97.

    Example:
        >>> operations()["gu2025/fig12"].config.task.operation
        'subtract'
    """
    runs = []
    for figure, (operation, fraction, width, statement) in OPERATIONS.items():
        config = modular_run(97, fraction, d_model=width, operation=operation, steps=OPERATION_STEPS)
        source = f"Gu et al. 2025, Fig. {figure[3:]}; Gu 2024, Fig. {int(figure[3:]) - 1}"
        choices = f"{OPERATION_STEPS} steps; d_mlp = 4 d; the operand tokens shared (k = 0)"
        runs.append(_one(f"gu2025/{figure}", config, statement, source, choices, n_seeds))
    return _named(*runs)


def widths(n_seeds: int = 3) -> Runs:
    """Figs 9 to 11: the width of the network at p = 97, 47 and 43.

    Example:
        >>> list(widths())[:2]
        ['gu2025/fig9[p=97, d=128]', 'gu2025/fig9[p=97, d=256]']
    """
    runs = []
    plan = [("fig9", 97, 85, d, 40_000) for d in (128, 256)] + [("fig9", 47, 0, d, 20_000) for d in (64, 256)]
    plan += [("fig10", 43, 0, d, 10_000) for d in (128, 256, 512, 1024)]
    plan += [("fig11", 43, 43, d, 200_000) for d in (256, 512, 1024, 2048)]
    statements = {
        "fig9": "The wider network generalises earlier: by more than 20,000 epochs at p = 97, 10,000 at p = 47.",
        "fig10": "At width 128 the test accuracy oscillates about 0.7; at 512 it reaches 0.99; 1024 gains nothing.",
        "fig11": "With disjoint operand tokens, widths up to 512 do not generalise in 200,000 epochs; 1024 does.",
    }
    for figure, p, shift, d, steps in plan:
        config = modular_run(p, 0.3, d_model=d, shift=shift, steps=steps)
        source = f"Gu et al. 2025, Fig. {figure[3:]}; Gu 2024, Fig. {({'fig9': 5, 'fig10': 9, 'fig11': 10})[figure]}"
        choices = f"{steps} steps; d_mlp = 4 d, while the authors' program may keep 512 at every width"
        runs.append(_one(f"gu2025/{figure}[p={p}, d={d}]", config, statements[figure], source, choices, n_seeds))
    return _named(*runs)


def fig20_run(start: str, train_fraction: float, n_seeds: int = 3) -> Experiment:
    """Fig. 20 of Gu et al. 2025: one start of the word embedding at one training fraction, p = 97.

    Example:
        >>> fig20_run("toeplitz", 0.25).config.start
        'toeplitz'
    """
    config = dataclasses.replace(modular_run(97, train_fraction), start=start)
    statement = "A Toeplitz start of the embedding halves the epochs to the onset at 30, 25 and 20 %."
    choices = "10000 steps; Toeplitz as in the authors' program: symmetric, uniform in [0, 1), over the root of d"
    name = f"gu2025/fig20[start={start}, frac={train_fraction:g}]"
    return _one(name, config, statement, "Gu et al. 2025, Fig. 20; Gu 2024, Fig. 7", choices, n_seeds)


def starts(n_seeds: int = 3) -> Runs:
    """Fig. 20: four starts of the embedding at three training fractions.

    Example:
        >>> len(starts())
        12
    """
    return _named(*(fig20_run(s, f, n_seeds) for f in (0.3, 0.25, 0.2) for s in STARTS_COMPARED))


def shifts(n_seeds: int = 3) -> Runs:
    """Fig. 3 of Gu 2024: the second operand's tokens shifted by k, p = 97; k = 0 is `gu2025/fig5[p=97]`.

    Example:
        >>> [run.config.task.shift for run in shifts().values()]
        [45, 60, 81]
    """
    statement = "The larger the shift k, the later the network generalises; MED moves with the test loss."
    source, choices = "Gu 2024, Fig. 3", "10000 steps; 30 % trained, as in the paper's other figures"
    return _named(
        *(
            _one(f"gu2024/fig3[k={k}]", modular_run(97, 0.3, shift=k), statement, source, choices, n_seeds)
            for k in (45, 60, 81)
        )
    )


def positions(n_seeds: int = 3) -> Runs:
    """Figs 19 to 21 of Gu 2024: position embedding on and off at three widths, p = k = 97.

    Example:
        >>> positions()["gu2024/fig19[positions=off]"].config.model.positional
        False
    """
    statements = {
        19: (128, "At width 128 the position embedding delays generalisation."),
        20: (256, "At width 256 the order is unstable."),
        21: (512, "At width 512 the position embedding makes nothing unstable."),
    }
    runs = []
    for figure, (width, statement) in statements.items():
        for on in (True, False):
            config = modular_run(97, 0.3, d_model=width, shift=97, steps=20_000)
            config = dataclasses.replace(config, model=dataclasses.replace(config.model, positional=on))
            name = f"gu2024/fig{figure}[positions={'on' if on else 'off'}]"
            choices = "20000 steps; d_mlp = 4 d"
            runs.append(_one(name, config, statement, f"Gu 2024, Fig. {figure}", choices, n_seeds))
    return _named(*runs)


def small_run(
    name: str, statement: str, n_seeds: int = 3, *, train_fraction: float = 0.5, **changes: object
) -> Experiment:
    """A companion: addition modulo 59 at width 64, half the cells trained, with `changes` to the configuration.

    Changes may be any setting of `modular_run`, or `start`, `optimizer` and `positional`.

    Example:
        >>> small_run("small/made_up", "Nothing is claimed.", start="toeplitz").config.n_train
        1740
    """
    run = {n: changes.pop(n) for n in ("start", "optimizer") if n in changes}
    positional = bool(changes.pop("positional", True))
    config = modular_run(**({**SMALL, "train_fraction": train_fraction} | changes))
    config = dataclasses.replace(
        config,
        model=dataclasses.replace(config.model, positional=positional),
        log=Schedule(points=200),
        **run,
    )
    choices = f"a companion of this book: p = {config.task.p}, width {config.model.d_model}, {config.steps} steps"
    return _one(name, config, statement, "this book", choices, n_seeds)


def small_starts(n_seeds: int = 3) -> Runs:
    """Companions of Fig. 20: its four starts and the Toeplitz table with normal entries, at three training fractions.

    Example:
        >>> len(small_starts())
        15
    """
    said = "A Toeplitz start brings generalisation forward (Fig. 20 at small size)."
    return _named(
        *(
            small_run(f"small/fig20[start={s}, frac={f:g}]", said, n_seeds, train_fraction=f, start=s)
            for f in (0.5, 0.4, 0.45)
            for s in (*STARTS_COMPARED, "toeplitz_normal")
        )
    )


def small_shifts(n_seeds: int = 3) -> Runs:
    """Companions of Fig. 3 of Gu 2024: shifts 0, 20, 40 and 59 of the second operand's tokens.

    Example:
        >>> [run.config.model.vocabulary for run in small_shifts().values()]
        [80, 100, 119]
    """
    said = "The larger the shift k, the later the network generalises (Fig. 3 of Gu 2024 at small size)."
    return _named(*(small_run(f"small/fig3[k={k}]", said, n_seeds, shift=k) for k in (20, 40, 59)))


def small_positions(n_seeds: int = 3) -> Runs:
    """Companions of Figs 19 to 21 of Gu 2024: position embedding off at shift p, widths 32 and 64 (on: `small_shifts`).

    Example:
        >>> list(small_positions())[0]
        'small/fig19[d=64, positions=off]'
    """
    said = "Without the position embedding the network generalises earlier (Fig. 19 of Gu 2024 at small size)."
    plan = [(64, False), (32, True), (32, False)]
    return _named(
        *(
            small_run(
                f"small/fig19[d={d}, positions={'on' if on else 'off'}]",
                said,
                n_seeds,
                shift=59,
                d_model=d,
                positional=on,
            )
            for d, on in plan
        )
    )


ACCELERATORS = {"adamw": AdamW(), "muon": Muon(), "grokfast": Grokfast()}
"""Optimisers compared under one protocol: equal learning rate, warm-up and weight decay."""


def small_accelerators(n_seeds: int = 3) -> Runs:
    """What a reader would try instead of another start: Muon and Grokfast, everything else equal (AdamW: Fig. 20's).

    Example:
        >>> list(small_accelerators())
        ['small/optimizer[muon]', 'small/optimizer[grokfast]']
    """
    said = "Another optimiser brings generalisation forward."
    return _named(
        *(
            small_run(f"small/optimizer[{name}]", said, n_seeds, optimizer=optimizer)
            for name, optimizer in ACCELERATORS.items()
            if name != "adamw"
        )
    )


def figures(n_seeds: int = 3) -> Runs:
    """Every experiment of this module by name.

    Example:
        >>> len(figures()) == len(set(figures()))
        True
    """
    groups = (operations, widths, starts, shifts, positions)
    small = (small_starts, small_shifts, small_positions, small_accelerators)
    return {name: run for group in (*groups, *small) for name, run in group(n_seeds).items()}
