"""The runs of chapter 05, Figs 5 and 12 to 19 of Gu et al. 2025, and what is recorded of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
import xarray as xr

from grokbook.claims.runs import load
from grokbook.errors import ParameterError
from grokbook.experiments.base import Experiment
from grokbook.experiments.gu2025 import FIG5_STEPS, LONGER, fig5, modular_run, operations
from grokbook.experiments.missing import with_missing
from grokbook.measures.tracking import tracking_table


def plan(
    p: int, steps: int, p_other: int, steps_other: int, train_fraction: float, d_model: int, n_seeds: int
) -> dict[str, Experiment]:
    """Plan of chapter 05: two moduli at one training fraction, answered from the records where they match Fig. 5.

    Raises ParameterError for two equal moduli.
    """
    if p == p_other:
        raise ParameterError(f"p = p_other = {p_other} must be two different moduli; take 97 and 47.")

    def one(modulus: int, length: int) -> Experiment:
        config = modular_run(modulus, train_fraction, d_model=d_model, steps=length)
        return Experiment(f"gu2025/fig5[p={modulus}]", config, seeds=tuple(range(n_seeds)))

    return {"p": one(p, steps), "p_other": one(p_other, steps_other)}


def moduli() -> dict[str, Experiment]:
    """Fig. 5: four moduli, by name.

    Example:
        >>> list(moduli())[0]
        'gu2025/fig5[p=47]'
    """
    return {experiment.name: experiment for experiment in map(fig5, FIG5_STEPS)}


def longer() -> dict[str, Experiment]:
    """The five runs of Fig. 5 at p = 47, trained for `LONGER` steps.

    Example:
        >>> [run.config.steps for run in longer().values()]
        [60000]
    """
    run = fig5(47, steps=LONGER)
    return {run.name: run}


def controls(dataset: xr.Dataset) -> xr.Dataset:
    """What the tests of agreement are tried on: test loss, the same one logged step late, a clock, another run's MED.

    Variables `loss_late`, `clock` ($e^{-t/100}$ of the step t) and `stranger`, beside those of the dataset.

    Example:
        >>> both = ("seed", "step"), [[4.0, 2.0, 1.0], [8.0, 6.0, 5.0]]
        >>> data = xr.Dataset({"test_loss": both, "med": both}, {"seed": [0, 1], "step": [0, 100, 200]})
        >>> controls(data).stranger.values[0].tolist(), controls(data).loss_late.values[0].tolist()
        ([8.0, 6.0, 5.0], [4.0, 4.0, 2.0])
    """
    late = dataset.test_loss.isel(step=[0, *range(dataset.sizes["step"] - 1)]).assign_coords(step=dataset.step)
    clock = np.exp(-dataset.step / 100) + 0 * dataset.med
    return dataset.assign(loss_late=late, clock=clock, stranger=dataset.med.roll(seed=1, roll_coords=False))


def tracked(dataset: xr.Dataset) -> pd.DataFrame:
    """`tracking_table` of some runs, with their best test accuracy and that apart from mirrored cells."""
    best = dataset.test_accuracy.max("step").values
    return tracking_table(dataset).assign(
        best=best, best_unmirrored=dataset.test_accuracy_unmirrored.max("step").values
    )


def stack(tables: Mapping[object, pd.DataFrame]) -> pd.DataFrame:
    """Tables of several settings under one another, index (setting, seed).

    Example:
        >>> stack({5: pd.DataFrame({"agreement": [0.5]})}).index.tolist()
        [(5, 0)]
    """
    return pd.concat(tables, names=["setting"])


def status_table(experiments: Iterable[Experiment]) -> pd.DataFrame:
    """One row an experiment: seeds recorded, runs that generalise, best accuracy, how MED moves with the test loss.

    `agreement` is the share of logged intervals in which both change in the same direction, `detrended` the same after
    detrending and `chance` that of shifted curves (medians over runs); `p < 0.05` counts runs. `missing`
    counts the seeds that were not made, `core min` is their predicted cost on one core here.

    Example:
        >>> status_table([operations()["gu2025/fig19"]]).columns.tolist()[:3]
        ['experiment', 'seeds', 'generalise']
    """
    named = {experiment.name: experiment for experiment in experiments}
    tables = load(named, tracked)
    order = ["experiment", "seeds", "generalise", "best accuracy", "agreement", "detrended", "chance", "p < 0.05"]
    frame = with_missing([_row(name, tables[name]) for name in named], named.values(), [*order, "below start"])
    return frame.astype(dict.fromkeys(["generalise", "p < 0.05", "below start"], "Int64"))


def _row(name: str, table: pd.DataFrame | None) -> dict[str, object]:
    if table is None:
        return {"experiment": name, "seeds": 0}
    middle = table[["best", "agreement", "detrended", "null"]].median()
    return {
        "experiment": name,
        "seeds": len(table),
        "generalise": int(table.grok_step.notna().sum()),
        "best accuracy": float(middle.best),
        "agreement": float(middle.agreement),
        "detrended": float(middle.detrended),
        "chance": float(middle.null),
        "p < 0.05": int((table.p_value < 0.05).sum()),
        "below start": int(table.below_step.notna().sum()),
    }


RUNS = (moduli, longer, operations)
