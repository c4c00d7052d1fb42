"""Where the project's folders are."""

from __future__ import annotations

from pathlib import Path

import pytest

from grokbook import paths
from grokbook.errors import GrokbookError
from grokbook.paths import local_store_path, project_root, records_path


@pytest.fixture(autouse=True)
def no_settings(monkeypatch):
    for name in ("GROKBOOK_HOME", "GROKBOOK_STORE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def checkout(tmp_path):
    root = tmp_path / "clone"
    (root / "notebooks" / "deep").mkdir(parents=True)
    (root / "book").mkdir()
    (root / "book" / "_config.yml").write_text("")
    return root


def test_the_root_is_the_nearest_checkout_above(checkout, monkeypatch):
    assert project_root(checkout) == project_root(checkout / "notebooks" / "deep") == checkout
    monkeypatch.chdir(checkout / "notebooks")
    assert project_root() == checkout
    assert records_path() == checkout / "data" / "records"
    assert local_store_path() == checkout / ".grokbook" / "records"


def test_home_comes_before_any_search(checkout, tmp_path, monkeypatch):
    monkeypatch.setenv("GROKBOOK_HOME", str(tmp_path / "elsewhere"))
    assert project_root(checkout) == tmp_path / "elsewhere"


def test_outside_any_checkout_it_is_that_of_the_installed_sources(tmp_path):
    root = project_root(tmp_path)
    assert root == Path(__file__).resolve().parents[1] and (root / "src" / "grokbook").is_dir()


def test_without_any_checkout_the_error_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "__file__", str(tmp_path / "site-packages" / "grokbook" / "paths.py"))
    with pytest.raises(GrokbookError) as caught:
        project_root(tmp_path)
    assert str(caught.value) == (
        f"no grokbook checkout at or above {tmp_path}: run inside a clone, or set GROKBOOK_HOME to one."
    )


def test_the_local_store_can_be_moved(checkout, tmp_path, monkeypatch):
    monkeypatch.setenv("GROKBOOK_STORE", str(tmp_path / "runs"))
    assert local_store_path() == tmp_path / "runs"


def test_nothing_is_created(checkout, monkeypatch):
    monkeypatch.chdir(checkout)
    before = sorted(checkout.rglob("*"))
    records_path(), local_store_path()
    assert sorted(checkout.rglob("*")) == before
