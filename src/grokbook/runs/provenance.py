"""Where a number comes from: commit, versions, device, time; and which data a process was given."""

from __future__ import annotations

import datetime
import importlib.metadata
import json
import platform
import subprocess
from pathlib import Path
from typing import Any

import torch
import xarray as xr

from grokbook.errors import GrokbookError
from grokbook.own_code import Code
from grokbook.paths import checkout
from grokbook.version import __version__

USED: list[dict[str, Any]] = []
"""Of each dataset that this process was given, in order: what it says of itself, for the page that
is made from it."""

_PACKAGES = ("numpy", "xarray", "scipy")


def git(root: Path, *arguments: str) -> str | None:
    """What a command of git prints in a folder; None where it fails, and where there is no git."""
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=root, capture_output=True, check=True, timeout=20
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode(errors="replace").strip()


def commit() -> tuple[str, bool]:
    """The checkout's commit and whether sources of the library or the notebooks differ from it.

    ("unknown", False) outside a git checkout.
    """
    try:
        root = checkout()
    except GrokbookError:
        return "unknown", False
    sources = ("*.py", "notebooks", ":!tests", ":!benchmarks", ":!.ci")
    changed = git(root, "status", "--porcelain", "--untracked-files=no", "--", *sources)
    return git(root, "rev-parse", "HEAD") or "unknown", bool(changed)


def device_name(device: str = "cpu") -> str:
    """A name a reader recognises: the GPU's, or the processor's architecture."""
    if device.startswith("cuda") and torch.cuda.is_available():
        return torch.cuda.get_device_name()
    return f"CPU ({platform.machine()})"


def processor() -> str:
    """The widest vectors that torch uses on this processor, such as "AVX2" or "AVX512"; with its
    tiles for matrices.

    Example:
        >>> processor() == processor() != ""
        True
    """
    tiles = getattr(torch.cpu, "_is_amx_tile_supported", lambda: False)()
    return torch.backends.cpu.get_cpu_capability() + (", AMX" if tiles else "")


def precision(device: str = "cpu", dtype: str = "float32") -> str:
    """What a run computes in: its dtype, and where products on a GPU are rounded to ten bits
    (TF32), that.

    Example:
        >>> precision()
        'float32'
    """
    rounded = device.startswith("cuda") and torch.get_float32_matmul_precision() != "highest"
    return f"{dtype} (products in TF32)" if rounded else dtype


def provenance(
    device: str = "cpu", dtype: str = "float32", code: Code | None = None
) -> dict[str, Any]:
    """Commit, versions, device, processor, dtype, the date and, in UTC, the time, as plain values.

    Where a part of a run is a reader's own, `code` adds its fingerprint and probe.
    """
    identity, dirty = commit()
    now = datetime.datetime.now(datetime.UTC)
    versions = {
        "python": platform.python_version(),
        "grokbook": __version__,
        "torch": torch.__version__,
    }
    for name in _PACKAGES:
        versions[name] = importlib.metadata.version(name)
    origin = {
        "commit": identity,
        "dirty": dirty,
        "versions": versions,
        "device": device_name(device),
        "processor": processor(),
        "dtype": precision(device, dtype),
        "recorded_on": now.date().isoformat(),
        "recorded_at": now.isoformat(timespec="seconds"),
    }
    if code is not None and code.digest:
        origin["fingerprint"] = code.digest
    if code is not None and code.probe:
        origin["probe"] = code.probe
    return origin


def note(dataset: xr.Dataset) -> None:
    """Enter a dataset of the store into `USED`: experiment, key, origin, dtype, its seeds and who
    made them."""
    row = {name: dataset.attrs[name] for name in ("experiment", "key", "origin", "dtype")}
    USED.append(
        row
        | {
            "seeds": dataset.seed.values.tolist(),
            "provenance": json.loads(dataset.attrs["provenance"]),
        }
    )
