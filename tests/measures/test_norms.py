"""Norms of all weights and of an embedding's rows."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
import torch

from grokbook.errors import ParameterError
from grokbook.measures import mean_norm, weight_norm

from .tables import circles, gaussian


def test_weight_norm_is_that_of_the_concatenated_weights():
    parts = {"W": gaussian(3, 4), "b": gaussian(1, 5)[0], "s": np.array(2.0)}
    everything = np.concatenate([part.ravel() for part in parts.values()])
    assert weight_norm(parts) == pytest.approx(np.linalg.norm(everything), rel=1e-12)


def test_weight_norm_of_a_module_takes_part_in_no_gradient():
    model = torch.nn.Linear(7, 5)
    expected = sqrt(sum(float((w.detach() ** 2).sum()) for w in model.parameters()))
    assert weight_norm(model.parameters()) == pytest.approx(expected, rel=1e-6)
    assert weight_norm(dict(model.named_parameters())) == weight_norm(model.parameters())
    assert weight_norm(model.state_dict()) == weight_norm(model.parameters())


def test_mean_norm_of_circles():
    assert mean_norm(circles(11, [1, 2], [3.0, 4.0])) == pytest.approx(5.0)


def test_mean_norm_at_initialisation():
    """Rows with entries N(0, 1/d) have length close to 1 - 1/(4d)."""
    assert mean_norm(gaussian(2000, 128) / sqrt(128)) == pytest.approx(1 - 1 / 512, abs=4 * sqrt(0.5 / 128 / 2000))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ([], "empty"),
        ({}, "empty"),
        ([np.array([1.0, np.nan])], "not finite"),
        ([torch.tensor([np.inf])], "finite"),
    ],
)
def test_refusals_name_the_rule(parameters, message):
    with pytest.raises(ParameterError, match=message):
        weight_norm(parameters)
