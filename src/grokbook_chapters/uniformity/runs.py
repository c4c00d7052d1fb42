"""The runs of chapter 03: those of Fig. 5 at two moduli, and runs that are watched behind the
embedding."""

from __future__ import annotations

from functools import partial

import numpy as np
import torch

from grokbook.errors import ParameterError
from grokbook.models.activations import SUM, activations
from grokbook.runs.experiment import Experiments
from grokbook.training.watching import View, Watch
from grokbook_chapters.gu2025 import fig5
from grokbook_chapters.lead_tasks import FEW, ORDERED, P_TASKS, watched_run
from grokbook_chapters.uniformity.class_shares import label_share


def unseen_share(view: View, stage: str, shuffled: bool = False) -> float:
    """Share of the variance of the cells outside the training set that the class explains at one
    stage of the network.

    `stage` is a name of `activations`; `shuffled` gives the cells the labels of others, which is
    what chance reaches.
    """
    task = view.task
    inputs = torch.from_numpy(task.inputs[task.test_index])
    labels = task.labels[task.test_index]
    rows = activations(view.weights, inputs, view.config.model)[stage].double().numpy()
    if shuffled:
        labels = np.random.default_rng(0).permutation(labels)
    return label_share(rows, labels)


# The stages looked at: the sum of embeddings, the read-out row after attention and after the MLP,
# and chance.
WATCHED: dict[str, Watch] = {
    "share_sums": partial(unseen_share, stage=SUM),
    "share_attention": partial(unseen_share, stage="attention 1"),
    "share_mlp": partial(unseen_share, stage="MLP 1"),
    "share_null": partial(unseen_share, stage="MLP 1", shuffled=True),
}

# What the keys of the records have of these: another word once one computes something else.
VERSIONS = {
    "share_sums": "a759ea13969138f4",
    "share_attention": "f32ed99db1c7a1da",
    "share_mlp": "fce9d70e098de903",
    "share_null": "3101a860e2b11c8b",
}


def deeper(n_seeds: int = 3) -> Experiments:
    """Addition modulo 47, each operand with its own tokens: with enough cells to generalise, and
    with too few.

    Example:
        >>> [run.config.task.train_fraction for run in deeper().values()]
        [0.75, 0.15]
    """
    deep = partial(
        watched_run,
        P_TASKS,
        shift=P_TASKS,
        steps=2_000,
        points=100,
        n_seeds=n_seeds,
        watch=WATCHED,
        in_key=VERSIONS,
    )
    return {
        "learned": deep(label="deeper layers", train_fraction=ORDERED),
        "memorised": deep(label="deeper layers, few cells", train_fraction=FEW),
    }


RUNS = (deeper,)


def plan(p_recorded: int, p_other: int, n_seeds: int) -> Experiments:
    """The runs of Fig. 5 at two moduli, from the records; the theory itself trains nothing.

    Raises ParameterError for two equal moduli.

    Example:
        >>> list(plan(97, 47, 1))
        ['p_recorded', 'p_other']
    """
    if p_recorded == p_other:
        raise ParameterError(
            f"p_recorded = p_other = {p_other} must be two different moduli; take 47 and 97."
        )
    return {
        "p_recorded": fig5(p_recorded).with_seeds(n_seeds),
        "p_other": fig5(p_other).with_seeds(n_seeds),
    }
