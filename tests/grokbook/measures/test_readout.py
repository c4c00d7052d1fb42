"""A fresh read-out: hand-made features that tell the class or cannot, and another library's
discriminant."""

import numpy as np
import pytest
import torch
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import grokbook as gb
from grokbook.errors import ParameterError
from grokbook.measures.readout import (
    RIDGE,
    dealt_labels,
    fresh_readout,
    linear_probe,
)
from grokbook.models.encoder import Encoder
from grokbook.models.layer_norm import NormedShape
from grokbook.models.mlp import MLP
from grokbook.models.networks import features
from grokbook.models.quadratic import Quadratic
from grokbook.models.toy import Toy
from grokbook.runs.instruments import READ_OUTS
from grokbook.tasks import ModularTask
from grokbook.training.config import RunConfig
from grokbook.training.watching import View

P = 23
TASK = ModularTask(P, train_fraction=0.6, split="symmetric")
LABELS = TASK.labels
SEEN = TASK.train_index


def circle(p: int, k: int) -> np.ndarray:
    """The points e^{2 pi i k s / p} of all s, (p, 2)."""
    angle = 2 * np.pi * k * np.arange(p) / p
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


@pytest.mark.parametrize("k", [1, 4])
def test_on_a_circle_of_the_sum_a_fresh_read_out_is_right_everywhere(k):
    """cos(2 pi k (i + j) / p) and its sine: each class is one point, the nearest mean its own."""
    features_of_sums = circle(P, k)[LABELS]
    assert fresh_readout(features_of_sums, LABELS, SEEN) == 1
    mask = np.zeros(P * P, dtype=bool)
    mask[SEEN] = True
    assert fresh_readout(torch.as_tensor(features_of_sums), LABELS, mask) == 1


def test_of_sums_of_two_tables_no_fresh_read_out_can_be_right():
    """All classes of phi(i) + psi(j) have one mean (chapter 3), so the training cells of a class
    lie on one side of it and its test cells on the other: worse than guessing."""
    first, second = np.random.default_rng(0).normal(size=(2, P, 16))
    sums = first[TASK.pairs[:, 0]] + second[TASK.pairs[:, 1]]
    assert fresh_readout(sums, LABELS, SEEN) < 1 / P
    products = np.hstack([circle(P, 1)[LABELS], sums])
    assert fresh_readout(products, LABELS, SEEN) == 1


def test_training_labels_that_were_dealt_out_teach_nothing():
    answers = np.eye(P)[LABELS]
    dealt = dealt_labels(LABELS, SEEN, seed=3)
    assert np.array_equal(np.sort(dealt[SEEN]), np.sort(LABELS[SEEN]))
    assert np.array_equal(dealt[TASK.test_index], LABELS[TASK.test_index])
    assert fresh_readout(answers, dealt, SEEN) < 0.15


def test_rotated_scaled_and_shifted_features_get_the_same_answers():
    rng = np.random.default_rng(1)
    table = np.hstack([circle(P, 2)[LABELS], np.zeros((P * P, 10))])
    table += 0.2 * rng.normal(size=table.shape)
    turn = np.linalg.qr(rng.normal(size=(12, 12)))[0]
    answers = linear_probe(table, LABELS, SEEN)
    assert 0.2 < (answers == LABELS)[TASK.test_index].mean() < 1
    assert np.array_equal(linear_probe(7 * table @ turn + 5, LABELS, SEEN), answers)


def test_the_answers_are_those_of_another_librarys_discriminant():
    """scikit-learn shrinks (1 - s) S + s tr(S)/d I: s is chosen so that both are proportional."""
    rng = np.random.default_rng(2)
    classes, each, d = 5, 12, 7
    labels = np.repeat(np.arange(classes), 2 * each)
    table = rng.normal(size=(classes, d))[labels] + rng.normal(size=(len(labels), d))
    seen = np.arange(len(labels)) % 2 == 0
    within = table[seen] - table[seen].reshape(classes, each, d).mean(1).repeat(each, axis=0)
    variance = (within**2).sum() / within.size
    added = RIDGE * table[seen].var(axis=0).mean()
    shrinkage = added / (added + variance)
    other = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=shrinkage)
    answers = other.fit(table[seen], labels[seen]).predict(table)
    assert np.array_equal(linear_probe(table, labels, seen), answers)
    share = (answers == labels)[~seen].mean()
    assert fresh_readout(table, labels, seen) == pytest.approx(share) and share < 1


@pytest.mark.parametrize(
    "network",
    [
        gb.Transformer(P, d_model=8),
        NormedShape(P, 8),
        Quadratic(P, width=9),
        Quadratic(P, width=9, ridge=0.1),
        Encoder(P, 8),
        MLP((2, 9, P)),
        Toy(P, 4, hidden=(9,), outputs=P),
    ],
)
def test_features_are_what_the_last_layer_of_any_network_reads(network):
    """The outputs are the last matrix times them, and its bias where there is one."""
    weights = {name: part + 0.1 for name, part in network.draw(1).items()}
    inputs = torch.as_tensor(TASK.inputs)
    if isinstance(network, MLP):
        inputs = inputs[:, :2].float()
    if isinstance(network, Toy):
        inputs = inputs[:, :2]
    read = features(network, weights, inputs)
    matrix = [name for name, part in weights.items() if part.ndim == 2][-1]
    bias = weights.get(matrix.replace("W", "b", 1), torch.zeros(P))
    answers = read @ weights[matrix].T + bias
    torch.testing.assert_close(answers, network.forward(weights, inputs), atol=1e-4, rtol=1e-4)


def test_a_network_whose_last_matrix_reads_nothing_is_refused():
    class Odd:
        def shapes(self):
            return {"W": (3, 2)}

        def forward(self, weights, inputs):
            return (inputs @ weights["W"].T).square()

    with pytest.raises(ParameterError, match="W, the last matrix of Odd, is not its last layer"):
        features(Odd(), {"W": torch.ones(3, 2)}, torch.ones(5, 2))


def test_a_view_and_gb_measure_give_the_read_out_of_the_networks_own_features():
    network = Quadratic(P, width=40)
    view = View(RunConfig(TASK, network), network.draw(2))
    hidden = network.features(network.draw(2), torch.as_tensor(TASK.inputs)).double().numpy()
    assert np.allclose(view.features, hidden, atol=1e-6)
    found = gb.measure("fresh_readout", view)
    assert found == fresh_readout(hidden, LABELS, SEEN) == READ_OUTS["fresh_readout"](view)
    less = fresh_readout(hidden, LABELS, SEEN, ridge=RIDGE / 10)
    assert READ_OUTS["fresh_readout_less"](view) == less
    assert READ_OUTS["fresh_readout_dealt"](view) == fresh_readout(
        hidden, dealt_labels(LABELS, SEEN, TASK.seed), SEEN
    )


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"train": np.arange(P * P)}, "none is left to test"),
        ({"train": []}, "needs a training row"),
        ({"ridge": 0.0}, "positive ridge"),
        ({"labels": LABELS[1:]}, "labels has 528 entries"),
        ({"labels": np.zeros(P * P)}, "one class only"),
    ],
)
def test_what_cannot_be_read_is_refused(given, words):
    usual = {"features": np.eye(P)[LABELS], "labels": LABELS, "train": SEEN}
    with pytest.raises(ParameterError, match=words):
        fresh_readout(**usual | given)
