"""What a transformer computes on the way from tokens to logits: the read-out row at every stage,
for many samples."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

from grokbook.models.transformer import Parameters, Shape, self_attention

SUM = "sum of embeddings"


@torch.no_grad()
def activations(w: Parameters, tokens: Tensor, shape: Shape) -> dict[str, Tensor]:
    r"""The stages of the computation, name -> Tensor (N, width), in the order in which they happen.

    - "sum of embeddings": $\phi_1(i) + \phi_2(j)$, word and position vectors of both operands, the
      quantity of Gu et al. 2025, Theorem 3.5. The network never forms it; it is what their argument
      is about.
    - "attention l": the cls row of the residual stream after the attention of layer l (l = 1, 2,
      ...);
    - "hidden l": its ReLU units; "MLP l": the cls row after the MLP;
    - "logits": what is read off the last of these.

    Args:
        w: named parameters (`grokbook.models.transformer.parameter_shapes`).
        tokens: token sequences (N, 3).
        shape: the sizes.

    Example:
        >>> from grokbook.models.transformer import initialise
        >>> shape = Shape(7, d_model=8)
        >>> layers = activations(initialise(shape, 0), torch.tensor([[0, 3, 7]]), shape)
        >>> {name: tuple(value.shape) for name, value in layers.items()}
        {'sum of embeddings': (1, 8), 'attention 1': (1, 8), 'hidden 1': (1, 32),
         'MLP 1': (1, 8), 'logits': (1, 7)}

    Source: Gu et al. 2025, Equations 1-2 and section 3.2.
    """
    x = F.embedding(tokens, w["W_E"])
    if shape.positional:
        x = x + w["W_pos"]
    layers = {SUM: x[:, 0] + x[:, 1]}
    for l in range(shape.n_layers):
        x = self_attention(w, l, x, shape)
        hidden = F.relu(F.linear(x, w[f"W_in.{l}"], w[f"b_in.{l}"]))
        layers[f"attention {l + 1}"] = x[:, -1]
        layers[f"hidden {l + 1}"] = hidden[:, -1]
        x = x + F.linear(hidden, w[f"W_out.{l}"], w[f"b_out.{l}"])
        layers[f"MLP {l + 1}"] = x[:, -1]
    return layers | {"logits": F.linear(x[:, -1], w["W_U"])}
