"""Recording: what is missing, resumable; names by pattern."""

import dataclasses
import time
from pathlib import Path

import numpy as np
import pytest

from grokbook.errors import ParameterError
from grokbook.runs import recording
from grokbook.runs.experiment import Experiment, load_or_run, recorded
from grokbook.runs.store import Store
from grokbook.training.cost import Cost
from grokbook_chapters.gu2025 import modular_run
from processes import all_end, children, forked


@pytest.fixture
def tiny(monkeypatch):
    experiments = [
        Experiment(f"made/up[p={p}]", modular_run(p, 0.5, d_model=8, steps=4), seeds=(0,))
        for p in (5, 7)
    ]
    monkeypatch.setattr(recording, "catalogue", lambda: {e.name: e for e in experiments})
    return experiments


def test_all_missing_runs_are_recorded_and_then_nothing_is_left(tiny, tmp_path):
    store = Store(tmp_path)
    assert recording.records_table(store=store).missing.tolist() == [1, 1]
    table = recording.record(progress=False, store=store, workers=1)
    assert table.missing.tolist() == [0, 0]
    assert table["core minutes"].tolist() == [0, 0]
    before = (tmp_path / "MANIFEST.json").read_bytes()
    recording.record(progress=False, store=store, workers=1)
    assert (tmp_path / "MANIFEST.json").read_bytes() == before


def test_patterns_seeds_and_a_name_with_brackets(tiny):
    assert [e.name for e in recording.choose("made/up[p=5]")] == ["made/up[p=5]"]
    assert len(recording.choose("made/*")) == 2
    assert [e.seeds for e in recording.choose(None, 3)] == [(0, 1, 2), (0, 1, 2)]
    with pytest.raises(
        ParameterError, match=r"no experiment matches 'fig9'; .* the 2 there are, made/up"
    ):
        recording.choose("fig9")


def test_an_unknown_update_is_refused_before_anything_runs():
    with pytest.raises(
        ParameterError, match="update = 'quick' is unknown; choose one of eager, compiled"
    ):
        recording.record(update="quick")


def test_load_only_trains_nothing_even_when_a_record_is_damaged(tiny, tmp_path):
    """A page asks for paper-scale runs this way: a damaged file must not start hours of
    training."""
    store = Store(tmp_path)
    assert recorded(tiny[0], store) is None
    made = load_or_run(tiny[0], store, progress=False)
    assert recorded(tiny[0], store).equals(made)
    file = next(tmp_path.rglob("*.nc"))
    file.write_bytes(file.read_bytes()[:-7])
    with pytest.warns(UserWarning, match="it will be computed again"):
        assert recorded(tiny[0], store) is None


def test_the_next_seed_of_the_experiment_with_fewest_and_cheapest_comes_first(
    tmp_path, monkeypatch
):
    """Value per second: 1 / (n + 1) over the predicted seconds of one run, so 1/1 s before 1/4 s
    and 0.5/1 s."""
    cheap, dear = (
        Experiment(f"made/up[p={p}]", modular_run(p, 0.5, d_model=8, steps=4), (0, 1, 2))
        for p in (5, 7)
    )
    seconds = {5: 1.0, 7: 4.0}
    monkeypatch.setattr(
        Experiment,
        "predicted",
        lambda self, n=None: Cost(seconds[self.config.task.p] * (n or 1), 1.0),
    )
    store, order = Store(tmp_path), []
    for _ in range(6):
        job = recording.next_jobs([dear, cheap], store)[0]
        order.append((job.experiment.config.task.p, len(job.experiment.seeds)))
        load_or_run(job.experiment, store, progress=False)
    assert order[:3] == [(5, 1), (5, 2), (5, 3)] and order[3:] == [(7, 1), (7, 2), (7, 3)]
    assert recording.next_jobs([dear, cheap], store) == []


def test_side_by_side_the_records_are_those_made_in_turn(tiny, tmp_path, capsys):
    """Processes with one thread each: bit for bit the same runs."""
    recording.record(progress=False, store=Store(tmp_path / "a"), workers=1)
    table = recording.record(progress=True, store=Store(tmp_path / "b"), workers=2)
    assert table.missing.tolist() == [0, 0]
    assert capsys.readouterr().out.count("recorded made/up") == 2
    for experiment in tiny:
        a, b = (Store(tmp_path / name).load(experiment.key) for name in "ab")
        assert a.equals(b)


def record_for_ever(path):
    runs = [
        Experiment(f"made/up[p={p}]", modular_run(p, 0.5, d_model=8, steps=10**6), (0,))
        for p in (5, 7)
    ]
    recording.catalogue = lambda: {run.name: run for run in runs}
    recording.record(progress=False, store=Store(path), workers=2)


@pytest.mark.timeout(300)
@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="finds child processes in /proc")
def test_a_recording_that_is_killed_leaves_no_trainer(tmp_path):
    """SIGKILL once both workers hold the lock of a record: they end with their parent."""
    parent, workers = forked(record_for_ever, tmp_path), []
    while len(workers) < 2 or len(list(tmp_path.glob(".locks/*"))) < 2:
        assert parent.is_alive()
        workers = children(parent.pid)
        time.sleep(0.02)
    parent.kill()
    parent.join()
    assert all_end(workers)


def test_seeds_that_share_a_program_are_one_job_and_end_as_they_do_alone(tmp_path):
    apart = Experiment("made/up[p=5]", modular_run(5, 0.5, d_model=8, steps=4), (0, 1, 2))
    together = dataclasses.replace(apart, together=True)
    assert together.key == apart.key
    job = recording.next_jobs([together], Store(tmp_path))[0]
    assert job.experiment.seeds == (0, 1, 2) and job.seconds < apart.predicted(3).seconds
    ours, theirs = (
        load_or_run(e, Store(tmp_path / place), progress=False)
        for e, place in ((together, "a"), (apart, "b"))
    )
    np.testing.assert_allclose(ours.train_loss, theirs.train_loss, rtol=1e-5)
