"""Files that are whole or not there: atomic writes, a full disk, damaged checkpoints."""

import errno
import os
import subprocess
import sys
import warnings

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from grokbook import files
from grokbook.errors import RecordError
from grokbook.files import atomic_write
from grokbook.training.checkpoint import CheckpointWarning, load_checkpoint, save_checkpoint

STATE = {
    "run_id": "me",
    "step": 3,
    "weights": torch.arange(4.0),
    "history": [{"loss": [1.0, float("nan")]}],
}


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def fail(number):
    """A system call that ends with this error."""

    def call(*_args, **_kwargs):
        raise OSError(number, os.strerror(number))

    return call


def test_the_content_takes_the_name_and_nothing_else_is_left(tmp_path):
    path = tmp_path / "deep" / "er" / "file.bin"
    for content in (b"first", b"", b"x" * 100_000):
        atomic_write(path, content)
        assert path.read_bytes() == content and names(path.parent) == ["file.bin"]


@pytest.mark.parametrize("call", ["fsync", "replace", "open"])
@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (errno.ENOSPC, "the disk is full"),
        (errno.EIO, "Input/output error"),
        (errno.EROFS, "Read-only file system"),
    ],
)
def test_a_failed_write_leaves_the_old_content_and_says_why(
    tmp_path, monkeypatch, call, number, reason
):
    path = tmp_path / "file.bin"
    atomic_write(path, b"old")
    monkeypatch.setattr(files.os, call, fail(number))
    with pytest.raises(RecordError) as caught:
        atomic_write(path, b"new")
    monkeypatch.undo()
    assert (
        str(caught.value)
        == f"{path} was not written: {reason}; what was there before is untouched."
    )
    assert path.read_bytes() == b"old" and names(tmp_path) == ["file.bin"]


def test_a_state_goes_round(tmp_path):
    path = tmp_path / "run.pt"
    save_checkpoint(path, STATE)
    loaded = load_checkpoint(path, "me")
    assert loaded.keys() == STATE.keys() and torch.equal(loaded["weights"], STATE["weights"])
    assert loaded["step"] == 3 and loaded["history"][0]["loss"][0] == 1.0


def test_no_checkpoint_or_another_runs_is_none_and_stays(tmp_path):
    path = tmp_path / "run.pt"
    assert load_checkpoint(path, "me") is None
    save_checkpoint(path, STATE)
    with pytest.warns(
        CheckpointWarning,
        match="belongs to another run, other code or another torch; the run starts",
    ):
        assert load_checkpoint(path, "somebody else") is None
    with pytest.warns(CheckpointWarning, match="has tensors of other shapes"):
        assert load_checkpoint(path, "me", {"weights": torch.zeros(5)}) is None
    assert load_checkpoint(path, "me", {"weights": torch.zeros(4)})["step"] == 3


def refused(path):
    with pytest.warns(
        CheckpointWarning, match=f"the checkpoint {path} is damaged; the run starts anew"
    ):
        assert load_checkpoint(path, "me") is None
    return not path.exists()


@given(st.floats(0, 1), st.integers(0, 7))
def test_one_flipped_bit_anywhere_is_seen(tmp_path_factory, where, bit):
    """The sha256 of the payload stands before it: no flip leaves other numbers behind."""
    path = tmp_path_factory.mktemp("flip") / "run.pt"
    save_checkpoint(path, STATE)
    content = bytearray(path.read_bytes())
    place = int(where * (len(content) - 1))
    content[place] ^= 1 << bit
    path.write_bytes(content)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CheckpointWarning)
        state = load_checkpoint(path, "me")
    assert state is None or (place < 90 and torch.equal(state["weights"], STATE["weights"]))


def test_bytes_that_are_no_checkpoint_are_removed_and_nothing_in_them_is_run(tmp_path):
    class Harmful:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "executed"),)

    path = tmp_path / "run.pt"
    for content in (b"text", b"\x80\x02N."):
        path.write_bytes(content)
        assert refused(path)
    save_checkpoint(path, {"run_id": "me", "weights": Harmful()})
    assert refused(path) and not (tmp_path / "executed").exists()


def left_by(process, place):
    """A folder as a command of this process number leaves it when it is killed."""
    folder = place / f"grokbook-{process}-abc_9def"
    (folder / "inside").mkdir(parents=True)
    return folder


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """The system's place for temporary folders, and the number of a process that is no more."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    return tmp_path, ended.pid


def test_temporary_folders_of_killed_commands_go_and_no_others(temporary):
    place, ended = temporary
    left_by(ended, place)
    kept = {left_by(os.getpid(), place), left_by(os.getppid(), place)}
    for name in (
        f"grokbook-{ended}",
        f"mine-{ended}-abc",
        f"grokbook-x{ended}-abc",
        "grokbook-abc",
    ):
        (place / name).mkdir()
        kept.add(place / name)
    (place / f"grokbook-{ended}-link").symlink_to(place / "grokbook-abc")
    kept.add(place / f"grokbook-{ended}-link")
    with files.temporary_folder() as made:
        assert set(place.iterdir()) == {*kept, made}
        assert f"-{os.getpid()}-" in made.name
    assert set(place.iterdir()) == kept
