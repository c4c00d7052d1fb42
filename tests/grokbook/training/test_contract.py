"""The contract of a task, a network, an optimiser and a watch: each likely mistake is one sentence,
before training."""

import dataclasses
import itertools
import random
from dataclasses import dataclass

import numpy as np
import pytest
import torch
from own_optimiser import Lion
from small_runs import small
from torch.nn import functional as F

from grokbook.errors import ParameterError
from grokbook.tasks import ModularTask
from grokbook.training import AdamW, RunConfig, train
from grokbook.training.optim import Group
from grokbook.training.watching import try_watches


@dataclass(frozen=True)
class Parity:
    """A task of a reader's own: the parity of 0 to 15, from four bits."""

    seed: int = 0

    @property
    def inputs(self):
        return (np.arange(16)[:, None] >> np.arange(4) & 1).astype(float)

    @property
    def targets(self):
        return self.inputs.sum(1).astype(np.int64) % 2

    @property
    def train_index(self):
        return np.random.default_rng(self.seed).permutation(16)[:8]

    def groups(self):
        return {}


@dataclass(frozen=True)
class Net:
    """A network of a reader's own."""

    width: int = 3

    def shapes(self):
        return {"W": (self.width, 4), "U": (2, self.width)}

    def draw(self, seed):
        g = torch.Generator().manual_seed(seed)
        return {name: torch.randn(shape, generator=g) for name, shape in self.shapes().items()}

    def forward(self, w, x):
        return torch.relu(x @ w["W"].T) @ w["U"].T


def task(**changed):
    """`Parity` with other members."""
    made = {
        name: property(value) if name in ("inputs", "targets", "train_index") else value
        for name, value in changed.items()
    }
    return dataclasses.dataclass(frozen=True)(type("Other", (Parity,), made))()


def net(**changed):
    """`Net` with other members."""
    return dataclasses.dataclass(frozen=True)(type("Other", (Net,), changed))()


def optimizer(**changed):
    """`Lion` with other members."""
    return dataclasses.dataclass(frozen=True)(type("Other", (Lion,), changed))()


def drawn(change):
    return net(draw=lambda self, seed: change(Net().draw(seed)))


@dataclass(frozen=True)
class Nameless:
    """A task that forgets its groups."""

    inputs = targets = train_index = groupings = np.zeros((4, 4))


def global_draw(self, seed):
    torch.manual_seed(seed + torch.randint(10**6, (1,)).item())
    return {name: torch.randn(shape) for name, shape in self.shapes().items()}


LAYER = torch.nn.Linear(4, 2)
TEST = np.setdiff1d(np.arange(16), Parity().train_index)
TURNS = itertools.count()  # of two that follow one another the first three are never the same


def remembering(held):
    """An update whose momentum is in a dictionary that lasts."""

    def update(self, weights, gradient, state, numbers, shapes):
        held["m"] = gradient + held.get("m", 0)
        weights.sub_(held["m"])

    return update


def forgetful(self, weights, gradient, state, numbers, shapes):
    weights = weights - gradient  # the mistake


def late(self, weights, gradient, state, numbers, shapes):
    state["momentum"] = gradient + state.get("momentum", 0)
    weights.sub_(state["momentum"])


MISTAKES = {
    "a module of torch": (
        {"model": LAYER},
        "model = Linear(in_features=4, out_features=2, bias=True) must be a frozen dataclass with shapes, draw, forward, such as MLP((64, 16, 10)) or gb.from_module(factory).",
    ),
    "a task without groups": (
        {"task": Nameless()},
        "task = Nameless(...) has no groups; it must be a frozen dataclass with inputs, targets, train_index, groups, such as ModularTask(97) or gb.task(inputs, targets, train_fraction).",
    ),
    "an empty training set": (
        {"task": task(train_index=lambda self: np.arange(0))},
        "train_index of Other is empty, but a run needs one sample or more.",
    ),
    "a training sample twice": (
        {"task": task(train_index=lambda self: np.array([1, 2, 1]))},
        "train_index of Other has 1 2 times, but must be different numbers from 0 to 15.",
    ),
    "a mask": (
        {"task": task(train_index=lambda self: np.ones(16, bool))},
        "train_index of Other is bool, but must be integers; of a mask it is np.flatnonzero(mask).",
    ),
    "labels above the outputs": (
        {"task": task(targets=lambda self: np.arange(16))},
        "targets of Other are labels from 0 to 15, but forward of Net gives (2,) for each sample; it must give (16,) or more, and labels begin at 0.",
    ),
    "labels that are floats": (
        {"task": task(targets=lambda self: np.arange(16) % 2.0)},
        "targets of Other are float64, but loss = 'cross_entropy' needs labels; for real targets choose squared_error, for labels targets.astype(np.int64).",
    ),
    "a split that is drawn each time": (
        {"task": task(train_index=lambda self: np.random.default_rng().permutation(16)[:8])},
        "train_index of Other is another array when it is asked for again, but must be the same always; draw it with np.random.default_rng(seed).",
    ),
    "a part that is drawn each time": (
        {"task": task(groups=lambda self: {"odd": np.roll(TEST, next(TURNS))[:3]})},
        "the part 'odd' of groups of Other is another one when it is asked for again, but must be the same always; draw it with np.random.default_rng(seed).",
    ),
    "labels in a column": (
        {"task": task(targets=lambda self: np.arange(16)[:, None] % 2), "loss": "squared_error"},
        "targets of Other have shape (16, 1), but labels are one for each sample, (16,).",
    ),
    "a part with training samples": (
        {"task": task(groups=lambda self: {"odd": np.arange(16)})},
        "the part 'odd' of groups of Other has the training sample 0, but parts are of the test set alone.",
    ),
    "a mask that is too short": (
        {"task": task(groups=lambda self: {"odd": np.ones(3, bool)})},
        "the part 'odd' of groups of Other is a mask of shape (3,), but must be (16,).",
    ),
    "a file that is not there": (
        {"task": task(targets=lambda self: np.loadtxt("none of this name.txt"))},
        "targets of Other fails: FileNotFoundError: none of this name.txt not found.",
    ),
    "outputs of another form": (
        {"model": net(forward=lambda self, w, x: (x @ w["W"].T).T)},
        "forward of Other on inputs (2, 4), torch.float32, gives torch.float32 (3, 2), but must give floats (2, ...), a row for each sample.",
    ),
    "real answers of another form": (
        {"task": task(targets=lambda self: np.ones(16)[:, None]), "loss": "squared_error"},
        "forward of Net gives (2,) for each sample, but the targets of Other are (1,).",
    ),
    "a network that fails": (
        {"model": net(forward=lambda self, w, x: w["V"])},
        "forward of Other on inputs (2, 4), torch.float32, fails: KeyError: 'V'.",
    ),
    "a seed that is not used": (
        {"model": net(draw=lambda self, seed: Net().draw(3))},
        "draw of Other gives the same weights for seeds 0 and 1, but must draw by its seed alone: with torch.Generator().manual_seed(seed), a module of torch with torch's own generator.",
    ),
    "weights of the process's generator": (
        {"model": net(draw=lambda self, seed: global_draw(self, seed + random.randrange(10**6)))},
        "draw of Other gives other weights when it is called again with seed 0, but must draw by its seed alone: with torch.Generator().manual_seed(seed), a module of torch with torch's own generator.",
    ),
    "another name": (
        {"model": drawn(lambda w: {"W": w["W"], "V": w["U"]})},
        "draw of Other gives ['W', 'V'], but must give what shapes() names, ['W', 'U'].",
    ),
    "a transposed matrix": (
        {"model": drawn(lambda w: w | {"W": w["W"].T})},
        "draw of Other gives W as torch.float32 (4, 3), but shapes() says (3, 4), in torch.float32, as records are.",
    ),
    "a weight that is not finite": (
        {"model": drawn(lambda w: w | {"U": w["U"] / 0})},
        "draw of Other gives U with numbers that are not finite, but all must be.",
    ),
    "noise in forward": (
        {"model": net(forward=lambda self, w, x: Net.forward(self, w, x) + torch.randn(1))},
        "forward of Other on inputs (2, 4), torch.float32, gives other numbers when it is called again; leave out dropout, noise and what counts calls.",
    ),
    "inputs that are written over": (
        {"model": net(forward=lambda self, w, x: Net.forward(self, w, x.sub_(0.5)))},
        "forward of Other on inputs (2, 4), torch.float32, writes its inputs over, but must leave what it is given as it is.",
    ),
    "a mean over samples": (
        {"model": net(forward=lambda self, w, x: Net.forward(self, w, x - x.mean(0)))},
        "forward of Other answers a sample by those it is sent with, but what is logged is of all samples together, so each must be answered by itself (no mean over samples).",
    ),
    "no slopes": (
        {"model": net(forward=lambda self, w, x: Net.forward(self, w, x).detach())},
        "forward of Other gives numbers without a slope, of which nothing is learned; leave out detach, no_grad and numpy.",
    ),
    "a parameter without a slope that decays": (
        {"model": net(forward=lambda self, w, x: torch.relu(x @ w["W"].detach().T) @ w["U"].T)},
        "W has no slope in forward of Other, but AdamW moves it, by its decay; leave it out, or give it a group of weight_decay = 0.",
    ),
    "a table that is no tuple": (
        {"model": net(embeddings=lambda self, w: w["W"])},
        "embeddings of Other must give a tuple of tensors (n, d), a token a row.",
    ),
    "momentum in a global": (
        {"optimizer": optimizer(update=remembering({}))},
        "update of Other moves weights otherwise when it begins anew, but must keep all that it needs in state, and draw nothing at random.",
    ),
    "an update that forgets its place": (
        {"optimizer": optimizer(update=forgetful)},
        "update of Other moves nothing in 100 updates, but must move weights in place: weights.sub_(...), not weights = weights - ....",
    ),
    "a state that is made late": (
        {"optimizer": optimizer(init=lambda *given: {}, update=late)},
        "update of Other makes the state ['momentum'] of [], but must keep the names, shapes and types that init gave.",
    ),
    "a state without rows": (
        {"optimizer": optimizer(init=lambda *given: {"count": torch.zeros(())})},
        "init of Other gives count as (), but must have a row for each run: of 2 runs (2, ...).",
    ),
    "numbers of other names": (
        {"optimizer": optimizer(numbers=lambda self, step: {f"lr{step}": 0.1}), "steps": 9},
        "numbers of Other gives ['lr8'] at step 8 and ['lr0'] at step 0, but must give the same names always.",
    ),
    "numbers that are drawn": (
        {"optimizer": optimizer(numbers=lambda self, step: {"lr": random.random()})},
        "numbers of Other gives other ones when they are asked for again, but must depend on the step alone.",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_one_sentence_before_anything_is_trained(name):
    parts, said = MISTAKES[name]
    for _ in range(2):  # whoever runs the cell again is told again
        with pytest.raises(ParameterError) as caught:
            RunConfig(**{"task": Parity(), "model": Net(), **parts})
        assert str(caught.value) == said and said.count("\n") == 0


def test_what_keeps_the_contract_is_trained_whatever_the_order_in_which_it_is_drawn():
    """The oracle: weights that are drawn in another order are laid out by `shapes`."""
    turned = drawn(lambda w: dict(reversed(w.items())))
    runs = [
        train([RunConfig(Parity(), model, steps=20)], device="cpu", progress=False)
        for model in (Net(), turned)
    ]
    np.testing.assert_array_equal(*(run.test_loss.values for run in runs))
    zero = drawn(lambda w: {name: torch.zeros_like(part) for name, part in w.items()})
    assert RunConfig(Parity(), zero).steps == 10_000, "weights that are all alike need no seed"
    assert RunConfig(ModularTask(7), small(0).model, Lion()).optimizer == Lion()


def test_a_part_without_a_slope_that_nothing_moves_is_taken():
    """The oracle: first-layer features that stay as they are drawn."""
    still = net(
        forward=lambda self, w, x: torch.relu(x @ w["W"].detach().T) @ w["U"].T,
        groups=lambda self: {"features": ("W",)},
    )
    rates = AdamW(groups=(Group("features", weight_decay=0.0),))
    config = RunConfig(Parity(), still, rates, steps=20)
    kept = train([config], device="cpu", progress=False, keep_weights=True).weights.values[0]
    np.testing.assert_array_equal(kept[:12], still.draw(0)["W"].numpy().ravel())


def test_tables_of_any_order_and_kind_of_integer_are_taken():
    """Reversed views and the other order of bytes; small integers as numbers of samples."""
    plain = train([RunConfig(Parity(), Net(), steps=10)], device="cpu", progress=False)
    turned = task(
        inputs=lambda self: np.ascontiguousarray(Parity().inputs[::-1])[::-1].astype(">f8"),
        targets=lambda self: Parity().targets[::-1].copy()[::-1],
        train_index=lambda self: Parity(self.seed).train_index.astype(np.int8),
        groups=lambda self: {
            "some": TEST[:3].astype(np.int16),
            "masked": np.isin(np.arange(16), TEST[:3]),
        },
    )
    runs = train([RunConfig(turned, Net(), steps=10)], device="cpu", progress=False)
    np.testing.assert_array_equal(runs.test_loss, plain.test_loss)
    np.testing.assert_array_equal(runs.test_accuracy_some, runs.test_accuracy_masked)


def test_making_a_run_draws_no_split_and_moves_no_generator(monkeypatch):
    states = torch.get_rng_state(), np.random.get_state()[1].copy(), random.getstate()
    assert RunConfig(Parity(), Net(5), Lion())
    assert torch.equal(torch.get_rng_state(), states[0]) and random.getstate() == states[2]
    assert (np.random.get_state()[1] == states[1]).all()
    monkeypatch.setattr(ModularTask, "train_index", property(lambda self: pytest.fail("drawn")))

    @dataclass(frozen=True)
    class Pairs(Net):
        def forward(self, w, x):
            return F.pad(x.float(), (0, 1)) @ w["W"].T

    assert RunConfig(ModularTask(11), Pairs(11), Lion()).steps


def clipped_together(self, weights, gradient, state, numbers, shapes):
    """A clip over the norm of all rows, as a loop over one network would write it."""
    weights.sub_(0.1 * gradient / gradient.norm().clamp(min=1.0))


def first_alone(self, weights, gradient, state, numbers, shapes):
    weights[0] -= 0.1 * gradient[0]


@pytest.mark.parametrize("update", [clipped_together, first_alone])
def test_an_optimiser_that_mixes_the_rows_of_a_program_is_refused(update):
    """Runs that share a program are rows of one table: each is moved as it would be alone."""
    with pytest.raises(
        ParameterError, match="moves a run otherwise where another one is beside it"
    ):
        RunConfig(Parity(), Net(), optimizer(update=update))


def test_a_watch_that_is_no_function_is_refused():
    with pytest.raises(ParameterError, match="^watch 'norm' = 3 must be a function of a View"):
        train([RunConfig(Parity(), Net(), steps=10)], progress=False, watch={"norm": 3})


def test_a_watch_that_writes_weights_over_is_refused():
    def halving(view):
        next(iter(view.weights.values())).mul_(0.5)
        return 0.0

    with pytest.raises(
        ParameterError, match="watch 'halving' writes over the weights of the network"
    ):
        try_watches(RunConfig(Parity(), Net()), {"halving": halving})
