"""The doctor finds what is missing and says how to mend it."""

import shutil
from collections import namedtuple
from importlib import metadata

import pytest

from companion.site import doctor


def test_an_installation_that_builds_the_book_is_in_order(built_once):
    found = list(doctor.examine(built_once))
    assert [one for one in found if not one.ok] == [] and all(one.mend for one in found)
    assert [one.name for one in found] == [
        "packages",
        "network trains",
        "kernel starts",
        "records",
        "disk",
    ]


def test_what_is_missing_is_named(project, monkeypatch):
    wanted = ["rich>=999", "grokbook-absent", "numpy", "other; extra == 'cluster'"]
    monkeypatch.setattr(metadata, "requires", lambda name: wanted)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: namedtuple("usage", "free")(1e8))
    found = doctor.packages(project)
    assert not found.ok and "is not >=999; grokbook-absent is missing" in found.text
    assert (doctor.disk(project).ok, doctor.disk(project).text) == (False, "0 GB free")


def test_a_check_that_fails_is_a_finding(project, monkeypatch):
    def breaks(root):
        raise OSError("unplugged")

    monkeypatch.setattr(doctor, "CHECKS", (breaks,))
    assert [(one.ok, one.text) for one in doctor.examine(project)] == [
        (False, "OSError: unplugged")
    ]


@pytest.mark.parametrize(
    ("ends", "words"), [("kill -SEGV $$", "signal 11"), ("echo no >&2; exit 1", "no")]
)
def test_a_network_that_crashes_the_interpreter_is_a_finding(tmp_path, monkeypatch, ends, words):
    """On a processor whose programs of a library are wrong, the doctor goes on and says how it
    ended."""
    crashes = tmp_path / "python"
    crashes.write_text(f"#!/bin/sh\n{ends}\n")
    crashes.chmod(0o755)
    monkeypatch.setattr(doctor.sys, "executable", str(crashes))
    found = doctor.network_trains(tmp_path)
    assert (found.ok, found.text) == (False, words)
