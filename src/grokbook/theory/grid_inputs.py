"""What the functions on coverage ask of their input: a square mask, whole numbers, a disc that fits
its torus."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from grokbook.errors import ParameterError
from grokbook.measures.inputs import whole

Mask = np.ndarray | torch.Tensor | list[Any]
LARGEST_SIDE = 2**15


def grid(train_mask: Mask) -> np.ndarray:
    """The mask as a bool array (p, p), refused if it is not square or holds anything but 0 and
    1."""
    try:
        mask = (
            train_mask.detach().cpu().numpy()
            if isinstance(train_mask, torch.Tensor)
            else np.asarray(train_mask)
        )
    except ValueError:
        raise ParameterError(
            "train_mask must be a square table, but its rows differ in length."
        ) from None
    if mask.ndim != 2 or mask.shape[0] != mask.shape[1] or mask.size == 0:
        raise ParameterError(
            f"train_mask has shape {mask.shape}, but must be a square (p, p) with p of 1 or more."
        )
    if mask.dtype != bool and not (mask.dtype.kind in "iuf" and np.isin(mask, (0, 1)).all()):
        raise ParameterError("train_mask must hold True and False (or 1 and 0) and nothing else.")
    return mask.astype(bool)


def side_and_radius(p: object, k: object, torus: bool) -> tuple[int, int]:
    """Side p and radius k as integers; refused below 1, for too large a grid, for a disc that
    overlaps itself."""
    p = whole(p, "p")
    k = whole(k, "k")
    if p > LARGEST_SIDE:
        raise ParameterError(
            f"p = {p} makes a grid of {p * p} cells; p may be at most {LARGEST_SIDE}."
        )
    if torus and 2 * k - 1 > p:
        raise ParameterError(
            f"k = {k} makes a disc of width {2 * k - 1} overlap itself on a torus of side {p}; the"
            f" largest k is {(p + 1) // 2}."
        )
    return p, k


def count(m: object, p: int) -> int:
    """The number m of training cells as an int, refused outside 0 .. p^2.

    Example:
        >>> count(25, 5)
        25
    """
    return whole(m, "m", least=0, most=p * p)
