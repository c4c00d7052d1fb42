"""Gu 2024, section 5.1 as operations on a dataset: does MED track the test loss? One row a seed."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pandas as pd
import xarray as xr

from grokbook.errors import ParameterError
from grokbook.experiments.base import recorded
from grokbook.experiments.gu2025 import fig5
from grokbook.measures import end_of_decline, first_below, grok_time, shift_test, sign_agreement

ONSET = 0.05
"""Share of the test cells with an untrained transpose that must be right where the test accuracy begins to rise."""

SETTLED = 0.1
"""Two events of a run of T steps count as one when they are at most this share of T apart."""


def recorded_fig5(p: int) -> xr.Dataset | None:
    """The recorded runs of Fig. 5 for modulus p, None when they were not all made."""
    return recorded(fig5(p))


@lru_cache
def _table_of_fig5(p: int) -> pd.DataFrame:
    dataset = recorded_fig5(p)
    if dataset is None:
        raise LookupError(p)  # what is missing now may be recorded later: an error is not remembered
    return tracking_table(dataset)


def recorded_table(p: int) -> pd.DataFrame | None:
    """`tracking_table` of the recorded runs of Fig. 5 for modulus p, computed once; None when they were not all made.

    Example:
        >>> recorded_table(5) is None
        True
    """
    try:
        return _table_of_fig5(p).copy()
    except LookupError:
        return None


def _logged_evenly(run: xr.Dataset) -> xr.Dataset:
    """The part of a run whose logged steps are about evenly spaced: what follows the dense beginning."""
    steps = run.step.values
    gap = np.diff(steps)
    start = int(np.argmax(gap >= 0.9 * np.median(gap)))
    return run.isel(step=slice(start, None)).dropna("step", subset=["test_loss"])


def track(run: xr.Dataset, measure: str = "med") -> dict[str, float | int | None]:
    """The three observations of Gu 2024, section 5.1, on one run (dims: step), as numbers.

    - `agreement`: share of logged intervals, from the step the training set is fitted, in which test loss and
      measure move the same way; `null` and `p_value`: the same after detrending, against circular shifts.
    - `fit_step`, `grok_step`: see `grok_time`; `onset_step`: the accuracy on test cells whose transpose was not
      trained reaches `ONSET`.
    - `below_step`: the measure falls below its initial value (after the run has fitted) and stays there.
    - `measure_settles`, `accuracy_settles`: end of the measure's decline and of the accuracy's rise.

    Source: Gu 2024, section 5.1 (three bullets) and section 4.3 (Property 2).
    """
    if measure not in run:
        raise ParameterError(f"the dataset has no measure {measure!r}.")
    timed = grok_time(run.step, run.train_accuracy, run.test_accuracy)
    onset = grok_time(run.step, run.train_accuracy, run.test_accuracy_unmirrored, threshold=ONSET)
    initial = float(run[measure].sel(step=0))
    later = _logged_evenly(run).where(lambda d: d.step >= (timed.fit_step or 0), drop=True)
    steps, loss, value, accuracy = (later[n].values for n in ("step", "test_loss", measure, "test_accuracy"))
    test = shift_test(loss, value)
    return {
        "fit_step": timed.fit_step,
        "onset_step": onset.grok_step,
        "grok_step": timed.grok_step,
        "agreement": sign_agreement(loss, value),
        "detrended": test.agreement,
        "null": test.null,
        "p_value": test.p_value,
        "below_step": first_below(steps, value, initial),
        "measure_settles": end_of_decline(steps, value),
        "accuracy_settles": end_of_decline(steps, -accuracy),
        "last_step": int(run.step[-1]),
    }


def tracking_table(dataset: xr.Dataset, measure: str = "med") -> pd.DataFrame:
    """`track` for each seed of a dataset: index seed, steps as whole numbers with missing ones as NA."""
    rows = {int(seed): track(dataset.sel(seed=seed), measure) for seed in dataset.seed}
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("seed")
    steps = [name for name in table if name.endswith(("_step", "_settles"))]
    return table.astype(dict.fromkeys(steps, "Int64"))


def together(first: pd.Series, second: pd.Series, last: pd.Series) -> pd.Series:
    """Whether two events happen within `SETTLED` of the run's length; False when one of them does not happen."""
    gap = (first.astype("Float64") - second.astype("Float64")).abs()
    return (gap <= SETTLED * last.astype("Float64")).fillna(False).astype(bool)
