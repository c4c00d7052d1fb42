"""Models: parameters as plain named tensors, forward passes as functions of them."""

from grokbook.models.transformer import Transformer

__all__ = ["Transformer"]
