"""The draws of Liu et al.'s program, against the calls that it makes in their order."""

import numpy as np
import pytest
import torch
from torch import nn

from grokbook.models.nudged import NUDGE, NudgedToy
from grokbook.models.replayed import ReplayedToy
from grokbook.models.toy import Toy
from grokbook.tasks.replayed import DrawnAddition, ReplayedAddition
from grokbook_chapters.liu2022 import addition


@pytest.mark.parametrize("answers", ["vectors", "labels"])
@pytest.mark.parametrize("seed", [0, 6, 58])
def test_answers_and_split_come_in_the_order_of_the_program(answers, seed):
    wide = 30 if answers == "vectors" else 19
    np.random.seed(seed)
    np.random.normal(0, 1, size=(10, wide))
    y = np.random.normal(0, 1, size=(19, wide)) if answers == "vectors" else np.eye(wide)
    trained = np.random.choice(55, 45, replace=False)
    task = ReplayedAddition(answers=answers, seed=seed)
    assert set(task.train_index) == set(trained) and np.all(np.diff(task.train_index) > 0)
    if answers == "vectors":
        np.testing.assert_array_equal(task.targets, y[task.inputs.sum(axis=1)])


@pytest.mark.parametrize(("answers", "wide"), [("vectors", 30), ("labels", 19)])
def test_the_program_of_figure_4_draws_vectors_first_also_where_labels_are_asked(answers, wide):
    np.random.seed(58)
    y = np.random.normal(0, 1, size=(19, wide))
    trained = np.random.choice(55, 30, replace=False)
    task = DrawnAddition(train_fraction=30 / 55, answers=answers, seed=58)
    assert set(task.train_index) == set(trained)
    if answers == "vectors":
        np.testing.assert_array_equal(task.targets, y[task.inputs.sum(axis=1)])


def test_the_toy_s_own_order_is_that_of_the_program_of_figure_4():
    """torch: the embeddings, then the decoder's layers."""
    torch.manual_seed(58)
    table = torch.rand(10, 1) - 1 / 2
    parts = [nn.Linear(*sizes) for sizes in ((1, 200), (200, 200), (200, 30))]
    drawn = Toy(10).draw(58)
    torch.testing.assert_close(drawn["W_E"], table, rtol=0, atol=0)
    for l, layer in enumerate(parts, start=1):
        torch.testing.assert_close(drawn[f"W.{l}"], layer.weight.data, rtol=0, atol=1e-7)


@pytest.mark.parametrize("outputs", [30, 19])
def test_first_weights_come_in_the_order_of_the_program(outputs):
    torch.manual_seed(58)
    parts = [
        nn.Linear(*sizes)
        for sizes in ((10, 200), (200, 200), (200, 1), (1, 200), (200, 200), (200, outputs))
    ]
    table = torch.rand(10, 1) - 1 / 2
    drawn = ReplayedToy(10, outputs=outputs).draw(58)
    torch.testing.assert_close(drawn["W_E"], table, rtol=0, atol=0)
    for l, layer in enumerate(parts[3:], start=1):
        torch.testing.assert_close(drawn[f"W.{l}"], layer.weight.data, rtol=0, atol=1e-7)
        torch.testing.assert_close(drawn[f"b.{l}"], layer.bias.data, rtol=0, atol=1e-7)


def test_the_splits_of_the_published_panels_leave_every_test_pair_possible():
    """A property of the seeds 58 and 6 that chapter 12 tells."""
    for task in (ReplayedAddition(seed=58), ReplayedAddition(answers="labels", seed=6)):
        sums = task.inputs.sum(axis=1)
        assert set(sums) == set(sums[task.train_index])
    assert (
        ReplayedAddition().sizes()
        == (addition().task.samples, addition().task.train_index.size)
        == (55, 45)
    )


def test_twins_are_the_replay_but_for_a_millionth_of_each_weight_of_their_own():
    """Each weight has a nudge of its own, of the named spread."""
    replay, drawn = ReplayedToy(10).draw(58), [NudgedToy(10, twin=n).draw(58) for n in range(3)]
    for name, weights in replay.items():
        torch.testing.assert_close(drawn[0][name], weights, rtol=0, atol=0)
    nudges = [(twin["W.2"] / replay["W.2"] - 1).flatten() for twin in drawn[1:]]
    for nudge in nudges:
        assert float(nudge.std()) == pytest.approx(NUDGE, rel=0.05)
    assert abs(float(torch.corrcoef(torch.stack(nudges))[0, 1])) < 0.03
