"""The pieces of work that are timed, each a function without arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.data import DataLoader, Dataset

from grokbook.models.resnet import ResNet
from grokbook.training import Adam, RunConfig
from grokbook.training.compiled import compile_update
from grokbook.training.loop import Stack, advance, log, make_stack
from grokbook_chapters.gu2025 import modular_run
from grokbook_chapters.liu2022 import addition, rates
from grokbook_chapters.resnet_grokking.shapes import ShapeTask
from grokbook_chapters.tian2025 import pairs_of

aten = torch.ops.aten
Work = Callable[[], None]
EPOCHS = 10
"""Our epoch is timed as a tenth of ten updates and one log: metrics every ten steps."""


BETWEEN = 50
"""Updates from one log to the next in a diagram's first steps; later there are more."""


def paper_run() -> RunConfig:
    """The run that is timed: p = 97, 30 % training cells, d_model 128."""
    return modular_run(97, 0.3)


def our_stack(*configs: RunConfig) -> Stack:
    """Fresh runs of the library as one program."""
    return make_stack(list(configs), torch.device("cpu"))


def our_step(*configs: RunConfig, compiled: bool = False) -> Work:
    """One update of the library's training, of one run or of several as one program: forward,
    backward, AdamW."""
    stack = our_stack(*configs)
    return partial(compile_update(stack) if compiled else advance, stack)


def our_epochs(*configs: RunConfig, updates: int = EPOCHS, compiled: bool = False) -> Work:
    """One log and so many updates of the library's training."""
    stack = our_stack(*configs)
    move = compile_update(stack) if compiled else advance

    def work() -> None:
        log(stack)
        for _ in range(updates):
            move(stack)

    return work


def toy_run(seed: int = 0) -> RunConfig:
    """A cell of a phase diagram of Liu et al.: decoder rate 1e-4, decay 1."""
    return addition(optimizer=rates(1e-4, 1.0)).with_seed(seed)


def network_run(seed: int = 0) -> RunConfig:
    """A two-layer network of Tian 2025: M = 23, K = 256, 40 % of the pairs, Adam."""
    return pairs_of("Z23", 256, 0.4, rate=0.005, decay=5e-5, steps=10_000).with_seed(seed)


def group_run(seed: int = 0) -> RunConfig:
    """The same network on the products of a group that does not commute, the symmetric group S5: M
    = 120, K = 128."""
    return pairs_of("S5", 128, 0.4, rate=0.005, decay=5e-5, steps=10_000).with_seed(seed)


def parts(config: RunConfig) -> tuple[Tensor, Tensor]:
    """The places of the samples for training and of the others."""
    every = np.arange(len(config.task.targets))
    train = config.task.train_index
    return torch.from_numpy(train), torch.from_numpy(np.setdiff1d(every, train))


def plain_network(config: RunConfig) -> Work:
    """`BETWEEN` steps of such a network written plainly, and one look: torch.nn on one-hot vectors,
    torch's Adam."""
    p = config.task.p
    o = config.optimizer
    hot = F.one_hot(torch.from_numpy(config.task.inputs), p).flatten(1).float()
    y = torch.from_numpy(config.task.targets)
    train, test = parts(config)
    first = nn.Linear(2 * p, config.model.width, bias=False)
    second = nn.Linear(config.model.width, p, bias=False)
    w_in, w_out = config.model.draw(config.seed, config.start).values()
    first.weight.data = w_in.T.contiguous()
    second.weight.data = w_out.contiguous()
    network = [first.weight, second.weight]
    optimiser = torch.optim.Adam(network, o.learning_rate, weight_decay=o.weight_decay)
    losses: list[float] = []

    def centred(part: Tensor) -> Tensor:
        outputs = second(first(hot[part]).square())
        return outputs - outputs.mean(1, keepdim=True)

    def work() -> None:
        with torch.no_grad():
            for part in (train, test):
                (centred(part).argmax(1) == y[part]).float().mean().item()
        for _ in range(BETWEEN):
            optimiser.zero_grad()
            z = centred(train)
            loss = (z.square().sum(1) - 2 * z.gather(1, y[train, None])[:, 0] + 1 - 1 / p).mean()
            loss.backward()
            optimiser.step()
            losses.append(loss.item())

    work.losses = losses
    return work


def image_run() -> RunConfig:
    """Sums of four glyphs in pictures of 16 x 16 pixels, ResNet-18 of width 8 with the small stem,
    batches of 100."""
    task = ShapeTask(5, 0.4, tile=8)
    model = ResNet(task.outputs, width=8, stem="small", channels=1, size=16)
    return RunConfig(task, model, Adam(1e-3, weight_decay=1e-4), batch_size=100)


class Files(Dataset):
    """Training images as the authors keep them: files of 224 x 224 pixels in JPEG, read and resized
    one by one."""

    def __init__(self, config: RunConfig, folder: Path, size: int = 224) -> None:
        self.folder = folder
        self.side = config.model.size
        self.targets = config.task.targets[config.task.train_index]
        inputs = torch.from_numpy(config.task.inputs[config.task.train_index])
        drawn = replace(config.task, tile=size // 2).show(inputs)
        for k, image in enumerate(drawn[:, 0]):
            Image.fromarray((255 * image).byte().numpy()).save(folder / f"{k}.jpg", quality=95)

    def __len__(self) -> int:
        return len(self.targets)

    def __getitem__(self, k: int) -> tuple[torch.Tensor, int]:
        with Image.open(self.folder / f"{k}.jpg") as image:
            small = np.asarray(image.resize((self.side, self.side)), dtype=np.float32) / 255
        return torch.from_numpy(small)[None], int(self.targets[k])


def plain_images(config: RunConfig, files: Dataset) -> Work:
    """An epoch of the same network in a loop over a DataLoader, with torch's Adam."""
    weights = config.model.draw(config.seed)
    statistics = {name: weights.pop(name) for name in config.model.statistics}
    learned = {name: nn.Parameter(part) for name, part in weights.items()}
    o = config.optimizer
    optimiser = torch.optim.Adam(learned.values(), o.learning_rate, weight_decay=o.weight_decay)
    loader = DataLoader(files, config.batch_size, shuffle=True, drop_last=True)
    losses: list[float] = []

    def work() -> None:
        for images, labels in loader:
            optimiser.zero_grad()
            outputs = config.model.forward(learned | statistics, images, statistics)
            loss = F.cross_entropy(outputs, labels)
            loss.backward()
            optimiser.step()
            losses.append(loss.item())

    work.losses = losses
    return work


class Products(TorchDispatchMode):
    """Keeps every matrix product and convolution of what runs under it, with copies of its
    numbers."""

    OPS = (aten.mm, aten.bmm, aten.addmm, aten.baddbmm, aten.convolution, aten.convolution_backward)

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[Callable[[], object]] = []

    def __torch_dispatch__(self, op, types, args=(), kwargs=None):
        if op.overloadpacket in self.OPS:
            copies = [a.detach().clone() if isinstance(a, Tensor) else a for a in args]
            self.calls.append(partial(op, *copies, **(kwargs or {})))
        return op(*args, **(kwargs or {}))


def products(*configs: RunConfig) -> Work:
    """The matrix products of one update alone, forward, gradient in the inputs, gradient in the
    weights."""
    step = our_step(*configs)
    with Products() as products:
        step()

    def work() -> None:
        for call in products.calls:
            call()

    return work
