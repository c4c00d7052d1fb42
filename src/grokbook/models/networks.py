"""One way to ask for parameters and logits of any of the book's networks: the transformer and the two MLPs."""

from __future__ import annotations

from torch import Tensor

from grokbook.errors import ParameterError
from grokbook.models.mlp import EmbeddingMLP, Parameters, QuadraticMLP
from grokbook.models.start import embedding_start
from grokbook.models.transformer import Shape
from grokbook.models.transformer import initialise as draw_transformer
from grokbook.models.transformer import logits as transformer_logits
from grokbook.models.transformer import parameter_shapes as transformer_shapes

Network = Shape | EmbeddingMLP | QuadraticMLP


def parameter_shapes(model: Network) -> dict[str, tuple[int, ...]]:
    """Name and shape of every parameter tensor of a network, in the order in which they are drawn.

    Example:
        >>> list(parameter_shapes(QuadraticMLP(5, width=7)))
        ['W_E', 'W_U']
    """
    return transformer_shapes(model) if isinstance(model, Shape) else model.shapes()


def initialise(model: Network, seed: int, start: str = "normal") -> dict[str, Tensor]:
    """Fresh float32 parameters on the CPU; `start` says how the word embedding is drawn (`models.start`).

    Every other parameter is the same for all starts of one seed. Raises ParameterError for an unknown start, and for
    one that is not "normal" for a network without a word embedding.

    Example:
        >>> import torch
        >>> a, b = initialise(Shape(7, d_model=8), 0), initialise(Shape(7, d_model=8), 0, "toeplitz")
        >>> [name for name in a if not torch.equal(a[name], b[name])]
        ['W_E']
    """
    weights = draw_transformer(model, seed) if isinstance(model, Shape) else model.draw(seed)
    if start == "normal":
        return weights
    if isinstance(model, QuadraticMLP):
        raise ParameterError(f"start = {start!r} needs a word embedding, which {type(model).__name__} does not have.")
    return weights | {"W_E": embedding_start(start, model.vocabulary, model.d_model, seed)}


def logits(w: Parameters, tokens: Tensor, model: Network) -> Tensor:
    """Logits (N, p) of token sequences (N, 3).

    Example:
        >>> import torch
        >>> model = EmbeddingMLP(7, d_model=2, width=3)
        >>> logits(initialise(model, 0), torch.tensor([[0, 3, 7]]), model).shape
        torch.Size([1, 7])
    """
    return transformer_logits(w, tokens, model) if isinstance(model, Shape) else model.logits(w, tokens)


def operand_rows(model: Network, shift: int) -> tuple[slice, slice]:
    """The rows of `W_E` that the first and the second operand use, for tokens shifted by `shift`.

    Example:
        >>> operand_rows(Shape(7, d_model=8, shift=2), 2)
        (slice(0, 7, None), slice(2, 9, None))
    """
    if isinstance(model, Shape):
        return slice(0, model.p), slice(shift, shift + model.p)
    return model.operand_rows(shift)
