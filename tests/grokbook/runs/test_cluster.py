"""A sweep on a Dask cluster, with real processes: nothing is lost, nothing is trained twice, no
number changes."""

import dataclasses
import errno
import os
import signal
import subprocess
import sys

import pytest
from test_sweep import SMALL

import grokbook as gb
from grokbook.errors import GrokbookError, TrainingError
from grokbook.runs import cluster, load_or_run
from grokbook.runs.store import Store
from grokbook.runs.sweep import Axis, Sweep
from grokbook.training import Schedule
from grokbook.training.identity import code_id, run_id
from processes import children

pytest.importorskip("distributed")
CONFIG = dataclasses.replace(SMALL, steps=300, log=Schedule(0, 50, 6))
AXES = (Axis("decoder_lr", (1e-4, 1e-3, 1e-2)), Axis("decoder_weight_decay", (0.0, 0.5, 1.0, 5.0)))
LOOPBACK = {"dashboard_address": "127.0.0.1:0", "worker_dashboard_address": "127.0.0.1:0"}
SWEEP = Sweep("made/sweep", CONFIG, (0,), axes=AXES)


@pytest.fixture(scope="module", autouse=True)
def no_process_but_the_cluster_s():
    """Chunks that are finished are read in this process: another would load torch for each test."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("GROKBOOK_CORES", "1")
        yield


@pytest.fixture(scope="module")
def expected(tmp_path_factory, no_process_but_the_cluster_s):
    """The sweep without a cluster."""
    return load_or_run(SWEEP, Store(tmp_path_factory.mktemp("plain")), progress=False, device="cpu")


def same(found, expected):
    return all(found[name].equals(expected[name]) for name in expected.data_vars)


def test_a_cluster_changes_no_number_and_a_killed_worker_loses_no_run(
    tmp_path, expected, monkeypatch
):
    """SIGKILL to the process that works, while it works: its chunk goes to the one that takes its
    place.

    Two workers, scheduler, client and disk, again and again: `.ci/trust/soak.py`.
    """
    store, counts = Store(tmp_path), []
    killed = []

    def told(done, of):
        counts.append((done, of))
        if done == 0:
            return
        if not killed:
            killed.append(max(pid for pid in children(os.getpid()) if "spawn_main" in command(pid)))
            os.kill(killed[0], signal.SIGKILL)

    from distributed import LocalCluster

    with LocalCluster(n_workers=1, threads_per_worker=1, **LOOPBACK) as local:
        found = cluster.sweep(SWEEP, local.scheduler_address, store=store, report=told)
    assert killed and counts[-1] == (3, 3) and [done for done, _ in counts] == [0, 1, 2, 3]
    assert same(found, expected) and found.attrs["origin"] == "trained"
    assert not list(tmp_path.glob(".partial/*"))
    assert cluster.sweep(SWEEP, "tcp://nobody:1", store=store).attrs["origin"] == "cached"


def test_a_sweep_here_listens_nowhere_and_needs_no_dask(tmp_path, monkeypatch):
    """Dask's own cluster listens at every address of the machine, and runs what anybody sends to
    it."""
    monkeypatch.setattr("socket.socket.listen", lambda *_: pytest.fail("it listens"))
    monkeypatch.setitem(sys.modules, "distributed", None)
    options = {"store": tmp_path, "progress": False, "steps": 20, "loss": SMALL.loss}
    found = gb.sweep(
        SMALL.task, SMALL.model, SMALL.optimizer, grid={"decoder_lr": [1e-3, 1e-2]}, **options
    )
    assert found.attrs["origin"] == "trained" and len(Store(tmp_path).entries()) == 1


def command(pid):
    with open(f"/proc/{pid}/cmdline") as stream:
        return stream.read()


CLIENT = """
import sys; sys.path[:0] = {path!r}
from test_cluster import SWEEP, Store, cluster
import dataclasses, signal, os
def told(done, of):
    if done == 1:
        os.kill(os.getpid(), signal.SIGKILL)
if __name__ == "__main__":
    cluster.sweep(SWEEP, {address!r}, store=Store({store!r}), report=told)
"""


def test_a_client_that_goes_and_comes_back_goes_on_where_it_was_and_a_lost_scheduler_is_named(
    tmp_path, expected
):
    """The client is killed after its first chunk; that one is not trained again, and the numbers
    are the same.

    Then the scheduler goes: what was finished is kept.
    """
    from distributed import LocalCluster

    # the worker is a thread of this process: nobody kills it
    here = {"processes": False, "protocol": "tcp://"}
    with LocalCluster(n_workers=1, threads_per_worker=1, **LOOPBACK, **here) as local:
        script = tmp_path / "client.py"
        script.write_text(
            CLIENT.format(path=sys.path, address=local.scheduler_address, store=str(tmp_path))
        )
        assert (
            subprocess.run([sys.executable, script], capture_output=True).returncode
            == -signal.SIGKILL
        )
        kept = {path: path.stat().st_mtime_ns for path in tmp_path.glob(".partial/*/*.pt")}
        assert len(kept) == 1
        counts = []

        def told(done, of):
            counts.append(done)
            assert {path: path.stat().st_mtime_ns for path in kept} == kept

        found = cluster.sweep(SWEEP, local.scheduler_address, store=Store(tmp_path), report=told)
        assert counts == [1, 2, 3] and same(found, expected)
        other = dataclasses.replace(SWEEP, seeds=(1,))
        with pytest.raises(GrokbookError, match="the cluster was lost with . of 3 chunks to go"):
            report = lambda done, of: local.close() if done == 1 else None  # noqa: E731
            cluster.sweep(other, local.scheduler_address, store=Store(tmp_path), report=report)
    assert len(list(tmp_path.glob(".partial/*/*.pt"))) >= 1


def test_what_a_cluster_cannot_be_is_said_in_a_sentence(tmp_path, monkeypatch):
    with pytest.raises(GrokbookError, match="no Dask scheduler answers at 'tcp://127.0.0.1:1'"):
        cluster.sweep(SWEEP, "tcp://127.0.0.1:1", store=Store(tmp_path))
    with pytest.raises(TrainingError, match="another version of grokbook"):
        cluster.trained(SWEEP.cells(0)[:1], "0" * 16, "0" * 16)
    with (
        monkeypatch.context() as patched,
        pytest.raises(TrainingError, match="keep a checkpoint: No space left on"),
    ):
        full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        patched.setattr("tempfile.mkdtemp", lambda *_, **__: (_ for _ in ()).throw(full))
        cluster.trained([SMALL], code_id([SMALL]), run_id([SMALL]))
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(GrokbookError, match="install the extra `cluster`"):
        cluster.sweep(SWEEP, "tcp://127.0.0.1:1", store=Store(tmp_path))
