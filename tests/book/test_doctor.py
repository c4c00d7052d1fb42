"""The doctor finds what is missing and says how to mend it."""

import shutil
from collections import namedtuple

import pytest

from grokbook.build import doctor


@pytest.fixture(scope="module")
def findings(built_once):
    return {finding.name: finding for finding in doctor.examine(built_once)}


def test_an_installation_that_builds_the_book_is_in_order(findings):
    assert [f for f in findings.values() if f.needed and not f.ok] == []
    assert {"python", "packages", "networks train", "kernel starts", "mathjax", "records", "disk"} <= set(findings)


def test_everything_that_can_be_missing_has_a_remedy(findings):
    no_need = {"book tools", "chapters", "pinned versions"}  # raise, name the chapter, or are no fault
    assert {name for name, f in findings.items() if not f.mend} <= no_need


def test_what_is_missing_or_broken_is_named(project, monkeypatch):
    text = (project / "pyproject.toml").read_text()
    (project / "pyproject.toml").write_text(text.replace('"rich>=13.7"', '"rich>=999", "grokbook-absent"'))
    (project / "constraints.txt").write_text("# pins\nnumpy==0.0.1\n")
    (project / "notebooks" / "02_bad.md").write_text("# No front matter\n")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: namedtuple("usage", "free")(1e8))
    monkeypatch.setattr("grokbook.build.site.mathjax_folder", lambda: project / "empty")
    for check, needed, words in [
        (doctor.packages, True, ["is not >=999", "grokbook-absent is missing"]),
        (doctor.pinned_versions, False, ["numpy"]),
        (doctor.chapters_readable, True, ["02_bad"]),
        (doctor.disk, True, ["0 GB free"]),
        (doctor.mathjax, True, ["output/chtml/fonts"]),
    ]:
        found = check(project)
        assert (found.ok, found.needed) == (False, needed) and found.mend
        assert [word for word in words if word not in found.text] == []


def test_a_check_that_fails_is_a_finding(project, monkeypatch):
    def breaks(root):
        raise OSError("unplugged")

    monkeypatch.setattr(doctor, "CHECKS", (breaks,))
    assert [(f.ok, f.text) for f in doctor.examine(project)] == [(False, "OSError: unplugged")]


@pytest.mark.parametrize(
    ("ends", "words"),
    [("kill -SEGV $$", "after transformer: signal 11"), ("echo no >&2; exit 1", "after transformer: no")],
)
def test_a_network_that_crashes_the_interpreter_is_a_finding(tmp_path, monkeypatch, ends, words):
    """On a processor whose programs of a library are wrong, the doctor goes on and says after which network it was."""
    crashes = tmp_path / "python"
    crashes.write_text(f"#!/bin/sh\necho a line; echo transformer > $4\n{ends}\n")
    crashes.chmod(0o755)
    monkeypatch.setattr(doctor.sys, "executable", str(crashes))
    found = doctor.networks_train(tmp_path)
    assert not found.ok and words in found.text and doctor.processor() in found.text
