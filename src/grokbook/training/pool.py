"""Processes of their own for calls: `Pool` here, and the process itself, `python -m
grokbook.training.pool`.

The parent writes pickled calls (length first) to standard input and keeps it open; when the parent
dies, the input ends and so does the process, in the middle of a call if need be. Reports leave as
JSON lines on a pipe of their own (`grokbook.machine.started`), then the call's value.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import queue
import subprocess
import sys
import tempfile
import threading
import traceback
import warnings
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import IO, Any

from grokbook.errors import TrainingError
from grokbook.machine import answers, process_environment, started

Report = Callable[[int, dict[str, float]], None]
Job = tuple[Callable[..., Any], tuple[Any, ...], bool]  # a call, its arguments, whether it reports


class Pool:
    """`count` processes of one thread, each working on one call at a time; they end with
    this process.

    Use as a context manager: leaving it ends every process at once, calls that have not finished
    included.
    """

    def __init__(self, count: int) -> None:
        self.mine = threading.local()
        self.closed = False
        self.workers: list[_Worker] = []
        self.executor = ThreadPoolExecutor(count)

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *error: object) -> None:
        self.closed = True
        self.executor.shutdown(wait=False, cancel_futures=True)
        for worker in list(self.workers):
            worker.end()
        self.executor.shutdown(wait=True)

    def submit(
        self,
        call: Callable[..., Any],
        *arguments: Any,
        name: str = "",
        report: Report | None = None,
    ) -> Future[Any]:
        """Let a process make the call; its value must be one that JSON can hold.

        With `report` the call is given a function of that name, whose calls reach this one. The
        future raises TrainingError, with the last line of what the process said, when the call
        fails; `name` says which it was.
        """
        return self.executor.submit(self._make, (call, arguments, report is not None), name, report)

    def _make(self, job: Job, name: str, report: Report | None) -> Any:
        if not getattr(self.mine, "worker", None):
            self.mine.worker = _Worker()
            self.workers.append(self.mine.worker)
        try:
            if self.closed:
                raise TrainingError(f"{name or 'a call'} was not made: the pool is closed.")
            return self.mine.worker.make(job, name, report)
        except BaseException:
            self.mine.worker.end()
            self.mine.worker = None
            raise


class _Worker:
    """A process that makes one call after another; its stderr goes to a file of its own."""

    def __init__(self) -> None:
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115  closed with the worker
        command = [sys.executable, "-P", "-m", "grokbook.training.pool"]
        streams = {"stdin": subprocess.PIPE, "stdout": self.errors, "stderr": self.errors}
        self.process, self.answers = started(command, process_environment(), **streams)

    def end(self) -> None:
        """Kill the process."""
        self.process.kill()
        self.process.wait()

    def make(self, job: Job, name: str, report: Report | None) -> Any:
        """Send one call and wait for its value."""
        assert self.process.stdin is not None  # a pipe
        with contextlib.suppress(BrokenPipeError):
            write_job(self.process.stdin, job)
        for line in self.answers:
            message = json.loads(line)
            if "value" in message:
                return message["value"]
            if "warning" in message:
                warnings.warn(message["warning"], stacklevel=2)
            elif report:
                report(message["step"], message["metrics"])
        code = self.process.wait()
        self.errors.seek(0)
        last = (self.errors.read().decode(errors="replace").strip().splitlines() or ["no message"])[
            -1
        ]
        raise TrainingError(f"{name or 'a call'} ended with exit code {code}: {last}")


def write_job(stream: IO[bytes], job: Any) -> None:
    """Send what can be pickled to a worker's standard input."""
    content = pickle.dumps(job)
    stream.write(len(content).to_bytes(8, "little") + content)
    stream.flush()


def read_job(stream: IO[bytes]) -> Any:
    """Receive it; None when the input has ended."""
    length = stream.read(8)
    return pickle.loads(stream.read(int.from_bytes(length, "little"))) if len(length) == 8 else None


def _receive(stream: IO[bytes], jobs: queue.SimpleQueue[Any]) -> None:
    """Pass jobs on as they come; end the process when the parent is gone or has no more."""
    try:
        while (job := read_job(stream)) is not None:
            jobs.put(job)
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    os._exit(0)


def main() -> None:
    """Make the calls that arrive on standard input until it ends; on an error say it and end with
    code 1."""
    jobs: queue.SimpleQueue[Any] = queue.SimpleQueue()
    channel = answers()
    threading.Thread(target=_receive, args=(sys.stdin.buffer, jobs), daemon=True).start()

    def say(**message: Any) -> None:
        print(json.dumps(message), file=channel, flush=True)

    warnings.showwarning = lambda message, *_: say(warning=str(message))
    try:
        while True:
            call, arguments, reports = jobs.get()
            options = (
                {"report": lambda step, metrics: say(step=step, metrics=metrics)} if reports else {}
            )
            say(value=call(*arguments, **options))
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)  # not sys.exit: the reading thread holds standard input


if __name__ == "__main__":
    main()
