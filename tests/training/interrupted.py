"""A run in a process of its own, to be killed: `python interrupted.py FOLDER STEPS`.

Trains one run with its checkpoints in FOLDER/checkpoints, then writes what was logged to FOLDER/result.json and the
number of updates that this process made to FOLDER/updates.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import xarray as xr
from small_runs import small

from grokbook.training import RunConfig, Schedule, loop, train


def config(steps: int) -> RunConfig:
    """A run that logs, and so checkpoints, every ten steps."""
    return small(3, d=16, steps=steps, log=Schedule(dense_until=steps, dense_every=10), snapshots=5)


def values(dataset: xr.Dataset) -> dict[str, str]:
    """Every variable's bytes, by name."""
    return {name: np.ascontiguousarray(v.values).tobytes().hex() for name, v in dataset.variables.items()}


def main(folder: Path, steps: int) -> None:
    """Train and write the result."""
    made, advance = [], loop.advance

    def counted(*arguments: object) -> None:
        advance(*arguments)
        made.append(None)

    loop.advance = counted
    run = config(steps)
    dataset = train([run], device="cpu", progress=False, checkpoints=folder / "checkpoints", checkpoint_every=0)
    (folder / "updates").write_text(str(len(made)))
    (folder / "result.json").write_text(json.dumps(values(dataset)))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
