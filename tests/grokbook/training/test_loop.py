"""The training loop: against an independent one, batched against single, what is logged,
divergence, stopping."""

import dataclasses

import numpy as np
import pytest
import torch
from examples import RATES, TOY
from small_runs import small

from grokbook.models.transformer import initialise
from grokbook.tasks import ModularTask
from grokbook.training import AdamW, Group, Schedule, loop
from grokbook.training.accelerators import Grokfast, Muon
from grokbook.training.forward import split_weights
from whole_sequence import train_independently

CPU = torch.device("cpu")
DIFFERENT = [
    small(0),
    small(1, learning_rate=1e-2),
    small(2, weight_decay=0.0),
    small(3, beta2=0.9, warmup=0),
]


def trained(configs, double=False):
    """A stack after its last step; weights in float64 on request."""
    stack = loop.make_stack(configs, CPU)
    if double:
        stack.weights = stack.weights.double()
        stack.state = {name: part.double() for name, part in stack.state.items()}
    loop.train_stack(stack)
    return stack


def assert_near(one, other, tolerance):
    """Two histories with the same names and values."""
    assert set(one) == set(other)
    for name in one:
        np.testing.assert_allclose(one[name], other[name], rtol=0, atol=tolerance, err_msg=name)


@pytest.fixture(scope="module")
def learned():
    """A run long enough to learn its training set."""
    return trained([small(0, d=16, steps=250, log=Schedule(dense_until=250, dense_every=25))])


@pytest.mark.parametrize("layers", [1, 2])
def test_a_run_is_that_of_torchs_optimiser_on_the_whole_sequence_model(layers):
    """Losses of 60 steps against torch.optim.AdamW + LambdaLR (Gu et al. 2025: warm-up min(step /
    10, 1))."""
    config = small(6, d=16, steps=60, layers=layers, learning_rate=3e-3)
    history, expected = trained([config]).history[0], train_independently(config)
    assert history["train_loss"][0] > history["train_loss"][-1]
    for n, metrics in enumerate(expected.values()):
        for name, value in metrics.items():
            assert history[name][n] == pytest.approx(value, abs=2e-4), (name, n)


def test_the_metrics_of_each_part_are_counted_on_that_part():
    task = ModularTask(5, train_fraction=0.4, split="square", hole=1, seed=3)
    config = dataclasses.replace(small(0, p=5), task=task)
    rng = np.random.default_rng(0)
    loss, correct = rng.random(25), rng.random(25) < 0.5
    got = loop.sample_metrics(config, loss, correct)
    train = set(task.train_index.tolist())
    test, hole = set(range(25)) - train, {0, 1, 5, 6}
    mirrored = {n for n in test if (n % 5) * 5 + n // 5 in train}
    parts = {"train_accuracy": train, "test_accuracy": test, "test_accuracy_in_hole": hole}
    parts |= {"test_accuracy_outside_hole": test - hole, "test_accuracy_mirrored": mirrored}
    parts["test_accuracy_unmirrored"] = test - mirrored
    assert set(got) == {*parts, "train_loss", "test_loss"}
    for name, cells in parts.items():
        assert got[name] == pytest.approx(np.mean([correct[n] for n in cells])), name
    assert got["train_loss"] == pytest.approx(np.mean([loss[n] for n in train]))
    assert got["test_loss"] == pytest.approx(np.mean([loss[n] for n in test]))


ALIKE = {
    "bfloat16": [small(seed, dtype="bfloat16") for seed in (0, 1)],
    "Muon": [dataclasses.replace(small(seed), optimizer=Muon()) for seed in (0, 1)],
    "Grokfast": [dataclasses.replace(small(seed), optimizer=Grokfast()) for seed in (0, 1)],
    "groups of parameters": [
        dataclasses.replace(TOY.with_seed(seed), optimizer=rates)
        for seed, rates in enumerate(
            [AdamW(1e-2), AdamW(1e-3, groups=(Group("encoder", weight_decay=0.1),)), RATES]
        )
    ],
}


@pytest.mark.parametrize("configs", [DIFFERENT, *ALIKE.values()], ids=["different", *ALIKE])
def test_a_batched_stack_equals_the_single_runs(configs):
    """Seeds, splits, rates, decays, optimisers as one program by vmap: in float64, to 1e-6;
    bfloat16 has 8 bits."""
    together = trained(configs, double=True)
    for r, config in enumerate(configs):
        alone = trained([config], double=True)
        if config.dtype == "bfloat16":
            losses = [stack.history[i]["train_loss"] for stack, i in ((together, r), (alone, 0))]
            np.testing.assert_allclose(*losses, rtol=2e-2)
            continue
        torch.testing.assert_close(together.weights[r], alone.weights[0], rtol=0, atol=1e-6)
        assert_near(together.history[r], alone.history[0], 1e-5)


def test_snapshots_are_the_embedding_at_their_step():
    whole, half = trained([small(0, steps=20)]), trained([small(0, steps=10)])
    assert list(whole.snapshots[0]) == [0, 10, 20]
    torch.testing.assert_close(
        whole.snapshots[0][0], initialise(whole.config.model, 0)["W_E"][:7], rtol=0, atol=0
    )
    assert torch.equal(
        whole.snapshots[0][10], split_weights(half.config, half.weights[0])["W_E"][:7]
    )
    assert trained([small(0, steps=10, snapshots=0)]).snapshots == [{}]


@pytest.mark.filterwarnings("ignore:.*encountered:RuntimeWarning")
def test_a_lost_run_is_marked_and_the_others_of_its_stack_go_on():
    stack = trained([small(0), small(1, learning_rate=1e30)])
    assert list(stack.diverged) == [1] and 1 < stack.diverged[1] <= 20
    alone = trained([small(0)])
    assert stack.step == 20
    assert_near(stack.history[0], alone.history[0], 1e-5)
    lost, step = stack.history[1], stack.diverged[1]
    assert np.isfinite(lost["train_loss"]).all()
    assert {len(values) for values in lost.values()} == {int((np.array(stack.logged) < step).sum())}


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU on this machine")
def test_a_stack_on_the_gpu_is_near_the_one_on_the_cpu():
    stack = loop.make_stack(DIFFERENT, torch.device("cuda"))
    loop.train_stack(stack)
    for r, history in enumerate(trained(DIFFERENT).history):
        np.testing.assert_allclose(stack.history[r]["train_loss"], history["train_loss"], atol=1e-3)
