"""pyproject.toml, constraints.txt and the conda environments say the same, and what they ask for is
used."""

import importlib.util
import re
import sys
from importlib.metadata import packages_distributions
from pathlib import Path
from types import ModuleType

import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from rattler import MatchSpec

from companion.page.sources import read_notebook
from project_tree import ROOT, imported_by, pyproject, read

NOT_BESIDE_A_CPU_BUILD = ("nvidia-", "cuda-", "triton")
NOT_ON_CONDA_FORGE = {"sphinx-mathjax-offline"}
UNNAMED = {
    "pytest-xdist": "--dist",
    "pytest-timeout": "timeout(",
    "sphinx-book-theme": "jupyter-book",
    "import-linter": "lint-imports",
}
"""What is used without its name being written, and the text that uses it."""
OPTIONAL = {"playwright", "pypdf"}
"""What the library imports where it is asked for, with a sentence of its own where it is
missing."""


def asked(*extras: str) -> list[Requirement]:
    """What pyproject.toml asks for, with these extras."""
    project = pyproject()["project"]
    groups = [
        project["dependencies"],
        *(project["optional-dependencies"][extra] for extra in extras),
    ]
    return [Requirement(line) for group in groups for line in group]


def imported(source: str) -> set[str]:
    """First words of the modules that a source imports, wherever in it."""
    return {name.partition(".")[0] for name in imported_by(source)} - {""}  # relative ones


def script() -> ModuleType:
    """The module .ci/constraints.py, which makes constraints.txt."""
    spec = importlib.util.spec_from_file_location(
        "constraints_script", ROOT / ".ci" / "constraints.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_is_declared_is_used_somewhere():
    folders = ("src", "tests", "benchmarks", "book/_ext")
    files = [
        path
        for folder in folders
        for path in sorted((ROOT / folder).rglob("*.py"))
        if path != Path(__file__)
    ]
    files += sorted((ROOT / "notebooks").glob("*.md"))
    text = "\n".join(
        [*(path.read_text("utf-8") for path in files), *map(read, ("Makefile", "book/_config.yml"))]
    )
    modules: dict[str, set[str]] = {}
    for module, distributions in packages_distributions().items():
        for name in distributions:
            modules.setdefault(canonicalize_name(name), set()).add(module)
    names = {canonicalize_name(r.name) for r in asked("book", "dev")}
    unused = {
        n
        for n in names
        if UNNAMED.get(n, "\0") not in text and not any(m in text for m in modules.get(n, {n}))
    }
    assert unused <= {"py-rattler"}, "that one is used in this file"


def test_what_pages_and_library_import_comes_with_the_extra_book():
    """A fresh `make book` has no other extra; what the tests bring would hide that one is
    missing."""
    known, brought = packages_distributions(), set()
    for requirement in asked("book"):
        brought |= {
            canonicalize_name(requirement.name),
            *script().closure(requirement.name, frozenset(requirement.extras)),
        }
    sources = [path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py")]
    pages = [*(ROOT / "notebooks").glob("*.md"), *(ROOT / "book").glob("*.md")]
    for page in pages:
        cells = read_notebook(page.read_text("utf-8")).cells
        sources += [cell.source for cell in cells if cell.cell_type == "code"]
    names = set().union(*(imported(re.sub(r"^%.*", "", source, flags=re.M)) for source in sources))
    names -= {"grokbook", "companion", "grokbook_chapters", *sys.stdlib_module_names}
    names -= {"own", "signs", "mine"}  # pages write own.py and mine.py
    missing = {
        name for name in names if not brought & set(map(canonicalize_name, known.get(name, ())))
    }
    assert missing == OPTIONAL


def test_every_constraint_is_an_exact_pin_once_in_order_and_none_is_missing():
    lines = [line for line in read("constraints.txt").splitlines() if not line.startswith("#")]
    pins = dict(line.split("==") for line in lines)
    assert list(pins) == sorted(set(pins)) and len(pins) == len(lines)
    assert not [line for line in lines if "+" in line], (
        "a local version would forbid the CUDA build"
    )
    outside = [
        str(r)
        for r in asked("book", "dev")
        if not r.specifier.contains(pins[canonicalize_name(r.name)], prereleases=True)
    ]
    assert not outside, "the pin is not in the range of pyproject.toml: run `make constraints`"
    needed = set().union(
        *(script().closure(r.name, frozenset(r.extras)) for r in asked("book", "dev"))
    )
    missing = {name for name in needed - set(pins) if not name.startswith(NOT_BESIDE_A_CPU_BUILD)}
    assert not missing, "run `make constraints`"
    assert f"TORCH ?= {pins['torch']}\n" in read("Makefile")


def as_range(version: str | None) -> SpecifierSet:
    """A MatchSpec's version as pip writes it; conda reads `=3.11` as `3.11.*`."""
    return SpecifierSet(f"=={version}" if version and version[0].isdigit() else version or "")


def stated(path: str) -> tuple[dict[str, SpecifierSet], dict[str, SpecifierSet], list[str]]:
    """An environment file as (conda name -> range, pip name -> range, pip options)."""
    entries = yaml.safe_load(read(path))["dependencies"]
    specs = [MatchSpec(entry) for entry in entries if isinstance(entry, str)]
    lines = [line for entry in entries if isinstance(entry, dict) for line in entry["pip"]]
    pip = {
        canonicalize_name(r.name): r.specifier
        for r in (Requirement(line) for line in lines if not line.startswith("-"))
    }
    conda = {spec.name.normalized: as_range(spec.version) for spec in specs}
    return conda, pip, [line for line in lines if line.startswith("-")]


def test_the_conda_environment_has_the_names_and_ranges_of_pyproject():
    conda, pip, options = stated("environment.yml")
    wanted = {
        {"torch": "pytorch"}.get(canonicalize_name(r.name), canonicalize_name(r.name)): r.specifier
        for r in asked("book")
    }
    python = conda.pop("python")
    assert conda.pop("pip") == SpecifierSet() and python == SpecifierSet(
        pyproject()["project"]["requires-python"]
    )
    assert not set(conda) & set(pip) and conda | pip == wanted
    assert set(pip) == NOT_ON_CONDA_FORGE and options == ["-e ."]
    environment = yaml.safe_load(read("environment.yml"))
    assert environment["name"] == "grokbook" and environment["channels"] == [
        "conda-forge",
        "nodefaults",
    ]


def test_the_launch_environment_is_the_same_with_jupyterlab_and_installs_the_library():
    conda, pip, _ = stated("environment.yml")
    launch_conda, launch_pip, launch_options = stated(".binder/environment.yml")
    assert launch_conda.pop("jupyterlab")
    (python,) = launch_conda.pop("python")
    assert python.operator == "==" and python.version.removesuffix(".*") in conda.pop("python")
    assert (launch_conda, launch_pip, launch_options) == (conda, pip, [])
    script = read(".binder/postBuild")
    assert (
        "--no-deps -e ." in script and "jupytext-config set-default-viewer myst markdown" in script
    )


def test_what_colab_has_is_all_that_the_library_asks_for_so_nothing_is_replaced_there():
    """`.ci/colab` runs a notebook in it; here, that the ranges of pyproject.toml let these versions
    be."""
    has = dict(
        line.split("==") for line in read(".ci/colab.txt").splitlines() if not line.startswith("#")
    )
    assert not [str(r) for r in asked() if not r.specifier.contains(has[canonicalize_name(r.name)])]
