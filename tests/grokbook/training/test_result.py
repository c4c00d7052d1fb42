"""What trained runs logged, as one dataset."""

import dataclasses

import numpy as np
import pytest
import torch
from small_runs import small

from grokbook.curves.delay import grok_times
from grokbook.curves.phases import phases
from grokbook.models.toy import Toy
from grokbook.models.transformer import initialise
from grokbook.plotting.training import curves_by_setting, learning_curves
from grokbook.tasks.addition import AdditionTask
from grokbook.training import AdamW, Group, RunConfig, Sgd, StopRule, train
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
    assert dataset.step.values.tolist() == [
        0,
        5,
        10,
        15,
        20,
    ] and dataset.snapshot.values.tolist() == [0, 10, 20]
    assert int(dataset.seed) == 4
    for name, values in stack.history[0].items():
        assert dataset[name].values.tolist() == values and dataset[name].attrs["long_name"]
    assert np.array_equal(dataset.embedding[0], initialise(stack.config.model, 4)["W_E"][:7])


@pytest.mark.parametrize("seeds", [(0,), (5, 5)])
def test_a_single_run_or_equal_seeds_still_have_a_seed_a_run(seeds):
    dataset = collect([(stacked(small(seed)), 0) for seed in seeds])
    assert dataset.seed.dims == ("run",) and dataset.seed.values.tolist() == list(seeds)


def test_a_run_counts_up_to_its_own_stop_alone_and_in_a_stack_that_goes_on_and_snapshots_are_shared():
    rule = StopRule("train_accuracy", threshold=0.9, hold=1)
    quick, slow = (small(0, d=16, steps=60, stop=rule, learning_rate=rate) for rate in (1e-2, 1e-5))
    together, apart = (
        collect(rows(stacked(quick, slow))),
        collect(rows(stacked(quick), stacked(slow))),
    )
    kept = np.isfinite(apart.train_loss).sum("step").values
    assert 1 < kept[0] < 13 == kept[1] and np.isfinite(together.train_loss).sum(
        "step"
    ).values.tolist() == [*kept]
    np.testing.assert_allclose(together.train_loss[0], apart.train_loss[0], atol=1e-5)
    assert apart.snapshot.values.tolist() == [0, 30, 60]
    assert np.isfinite(apart.embedding[1]).all() and np.isnan(apart.embedding[0, -1]).all()


def test_what_varied_is_a_coordinate_of_the_result_and_of_what_is_made_of_it():
    """Nine runs of a grid, in one call and in two programs, come back with their rates and
    decays."""
    cells = [(rate, decay) for rate in (1e-4, 1e-3, 1e-2) for decay in (0.0, 0.5, 1.0)]
    configs = [
        small(0, learning_rate=rate, weight_decay=decay, snapshots=0) for rate, decay in cells
    ]
    found = train(configs, device="cpu", progress=False, rows=5)
    assert found.train_loss.dims == ("run", "step")
    assert set(found.coords) == {"seed", "step", "learning_rate", "weight_decay"}
    assert list(zip(found.learning_rate.values, found.weight_decay.values, strict=True)) == cells
    grid = found.drop_vars("seed").set_index(run=["learning_rate", "weight_decay"]).unstack("run")
    for config, cell in zip(configs, cells, strict=True):
        alone = train([config], device="cpu", progress=False).isel(run=0)
        at = dict(zip(("learning_rate", "weight_decay"), cell, strict=True))
        np.testing.assert_allclose(grid.test_loss.sel(at), alone.test_loss, rtol=1e-4)
    for data, shape in ((found, (9,)), (grid, (3, 3))):
        assert phases(data).phase.shape == shape and len(grok_times(data)) == 9
        learning_curves(data, grok_times(data)).canvas.draw()
        curves_by_setting({"all": data}).canvas.draw()
    assert grok_times(found).columns[:2].tolist() == ["learning_rate", "weight_decay"]


def test_every_kind_of_difference_is_named():
    toy = RunConfig(AdditionTask(5), Toy(5), steps=10, snapshots=0, loss="squared_error")
    rated = [AdamW(groups=(Group("decoder", learning_rate=rate),)) for rate in (0.1, 0.2)]
    configs = [dataclasses.replace(toy, optimizer=one) for one in rated]
    configs += [dataclasses.replace(toy, optimizer=Sgd(0.1), batch_size=3, steps=20)]
    configs += [dataclasses.replace(toy, task=AdditionTask(5, seed=4)), toy.with_seed(2)]
    found = train(configs, device="cpu", progress=False)
    assert found.decoder_learning_rate.values[:2].tolist() == [0.1, 0.2]
    assert np.isnan(found.decoder_learning_rate.values[2:]).all()
    assert found.optimizer.values.tolist() == ["AdamW", "AdamW", "Sgd", "AdamW", "AdamW"]
    assert found.steps.values.tolist() == [10, 10, 20, 10, 10] and found.batch_size.values[2] == 3
    assert found.task_seed.values.tolist() == [0, 0, 0, 4, 2] and found.seed.values.tolist() == [
        0,
        0,
        0,
        0,
        2,
    ]
    seeds = train([toy.with_seed(seed) for seed in (0, 1)], device="cpu", progress=False)
    assert set(seeds.coords) == {"seed", "step"}, (
        "a split drawn by the run's own seed varies with it"
    )
