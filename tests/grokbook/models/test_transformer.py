"""The transformer of Gu et al. 2025 (Eqs 1-2): the exact rewriting, its gradients, sizes, inputs,
refusals."""

import math

import pytest
import torch
from torch.nn import functional as F

from grokbook.errors import ParameterError
from grokbook.models import transformer as tf
from grokbook.models.transformer import Shape, initialise, parameter_shapes
from grokbook.tasks import ModularTask
from whole_sequence import whole_sequence_logits

TOLERANCE = {torch.float32: 1e-5, torch.float64: 1e-10}


def random_weights(shape, dtype, seed=3):
    """Initial weights with biases that are not zero, so that their gradients are tested too."""
    drawn = initialise(shape, seed)
    generator = torch.Generator().manual_seed(seed + 1)
    return {
        name: (w + 0.1 * torch.randn(w.shape, generator=generator)).to(dtype).requires_grad_()
        for name, w in drawn.items()
    }


def value_and_gradients(function, w, task, shape):
    """Logits on every cell, and the gradient of the training loss in every parameter."""
    tokens, labels = torch.from_numpy(task.tokens), torch.from_numpy(task.labels)
    z = function(w, tokens, shape)
    rows = torch.from_numpy(task.train_index)
    loss = F.cross_entropy(z[rows], labels[rows])
    return z.detach(), dict(zip(w, torch.autograd.grad(loss, list(w.values())), strict=True))


@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
@pytest.mark.parametrize("positional", [True, False], ids=["positions", "no-positions"])
@pytest.mark.parametrize("shift", [0, 1, 4, 7, 12])
def test_the_exact_rewriting_equals_the_whole_sequence_model(shift, positional, dtype):
    """Logits on all p*p cells and the gradient of every parameter, for k = 0, k < p, k = p and k >
    p."""
    shape = Shape(7, d_model=16, n_heads=4, shift=shift, positional=positional)
    task, w = ModularTask(7, train_fraction=0.5, shift=shift), random_weights(shape, dtype)
    ours, ours_gradients = value_and_gradients(tf.cls_logits, w, task, shape)
    plain, gradients = value_and_gradients(whole_sequence_logits, w, task, shape)
    torch.testing.assert_close(ours, plain, rtol=0, atol=TOLERANCE[dtype])
    assert set(gradients) == set(parameter_shapes(shape))
    for name, gradient in gradients.items():
        torch.testing.assert_close(
            ours_gradients[name], gradient, rtol=0, atol=TOLERANCE[dtype], msg=name
        )
        assert gradient.abs().max() > 1e-4, f"{name}: a gradient of zero tests nothing"


@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
@pytest.mark.parametrize("positional", [True, False], ids=["positions", "no-positions"])
@pytest.mark.parametrize("n_layers", [1, 2, 3])
def test_the_plain_model_equals_an_independent_one_at_any_depth(n_layers, positional, dtype):
    shape = Shape(5, d_model=8, n_heads=2, n_layers=n_layers, shift=2, positional=positional)
    task, w = ModularTask(5, train_fraction=0.5, shift=2), random_weights(shape, dtype)
    ours, ours_gradients = value_and_gradients(tf.plain_logits, w, task, shape)
    other, gradients = value_and_gradients(whole_sequence_logits, w, task, shape)
    tolerance = TOLERANCE[dtype] * max(1.0, other.abs().max().item())  # streams grow with the depth
    torch.testing.assert_close(ours, other, rtol=0, atol=tolerance)
    for name, gradient in gradients.items():
        torch.testing.assert_close(ours_gradients[name], gradient, rtol=0, atol=tolerance, msg=name)


@pytest.mark.parametrize("d_mlp", [None, 20])
@pytest.mark.parametrize("positional", [True, False])
@pytest.mark.parametrize(
    ("p", "d", "layers", "shift"), [(97, 128, 1, 0), (7, 8, 2, 3), (5, 16, 3, 5)]
)
def test_the_parameter_count_is_the_closed_form(p, d, layers, shift, positional, d_mlp):
    """(p + k + 1) d + 3 d + L (4 d^2 + 2 d m + m + d) + p d, without 3 d where there are no
    positions."""
    m = d_mlp or 4 * d
    expected = (
        (p + shift + 1) * d + 3 * d * positional + layers * (4 * d * d + 2 * d * m + m + d) + p * d
    )
    shape = Shape(p, d, n_layers=layers, shift=shift, positional=positional, d_mlp=d_mlp)
    assert sum(math.prod(size) for size in shape.shapes().values()) == expected
    assert {name: tuple(w.shape) for name, w in shape.draw(0).items()} == shape.shapes()


def test_initial_weights_are_normal_with_variance_one_over_d():
    """FACTS of the authors' code: every weight randn / sqrt(d), every bias zero; moments within 5
    standard errors."""
    d = 64
    for name, w in initialise(Shape(97, d_model=d), seed=0).items():
        if name.startswith("b_"):
            assert not w.any()
            continue
        z, n = w.double().ravel() * math.sqrt(d), w.numel()
        assert abs(z.mean()) < 5 / math.sqrt(n), name
        assert abs(z.square().mean() - 1) < 5 * math.sqrt(2 / n), name
        assert abs(z.pow(4).mean() - 3) < 5 * math.sqrt(96 / n), name


REFUSED_SIZES = {
    "is not a multiple of n_heads = 4; the nearest is 8.": [("d_model", 10)],
    "is not a multiple of n_heads = 4; the nearest is 4.": [("d_model", 3)],
    "must be an integer of 0 or more.": [("shift", -1)],
    "must be an integer of 1 or more.": [
        *[
            ("d_model", 0),
            ("d_model", 8.0),
            ("n_heads", 0),
            ("n_layers", 0),
            ("n_layers", True),
            ("d_mlp", -4),
        ]
    ],
}


@pytest.mark.parametrize(
    ("rule", "size"), [(rule, size) for rule, sizes in REFUSED_SIZES.items() for size in sizes]
)
def test_a_size_out_of_range_is_refused(rule, size):
    with pytest.raises(ParameterError) as caught:
        Shape(7, **dict([size]))
    assert str(caught.value) == "{} = {!r} ".format(*size) + rule
