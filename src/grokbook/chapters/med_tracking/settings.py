"""The runs of chapter 05, Figs 5 and 12 to 19 of Gu et al. 2025, and what is recorded of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
import xarray as xr

from grokbook.claims.runs import load
from grokbook.errors import ParameterError
from grokbook.runs.experiment import Experiment
from grokbook.runs.gu2025 import FIG5_STEPS, LONGER, fig5, modular_run, operations
from grokbook.runs.missing import with_missing
from grokbook.runs.tracking import shift_test, tracking_table

LEVEL = 0.05
NORMS = ("weight_norm", "embedding_norm")
"""What decay moves, and what might move with the test loss as well: the norm of all weights, a vector's length."""


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


def false_alarms(pairs: int = 200, points: int = 395) -> pd.DataFrame:
    """How often `shift_test` calls two curves connected that share their kind and nothing else; one row a kind.

    Example:
        >>> false_alarms(1).kind.tolist()[0]
        'random walks'
    """
    rng, t = np.random.default_rng(0), np.arange(points)

    def noise(size: float = 1.0) -> np.ndarray:
        return size * rng.normal(size=points)

    def swing(period: float | np.ndarray, jitter: float) -> np.ndarray:
        phase = rng.uniform(0, 2 * np.pi) + (2 * np.pi / period * (1 + noise(jitter))).cumsum()
        return np.sin(phase) + noise(0.1)

    kinds = {
        "random walks": lambda: noise().cumsum(),
        "noise on a common slow trend": lambda: 40 * np.sin(np.pi * t / points) + noise(),
        "a common period, 15 points": lambda: swing(15, 0),
        "a common smooth phase, then noise": lambda: np.exp(-5 * t / points) + np.where(t > points / 3, noise(0.01), 0),
        "a pace that changes in both alike": lambda: swing(np.linspace(6, 30, points), 0.05),
    }
    low = {kind: np.mean([shift_test(curve(), curve()).p_value <= LEVEL for _ in range(pairs)]) for kind, curve in
           kinds.items()}  # fmt: skip
    return pd.DataFrame({"kind": low.keys(), "p <= 0.05": low.values()})


def tracked(dataset: xr.Dataset) -> pd.DataFrame:
    """`tracking_table` of some runs, with their best test accuracy and that apart from mirrored cells, and two nulls.

    `stranger` is the most that the detrended MED of another run of the setting agrees with a run's test loss, and
    `strangers_beyond` of `strangers` such pairs have a p-value of at most 0.05. Columns that begin with one of `NORMS`
    hold the raw and the detrended agreement of that norm with the test loss.
    """
    others = [dataset.med.roll(seed=by, roll_coords=False) for by in range(1, dataset.sizes["seed"])]
    strange = [tracking_table(dataset.assign(med=med)) for med in others]
    norms = {norm: tracking_table(dataset, norm) for norm in NORMS}
    return tracking_table(dataset).assign(
        best=dataset.test_accuracy.max("step").values,
        best_unmirrored=dataset.test_accuracy_unmirrored.max("step").values,
        stranger=np.max([t.detrended for t in strange], axis=0) if strange else np.nan,
        strangers_beyond=sum((t.p_value <= LEVEL).astype(int) for t in strange) if strange else 0,
        strangers=len(strange),
        **{f"{n}_{column}": table[column] for n, table in norms.items() for column in ("agreement", "detrended")},
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

    `agreement` is the share of logged intervals in which both change in the same direction, the two columns after it
    that of the norms; `detrended` is the agreement after detrending and `chance` that at other lags (medians over
    runs); `p <= 0.05` counts runs, `strangers` pairs of a test loss and another run's MED. `missing` counts the seeds
    that were not made, `core min` is their predicted cost on one core here.

    Example:
        >>> status_table([operations()["gu2025/fig19"]]).columns.tolist()[:3]
        ['experiment', 'seeds', 'generalise']
    """
    named = {experiment.name: experiment for experiment in experiments}
    tables = load(named, tracked)
    order = ["experiment", "seeds", "generalise", "best accuracy", *MEDIANS.values(), "p <= 0.05", "strangers"]
    frame = with_missing([_row(name, tables[name]) for name in named], named.values(), [*order, "below start"])
    return frame.astype(dict.fromkeys(["generalise", "p <= 0.05", "below start"], "Int64"))


MEDIANS = {"agreement": "agreement", "weight_norm_agreement": "weight norm", "embedding_norm_agreement": "mean length",
           "detrended": "detrended", "null": "chance"}  # fmt: skip
"""What the table of experiments has the medians of, with their names there."""


def _row(name: str, table: pd.DataFrame | None) -> dict[str, object]:
    if table is None:
        return {"experiment": name, "seeds": 0}
    return {
        "experiment": name,
        "seeds": len(table),
        "generalise": int(table.grok_step.notna().sum()),
        "best accuracy": float(table.best.median()),
        **table[[*MEDIANS]].median().rename(MEDIANS).to_dict(),
        "p <= 0.05": int((table.p_value <= LEVEL).sum()),
        "strangers": f"{table.strangers_beyond.sum()} of {table.strangers.sum()}",
        "below start": int(table.below_step.notna().sum()),
    }


RUNS = (moduli, longer, operations)
