"""R runs as one program: each goes its own way, whatever else is in the batch, and leaves when it
is over."""

import dataclasses

import numpy as np
import pytest
import torch
from examples import TOY
from torch.nn.functional import one_hot

from grokbook.models.encoder import Encoder
from grokbook.models.quadratic import Quadratic
from grokbook.models.toy import Toy
from grokbook.tasks.addition import AdditionTask
from grokbook.tasks.groups import GroupTask
from grokbook.training import (
    Adam,
    AdamW,
    Group,
    RunConfig,
    Schedule,
    StopRule,
    split_weights,
    train,
)
from grokbook.training.loop import make_stack, train_stack

CPU = torch.device("cpu")
LONG = dataclasses.replace(
    TOY, model=Toy(10, hidden=(20, 20)), steps=200, log=Schedule(0, 10, 4), snapshots=0
)


def cell(seed=0, *, rate=1e-3, decay=0.0, spread=1.0, batch=None, config=LONG):
    rates = AdamW(1e-3, 0.9, 0.999, 1e-8, 0.0, 0, groups=(Group("decoder", rate, decay),))
    model = dataclasses.replace(config.model, spread=spread)
    return dataclasses.replace(
        config.with_seed(seed), optimizer=rates, model=model, batch_size=batch
    )


DIFFERENT = [
    cell(0),
    cell(1, rate=1e-2, decay=5.0),
    cell(2, spread=0.1),
    cell(3, batch=7),
    cell(4, batch=20),
]


def weights(configs, rows):
    run = train(configs, rows=rows, device="cpu", progress=False, keep_weights=True)
    return run.weights.values


@pytest.mark.parametrize("answers", ["vectors", "labels"])
def test_a_run_does_not_depend_on_what_else_is_in_the_batch(answers):
    """Seeds, answers, rates, decays, starts and batch sizes of their own: to 1e-6 over 200
    steps."""
    changed = [change(c, answers) for c in DIFFERENT]
    together = train(changed, rows=len(changed), device="cpu", progress=False)
    for r, config in enumerate(changed):
        alone = train([config], device="cpu", progress=False)
        for name in ("train_loss", "test_loss", "embedding_norm"):
            np.testing.assert_allclose(
                together[name][r], alone[name][0], rtol=1e-6, err_msg=f"{r} {name}"
            )


def change(config, answers):
    task = dataclasses.replace(config.task, answers=answers)
    if answers == "vectors":
        return dataclasses.replace(config, task=task)
    model = dataclasses.replace(config.model, outputs=19)
    return dataclasses.replace(config, task=task, model=model, loss="cross_entropy")


RULE = StopRule("train_loss", 0.7, above=False, hold=2)


def test_a_run_that_is_over_leaves_and_ends_where_it_ends_alone():
    """The fast ones stop early: their curves, and their weights at the end, are those of the run
    alone."""
    config = dataclasses.replace(LONG, stop=RULE, log=Schedule(0, 10, 20))
    cells = [
        cell(0, config=config),
        cell(1, rate=1e-2, config=config),
        cell(2, rate=2e-2, config=config),
    ]
    together = train(cells, rows=3, device="cpu", progress=False, keep_weights=True)
    ends = []
    for r, one in enumerate(cells):
        alone = train([one], device="cpu", progress=False, keep_weights=True)
        ends.append(int(together.train_loss[r].notnull().sum()))
        np.testing.assert_allclose(
            together.train_loss[r, : alone.sizes["step"]], alone.train_loss[0], rtol=1e-5
        )
        assert int(alone.train_loss[0].notnull().sum()) == ends[-1]
        np.testing.assert_allclose(together.weights[r], alone.weights[0], atol=5e-5)
    assert len(set(ends)) > 1 and min(ends) < 21


def test_a_stack_of_which_some_are_over_is_taken_up_again_where_it_was(tmp_path):
    """Stop at step 120 with one run over, continue: equal to the call that was not interrupted."""
    config = dataclasses.replace(LONG, stop=RULE, log=Schedule(0, 10, 20))
    cells = [cell(0, config=config), cell(1, rate=2e-2, config=config)]
    ask = {"rows": 2, "device": "cpu", "progress": False, "keep_weights": True}
    whole = train(cells, **ask)
    train(cells, steps=120, checkpoints=tmp_path, **ask)
    assert train(cells, checkpoints=tmp_path, **ask).equals(whole)


def test_the_answers_are_those_of_the_sum():
    """Equal sums have equal answers, other sums others; a seed has vectors of its own."""
    first, other = AdditionTask(10, seed=1), AdditionTask(10, seed=2)
    sums = first.inputs.sum(1)
    same = sums[:, None] == sums[None]
    assert np.array_equal((first.targets[:, None] == first.targets[None]).all(-1), same)
    assert not np.array_equal(first.targets, other.targets)
    assert np.array_equal(AdditionTask(10, answers="labels").targets, sums)
    assert [AdditionTask(10, n / 55).sizes()[1] for n in range(1, 55)] == list(range(1, 55))


SOLVED = RunConfig(
    GroupTask("Z5", 0.6, "labels"),
    Quadratic(5, width=6, ridge=0.1),
    Adam(1e-2),
    40,
    Schedule(0, 10, 4),
    loss="squared_error",
)


def test_a_solved_layer_is_solved_at_every_step_and_the_rest_follows_the_centred_gradient():
    """Tian 2025, section 4: G_F = P(Y - FV)V^T with V the ridge; the rows of a program each their
    own."""
    configs = [SOLVED, SOLVED.with_seed(1), dataclasses.replace(SOLVED, optimizer=Adam(1e-3))]
    together = train(configs, rows=3, device="cpu", progress=False, keep_weights=True)
    for r, config in enumerate(configs):
        row = torch.from_numpy(together.weights.values[r])
        alone = train([config], device="cpu", progress=False, keep_weights=True)
        np.testing.assert_allclose(row, alone.weights.values[0], atol=1e-5)
        w, task = split_weights(config, row), config.task
        index = task.train_index
        x, y = torch.from_numpy(task.inputs[index]), torch.from_numpy(task.targets[index])
        solved = config.model.settle(w, x, y)
        torch.testing.assert_close(solved["W_U"], w["W_U"], atol=1e-5, rtol=1e-4)
        features = config.model.features(w, x).requires_grad_()
        loss = (features @ w["W_U"].T + w["b_U"] - torch.eye(5)[y]).square().mean()
        (gradient,) = torch.autograd.grad(loss, features)
        f, t = (part - part.mean(0) for part in (features.detach(), torch.eye(5)[y]))
        expected = -(t - f @ w["W_U"].T) @ w["W_U"] * 2 / (len(index) * 5)
        torch.testing.assert_close(gradient, expected, atol=1e-7, rtol=1e-3)


def test_noise_is_drawn_by_seed_and_step_whatever_else_is_in_the_batch():
    """Dropout: equal runs are equal alone and together, to rounding, and are not those without
    it."""
    task = GroupTask("Z5", 0.6, "labels")
    base = RunConfig(
        task,
        Encoder(5, d_model=8, n_layers=1, d_mlp=8, dropout=0.2),
        Adam(1e-2),
        20,
        Schedule(0, 10, 4),
    )
    configs = [base, base.with_seed(1)]
    np.testing.assert_allclose(
        weights(configs, rows=2), [weights([c], None)[0] for c in configs], rtol=0, atol=1e-5
    )
    without = dataclasses.replace(base, model=dataclasses.replace(base.model, dropout=0.0))
    assert not np.allclose(weights([base], None), weights([without], None), atol=1e-3)
    assert "dropout" not in without.as_dict()["model"] and base.as_dict()["model"]["dropout"] == 0.2
    assert train([base], compiled=True).attrs["update"] == "eager"  # and what says compiled was


@dataclasses.dataclass(frozen=True)
class Centred:
    """Both one-hot operands less their mean over the batch, some dropped, and a linear layer."""

    dropout: float = 0.2
    statistics = ("mean",)

    def shapes(self):
        return {"W": (5, 10), "mean": (10,)}

    def draw(self, seed):
        generator = torch.Generator().manual_seed(seed)
        return {"W": torch.randn(5, 10, generator=generator), "mean": torch.zeros(10)}

    def forward(self, weights, inputs, drop=torch.clone, seen=None):
        x = one_hot(inputs, 5).flatten(1).float()
        mean = weights["mean"] if seen is None else x.mean(0)
        if seen is not None:
            seen["mean"] = mean
        return drop(x - mean) @ weights["W"].T


def test_a_network_can_have_noise_and_batch_statistics():
    """The mean is kept, and no sample is dropped where the training batches are looked at again."""
    task = GroupTask("Z5", 0.6, "labels")
    base = RunConfig(task, Centred(), Adam(1e-1), 40, Schedule(0, 10, 4))
    configs = [base, base.with_seed(1)]
    stack = make_stack(configs, CPU)
    train_stack(stack)
    for row, config in zip(stack.weights, configs, strict=True):
        pairs = torch.tensor(config.task.inputs[config.task.train_index])
        expected = one_hot(pairs, 5).flatten(1).float().mean(0)
        torch.testing.assert_close(split_weights(config, row)["mean"], expected)
    for series in stack.history:
        assert series["train_accuracy_in_batches"][1:] == series["train_accuracy"][1:]
