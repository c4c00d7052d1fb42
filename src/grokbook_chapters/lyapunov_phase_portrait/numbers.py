"""What chapter 08 computes of two samples, and every number of its prose."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from grokbook.theory.triple_product import limit_point
from grokbook_chapters.lyapunov_phase_portrait.cube_limits import CubeLimits, largest_distance
from grokbook_chapters.lyapunov_phase_portrait.matrix_flow import (
    coordinates,
    matrix_flow,
    other_sample_loss,
    rank_one,
)
from grokbook_chapters.lyapunov_phase_portrait.triple_stability import lyapunov


def two_samples(start: Sequence[float]) -> pd.DataFrame:
    """The loss of the trained sample and of another, whose input is orthogonal, at the ends of a
    path of aligned matrices.

    Example:
        >>> two_samples([0.5, 0.6, 0.7]).loc["another", "at the end"].item()
        0.5
    """
    right, other = np.eye(5)[:2]
    trained_input, other_input = np.eye(4)[:2]
    hidden = np.ones(3)
    path = matrix_flow(rank_one(start, right, hidden, trained_input), right, [0, 12, 60])
    points = coordinates(path, right, hidden, trained_input).point
    losses = {
        "trained": lyapunov(points)[[0, -1]],
        "another": other_sample_loss(path, other_input, other)[[0, -1]],
    }
    table = pd.DataFrame.from_dict(losses, orient="index", columns=["at the start", "at the end"])
    return table.rename_axis("sample")


def numbers(start: Sequence[float], limits: CubeLimits) -> dict[str, str]:
    """What the prose uses of one start, and of the limits of the unit cube."""
    end = limit_point(np.array(start))
    return {
        "start": "(" + ", ".join(f"{value:g}" for value in start) + ")",
        "end": "(" + ", ".join(f"{value:.4f}" for value in end) + ")",
        "n_starts": f"{len(limits.starts):,}",
        "mean": f"{limits.mean_distance.value:.3f}",
        "near": f"{limits.share_within(0.1).value:.1%}",
        "largest_distance": f"{largest_distance():.3f}",
    }
