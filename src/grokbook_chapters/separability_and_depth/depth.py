"""What depth does to a run: when it fits and generalises, how far its accuracies fall, and where
MED ends."""

from __future__ import annotations

import pandas as pd
import xarray as xr

from grokbook.curves.delay import grok_times
from grokbook.curves.oscillation import falls

# What is read off a run, and how the page writes it.
FORMS = {
    "highest test accuracy": ".2f",
    "final test accuracy": ".2f",
    "largest fall": ".3f",
    "total fall": ".2f",
    "largest fall, training": ".2f",
    "final MED": ".3f",
    "MED over norm": ".3f",
}


def lives(dataset: xr.Dataset) -> pd.DataFrame:
    """One row a run (index seed): when it fits and generalises, and the columns of `FORMS`.

    Falls are those of the raw accuracies from the fit step on (from the start where the run does
    not fit). "MED over norm" is MED divided by the mean norm of the embedding.
    """
    rows = {}
    for seed in dataset.seed.values.tolist():
        whole = dataset.sel(seed=[seed]).dropna("step", subset=["test_accuracy"])
        times, run = grok_times(whole)[["fit_step", "grok_step"]].loc[seed], whole.sel(seed=seed)
        later, end = (
            run.sel(step=slice(0 if pd.isna(times.fit_step) else times.fit_step, None)),
            run.isel(step=-1),
        )
        test, training, med = (
            falls(later.test_accuracy),
            falls(later.train_accuracy).largest,
            float(end.med),
        )
        accuracies = float(run.test_accuracy.max()), float(end.test_accuracy)
        values = (
            *accuracies,
            test.largest,
            test.total,
            training,
            med,
            med / float(end.embedding_norm),
        )
        rows[seed] = {**times, **dict(zip(FORMS, values, strict=True))}
    return pd.DataFrame.from_dict(rows, orient="index").astype(
        {"fit_step": "Int64", "grok_step": "Int64"}
    )


def with_range(values: pd.Series, form: str) -> str:
    """Median and range over seeds, as text: `0.50 (0.40 to 0.70)`; one number alone without a
    range."""
    middle = format(values.median(), form)
    return (
        middle if len(values) < 2 else f"{middle} ({values.min():{form}} to {values.max():{form}})"
    )
