"""Every number, text and truth of chapter 11's prose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from companion.claims import findings
from companion.page import Prose, Truth
from grokbook.theory.linear_probability import crossing
from grokbook.theory.parallelograms import Sample, all_samples, ideal_model, nullity
from grokbook_chapters.effective_theory.representations import (
    largest_failing_set,
    least_set,
    line_without_answers,
)


def numbers(
    p: int, pairs: Sequence[Sample], curves: Mapping[int, np.ndarray], sizes: pd.DataFrame
) -> Prose:
    """What the prose uses: the worked example of `p` symbols with its training `pairs`, the chances
    of a line by p and the sizes at which they are one half."""
    free = nullity(pairs, p)
    least = least_set(p)
    known_least = ideal_model(least, p)["accuracy"]
    half_size = crossing(curves[10]) * len(all_samples(10))
    share_at = sizes.set_index("p").share
    lost = line_without_answers.finding()
    early = findings(["LF10"])["LF10"]
    return {
        "p": p,
        "samples": len(pairs),
        "middle": p - 1,
        "least": len(least),
        "failing": len(largest_failing_set(p)),
        "known_least": f"{known_least:.0%}",
        "half_size": f"{half_size:.0f}",
        "share_20": f"{share_at[20]:.0%}",
        "lonely": f"{lost.value:.2f}",
        "all_seen": f"{lost.numbers['all_seen']:.0%}",
        "early": early.numbers["early"],
        "line_forced": Truth(free == 2, f"{free} degrees of freedom are left"),
    }
