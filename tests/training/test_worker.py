"""The process that trains runs one after another: its messages and its end."""

from __future__ import annotations

import io
import json
import subprocess
import sys

import pytest
from small_runs import small

from grokbook.training.checkpoint import load_checkpoint
from grokbook.training.ensemble import checkpoint_path
from grokbook.training.loop import run_id
from grokbook.training.worker import Job, read_job, write_job

COMMAND = [sys.executable, "-m", "grokbook.training.worker"]


def test_jobs_go_through_a_pipe_one_after_another():
    jobs = [Job(small(seed), f"{seed}.pt", threads=seed + 1, checkpoint_every=0.5) for seed in range(3)]
    stream = io.BytesIO()
    for job in jobs:
        write_job(stream, job)
    stream.seek(0)
    assert [read_job(stream) for _ in jobs] == jobs
    assert read_job(stream) is None


@pytest.mark.timeout(120)
def test_a_worker_reports_leaves_checkpoints_and_ends_with_its_input(tmp_path):
    configs = [small(seed, steps=10) for seed in (0, 1)]
    paths = [checkpoint_path(tmp_path, [config]) for config in configs]
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        for config, path in zip(configs, paths, strict=True):
            write_job(process.stdin, Job(config, path))
        lines = [json.loads(process.stdout.readline()) for _ in range(8)]
        process.stdin.close()
        assert process.wait(30) == 0
    assert [line.get("step", "done") for line in lines] == [0, 5, 10, "done"] * 2
    assert lines[2]["metrics"]["train_loss"] > 0
    for config, path in zip(configs, paths, strict=True):
        assert load_checkpoint(path, run_id([config]))["step"] == 10
