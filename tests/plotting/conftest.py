"""Made runs to draw."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

STEPS = np.array([0, 10, 100, 1000])


@pytest.fixture(scope="module")
def runs() -> xr.Dataset:
    rng = np.random.default_rng(0)
    names = ["train_loss", "test_loss", "train_accuracy", "test_accuracy", "test_accuracy_mirrored",
             "test_accuracy_unmirrored", "weight_norm", "embedding_norm", "med", "normalised_med", "fourier_ipr",
             "effective_dimension"]  # fmt: skip
    series = {n: (("seed", "step"), rng.uniform(0.1, 1, size=(3, STEPS.size))) for n in names}
    return xr.Dataset(series, {"seed": [0, 1, 2], "step": STEPS})
