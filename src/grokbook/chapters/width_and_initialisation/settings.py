"""The runs of chapter 09 by question: shift, positions, width, start, optimiser; and small companions of them.

Labels are those of the page; an experiment's name carries its setting, as in `gu2025/fig20[start=toeplitz, frac=0.25]`.
The papers state neither seeds nor, for most figures, the number of steps or how the hidden layer scales with the width:
ours are three seeds, the steps below, and d_mlp = 4 d (`Experiment.choices` says so for each). The companions,
`small/...`, ask a figure's question of a network that a laptop trains in a minute.
"""

from __future__ import annotations

import dataclasses
from functools import partial
from itertools import product

from grokbook.errors import ParameterError
from grokbook.models.start import STARTS
from grokbook.runs.experiment import Experiment
from grokbook.runs.gu2025 import LONGER, fig5, modular_run
from grokbook.training.accelerators import Grokfast, Muon
from grokbook.training.config import RunConfig
from grokbook.training.optim import AdamW
from grokbook.training.schedule import Schedule

Settings = dict[str, Experiment]

FOUR = ("normal", "toeplitz", "positive", "circulant")
"""Starts of the embedding in Fig. 20: the two of the paper, and two controls."""

SMALL = {"p": 59, "d_model": 64, "steps": 4_000}
"""Size of the companions: prime, width, steps."""

ACCELERATORS = {"adamw": AdamW, "muon": Muon, "grokfast": Grokfast}
"""Optimisers compared under one protocol: equal warm-up and weight decay, each at the same three learning rates."""

RATES = (1e-3, 3e-4, 3e-3)
"""Learning rates at which they are compared; the first is that of every other run."""

APART = ("normal", "toeplitz", "toeplitz_normal", "small_normal", "normal_mean")
"""Starts that tell structure, scale and mean of the Toeplitz table apart."""

FRESH = tuple(range(3, 13))
"""Seeds that were run after those of `small_by_start` had shown what to ask: they decide it."""

WIDTHS = {
    "fig9": ((97, 85, 40_000, (128, 256)), (47, 0, 20_000, (64, 256))),
    "fig10": ((43, 0, 10_000, (128, 256, 512, 1024)), (43, 0, 20_000, (128,))),
    "fig11": ((43, 43, 200_000, (256, 512, 1024, 2048)),),
}
"""Figs 9 to 11: modulus, shift, our number of steps, widths; a second row of one modulus and shift is longer runs."""

SAID_OF_WIDTHS = {
    "fig9": "The wider network generalises earlier: by more than 20,000 epochs at p = 97, 10,000 at p = 47.",
    "fig10": "At width 128 the test accuracy oscillates about 0.7; at 512 it reaches 0.99; 1024 gains nothing.",
    "fig11": "With disjoint operand tokens, widths up to 512 do not generalise in 200,000 epochs; 1024 does.",
}

POSITIONS = {
    19: (128, "At width 128 the position embedding delays generalisation."),
    20: (256, "At width 256 the order is unstable."),
    21: (512, "At width 512 the position embedding makes nothing unstable."),
}
"""Figs 19 to 21 of Gu 2024: width and what the paper says."""


def plan(p: int, train_fraction: float, d_model: int, steps: int, n_seeds: int, start: str) -> Settings:
    """Plan of chapter 09: small networks that differ in the start of the embedding, trained while the page is built.

    Raises ParameterError for a start that is unknown, or that is the one which the page compares with.

    Example:
        >>> list(plan(11, 0.6, 16, 100, 1, "toeplitz"))
        ['normal', 'toeplitz']
    """
    if start not in STARTS[1:]:
        known = ", ".join(STARTS[1:])
        raise ParameterError(f"start = {start!r} must be one of {known}; the page compares it with normal.")
    config = modular_run(p, train_fraction, d_model=d_model, steps=steps)
    config = dataclasses.replace(config, log=Schedule(points=100))
    return {
        name: Experiment(f"live/start[{name}, p={p}]", dataclasses.replace(config, start=name), tuple(range(n_seeds)))
        for name in ("normal", start)
    }


def by_modulus() -> Settings:
    """Fig. 22 of Gu 2024 (p = 47, three times as long as well) and the same at p = 97.

    Example:
        >>> list(by_modulus())
        ['p = 47', 'p = 47, 60,000 steps', 'p = 97']
    """
    return {"p = 47": fig5(47), f"p = 47, {LONGER:,} steps": fig5(47, steps=LONGER), "p = 97": fig5(97)}


def by_shift() -> Settings:
    """Fig. 3 of Gu 2024 at p = 97: the second operand's tokens shifted by k; k = 0 is the run of Fig. 5.

    Example:
        >>> list(by_shift())
        ['k = 0', 'k = 45', 'k = 60', 'k = 81']
    """
    words = {
        "statement": "The larger the shift k, the later the network generalises; MED moves with the test loss.",
        "source": "Gu 2024, Fig. 3",
        "choices": "10000 steps; 30 % trained, as in the paper's other figures",
    }
    shifted = {k: Experiment(f"gu2024/fig3[k={k}]", modular_run(97, 0.3, shift=k), **words) for k in (45, 60, 81)}
    return {"k = 0": fig5(97)} | {f"k = {k}": run for k, run in shifted.items()}


def small_by_shift() -> Settings:
    """The companions of Fig. 3 at p = 59, by shift.

    Example:
        >>> [run.config.model.vocabulary for run in small_by_shift().values()]
        [60, 80, 100, 119]
    """
    said = "The larger the shift k, the later the network generalises (Fig. 3 of Gu 2024 at small size)."
    shifted = {f"k = {k}": small_run(f"small/fig3[k={k}]", said, shift=k) for k in (20, 40, 59)}
    return {"k = 0": small_by_start()["normal"]} | shifted


def by_position() -> Settings:
    """Figs 19 to 21 of Gu 2024, p = k = 97: three widths, position vectors on and off.

    Example:
        >>> list(by_position())[:2]
        ['d = 128, on', 'd = 128, off']
    """
    found = {}
    for (figure, (width, statement)), state in product(POSITIONS.items(), ("on", "off")):
        config = modular_run(97, 0.3, d_model=width, shift=97, steps=20_000)
        config = dataclasses.replace(config, model=dataclasses.replace(config.model, positional=state == "on"))
        words = {"statement": statement, "source": f"Gu 2024, Fig. {figure}", "choices": "20000 steps; d_mlp = 4 d"}
        found[f"d = {width}, {state}"] = Experiment(f"gu2024/fig{figure}[positions={state}]", config, **words)
    return found


def small_by_position() -> Settings:
    """Their companions, p = k = 59.

    Example:
        >>> list(small_by_position())
        ['d = 64, on', 'd = 64, off', 'd = 32, on', 'd = 32, off']
    """
    said = "Without the position embedding the network generalises earlier (Fig. 19 of Gu 2024 at small size)."
    found = {"d = 64, on": small_by_shift()["k = 59"]}
    for width, state in ((64, "off"), (32, "on"), (32, "off")):
        name = f"small/fig19[d={width}, positions={state}]"
        found[f"d = {width}, {state}"] = small_run(name, said, shift=59, d_model=width, positional=state == "on")
    return found


def by_width() -> Settings:
    """Figs 9 to 11 of Gu et al. 2025, and the recorded width 128 at p = 47 between the two of Fig. 9.

    Example:
        >>> list(by_width())[:3]
        ['p = 97, k = 85, d = 128', 'p = 97, k = 85, d = 256', 'p = 47, k = 0, d = 64']
    """
    found = {"p = 47, k = 0, d = 128": fig5(47)}
    for figure, networks in WIDTHS.items():
        number = int(figure[3:])
        words = {
            "statement": SAID_OF_WIDTHS[figure],
            "source": f"Gu et al. 2025, Fig. {number}; Gu 2024, Fig. {({9: 5, 10: 9, 11: 10})[number]}",
        }
        for i, (p, k, steps, widths) in enumerate(networks):
            again = any(other[:2] == (p, k) for other in networks[:i])
            choices = f"{steps} steps; d_mlp = 4 d, while the authors' program may keep 512 at every width"
            for d in widths:
                config = modular_run(p, 0.3, d_model=d, shift=k, steps=steps)
                name = f"gu2025/{figure}[p={p}, d={d}{f', steps={steps}' if again else ''}]"
                label = f"p = {p}, k = {k}, d = {d}{f', {steps:,} steps' if again else ''}"
                found[label] = Experiment(name, config, choices=choices, **words)
    return dict(sorted(found.items(), key=lambda item: _size(item[1])))


def _size(run: Experiment) -> tuple[int, int, int]:
    """Where a network stands in a table: the largest modulus first, then by shift and by width."""
    return -run.config.task.p, run.config.task.shift, run.config.model.d_model


def by_start(train_fraction: float = 0.3, normal_seeds: int = 5) -> Settings:
    """Fig. 20 of Gu et al. 2025 at one training fraction, p = 97: the four starts of the embedding.

    Example:
        >>> [run.config.start for run in by_start(0.25).values()]
        ['normal', 'toeplitz', 'positive', 'circulant']
    """
    words = {
        "statement": "A Toeplitz start of the embedding halves the epochs to the onset at 30, 25 and 20 %.",
        "source": "Gu et al. 2025, Fig. 20; Gu 2024, Fig. 7",
        "choices": "10000 steps; Toeplitz as in the authors' program: symmetric, uniform in [0, 1), over the root of d",
    }
    config = modular_run(97, train_fraction)
    runs = {
        start: Experiment(
            f"gu2025/fig20[start={start}, frac={train_fraction:g}]", dataclasses.replace(config, start=start), **words
        )
        for start in FOUR
    }
    return runs | {"normal": runs["normal"].with_seeds(normal_seeds)}


def small_by_start(train_fraction: float = 0.5) -> Settings:
    """The companions of Fig. 20 at one training fraction: its four starts and the Toeplitz table with normal entries.

    Example:
        >>> small_by_start(0.4)["toeplitz"].name
        'small/fig20[start=toeplitz, frac=0.4]'
    """
    said = "A Toeplitz start brings generalisation forward (Fig. 20 at small size)."
    share = train_fraction
    return {
        start: small_run(f"small/fig20[start={start}, frac={share:g}]", said, train_fraction=share, start=start)
        for start in (*FOUR, "toeplitz_normal")
    }


def with_fresh_seeds() -> Settings:
    """The starts of `APART` at p = 59, half the cells trained, with the first seeds and those of `FRESH`.

    Example:
        >>> with_fresh_seeds()["small_normal"].seeds[-1]
        12
    """
    said = "A Toeplitz start brings generalisation forward by its structure, not by its scale or its mean."
    seeds = tuple(range(FRESH[-1] + 1))
    runs = {start: small_run(f"small/fig20[start={start}, frac=0.5]", said, start=start) for start in APART}
    return {start: dataclasses.replace(run, seeds=seeds) for start, run in runs.items()}


def fresh() -> Settings:
    """The same starts with the seeds of `FRESH` alone: what decides between structure, scale and mean.

    Example:
        >>> fresh()["normal"].seeds[0]
        3
    """
    return {start: dataclasses.replace(run, seeds=FRESH) for start, run in with_fresh_seeds().items()}


def by_optimiser() -> Settings:
    """AdamW, Muon and Grokfast at p = 59, each at three learning rates, everything else equal.

    Example:
        >>> list(by_optimiser())[:4]
        ['adamw', 'adamw, rate 0.0003', 'adamw, rate 0.003', 'muon']
    """
    said, found = "Another optimiser brings generalisation forward.", {"adamw": small_by_start()["normal"]}
    for (name, kind), rate in product(ACCELERATORS.items(), RATES):
        label, brackets = (name, name) if rate == RATES[0] else (f"{name}, rate {rate:g}", f"{name}, lr={rate:g}")
        run = small_run(f"small/optimizer[{brackets}]", said, optimizer=kind(learning_rate=rate))
        found.setdefault(label, run)
    return found


def small_run(name: str, statement: str, *, train_fraction: float = 0.5, **changes: object) -> Experiment:
    """A companion: addition modulo 59 at width 64, half the cells trained, with `changes` to the configuration.

    Changes may be any setting of `modular_run`, or `start`, `optimizer` and `positional`.

    Example:
        >>> small_run("small/made_up", "Nothing is claimed.", start="toeplitz").config.n_train
        1740
    """
    run = {n: changes.pop(n) for n in ("start", "optimizer") if n in changes}
    positional = bool(changes.pop("positional", True))
    config: RunConfig = modular_run(**({**SMALL, "train_fraction": train_fraction} | changes))
    model = dataclasses.replace(config.model, positional=positional)
    config = dataclasses.replace(config, model=model, log=Schedule(points=200), **run)
    choices = f"a companion of this book: p = {config.task.p}, width {config.model.d_model}, {config.steps} steps"
    return Experiment(name, config, statement=statement, source="this book", choices=choices)


RUNS = (
    by_width, by_shift, by_position, small_by_shift, small_by_position, by_optimiser,
    *(partial(by_start, fraction, normal_seeds=3) for fraction in (0.3, 0.25, 0.2)),
    *(partial(small_by_start, fraction) for fraction in (0.5, 0.4, 0.45)), with_fresh_seeds,
)  # fmt: skip
