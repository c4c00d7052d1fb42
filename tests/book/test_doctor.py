"""The doctor finds what is missing and says how to mend it."""

import shutil
from collections import namedtuple

import pytest

from grokbook.book import doctor


@pytest.fixture(scope="module")
def findings(built_once):
    return {finding.name: finding for finding in doctor.examine(built_once)}


def test_an_installation_that_builds_the_book_is_in_order(findings):
    assert [f for f in findings.values() if f.needed and not f.ok] == []
    assert {"python", "packages", "torch trains", "kernel starts", "mathjax", "records", "disk"} <= set(findings)


def test_everything_that_can_be_missing_has_a_remedy(findings):
    no_need = {"book tools", "chapters", "pinned versions"}  # raise, name the chapter, or are no fault
    assert {name for name, f in findings.items() if not f.mend} <= no_need


def test_a_missing_package_is_named(project):
    text = (project / "pyproject.toml").read_text()
    (project / "pyproject.toml").write_text(text.replace('"rich>=13.7"', '"rich>=999", "grokbook-absent"'))
    found = doctor.packages(project)
    assert not found.ok
    assert "is not >=999" in found.text
    assert "grokbook-absent is missing" in found.text
    assert "pip install" in found.mend


def test_a_version_that_is_not_pinned_is_only_a_note_and_a_full_disk_or_a_broken_chapter_is_not(project, monkeypatch):
    (project / "constraints.txt").write_text("# pins\nnumpy==0.0.1\n")
    found = doctor.pinned_versions(project)
    assert (found.ok, found.needed, "numpy" in found.text) == (False, False, True)
    usage = namedtuple("usage", "free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(1e8))
    assert not doctor.disk(project).ok
    (project / "notebooks" / "02_bad.md").write_text("# No front matter\n")
    found = doctor.chapters_readable(project)
    assert (found.ok, "02_bad" in found.text) == (False, True)


def test_a_check_that_fails_is_a_finding(project, monkeypatch):
    def breaks(root):
        raise OSError("unplugged")

    monkeypatch.setattr(doctor, "CHECKS", (breaks,))
    assert [(f.ok, f.text) for f in doctor.examine(project)] == [(False, "OSError: unplugged")]


def test_damaged_mathjax_is_found(project, tmp_path, monkeypatch):
    monkeypatch.setattr("grokbook.book.site.mathjax_folder", lambda: tmp_path / "empty")
    found = doctor.mathjax(project)
    assert not found.ok
    assert "output/chtml/fonts" in found.text
