"""What the measures accept and refuse."""

from functools import partial

import numpy as np
import pytest
import torch

from grokbook import measures
from grokbook.errors import ParameterError
from grokbook.measures.inputs import rows, to_numpy, whole
from refusals import refusals

ON_EMBEDDINGS = [
    *(
        measures.med,
        partial(measures.med_as, "code_base"),
        measures.normalised_med,
        measures.med_bound,
    ),
    *(
        measures.med_spectral_bound,
        measures.med_diameter_bound,
        measures.least_med,
        measures.fourier_power,
    ),
    *(
        measures.inverse_participation_ratio,
        measures.effective_dimension,
        measures.explained_variance,
    ),
    *(partial(measures.dominant_frequencies, n=1), partial(measures.energy_share, n=1)),
    *(partial(measures.circle_projection, k=1), measures.mean_norm, measures.embedding_measures),
]


@pytest.mark.parametrize("measure", ON_EMBEDDINGS)
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_value_that_is_not_finite_is_named_by_its_row(measure, value):
    table = np.eye(5)
    table[3, 1] = value
    with pytest.raises(ParameterError, match="row 3.*finite"):
        measure(table)


@pytest.mark.parametrize("measure", ON_EMBEDDINGS)
def test_a_table_of_the_wrong_shape_and_a_single_token_are_refused(measure):
    for shape in ((5,), (5, 4, 2), (5, 0)):
        with pytest.raises(ParameterError, match=r"must be \(p, d\)"):
            measure(np.ones(shape))
    if measure is not measures.mean_norm:
        with pytest.raises(ParameterError, match="p = 1 rows"):
            measure(np.ones((1, 4)))


@pytest.mark.parametrize("measure", ON_EMBEDDINGS)
def test_torch_and_numpy_agree_and_gradients_are_left_alone(measure):
    table = np.random.default_rng(3).standard_normal((7, 5))
    tensor = torch.tensor(table, requires_grad=True)
    ours, theirs = measure(table), measure(tensor)
    if isinstance(ours, dict):
        ours, theirs = list(ours.values()), list(theirs.values())
    if isinstance(theirs, torch.Tensor):
        assert not theirs.requires_grad
    np.testing.assert_allclose(ours, np.asarray(theirs), rtol=1e-12, atol=1e-12)
    assert tensor.grad is None


test_refusals_name_the_value_and_the_rule = refusals(
    *(
        (partial(whole, v, "n", least=1, most=5), "n is .* between 1 and 5")
        for v in (0, 6, 2.0, True, "2")
    ),
    (
        lambda: rows(np.eye(2), least=3, name="second"),
        "second has p = 2 rows, but this measure needs at least 3",
    ),
    (lambda: to_numpy(["a", "b"]), "real numbers"),
    (
        lambda: to_numpy(np.ones(2) + 1j),
        "real numbers, got ndarray: complex numbers have an imaginary part",
    ),
    (lambda: rows((torch.ones(2, 2) + 1j).conj()), "real numbers"),
)
