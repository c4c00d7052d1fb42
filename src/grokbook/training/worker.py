"""Training runs in a process of their own, one after another: `python -m grokbook.training.worker`.

The parent writes pickled `Job`s (length first) to standard input and keeps it open; when the parent dies, the
input ends and so does the worker, in the middle of a run if need be. Progress leaves as JSON lines, `{"done":
true}` after each job; the result is the job's checkpoint file.
"""

from __future__ import annotations

import json
import os
import pickle
import queue
import sys
import threading
import traceback
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


def read_job(stream: BinaryIO) -> Job | None:
    """Receive a job; None when the input has ended."""
    length = stream.read(8)
    return pickle.loads(stream.read(int.from_bytes(length, "little"))) if len(length) == 8 else None


def _receive(stream: BinaryIO, jobs: queue.SimpleQueue[Job]) -> None:
    """Pass jobs on as they come; end the process when the parent is gone or has no more."""
    while (job := read_job(stream)) is not None:
        jobs.put(job)
    os._exit(0)


def _say(**message: object) -> None:
    print(json.dumps(message), flush=True)


def main() -> None:
    """Train the jobs that arrive on standard input until it ends; on an error say it and end with code 1."""
    try:
        _work()
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)  # not sys.exit: the reading thread holds standard input


def _work() -> None:
    jobs: queue.SimpleQueue[Job] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(sys.stdin.buffer, jobs), daemon=True).start()
    from grokbook.training.ensemble import train_here

    def report(step: int, metrics: dict[str, float]) -> None:
        _say(step=step, metrics=metrics)

    while True:
        job = jobs.get()
        train_here([job.config], "cpu", job.checkpoint, job.threads, job.checkpoint_every, report)
        _say(done=True)


if __name__ == "__main__":
    main()
