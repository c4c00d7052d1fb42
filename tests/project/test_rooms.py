"""A lower room of the library never imports a higher one, nor a chapter another chapter (README.md, The library)."""

import re
from pathlib import Path

import pytest
from project_tree import PACKAGE, dotted, imported_by, modules, read

GROUND = "ground"
FLOORS = (
    *(GROUND, "tasks", "models", "measures", "theory", "training", "runs", "claims", "plotting", "face", "chapters"),
    *("exercises", "page", "check", "build", "teach", "cli"),
)
BELOW = FLOORS[: FLOORS.index("chapters")]
LESS = {"measures": (GROUND,), "plotting": (GROUND, "measures", "runs")}
LESS |= {"page": BELOW, "check": (*BELOW, "exercises", "page"), "build": (*BELOW, "exercises", "page", "check")}
"""Rooms that may import less than all below them: plotting takes arrays and tables, and asks measures for symbols; what
makes the book finds a chapter by its name."""


def room(name: str) -> str:
    """The room of a dotted name; the package's own modules (errors, paths) lie below all rooms, its door above."""
    moved = {"__main__": "cli", "grokbook.records": "grokbook.runs", "grokbook.book": "grokbook.page"}
    for old, new in moved.items():
        name = name.replace(old, new)
    parts = name.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in FLOORS else GROUND


def chapter(name: str) -> str | None:
    """The chapter of a dotted name."""
    parts = name.split(".")
    return parts[2] if room(name) == "chapters" and len(parts) > 2 else None


def imported(module: Path) -> set[str]:
    """The dotted names in `grokbook` that a module imports, in functions and for type checking too."""
    package = dotted(module) if module.stem == "__init__" else dotted(module).rpartition(".")[0]
    names = imported_by((PACKAGE / module).read_text(encoding="utf-8"), package)
    return {name for name in names if name.startswith("grokbook.")}


def allowed(importer: str, target: str) -> bool:
    """Whether one module may import another: of its own room (and chapter), or a lower room; the package its face."""
    here, there = "face" if importer == "grokbook" else room(importer), room(target)
    if here == there:
        return chapter(importer) == chapter(target)
    return there in LESS.get(here, FLOORS[: FLOORS.index(here)])


@pytest.mark.parametrize("module", modules(), ids=str)
def test_no_room_imports_a_higher_one_and_no_chapter_another(module):
    assert not {name for name in imported(module) if not allowed(dotted(module), name)}


MAY = {"training.loop": "measures.med", "theory.coverage": "measures.med", "plotting.grids": "errors"}
MAY |= {"chapters.width.claims": "chapters.width.figures"}
MAY_NOT = {"measures.med": "theory.coverage", "errors": "tasks.shapes", "plotting.grids": "theory.coverage"}
MAY_NOT |= {"claims.ledger": "chapters.width", "chapters.width": "chapters.depth", "page.front": "chapters.width"}


def test_the_rule_itself():
    assert all(allowed(f"grokbook.{importer}", f"grokbook.{target}") for importer, target in MAY.items())
    assert not any(allowed(f"grokbook.{importer}", f"grokbook.{target}") for importer, target in MAY_NOT.items())


def test_the_folders_of_the_library_are_rooms_and_the_readme_lists_them_from_the_ground_up():
    assert {path.parent.name for path in PACKAGE.glob("*/__init__.py")} <= set(FLOORS)
    section = read("README.md").partition("## The library")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == list(FLOORS[1:])


def test_the_folders_of_chapters_are_named_as_notebooks():
    notebooks = {path.stem.partition("_")[2] for path in (PACKAGE.parents[1] / "notebooks").glob("*.md")}
    assert {m.parts[1].removesuffix(".py") for m in modules() if m.parts[0] == "chapters"} - {"__init__"} <= notebooks
