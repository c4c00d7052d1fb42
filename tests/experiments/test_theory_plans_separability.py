"""The plan of chapter 07 refuses networks in which separability says nothing (Cover's count)."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from grokbook.errors import ParameterError
from grokbook.experiments import theory_plans_separability as plans
from grokbook.experiments.theory_plans_separability import separability_and_depth
from grokbook.measures import convexly_separable
from grokbook.models.activations import SUM
from grokbook.models.transformer import Shape, initialise, logits
from grokbook.tasks import ModularTask


def test_two_stages_of_the_same_networks():
    plan = separability_and_depth(31, 0.5, 16, 10, 20, 2, 31, 20, 1, 5)
    assert {name: e.config.steps for name, e in plan.items()} == {"early": 10, "late": 20, "layers 1": 5}
    assert plan["early"].config.task == plan["late"].config.task


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        ({"d_model": 32}, "d_model = 32 must be below p - 1"),
        ({"d_depth": 30}, "d_depth = 30 must be below p_depth - 1 = 30"),
        ({"early": 20}, "between 1 and"),
        ({"depths": 5}, "depths = 5 must be between 1 and 4"),
    ],
)
def test_refusals(changed, word):
    values = {"p": 31, "train_fraction": 0.5, "d_model": 16, "early": 10, "steps": 20, "n_seeds": 1}
    values |= {"p_depth": 31, "d_depth": 20, "depths": 2, "depth_steps": 5}
    with pytest.raises(ParameterError, match=word):
        separability_and_depth(**values | changed)


@pytest.mark.parametrize(("d", "low", "high"), [(8, 0, 0.1), (15, 0.25, 0.75), (28, 0.9, 1)])
def test_the_limit_is_where_half_of_all_labellings_are_separable(d, low, high):
    """Cover 1965: 32 points in general position, half of the labellings at d + 1 = 16."""
    rng = np.random.default_rng(0)
    trials = [rng.normal(size=(2, 16, d)) for _ in range(40)]
    share = np.mean([convexly_separable(a, b) for a, b in trials])
    assert low <= share <= high


def test_the_table_of_stages(tmp_path, monkeypatch):
    """Sums of embeddings are never separable on all cells; a fitted network's read-out row is, on training cells."""
    monkeypatch.setenv("GROKBOOK_STORE", str(tmp_path))
    plan = plans.separability_and_depth(7, 0.6, 4, 5, 250, 1, 7, 4, 2, 200)
    table = plans.separability_table(plan, pairs=3)
    assert list(dict.fromkeys(table.when)) == ["start", "memorising", "end"]
    assert (table[(table.stage == SUM) & (table.cells == "all")].share == 0).all()
    assert table[["share", "null", "train", "test_unmirrored"]].stack().between(0, 1).all()
    assert len(table) == 3 * 4 * 2
    deep = plans.depth_shares(plan, pairs=3)
    assert deep.groupby("layers").stage.nunique().tolist() == [4, 6]
    assert list(plans.half_apart(deep)) == [1, 2] and SUM not in plans.half_apart(deep).values()
    sums = deep[(deep.stage == SUM) & (deep.cells == "all")]
    last = deep[(deep.stage == "MLP 2") & (deep.cells == "train")]
    assert (sums.share == 0).all()
    assert (last.share[last.train == 1] == 1).all()


def test_right_answers_make_a_separable_last_row():
    """What a linear read-out sorts is separable: weights that answer everything right, made by hand."""
    task, shape = ModularTask(5, train_fraction=0.6), Shape(5, d_model=4)
    w = initialise(shape, 0)
    found = plans.accuracies(w, task, shape)
    answers = logits(w, torch.from_numpy(task.tokens), shape).argmax(1).numpy() == task.labels
    assert found["train"] == pytest.approx(answers[task.train_index].mean())
