"""Where the project's folders are, with a checkout and without; what a process may use of the machine."""

import math
import os
from pathlib import Path

import pytest

from grokbook import claims, cli, machine, paths
from grokbook.errors import GrokbookError
from grokbook.page import sources

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
    assert sources.find(paths.project_root(), "02").number == "02"
    with pytest.raises(GrokbookError, match="run inside a clone"):
        cli.record()


@pytest.mark.parametrize(("share", "cores"), [("3", 3), *((s, os.cpu_count()) for s in ("", "0", "-1", "many", "1.5"))])
def test_a_share_is_what_a_process_may_use_and_one_that_is_no_number_of_cores_is_none(monkeypatch, share, cores):
    monkeypatch.setenv(machine.CORES, share)
    assert machine.cores() == cores


def test_free_memory_is_what_is_available_within_the_limit_of_the_group(tmp_path):
    (tmp_path / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:  2000000 kB\n")
    assert machine._available(tmp_path / "meminfo") == 2048
    assert machine._available(tmp_path / "absent") == machine._left_in_group(tmp_path) == math.inf
    group = {"memory.max": "max", "memory.current": "600000000", "memory.stat": "anon 1\ninactive_file 100000000\n"}
    for name, text in group.items():
        (tmp_path / name).write_text(text)
    assert machine._left_in_group(tmp_path) == math.inf
    (tmp_path / "memory.max").write_text("1000000000\n")
    assert machine._left_in_group(tmp_path) == 500
