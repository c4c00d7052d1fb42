"""Results as tables and files: pandas, CSV, Parquet, netCDF, and a folder as data sets are published in."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from grokbook.errors import ParameterError, checked_call, shown
from grokbook.face.results import Kept, found, load
from grokbook.files import atomic_write, no_formula, whole_folder
from grokbook.runs.store import to_bytes

ENDINGS = (".csv", ".parquet", ".nc", ".pt", ".safetensors")
_TYPES = {"i": "integer", "u": "integer", "f": "number", "b": "boolean"}
_FEATURES = {"i": "int64", "u": "int64", "f": "float64", "b": "bool"}


@checked_call
def to_pandas(runs: xr.Dataset) -> pd.DataFrame:
    """The curves of runs as one tidy table: a row for each run and logged step, a column for each setting and variable.

    Steps that a run did not reach are left out.

    Example:
        >>> curves = xr.Dataset({"loss": (("seed", "step"), [[2.0, 1.0]])}, {"seed": [3], "step": [0, 10]})
        >>> to_pandas(curves).to_dict("list")
        {'seed': [3, 3], 'step': [0, 10], 'loss': [2.0, 1.0]}
    """
    curves = runs[[str(name) for name, v in runs.data_vars.items() if "step" in v.dims]]
    if not curves:
        raise ParameterError("the dataset has no curves, that is, no variable over the dimension step.")
    values = list(curves.data_vars)
    table = curves.to_dataframe(dim_order=[*(d for d in curves.dims if d != "step"), "step"])
    return table.dropna(how="all", subset=values).reset_index()


def embeddings_table(runs: xr.Dataset) -> pd.DataFrame:
    """The kept embeddings as a tidy table: a row for each run, snapshot, token and feature."""
    return runs.embedding.rename("value").to_dataframe().dropna(subset="value").reset_index()


def schema(table: pd.DataFrame, runs: xr.Dataset) -> list[dict[str, str]]:
    """Name, type and meaning of each column, as in a Table Schema.

    Source: Frictionless Data, Table Schema 1, `fields`.
    """
    about = {str(name): str(v.attrs.get("long_name", name)) for name, v in runs.variables.items()}
    about |= table.attrs.get("about", {})
    kinds = ((str(name), _TYPES.get(column.dtype.kind, "string")) for name, column in table.items())
    return [{"name": name, "type": kind, "description": about.get(name, name)} for name, kind in kinds]


@checked_call
def export(data: Any, path: str | Path) -> Path:
    """Write runs to a file or folder; its ending says in which form. Returns where they are.

    Args:
        data: what `train` or `sweep` gave, the name or key of a record, a table, or what `load` gave.
        path: .csv or .parquet (the curves, `to_pandas`), .nc (everything, as xarray reads it); without an ending a
            folder with README.md, schema.json, configuration.json, tables and, where weights were kept, a file of
            safetensors for each run and step, as data sets are published on a hub. The weights of what `load` gave go
            to .pt (torch.load) or .safetensors.

    Raises ParameterError for another ending, data that has no such form, a folder that is not empty, or a package that
    is missing; RecordError where nothing can be written. A file is there whole or not at all.

    Example:
        >>> curves = xr.Dataset({"loss": (("seed", "step"), [[2.0, 1.0]])}, {"seed": [3], "step": [0, 10]})
        >>> export(curves, "curves.csv").read_text().splitlines()[0]
        'seed,step,loss'
    """
    path, data = Path(path), found(data) if isinstance(data, str) else data
    if path.suffix not in ("", *ENDINGS):
        raise ParameterError(f"{path.name!r} must end with {', '.join(ENDINGS)}, or be a folder without an ending.")
    if isinstance(data, Kept) != (path.suffix in (".pt", ".safetensors")):
        what = "the weights of a run at a step (see load)" if isinstance(data, Kept) else "runs or a table"
        raise ParameterError(f"{what} cannot be written to {path.name!r}: .pt and .safetensors hold weights alone.")
    if isinstance(data, Kept):
        atomic_write(path, _weights(data, path.suffix))
        return path
    if not isinstance(data, xr.Dataset | pd.DataFrame):
        raise ParameterError(f"data = {shown(data)} must be runs, the name of a record, a table, or what load gives.")
    if path.suffix == "":
        _folder(data, path)
    elif path.suffix == ".nc":
        if not isinstance(data, xr.Dataset):
            raise ParameterError("a table cannot be written as .nc; choose .csv or .parquet.")
        atomic_write(path, to_bytes(data))
    else:
        atomic_write(path, _table(to_pandas(data) if isinstance(data, xr.Dataset) else data, path.suffix))
    return path


def _table(table: pd.DataFrame, ending: str) -> bytes:
    if ending == ".csv":
        return table.rename(columns=no_formula).map(no_formula).to_csv(index=False).encode()
    try:
        return table.to_parquet(None, index=False)
    except ImportError:
        raise ParameterError("Parquet needs the package pyarrow; install it, or choose .csv.") from None


def _weights(kept: Kept, ending: str) -> bytes:
    import io

    import torch

    weights = {name: part.contiguous().clone() for name, part in kept.weights.items()}
    if ending == ".pt":
        torch.save(weights, stream := io.BytesIO())
        return stream.getvalue()
    about = {"run": kept.name, "seed": str(kept.seed), "step": str(kept.step)}
    header: dict[str, Any] = {"__metadata__": about}
    end = 0
    for name, part in weights.items():
        begin, end = end, end + part.numel() * 4
        header[name] = {"dtype": "F32", "shape": list(part.shape), "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    body = b"".join(part.numpy().astype("<f4").tobytes() for part in weights.values())
    return len(text).to_bytes(8, "little") + text + body


def _folder(data: xr.Dataset | pd.DataFrame, path: Path) -> None:
    """A folder of tables, made beside its place and moved there once it is whole."""
    with whole_folder(path) as place:
        _fill(place, data, path.name)


def _fill(place: Path, data: xr.Dataset | pd.DataFrame, title: str) -> None:
    runs = data if isinstance(data, xr.Dataset) else xr.Dataset()
    tables = {"curves" if isinstance(data, xr.Dataset) else "table": to_pandas(data) if data is runs else data}
    if "embedding" in runs:
        tables["embedding"] = embeddings_table(runs)
    ending = ".parquet" if find_spec("pyarrow") or find_spec("fastparquet") else ".csv"
    for name, table in tables.items():
        atomic_write(place / "data" / f"{name}{ending}", _table(table, ending))
    if "weights" in runs and "snapshot" in runs.dims:
        _put_weights(place / "weights", runs)
    fields = {name: schema(table, runs) for name, table in tables.items()}
    atomic_write(place / "schema.json", _json(fields))
    said = json.loads(runs.attrs.get("configuration", "{}"))
    made = json.loads(runs.attrs.get("provenance", "[]"))
    atomic_write(place / "configuration.json", _json({"configuration": said, "provenance": made}))
    atomic_write(place / "README.md", _readme(title, tables, fields, ending, runs).encode())


def _put_weights(folder: Path, runs: xr.Dataset) -> None:
    """A file of safetensors for each run and step at which its weights were kept."""
    for seed in np.atleast_1d(runs.seed.values).tolist():
        for step in load(runs, seed).steps:
            content = _weights(load(runs, seed, step), ".safetensors")
            atomic_write(folder / f"seed-{seed}-step-{step}.safetensors", content)


def _readme(title: str, tables: dict[str, pd.DataFrame], fields: Any, ending: str, runs: xr.Dataset) -> str:
    """The card: YAML that names configurations, files and features, then what the columns are."""
    import yaml

    about: dict[str, Any] = {"pretty_name": title, "configs": [], "dataset_info": []}
    for name, table in tables.items():
        kinds = [{"name": str(n), "dtype": _FEATURES.get(c.dtype.kind, "string")} for n, c in table.items()]
        about["configs"].append({"config_name": name, "data_files": f"data/{name}{ending}"})
        about["dataset_info"].append({"config_name": name, "features": kinds})
    what = f"Runs of {runs.attrs['experiment']}" if "experiment" in runs.attrs else "A table"
    card = ["---", yaml.safe_dump(about, sort_keys=False, allow_unicode=True) + "---", ""]
    card += [f"# {title}", "", f"{what}, exported by grokbook.", ""]
    for name, table in tables.items():
        card += [f"## {name}", "", f"{len(table):,} rows.", "", "| column | type | meaning |", "| --- | --- | --- |"]
        card += [f"| {f['name']} | {f['type']} | {f['description']} |" for f in fields[name]] + [""]
    if "weights" in runs:
        card += ["## weights", "", "`weights/seed-S-step-T.safetensors`: all parameters of a run at a step.", ""]
    return "\n".join(card)


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=1) + "\n").encode()
