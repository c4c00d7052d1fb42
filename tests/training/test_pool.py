"""Processes for calls: values and reports come back, what fails is named."""

from __future__ import annotations

import io

import pytest

from grokbook.errors import TrainingError
from grokbook.training.pool import Pool, read_job, write_job


def counted(count, report):
    for step in range(count):
        print("a line of the call's own")
        report(step, {"loss": step / 2})
    return count


def test_jobs_go_through_a_pipe_one_after_another():
    stream = io.BytesIO()
    for job in (jobs := [(max, (1, 2), False), "text", {"a": 1.5}]):
        write_job(stream, job)
    stream.seek(0)
    assert [read_job(stream) for _ in jobs] == jobs and read_job(stream) is None


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
