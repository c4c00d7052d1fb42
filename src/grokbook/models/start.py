r"""How the word embedding starts: the paper's Toeplitz table, and the tables that tell apart what
it changes."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from grokbook.errors import check_choice

STARTS = (
    "normal",
    "toeplitz",
    "positive",
    "circulant",
    "toeplitz_normal",
    "small_normal",
    "normal_mean",
)
"""Starts of the embedding: see `embedding_start`."""


def embedding_start(kind: str, vocabulary: int, d: int, seed: int) -> Tensor:
    r"""A word embedding (vocabulary, d) at the start of a run; token i is row i.

    With v, v' sequences of independent numbers:

    - "toeplitz": $W_{ij} = v_{|i-j|} / \sqrt d$, v uniform in [0, 1). What the authors' program
      draws: symmetric, every entry positive.
    - "positive": independent entries uniform in [0, 1), over $\sqrt d$: mean and variance of the
      one above, no structure.
    - "circulant": $W_{ij} = v_{(i-j) \bmod n} / \sqrt d$, n = `vocabulary`, v uniform in [0, 1):
      steps of neighbouring rows differ only by which d of the n differences of v they hold, so that
      all, the closing one too, are equally long where d is a multiple of n.
    - "toeplitz_normal": $W_{ij} = v_{i-j} / \sqrt d$, v standard normal over -(d-1) .. n-1: the
      structure of a Toeplitz table at the mean and variance of the paper's random start ("normal":
      independent N(0, 1/d) entries).
    - "small_normal": independent N(0, 1/(12 d)) entries: the variance of the paper's Toeplitz
      table, neither its mean nor its structure.
    - "normal_mean": independent N(1/2, 1) entries over $\sqrt d$: the mean of that table alone.

    Raises ParameterError for another kind.

    Example:
        >>> table = embedding_start("circulant", 5, 3, seed=0)
        >>> bool(torch.allclose(table[1:, 1:], table[:-1, :-1]))
        True

    Source: Gu et al. 2025, Equation 19 and their program (toeplitz(v), v ~ U[0, 1), over the root
    of d); the other starts are controls of this book.
    """
    check_choice("start", kind, STARTS)
    g = torch.Generator().manual_seed(seed)
    apart = torch.arange(vocabulary)[:, None] - torch.arange(d)
    if kind == "toeplitz":
        table = torch.rand(max(vocabulary, d), generator=g)[apart.abs()]
    elif kind == "positive":
        table = torch.rand(vocabulary, d, generator=g)
    elif kind == "circulant":
        table = torch.rand(vocabulary, generator=g)[apart % vocabulary]
    elif kind == "toeplitz_normal":
        table = torch.randn(vocabulary + d - 1, generator=g)[apart + d - 1]
    else:
        table = torch.randn(vocabulary, d, generator=g)
        table = {"small_normal": table / math.sqrt(12), "normal_mean": table + 0.5}.get(kind, table)
    return table / math.sqrt(d)
