"""What chapter 16 asks of trained networks: the loss without some nodes, and CoGO's table beside ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from torch import Tensor

from grokbook.chapters.algebraic_solutions.solved import at_the_end, by_decay, cogo_run, cogo_table
from grokbook.errors import ParameterError
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
from grokbook.runs.experiment import Experiment
from grokbook.runs.weights import WeightRun

RUNS = (cogo_table, by_decay)

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
"""The table of the slides, q = 512, decay 5e-5: mean and standard error over five seeds; errors times 100."""

WORDS = {"not_46": "not of order 4 or 6 (count)", "nonfactorable_4": "order 4 that does not factor, %",
         "nonfactorable_6": "order 6 that does not factor, %", "error_4": "error at order 4, x 100",
         "error_6": "error at order 6, x 100"} | {kind: f"{kind}, %" for kind in KINDS}  # fmt: skip


def plan(p: int, width: int, weight_decay: float, train_fraction: float, steps: int) -> dict[str, Experiment]:
    """Plan of chapter 16: the run that the page trains.

    Raises ParameterError for even p, whose last frequency the factors leave out.

    Example:
        >>> plan(11, 32, 5e-5, 0.9, 100)["live"].config.model.width
        32
    """
    if p % 2 == 0:
        raise ParameterError(f"p = {p} must be odd: at p/2 a frequency is real and has no four or six nodes.")
    config = cogo_run(p, width, steps, train_fraction, weight_decay)
    return {"live": WeightRun(f"live/quadratic[p={p}]", config, seeds=(0,))}


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


def dropped_words(dropped: pd.DataFrame, whole: float, alone: float, nodes: int) -> str:
    """What dropping costs, as sentences: `whole` is the loss of all `nodes`, `alone` that of the nodes that count.

    Example:
        >>> rows = pd.DataFrame({"order": [4, 6], "loss": [0.04, 0.02], "accuracy": [1.0, 0.98]})
        >>> dropped_words(rows, 0.001, 0.001, 3).split(". ")[0]
        'Without one node the loss rises by 0.039 (order 4) or 0.019 (order 6) on average; the worst leaves 98% right'
    """
    if not len(dropped):
        return "No node of this network has a wave above the threshold."
    costs = dropped.groupby("order").loss.mean() - whole
    each = " or ".join(f"{cost:.3f} (order {order})" for order, cost in costs.items())
    first = (
        f"Without one node the loss rises by {each} on average; the worst leaves {dropped.accuracy.min():.0%} right."
    )
    if len(dropped) == nodes:
        return f"{first} All its nodes count."
    spare = "they do next to nothing" if alone < whole + 0.01 else "they still do something"
    return f"{first} Without all nodes that do not count it goes from {whole:.4f} to {alone:.4f}: {spare}."


def alone(weights: Mapping[str, Tensor], nodes: Sequence[int]) -> float:
    """The loss on all pairs with these nodes alone."""
    return loss_of(node_answers(weights)[list(nodes)].sum(axis=0))[0]


def live_words(weights: Mapping[str, Tensor], waves: np.ndarray, nodes: Sequence[int]) -> str:
    """How many nodes of a network count, and how much of their waves is at one frequency, as a sentence."""
    if not len(nodes):
        return "None of its nodes counts yet."
    rest = at_the_end(weights).node_rest.values[list(nodes)]
    return (
        f"Of its {waves.shape[2]} nodes {len(nodes)} count. The least pure of them has {rest.max():.0e} of its "
        "squared waves outside one frequency."
    )


# --------------------------------------------------------------------------------------------- the table


def cell(mean: float, error: float) -> str:
    """A mean with its standard error.

    Example:
        >>> cell(5.714, 5.714), cell(float("nan"), 0)
        ('5.71 ± 5.71', 'none')
    """
    return "none" if np.isnan(mean) else f"{mean:.2f} ± {error:.2f}"


def our_table(tables: Mapping[int, pd.DataFrame]) -> pd.DataFrame:
    """Mean and standard error (n, ddof as the authors': std / sqrt(n)) over seeds of each row of the table, by modulus.

    `tables` are those of `frequency_tables`. Columns: d, what, mean, error, seeds (of these alone: a seed may lack a
    row); errors of factors times 100.
    """
    rows = []
    for d, table in tables.items():
        seeds = pd.DataFrame([table_row(part) for _, part in table.groupby("seed")])
        for name, values in seeds.items():
            known = values.dropna() * (100 if name.startswith("error") else 1)
            spread = known.std(ddof=0) / np.sqrt(max(len(known), 1))
            rows.append({"d": d, "what": name, "mean": known.mean(), "error": spread, "seeds": len(known)})
    return pd.DataFrame(rows, columns=["d", "what", "mean", "error", "seeds"])


def beside(tables: Mapping[int, pd.DataFrame]) -> pd.DataFrame:
    """The published table beside ours, a row a quantity; a modulus without runs says so.

    Example:
        >>> beside({}).iloc[0].tolist()[:3]
        ['not of order 4 or 6 (count)', '0.00 ± 0.00', 'not run']
    """
    ours = our_table(tables).set_index(["d", "what"])
    rows = []
    for name, published in PUBLISHED.items():
        row = {"quantity": WORDS[name]}
        for d, values in published.items():
            row[f"d = {d}, published"] = cell(*values)
            row[f"d = {d}, ours"] = cell(*ours.loc[(d, name), ["mean", "error"]]) if d in tables else "not run"
        rows.append(row)
    return pd.DataFrame(rows)


def compared(tables: Mapping[int, pd.DataFrame]) -> str:
    """How many of the published numbers ours come near: within two standard errors of the difference.

    Example:
        >>> compared({})
        'None of these runs is recorded yet, so nothing stands beside the published numbers.'
    """
    if not tables:
        return "None of these runs is recorded yet, so nothing stands beside the published numbers."
    ours = our_table(tables).dropna()
    far = []
    for row in ours.itertuples():
        mean, error = PUBLISHED[row.what][row.d]
        if abs(row.mean - mean) > 2 * np.hypot(row.error, error) + 0.005:
            far.append(f"{WORDS[row.what].removesuffix(', %')} at d = {row.d} ({row.mean:.2f}, published {mean:.2f})")
    near = f"Of {len(ours)} numbers {len(ours) - len(far)} are within two standard errors of the published ones"
    return f"{near}; the others: {'; '.join(far)}." if far else f"{near}: all of them."
