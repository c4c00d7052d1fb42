"""Processes for calls: values come back, what fails is named; progress: a bar each, plain lines
elsewhere."""

import io
import queue
import sys
from types import SimpleNamespace

import pytest
from rich.console import Console

from grokbook.errors import TrainingError
from grokbook.training import pool, progress
from grokbook.training.pool import Pool
from grokbook.training.progress import TrainingProgress


def counted(count, report):
    for step in range(count):
        print("a line of the call's own")
        report(step, {"loss": step / 2})
    return count


@pytest.mark.timeout(120)
def test_values_and_reports_come_back_and_a_failure_is_named():
    told = []
    with Pool(1) as pool:
        assert pool.submit(counted, 3, report=lambda *a: told.append(a)).result() == 3
        assert told == [(n, {"loss": n / 2}) for n in range(3)]
        with pytest.raises(TrainingError, match="^the sum ended with exit code 1: TypeError: "):
            pool.submit(sum, 3, name="the sum").result()
        assert pool.submit(max, 2, 3).result() == 3  # in a new process
    with pytest.raises(RuntimeError):
        pool.submit(max, 1, 2)


@pytest.mark.parametrize(
    ("sent", "code"), [(b"", 0), (b"\1\0\0", 0), (b"\2" + 7 * b"\0" + b"no", 1)]
)
def test_a_process_ends_when_its_parent_is_gone_and_on_a_job_that_is_none(
    monkeypatch, capsys, sent, code
):
    monkeypatch.setattr(pool.os, "_exit", sys.exit)
    with pytest.raises(SystemExit) as ended:
        pool._receive(io.BytesIO(sent), queue.SimpleQueue())
    assert ended.value.code == code and ("Traceback" in capsys.readouterr().err) == bool(code)


def test_a_process_whose_call_is_given_up_is_ended_and_another_takes_its_place(monkeypatch):
    """The one who asks fails in a report, say, while the process works on."""

    class Worker:
        ended = False

        def make(self, job, name, report):
            return 1 if name == "whole" else report(0, {})

        def end(self):
            self.ended = True

    monkeypatch.setattr(pool, "_Worker", Worker)
    with Pool(1) as calls:
        assert calls.submit(max, 1, 2, name="whole").result() == 1
        with pytest.raises(ZeroDivisionError):
            calls.submit(max, 1, 2, report=lambda *_: 1 / 0).result()
        assert [worker.ended for worker in calls.workers] == [True]
        calls.submit(max, 1, 2, name="whole").result()
        assert [worker.ended for worker in calls.workers] == [True, False]


METRICS = {
    "train_loss": 0.5,
    "test_loss": 2.25,
    "train_accuracy": 1.0,
    "test_accuracy": 0.125,
    "med": 99.0,
}


def test_without_a_terminal_a_plain_line_goes_to_stderr(capsys):
    with TrainingProgress({"run": 100}, every=0.0) as shown:
        shown.update("run", 10, METRICS)
        shown.update("run", 60, METRICS)
    out, err = capsys.readouterr()
    lines = err.splitlines()
    assert out == "" and len(lines) == 2
    assert lines[0].startswith(
        "grokbook: run  step 10/100  loss 0.5  test loss 2.25  acc 1  test acc 0.125"
    )
    assert lines[1].startswith("grokbook: run  step 60/100") and lines[1].endswith("s left")


def test_the_remaining_time_goes_on_at_the_rate_so_far(monkeypatch):
    now = iter([0.0, 1000.0, 1050.0])  # made at 0, first report after a long wait for its turn
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: next(now)))
    shown = TrainingProgress({"run": 100}, enabled=False)
    shown.update("run", 20, METRICS)  # continued from step 20: 25 steps in 50 s, 55 to go
    assert shown._remaining("run", 45) == "  about 110 s left"


def test_on_a_terminal_each_run_has_a_bar(monkeypatch):
    screen = io.StringIO()
    monkeypatch.setattr(
        progress,
        "Console",
        lambda stderr: Console(file=screen, force_terminal=True, width=140, force_jupyter=False),
    )
    with TrainingProgress({"one": 100, "two": 100}) as shown:
        shown.update("one", 50, METRICS)
        shown.update("two", 100, METRICS)
        shown.bar.refresh()
    text = screen.getvalue()
    assert "one" in text and "50/100" in text and "100/100" in text and "test acc 0.125" in text
