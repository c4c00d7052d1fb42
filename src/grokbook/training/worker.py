"""One training run in a process of its own: `python -m grokbook.training.worker`.

The parent writes one pickled `Job` (length first) to standard input and keeps it open; when the parent dies, the
input ends and so does the worker. Progress leaves as JSON lines; the result is the job's checkpoint file.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
import threading
from dataclasses import dataclass
from typing import BinaryIO

from grokbook.training.config import RunConfig


@dataclass(frozen=True)
class Job:
    """A run and where its state is kept."""

    config: RunConfig
    checkpoint: str
    threads: int = 1
    checkpoint_every: float = 30.0


def write_job(stream: BinaryIO, job: Job) -> None:
    """Send a job to a worker's standard input."""
    content = pickle.dumps(job)
    stream.write(len(content).to_bytes(8, "little") + content)
    stream.flush()


def read_job(stream: BinaryIO) -> Job:
    """Receive a job."""
    return pickle.loads(stream.read(int.from_bytes(stream.read(8), "little")))


def _exit_with_parent(stream: BinaryIO) -> None:
    stream.read()
    os._exit(3)


def main() -> None:
    """Train the job that arrives on standard input."""
    job = read_job(sys.stdin.buffer)
    threading.Thread(target=_exit_with_parent, args=(sys.stdin.buffer,), daemon=True).start()
    from grokbook.training.ensemble import train_here

    def report(step: int, metrics: dict[str, float]) -> None:
        print(json.dumps({"step": step, "metrics": metrics}), flush=True)

    train_here([job.config], "cpu", job.checkpoint, job.threads, job.checkpoint_every, report)
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
