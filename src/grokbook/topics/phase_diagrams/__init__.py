"""Chapter 12: the phase diagrams of Liu et al. 2022, measured cell by cell."""

from __future__ import annotations

import numpy as np

from grokbook.experiments.base import Experiment
from grokbook.experiments.liu2022 import addition
from grokbook.experiments.sweep import Axis, Sweep

FINE = tuple(float(f"{rate:.6g}") for rate in np.logspace(-5, -2, 16))
"""Rates of the decoder in Fig. 6b to 6d."""

COARSE = tuple(float(f"{rate:.6g}") for rate in np.logspace(-5, -2, 13))
"""Rates of embeddings and decoder in Fig. 6a."""

OPEN = "Answers, split and first weights are drawn by our seeds; the published diagrams have one seed a panel."


def fig6() -> dict[str, Experiment]:
    """Fig. 6a, 6b and 6c of Liu et al. 2022.

    Example:
        >>> [(name, tuple(sweep.shape.values())) for name, sweep in fig6().items()]
        [('b', (16, 11)), ('c', (16, 11)), ('a', (13, 13))]
    """

    def decays(most: int) -> Axis:
        return Axis("decoder_weight_decay", tuple(np.linspace(0, most, 11).tolist()))

    found = {
        "b": (addition(), (Axis("decoder_lr", FINE), decays(10)), "addition, regression"),
        "c": (addition(answers="labels"), (Axis("decoder_lr", FINE), decays(20)), "addition, classification"),
        "a": (addition(), (Axis("encoder_lr", COARSE), Axis("decoder_lr", COARSE)), "addition, regression"),
    }
    return {
        panel: Sweep(
            f"liu2022/fig6{panel}", config, (0, 1, 2), axes=axes, source=f"Liu et al. 2022, Fig. 6{panel}",
            statement=f"Phases of the toy: {what}.", choices=OPEN,
        )
        for panel, (config, axes, what) in found.items()
    }  # fmt: skip


RUNS = (fig6,)
