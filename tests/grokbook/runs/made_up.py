"""An experiment that trains nothing, for the tests of the store.

Every call of `run` adds a line with its seeds to the file `trained` beside the store, so that tests
can count them, and lasts SECONDS or until a file `release` stands there.
"""

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from grokbook.errors import TrainingError
from grokbook.own_code import Code


@dataclass
class MadeUp:
    """Curves drawn from their seed."""

    journal: Path
    seeds: tuple[int, ...] = (0, 1)
    name: str = "made/up[p=5]"
    key: str = "0123456789abcdef"
    version: int = 1
    seconds: float = 0.0
    fails: bool = False
    extra: dict[str, Any] = field(default_factory=dict)
    code: Code = Code()

    @property
    def trained_key(self) -> str:
        """By what its checkpoints are found."""
        return self.key

    def configuration(self) -> dict[str, Any]:
        """Plain values."""
        return {"p": 5, "steps": 20, **self.extra}

    def run(self, seeds: tuple[int, ...], *, checkpoints: Path, progress: bool) -> xr.Dataset:
        """The curves of these seeds; notes the call and leaves a checkpoint."""
        with self.journal.open("a") as stream:
            stream.write(" ".join(map(str, seeds)) + "\n")
        checkpoints.mkdir(parents=True, exist_ok=True)
        for seed in seeds:
            (checkpoints / f"{seed}.pt").write_text("kept")
        end = time.monotonic() + self.seconds
        while time.monotonic() < end and not self.journal.with_name("release").exists():
            time.sleep(0.01)
        if self.fails:
            raise TrainingError("the training loss became NaN or infinite at step 3 of {}.")
        return self.dataset(seeds)

    def forget(self, seeds: tuple[int, ...], checkpoints: Path, rows: int | None = None) -> None:
        """Remove the checkpoints of these seeds."""
        for seed in seeds:
            (checkpoints / f"{seed}.pt").unlink()

    def dataset(self, seeds: tuple[int, ...]) -> xr.Dataset:
        """What `run` returns."""
        draws = [np.random.default_rng(seed) for seed in seeds]
        loss = np.stack([rng.random(3) for rng in draws])
        loss[:, 2] = np.nan
        tables = np.stack([rng.random((2, 5, 4)).astype(np.float32) for rng in draws])
        names = ("seed", "snapshot", "token", "feature")
        variables = {
            "train_loss": (("seed", "step"), loss, {"long_name": "loss"}),
            "embedding": (names, tables),
        }
        coords = {"seed": list(seeds), "step": [0, 10, 20], "snapshot": [0, 20]}
        attrs = {"device": "cpu", "dtype": "float32"}
        return xr.Dataset(variables, coords, attrs)

    def trained(self) -> list[str]:
        """The seeds of every call of `run`, in order."""
        return self.journal.read_text().splitlines() if self.journal.exists() else []
