"""Optimisers on a stack of runs against torch's own, row by row (Loshchilov & Hutter 2019; Kingma &
Ba 2015)."""

from functools import partial

import pytest
import torch

from grokbook.training.optim import Adam, AdamW, Columns, Sgd

DIFFERENT = [
    AdamW(),
    AdamW(learning_rate=3e-3, weight_decay=0.0),
    AdamW(learning_rate=1e-2, beta1=0.5, beta2=0.999, eps=1e-4, weight_decay=2.0, warmup=0),
    AdamW(learning_rate=1e-4, weight_decay=0.1, warmup=3),
]


def gradients(rows, steps=25, size=6):
    """Gradients of very different sizes, a zero among them, float64 of shape (steps, rows,
    size)."""
    drawn = torch.randn(
        steps, rows, size, dtype=torch.float64, generator=torch.Generator().manual_seed(1)
    )
    return drawn * torch.logspace(-6, 3, size, dtype=torch.float64) * (torch.arange(size) != 2)


def start(rows, size=6):
    """Weights, and the moments' zeros."""
    weights = torch.randn(
        rows, size, dtype=torch.float64, generator=torch.Generator().manual_seed(2)
    )
    return weights, torch.zeros_like(weights), torch.zeros_like(weights)


def adamw_step(weights, gradient, mean, square, settings, step):
    """One update of every row by its own settings."""
    shapes = {"w": weights.shape[1:]}
    numbers = Columns(settings, shapes, {}, weights)(step)
    settings[0].update(weights, gradient, {"mean": mean, "square": square}, numbers, shapes)


def by_torch(setting, weights, series):
    """The path of one row under torch.optim.AdamW with LambdaLR min(step / warmup, 1)."""
    w = weights.clone().requires_grad_()
    s = setting
    optimiser = torch.optim.AdamW([w], s.learning_rate, (s.beta1, s.beta2), s.eps, s.weight_decay)
    factor = (lambda step: min(step / s.warmup, 1)) if s.warmup else (lambda step: 1.0)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, factor)
    path = []
    for gradient in series:
        w.grad = gradient.clone()
        optimiser.step()
        schedule.step()
        path.append(w.detach().clone())
    return torch.stack(path)


@pytest.mark.parametrize(
    "settings", [[AdamW()] * 3, DIFFERENT], ids=["one setting", "a setting a row"]
)
def test_every_row_moves_as_under_torchs_adamw(settings):
    g = gradients(len(settings))
    weights, mean, square = start(len(settings))
    expected = torch.stack(
        [by_torch(s, w, g[:, r]) for r, (s, w) in enumerate(zip(settings, weights, strict=True))]
    )
    for step, gradient in enumerate(g):
        adamw_step(weights, gradient, mean, square, settings, step)
        torch.testing.assert_close(weights, expected[:, step], rtol=1e-12, atol=1e-13)


COUPLED = {
    "Adam": (
        [Adam(), Adam(3e-3, weight_decay=0.2), Adam(0.1, 0.5, 0.9, 1e-4, 1.0)],
        lambda s: partial(
            torch.optim.Adam, lr=s.learning_rate, betas=(s.beta1, s.beta2), eps=s.eps
        ),
    ),
    "SGD": (
        [Sgd(), Sgd(1e-3, weight_decay=0.2), Sgd(1e-4, 0.0, weight_decay=1.0)],
        lambda s: partial(torch.optim.SGD, lr=s.learning_rate, momentum=s.beta1),
    ),
}


@pytest.mark.parametrize("name", COUPLED)
def test_decay_may_be_part_of_the_gradient(name):
    """Kingma & Ba 2015, Algorithm 1, on g + wd w; momentum m <- mu m + g + wd w."""
    settings, theirs = COUPLED[name]
    g, weights = gradients(3), start(3)[0]
    rows = [w.clone().requires_grad_() for w in weights]
    optimisers = [
        theirs(s)([w], weight_decay=s.weight_decay) for s, w in zip(settings, rows, strict=True)
    ]
    shapes = {"w": weights.shape[1:]}
    state, numbers = settings[0].init(weights, shapes), Columns(settings, shapes, {}, weights)
    for step, gradient in enumerate(g):
        for row, optimiser, part in zip(rows, optimisers, gradient, strict=True):
            row.grad = part.clone()
            optimiser.step()
        settings[0].update(weights, gradient, state, numbers(step), shapes)
        torch.testing.assert_close(
            weights, torch.stack([r.detach() for r in rows]), rtol=1e-10, atol=1e-12
        )
