"""What trained runs logged, as one dataset."""

import dataclasses

import numpy as np
import pytest
import torch
from small_runs import small

from grokbook.models.transformer import initialise
from grokbook.training import StopRule
from grokbook.training.loop import make_stack, train_stack
from grokbook.training.result import collect, run_dataset


def stacked(*configs):
    stack = make_stack(list(configs), torch.device("cpu"))
    train_stack(stack)
    return stack


def rows(*stacks):
    return [(stack, r) for stack in stacks for r in range(len(stack.configs))]


def test_a_run_has_its_history_its_steps_and_its_embeddings():
    stack = stacked(small(4, steps=20, shift=2))
    dataset = run_dataset(stack, 0)
    assert dict(dataset.sizes) == {"step": 5, "snapshot": 3, "token": 7, "feature": 8}
    assert dataset.step.values.tolist() == [0, 5, 10, 15, 20] and dataset.snapshot.values.tolist() == [0, 10, 20]
    assert int(dataset.seed) == 4
    for name, values in stack.history[0].items():
        assert dataset[name].values.tolist() == values and dataset[name].attrs["long_name"]
    assert np.array_equal(dataset.embedding[0], initialise(stack.config.model, 4)["W_E"][:7])


@pytest.mark.parametrize("loss", ["cross_entropy", "centred_squared_error"])
def test_a_loss_has_its_name(loss):
    config = dataclasses.replace(small(0, steps=1), loss=loss)
    assert loss.replace("_", " ") in run_dataset(stacked(config), 0).train_loss.attrs["long_name"]


@pytest.mark.parametrize("seeds", [(0,), (5, 5)])
def test_a_single_run_or_equal_seeds_still_have_a_seed_a_run(seeds):
    dataset = collect([(stacked(small(seed)), 0) for seed in seeds])
    assert dataset.seed.dims == ("run",) and dataset.seed.values.tolist() == list(seeds)


def test_after_the_stopping_rule_everything_is_missing():
    rule = StopRule("train_accuracy", threshold=0.0, hold=2)
    dataset = run_dataset(stacked(small(0, steps=20, stop=rule)), 0)
    for name in ("train_loss", "test_accuracy", "med", "weight_norm"):
        assert np.isfinite(dataset[name].values).tolist() == [True, True, False, False, False]
    assert dataset.snapshot.values.tolist() == [0]


def test_a_run_counts_up_to_its_own_stop_alone_and_in_a_stack_that_goes_on_and_snapshots_are_shared():
    rule = StopRule("train_accuracy", threshold=0.9, hold=1)
    quick, slow = (small(0, d=16, steps=60, stop=rule, learning_rate=rate) for rate in (1e-2, 1e-5))
    together, apart = collect(rows(stacked(quick, slow))), collect(rows(stacked(quick), stacked(slow)))
    kept = np.isfinite(apart.train_loss).sum("step").values
    assert 1 < kept[0] < 13 == kept[1] and np.isfinite(together.train_loss).sum("step").values.tolist() == [*kept]
    np.testing.assert_allclose(together.train_loss[0], apart.train_loss[0], atol=1e-5)
    assert apart.snapshot.values.tolist() == [0, 30, 60]
    assert np.isfinite(apart.embedding[1]).all() and np.isnan(apart.embedding[0, -1]).all()
