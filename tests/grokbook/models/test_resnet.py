"""ResNet-18: published counts, an independent construction of torch's modules, its statistics in
the training loop."""

import dataclasses
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional as F

from grokbook.errors import ParameterError
from grokbook.models.resnet import ResNet
from grokbook.training import Adam, RunConfig, Schedule, train
from grokbook.training.forward import all_outputs, split_weights
from grokbook.training.loop import advance, batch_metrics, losses_and_gradient, make_stack
from grokbook_chapters.resnet_grokking.shapes import ShapeTask

TASK = ShapeTask(3, train_fraction=0.4, tile=8)
SMALL = ResNet(TASK.outputs, width=4, stem="small", channels=1, size=16)
CONFIG = RunConfig(
    TASK,
    SMALL,
    Adam(1e-3, weight_decay=1e-4),
    steps=6,
    batch_size=16,
    log=Schedule(3, 1),
    snapshots=0,
)


class Block(nn.Module):
    """A basic block as He et al. 2016, Figure 2 with shortcut B, of torch's own layers."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1, self.bn1 = (
            nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False),
            nn.BatchNorm2d(outputs),
        )
        self.conv2, self.bn2 = (
            nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False),
            nn.BatchNorm2d(outputs),
        )
        change = nn.Sequential(
            nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs)
        )
        self.downsample = change if stride > 1 or inputs != outputs else nn.Identity()

    def forward(self, x):
        return F.relu(self.downsample(x) + self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x))))))


class Plain(nn.Module):
    """The whole network of torch's own layers, with torchvision's names."""

    def __init__(self, sizes):
        super().__init__()
        w, (kernel, stride, pool) = (
            sizes.width,
            {"imagenet": (7, 2, True), "small": (3, 1, False)}[sizes.stem],
        )
        self.conv1 = nn.Conv2d(sizes.channels, w, kernel, stride, kernel // 2, bias=False)
        self.bn1, self.pool = nn.BatchNorm2d(w), nn.MaxPool2d(3, 2, 1) if pool else nn.Identity()
        self.layer1 = nn.Sequential(Block(w, w, 1), Block(w, w, 1))
        for stage, scale in ((2, 1), (3, 2), (4, 4)):
            blocks = Block(scale * w, 2 * scale * w, 2), Block(2 * scale * w, 2 * scale * w, 1)
            setattr(self, f"layer{stage}", nn.Sequential(*blocks))
        self.fc = nn.Linear(8 * w, sizes.outputs)

    def forward(self, x):
        x = self.pool(F.relu(self.bn1(self.conv1(x))))
        for stage in (self.layer1, self.layer2, self.layer3, self.layer4):
            x = stage(x)
        return self.fc(F.adaptive_avg_pool2d(x, 1).flatten(1))


def plain(model, weights):
    network = Plain(model)
    network.load_state_dict(weights, strict=False)
    return network


def test_it_has_as_many_parameters_as_published():
    """11.7 million with 1,000 outputs (He et al. 2016, Table 1; torchvision counts 11,689,512)."""
    model = ResNet(1000)
    learned = {
        name: shape for name, shape in model.shapes().items() if name not in model.statistics
    }
    assert sum(math.prod(shape) for shape in learned.values()) == 11_689_512
    assert (
        list(model.shapes())[-len(model.statistics) :] == list(model.statistics)
        and len(model.statistics) == 40
    )


@pytest.mark.parametrize("stem", ["imagenet", "small"])
@settings(max_examples=5, deadline=None)
@given(size=st.integers(9, 33), width=st.integers(1, 5), seed=st.integers(0, 99))
def test_it_equals_torchs_layers_in_both_modes(stem, size, width, seed):
    """Outputs by the kept statistics, by the batch's own, and what the kept ones become."""
    model = ResNet(3, width=width, stem=stem, channels=2, size=size)
    weights = model.draw(seed)
    images = torch.rand(8, 2, size, size, generator=torch.Generator().manual_seed(seed))
    network = plain(model, weights).eval()
    torch.testing.assert_close(
        model.forward(weights, images), network(images), atol=1e-4, rtol=1e-4
    )
    seen = {}
    outputs = model.forward(weights, images, seen)
    torch.testing.assert_close(outputs, network.train()(images), atol=2e-3, rtol=2e-3)
    assert tuple(seen) and set(seen) == set(model.statistics)
    kept = network.state_dict()
    for name, part in seen.items():
        torch.testing.assert_close(part, kept[name], atol=1e-4, rtol=1e-3)


def test_products_are_those_of_its_convolutions():
    """Counted by hooks on torch's layers: outputs times inputs of each kernel."""
    model, counted = ResNet(5, width=3, stem="imagenet", channels=2, size=50), []
    network = plain(model, model.draw(0)).eval()
    for layer in network.modules():
        if isinstance(layer, nn.Conv2d):
            layer.register_forward_hook(
                lambda m, _, out: counted.append(out[0].numel() * m.weight[0].numel())
            )
    network(torch.rand(1, 2, 50, 50))
    assert model.products(7) == 7 * (sum(counted) + 5 * 24)


def test_training_is_torchs_with_statistics_and_coupled_decay(monkeypatch):
    """Six updates of Adam on the same batches by torch's modules and optimiser: weights and
    statistics agree.

    In double precision: six steps of a network that divides by the spread of 16 images make
    rounding visible.
    """
    drawn = ShapeTask.show
    monkeypatch.setattr(ShapeTask, "show", lambda task, inputs: drawn(task, inputs).double())
    config = dataclasses.replace(CONFIG, optimizer=Adam(1e-3, weight_decay=0.1))
    stack = make_stack([config], torch.device("cpu"))
    stack.weights, stack.state = (
        stack.weights.double(),
        {name: part.double() for name, part in stack.state.items()},
    )
    network = plain(SMALL, split_weights(config, stack.weights[0].float())).train().double()
    optimizer = torch.optim.Adam(network.parameters(), 1e-3, weight_decay=0.1)
    for _ in range(config.steps):
        inputs, targets = stack.batch()
        optimizer.zero_grad()
        F.cross_entropy(network(TASK.show(inputs[0])), targets[0]).backward()
        optimizer.step()
        advance(stack)
    found, state, start = (
        split_weights(config, stack.weights[0]),
        network.state_dict(),
        SMALL.draw(0),
    )
    for name, part in found.items():
        assert float((part - state[name]).norm() / (part - start[name]).norm()) < 1e-4, name


def test_training_accuracy_in_batches_is_that_of_random_whole_batches():
    """Equal to torch's layers in training mode on the batches of one permutation, the remainder
    left out."""
    stack = make_stack([CONFIG], torch.device("cpu"))
    network = plain(SMALL, split_weights(CONFIG, stack.weights[0])).train()
    order = TASK.train_index[np.random.default_rng(CONFIG.seed).permutation(TASK.sizes()[1])]
    assert len(order) == 32  # two batches of 16
    right = [
        network(TASK.show(torch.from_numpy(TASK.inputs[b]))).argmax(1).numpy() == TASK.targets[b]
        for b in np.split(order, 2)
    ]
    assert batch_metrics(stack, 0)["train_accuracy_in_batches"] == pytest.approx(
        np.mean(right), abs=1 / 32
    )


def test_a_run_taken_up_again_ends_as_the_run_alone(tmp_path):
    alone = train([CONFIG], device="cpu", progress=False, keep_weights=True)
    train([CONFIG], device="cpu", progress=False, checkpoints=tmp_path, steps=3)
    resumed = train([CONFIG], device="cpu", progress=False, checkpoints=tmp_path, keep_weights=True)
    assert np.array_equal(resumed.weights, alone.weights)
    assert {"train_accuracy", "train_accuracy_in_batches"} <= set(alone.data_vars)


def test_runs_in_rows_move_as_the_run_alone():
    """Gradients and statistics of two runs of one program are those of each alone."""
    configs = [CONFIG, CONFIG.with_seed(1)]
    together = make_stack(configs, torch.device("cpu"))
    found = losses_and_gradient(together, together.batch())
    for r, config in enumerate(configs):
        alone = make_stack([config], torch.device("cpu"))
        for part, own in zip(found, losses_and_gradient(alone, alone.batch()), strict=True):
            torch.testing.assert_close(part[r], own[0], atol=1e-5, rtol=1e-3)


def test_the_whole_table_in_pieces_is_the_table(monkeypatch):
    row, inputs = (
        make_stack([CONFIG], torch.device("cpu")).weights[0],
        torch.from_numpy(TASK.inputs),
    )
    whole = all_outputs(CONFIG, row, inputs)
    monkeypatch.setattr("grokbook.training.forward.PIECE", 7)
    torch.testing.assert_close(all_outputs(CONFIG, row, inputs), whole, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"stem": "tiny"}, "stem = 'tiny' is unknown"),
        ({"width": 0}, "width = 0"),
        ({"outputs": 1}, "outputs = 1"),
    ],
)
def test_sizes_are_checked(change, message):
    with pytest.raises(ParameterError, match=message):
        ResNet(**({"outputs": 5} | change))


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (
            ResNet(TASK.outputs, width=4, size=16),
            r"images of \(3, 16, 16\), but the task has images of \(1, 16, 16",
        ),
        (ResNet(TASK.outputs - 1, width=4, channels=1, size=16), "must be at least"),
    ],
)
def test_a_task_that_does_not_fit_is_refused(model, message):
    with pytest.raises(ParameterError, match=message):
        RunConfig(TASK, model)


@pytest.mark.slow
@pytest.mark.parametrize("instructions", ["as it is", "AVX2"])
def test_no_convolution_of_a_configuration_goes_wrong_on_a_processor(instructions):
    """All kernels, strides, layouts and small numbers of channels, against float64 without oneDNN;
    see `convolved`."""
    like = (
        {"ONEDNN_MAX_CPU_ISA": "AVX2", "ATEN_CPU_CAPABILITY": "avx2"}
        if instructions == "AVX2"
        else {}
    )
    run = [sys.executable, str(Path(__file__).with_name("convolved.py"))]
    done = subprocess.run(run, env=os.environ | like, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 1e-5
