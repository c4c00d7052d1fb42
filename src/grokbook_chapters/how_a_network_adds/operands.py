"""A network on pairs of tokens as a function of the two operands' embeddings: what gradients with
respect to them need.

No network has to offer it. A network of N operands instead of p, whose tokens of the second operand
lie behind those of the first, is the same function with a row of the table for each operand of each
sample.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace

import torch
from torch import Tensor

from grokbook.errors import ParameterError
from grokbook.models.networks import ModularNetwork, Network, Parameters


def from_embeddings(
    network: ModularNetwork, weights: Parameters
) -> Callable[[Tensor, Tensor], Tensor]:
    """The network with its weights as a function of two embeddings, (N, d) and (N, d), to logits
    (N, p).

    Exact for the one-layer transformers and `Quadratic`; every row of the result depends on its own
    two rows alone. Raises ParameterError for a network without `p` and `W_E`.

    Example:
        >>> from grokbook.models.transformer import Shape
        >>> shape = Shape(5, d_model=8)
        >>> weights = shape.draw(0)
        >>> pair = from_embeddings(shape, weights)(weights["W_E"][[3]], weights["W_E"][[4]])
        >>> bool(torch.allclose(pair, shape.forward(weights, torch.tensor([[3, 4, 5]])), atol=1e-6))
        True
    """
    if not isinstance(network, ModularNetwork) or "W_E" not in weights:
        raise ParameterError(
            f"{type(network).__name__} has no embedding W_E of two operands modulo p."
        )
    shifted = "shift" in {field.name for field in fields(network)}
    rest = weights["W_E"][network.p + network.shift :] if shifted else weights["W_E"][:0]

    def logits_of(first: Tensor, second: Tensor) -> Tensor:
        n = len(first)
        places = torch.arange(n)
        changes = {"p": n, "shift": n} if shifted else {"p": n}
        tokens = [places, places + n, torch.full((n,), 2 * n)] if shifted else [places, places]
        wide: Network = replace(network, **changes)  # type: ignore[assignment]  # it has `forward`
        table = torch.cat([first, second, rest])
        return wide.forward({**weights, "W_E": table}, torch.stack(tokens, dim=1))

    return logits_of
