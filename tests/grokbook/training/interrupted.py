"""A run in a process of its own, to be killed: `python interrupted.py FOLDER STEPS KIND`.

Trains one run with its checkpoints in FOLDER/checkpoints, then writes what was logged to
FOLDER/result.json and the number of updates that this process made to FOLDER/updates.
"""

import dataclasses
import json
import sys
from pathlib import Path

import numpy as np
import xarray as xr
from examples import KINDS

from grokbook.training import RunConfig, Schedule, loop, train


def config(steps: int, kind: str = "modular") -> RunConfig:
    """A run of one of the kinds that logs, and so checkpoints, every ten steps."""
    run = KINDS[kind]
    return dataclasses.replace(
        run, steps=steps, log=Schedule(dense_until=steps, dense_every=10), snapshots=5
    )


def values(dataset: xr.Dataset) -> dict[str, str]:
    """Every variable's bytes, by name."""
    return {
        name: np.ascontiguousarray(v.values).tobytes().hex()
        for name, v in dataset.variables.items()
    }


def main(folder: Path, steps: int, kind: str) -> None:
    """Train and write the result."""
    made, advance = [], loop.advance

    def counted(*arguments: object) -> None:
        advance(*arguments)
        made.append(None)

    loop.advance = counted
    run = config(steps, kind)
    dataset = train(
        [run], device="cpu", progress=False, checkpoints=folder / "checkpoints", checkpoint_every=0
    )
    (folder / "updates").write_text(str(len(made)))
    (folder / "result.json").write_text(json.dumps(values(dataset)))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
