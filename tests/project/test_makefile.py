"""`make book` and `make test` do their own set-up, skip it when nothing changed, never trust half of one."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from project_tree import ROOT, make_targets, read

# Stands for Python: `-m venv` copies itself into the environment, `-m pip install` is logged and may fail.
STUB = """#!/bin/sh
here=$(dirname "$0")
case "$*" in
  -c*) exit "${OLD_PYTHON:-0}" ;;
  *"-m venv"*) for last; do :; done; mkdir -p "$last/bin"; cp "$0" "$last/bin/python"; echo venv >> "$LOG" ;;
  *"-m pip --version"*) [ -z "$BROKEN_PIP" ] ;;
  *"-m pip install"*) echo "install $*" >> "$LOG"; [ -z "$FAIL_INSTALL" ] ;;
  *"-m pytest"*) echo "pytest $* threads=$OMP_NUM_THREADS" >> "$LOG" ;;
esac
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the project's Makefile and a stand-in for Python."""
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path / name)
    stub = tmp_path / "stub"
    stub.write_text(STUB)
    stub.chmod(0o755)
    return tmp_path


def make(folder: Path, *arguments: str, **environment: str) -> tuple[int, list[str], str]:
    """Run make there: exit status, what the stand-in logged, what was printed."""
    log = folder / "log"
    log.write_text("")
    inherited = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    done = subprocess.run(
        ["make", "PYTHON=./stub", *arguments],
        cwd=folder,
        env=inherited | {"LOG": str(log)} | environment,
        capture_output=True,
        text=True,
    )
    return done.returncode, log.read_text().splitlines(), done.stdout + done.stderr


def planned(folder: Path, target: str) -> list[str]:
    """The commands that `make -n` prints."""
    status, _, printed = make(folder, "-n", target)
    assert status == 0, printed
    return printed.splitlines()


def position(lines: list[str], part: str) -> int:
    """Where the one line with `part` stands."""
    (found,) = [number for number, line in enumerate(lines) if part in line]
    return found


def test_book_makes_the_environment_installs_with_pins_and_builds_at_laptop(folder):
    lines = planned(folder, "book")
    parts = ("-m venv", "-c constraints.txt -e '.[book]'", "grokbook build --preset laptop")
    order = [position(lines, part) for part in parts]
    assert order == sorted(order)
    assert order[-1] == len(lines) - 1


def test_test_installs_both_extras_and_runs_the_whole_suite(folder):
    lines = planned(folder, "test")
    order = [
        position(lines, part) for part in ("-m venv", "-c constraints.txt -e '.[book,dev]'", "-m pytest")
    ]
    assert order == sorted(order)
    suite = lines[order[-1]]
    assert "-n 2" in suite and "OMP_NUM_THREADS=1" in suite
    assert not re.search(r"\s(-k|-m (?!pytest)|--ignore|--deselect|tests)", suite), (
        "a part of the suite is left out"
    )


def test_the_environment_is_made_before_anything_that_uses_it_and_only_once(folder):
    status, log, printed = make(folder, "test")
    assert status == 0, printed
    assert [line.split()[0] for line in log] == ["venv", "install", "pytest"]
    assert log[-1].endswith("threads=1")


@pytest.mark.parametrize(
    ("first", "then"), [("setup", "setup"), ("setup-dev", "setup-dev"), ("setup-dev", "setup")]
)
def test_an_unchanged_project_is_not_installed_again(folder, first, then):
    make(folder, first)
    assert make(folder, then)[1] == [], "the development set-up has all that the book needs"


@pytest.mark.parametrize("name", ["pyproject.toml", "constraints.txt"])
def test_a_changed_dependency_file_is_installed_again_in_the_same_environment(folder, name):
    make(folder, "setup")
    later = time.time() + 5
    os.utime(folder / name, (later, later))
    _, log, _ = make(folder, "setup")
    assert [line.split()[0] for line in log] == ["install"]


def test_an_installation_that_fails_leaves_no_valid_stamp(folder):
    assert make(folder, "setup", FAIL_INSTALL="1")[0] != 0
    assert not list((folder / ".venv").glob(".installed-*"))
    status, log, _ = make(folder, "setup")
    assert (status, [line.split()[0] for line in log]) == (0, ["install"])


def test_a_failed_reinstallation_takes_back_an_older_stamp(folder):
    make(folder, "setup-dev")
    later = time.time() + 5
    os.utime(folder / "constraints.txt", (later, later))
    assert make(folder, "setup-dev", FAIL_INSTALL="1")[0] != 0
    assert not list((folder / ".venv").glob(".installed-*"))


def test_half_an_environment_is_made_again(folder):
    (folder / ".venv" / "bin").mkdir(parents=True)
    status, log, printed = make(folder, "setup")
    assert (status, log[0]) == (0, "venv"), printed


def test_an_old_python_is_refused_with_what_to_do(folder):
    status, log, printed = make(folder, "book", OLD_PYTHON="1")
    assert status != 0 and log == []
    assert "needs Python 3.11 or newer" in printed and "make PYTHON=python3.12" in printed


def test_smoke_turns_warnings_into_errors(folder):
    assert planned(folder, "smoke")[-1].endswith("grokbook build --preset smoke --strict")


def test_browser_runs_the_marked_tests_only(folder):
    assert planned(folder, "browser")[-1].strip().endswith("-m pytest -m browser")


@pytest.mark.parametrize(("target", "command"), [("serve", "grokbook serve"), ("record", "grokbook record")])
def test_serve_and_record_set_up_first(folder, target, command):
    lines = planned(folder, target)
    assert lines[-1].endswith(command)
    assert position(lines, "-c constraints.txt") < len(lines) - 1


def test_clean_deletes_what_is_built_and_keeps_what_was_trained(folder):
    kept = [
        "data/records/a.nc",
        ".grokbook/records/b.nc",
        ".venv/bin/python",
        "book/intro.md",
        "notebooks/01.md",
    ]
    built = ["site/index.html", "book/chapters/01.ipynb", "book/_build/x", "src/__pycache__/y.pyc"]
    for name in kept + built:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("")
    assert make(folder, "clean")[0] == 0
    assert [name for name in kept + built if (folder / name).exists()] == kept


def test_help_names_every_target(folder):
    _, _, printed = make(folder)
    assert set(re.findall(r"^  make (\S+)", printed, re.MULTILINE)) == make_targets()


def test_every_target_is_declared_phony():
    rules = set(re.findall(r"^([a-z-]+):", read("Makefile"), re.MULTILINE))
    assert rules == make_targets()
