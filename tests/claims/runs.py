"""Made runs for the tests of claims: curves whose verdict is known."""

from __future__ import annotations

import numpy as np
import xarray as xr

STEPS = np.arange(0, 6001, 10)


def made_run(loss: np.ndarray, measure: np.ndarray, accuracy: np.ndarray) -> xr.Dataset:
    """One seed that fits at once, with these curves."""
    train = np.where(STEPS >= 50, 1.0, 0.1)
    series = {"train_accuracy": train, "test_accuracy": accuracy, "test_loss": loss, "med": measure}
    series["test_accuracy_unmirrored"] = np.where(accuracy > 0.5, accuracy, 0.0)
    return xr.Dataset({n: (("seed", "step"), v[None]) for n, v in series.items()}, {"seed": [0], "step": STEPS})


def rise(at: int) -> np.ndarray:
    """An accuracy that goes from 0.1 to 1 at a step."""
    return np.where(at <= STEPS, 1.0, 0.1)


def noise(seed: int) -> np.ndarray:
    """A random walk."""
    return np.random.default_rng(seed).normal(size=STEPS.size).cumsum()


def hump(down: int, floor: float) -> np.ndarray:
    """A curve that starts at 1, is 2 until step `down` and then `floor`, with a little restlessness."""
    wiggle = 0.01 * np.random.default_rng(0).normal(size=STEPS.size)
    values = np.where(down <= STEPS, floor, 2.0) + wiggle
    values[0] = 1.0
    return values
