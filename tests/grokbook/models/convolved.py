"""Every convolution that a ResNet can ask for, with oneDNN and without it.

A test runs it in a process of its own, which may crash or never end: oneDNN has other programs for
each processor.
"""

import itertools

import torch
from torch.nn import functional as F

from grokbook.models.resnet import STEMS, convolved

KERNELS = sorted({(1, 1), (1, 2), (3, 1), (3, 2), *STEMS.values()})
CHANNELS = (*range(1, 10), 12, 16)


def gradients(function, x, kernel):
    """Outputs, and the gradients of half their squares by images and kernel."""
    x, kernel = x.detach().requires_grad_(), kernel.detach().requires_grad_()
    y = function(x, kernel)
    return y.detach(), *torch.autograd.grad(y.square().sum() / 2, (x, kernel))


def apart(k, stride, channels, side, last, rows):
    """Largest relative difference to the convolution in float64, of outputs and gradients; `rows`
    networks mapped."""
    generator = torch.Generator().manual_seed(channels)
    images = torch.randn(rows, 5, channels, side, side, generator=generator)
    kernels = torch.randn(rows, 2 * channels, channels, k, k, generator=generator)
    if last:
        images = images.movedim(2, -1).contiguous().movedim(-1, 2)

    def ours(x, kernel):
        if rows == 1:
            return convolved(x[0], kernel[0], stride)[None]
        return torch.vmap(lambda x, k: convolved(x, k, stride))(x, kernel)

    def exact(x, kernel):
        return torch.stack(
            [F.conv2d(a, b, stride=stride, padding=k // 2) for a, b in zip(x, kernel, strict=True)]
        )

    found = gradients(ours, images, kernels)
    with torch.backends.mkldnn.flags(enabled=False):
        expected = gradients(exact, images.double(), kernels.double())
    return max(
        float((a - b).abs().max() / b.abs().max()) for a, b in zip(found, expected, strict=True)
    )


if __name__ == "__main__":
    torch.set_num_threads(1)
    every = itertools.product(KERNELS, CHANNELS, (1, 2, 3, 7, 8, 14), (False, True), (1, 3))
    print(max(apart(*kernel, *rest) for kernel, *rest in every))
