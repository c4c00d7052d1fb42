"""What lies on disk: cards, whole writes, what git knows."""

import subprocess

import pytest

from grokbook.book import state


def test_a_chapter_without_notebook_or_card_was_not_executed(built):
    assert state.executed(built) == ["01_tiny"]
    (built / "book" / "chapters" / "01_tiny.json").write_text("{broken")
    assert state.card(built, "01_tiny") is None
    assert state.executed(built) == []


def test_a_write_that_fails_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    path = tmp_path / "page.ipynb"
    path.write_text("old")

    def full(*arguments):
        raise OSError("no space left")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(OSError, match="no space"):
        state.replace(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def git(folder, *arguments):
    identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def test_a_source_is_committed_when_the_last_commit_holds_it_unchanged(project):
    path = project / "notebooks" / "01_tiny.md"
    assert not state.committed(project, path)
    git(project, "init", "-q")
    assert not state.committed(project, path)
    git(project, "add", "notebooks")
    git(project, "commit", "-q", "-m", "one")
    assert state.committed(project, path)
    assert len(state.revision(project)) == 40
    path.write_text("changed")
    assert not state.committed(project, path)
