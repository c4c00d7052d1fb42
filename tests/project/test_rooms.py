"""A lower room of the library never imports a higher one (README.md, The library)."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from project_tree import PACKAGE, dotted, modules, read, tree

GROUND = "ground"
FLOORS = (
    (GROUND,),
    ("tasks",),
    ("models",),
    ("measures",),
    ("theory",),
    ("training",),
    ("records",),
    ("experiments",),
    ("claims",),
    ("plotting",),
    ("topics",),
    ("book",),
    ("cli",),
)
FLOOR = {room: number for number, floor in enumerate(FLOORS) for room in floor}


def room(name: str) -> str:
    """The room of a dotted name; the package and its own modules (errors, paths) lie below all rooms."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in FLOOR else GROUND


def imported(module: Path) -> set[str]:
    """The dotted names in `grokbook` that a module imports, in functions and for type checking too."""
    names: set[str] = set()
    package = dotted(module).split(".") if module.stem == "__init__" else dotted(module).split(".")[:-1]
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else []
            origin = ".".join([*base, *([node.module] if node.module else [])])
            names |= {f"{origin}.{alias.name}" for alias in node.names}
    return {name for name in names if name.split(".")[0] == "grokbook"}


def allowed(importer: str, target: str) -> bool:
    """Whether room `importer` may import room `target`: its own or one on a lower floor."""
    return importer == target or FLOOR[target] < FLOOR[importer]


@pytest.mark.parametrize("module", modules(), ids=str)
def test_no_room_imports_a_higher_one(module):
    here = room(dotted(module))
    assert not {name for name in imported(module) if not allowed(here, room(name))}


def test_every_folder_of_the_library_is_a_room():
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert folders <= set(FLOOR)


def test_no_import_goes_round_in_a_circle_between_rooms():
    edges = {(room(dotted(m)), room(name)) for m in modules() for name in imported(m)}
    assert not {(a, b) for a, b in edges if a != b and (b, a) in edges}


@pytest.mark.parametrize(
    ("importer", "target", "ok"),
    [
        ("tasks", GROUND, True),
        ("training", "measures", True),
        ("measures", "training", False),
        ("measures", "theory", False),
        ("theory", "measures", True),
        ("cli", "book", True),
        (GROUND, "tasks", False),
    ],
)
def test_the_rule_itself(importer, target, ok):
    assert allowed(importer, target) is ok


def test_readme_lists_the_rooms_from_the_ground_up():
    section = read("README.md").partition("## The library")[2].partition("\n## ")[0]
    listed = re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
    assert listed == [name for floor in FLOORS[1:] for name in floor]
