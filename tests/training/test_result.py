"""What trained runs logged, as one dataset."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from small_runs import small

from grokbook.errors import TrainingError
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


def test_a_run_counts_up_to_its_own_stop_although_its_stack_went_on():
    rule = StopRule("train_accuracy", threshold=0.9, hold=1)
    quick, slow = (small(0, d=16, steps=60, stop=rule, learning_rate=rate) for rate in (1e-2, 1e-5))
    together, alone = collect(rows(stacked(quick, slow))), collect(rows(stacked(quick)))
    kept = int(np.isfinite(alone.train_loss[0]).sum())
    assert 1 < kept < 13
    assert int(np.isfinite(together.train_loss[0]).sum()) == kept
    assert np.isfinite(together.train_loss[1]).all()
    np.testing.assert_allclose(together.train_loss[0], alone.train_loss[0], atol=1e-5)


def test_runs_that_stopped_at_different_steps_share_their_snapshots():
    rule = StopRule("train_accuracy", threshold=0.9, hold=1)
    quick, slow = (small(0, d=16, steps=60, stop=rule, learning_rate=rate) for rate in (1e-2, 1e-5))
    dataset = collect(rows(stacked(quick), stacked(slow)))
    assert dataset.snapshot.values.tolist() == [0, 30, 60]
    assert np.isfinite(dataset.embedding[1]).all() and np.isnan(dataset.embedding[0, -1]).all()


@pytest.mark.filterwarnings("ignore:.*encountered:RuntimeWarning")
def test_a_lost_run_is_named_with_step_and_configuration_and_all_history_is_kept():
    good, bad = small(0), small(9, learning_rate=1e30)
    stack = stacked(good, bad)
    with pytest.raises(TrainingError) as caught:
        collect(rows(stack))
    message = str(caught.value)
    assert message.startswith(f"the training loss became NaN or infinite at step {stack.diverged[1]} of {{")
    assert '"learning_rate":1e+30' in message and '"seed":9' in message and '"learning_rate":0.001' not in message
    assert message.endswith(".") and "\n" not in message
    history = caught.value.history
    assert np.isfinite(history.train_loss[0]).all() and np.isfinite(history.train_loss[1, 0])
    assert np.isnan(history.train_loss[1, -1])
