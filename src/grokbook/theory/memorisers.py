"""What a network that only memorises can still get right on the test set."""

from __future__ import annotations

from grokbook.errors import ParameterError


def transpose_accuracy(p: int, n_train: int) -> float:
    r"""Expected test accuracy of a memoriser that answers (i, j) from (j, i) where that was
    trained, else wrongly.

    With n = n_train cells drawn uniformly from the N = p^2 of a commutative operation,

    .. math:: a = \Bigl(1 - \frac1p\Bigr) \frac{n}{N - 1},

    since a test cell is off the diagonal with probability 1 - 1/p, and its transpose is then one of
    the other N - 1 cells, of which n were drawn. For large p this is the training fraction.

    Raises ParameterError unless p >= 2 and 0 < n < p^2.

    Source: this book; the papers do not separate these cells.
    """
    if p < 2 or not 0 < n_train < p * p:
        raise ParameterError(
            f"n_train = {n_train} must lie strictly between 0 and "
            f"p*p = {p * p}, with p of 2 or more."
        )
    return (1 - 1 / p) * n_train / (p * p - 1)
