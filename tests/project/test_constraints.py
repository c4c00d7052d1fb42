"""constraints.txt pins one exact version of everything the extras need, in the ranges of pyproject.toml."""

from __future__ import annotations

import importlib.util

import pytest
from packaging.requirements import Requirement
from project_tree import ROOT, normal, pyproject, read

NOT_BESIDE_A_CPU_BUILD = ("nvidia-", "cuda-", "triton")


def pins() -> dict[str, str]:
    """Name -> exact version, as constraints.txt has them."""
    requirements = [
        Requirement(line) for line in read("constraints.txt").splitlines() if not line.startswith("#")
    ]
    assert all(len(r.specifier) == 1 for r in requirements)
    return {
        r.name: next(iter(r.specifier)).version for r in requirements if str(r.specifier).startswith("==")
    }


def direct() -> list[Requirement]:
    """What pyproject.toml asks for, with all extras."""
    project = pyproject()["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    return [Requirement(line) for group in groups for line in group]


def script():
    """The module .ci/constraints.py, which makes the file."""
    spec = importlib.util.spec_from_file_location("constraints_script", ROOT / ".ci" / "constraints.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_line_is_an_exact_pin_in_sorted_order_and_once():
    lines = [line for line in read("constraints.txt").splitlines() if not line.startswith("#")]
    names = [line.partition("==")[0] for line in lines]
    assert list(pins()) == names == sorted(set(names))
    assert not [line for line in lines if "+" in line], "a local version would forbid the CUDA build"


@pytest.mark.parametrize("requirement", direct(), ids=str)
def test_pin_lies_in_the_range_of_pyproject(requirement):
    name = normal(requirement.name)
    assert name in pins(), f"{name} is not pinned: run `make constraints`"
    assert requirement.specifier.contains(pins()[name], prereleases=True)


def test_everything_installed_for_the_book_and_the_tests_is_pinned():
    needed = script().closure("grokbook", frozenset({"book", "dev"}))
    missing = {name for name in needed - set(pins()) if not name.startswith(NOT_BESIDE_A_CPU_BUILD)}
    assert not missing, f"not pinned: {sorted(missing)}: run `make constraints`"


def test_the_closure_follows_extras_and_leaves_out_what_no_extra_asks_for():
    closure = script().closure
    assert "sphinx" not in closure("grokbook", frozenset())
    assert "sphinx" in closure("grokbook", frozenset({"book"}))
    assert "pip" not in closure("grokbook", frozenset({"book", "dev"}))


def test_the_pinned_torch_is_the_one_the_makefile_starts_from():
    assert f"TORCH ?= {pins()['torch']}\n" in read("Makefile")


def test_names_are_normalised_as_requirement_files_write_them():
    assert script().normal("Ruamel.YAML__x") == normal("Ruamel.YAML__x") == "ruamel-yaml-x"
