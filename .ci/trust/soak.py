"""Small runs on two Dask workers while processes are killed and the disk fills up: is anything
lost, a number changed?

A scheduler, two workers and a client, each a process of its own, train sweeps into a new store. A
worker is killed (SIGKILL) every so often, once results come again after the last one; the scheduler
once, the client once, and once the disk is full. Whatever has ended is started again. At the end
each run must be recorded once, with the sha256 of the manifest, and with the bits of a serial run.

    python .ci/trust/soak.py               2,000 runs, a worker killed every 30 s
"""

from __future__ import annotations

import argparse
import dataclasses
import errno
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from grokbook.errors import GrokbookError
from grokbook.models.toy import Toy
from grokbook.runs import cluster, load_or_run
from grokbook.runs.store import Store
from grokbook.runs.sweep import ROWS, Axis, Sweep
from grokbook.training import Schedule
from grokbook_chapters.liu2022 import addition

AXES = (Axis("decoder_lr", (1e-3, 1e-2)), Axis("decoder_weight_decay", (0.0, 1.0)))
CELLS = 4  # of a seed: one chunk, a task of the cluster
MOST = 200  # runs of a sweep
FULL = "the disk is full"  # a file of this name says so


def sweeps(runs: int) -> list[Sweep]:
    """Sweeps of at most 200 runs, two at least, each with a record of its own."""
    each = min(MOST, runs // 2 // CELLS * CELLS)
    small = dataclasses.replace(
        addition(steps=200), model=Toy(10, hidden=(8,)), log=Schedule(0, 50, 5), stop=None
    )
    made = []
    for first in range(0, runs, each):
        config = dataclasses.replace(small, steps=200 + len(made))
        seeds = tuple(range(min(each, runs - first) // CELLS))
        made.append(Sweep(f"soak/{len(made)}", config, seeds, axes=AXES))
    return made


def dask_setup(_worker: object) -> None:
    """What a worker and the client do first (Dask's `--preload`): writing fails while the disk is
    said to be full."""
    from grokbook.training import checkpoint

    whole = checkpoint.atomic_write

    def atomic_write(path: str | Path, content: bytes) -> None:
        if (Path(os.environ["SOAK"]) / FULL).exists():
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        whole(path, content)

    checkpoint.atomic_write = cluster.atomic_write = atomic_write


def client(address: str, runs: int) -> None:
    """Train what is missing of every sweep."""
    dask_setup(None)
    store = Store(Path(os.environ["SOAK"]) / "store")
    for experiment in sweeps(runs):
        cluster.sweep(experiment, address, store=store)


@dataclass
class Soak:
    """The processes, and what was done to them."""

    folder: Path
    runs: int
    every: float
    faults: Counter[str] = field(default_factory=Counter)
    crew: dict[str, subprocess.Popen] = field(default_factory=dict)

    def __post_init__(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.store = Store(self.folder / "store")

    def command(self, name: str) -> list[str]:
        """What starts one of the crew."""
        address, quiet = f"tcp://127.0.0.1:{self.port}", ["--no-dashboard"]
        if name == "scheduler":
            place = ["--host", "127.0.0.1", "--port", str(self.port)]
            return [sys.executable, "-m", "distributed.cli.dask_scheduler", *place, *quiet]
        if name == "client":
            return [sys.executable, __file__, "--client", address, "--runs", str(self.runs)]
        one = [
            "--nworkers",
            "1",
            "--nthreads",
            "1",
            "--no-nanny",
            "--preload",
            __file__,
            "--death-timeout",
            "60",
        ]
        local = ["--local-directory", str(self.folder)]
        return [sys.executable, "-m", "distributed.cli.dask_worker", address, *one, *local, *quiet]

    def start(self, name: str) -> None:
        """Start one of the crew; what it says goes to a file."""
        path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
        settings = {
            "SOAK": str(self.folder),
            "TMPDIR": str(self.folder),
            "OMP_NUM_THREADS": "1",
            "PYTHONPATH": path,
        }
        with open(self.folder / f"{name}.log", "ab") as log:
            self.crew[name] = subprocess.Popen(
                self.command(name),
                stdout=log,
                stderr=log,
                env=os.environ | settings,
                start_new_session=True,
            )

    def finished(self) -> int:
        """Chunks that are finished, recorded ones too."""
        recorded = sum(len(entry["seeds"]) for entry in self.store.entries().values())
        return recorded + sum(1 for _ in self.store.path.glob(".partial/*/*.pt"))

    def kill(self, name: str) -> None:
        """SIGKILL to one of the crew."""
        self.faults[f"{name.split()[0]} killed"] += 1
        self.crew[name].kill()
        self.crew[name].wait()

    def fill(self, name: str) -> None:
        """Leave no room on the disk; there is some again once one of the crew has ended for it
        (`train`).
        """
        self.faults["disk full"] += 1
        (self.folder / FULL).touch()

    def train(self) -> None:
        """Train all, with the faults in between."""
        chunks = self.runs // CELLS
        once = [
            (chunks / 4, self.kill, "scheduler"),
            (chunks / 2, self.kill, "client"),
            (3 * chunks / 4, self.fill, "client"),
        ]
        for name in ("scheduler", "worker 1", "worker 2", "client"):
            self.start(name)
        due, seen, ended = time.monotonic() + self.every, 0, 0
        while self.crew["client"].poll() != 0:
            time.sleep(0.2)
            finished = self.finished()
            if once and finished >= once[0][0]:
                _, fault, name = once.pop(0)
                fault(name)
            if time.monotonic() >= due and finished > seen:  # work goes on again
                self.kill(f"worker {1 + self.faults['worker killed'] % 2}")
                due, seen = time.monotonic() + self.every, finished
            for name, process in list(self.crew.items()):
                if process.poll() is not None and not (name == "client" and process.poll() == 0):
                    if name == "client":
                        ended += 1
                        (self.folder / FULL).unlink(missing_ok=True)
                    assert ended < 20, (self.folder / "client.log").read_text()[-2000:]
                    self.start(name)

    def end(self) -> None:
        """End every process of the crew."""
        for process in self.crew.values():
            process.kill()
            process.wait()

    def wrong(self, serial: Store) -> list[str]:
        """A sentence for whatever is not as it must be at the end."""
        found = self.store.verify()
        if (self.folder / FULL).exists():
            found.append("while the disk was full nothing was written, so that fault was none")
        recorded = Counter(entry["key"] for entry in self.store.entries().values())
        for experiment in sweeps(self.runs):
            if (times := recorded[experiment.key]) != 1:
                found.append(f"{experiment.key} is recorded {times} times")
            made = self.store.load(experiment.key, experiment.code)
            alone = load_or_run(experiment, serial, progress=False, device="cpu", rows=ROWS)
            for name in alone.data_vars:
                if made is None or made[name].values.tobytes() != alone[name].values.tobytes():
                    found.append(f"{experiment.name}: {name} is not that of a serial run")
        left = [
            path
            for path in self.store.path.rglob("*")
            if path.suffix in (".pt", ".next", ".tmp", ".corrupt")
        ]
        return found + [f"{path.relative_to(self.store.path)} was left behind" for path in left]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--runs", type=int, default=2000, help=f"a multiple of {2 * CELLS} (default 2000)"
    )
    parser.add_argument(
        "--every", type=float, default=30, help="seconds between two killed workers (default 30)"
    )
    parser.add_argument("--client", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.runs < 2 * CELLS or asked.runs % (2 * CELLS):
        parser.error(f"--runs {asked.runs} is not a positive multiple of {2 * CELLS}")
    if asked.client:
        try:
            client(asked.client, asked.runs)
        except (GrokbookError, OSError) as error:
            sys.exit(str(error))
        return
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    os.environ["GROKBOOK_CORES"] = "1"  # the serial runs stay in this process
    with tempfile.TemporaryDirectory(prefix="soak-") as place:
        made, begun = Soak(Path(place), asked.runs, asked.every), time.monotonic()
        try:
            made.train()
        finally:
            made.end()
        minutes = (time.monotonic() - begun) / 60
        wrong = made.wrong(Store(Path(place) / "serial"))
    for fault, times in made.faults.items():
        print(f"{fault}: {times}")
    print(f"{asked.runs:,} runs on two workers in {minutes:.0f} minutes.")
    print("\n".join(wrong) or "Each is recorded once, verified, and has the bits of a serial run.")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
