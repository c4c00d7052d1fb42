"""What processes share: a start-up file prints, reads and writes of it where it likes, and nothing of ours breaks."""

import os

import pytest

from grokbook.build import doctor, kernel
from grokbook.training.pool import Pool

NOISE = """import os, sys
print("a line of somebody else")
print('{"value": 7}')
print(12345, file=sys.stderr)
"""


@pytest.fixture
def noisy(tmp_path, monkeypatch):
    """Every Python that is started prints before it does what it is asked; its interactive start-up file does too."""
    (tmp_path / "sitecustomize.py").write_text(NOISE)
    (tmp_path / "start.py").write_text(NOISE + "raise SystemExit")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("PYTHONSTARTUP", str(tmp_path / "start.py"))
    kernel._loaded.cache_clear()
    yield tmp_path
    kernel._loaded.cache_clear()


def test_a_process_of_the_pool_answers_on_a_pipe_of_its_own(noisy):
    with Pool(1) as pool:
        assert pool.submit(max, 1, 2).result() == 2
        assert pool.submit(os.system, "echo 3").result() == 0


def test_a_kernel_starts_and_runs_a_cell(noisy):
    found = doctor.kernel_starts(noisy)
    assert found.ok, found.text


def test_the_doctor_reads_what_it_asked_for(noisy, monkeypatch):
    monkeypatch.setattr(doctor, "TRAIN", "from pathlib import Path; Path(sys.argv[1]).write_text('transformer')")
    found = doctor.networks_train(noisy)
    assert found.ok and found.text.endswith(": transformer")
