r"""The runs of chapter 19: benches on which networks fit early and generalise late, and arms, one
intervention each.

All training sets are whole unordered pairs: no mirror image of a test pair is trained, so that the
test accuracy is about pairs that the network cannot have looked up. The table of bench L has
unordered pairs alone.
"""

from __future__ import annotations

import dataclasses
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
from grokbook.runs.experiment import Experiment
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
        log, stop = Schedule(10, 1, 150, "log"), StopRule(hold=5)
        task, model = (
            DesignedAddition(16, 100 / 136, "number"),
            Toy(16, 16, hidden=(100, 100), outputs=1, spread=10.0),
        )
        optimizer = AdamW(3e-3, beta2=0.999, warmup=0)
        return RunConfig(
            task,
            model,
            optimizer,
            steps=5_000,
            snapshots=0,
            log=log,
            stop=stop,
            loss="squared_error",
        )
    p, steps = (29, 10_000) if bench == "T" else (23, 5_000)
    model: Network = NormedShape(p, 32)
    if bench != "T":
        model = Quadratic(p, width=128, activation=ACTIVATION[bench])
    task = ModularTask(p, train_fraction=0.8, split="symmetric")
    optimizer = AdamW(5e-3, weight_decay=0.3 if bench == "Q" else 1.0)
    log, stop = Schedule(100, 10, 100, "log"), StopRule(hold=4)
    return RunConfig(task, model, optimizer, steps=steps, snapshots=0, log=log, stop=stop)


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
    return dataclasses.replace(
        config,
        model=model or config.model,
        optimizer=Hooked(settings, hooks) if hooks else settings,
    )


def decays(bench: str) -> dict[str, RunConfig]:
    """Decay stronger, weaker, in one phase, on some of the weights."""
    config, at = free(bench), FITTED[bench]
    whole, rate = (
        config.optimizer.weight_decay,
        config.optimizer.learning_rate * config.optimizer.weight_decay,
    )
    by_hook = partial(_changed, config, weight_decay=0.0)
    found = {
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
        found[f"decay-on-{name}-alone"] = by_hook(Decay(rate, part))
        if len(groups) > 2:
            rest = tuple(n for other, names in groups.items() if other != name for n in names)
            found[f"decay-not-on-{name}"] = by_hook(Decay(rate, rest))
    return found


def norms(bench: str) -> dict[str, RunConfig]:
    """The norm of all weights held; the scale of the outputs changed, at a free and at a held norm.

    On its path it is clamped to the median norm of free runs at some steps, which should change
    nothing.
    """
    config, radius = free(bench), NORM[bench]
    model, rate = config.model, config.optimizer.learning_rate
    found = {f"norm-at-{r:g}": _changed(config, Clamp(r * radius)) for r in RADII}
    path = pd.read_csv(str(files(__package__) / "paths.csv")).query("bench == @bench")
    found["norm-on-its-path"] = _changed(
        config, Clamp(tuple(zip(path.step, path.norm, strict=True)))
    )
    # what the ratio is for a homogeneous network, and a LayerNorm
    for r in (0.7, 1.45) if bench != "L" else ():
        found[f"norm-at-{r:g}-rate-too"] = _changed(
            config, Clamp(r * radius), learning_rate=r * rate
        )
    for name, t in (("double", 2.0), ("half", 0.5)):
        found[f"temperature-{name}"] = _changed(config, model=Tempered(model, t))
        found[f"temperature-{name}-norm-held"] = _changed(
            config, Clamp(radius), model=Tempered(model, t)
        )
        found[f"start-{name}"] = _changed(config, model=Rescaled(model, t))
    return found


def embeddings(bench: str) -> dict[str, RunConfig]:
    """Embeddings frozen, given by a run that generalises, renamed, shuffled, of another seed; its
    head alone."""
    config, kind = free(bench), Reflected if bench == "L" else Transplanted
    donor = dataclasses.replace(
        config, stop=StopRule(threshold=0.999, hold=8), steps=config.steps // 2
    )
    table = layers(bench).get("embedding", ("W_E",))
    head = tuple(name for name in config.model.shapes() if name not in table)

    def given(names: tuple[str, ...], frozen: bool = True, **changes: int) -> RunConfig:
        model = kind(config.model, donor, names, **changes)
        return _changed(config, *([Freeze(names)] if frozen else []), model=model)

    on_a_line = (
        {"embedding-given-renamed-as-on-a-clock": given(table, renaming=3)} if bench == "L" else {}
    )
    return on_a_line | {
        "embedding-frozen-at-the-start": _changed(config, Freeze(table)),
        "embedding-given": given(table),
        "embedding-given-renamed": given(table, renaming=-1 if bench == "L" else 3),
        "embedding-given-shuffled": given(table, renaming=0),
        "embedding-given-of-another-seed": given(table, other=1),
        "embedding-handed-over": given(table, frozen=False),
        "head-given": given(head),
        "head-handed-over": given(head, frozen=False),
    }


def rings(bench: str) -> dict[str, RunConfig]:
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
        return _changed(config, *(RingPenalty(tuple(begin + order), strength) for begin in ranges))

    found = {name: pulled(order, 0.5) for name, order in orders.items()}
    return found | {"ring-of-step-1-away": pulled(orders["ring-of-step-1"], -0.5)}


def data(bench: str) -> dict[str, RunConfig]:
    """Training sets of one size: balanced, and of those covering the grid evenly, in clumps, in
    relabelled clumps.

    Bench L is balanced by itself; it has sets with many and few parallelograms, and no relabelling.
    """
    config, designs = free(bench), ("balanced", "covering", "clumps", "relabelled")
    task: Any = DesignedTask(config.model.p, train_fraction=0.8) if bench != "L" else config.task
    if bench == "L":
        designs = ("many", "few", "covering", "clumps")
    return {
        f"data-{design}": dataclasses.replace(config, task=dataclasses.replace(task, design=design))
        for design in designs
    }


def rates() -> dict[str, RunConfig]:
    """Of bench L: rates of embedding and decoder apart, each with its decay a step unchanged;
    another decoder."""
    config = free("L")
    rate, wide = config.optimizer.learning_rate, {"double": (200, 200), "half": (50, 50)}
    found = {
        f"rate-of-{part}-{name}": _changed(config, groups=(Group(group, times * rate, 1 / times),))
        for part, group in (("embedding", "encoder"), ("decoder", "decoder"))
        for name, times in (("triple", 3.0), ("third", 1 / 3))
    }
    return found | {
        f"decoder-width-{name}": _changed(
            config, model=dataclasses.replace(config.model, hidden=hidden)
        )
        for name, hidden in wide.items()
    }


def others(bench: str) -> dict[str, RunConfig]:
    """The gradient projected, stable softmax (where there is a softmax), lazy training, an
    accelerator."""
    config, at = free(bench), FITTED[bench]
    settings = config.optimizer
    fast = Grokfast(
        settings.learning_rate,
        beta2=settings.beta2,
        warmup=settings.warmup,
        weight_decay=settings.weight_decay,
    )
    softmax = (
        {
            "stablemax": _changed(config, model=Stablemax(config.model)),
            "stablemax-no-decay": _changed(config, model=Stablemax(config.model), weight_decay=0.0),
        }
        if bench != "L"
        else {}
    )
    return softmax | {
        "gradient-without-a-random-part": _changed(config, Project("random")),
        "gradient-orthogonal": _changed(config, Project()),
        "gradient-orthogonal-from-the-fit": _changed(config, Project(start=at)),
        "gradient-orthogonal-no-decay": _changed(config, Project(start=at), weight_decay=0.0),
        "centred": _changed(config, model=Centred(config.model)),
        "lazy-4": _changed(config, model=Centred(config.model, 4.0)),
        "rich-4": _changed(config, model=Centred(config.model, 0.25)),
        "linearised": _changed(config, model=Centred(config.model, linear=True)),
        "grokfast": dataclasses.replace(config, optimizer=fast),
    }


def later() -> dict[str, RunConfig]:
    """Arms of bench Q that were added: double precision, and squared error with its output layer
    solved."""
    config = free("Q")
    squared = dataclasses.replace(config, loss="squared_error")
    double = InDouble(config.model)
    return {
        "float64": _changed(config, model=double),
        "float64-no-decay": _changed(config, model=double, weight_decay=0.0),
        "squared-error": squared,
        **{
            f"squared-error-{name}": _changed(
                squared, model=dataclasses.replace(config.model, ridge=ridge)
            )
            for name, ridge in (("ridge", 0.1), ("ridge-weak", 1e-3))
        },
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
    settings = free("Q").optimizer
    made = {"adamw": AdamW, "muon": partial(Muon, matrices=("W_E",)), "grokfast": Grokfast}[name](
        settings.learning_rate, weight_decay=settings.weight_decay
    )
    if name == "grokfast":
        made = dataclasses.replace(
            made, **dict(zip(SEARCHED["adamw"], TUNED["adamw"], strict=True))
        )
    return dataclasses.replace(made, **dict(zip(SEARCHED[name], values or (), strict=bool(values))))


def searches() -> dict[str, Sweep]:
    """The search of settings of three optimisers on bench Q, with three seeds that no arm has."""
    return {
        name: Sweep(
            f"causes/q-search[{name}]",
            dataclasses.replace(free("Q"), optimizer=_optimizer(name)),
            (12, 13, 14),
            axes=tuple(Axis(*one) for one in axes.items()),
        )
        for name, axes in SEARCHED.items()
    }


def tuned() -> dict[str, RunConfig]:
    """Arms of bench Q that were added after `later`: AdamW, Muon on the hidden layer, and Grokfast,
    each tuned."""
    return {
        f"{name}-tuned": dataclasses.replace(free("Q"), optimizer=_optimizer(name, values))
        for name, values in TUNED.items()
    }


# Half of the length of the hidden activations of bench Q's free runs when they fit (step 70, seeds
# 12 to 14: 4.8).
HALF_RADIUS = 2.4


def radial() -> dict[str, RunConfig]:
    """Arms of bench Q that were added after `tuned`: its hidden activations pulled to a sphere, and
    the pull's sham.

    The sphere is that of radius sqrt(128), which free runs stay below, or half as large as their
    activations when they fit. Under bench T's last LayerNorm the activations have length sqrt(d)
    whatever is done.
    """
    config = free("Q")
    half = HeldRadius(config.model, HALF_RADIUS)
    return {
        "radius-at-root-width": _changed(config, model=HeldRadius(config.model)),
        "radius-at-half": _changed(config, model=half),
        "radius-at-half-no-decay": _changed(config, model=half, weight_decay=0.0),
        "radius-at-half-scrambled": _changed(
            config, model=dataclasses.replace(half, scrambled=True)
        ),
    }


def amounts() -> dict[str, RunConfig]:
    """Arms of bench Q that were added after `radial`: the rate alone changed; fewer of the pairs in
    training.

    Each is compared with the free run, of 80 % of the pairs. That both act was known from a trial
    when these arms were fixed; their exponents are what is asked.
    """
    config = free("Q")
    rate = config.optimizer.learning_rate
    found = {
        f"rate-{name}": _changed(config, learning_rate=times * rate)
        for name, times in (("double", 2), ("half", 0.5))
    }
    for percent in (70, 60):
        task = dataclasses.replace(config.task, train_fraction=percent / 100)
        found[f"pairs-{percent}"] = dataclasses.replace(config, task=task)
    return found


def last(bench: str) -> dict[str, RunConfig]:
    """Arms of benches Q, T and L that were added after `amounts`, each bench's fixed together.

    The amount of data on every bench; on T decay on a random 86 % of all weights, as many as its
    hidden layers have; the gradient projected matrix by matrix, as its authors do.
    """
    config = free(bench)
    shares = {"Q": (0.9,), "T": (0.75, 0.9), "L": (0.65, 0.9)}
    found = {}
    for share in shares[bench]:
        task = dataclasses.replace(config.task, train_fraction=share)
        found[f"pairs-{100 * share:.0f}"] = dataclasses.replace(config, task=task)
    if bench != "L":
        across = Project(each=True, start=FITTED[bench])
        found["gradient-orthogonal-by-matrix-no-decay"] = _changed(config, across, weight_decay=0.0)
    if bench == "T":
        rate = config.optimizer.learning_rate * config.optimizer.weight_decay
        by_hook = _changed(config, Decay(rate, share=0.86), weight_decay=0.0)
        found["decay-on-a-random-86"] = by_hook
    return found


def fourth() -> dict[str, RunConfig]:
    """The arms of bench R: what the first three say of decay and of logits, asked of a network with
    ReLU."""
    config = free("R")
    by_decay = decays("R")
    names = ("decay-by-a-hook", "decay-double", "no-decay", "decay-until-the-fit")
    found = {name: by_decay[name] for name in (*names, "decay-from-the-fit")}
    held = Clamp(NORM["R"])
    return found | {
        "norm-at-1": _changed(config, held),
        "temperature-half-norm-held": _changed(config, held, model=Tempered(config.model, 0.5)),
    }


# Arms of bench Q that were added to the first ones, each set fixed together.
ROUNDS = (later, tuned, radial, amounts, partial(last, "Q"))

# What an arm keeps of what its runs log: there are many arms, and a record should be small.
KEPT = ("train_loss", "test_loss", "train_accuracy", "test_accuracy", "weight_norm")


def kinds(bench: str) -> dict[str, dict[str, RunConfig]]:
    """The interventions of a bench by what they change, then by name."""
    if bench == "R":
        return {"decay and logits": fourth()}
    found = {
        "weight decay": decays(bench),
        "norms and scales": norms(bench),
        "embedding": embeddings(bench),
    }
    found |= {"rates and decoder": rates()} if bench == "L" else {"rings": rings(bench)}
    found |= {"training set": data(bench), "gradient, loss and optimiser": others(bench)}
    if bench == "Q":
        found |= {
            "added later": {name: config for added in ROUNDS for name, config in added().items()}
        }
    else:
        found |= {"added later": last(bench)}
    return found


def arms(bench: str) -> dict[str, Experiment]:
    """Every arm of a bench by its name, "free" first.

    Example:
        >>> list(arms("T"))[:3]
        ['free', 'decay-double', 'decay-half']
    """
    found = {"free": free(bench)}
    for several in kinds(bench).values():
        found |= several
    seeds, named = tuple(range(SEEDS)), f"causes/{bench.lower()}"
    return {
        name: Experiment(f"{named}[{name}]", config, seeds, together=True, kept=KEPT)
        for name, config in found.items()
    }


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


def plan(arm: str, n_seeds: int) -> dict[str, Experiment]:
    """Plan of chapter 19: short runs of bench Q without an intervention, and with one."""
    known = arms("Q")
    return {name: known[name].with_seeds(n_seeds) for name in ("free", arm)}


RUNS = (*(partial(arms, bench) for bench in BENCH_NAMES), searches)
