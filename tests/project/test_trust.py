"""Short forms of the trials of `.ci/trust`: what they find fault with; that a few calls leave
nothing behind."""

import mmap
import os
import sys

import pytest

from project_tree import ROOT

sys.path.insert(0, str(ROOT / ".ci" / "trust"))
import leaks
import soak

KEPT = []


@pytest.fixture
def alone(tmp_path, monkeypatch):
    """A temporary folder of our own, and no process but this one."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("GROKBOOK_CORES", "1")
    # git is not what is tried
    monkeypatch.setattr("grokbook.runs.provenance.commit", lambda: ("unknown", False))


@pytest.mark.parametrize("call", [leaks.trained, leaks.recorded])
def test_a_few_calls_of_training_leave_no_file_thread_or_process(alone, call):
    """10,000 calls, and the memory: `.ci/trust/leaks.py`."""
    found = leaks.repeated(call, 12)
    assert not any(found.left.values()) and abs(found.growth) < 0.05


@pytest.mark.parametrize(
    ("leak", "kind"),
    [
        (lambda number: KEPT.append(open(os.devnull)), "files"),  # noqa: SIM115  that is the leak
        (lambda number: open(leaks.tempfile.mkstemp()[1]).close(), "temporary"),
    ],
)
def test_what_is_left_open_or_lies_about_is_found(alone, leak, kind):
    found = leaks.repeated(leak, 12)
    assert found.left[kind] >= 10 and found.wrong
    while KEPT:
        KEPT.pop().close()


def test_memory_that_grows_is_found(alone):
    half_a_percent = leaks.psutil.Process().memory_info().rss // 200

    def leak(number):
        block = mmap.mmap(-1, half_a_percent)  # not of what was freed before
        block.write(b"x" * half_a_percent)
        KEPT.append(block)

    found = leaks.repeated(leak, 20)
    assert found.growth > leaks.GROWTH and found.wrong
    KEPT.clear()


def test_the_soak_s_runs_are_all_there_once_and_what_is_lost_is_found(alone, tmp_path):
    assert [
        sum(len(s.seeds) * soak.CELLS for s in soak.sweeps(runs)) for runs in (16, 400, 2000)
    ] == [16, 400, 2000]
    assert len({s.key for s in soak.sweeps(2000)}) == 10
    made = soak.Soak(tmp_path, 8, 1)
    wrong = " ".join(made.wrong(soak.Store(tmp_path / "serial")))
    assert (
        "is recorded 0 times" in wrong and "soak/0: train_loss is not that of a serial run" in wrong
    )
