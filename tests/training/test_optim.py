"""AdamW on a stack of runs against torch's own, row by row (Loshchilov & Hutter 2019, Algorithm 2)."""

from __future__ import annotations

import pytest
import torch

from grokbook.errors import ParameterError
from grokbook.training.optim import AdamW, Columns

DIFFERENT = [
    AdamW(),
    AdamW(learning_rate=3e-3, weight_decay=0.0),
    AdamW(learning_rate=1e-2, beta1=0.5, beta2=0.999, eps=1e-4, weight_decay=2.0, warmup=0),
    AdamW(learning_rate=1e-4, weight_decay=0.1, warmup=3),
]


def gradients(rows, steps=25, size=6):
    """Gradients of very different sizes, a zero among them, float64 of shape (steps, rows, size)."""
    drawn = torch.randn(steps, rows, size, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    return drawn * torch.logspace(-6, 3, size, dtype=torch.float64) * (torch.arange(size) != 2)


def start(rows, size=6):
    """Weights, and the moments' zeros."""
    weights = torch.randn(rows, size, dtype=torch.float64, generator=torch.Generator().manual_seed(2))
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


@pytest.mark.parametrize("settings", [[AdamW()] * 3, DIFFERENT], ids=["one setting", "a setting a row"])
def test_every_row_moves_as_under_torchs_adamw(settings):
    g = gradients(len(settings))
    weights, mean, square = start(len(settings))
    expected = torch.stack([by_torch(s, w, g[:, r]) for r, (s, w) in enumerate(zip(settings, weights, strict=True))])
    for step, gradient in enumerate(g):
        adamw_step(weights, gradient, mean, square, settings, step)
        torch.testing.assert_close(weights, expected[:, step], rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("row", range(len(DIFFERENT)))
def test_a_row_moves_alike_alone_and_among_others(row):
    together, alone = start(len(DIFFERENT)), [t[row : row + 1].clone() for t in start(len(DIFFERENT))]
    for step, gradient in enumerate(gradients(len(DIFFERENT))):
        adamw_step(together[0], gradient, *together[1:], DIFFERENT, step)
        adamw_step(alone[0], gradient[row : row + 1], *alone[1:], [DIFFERENT[row]], step)
    torch.testing.assert_close(together[0][row : row + 1], alone[0], rtol=1e-13, atol=0)


def test_the_first_step_moves_nothing_but_the_moments():
    weights, mean, square = start(2)
    before, gradient = weights.clone(), gradients(2)[0]
    adamw_step(weights, gradient, mean, square, [AdamW(beta1=0.9, beta2=0.98)] * 2, 0)
    assert torch.equal(weights, before)
    torch.testing.assert_close(mean, 0.1 * gradient)
    torch.testing.assert_close(square, 0.02 * gradient**2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"learning_rate": 0.0}, "learning_rate = 0.0 must be a positive number."),
        ({"learning_rate": float("inf")}, "learning_rate = inf must be a positive number."),
        ({"learning_rate": float("nan")}, "learning_rate = nan must be a positive number."),
        ({"beta1": 1.0}, "beta1 = 1.0 must be in [0, 1)."),
        ({"beta2": -0.1}, "beta2 = -0.1 must be in [0, 1)."),
        ({"eps": 0}, "eps = 0 must be a positive number."),
        ({"weight_decay": -1}, "weight_decay = -1 must be zero or more."),
        ({"weight_decay": float("nan")}, "weight_decay = nan must be zero or more."),
        ({"warmup": -1}, "warmup = -1 must be zero or more."),
    ],
)
def test_a_setting_out_of_range_is_refused(arguments, message):
    with pytest.raises(ParameterError) as caught:
        AdamW(**arguments)
    assert str(caught.value) == message
