"""The runs of chapter 14: Fig. 7 (left) of Liu et al. 2022 at its own size, and small runs of the
same network."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import torch
from torch.nn import functional

from grokbook.measures.principal import on_axes, rebuilt, ring_share
from grokbook.measures.representation import representation_quality
from grokbook.models.encoder import Encoder
from grokbook.runs.experiment import Experiment, Experiments
from grokbook.runs.sweep import Axis, Sweep
from grokbook.tasks.arithmetic import ModularTask
from grokbook.training.config import RunConfig, StopRule
from grokbook.training.optim import AdamW, Group
from grokbook.training.schedule import Schedule
from grokbook.training.watching import View, Watch
from grokbook_chapters.gu2025 import fig5, often
from grokbook_chapters.liu2022 import GOAL
from grokbook_chapters.transformer_representations.shuffled import ShuffledTask

# of Figs 1, 7, 21 and 22: the text says 53, the initial effective dimension of 51.7 is that of 59
PAPER_P = 59
# share of numbers dropped, from the authors' settings for these figures; the text has none
PAPER_DROPOUT = 0.05
# of the embedding in the authors' program, torch's default; the text says that there is none
PROGRAM_DECAY = 0.01
# what the page calls the runs in the authors' setting, without dropout, small ones, and chapter 5's
PAPER = f"p = {PAPER_P} with dropout {PAPER_DROPOUT:g}"
PLAIN = f"p = {PAPER_P} without dropout"
SMALL_RUNS = "small runs"
GU = "Gu et al., p = 97"
AXES = (2, 4, 6, 10)  # numbers of principal axes on which the embedding is tried
DECAYS = {0.0: 3, 1.0: 3, 3.0: 9}  # weight decays of the small decoder, and how many seeds of each
# the decay of the small runs that the page looks at most: they generalise within their steps
USUAL = 3.0
SLOW = 10_000  # steps of the small runs without decay that tell how late they are
# three of the ten shares that Fig. 7 (centre) drops, which end at a half
SHARES = (0.0, 3 / 18, 6 / 18)
# shares of numbers that small runs with dropout drop; at the first all of them generalise
RATES = (0.1, 0.3, 0.5)
SMALL_DROPPED = f"{SMALL_RUNS} with dropout {RATES[0]:g}"
# Sizes of the small runs, modulus 31: about a minute a run on one core.
SMALL = {
    "d_model": 64,
    "d_mlp": 64,
    "learning_rate": 1e-3,
    "decay": USUAL,
    "steps": 4_000,
    "points": 80,
}


# ---------------------------------------------------------------------------------- what is watched


def accuracy_on_axes(view: View, n: int, of: str) -> float:
    """Test accuracy with the embedding rebuilt from its first n principal axes: its own, or those
    of the last step.

    These are the dotted ("now") and the solid lines ("end") of Fig. 22.
    """
    axes = (view.final or view).embedding if of == "end" else None
    table = torch.as_tensor(rebuilt(view.embedding, n, axes), dtype=torch.float32)
    projected_view = replace(view, weights={**view.weights, "W_E": table})
    right = projected_view.logits.argmax(axis=-1) == view.task.targets
    return float(right[view.task.test_index].mean())


# The accuracies on a few axes and the representation quality.
PROJECTED: dict[str, Watch] = {
    **{f"{of}_{n}": partial(accuracy_on_axes, n=n, of=of) for of in ("now", "end") for n in AXES},
    "representation_quality": lambda view: representation_quality(view.embedding),
}


def projected(name: str, config: RunConfig, seeds: tuple[int, ...]) -> Experiment:
    """An experiment of which `PROJECTED` is recorded too."""
    return Experiment(name, config, seeds, watch=PROJECTED, in_key={"projected": list(PROJECTED)})


def plane_share(view: View) -> float:
    """Share of the embedding's variance in the plane of its first two principal axes."""
    in_plane = on_axes(view.embedding, 2).var(axis=0).sum()
    return float(in_plane / view.embedding.var(axis=0).sum())


def roundness(view: View) -> float:
    """Variance on the second principal axis as a part of that on the first: 1 for a circle, 0 for
    points on a line."""
    first, second = on_axes(view.embedding, 2).var(axis=0)
    return float(second / first)


# What the plane of the first two principal axes shows.
CIRCLED: dict[str, Watch] = {
    "ring_share": lambda view: ring_share(view.embedding),
    "plane_share": plane_share,
    "roundness": roundness,
}


def circled(name: str, config: RunConfig, seeds: tuple[int, ...]) -> Experiment:
    """An experiment of which `CIRCLED` is recorded too."""
    return Experiment(name, config, seeds, watch=CIRCLED, in_key={"circled": list(CIRCLED)})


# ----------------------------------------------------------------------------------------- the runs


def encoder_run(
    p: int,
    *,
    d_model: int = 256,
    d_mlp: int = 128,
    train_fraction: float = 0.8,
    steps: int = 20_000,
    learning_rate: float = 2e-4,
    decay: float = 1.0,
    embedding_decay: float = 0.0,
    dropout: float = 0.0,
    points: int = 400,
    snapshots: int = 21,
    task: type[ModularTask] = ModularTask,
) -> RunConfig:
    """The paper's transformer on addition modulo p: two layers, the embedding at a rate of 1e-3.

    `learning_rate` and `decay` are those of the decoder, `embedding_decay` is that of the
    embedding.
    """
    rates = (Group("encoder", 1e-3, embedding_decay),)
    return RunConfig(
        task(p, train_fraction=train_fraction),
        Encoder(p, d_model=d_model, d_mlp=d_mlp, dropout=dropout),
        AdamW(learning_rate=learning_rate, beta2=0.999, weight_decay=decay, warmup=0, groups=rates),
        steps,
        Schedule(dense_until=0, points=points),
        snapshots,
    )


def fig7() -> Experiments:
    """Fig. 7 (left) with the authors' dropout, without it (a control), and with their program's
    decay besides.

    The authors' setting has more seeds: some of its runs end before they generalise, and tell
    nothing of the end.
    """
    drop = f", dropout={PAPER_DROPOUT:g}"
    decayed = f"{drop}, embedding decay={PROGRAM_DECAY:g}"
    return {
        "paper": _fig7(drop, 9, dropout=PAPER_DROPOUT),
        "plain": _fig7("", 5),
        "decayed": _fig7(decayed, 3, dropout=PAPER_DROPOUT, embedding_decay=PROGRAM_DECAY),
    }


def _fig7(label: str, n_seeds: int, **changes: float) -> Experiment:
    """The runs of one setting of Fig. 7 (left)."""
    config = encoder_run(PAPER_P, points=100, **changes)
    return projected(f"liu2022/fig7[p={PAPER_P}{label}]", config, tuple(range(n_seeds)))


def circle() -> Experiments:
    """Fresh seeds of Fig. 1's runs for the circle: its plane is read every 100 steps, to step
    8,000.

    The five runs of `fig7` on which the rule of claim LT3 was made have none of these seeds.
    """
    config = encoder_run(PAPER_P, dropout=PAPER_DROPOUT, steps=8_000, points=80, snapshots=2)
    name = f"liu2022/circle[p={PAPER_P}, dropout={PAPER_DROPOUT:g}]"
    return {"fresh": circled(name, config, tuple(range(5, 15)))}


def fit_with_dropout(view: View) -> float:
    """Training accuracy with numbers dropped as while it is trained, as the authors count it."""
    model = view.config.model
    train = view.task.train_index
    inputs = torch.from_numpy(view.task.inputs[train])
    drop = partial(functional.dropout, p=model.dropout)
    with torch.random.fork_rng(), torch.no_grad():
        torch.manual_seed(view.step)
        answers = model.forward(view.weights, inputs, drop).argmax(dim=-1).numpy()
    return float((answers == view.task.targets[train]).mean())


def centre() -> Experiments:
    """Fig. 7 (centre) at three of its shares of numbers dropped, until 99 % of the test set is
    right.

    At most 4,000 steps, 8,000 without dropout. Rate and decay of the decoder are those of Fig. 7
    (left): of this panel they are not known.
    """
    experiments = {}
    for share in SHARES:
        steps = 4_000 if share else 8_000
        config = encoder_run(PAPER_P, dropout=share, steps=steps, points=steps // 50, snapshots=2)
        name = f"liu2022/fig7 centre[dropout={share:.3f}]"
        experiments[share] = Experiment(
            name,
            replace(config, stop=StopRule()),
            (0, 1, 2),
            watch={"fit_with_dropout": fit_with_dropout},
            in_key={"dropping": ["fit_with_dropout"]},
        )
    return experiments


def small_run(label: str, n_seeds: int = 3, **changes: Any) -> Experiment:
    """One of the small runs, modulus 31, with changes to `SMALL`."""
    config = encoder_run(31, **SMALL | changes)
    return projected(f"liu2022/small[{label}]", config, tuple(range(n_seeds)))


def by_decay() -> Experiments:
    """The small runs by weight decay of the decoder."""
    return {
        decay: small_run(f"decay={decay:g}", seeds, decay=decay) for decay, seeds in DECAYS.items()
    }


def late() -> Experiments:
    """Small runs without decay to step 10,000: where those of `by_decay` end, none can be twice as
    late as with it."""
    run = small_run(f"decay=0, steps={SLOW}", decay=0.0, steps=SLOW)
    return {0.0: replace(run, seeds=(3, 4, 5))}


def slow() -> Experiments:
    """The runs that tell how much later a small run is without decay: `late`, and fresh seeds with
    it."""
    return late() | {USUAL: replace(by_decay()[USUAL], seeds=(6, 7, 8))}


def by_dropout() -> Experiments:
    """The small runs at the usual decay by share of numbers dropped while they are trained; 0 is
    that of `by_decay`."""
    dropped = {rate: small_run(f"dropout={rate:g}", dropout=rate) for rate in RATES}
    return {0.0: by_decay()[USUAL]} | dropped


def scanned() -> Experiments:
    """The diagram of Fig. 7 (right) on the small network: 6 learning rates and 8 weight decays of
    the decoder.

    The ranges were chosen by some thirty cells of seed 100, of this network and of one of modulus
    23.
    """
    config = replace(encoder_run(31, **SMALL | {"snapshots": 0}), stop=GOAL)
    axes = (
        Axis("decoder_lr", (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2)),
        Axis("decoder_weight_decay", (0.03, 0.3, 1.0, 3.0, 5.0, 7.0, 9.0, 14.0)),
    )
    return {"cells": Sweep("liu2022/small[phases]", config, (0, 1, 2), axes=axes)}


def controls() -> Experiments:
    """Small runs with labels dealt out anew, with five times the decay, and with the program's
    decay of the embedding.

    Labels dealt out can only be memorised. Strong decay, at the paper's rate of the decoder, gives
    a circle and no rule: met while sizes were sought, then recorded with three seeds.
    """
    strong = {"decay": 15.0, "learning_rate": 2e-4, "steps": 1_500, "points": 50, "snapshots": 11}
    return {
        "shuffled labels": small_run("shuffled labels", task=ShuffledTask),
        "strong decay": small_run("strong decay", **strong),
        "decay of the embedding": small_run("embedding decay 0.01", embedding_decay=PROGRAM_DECAY),
    }


def networks() -> Experiments:
    """The networks in which an embedding is looked at, by what the page calls them; the first is
    the authors' setting.

    Statements about the embedding are judged on that one and told of the others.
    """
    paper, plain, decayed = fig7().values()
    drops = by_dropout()
    return {
        PAPER: paper,
        PLAIN: plain,
        f"p = {PAPER_P} with dropout and decay {PROGRAM_DECAY:g} of the embedding": decayed,
        SMALL_RUNS: drops[0.0],
        SMALL_DROPPED: drops[RATES[0]],
        GU: fig5(97, n_seeds=19),
    }


RUNS = (fig7, centre, circle, by_decay, by_dropout, controls, late, scanned, often)


def plan(
    p: int, train_fraction: float, d_model: int, decay: float, steps: int, n_seeds: int
) -> Experiments:
    """Plan of chapter 14: the run that the page trains."""
    config = encoder_run(
        p,
        d_model=d_model,
        d_mlp=d_model,
        train_fraction=train_fraction,
        learning_rate=1e-3,
        decay=decay,
        steps=steps,
        points=min(steps, 60),
        snapshots=11,
    )
    return {"live": Experiment(f"live/encoder[p={p}]", config).with_seeds(n_seeds)}
