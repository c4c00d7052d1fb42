"""Where the project's folders are, in a checkout and where grokbook was installed without one."""

from __future__ import annotations

from pathlib import Path

import pytest

from grokbook import claims, cli, paths
from grokbook.book import chapters
from grokbook.errors import GrokbookError

ROOT = Path(__file__).resolve().parents[1]


def project(folder: Path) -> Path:
    (folder / "notebooks" / "deep").mkdir(parents=True)
    (folder / "book").mkdir()
    (folder / "book" / "_config.yml").write_text("")
    return folder


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    for name in ("GROKBOOK_HOME", "GROKBOOK_STORE"):
        monkeypatch.delenv(name, raising=False)
    return project(tmp_path / "clone")


@pytest.fixture
def installed(checkout, tmp_path, monkeypatch):
    """Grokbook in a `site-packages`, with what its wheel brings; the current folder has nothing to do with it."""
    package = tmp_path / "site-packages" / "grokbook"
    monkeypatch.setattr(paths, "__file__", str(package / "paths.py"))
    monkeypatch.setattr(paths, "INSTALLED", package / "_data")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return package / "_data"


def test_the_root_is_the_nearest_checkout_above(checkout, monkeypatch):
    assert paths.project_root(checkout) == paths.project_root(checkout / "notebooks" / "deep") == checkout
    monkeypatch.chdir(checkout / "notebooks")
    assert paths.project_root() == paths.checkout() == checkout
    assert paths.records_path() == checkout / "data" / "records"
    assert paths.local_store_path() == checkout / ".grokbook" / "records"
    assert paths.results_path(checkout) == checkout / "runs"
    assert not (checkout / "data").exists() and not (checkout / ".grokbook").exists(), "nothing is created"


def test_settings_come_before_any_search(checkout, tmp_path, monkeypatch):
    monkeypatch.setenv("GROKBOOK_HOME", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GROKBOOK_STORE", str(tmp_path / "store"))
    assert paths.project_root(checkout) == tmp_path / "elsewhere"
    assert paths.local_store_path() == tmp_path / "store"


def test_outside_any_checkout_it_is_that_of_the_installed_sources(checkout, tmp_path):
    assert paths.project_root(tmp_path) == ROOT


def test_without_a_checkout_chapters_are_read_from_the_package_and_results_go_elsewhere(installed, tmp_path):
    with pytest.raises(GrokbookError, match="run inside a clone, or set GROKBOOK_HOME"):
        paths.project_root()
    project(installed)
    assert paths.project_root() == installed and paths.records_path() == installed / "data" / "records"
    assert paths.local_store_path() == tmp_path / "home" / ".grokbook" / "records"
    assert paths.results_path(installed) == tmp_path / "runs"
    with pytest.raises(GrokbookError, match="run inside a clone"):
        paths.checkout(installed / "notebooks")


def test_without_checkout_and_records_a_claim_of_runs_is_not_run(installed, monkeypatch, tmp_path):
    (installed).mkdir(parents=True)
    for name in ("notebooks", "book"):
        (installed / name).symlink_to(ROOT / name)
    assert claims.ledger(["GF20"]).verdict.tolist() == ["not run"]
    assert chapters.find(paths.project_root(), "02").number == "02"
    with pytest.raises(GrokbookError, match="run inside a clone"):
        cli.record()
