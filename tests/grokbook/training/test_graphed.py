"""The update that a GPU repeats as one graph: what it does is the eager update, and nothing in it
asks the host."""

import dataclasses

import pytest
import torch
from examples import DIGITS, TOY
from small_runs import small
from torch.utils._python_dispatch import TorchDispatchMode

from grokbook.models.encoder import Encoder
from grokbook.models.resnet import ResNet
from grokbook.tasks.groups import GroupTask
from grokbook.training import Adam, RunConfig, Schedule, loop
from grokbook.training.graphed import Update, graph_update, graphs
from grokbook_chapters.resnet_grokking.shapes import ShapeTask

CPU = torch.device("cpu")
NET = Encoder(5, d_model=8, n_layers=1, d_mlp=8, dropout=0.2)
NOISY = RunConfig(GroupTask("Z5", 0.6, "labels"), NET, Adam(1e-2), 20, Schedule(0, 10, 4))
IMAGES = RunConfig(
    ShapeTask(3, 0.5, tile=8), ResNet(17, width=1, stem="small", channels=1, size=16), steps=20
)
RUNS = {
    "rows that differ": [
        small(0),
        small(1, learning_rate=1e-2),
        small(2, weight_decay=0.0),
        small(3, warmup=0),
    ],
    "rates of a group": [TOY, TOY.with_seed(1)],
    "mini-batches": [DIGITS, DIGITS.with_seed(1)],
    "noise": [NOISY],
    "batch statistics": [dataclasses.replace(IMAGES, batch_size=20)],
}


@pytest.mark.parametrize("configs", RUNS.values(), ids=RUNS)
def test_it_does_what_the_eager_update_does(configs):
    """Weights after 12 updates from one start, warm-up included, to the rounding of numbers held as
    tensors."""
    eager, other = (loop.make_stack(configs, CPU) for _ in range(2))
    update = Update(other)
    with torch.random.fork_rng():
        for _ in range(12):
            loop.advance(eager)
            update.lay()
            update()
            other.step += 1
    assert not torch.equal(eager.weights, loop.make_stack(configs, CPU).weights)
    torch.testing.assert_close(other.weights, eager.weights, rtol=1e-4, atol=1e-5)


def test_a_run_that_diverges_moves_no_other():
    stack = loop.make_stack(RUNS["rows that differ"], CPU)
    stack.weights[1] = float("nan")
    alone = loop.make_stack(RUNS["rows that differ"], CPU)
    updates = [Update(one) for one in (stack, alone)]
    for update in updates * 11:  # the learning rate is 0 at the first step
        update.lay()
        update()
        update.stack.step += 1
    torch.testing.assert_close(stack.weights[[0, 2, 3]], alone.weights[[0, 2, 3]])


class Asked(TorchDispatchMode):
    """Counts the operations that bring a number to the host, and those that move data between
    devices."""

    count = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.count += any(
            name in str(function) for name in ("_local_scalar_dense", "nonzero", "is_nonzero")
        )
        return function(*args, **(kwargs or {}))


@pytest.mark.parametrize("configs", RUNS.values(), ids=RUNS)
def test_nothing_in_it_asks_the_host(configs):
    update = Update(loop.make_stack(configs, CPU))
    update.lay()
    with torch.random.fork_rng(), Asked() as inside:
        update()
    assert inside.count == 0
    with Asked() as eager:
        loop.advance(update.stack)
    assert eager.count > 0


def test_what_cannot_be_a_graph_stays_eager():
    """Noise of several runs is drawn by each one's seed; weights that are solved for are no fixed
    list of kernels."""
    several = loop.make_stack([NOISY, NOISY.with_seed(1)], CPU)
    assert graphs(loop.make_stack([NOISY], CPU)) and not graphs(several)
    assert graph_update(several) is loop.advance


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU on this machine")
@pytest.mark.parametrize("configs", RUNS.values(), ids=RUNS)
def test_a_graph_does_it_on_the_gpu(configs):
    eager, other = (loop.make_stack(configs, torch.device("cuda")) for _ in range(2))
    move = graph_update(other)
    assert move is not loop.advance
    for _ in range(12):
        loop.advance(eager)
        move(other)
    torch.testing.assert_close(other.weights, eager.weights, rtol=1e-3, atol=1e-4)
