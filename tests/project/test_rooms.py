"""Imports go down: from chapters to the machine to the library, and from room to room
(pyproject.toml)."""

import subprocess
import sys
from pathlib import Path

from project_tree import ROOT

SOURCES = ROOT / "src"
LINTED = [str(Path(sys.executable).with_name("lint-imports")), "--no-logo", "--no-cache"]


def linted(folder: Path) -> subprocess.CompletedProcess[str]:
    """What import-linter says of the packages in a folder, with this project's contracts."""
    environment = {"PYTHONPATH": str(folder), "PATH": "", "HOME": str(folder)}
    command = [*LINTED, "--config", str(ROOT / "pyproject.toml")]
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300
    )


def test_the_walls_between_packages_rooms_and_chapters_stand():
    done = linted(SOURCES)
    assert done.returncode == 0, done.stdout


def test_a_library_that_asks_the_machine_a_machine_that_trains_and_a_chapter_that_asks_another_are_found(
    tmp_path,
):
    for path in SOURCES.rglob("*.py"):
        copied = tmp_path / path.relative_to(SOURCES)
        copied.parent.mkdir(parents=True, exist_ok=True)
        copied.write_text(path.read_text("utf-8"), "utf-8")
    wrong = {
        "grokbook/tasks/addition.py": "import companion.claims",
        "companion/claims/verdicts.py": "import grokbook.training.loop",
        "grokbook/models/toy.py": "import grokbook.theory.splits",
        "companion/page/safe.py": "import companion.site.book",
        "grokbook_chapters/holes/runs.py": "import grokbook_chapters.images.runs",
    }
    for name, line in wrong.items():
        with (tmp_path / name).open("a", encoding="utf-8") as file:
            file.write(f"\n{line}\n")
    done = linted(tmp_path)
    assert done.returncode == 1 and "Contracts: 0 kept, 5 broken." in done.stdout, done.stdout
