r"""ResNet-18 of He et al. 2016 on images, with its batch statistics among the named tensors."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from grokbook.errors import ParameterError, check_choice, check_integers, checked_call
from grokbook.models.networks import Parameters, Shapes
from grokbook.tasks.task import what_is_read

STEMS = {"imagenet": (7, 2), "small": (3, 1)}
"""Kernel and stride of the first convolution; the first kind is followed by pooling over 3 x 3 with
stride 2."""

MOMENTUM = 0.1
EPSILON = 1e-5
"""Share of a batch in the running statistics, and what is added to a variance: torch's."""

STAGES = (1, 2, 3, 4)


def convolved(x: Tensor, kernel: Tensor, stride: int = 1) -> Tensor:
    """Images (N, i, h, w) convolved with a kernel (o, i, k, k), k odd, padded by (k - 1) / 2: (N,
    o, h / s, w / s).

    A kernel of 1 x 1 reads every s-th row and column alone, so these are taken first and the stride
    is 1: the same numbers. With stride 2 and 2 to 7 channels, channels last, the backward pass of
    oneDNN for AVX2 overwrites memory.
    """
    if kernel.shape[-1] == 1:
        x = x[..., ::stride, ::stride]
        stride = 1
    return F.conv2d(x, kernel, stride=stride, padding=kernel.shape[-1] // 2)


@checked_call
@dataclass(frozen=True)
class ResNet:
    r"""Sizes of ResNet-18: a stem, four stages of two blocks with `width`, 2, 4 and 8 times that, a
    linear head.

    A block is $x \mapsto \mathrm{ReLU}(s(x) + B(C(\mathrm{ReLU}(B(C x)))))$ with convolutions C of
    3 x 3, batch normalisations B, and s the identity or, where stride or width change, a normalised
    convolution of 1 x 1. Images are (N, channels, size, size); the names are those of torchvision's
    `resnet18`, so its files of weights fit.

    Batch statistics (`statistics`) are the last of the named tensors. They are not learned:
    training normalises by the statistics of the batch and moves the kept ones a tenth of the way to
    them, `forward` uses the kept ones.

    Raises ParameterError for sizes that are not positive integers, an unknown stem, and a task of
    other sizes.

    Example:
        >>> sum(math.prod(s) for name, s in ResNet(1000).shapes().items() if "running" not in name)
        11689512

    Source: He et al. 2016, Table 1 (18 layers, shortcuts B); the small stem is that of their
    section 4.2.
    """

    outputs: int
    width: int = 64
    stem: str = "imagenet"
    channels: int = 3
    size: int = 224

    def __post_init__(self) -> None:
        check_integers(self, outputs=2, width=1, channels=1, size=1)
        check_choice("stem", self.stem, STEMS)

    def _blocks(self) -> list[tuple[str, int, int, int]]:
        """Name, inputs, outputs and stride of every block."""
        blocks = []
        inputs = self.width
        for stage in STAGES:
            outputs = self.width * 2 ** (stage - 1)
            for block, stride in enumerate((1 if stage == 1 else 2, 1)):
                blocks.append((f"layer{stage}.{block}", inputs, outputs, stride))
                inputs = outputs
        return blocks

    def _convolutions(self) -> dict[str, tuple[tuple[int, ...], str, int]]:
        """Convolution -> shape, the normalisation that follows it, stride."""
        kernel, stride = STEMS[self.stem]
        convolutions: dict[str, tuple[tuple[int, ...], str, int]] = {}
        convolutions["conv1"] = (self.width, self.channels, kernel, kernel), "bn1", stride
        for name, i, o, step in self._blocks():
            convolutions[f"{name}.conv1"] = (o, i, 3, 3), f"{name}.bn1", step
            convolutions[f"{name}.conv2"] = (o, o, 3, 3), f"{name}.bn2", 1
            if step > 1 or i != o:
                convolutions[f"{name}.downsample.0"] = (o, i, 1, 1), f"{name}.downsample.1", step
        return convolutions

    def shapes(self) -> Shapes:
        """Name and shape of every learned parameter, then of the batch statistics."""
        learned: Shapes = {}
        statistics: Shapes = {}
        for name, (shape, norm, _) in self._convolutions().items():
            learned |= {
                f"{name}.weight": shape,
                f"{norm}.weight": shape[:1],
                f"{norm}.bias": shape[:1],
            }
            statistics |= {f"{norm}.running_mean": shape[:1], f"{norm}.running_var": shape[:1]}
        head = {"fc.weight": (self.outputs, 8 * self.width), "fc.bias": (self.outputs,)}
        return learned | head | statistics

    @cached_property
    def statistics(self) -> tuple[str, ...]:
        """Names of the batch statistics, the last of `shapes`."""
        return tuple(name for name in self.shapes() if ".running_" in name)

    def draw(self, seed: int) -> dict[str, Tensor]:
        """Initial tensors as torchvision's: convolutions N(0, 2 / (outputs * kernel)), scales 1,
        shifts 0, means 0."""
        generator = torch.Generator().manual_seed(seed)

        def one(name: str, shape: tuple[int, ...]) -> Tensor:
            if len(shape) == 4:
                return torch.randn(shape, generator=generator) * math.sqrt(
                    2 / (shape[0] * shape[2] * shape[3])
                )
            if name.startswith("fc."):
                return (2 * torch.rand(shape, generator=generator) - 1) / math.sqrt(8 * self.width)
            return (
                torch.ones(shape)
                if name.endswith(("weight", "running_var"))
                else torch.zeros(shape)
            )

        return {name: one(name, shape) for name, shape in self.shapes().items()}

    def features(
        self, weights: Parameters, images: Tensor, seen: dict[str, Tensor] | None = None
    ) -> Tensor:
        """What the head reads of images: the mean (N, 8 * width) over all places of the last of
        `maps`."""
        for x in self.maps(weights, images, seen):
            last = x
        return last.mean(dim=(-2, -1))

    def maps(
        self, weights: Parameters, images: Tensor, seen: dict[str, Tensor] | None = None
    ) -> Iterator[Tensor]:
        """What the stem makes of images, maximum pooling included, then each block: (N, maps,
        places, places).

        With `seen`, normalised by the images' own statistics; the kept ones, moved, are put into it
        by name.
        """

        def layer(x: Tensor, name: str) -> Tensor:
            _, norm, stride = convolutions[name]
            x = convolved(x, weights[f"{name}.weight"], stride)
            moments = [f"{norm}.running_mean", f"{norm}.running_var"]
            mean, variance = (weights[k] for k in moments)
            if seen is not None:
                mean = mean.detach().clone()
                variance = variance.detach().clone()
            scale = weights[f"{norm}.weight"]
            shift = weights[f"{norm}.bias"]
            x = F.batch_norm(x, mean, variance, scale, shift, seen is not None, MOMENTUM, EPSILON)
            if seen is not None:
                seen.update(zip(moments, (mean, variance), strict=True))
            return x

        convolutions = self._convolutions()
        # channels last: quicker
        x = F.relu(layer(images, "conv1")).movedim(1, -1).contiguous().movedim(-1, 1)
        yield (x := F.max_pool2d(x, 3, 2, 1) if self.stem == "imagenet" else x)
        for name, *_ in self._blocks():
            shortcut = (
                layer(x, f"{name}.downsample.0") if f"{name}.downsample.0" in convolutions else x
            )
            yield (
                x := F.relu(shortcut + layer(F.relu(layer(x, f"{name}.conv1")), f"{name}.conv2"))
            )

    def forward(
        self, weights: Parameters, inputs: Tensor, seen: dict[str, Tensor] | None = None
    ) -> Tensor:
        """Outputs (N, outputs) of images (N, channels, size, size); `seen` as in `features`."""
        return F.linear(
            self.features(weights, inputs, seen), weights["fc.weight"], weights["fc.bias"]
        )

    def _sides(self) -> dict[str, int]:
        """Convolution -> side of what it puts out, in pixels."""
        side = -(-self.size // STEMS[self.stem][1])
        sides = {"conv1": side}
        side = -(-side // 2) if self.stem == "imagenet" else side
        for name, *_, stride in self._blocks():
            side = -(-side // stride)
            for part in ("conv1", "conv2", "downsample.0"):
                sides[f"{name}.{part}"] = side
        return sides

    def products(self, samples: int) -> int:
        """Multiply-adds of a forward pass on `samples` images."""
        sides = self._sides()
        of_a_sample = 8 * self.width * self.outputs
        for name, (shape, *_) in self._convolutions().items():
            of_a_sample += math.prod(shape) * sides[name] ** 2
        return samples * of_a_sample

    @property
    def activations(self) -> int:
        """Numbers kept for each image of a training pass, about: two of each convolution's
        outputs."""
        sides = self._sides()
        outputs = 0
        for name, (shape, *_) in self._convolutions().items():
            outputs += shape[0] * sides[name] ** 2
        return 2 * outputs

    def check(self, task: Any) -> None:
        """Raise ParameterError for a task whose images have other sizes or that has more labels
        than outputs."""
        image = torch.from_numpy(task.inputs[:1])
        wanted = (self.channels, self.size, self.size)
        size = tuple(what_is_read(task, image).shape[1:])
        if size != wanted:
            raise ParameterError(
                f"the model is made for images of {wanted}, but the task has images of {size}."
            )
        if (labels := int(task.targets.max()) + 1) > self.outputs:
            raise ParameterError(
                f"outputs = {self.outputs} must be at least the {labels} labels of the task."
            )
