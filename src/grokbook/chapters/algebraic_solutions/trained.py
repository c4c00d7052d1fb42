"""What chapter 16 asks of trained networks: the loss without some nodes, and CoGO's table beside ours."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from torch import Tensor

from grokbook.measures.hidden_nodes import (
    ACTIVE,
    FOUR,
    KINDS,
    OPPOSED,
    OTHER,
    SYNCED,
    node_frequencies,
    orders,
    table_row,
)

# The table of the slides, q = 512, decay 5e-5: mean and standard error over five seeds; errors times 100.
PUBLISHED = {
    "not_46": {23: (0.0, 0.0), 71: (0.0, 0.0), 127: (0.0, 0.0)},
    "nonfactorable_4": {23: (0.0, 0.0), 71: (0.0, 0.0), 127: (1.50, 0.92)},
    "nonfactorable_6": {23: (5.71, 5.71), 71: (0.0, 0.0), 127: (0.0, 0.0)},
    "error_4": {23: (0.05, 0.01), 71: (0.03, 0.0), 127: (0.26, 0.14)},
    "error_6": {23: (4.80, 0.96), 71: (5.02, 0.25), 127: (0.93, 0.18)},
    FOUR: {23: (47.07, 1.88), 71: (72.57, 0.70), 127: (82.96, 0.39)},
    SYNCED: {23: (11.31, 1.76), 71: (4.00, 1.14), 127: (2.25, 0.64)},
    OPPOSED: {23: (39.80, 2.11), 71: (21.14, 2.14), 127: (14.13, 0.87)},
    OTHER: {23: (1.82, 1.82), 71: (2.29, 1.07), 127: (0.66, 0.66)},
}

WORDS = {"not_46": "not of order 4 or 6 (count)", "nonfactorable_4": "order 4 that does not factor, %",
         "nonfactorable_6": "order 6 that does not factor, %", "error_4": "error at order 4, x 100",
         "error_6": "error at order 6, x 100"} | {kind: f"{kind}, %" for kind in KINDS}  # fmt: skip


def layers(weights: Mapping[str, Tensor]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The layers a, b, c of a network's parameters, each (p, K), in float64."""
    first, second = (part.double().numpy() for part in weights["W_E"].chunk(2))
    return first, second, weights["W_U"].double().numpy()


def node_answers(weights: Mapping[str, Tensor]) -> np.ndarray:
    """What each node adds to the answers to all pairs, without its mean over the classes: (K, p, p, p)."""
    a, b, c = layers(weights)
    hidden = (a[:, None] + b[None]) ** 2
    return np.einsum("ijn,cn->nijc", hidden, c - c.mean(axis=0))


def loss_of(answers: np.ndarray) -> tuple[float, float]:
    """The centred squared error, and the share of pairs answered rightly, of answers (p, p, p) without a class mean."""
    p = len(answers)
    label = np.add.outer(np.arange(p), np.arange(p)) % p
    wanted = np.eye(p)[label] - 1 / p
    right = answers.argmax(axis=2) == label
    return float(((answers - wanted) ** 2).sum(axis=2).mean()), float(right.mean())


def kept_nodes(weights: Mapping[str, Tensor]) -> pd.DataFrame:
    """The loss and accuracy on all pairs when the n strongest nodes are kept, n = 0, ..., K; the others are dropped.

    A node's strength is the product of the sizes of its three layers. Columns: kept, loss, accuracy.
    """
    each = node_answers(weights)
    strength = np.prod([np.linalg.norm(layer, axis=0) for layer in layers(weights)], axis=0)
    total, rows = np.zeros(each.shape[1:]), []
    for kept, node in enumerate([None, *np.argsort(-strength)]):
        total = total if node is None else total + each[node]
        rows.append((kept, *loss_of(total)))
    return pd.DataFrame(rows, columns=["kept", "loss", "accuracy"])


def dropped_one(weights: Mapping[str, Tensor], waves: np.ndarray) -> pd.DataFrame:
    """The loss and accuracy on all pairs without one node, a row a node that counts; columns also frequency and order.

    A node counts if its wave in layer a is above the authors' threshold at its frequency.
    """
    each, k, order = node_answers(weights), node_frequencies(waves), orders(waves)
    total = each.sum(axis=0)
    live = [n for n in range(len(k)) if abs(waves[0, k[n], n]) > ACTIVE]
    rows = [(n, int(k[n]), int(order[k[n] - 1]), *loss_of(total - each[n])) for n in live]
    return pd.DataFrame(rows, columns=["node", "frequency", "order", "loss", "accuracy"])


def beside(tables: Mapping[int, pd.DataFrame]) -> pd.DataFrame:
    """CoGO's table and ours, a row a quantity `what` and modulus `d`: mean and standard error over seeds.

    `tables` are those of `frequency_tables`. Columns: published, published_error, mean, error, seeds (a seed may lack a
    quantity); errors of factors times 100. The error is the authors', std / sqrt(n) with n degrees of freedom.
    """
    values = {(what, d): both for what, row in PUBLISHED.items() for d, both in row.items()}
    table = pd.DataFrame(values, index=["published", "published_error"]).T.rename_axis(["what", "d"])
    rows = pd.DataFrame([{"d": d} | table_row(part) for d, one in tables.items() for _, part in one.groupby("seed")],
                        columns=["d", *PUBLISHED])  # fmt: skip
    rows[["error_4", "error_6"]] *= 100
    seeds = rows.melt("d", var_name="what").groupby(["what", "d"]).value
    return table.assign(mean=seeds.mean(), error=seeds.std(ddof=0) / np.sqrt(seeds.count()), seeds=seeds.count())
