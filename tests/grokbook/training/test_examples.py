"""Tasks, networks and optimisers that training has never heard of, each against a loop written
plainly in torch."""

import dataclasses

import numpy as np
import pytest
import torch
from examples import DIGITS, KINDS, TOY
from own_optimiser import Lion
from torch.nn import functional as F

from grokbook.errors import ParameterError
from grokbook.models.quadratic import Quadratic
from grokbook.models.toy import Toy
from grokbook.tasks.addition import AdditionTask
from grokbook.tasks.groups import GroupTask
from grokbook.training import AdamW, Group, RunConfig, train
from grokbook.training.compiled import compile_update, compiles, gradient_and_losses
from grokbook.training.cost import predict
from grokbook.training.graphed import Update, graphs
from grokbook.training.loop import losses_and_gradient, make_stack, sample_results, train_stack
from grokbook.training.optimisers import from_torch_optim
from grokbook_chapters.images.digits import DigitsTask

CPU = torch.device("cpu")


def logged(config, **options):
    return train([config], device="cpu", progress=False, **options).isel(run=0)


def tensors(task):
    """Inputs, targets, training samples."""
    x, y = torch.from_numpy(task.inputs), torch.from_numpy(task.targets)
    found = (part.float() if part.is_floating_point() else part for part in (x, y))
    return *found, torch.from_numpy(task.train_index)


def plainly(config, groups, batches):
    """Losses on the batch of each step under torch.optim.AdamW: (parameters, learning rate, weight
    decay) a group."""
    w = {name: part.requires_grad_() for name, part in config.model.draw(config.seed).items()}
    given = [
        {"params": [w[n] for n in names], "lr": lr, "weight_decay": wd} for names, lr, wd in groups
    ]
    o, (x, y, _) = config.optimizer, tensors(config.task)
    optimiser = torch.optim.AdamW(given, betas=(o.beta1, o.beta2), eps=o.eps)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: min(step / o.warmup, 1))
    mean = F.mse_loss if config.loss == "squared_error" else F.cross_entropy
    for rows in batches:
        optimiser.zero_grad()
        loss = mean(config.model.forward(w, x[rows]), y[rows])
        loss.backward()
        optimiser.step()
        schedule.step()
    return torch.cat([part.detach().ravel() for part in w.values()])


def weights(config):
    return torch.from_numpy(logged(config, keep_weights=True).weights.values)


def test_the_toy_is_trained_as_torch_trains_it_with_a_group_of_parameters_each():
    """Liu et al. 2022, section 3: encoder and decoder with learning rates and weight decays of
    their own."""
    names = TOY.model.groups()
    groups = [(names["encoder"], 1e-3, 0.0), (names["decoder"], 1e-2, 0.5)]
    expected = plainly(TOY, groups, [tensors(TOY.task)[2]] * TOY.steps)
    torch.testing.assert_close(weights(TOY), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("answers", "outputs"), [("number", 1), ("vectors", 30)])
def test_an_answer_is_right_when_its_own_target_is_the_nearest(answers, outputs):
    task = AdditionTask(5, 0.8, answers)
    config = RunConfig(task, Toy(5, hidden=(3,), outputs=outputs), steps=1, loss="squared_error")
    stack = make_stack([config], torch.device("cpu"))
    loss, correct = sample_results(stack)
    z = (
        config.model.forward(config.model.draw(0), torch.from_numpy(task.inputs))
        .detach()
        .double()
        .numpy()
    )
    apart = ((z[:, None] - task.targets[None]) ** 2).sum(-1)
    sums = task.inputs.sum(1)
    assert np.array_equal(correct[0], sums[apart.argmin(1)] == sums)
    assert np.allclose(loss[0], ((z - task.targets) ** 2).mean(1), atol=1e-5)


def test_mini_batches_go_through_the_training_set_in_a_new_order_each_epoch():
    """100 images in batches of 30: three batches an epoch, ten images left to the next epoch's
    order."""
    index = tensors(DIGITS.task)[2]
    orders = [np.random.default_rng((0, epoch)).permutation(100) for epoch in range(14)]
    batches = [index[torch.from_numpy(order[k : k + 30])] for order in orders for k in (0, 30, 60)][
        : DIGITS.steps
    ]
    expected = plainly(DIGITS, [(DIGITS.model.shapes(), 1e-2, 0.0)], batches)
    torch.testing.assert_close(weights(DIGITS), expected, rtol=1e-4, atol=1e-5)
    assert float(logged(DIGITS).train_accuracy[-1]) > 0.6 and "med" not in logged(DIGITS)


def test_a_readers_optimiser_has_a_key_and_a_state_of_its_own_and_moves_rows_as_runs_alone():
    config = KINDS["own optimiser"]
    configs = [dataclasses.replace(config, optimizer=Lion(rate)) for rate in (1e-3, 1e-2)]
    together = train(configs, rows=2, device="cpu", progress=False, keep_weights=True)
    for r, each in enumerate(configs):
        np.testing.assert_allclose(together.weights[r], weights(each), atol=1e-5)
    assert config.as_dict()["optimizer"]["kind"] == "Lion"
    assert list(make_stack([config], torch.device("cpu")).state) == ["momentum"]


change = dataclasses.replace
MISFITS = {
    "batch_size = 101 is more than the 100": lambda: change(DIGITS, batch_size=101),
    "outputs = 30 must be those of the task, 10 and 19": lambda: change(
        TOY, task=AdditionTask(10, answers="labels")
    ),
    "group 'head' is none of the network's; it has encoder, decoder": lambda: logged(
        change(TOY, optimizer=AdamW(groups=(Group("head"),)))
    ),
    "needs labels; for real targets choose squared_error": lambda: logged(
        change(TOY, loss="cross_entropy")
    ),
    "leaves 0 of 55 pairs": lambda: AdditionTask(10, 0.001),
    "activation = 'sine' is unknown; choose one of tanh, relu": lambda: Toy(10, activation="sine"),
    "hidden = .0,. must be widths": lambda: Toy(6, hidden=(0,)),
    "n_train = 1797 must be less": lambda: DigitsTask(1797),
}


@pytest.mark.parametrize(("message", "make"), MISFITS.items(), ids=MISFITS)
def test_what_does_not_fit_is_refused_before_anything_is_drawn(message, make):
    with pytest.raises(ParameterError, match=message):
        make()


@pytest.mark.parametrize("kind", KINDS)
def test_costs_are_predicted_without_drawing_anything(kind, monkeypatch):
    monkeypatch.setattr("numpy.random.default_rng", lambda *_: pytest.fail("drawn"))
    config = dataclasses.replace(KINDS[kind], task=dataclasses.replace(KINDS[kind].task, seed=9))
    assert predict(config).seconds > 0
    assert predict(dataclasses.replace(config, steps=10**6)).seconds > 100 * predict(config).seconds


needs_a_compiler = pytest.mark.skipif(not compiles(TOY), reason="there is no C++ compiler")


@needs_a_compiler
def test_a_compiled_update_is_the_eager_one_up_to_rounding():
    """R = 2 rows with rates of their own; in a graph's places too, and beside a run that
    diverges."""
    toy = _of_width(20)
    configs = [toy, dataclasses.replace(toy.with_seed(1), optimizer=AdamW(1e-2))]
    eager, fused, placed, torn = (make_stack(configs, CPU) for _ in range(4))
    fused.compiled = compile_update
    for stack in (eager, fused):
        train_stack(stack)
    torch.testing.assert_close(fused.weights, eager.weights, rtol=1e-4, atol=1e-5)
    update = Update(placed, fused=True)
    torn.weights[1] = torch.inf
    advance = compile_update(torn)
    for _ in range(toy.steps):
        update.lay()
        update()
        placed.step += 1
        advance(torn)
    assert torch.equal(placed.weights, fused.weights)
    assert torch.equal(torn.weights[0], fused.weights[0]) and torn.diverged == {1: 0}


@dataclasses.dataclass(frozen=True)
class OneHot:
    """Both operands one-hot, and the squares of a linear layer."""

    def shapes(self):
        return {"W": (5, 10)}

    def draw(self, seed):
        return {"W": torch.randn(5, 10, generator=torch.Generator().manual_seed(seed))}

    def forward(self, weights, inputs):
        hot = F.one_hot(inputs, 5).flatten(1).float()
        return F.linear(hot, weights["W"]).square()


ONE_HOT = RunConfig(GroupTask("Z5", 0.6, "labels"), OneHot(), AdamW(), 20)
SLOPES = {
    "a group of parameters": TOY,
    "batches": DIGITS,
    "labels": dataclasses.replace(ONE_HOT, model=Quadratic(5, width=7), loss="squared_error"),
    "one_hot, which torch does not map over a gradient": ONE_HOT,
}


@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("config", SLOPES.values(), ids=SLOPES)
def test_what_is_compiled_has_the_gradient_of_the_loop(config, rows):
    stack = make_stack([config.with_seed(seed) for seed in range(rows)], CPU)
    losses, gradient = losses_and_gradient(stack, stack.batch())
    found = gradient_and_losses(stack)(stack.weights, *stack.batch())
    torch.testing.assert_close(found, (gradient, losses))


def test_an_optimiser_of_torch_stays_eager():
    config = dataclasses.replace(ONE_HOT, optimizer=from_torch_optim(torch.optim.RMSprop))
    assert logged(config, compiled=True, steps=2).attrs["update"] == "eager"
    assert not graphs(make_stack([config], CPU))


@needs_a_compiler
def test_no_size_falls_back_to_the_eager_program():
    """torch gives up at `recompile_limit` versions of one code object: each size has its own."""
    from torch._dynamo import config

    with config.patch(recompile_limit=1, fail_on_recompile_limit_hit=True):
        for width in (21, 22):
            stack = make_stack([_of_width(width)], CPU)
            compile_update(stack)(stack)
            assert stack.step == 1


def _of_width(width: int) -> RunConfig:
    """A toy of one hidden layer, as fewer programs are to compile."""
    return dataclasses.replace(TOY, model=dataclasses.replace(TOY.model, hidden=(width,)))
