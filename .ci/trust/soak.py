"""Small runs on two Dask workers while processes are killed and the disk fills up: is anything
lost, a number changed?

A scheduler, two workers and a client, each a process of its own, train sweeps into a new store. A
worker is killed (SIGKILL) every so often, once results come again after the last fault; the
scheduler once, the client once, and once the disk is full. Whatever has ended is started again. At
the end each run must be recorded once, with the sha256 of the manifest, and with the bits of a
serial run.

    python .ci/trust/soak.py                        2,000 runs, a worker killed every 30 s
    python .ci/trust/soak.py --runs 400 --write     the table goes into book/how_to_rerun.md
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
from dataclasses import dataclass, field
from pathlib import Path

from tables import table, write

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
HELD = "what the disk has no room for"
DISK = 48  # megabytes of the small disk


def sweeps(runs: int) -> list[Sweep]:
    """Sweeps of at most 200 runs, two at least, each with a record of its own."""
    each = min(MOST, runs // 2 // CELLS * CELLS)
    small = dataclasses.replace(
        addition(steps=200), model=Toy(10, hidden=(8,)), log=Schedule(0, 50, 5), stop=None
    )
    return [
        Sweep(
            f"soak/{k}",
            dataclasses.replace(small, steps=200 + k),
            tuple(range(min(each, runs - first) // CELLS)),
            axes=AXES,
        )
        for k, first in enumerate(range(0, runs, each))
    ]


def dask_setup(_worker: object) -> None:
    """What a worker and the client do first (Dask's `--preload`): writing fails while the disk is
    said to be full."""
    from grokbook.training import checkpoint

    whole = checkpoint.atomic_write

    def atomic_write(path: str | Path, content: bytes) -> None:
        if (Path(os.environ["SOAK"]) / HELD).exists():
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        whole(path, content)

    if not os.path.ismount(os.environ["SOAK"]):
        checkpoint.atomic_write = cluster.atomic_write = atomic_write


def client(address: str, runs: int) -> None:
    """Train what is missing of every sweep."""
    dask_setup(None)
    store = Store(Path(os.environ["SOAK"]) / "store")
    for experiment in sweeps(runs):
        cluster.sweep(experiment, address, store=store)


@dataclass
class Fault:
    """One kind of fault: how often it was made, results lost by it, seconds until the next result
    was there."""

    often: int = 0
    lost: int = 0
    seconds: list[float] = field(default_factory=list)


@dataclass
class Soak:
    """The processes, and what was done to them."""

    folder: Path
    runs: int
    every: float
    faults: dict[str, Fault] = field(default_factory=dict)
    crew: dict[str, subprocess.Popen] = field(default_factory=dict)
    waiting: list[tuple[Fault, float, int, dict[Path, int]]] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.store, self.sweeps = Store(self.folder / "store"), sweeps(self.runs)

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
        with open(self.folder.parent / f"{name}.log", "ab") as log:
            self.crew[name] = subprocess.Popen(
                self.command(name),
                stdout=log,
                stderr=log,
                env=os.environ | settings,
                start_new_session=True,
            )

    def results(self) -> dict[Path, int]:
        """Finished chunks that wait for the record of their sweep: file -> when it was written."""
        found = {}
        for path in self.store.path.glob(".partial/*/*.pt"):
            try:
                found[path] = path.stat().st_mtime_ns
            except FileNotFoundError:  # its record was made meanwhile
                continue
        return found

    def finished(self) -> int:
        """Chunks that are finished, recorded ones too."""
        entries = self.store.entries().values()
        return len(self.results()) + sum(len(entry["seeds"]) for entry in entries)

    def fault(self, kind: str) -> None:
        """Note a fault that is about to be made."""
        made = self.faults.setdefault(kind, Fault())
        made.often += 1
        self.waiting.append((made, time.monotonic(), self.finished(), self.results()))

    def kill(self, name: str) -> None:
        """SIGKILL to one of the crew."""
        self.fault(f"{name.split()[0]} killed")
        self.crew[name].kill()
        self.crew[name].wait()

    def look(self) -> None:
        """Once results came after a fault: how long that took, and whether those from before are as
        they were."""
        recorded = {entry["key"] for entry in self.store.entries().values()}
        now, finished = self.results(), self.finished()
        for waits in list(self.waiting):
            made, since, before, kept = waits
            if finished > before or self.crew["client"].poll() == 0:
                made.seconds.append(time.monotonic() - since)
                made.lost += sum(
                    now.get(p) != when for p, when in kept.items() if p.parent.name not in recorded
                )
                self.waiting.remove(waits)

    def fill(self, patience: float = 300) -> None:
        """Leave no room on the disk until a process has ended for it, then make room."""
        self.fault("disk full")
        ballast = self.folder / HELD
        with ballast.open("wb", buffering=0) as stream:
            try:
                while os.path.ismount(self.folder):
                    stream.write(bytes(4096))
            except OSError as error:
                assert error.errno == errno.ENOSPC
        until = time.monotonic() + patience
        while self.crew["client"].poll() is None and time.monotonic() < until:
            time.sleep(0.1)
        if self.crew["client"].poll() is None:
            self.said.append("while the disk was full nothing was written, so that fault was none")
        ballast.unlink()

    def train(self) -> None:
        """Train all, with the faults in between."""
        names, chunks = ["scheduler", "worker 1", "worker 2", "client"], self.runs // CELLS
        once = [
            (1 / 4, self.kill, "scheduler"),
            (1 / 2, self.kill, "client"),
            (3 / 4, self.fill, 300),
        ]
        for name in names:
            self.start(name)
        turn, due, ended = 0, time.monotonic() + self.every, 0
        while self.crew["client"].poll() != 0:
            time.sleep(0.2)
            self.look()
            if once and self.finished() >= once[0][0] * chunks:
                _, make, of = once.pop(0)
                make(of)
            if (
                time.monotonic() >= due and self.finished() and not self.waiting
            ):  # work goes on again
                self.kill(f"worker {1 + turn % 2}")
                turn, due = turn + 1, time.monotonic() + self.every
            for name in names:
                code = self.crew[name].poll()
                if code is not None and not (name == "client" and code == 0):
                    ended += name == "client"
                    assert ended < 20, (self.folder.parent / "client.log").read_text()[-2000:]
                    self.start(name)
        self.look()

    def end(self) -> None:
        """End every process of the crew."""
        for process in self.crew.values():
            process.kill()
            process.wait()

    def wrong(self, serial: Store) -> list[str]:
        """A sentence for whatever is not as it must be at the end."""
        found, entries = self.said + self.store.verify(), self.store.entries()
        found += [
            f"{key} is recorded {n} times"
            for key in {s.key for s in self.sweeps}
            if (n := sum(entry["key"] == key for entry in entries.values())) != 1
        ]
        for experiment in self.sweeps:
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
        found += [f"{path.relative_to(self.store.path)} was left behind" for path in left]
        found += [
            f"{kind}: {fault.lost} results lost"
            for kind, fault in self.faults.items()
            if fault.lost
        ]
        return found


def soak(runs: int, every: float, place: Path) -> tuple[Soak, list[str], float]:
    """A whole soak in a new folder: what was done, what is wrong, and the seconds it took."""
    folder, begun = place / "disk", time.monotonic()
    folder.mkdir(parents=True)
    small = ["mount", "-t", "tmpfs", "-o", f"size={DISK}m", "soak", str(folder)]
    mounted = os.geteuid() == 0 and subprocess.run(small, capture_output=True).returncode == 0
    try:
        made = Soak(folder, runs, every)
        try:
            made.train()
        finally:
            made.end()
        took = time.monotonic() - begun
        return made, made.wrong(Store(place / "serial")), took
    finally:
        if mounted:
            subprocess.run(["umount", str(folder)], check=True)


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
    parser.add_argument(
        "--write", action="store_true", help="write the table into book/how_to_rerun.md"
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
        made, wrong, took = soak(asked.runs, asked.every, Path(place))
        ends = (Path(place) / "client.log").read_text()
    rows = [(kind, f.often, f.lost, f"{max(f.seconds):.0f}") for kind, f in made.faults.items()]
    text = table(("fault", "times", "results lost", "most seconds until the next result"), rows)
    text += f"\n\n{asked.runs:,} runs on two workers in {took / 60:.0f} minutes. " + (
        "Each is recorded once, verified, and has the bits of a serial run."
        if not wrong
        else " ".join(wrong)
    )
    print(ends, text, sep="\n")
    if asked.write:
        write("soak", text)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
