"""Names that become paths, and files that are whole or not there: on every system, whoever chose
the name."""

import errno
import fcntl
import os
import stat
import time
from pathlib import Path

import pytest
from filelock import Timeout
from hypothesis import example, given, settings
from hypothesis import strategies as st

from grokbook import files
from grokbook.errors import ParameterError, RecordError
from grokbook.files import atomic_write, inside, is_plain, locked, sweep, whole_folder

HOSTILE = st.text(st.sampled_from('ab./\\~:*?"<>|\0\n\x1b\u202e\u00e9 -'), max_size=12)
NAMES = (
    HOSTILE
    | st.text(max_size=12)
    | st.sampled_from(["..", ".", "", "~", "a/../../b", "/etc", "C:x", "nul"])
)


@given(NAMES)
@settings(max_examples=400)
@example("a" * 241)
@example("\U0001f600" * 61)
def test_a_name_is_one_part_of_a_path_that_every_system_takes_or_is_refused(name):
    """What is plain can be made below a folder, is found there under its name, and says nothing to
    a terminal."""
    folder = Path("/somewhere")
    if is_plain(name):
        assert inside(folder, name) == folder / name and (folder / name).parent == folder
        assert Path(os.path.normpath(folder / name)) == folder / name and name.isprintable()
        assert len(os.fsencode(name)) <= 255 and not name.startswith(".")
    else:
        with pytest.raises(
            ParameterError, match=r"names no file in /somewhere; a part of a name has 1 to 240"
        ):
            inside(folder, f"fine/{name}" if "/" not in name else name + "/..")


@given(st.lists(NAMES, min_size=1, max_size=4).map("/".join))
@settings(max_examples=400)
def test_no_name_leads_out_of_its_folder(name):
    folder = Path("/some/where")
    try:
        path = inside(folder, name)
    except ParameterError as error:
        assert str(error).isprintable()
    else:
        assert Path(os.path.normpath(path)).is_relative_to(folder) and path != folder


@pytest.mark.parametrize("name", ["CON", "nul.txt", "com1", "LPT9.nc", "aux"])
def test_a_device_of_windows_is_no_name(name):
    assert not is_plain(name) and is_plain(f"{name}x".replace(".", "_"))


def test_a_folder_that_is_a_link_to_elsewhere_is_not_followed_and_a_linked_file_or_store_is(
    tmp_path,
):
    """As version control for large files has them: files are links; the whole store may lie on
    another disk."""
    store = tmp_path / "store"
    other = tmp_path / "other"
    for folder in (store / "real", other):
        folder.mkdir(parents=True)
    (store / "away").symlink_to(other)
    (store / "near").symlink_to(store / "real")
    (store / "real" / "a.nc").symlink_to(other / "a.nc")
    (tmp_path / "linked").symlink_to(store)
    assert (
        inside(store, "real/a.nc")
        and inside(store, "near/a.nc")
        and inside(tmp_path / "linked", "real/a.nc")
    )
    for folder in (store, tmp_path / "linked"):
        with pytest.raises(ParameterError, match="names no file in"):
            inside(folder, "away/a.nc")


@pytest.fixture
def umask():
    """Sets the process's umask for a test."""
    before = os.umask(0o022)
    yield os.umask
    os.umask(before)


@pytest.mark.parametrize("mask", [0o022, 0o002, 0o027, 0o077, 0o007])
def test_what_is_written_may_be_read_by_whom_the_process_says(tmp_path, umask, mask):
    umask(mask)
    atomic_write(tmp_path / "deep" / "file", b"one")
    atomic_write(tmp_path / "deep" / "file", b"two")
    with whole_folder(tmp_path / "folder") as place:
        (place / "inside").write_text("")
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.rglob("*")}
    file = 0o666 & ~mask
    folder = 0o777 & ~mask
    assert modes == {"deep": folder, "file": file, "folder": folder, "inside": file}


def left_behind(folder: Path, name: str, age: float, inner: bool = False) -> Path:
    """What a writer of a name leaves that was killed so many seconds ago."""
    place = files._beside(folder / name)
    if inner:
        place.mkdir()
        (place / "part").write_text("")
    else:
        place.write_text("")
    os.utime(place, (time.time() - age,) * 2)
    return place


def test_what_killed_writers_left_goes_with_a_later_write_and_nothing_else_does(tmp_path):
    old = [
        left_behind(tmp_path, name, 2 * files.LEFT_BEHIND, inner)
        for name in ("a", "b.nc")
        for inner in (0, 1)
    ]
    young = left_behind(tmp_path, "a", files.LEFT_BEHIND / 2)
    others = [
        tmp_path / name
        for name in (".a.tmp", "a.0123456789ab.tmp", ".a.0123456789ab", ".a.notours12345.tmp")
    ]
    for path in others:
        path.write_text("")
        os.utime(path, (0, 0))
    atomic_write(tmp_path / "c", b"")
    assert not any(path.exists() for path in old)
    assert sorted(tmp_path.iterdir()) == sorted([young, *others, tmp_path / "c"])
    sweep(tmp_path / "absent")


def test_a_folder_is_made_whole_or_not_at_all_and_a_full_disk_is_a_sentence(tmp_path):
    target = tmp_path / "out"
    full = pytest.raises(
        RecordError, match=r"out was not written: the disk is full; what was there before is unt"
    )
    with full, whole_folder(target) as place:
        (place / "half").write_text("")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    with pytest.raises(ZeroDivisionError), whole_folder(target) as place:
        (place / "half").write_text(str(1 / 0))
    assert list(tmp_path.iterdir()) == []


def test_the_folder_one_is_in_and_a_link_are_refused_before_anything_is_made(tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    for path in (Path("."), tmp_path / "here", tmp_path / "link"):
        with (
            pytest.raises(ParameterError, match="is a link, or the folder you are in"),
            whole_folder(path),
        ):
            pytest.fail("made")


@pytest.mark.parametrize("number", files.NO_LOCKS)
def test_a_disk_without_locks_is_named_with_a_cure_and_never_waited_for(
    tmp_path, monkeypatch, number
):
    def refused(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", refused)
    for _ in range(2):
        with pytest.raises(RecordError) as caught:
            locked(tmp_path / ".locks" / "a.lock", "the store")
        said = str(caught.value)
        assert (
            said.startswith("the store is on a disk without locks (") and "GROKBOOK_STORE" in said
        )


def test_a_lock_is_held_by_one_at_a_time(tmp_path):
    with locked(tmp_path / "a.lock", "it"), pytest.raises(Timeout):
        locked(tmp_path / "a.lock", "it", 0.1)
    locked(tmp_path / "a.lock", "it", 0.1).lock.release()
