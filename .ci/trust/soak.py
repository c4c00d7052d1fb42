"""Small runs on two Dask workers while processes are killed and the disk fills up: is anything
lost, a number changed?

A scheduler, two workers and a client, each a process of its own, train sweeps into a new store. A
worker is killed (SIGKILL) every so often, once results come again after the last one; the scheduler
once, the client once, and once the disk is full. Whatever has ended is started again. At the end
each run must be recorded once, with the sha256 of the manifest, and with the bits of a serial run.

    python .ci/trust/soak.py               2,000 runs, a worker killed every 30 s
    python .ci/trust/soak.py 400 10        400 runs (a multiple of 8), every 10 s
"""

from __future__ import annotations

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
    log = Schedule(dense_until=0, points=5)
    made = []
    for first in range(0, runs, each):
        plain = addition(steps=200 + len(made))
        config = dataclasses.replace(plain, model=Toy(10, hidden=(8,)), log=log, stop=None)
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
        address = f"tcp://127.0.0.1:{self.port}"
        text = f"-m distributed.cli.dask_worker {address} --no-dashboard --no-nanny"
        text += " --nworkers 1 --nthreads 1 --death-timeout 60"
        more = ["--preload", __file__, "--local-directory", str(self.folder)]
        if name == "scheduler":
            text = f"-m distributed.cli.dask_scheduler --no-dashboard --port {self.port}"
            more = ["--host", "127.0.0.1"]
        if name == "client":
            text = "-c"
            more = [f"import soak; soak.client('{address}', {self.runs})"]
        return [sys.executable, *text.split(), *more]

    def start(self, name: str) -> None:
        """Start one of the crew; what it says goes to a file."""
        place = str(self.folder)
        path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
        own = {"SOAK": place, "TMPDIR": place, "OMP_NUM_THREADS": "1", "PYTHONPATH": path}
        with open(self.folder / f"{name}.log", "ab") as log:
            how = {"stdout": log, "stderr": log, "env": os.environ | own}
            self.crew[name] = subprocess.Popen(self.command(name), start_new_session=True, **how)

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
        due = time.monotonic() + self.every
        seen = 0
        ended = 0
        while self.crew["client"].poll() != 0:
            time.sleep(0.2)
            finished = self.finished()
            if once and finished >= once[0][0]:
                _, fault, name = once.pop(0)
                fault(name)
            if time.monotonic() >= due and finished > seen:  # work goes on again
                self.kill(f"worker {1 + self.faults['worker killed'] % 2}")
                due = time.monotonic() + self.every
                seen = finished
            for name, process in list(self.crew.items()):
                if process.poll() is None or (name == "client" and process.poll() == 0):
                    continue
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
        for path in self.store.path.rglob("*"):
            if path.suffix in (".pt", ".next", ".tmp", ".corrupt"):
                found.append(f"{path.relative_to(self.store.path)} was left behind")
        return found


def main(runs: int = 2000, every: float = 30) -> bool:
    """Train so many runs, a worker killed every so many seconds, and print what was found; whether
    anything is wrong."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    os.environ["GROKBOOK_CORES"] = "1"  # the serial runs stay in this process
    with tempfile.TemporaryDirectory(prefix="soak-") as place:
        made = Soak(Path(place), runs, every)
        begun = time.monotonic()
        try:
            made.train()
        finally:
            made.end()
        minutes = (time.monotonic() - begun) / 60
        wrong = made.wrong(Store(Path(place) / "serial"))
    for fault, times in made.faults.items():
        print(f"{fault}: {times}")
    print(f"{runs:,} runs on two workers in {minutes:.0f} minutes.")
    print("\n".join(wrong) or "Each is recorded once, verified, and has the bits of a serial run.")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
