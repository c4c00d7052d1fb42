"""What depth does: Fig. 2 of Gu et al. 2025 at its own setting, and the same question small enough for this machine."""

from __future__ import annotations

import dataclasses

from grokbook.errors import ParameterError
from grokbook.experiments.base import Experiment
from grokbook.experiments.gu2025 import modular_run

LAYERS = (1, 2, 3, 4)
"""The depths of Fig. 2."""

SIZE, FRACTION, WIDTH, STEPS = 37, 0.6, 24, 2_000
"""Modulus, training fraction, width and length of the small study; the width is well below p - 1 on purpose."""

SOURCE = "Gu et al. 2025, Fig. 2; Gu 2024, Fig. 6"


def fig2(n_layers: int) -> Experiment:
    """Fig. 2 of Gu et al. 2025 at the setting of its predecessor: p = 97, shift 97, width 512, 1 to 4 layers.

    Example:
        >>> fig2(4).name, fig2(4).config.model.n_layers
        ('gu2025/fig2[layers=4]', 4)
    """
    config = modular_run(97, 0.3, d_model=512, shift=97)
    config = dataclasses.replace(config, model=dataclasses.replace(config.model, n_layers=n_layers))
    statement = "With more layers the test accuracy fluctuates violently while MED keeps falling."
    return Experiment(f"gu2025/fig2[layers={n_layers}]", config, statement=statement, source=SOURCE)


def depth_run(
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
) -> Experiment:
    """The paper's model with `n_layers` layers on addition modulo a small p; what differs from the base is in the name.

    `train_fraction` of the p*p cells, drawn at random, are trained for `steps` full-batch steps; `shift` tokens lie
    between the two operands' tokens (p: disjoint, as in Gu 2024; 0: shared, as in most of the paper); `d_mlp` hidden
    units in each MLP, by default 4 d_model.

    Raises ParameterError for fewer than one layer, and as `grokbook.experiments.gu2025.modular_run` does.

    Example:
        >>> depth_run(4, learning_rate=3e-4).name
        'gu2025/depth[layers=4, p=37, lr=0.0003]'
    """
    if n_layers < 1:
        raise ParameterError(f"n_layers = {n_layers} must be 1 or more.")
    config = modular_run(p, train_fraction, d_model=d_model, steps=steps, shift=shift, weight_decay=weight_decay)
    model = dataclasses.replace(config.model, n_layers=n_layers, d_mlp=d_mlp or 4 * d_model)
    optimizer = dataclasses.replace(config.optimizer, learning_rate=learning_rate)
    config = dataclasses.replace(config, model=model, optimizer=optimizer)
    changed = {"lr": (learning_rate, 1e-3), "wd": (weight_decay, 1.0), "k": (shift, 0), "m": (model.d_mlp, 4 * d_model)}
    extra = "".join(f", {name}={value:g}" for name, (value, base) in changed.items() if value != base)
    return Experiment(
        f"gu2025/depth[layers={n_layers}, p={p}{extra}]",
        config,
        seeds=tuple(range(n_seeds)),
        statement="With more layers the test accuracy fluctuates violently while MED keeps falling.",
        source=SOURCE,
    )


def by_depth() -> dict[int, Experiment]:
    """The small study of depth: number of layers -> experiment, all else equal.

    Example:
        >>> [run.config.model.n_layers for run in by_depth().values()]
        [1, 2, 3, 4]
    """
    return {n: depth_run(n) for n in LAYERS}


def causes() -> dict[str, Experiment]:
    """Four layers with one thing changed, what it is -> experiment: narrow MLPs, smaller learning rate, weaker decay.

    All weights start with variance 1/d, so an MLP of m hidden units adds about m / (2 d) times the square of its
    input's length: with m = 4 d the residual stream grows fast from layer to layer, with m = d much less.

    Example:
        >>> [run.name for run in causes().values()][:2]
        ['gu2025/depth[layers=4, p=37, m=24]', 'gu2025/depth[layers=4, p=37, lr=0.0003]']
    """
    return {
        "narrow MLPs": depth_run(4, d_mlp=WIDTH),
        "learning rate 3e-4": depth_run(4, learning_rate=3e-4),
        "weight decay 0.3": depth_run(4, weight_decay=0.3),
    }


def disjoint() -> Experiment:
    """One layer with disjoint operand tokens, as in Gu 2024, at the size of the small study.

    Example:
        >>> disjoint().name
        'gu2025/depth[layers=1, p=37, k=37]'
    """
    return depth_run(1, shift=SIZE)


def depth_runs() -> dict[str, Experiment]:
    """Every run of the small study, name -> experiment, four depths, disjoint tokens, the causes tried.

    Example:
        >>> len(depth_runs())
        8
    """
    return {run.name: run for run in (*by_depth().values(), disjoint(), *causes().values())}
