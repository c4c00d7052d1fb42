"""One small run of each kind, whose logged values `golden.json` holds; `python golden_runs.py`
writes the file anew."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import torch
import xarray as xr

from grokbook.models.mlp import EmbeddingMLP, QuadraticMLP
from grokbook.models.start import STARTS
from grokbook.models.transformer import Shape
from grokbook.runs.experiment import Experiment
from grokbook.runs.instruments import INSTRUMENTS
from grokbook.runs.recording import catalogue
from grokbook.tasks import ModularTask
from grokbook.training import AdamW, RunConfig, Schedule, train
from grokbook.training.accelerators import Grokfast, Muon

FILE = Path(__file__).with_name("golden.json")
BASE = RunConfig(
    ModularTask(7, train_fraction=0.5),
    Shape(7, d_model=8, n_heads=2),
    AdamW(3e-3),
    24,
    Schedule(24, 12),
    2,
)


def kinds() -> dict[str, RunConfig]:
    """A run of each kind that the records hold, by name."""
    change = dataclasses.replace
    slow = AdamW(weight_decay=0.01, learning_rate=0.02)
    square = ModularTask(7, split="square", hole=3, train_fraction=0.4)
    shifted = ModularTask(7, train_fraction=0.5, shift=3, seed=1)
    return {
        "one layer": BASE,
        "two layers": change(BASE, model=Shape(7, d_model=8, n_heads=2, n_layers=2)),
        "no positions": change(BASE, model=Shape(7, d_model=8, n_heads=2, positional=False)),
        "shift": change(BASE, task=shifted, model=Shape(7, d_model=8, n_heads=2, shift=3), seed=1),
        "embedding MLP": change(BASE, model=EmbeddingMLP(7, d_model=4, width=8)),
        "quadratic MLP": change(
            BASE, model=QuadraticMLP(7, width=8), loss="squared_error", optimizer=slow
        ),
        "squared error": change(BASE, loss="squared_error"),
        **{f"start {name}": change(BASE, start=name) for name in STARTS[1:]},
        "Muon": change(BASE, optimizer=Muon(3e-3)),
        "Grokfast": change(BASE, optimizer=Grokfast(3e-3)),
        "bfloat16": change(BASE, dtype="bfloat16"),
        "square hole": change(BASE, task=square),
        "symmetric": change(BASE, task=ModularTask(7, "subtract", split="symmetric", seed=2)),
    }


def keys() -> dict[str, str]:
    """The key of every record of the catalogue."""
    return {name: experiment.key for name, experiment in sorted(catalogue().items())}


def _values(dataset: xr.Dataset) -> dict[str, list[float]]:
    table = dataset.squeeze(drop=True)
    return {
        str(n): [float(x) for x in np.ravel(v)]
        for n, v in table.data_vars.items()
        if v.dims == ("step",)
    } | {"embedding": [float(abs(table.embedding.astype(float)).sum())]}


def logged(kind: str) -> dict[str, list[float]]:
    """What a run of this kind logs."""
    if kind == "watched":
        return _values(Experiment("golden", BASE, (0,), watch=INSTRUMENTS).run(progress=False))
    return _values(train([kinds()[kind]], device="cpu", progress=False))


def main() -> None:
    """Write the file anew."""
    torch.set_num_threads(1)
    text = json.dumps(
        {"keys": keys(), "runs": {kind: logged(kind) for kind in (*kinds(), "watched")}}, indent=1
    )
    FILE.write_text(text + "\n")


if __name__ == "__main__":
    main()
