"""Results as tables and files: pandas, CSV, netCDF, and weights for torch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import xarray as xr

from grokbook.errors import ParameterError, checked_call, shown
from grokbook.files import atomic_write, no_formula
from grokbook.runs.results import Kept, of_name
from grokbook.runs.store import to_bytes

ENDINGS = (".csv", ".nc", ".pt")


@checked_call
def to_pandas(runs: xr.Dataset) -> pd.DataFrame:
    """The curves of runs as one tidy table: a row for each run and logged step, a column for each
    setting and variable.

    Steps that a run did not reach are left out.

    Example:
        >>> curves = xr.Dataset(
        ...     {"loss": (("seed", "step"), [[2.0, 1.0]])}, {"seed": [3], "step": [0, 10]}
        ... )
        >>> to_pandas(curves).to_dict("list")
        {'seed': [3, 3], 'step': [0, 10], 'loss': [2.0, 1.0]}
    """
    curves = runs[[str(name) for name, v in runs.data_vars.items() if "step" in v.dims]]
    if not curves:
        raise ParameterError(
            "the dataset has no curves, that is, no variable over the dimension step."
        )
    values = list(curves.data_vars)
    table = curves.to_dataframe(dim_order=[*(d for d in curves.dims if d != "step"), "step"])
    return table.dropna(how="all", subset=values).reset_index()


@checked_call
def export(data: Any, path: str | Path) -> Path:
    """Write runs to a file whose ending says in which form. Returns where they are.

    Args:
        data: what `train` or `sweep` gave, the name or key of a record, a table, or what `load`
            gave.
        path: .csv (the curves, `to_pandas`), .nc (everything, as xarray reads it); the weights of
            what `load` gave go to .pt (torch.load).

    Raises ParameterError for another ending, and data that has no such form; RecordError where
    nothing can be written. A file is there whole or not at all.

    Example:
        >>> curves = xr.Dataset(
        ...     {"loss": (("seed", "step"), [[2.0, 1.0]])}, {"seed": [3], "step": [0, 10]}
        ... )
        >>> export(curves, "curves.csv").read_text().splitlines()[0]
        'seed,step,loss'
    """
    path = Path(path)
    if path.suffix not in ENDINGS:
        raise ParameterError(f"{path.name!r} must end with {', '.join(ENDINGS)}.")
    if isinstance(data, str):
        data = of_name(data)
    if isinstance(data, Kept) != (path.suffix == ".pt"):
        what = "weights of a run at a step" if isinstance(data, Kept) else "runs or a table"
        raise ParameterError(f"{what} cannot be written to {path.name!r}: .pt holds weights alone.")
    if isinstance(data, Kept):
        atomic_write(path, _weights(data))
        return path
    if not isinstance(data, xr.Dataset | pd.DataFrame):
        raise ParameterError(
            f"data = {shown(data)} must be runs, the name of a record, a table, or what load gives."
        )
    if path.suffix == ".nc":
        if not isinstance(data, xr.Dataset):
            raise ParameterError("a table cannot be written as .nc; choose .csv.")
        atomic_write(path, to_bytes(data))
        return path
    atomic_write(path, _csv(to_pandas(data) if isinstance(data, xr.Dataset) else data))
    return path


def _csv(table: pd.DataFrame) -> bytes:
    return table.rename(columns=no_formula).map(no_formula).to_csv(index=False).encode()


def _weights(layout: Kept) -> bytes:
    import io

    import torch

    stream = io.BytesIO()
    torch.save({name: part.contiguous().clone() for name, part in layout.weights.items()}, stream)
    return stream.getvalue()
