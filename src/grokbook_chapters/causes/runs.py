r"""The runs of chapter 19: benches on which networks fit early and generalise late, and arms, one
intervention each.

All training sets are whole unordered pairs: no mirror image of a test pair is trained, so that the
test accuracy is about pairs that the network cannot have looked up. The table of bench L has
unordered pairs alone.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import partial
from importlib.resources import files
from typing import Any

import numpy as np
import pandas as pd

from grokbook.errors import ParameterError, nearest, shown
from grokbook.models.double import InDouble
from grokbook.models.held_radius import HeldRadius
from grokbook.models.intervened import Centred, Rescaled, Stablemax, Tempered
from grokbook.models.layer_norm import NormedShape
from grokbook.models.networks import Network
from grokbook.models.quadratic import Quadratic
from grokbook.models.toy import Toy
from grokbook.runs.experiment import Experiment, Experiments
from grokbook.runs.sweep import Axis, Sweep
from grokbook.tasks import ModularTask
from grokbook.training.accelerators import Grokfast, Muon
from grokbook.training.config import RunConfig, StopRule
from grokbook.training.interventions import (
    Clamp,
    Decay,
    Freeze,
    Hook,
    Hooked,
    Project,
    Reflected,
    RingPenalty,
    Transplanted,
)
from grokbook.training.optim import AdamW, Group
from grokbook.training.schedule import Schedule
from grokbook_chapters.causes.designed_addition import DesignedAddition
from grokbook_chapters.causes.designs import DesignedTask

# runs an arm, paired with the free runs by seed: the fewest with which Holm's rule over 60 rows can
# reject
SEEDS = 12

Configs = dict[str, RunConfig]
"""Arms of a bench by their names."""

BENCH_NAMES = {
    "T": "T: LayerNorm, p = 29",
    "Q": "Q: squares, p = 23",
    "L": "L: toy of Liu et al.",
    "R": "R: ReLU, p = 23",
}
# An update before which every free run has fitted its training set, and after which none has
# generalised.
FITTED = {"T": 110, "Q": 70, "L": 80, "R": 100}

# $W_c$: the median norm of all weights when the free runs generalise (spread 1 to 2 %, on bench L
# 14 %).
NORM = {"T": 9.57, "Q": 40.4, "L": 17.5, "R": 55.0}

ACTIVATION = {"Q": "square", "R": "relu"}

# norms at which all weights are held, in units of `NORM`
RADII = (0.5, 0.7, 0.85, 1.0, 1.2, 1.45, 1.7)


def free(bench: str) -> RunConfig:
    """The run of a bench without any intervention.

    Raises ParameterError for an unknown bench.
    """
    if bench not in BENCH_NAMES:
        raise ParameterError(
            f"bench = {bench!r} is unknown; choose one of {', '.join(BENCH_NAMES)}."
        )
    if bench == "L":
        return _toy()
    p = 29 if bench == "T" else 23
    model: Network = NormedShape(p, 32)
    if bench != "T":
        model = Quadratic(p, width=128, activation=ACTIVATION[bench])
    return RunConfig(
        ModularTask(p, train_fraction=0.8, split="symmetric"),
        model,
        AdamW(5e-3, weight_decay=0.3 if bench == "Q" else 1.0),
        steps=10_000 if bench == "T" else 5_000,
        snapshots=0,
        log=Schedule(100, 10, 100, "log"),
        stop=StopRule(hold=4),
    )


def _toy() -> RunConfig:
    """The free run of bench L."""
    return RunConfig(
        DesignedAddition(16, 100 / 136, "number"),
        Toy(16, 16, hidden=(100, 100), outputs=1, spread=10.0),
        AdamW(3e-3, beta2=0.999, warmup=0),
        steps=5_000,
        snapshots=0,
        log=Schedule(10, 1, 150, "log"),
        stop=StopRule(hold=5),
        loss="squared_error",
    )


def layers(bench: str) -> dict[str, tuple[str, ...]]:
    """The names of the parameters of each layer: embedding, hidden, output on benches T and L, the
    last two on Q."""
    if bench == "L":
        hidden = ("W.1", "b.1", "W.2", "b.2")
        return {"embedding": ("W_E",), "hidden": hidden, "output": ("W.3", "b.3")}
    return free(bench).model.groups()


def _changed(
    config: RunConfig, *hooks: Hook, model: Network | None = None, **optimizer: Any
) -> RunConfig:
    """A run with hooks, settings of the optimiser or another network changed."""
    settings = dataclasses.replace(config.optimizer, **optimizer)
    if hooks:
        settings = Hooked(settings, hooks)
    return dataclasses.replace(config, model=model or config.model, optimizer=settings)


def _on_task(config: RunConfig, **changes: Any) -> RunConfig:
    """A run with its task changed."""
    return dataclasses.replace(config, task=dataclasses.replace(config.task, **changes))


def _on_model(config: RunConfig, **changes: Any) -> RunConfig:
    """A run with its network changed."""
    return dataclasses.replace(config, model=dataclasses.replace(config.model, **changes))


def decays(bench: str) -> Configs:
    """Decay stronger, weaker, in one phase, on some of the weights."""
    config = free(bench)
    at = FITTED[bench]
    whole = config.optimizer.weight_decay
    rate = config.optimizer.learning_rate * whole
    by_hook = partial(_changed, config, weight_decay=0.0)
    configs = {
        "decay-double": _changed(config, weight_decay=2 * whole),
        "decay-half": _changed(config, weight_decay=whole / 2),
        "decay-by-a-hook": by_hook(Decay(rate)),
        "no-decay": by_hook(),
        "decay-until-the-fit": by_hook(Decay(rate, stop=at)),
        "decay-from-the-fit": by_hook(Decay(rate, start=at)),
        "decay-on-a-random-half": by_hook(Decay(rate, share=0.5)),
    }
    groups = layers(bench)
    for name, part in groups.items():
        configs[f"decay-on-{name}-alone"] = by_hook(Decay(rate, part))
        if len(groups) > 2:
            rest = tuple(weight for weight in config.model.shapes() if weight not in part)
            configs[f"decay-not-on-{name}"] = by_hook(Decay(rate, rest))
    return configs


def norms(bench: str) -> Configs:
    """The norm of all weights held; the scale of the outputs changed, at a free and at a held norm.

    On its path it is clamped to the median norm of free runs at some steps, which should change
    nothing.
    """
    config = free(bench)
    radius = NORM[bench]
    model = config.model
    rate = config.optimizer.learning_rate
    configs = {f"norm-at-{r:g}": _changed(config, Clamp(r * radius)) for r in RADII}
    paths = pd.read_csv(str(files(__package__) / "paths.csv"))
    own = paths[paths.bench == bench]
    path = tuple(zip(own.step, own.norm, strict=True))
    configs["norm-on-its-path"] = _changed(config, Clamp(path))
    # what the ratio is for a homogeneous network, and a LayerNorm
    for r in (0.7, 1.45) if bench != "L" else ():
        held = Clamp(r * radius)
        configs[f"norm-at-{r:g}-rate-too"] = _changed(config, held, learning_rate=r * rate)
    for name, times in (("double", 2.0), ("half", 0.5)):
        tempered = Tempered(model, times)
        held = Clamp(radius)
        configs[f"temperature-{name}"] = _changed(config, model=tempered)
        configs[f"temperature-{name}-norm-held"] = _changed(config, held, model=tempered)
        configs[f"start-{name}"] = _changed(config, model=Rescaled(model, times))
    return configs


def embeddings(bench: str) -> Configs:
    """Embeddings frozen, given by a run that generalises, renamed, shuffled, of another seed; its
    head alone."""
    config = free(bench)
    on_a_line = bench == "L"
    kind = Reflected if on_a_line else Transplanted
    until = StopRule(threshold=0.999, hold=8)
    donor = dataclasses.replace(config, stop=until, steps=config.steps // 2)
    table = layers(bench).get("embedding", ("W_E",))
    head = tuple(name for name in config.model.shapes() if name not in table)

    def handed(names: tuple[str, ...]) -> RunConfig:
        return _changed(config, model=kind(config.model, donor, names))

    def given(names: tuple[str, ...], **changes: int) -> RunConfig:
        return _changed(config, Freeze(names), model=kind(config.model, donor, names, **changes))

    configs = {
        "embedding-frozen-at-the-start": _changed(config, Freeze(table)),
        "embedding-given": given(table),
        "embedding-given-renamed": given(table, renaming=-1 if on_a_line else 3),
        "embedding-given-shuffled": given(table, renaming=0),
        "embedding-given-of-another-seed": given(table, other=1),
        "embedding-handed-over": handed(table),
        "head-given": given(head),
        "head-handed-over": handed(head),
    }
    if on_a_line:
        as_on_a_clock = {"embedding-given-renamed-as-on-a-clock": given(table, renaming=3)}
        configs = as_on_a_clock | configs
    return configs


def rings(bench: str) -> Configs:
    """A pull of the embedding towards MED's own ring, the ring of another step, a random ring; and
    away from it."""
    config = free(bench)
    p = config.model.p
    orders = {
        "ring-of-step-1": np.arange(p),
        "ring-of-step-5": 5 * np.arange(p) % p,
        "ring-at-random": np.random.default_rng(0).permutation(p),
    }
    ranges = (0, p) if bench == "Q" else (0,)

    def pulled(order: np.ndarray, strength: float) -> RunConfig:
        penalties = [RingPenalty(tuple(begin + order), strength) for begin in ranges]
        return _changed(config, *penalties)

    configs = {name: pulled(order, 0.5) for name, order in orders.items()}
    configs["ring-of-step-1-away"] = pulled(orders["ring-of-step-1"], -0.5)
    return configs


def data(bench: str) -> Configs:
    """Training sets of one size: balanced, and of those covering the grid evenly, in clumps, in
    relabelled clumps.

    Bench L is balanced by itself; it has sets with many and few parallelograms, and no relabelling.
    """
    config = free(bench)
    designs = ("many", "few", "covering", "clumps")
    if bench != "L":
        designs = ("balanced", "covering", "clumps", "relabelled")
        task = DesignedTask(config.model.p, train_fraction=0.8)
        config = dataclasses.replace(config, task=task)
    return {f"data-{design}": _on_task(config, design=design) for design in designs}


def rates() -> Configs:
    """Of bench L: rates of embedding and decoder apart, each with its decay a step unchanged;
    another decoder."""
    config = free("L")
    rate = config.optimizer.learning_rate
    configs = {}
    for part, group in (("embedding", "encoder"), ("decoder", "decoder")):
        for name, times in (("triple", 3.0), ("third", 1 / 3)):
            own_rate = Group(group, times * rate, 1 / times)
            configs[f"rate-of-{part}-{name}"] = _changed(config, groups=(own_rate,))
    configs["decoder-width-double"] = _on_model(config, hidden=(200, 200))
    configs["decoder-width-half"] = _on_model(config, hidden=(50, 50))
    return configs


def others(bench: str) -> Configs:
    """The gradient projected, stable softmax (where there is a softmax), lazy training, an
    accelerator."""
    config = free(bench)
    model = config.model
    settings = config.optimizer
    from_the_fit = Project(start=FITTED[bench])
    configs = {}
    if bench != "L":
        stable = Stablemax(model)
        configs["stablemax"] = _changed(config, model=stable)
        configs["stablemax-no-decay"] = _changed(config, model=stable, weight_decay=0.0)
    fast = Grokfast(
        settings.learning_rate,
        beta2=settings.beta2,
        warmup=settings.warmup,
        weight_decay=settings.weight_decay,
    )
    return configs | {
        "gradient-without-a-random-part": _changed(config, Project("random")),
        "gradient-orthogonal": _changed(config, Project()),
        "gradient-orthogonal-from-the-fit": _changed(config, from_the_fit),
        "gradient-orthogonal-no-decay": _changed(config, from_the_fit, weight_decay=0.0),
        "centred": _changed(config, model=Centred(model)),
        "lazy-4": _changed(config, model=Centred(model, 4.0)),
        "rich-4": _changed(config, model=Centred(model, 0.25)),
        "linearised": _changed(config, model=Centred(model, linear=True)),
        "grokfast": dataclasses.replace(config, optimizer=fast),
    }


def later() -> Configs:
    """Arms of bench Q that were added: double precision, and squared error with its output layer
    solved."""
    config = free("Q")
    squared = dataclasses.replace(config, loss="squared_error")
    double = InDouble(config.model)
    return {
        "float64": _changed(config, model=double),
        "float64-no-decay": _changed(config, model=double, weight_decay=0.0),
        "squared-error": squared,
        "squared-error-ridge": _on_model(squared, ridge=0.1),
        "squared-error-ridge-weak": _on_model(squared, ridge=1e-3),
    }


_GRID = {
    "learning_rate": (0.02, 0.04, 0.08, 0.16, 0.32),
    "weight_decay": (0.15, 0.3, 0.6, 1.2, 2.4),
}
# Settings tried for each optimiser on bench Q, 25 each; Grokfast has the rate and decay of the best
# AdamW.
SEARCHED = {
    "adamw": _GRID,
    "muon": _GRID,
    "grokfast": {"memory": (0.7, 0.8, 0.9, 0.95, 0.98), "gain": (0.25, 0.5, 1.0, 2.0, 5.0)},
}

# The best of `SEARCHED`: the least median grok step of the seeds of `searches`, of equals the last.
TUNED = {"adamw": (0.32, 2.4), "muon": (0.32, 1.2), "grokfast": (0.98, 2.0)}


def _optimizer(name: str, values: tuple[float, float] | None = None) -> AdamW:
    """One of the optimisers of `SEARCHED` on bench Q, with settings of its own (default: those of
    the free run)."""
    usual = free("Q").optimizer
    settings = {"learning_rate": usual.learning_rate, "weight_decay": usual.weight_decay}
    if name == "grokfast":
        settings |= zip(SEARCHED["adamw"], TUNED["adamw"], strict=True)
    if values is not None:
        settings |= zip(SEARCHED[name], values, strict=True)
    kinds = {"adamw": AdamW, "muon": partial(Muon, matrices=("W_E",)), "grokfast": Grokfast}
    return kinds[name](**settings)


def searches() -> Experiments:
    """The search of settings of three optimisers on bench Q, with three seeds that no arm has."""
    sweeps = {}
    for name, values in SEARCHED.items():
        config = dataclasses.replace(free("Q"), optimizer=_optimizer(name))
        axes = tuple(Axis(*side) for side in values.items())
        sweeps[name] = Sweep(f"causes/q-search[{name}]", config, (12, 13, 14), axes=axes)
    return sweeps


def tuned() -> Configs:
    """Arms of bench Q that were added after `later`: AdamW, Muon on the hidden layer, and Grokfast,
    each tuned."""
    configs = {}
    for name, values in TUNED.items():
        best = _optimizer(name, values)
        configs[f"{name}-tuned"] = dataclasses.replace(free("Q"), optimizer=best)
    return configs


# Half of the length of the hidden activations of bench Q's free runs when they fit (step 70, seeds
# 12 to 14: 4.8).
HALF_RADIUS = 2.4


def radial() -> Configs:
    """Arms of bench Q that were added after `tuned`: its hidden activations pulled to a sphere, and
    the pull's sham.

    The sphere is that of radius sqrt(128), which free runs stay below, or half as large as their
    activations when they fit. Under bench T's last LayerNorm the activations have length sqrt(d)
    whatever is done.
    """
    config = free("Q")
    half = HeldRadius(config.model, HALF_RADIUS)
    scrambled = dataclasses.replace(half, scrambled=True)
    return {
        "radius-at-root-width": _changed(config, model=HeldRadius(config.model)),
        "radius-at-half": _changed(config, model=half),
        "radius-at-half-no-decay": _changed(config, model=half, weight_decay=0.0),
        "radius-at-half-scrambled": _changed(config, model=scrambled),
    }


def amounts() -> Configs:
    """Arms of bench Q that were added after `radial`: the rate alone changed; fewer of the pairs in
    training.

    Each is compared with the free run, of 80 % of the pairs. That both act was known from a trial
    when these arms were fixed; their exponents are what is asked.
    """
    config = free("Q")
    rate = config.optimizer.learning_rate
    return {
        "rate-double": _changed(config, learning_rate=2 * rate),
        "rate-half": _changed(config, learning_rate=rate / 2),
        "pairs-70": _on_task(config, train_fraction=0.7),
        "pairs-60": _on_task(config, train_fraction=0.6),
    }


def last(bench: str) -> Configs:
    """Arms of benches Q, T and L that were added after `amounts`, each bench's fixed together.

    The amount of data on every bench; on T decay on a random 86 % of all weights, as many as its
    hidden layers have; the gradient projected matrix by matrix, as its authors do.
    """
    config = free(bench)
    shares = {"Q": (0.9,), "T": (0.75, 0.9), "L": (0.65, 0.9)}
    configs = {}
    for share in shares[bench]:
        configs[f"pairs-{100 * share:.0f}"] = _on_task(config, train_fraction=share)
    if bench != "L":
        across = _changed(config, Project(each=True, start=FITTED[bench]), weight_decay=0.0)
        configs["gradient-orthogonal-by-matrix-no-decay"] = across
    if bench == "T":
        rate = config.optimizer.learning_rate * config.optimizer.weight_decay
        by_hook = _changed(config, Decay(rate, share=0.86), weight_decay=0.0)
        configs["decay-on-a-random-86"] = by_hook
    return configs


def fourth() -> Configs:
    """The arms of bench R: what the first three say of decay and of logits, asked of a network with
    ReLU."""
    config = free("R")
    by_decay = decays("R")
    held = Clamp(NORM["R"])
    return {
        "decay-by-a-hook": by_decay["decay-by-a-hook"],
        "decay-double": by_decay["decay-double"],
        "no-decay": by_decay["no-decay"],
        "decay-until-the-fit": by_decay["decay-until-the-fit"],
        "decay-from-the-fit": by_decay["decay-from-the-fit"],
        "norm-at-1": _changed(config, held),
        "temperature-half-norm-held": _changed(config, held, model=Tempered(config.model, 0.5)),
    }


# Arms of bench Q that were added to the first ones, each set fixed together.
ROUNDS = (later, tuned, radial, amounts, partial(last, "Q"))

# What an arm keeps of what its runs log: there are many arms, and a record should be small.
KEPT = ("train_loss", "test_loss", "train_accuracy", "test_accuracy", "weight_norm")


def kinds(bench: str) -> dict[str, Configs]:
    """The interventions of a bench by what they change, then by name."""
    if bench == "R":
        return {"decay and logits": fourth()}
    interventions = {
        "weight decay": decays(bench),
        "norms and scales": norms(bench),
        "embedding": embeddings(bench),
    }
    if bench == "L":
        interventions["rates and decoder"] = rates()
    else:
        interventions["rings"] = rings(bench)
    interventions["training set"] = data(bench)
    interventions["gradient, loss and optimiser"] = others(bench)
    added = {}
    for configs in [new() for new in ROUNDS] if bench == "Q" else [last(bench)]:
        added |= configs
    return interventions | {"added later": added}


def arms(bench: str) -> Experiments:
    """Every arm of a bench by its name, "free" first.

    Example:
        >>> list(arms("T"))[:3]
        ['free', 'decay-double', 'decay-half']
    """
    configs = {"free": free(bench)}
    for several in kinds(bench).values():
        configs |= several
    return recorded_as(f"causes/{bench.lower()}", configs, KEPT)


def recorded_as(name: str, configs: Mapping[str, RunConfig], kept: tuple[str, ...]) -> Experiments:
    """An experiment `name[arm]` with `SEEDS` runs for each arm."""
    seeds = tuple(range(SEEDS))
    experiments = {}
    for arm, config in configs.items():
        experiments[arm] = Experiment(f"{name}[{arm}]", config, seeds, together=True, kept=kept)
    return experiments


def arm(bench: str, name: str) -> Experiment:
    """One arm of a bench. Raises ParameterError for a name that is none, with the nearest."""
    known = arms(bench)
    if name not in known:
        near = nearest(name, known, 0)
        raise ParameterError(
            f"arm = {shown(name)} is none of the {len(known)} arms of bench {bench}; nearest:"
            f" {near}."
        )
    return known[name]


def searched_benches() -> pd.DataFrame:
    """Settings that were tried for the benches, with median fit and grok step."""
    table = pd.read_csv(str(files(__package__) / "baselines.csv"))
    return table.fillna({"note": "", "chosen": ""})


def choices() -> dict[str, dict[str, list[str]]]:
    """The arms of bench Q that the page of chapter 19 may train, by what they change."""
    return {"arm": {kind: list(several) for kind, several in kinds("Q").items()}}


def plan(arm: str, n_seeds: int) -> Experiments:
    """Plan of chapter 19: short runs of bench Q without an intervention, and with one."""
    known = arms("Q")
    return {name: known[name].with_seeds(n_seeds) for name in ("free", arm)}


RUNS = (*(partial(arms, bench) for bench in BENCH_NAMES), searches)
