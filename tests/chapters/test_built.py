"""Networks written down: logits as the formulas of `grokbook_chapters.how_a_network_adds.built`, on all pairs, by the
library's forward."""

import numpy as np
import pytest
import torch

from grokbook.errors import ParameterError
from grokbook.models.transformer import plain_logits
from grokbook.tasks.arithmetic import ModularTask
from grokbook_chapters.how_a_network_adds.built import built_quadratic, built_transformer
from grokbook_chapters.how_a_network_adds.frequencies import margins, sums
from grokbook_chapters.how_a_network_adds.sum_of_angles import faded, margin

SETS = {7: [2], 11: [1, 4], 23: [3], 59: [1, 7, 20], 97: [5, 11, 30, 42], 113: [2, 9, 31, 50, 56]}


def logits(network, weights, p):
    return network.forward(weights, torch.as_tensor(ModularTask(p).inputs)).double().numpy()


def formula(p, frequencies, amplitudes, *, fades):
    i, j = np.divmod(np.arange(p * p), p)
    z = 0
    for k, a in zip(frequencies, amplitudes, strict=True):
        strength = a * (np.abs(np.cos(np.pi * k * (i - j) / p)) if fades else np.ones(p * p))
        z = z + strength[:, None] * np.cos(2 * np.pi * k * ((i + j)[:, None] - np.arange(p)) / p)
    return z


@pytest.mark.parametrize(("p", "frequencies"), SETS.items())
@pytest.mark.parametrize(("build", "fades"), [(built_quadratic, False), (built_transformer, True)])
def test_the_forward_pass_is_the_formula(p, frequencies, build, fades):
    """Every logit, and so every margin: `margin` of a clock, `faded` of a pizza."""
    amplitudes = np.linspace(1, 2, len(frequencies))
    z = logits(*build(p, frequencies, amplitudes, dtype=torch.float64), p)
    np.testing.assert_allclose(z, formula(p, frequencies, amplitudes, fades=fades), atol=1e-11)
    by_pair = margins(z)
    e = np.subtract.outer(np.arange(p), np.arange(p)) % p
    clock = margin(p, frequencies, amplitudes)
    predicted = faded(p, frequencies, amplitudes)[e] if fades else np.full((p, p), clock)
    np.testing.assert_allclose(by_pair, predicted, atol=1e-11)
    assert by_pair.min() > 0


@pytest.mark.parametrize("p", SETS)
@pytest.mark.parametrize("build", [built_quadratic, built_transformer])
def test_every_pair_is_right_in_single_precision(p, build):
    """Accuracy exactly 1 on all p^2 pairs, with one frequency and with several."""
    for frequencies in ([1], SETS[p]):
        assert (logits(*build(p, frequencies), p).argmax(axis=1) == sums(p)).all()


def test_the_whole_sequence_gives_the_same():
    """The model written out for three positions agrees with the rewriting that reads the cls row
    alone."""
    shape, weights = built_transformer(11, [1, 4], dtype=torch.float64)
    tokens = torch.as_tensor(ModularTask(11).inputs)
    torch.testing.assert_close(plain_logits(weights, tokens, shape), shape.forward(weights, tokens))


def test_weights_have_the_shapes_of_the_network():
    for network, weights in (built_quadratic(7, [1, 2]), built_transformer(7, [1, 2])):
        assert {name: tuple(w.shape) for name, w in weights.items()} == network.shapes()
        assert {w.dtype for w in weights.values()} == {torch.float32}


def test_what_is_refused():
    for p, frequencies, amplitudes in (
        (8, [1], None),
        (7, [4], None),
        (7, [1, 1], None),
        (7, [], None),
        (7, [1], [-1.0]),
        (7, [1], [1.0, 2.0]),
    ):
        for build in (built_quadratic, built_transformer):
            with pytest.raises(ParameterError):
                build(p, frequencies, amplitudes)
