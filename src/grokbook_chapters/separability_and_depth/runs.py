"""The runs of chapter 07: networks that are probed while they learn, and networks of one to four
layers."""

from __future__ import annotations

import dataclasses
from functools import partial

from grokbook.errors import ParameterError
from grokbook.runs.experiment import Experiment, Experiments
from grokbook.training.accelerators import Clipped
from grokbook.training.optim import AdamW
from grokbook.training.schedule import Schedule
from grokbook_chapters.gu2025 import live_run, modular_run
from grokbook_chapters.separability_and_depth.networks import watches

CHECKPOINTS = 20  # looks into a probed run after its start, evenly spread

VERSION = 1  # of the watches: raised when what one of them computes changes
LAYERS = (1, 2, 3, 4)  # the depths of Fig. 2

# The small study; the width is well below p - 1 on purpose.
SIZE = 37
FRACTION = 0.6
WIDTH = 24
STEPS = 2_000


def plan(p: int, train_fraction: float, d_model: int, steps: int, n_seeds: int) -> Experiments:
    """Plan of chapter 07: networks that are probed while they learn addition, the split symmetric.

    With this split the transpose of a test cell is a test cell. Two classes of the full grid have
    2p points, and by Cover's count more than half of the ways to label n points in general position
    in d dimensions are separable as soon as n < 2(d + 1). So the width must be below p - 1.

    Raises ParameterError for a wider network.

    Source: Gu et al. 2025, section 5; Cover's count of 1965 is the reason for the width.
    """
    if d_model >= p - 1:
        raise ParameterError(
            f"d_model = {d_model} must be below p - 1 = {p - 1}: in more dimensions shuffled"
            " classes are separable too."
        )
    live = live_run(p, train_fraction, d_model, steps, n_seeds, split="symmetric")
    config = dataclasses.replace(live.config, log=Schedule(dense_until=0, points=CHECKPOINTS))
    probes = watches()
    in_key = {"observed": dict.fromkeys(probes, VERSION)}
    name = f"live/probe[p={p}, {train_fraction:g}]"
    return {"probed": Experiment(name, config, live.seeds, watch=probes, in_key=in_key)}


def sparse() -> Experiments:
    """The same where little is trained: modulus 59, 40 % of the cells, width 32, for 14,000
    steps."""
    probed = plan(59, 0.4, 32, 14_000, 3)["probed"]
    return {"sparse": dataclasses.replace(probed, name="gu2025/probe[p=59]")}


def fig_2() -> Experiments:
    """Fig. 2 of Gu et al. 2025 at the setting of its predecessor: p = 97, shift 97, width 512, 1 to
    4 layers."""
    base = modular_run(97, 0.3, d_model=512, shift=97)
    experiments = {}
    for n in LAYERS:
        model = dataclasses.replace(base.model, n_layers=n)
        config = dataclasses.replace(base, model=model)
        experiments[n] = Experiment(f"gu2025/fig2[layers={n}]", config)
    return experiments


def run(
    n_layers: int,
    *,
    p: int = SIZE,
    train_fraction: float = FRACTION,
    d_model: int = WIDTH,
    steps: int = STEPS,
    n_seeds: int = 3,
    learning_rate: float = 1e-3,
    weight_decay: float = 1.0,
    shift: int = 0,
    d_mlp: int | None = None,
    clip: float | None = None,
) -> Experiment:
    """The paper's model with `n_layers` layers on addition modulo a small p; what differs from the
    base is in the name.

    `train_fraction` of the p*p cells, drawn at random, are trained for `steps` full-batch steps;
    `shift` tokens lie between the two operands' tokens (p: disjoint, as in Gu 2024; 0: shared, as
    in most of the paper); `d_mlp` hidden units in each MLP, by default 4 d_model; `clip` is the
    largest norm of the gradient, None for any.

    Raises ParameterError for fewer than one layer, and as `grokbook_chapters.gu2025.modular_run`
    does.
    """
    if n_layers < 1:
        raise ParameterError(f"n_layers = {n_layers} must be 1 or more.")
    config = modular_run(
        p, train_fraction, d_model=d_model, steps=steps, shift=shift, weight_decay=weight_decay
    )
    model = dataclasses.replace(config.model, n_layers=n_layers, d_mlp=d_mlp or 4 * d_model)
    optimizer = AdamW(learning_rate, weight_decay=weight_decay)
    if clip is not None:
        optimizer = Clipped(learning_rate, weight_decay=weight_decay, largest=clip)
    usual = {"lr": 1e-3, "wd": 1.0, "k": 0, "m": 4 * d_model, "clip": None}
    values = {
        "lr": learning_rate,
        "wd": weight_decay,
        "k": shift,
        "m": model.d_mlp,
        "clip": clip,
    }
    name = f"layers={n_layers}, p={p}"
    for setting, value in values.items():
        if value != usual[setting]:
            name += f", {setting}={value:g}"
    config = dataclasses.replace(config, model=model, optimizer=optimizer)
    return Experiment(f"gu2025/depth[{name}]", config).with_seeds(n_seeds)


def between() -> Experiments:
    """A study between the small one and the figure, which may bear it out and not refute it.

    Half of modulus 59 at width 64 with shared tokens, as in the book's other companions. One layer
    needs about 4,000 steps there (seed 90), so there are half as many more.
    """
    return {n: run(n, p=59, train_fraction=0.5, d_model=64, steps=6_000) for n in LAYERS}


def scarce() -> Experiments:
    """The same where little is trained, as in the figure: half of modulus 43 at width 48.

    One layer generalises at about step 6,000 there (seeds 90 and 91), so there are twice as many.
    """
    return {n: run(n, p=43, train_fraction=0.5, d_model=48, steps=12_000) for n in LAYERS}


def by_depth() -> Experiments:
    """The small study of depth: number of layers -> experiment, all else equal."""
    return {n: run(n) for n in LAYERS}


def easier(clip: float | None = None) -> Experiments:
    """The study of depth where every depth has what it needs: modulus 31, 80 % trained, 6,000
    steps, five seeds."""
    return {n: run(n, p=31, train_fraction=0.8, steps=6_000, n_seeds=5, clip=clip) for n in LAYERS}


def causes() -> Experiments:
    """Four layers as they are and with one thing changed: narrow MLPs, smaller learning rate,
    weaker decay."""
    return {
        "as they are": run(4),
        "narrow MLPs": run(4, d_mlp=WIDTH),
        "learning rate 3e-4": run(4, learning_rate=3e-4),
        "weight decay 0.3": run(4, weight_decay=0.3),
    }


def disjoint() -> Experiments:
    """One layer with disjoint operand tokens, as in Gu 2024, at the size of the small study."""
    return {"one layer with disjoint tokens": run(1, shift=SIZE)}


# The small studies of depth, the one that decides most first.
BETWEEN = "p = 59, 50 % trained, width 64"
SCARCE = "p = 43, 50 % trained, width 48"
STUDIES = {
    BETWEEN: between,
    SCARCE: scarce,
    f"p = 31, 80 % trained, width {WIDTH}": easier,
    f"p = 31, 80 % trained, width {WIDTH}, gradients clipped": partial(easier, 1.0),
    f"p = {SIZE}, {FRACTION:.0%} trained, width {WIDTH}": by_depth,
}


def small() -> Experiments:
    """The runs of the small studies, by study and number of layers."""
    experiments = {}
    for name, study in STUDIES.items():
        experiments |= {(name, n): experiment for n, experiment in study().items()}
    return experiments


RUNS = (sparse, fig_2, between, scarce, by_depth, disjoint, causes, easier, partial(easier, 1.0))
