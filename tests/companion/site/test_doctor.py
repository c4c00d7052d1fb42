"""The doctor finds what is missing and says how to mend it."""

from importlib import metadata

import pytest

from companion.site import doctor


def test_an_installation_that_builds_the_book_is_in_order(built_once):
    assert list(doctor.problems(built_once)) == []


def test_what_is_missing_is_named(project, monkeypatch):
    wanted = ["rich>=999", "grokbook-absent", "numpy", "other; extra == 'cluster'"]
    monkeypatch.setattr(metadata, "requires", lambda name: wanted)
    first, second = doctor.problems(project)
    assert "is not >=999" in first and second == f"grokbook-absent is missing: {doctor.INSTALL}"


@pytest.mark.parametrize(
    ("ends", "words"), [("kill -SEGV $$", "signal 11"), ("echo no >&2; exit 1", "no")]
)
def test_a_network_that_crashes_the_interpreter_is_a_finding(
    project, tmp_path, monkeypatch, ends, words
):
    """On a processor whose programs of a library are wrong, the doctor goes on and says how it ended."""
    crashes = tmp_path / "python"
    crashes.write_text(f"#!/bin/sh\n{ends}\n")
    crashes.chmod(0o755)
    monkeypatch.setattr(doctor.sys, "executable", str(crashes))
    (found,) = doctor.problems(project)
    assert found.startswith(f"no network can be trained ({words})")
