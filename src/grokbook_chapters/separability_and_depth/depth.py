"""What depth does to a run: when it fits and generalises, how far its accuracies fall, where MED
ends; and to the length of the residual stream."""

from __future__ import annotations

import pandas as pd
import torch
import xarray as xr

from grokbook.curves.delay import grok_times
from grokbook.curves.oscillation import falls
from grokbook.models.activations import activations
from grokbook.models.transformer import Shape, initialise
from grokbook.tasks import ModularTask
from grokbook_chapters.separability_and_depth.runs import LAYERS, SIZE, WIDTH


def lives(dataset: xr.Dataset) -> pd.DataFrame:
    """One row a run (index seed): when it fits and generalises, its highest
    test accuracy, its falls and its MED at the end.

    Falls are those of the raw accuracies from the fit step on (from the start where the run does
    not fit). "MED over norm" is MED divided by the mean norm of the embedding.
    """
    rows = {}
    for seed in dataset.seed.values.tolist():
        whole = dataset.sel(seed=[seed]).dropna("step", subset=["test_accuracy"])
        times = grok_times(whole)[["fit_step", "grok_step"]].loc[seed]
        run = whole.sel(seed=seed)
        fit = 0 if pd.isna(times.fit_step) else times.fit_step
        later = run.sel(step=slice(fit, None))
        end = run.isel(step=-1)
        rows[seed] = {
            **times,
            "highest test accuracy": float(run.test_accuracy.max()),
            "largest fall": falls(later.test_accuracy).largest,
            "largest fall, training": falls(later.train_accuracy).largest,
            "final MED": float(end.med),
            "MED over norm": float(end.med / end.embedding_norm),
        }
    table = pd.DataFrame.from_dict(rows, orient="index")
    return table.astype({"fit_step": "Int64", "grok_step": "Int64"})


def stream_lengths(hidden: int, seed: int = 0) -> list[float]:
    """Mean length of the read-out row after each of four layers with fresh weights, `hidden` times
    as many units in an MLP as the row has entries."""
    shape = Shape(SIZE, d_model=WIDTH, n_layers=len(LAYERS), d_mlp=hidden * WIDTH)
    tokens = torch.from_numpy(ModularTask(SIZE).tokens)
    rows = activations(initialise(shape, seed), tokens, shape)
    return [rows[f"MLP {layer}"].norm(dim=1).mean().item() for layer in LAYERS]
