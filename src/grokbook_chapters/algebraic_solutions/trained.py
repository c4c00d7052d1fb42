"""What chapter 16 asks of trained networks: their loss without some nodes, how often chance
factors, and the kinds of solutions beside the published ones."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from grokbook.models.networks import Parameters
from grokbook_chapters.algebraic_solutions.hidden_nodes import (
    ACTIVE,
    FOUR,
    OPPOSED,
    OTHER,
    SYNCED,
    factorise,
    kind_of,
    kind_shares,
    node_frequencies,
    orders,
)
from grokbook_chapters.algebraic_solutions.runs import waves_of
from grokbook_chapters.labelled import Tables

PUBLISHED = {
    FOUR: {23: (47.07, 1.88), 71: (72.57, 0.70), 127: (82.96, 0.39)},
    OPPOSED: {23: (39.80, 2.11), 71: (21.14, 2.14), 127: (14.13, 0.87)},
    SYNCED: {23: (11.31, 1.76), 71: (4.00, 1.14), 127: (2.25, 0.64)},
    OTHER: {23: (1.82, 1.82), 71: (2.29, 1.07), 127: (0.66, 0.66)},
}
"""Kind and modulus -> percent of the frequencies that factor, and its standard error over five
seeds: the slides' table, 512 nodes, weight decay 5e-5."""


def layers(weights: Parameters) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The layers a, b, c of a network's parameters, each (p, K), in float64."""
    first, second = (part.double().numpy() for part in weights["W_E"].chunk(2))
    return first, second, weights["W_U"].double().numpy()


class Score(NamedTuple):
    """The centred squared error on all pairs, and the share that is answered rightly."""

    loss: float
    accuracy: float


def score(answers: np.ndarray) -> Score:
    """The score of answers (p, p, p) without a class mean."""
    p = len(answers)
    label = np.add.outer(np.arange(p), np.arange(p)) % p
    wanted = np.eye(p)[label] - 1 / p
    errors = ((answers - wanted) ** 2).sum(axis=2)
    right = answers.argmax(axis=2) == label
    return Score(float(errors.mean()), float(right.mean()))


class Dropped(NamedTuple):
    """Loss and accuracy on all pairs of a network whose nodes are taken away.

    `kept`: with the n strongest nodes alone, n = 0, 1, ...; `without`: a row for each node that
    counts, the network without it, with its frequency and the order of that;
    `loss`: of the whole network; `counting`: of the nodes that count alone.
    """

    kept: pd.DataFrame
    without: pd.DataFrame
    loss: float
    counting: float


def answers_by_node(weights: Parameters) -> np.ndarray:
    """What each node adds to the answers, without its mean over the classes, (K, p, p, p)."""
    first, second, third = layers(weights)
    squares = (first[:, None] + second[None]) ** 2
    return np.einsum("ijn,cn->nijc", squares, third - third.mean(axis=0))


def drop_nodes(weights: Parameters) -> Dropped:
    """The network with its strongest nodes alone, and without each node that counts.

    The strength of a node is the product of the sizes of its three layers; it counts where its
    wave in layer a is above `ACTIVE`.
    """
    by_node = answers_by_node(weights)
    sizes = [np.linalg.norm(layer, axis=0) for layer in layers(weights)]
    strongest_first = np.argsort(-np.prod(sizes, axis=0))
    answers = np.zeros_like(by_node[0])
    scores = [score(answers)]
    for n in strongest_first:
        answers += by_node[n]
        scores.append(score(answers))
    waves = waves_of(weights)
    k = node_frequencies(waves)
    counting = np.flatnonzero(np.abs(waves[0, k, np.arange(len(k))]) > ACTIVE)
    without = pd.DataFrame([score(answers - by_node[n]) for n in counting], columns=Score._fields)
    without.insert(0, "frequency", k[counting])
    without.insert(1, "order", orders(waves)[k[counting] - 1])
    alone = score(by_node[counting].sum(axis=0))
    return Dropped(pd.DataFrame(scores), without, scores[-1].loss, alone.loss)


def by_chance(draws: int) -> pd.DataFrame:
    """Of random sets of four and of six nodes the percent that factor, and that have a constructed
    kind: with phases drawn at random, and with those of layer c chosen so that each node's sum is
    zero."""
    rng = np.random.default_rng(0)
    rows = []
    for n in (4, 6):
        free = np.exp(2j * np.pi * rng.uniform(size=(draws, 3, n)))
        tied = free.copy()
        tied[:, 2] = 1 / (free[:, 0] * free[:, 1])
        for angles, sets in (("random", free), ("random, sum zero", tied)):
            factored = [factors for factors in map(factorise, sets) if factors.factorable]
            built = [factors for factors in factored if kind_of(factors) != OTHER]
            percent = 100 / draws
            rows.append((n, angles, percent * len(factored), percent * len(built)))
    return pd.DataFrame(rows, columns=["nodes", "angles", "factor", "as constructed"])


def kinds_beside(tables: Tables) -> pd.DataFrame:
    """The published percent of each kind of solution beside ours, mean and standard error over
    seeds: a row a kind, two columns a modulus. `tables` are frequencies of all seeds by modulus."""
    table = pd.DataFrame(index=pd.Index(PUBLISHED, name="kind"))
    for d in (23, 71, 127):
        table[f"d = {d}, slides"] = [_mean_and_error(*PUBLISHED[kind][d]) for kind in PUBLISHED]
        table[f"d = {d}, ours"] = "not run"
        if d in tables:
            shares = pd.DataFrame([kind_shares(run) for _, run in tables[d].groupby("seed")])
            mean = shares.mean()
            error = shares.std(ddof=0) / np.sqrt(len(shares))
            ours = [_mean_and_error(mean[kind], error[kind]) for kind in PUBLISHED]
            table[f"d = {d}, ours"] = ours
    return table


def _mean_and_error(mean: float, error: float) -> str:
    return f"{mean:.1f} ± {error:.1f}"
