"""Liu et al. 2022, section 3 and appendix H: the decoder sees a sum of two vectors, or a product of
two matrices."""

import numpy as np
import pytest
import torch

from grokbook.models.toy import Toy


@pytest.mark.parametrize("product", [False, True])
def test_the_decoder_sees_a_sum_or_a_product(product):
    model = Toy(3, 4, hidden=(5,), outputs=2, product=product)
    w = model.draw(0)
    E, first, second = (w[name].numpy() for name in ("W_E", "W.1", "W.2"))
    pairs = np.array([[0, 1], [2, 0], [1, 1]])
    left, right = E[pairs[:, 0]], E[pairs[:, 1]]
    seen = (
        (left.reshape(-1, 2, 2) @ right.reshape(-1, 2, 2)).reshape(-1, 4)
        if product
        else left + right
    )
    expected = np.tanh(seen @ first.T + w["b.1"].numpy()) @ second.T + w["b.2"].numpy()
    np.testing.assert_allclose(
        model.forward(w, torch.from_numpy(pairs)).numpy(), expected, atol=1e-6
    )
