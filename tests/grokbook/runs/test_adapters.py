"""Adapters of torch carry a whole object or refuse it: what a run would lose is told before
anything is trained."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from grokbook.errors import ParameterError, TrainingError
from grokbook.tasks.table import task
from grokbook.training import RunConfig
from grokbook.training.optimisers import from_torch_optim
from grokbook.training.torch_module import from_module

BITS = np.arange(64)[:, None] >> np.arange(6) & 1
PARITY = task(BITS.astype(float), BITS[:, :3].sum(1) % 2, 0.5)


class Slowing(torch.optim.SGD):
    """Divides its rate by the number of updates, which it keeps where a kind of its own says."""

    def __init__(self, params, lr=0.1):
        super().__init__(params, lr=lr)
        self.count = 0

    def counted(self, group):
        self.count += 1
        return self.count

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            count = self.counted(group)
            for part in group["params"]:
                part.sub_(group["lr"] / count * part.grad)


class SlowingBySchedule(torch.optim.SGD):
    def __init__(self, params, lr=0.1):
        super().__init__(params, lr=lr)
        self.schedule = torch.optim.lr_scheduler.StepLR(self, 2)

    def step(self, closure=None):
        super().step()
        self.schedule.step()


class LaterInClass(Slowing):
    count = 0

    def __init__(self, params, lr=0.1):
        super().__init__(params, lr=lr)
        del self.count

    def counted(self, group):
        type(self).count += 1
        return max(self.count - 40, 1)


class LaterBySchedule(SlowingBySchedule):
    def __init__(self, params, lr=0.1):
        super().__init__(params, lr=lr)
        self.schedule = torch.optim.lr_scheduler.StepLR(self, 100)


class MomentumOnSelf(torch.optim.SGD):
    """Keeps an average of slopes by the number of the parameter, in no `state`."""

    def __init__(self, params, lr=0.1):
        super().__init__(params, lr=lr)
        self.averages = {}

    @torch.no_grad()
    def step(self, closure=None):
        for at, part in enumerate(self.param_groups[0]["params"]):
            average = self.averages.get(at, torch.zeros_like(part)) * 0.9 + part.grad
            self.averages[at] = average
            part.sub_(self.param_groups[0]["lr"] * average)


class LaterInListOfClass(Slowing):
    calls = [0]

    def counted(self, group):
        self.calls[0] += 1
        return max(self.calls[0] - 40, 1)


class Warmed(torch.optim.SGD):
    """Is fast from the first weight on that is large, which no short trial shows."""

    def __init__(self, params, lr=0.01):
        super().__init__(params, lr=lr)
        self.warm = False

    @torch.no_grad()
    def step(self, closure=None):
        for part in self.param_groups[0]["params"]:
            part.sub_(part.grad.sign(), alpha=0.1 if self.warm else 0.01)
            self.warm = self.warm or bool(part.abs().max() > 5)


class Closed(torch.optim.SGD):
    def __init__(self, params, lr=0.1):
        super().__init__(params, lr=lr)

    def step(self, closure=None):
        assert closure is not None, "a closure is needed"


KEEPING = [Slowing, MomentumOnSelf, LaterInClass, LaterInListOfClass, LaterBySchedule]


@pytest.mark.parametrize("cls", KEEPING)
def test_an_optimiser_that_keeps_more_than_its_state_is_refused(cls):
    """On the same slopes ours must move weights as one optimiser that lasts, update by update."""
    with pytest.raises(
        ParameterError, match=f"cls = {cls.__name__} moves weights otherwise than one lasting"
    ):
        from_torch_optim(cls, lr=0.1)


def test_an_optimiser_that_counts_elsewhere_later_ends_its_run():
    taken = from_torch_optim(Warmed, lr=0.1)
    weights, shapes = torch.zeros(1, 2), {"W": (2,)}
    state = taken.init(weights, shapes)

    def move(updates):
        for _ in range(updates):
            taken.update(weights, -torch.ones(1, 2), state, taken.numbers(0), shapes)

    move(490)
    assert weights.allclose(torch.tensor(4.9), atol=1e-3)
    with pytest.raises(TrainingError, match="Warmed counts outside `state`"):
        move(20)


def test_an_optimiser_that_asks_for_its_closure_is_refused():
    with pytest.raises(ParameterError, match="a closure is needed"):
        from_torch_optim(Closed, lr=0.1)


def test_an_optimiser_that_refuses_a_network_says_so():
    with pytest.raises(
        ParameterError, match=r"from_torch_optim\(Muon\) fails: ValueError: Muon only supports 2D"
    ):
        RunConfig(PARITY, from_module(Net), from_torch_optim(torch.optim.Muon, lr=0.1))


@pytest.mark.parametrize(
    "cls",
    [
        torch.optim.SGD,
        torch.optim.Adam,
        torch.optim.RMSprop,
        torch.optim.Adagrad,
        torch.optim.ASGD,
        torch.optim.Adafactor,
    ],
)
def test_the_optimisers_of_torch_are_taken_and_leave_its_generator_alone(cls):
    before = torch.random.get_rng_state()
    assert from_torch_optim(cls, lr=1e-2).learning_rate == 1e-2
    assert torch.equal(before, torch.random.get_rng_state())


class Net(nn.Module):
    """A line; kinds of their own add what a run would lose."""

    def __init__(self):
        super().__init__()
        self.line = nn.Linear(6, 2)

    def forward(self, x):
        return self.line(x)


class Frozen(Net):
    def __init__(self):
        super().__init__()
        self.line.weight.requires_grad_(False)


class DrawnBuffer(Net):
    def __init__(self):
        super().__init__()
        self.register_buffer("drawn", torch.randn(2), persistent=False)

    def forward(self, x):
        return self.line(x) + self.drawn


class DrawnAttribute(Net):
    def __init__(self):
        super().__init__()
        self.drawn = torch.randn(2)

    def forward(self, x):
        return self.line(x) + self.drawn


class SeededByItself(Net):
    def __init__(self):
        torch.manual_seed(3)
        super().__init__()


class NeverUsed(Net):
    def __init__(self):
        super().__init__()
        self.other = nn.Linear(6, 2)


class Bounded(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(2, 2, max_norm=0.1)

    def forward(self, x):
        return self.table(x.long()).sum(1)


class MeanTaking(Net):
    def forward(self, x):
        out = self.line(x)
        return out - out.mean(0)


class TiedByData(Net):
    def __init__(self):
        super().__init__()
        self.other = nn.Linear(6, 2)
        self.other.weight.data = self.line.weight.data

    def forward(self, x):
        return self.line(x) * self.other(x)


SHARED = nn.Linear(6, 6)


class Sharing(Net):
    def __init__(self):
        super().__init__()
        self.first = SHARED

    def forward(self, x):
        return self.line(self.first(x))


class ScaledAtTheEnd(Net):
    def __init__(self):
        super().__init__()
        self.line.bias.register_post_accumulate_grad_hook(self.smaller)

    @staticmethod
    def smaller(part):
        part.grad *= 0.1


class OtherWhenEvaluated(Net):
    def forward(self, x):
        return self.line(x) * (0.5 if self.training else 1.0)


class Counting(Net):
    """Acts otherwise after many calls."""

    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return self.line(x) * (0.5 if self.calls > 1000 else 1.0)


class SeldomDropping(Net):
    def forward(self, x):
        return self.line(F.dropout(x, 0.001))


class Lazy(Net):
    def __init__(self):
        super().__init__()
        self.line = nn.LazyLinear(2)


class Batched(Net):
    tracks = False

    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(2, track_running_stats=self.tracks)

    def forward(self, x):
        return self.norm(self.line(x))


class Tracking(Batched):
    tracks = True


class Double(Net):
    def __init__(self):
        super().__init__()
        self.double()


@pytest.mark.parametrize(
    ("net", "said"),
    [
        (Frozen, "line.weight does not require a gradient"),
        (DrawnBuffer, "the buffer drawn differs between seeds"),
        (DrawnAttribute, "other outputs than the module itself for seed 1"),
        (SeldomDropping, "leave out dropout, noise"),
        (
            SeededByItself,
            "draw of from_module\\(SeededByItself\\) gives the same weights for seeds 0 and 1",
        ),
        (
            NeverUsed,
            "other.weight has no slope in forward of from_module\\(NeverUsed\\), but AdamW moves it",
        ),
        (Bounded, "writes table.weight over"),
        (TiedByData, "line.weight and other.weight are two parameters of the same numbers"),
        (Sharing, "first.weight is one object in every module of factory"),
        (ScaledAtTheEnd, "ScaledAtTheEnd. has a hook that changes the slope of line.bias"),
        (OtherWhenEvaluated, "gives other outputs after .eval"),
        (Counting, "a call of from_module.Counting. changes its calls"),
        (MeanTaking, "answers a sample by those it is sent with"),
        (Lazy, "line.weight has no shape yet"),
        (Batched, "answers a sample by those it is sent with"),
        (Tracking, "answers a sample by those it is sent with"),
        (Double, r"gives line.weight as torch.float64 \(2, 6\), but shapes.. says .*float32"),
    ],
)
def test_a_module_of_which_a_run_would_lose_a_part_is_refused(net, said):
    with pytest.raises(ParameterError, match=said):
        RunConfig(PARITY, from_module(net))


ACT = torch.relu


class Acting(Net):
    def __init__(self):
        super().__init__()
        self.act = ACT

    def forward(self, x):
        return self.act(self.line(x))


def acting():
    return Acting()


class Tied(Net):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(6, 6), nn.Linear(6, 6)
        self.second.weight = self.first.weight

    def forward(self, x):
        return self.line(self.second(torch.relu(self.first(x))))


class Normed(Net):
    def __init__(self):
        super().__init__()
        self.line = nn.utils.parametrizations.weight_norm(self.line)


class FixedBuffer(Net):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.full((2,), 3.0), persistent=False)

    def forward(self, x):
        return self.line(x) * self.scale


@pytest.mark.parametrize("net", [Net, Tied, Normed, FixedBuffer])
def test_what_a_run_carries_whole_has_the_slopes_of_the_module_itself(net):
    """Outputs and slopes by `forward(draw(seed), x)` are those of `factory()` after the same
    seed."""
    network = from_module(net)
    network.check(PARITY)
    x = torch.from_numpy(PARITY.inputs).float()
    weights = {name: part.requires_grad_() for name, part in network.draw(1).items()}
    torch.manual_seed(1)
    module = net()
    ours, theirs = network.forward(weights, x), module(x)
    torch.testing.assert_close(ours, theirs)
    ours.square().sum().backward()
    theirs.square().sum().backward()
    for name, part in module.named_parameters():
        torch.testing.assert_close(weights[name].grad, part.grad)
