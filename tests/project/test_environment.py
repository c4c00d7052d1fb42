"""environment.yml says what pyproject.toml says, in conda's words; the launch link's environment follows."""

from __future__ import annotations

import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from project_tree import normal, pyproject, read
from rattler import MatchSpec

CONDA_NAME = {"torch": "pytorch"}
NOT_ON_CONDA_FORGE = {"sphinx-mathjax-offline"}
TOOLS = {"python", "pip"}


def wanted() -> dict[str, SpecifierSet]:
    """Conda name -> range, for the dependencies and the extra `book` of pyproject.toml."""
    project = pyproject()["project"]
    lines = [*project["dependencies"], *project["optional-dependencies"]["book"]]
    requirements = [Requirement(line) for line in lines]
    return {CONDA_NAME.get(normal(r.name), normal(r.name)): r.specifier for r in requirements}


def as_range(version: str | None) -> SpecifierSet:
    """A MatchSpec's version as pip writes it; conda reads `=3.11` as `3.11.*`."""
    return SpecifierSet(f"=={version}" if version and version[0].isdigit() else version or "")


def stated(path: str) -> tuple[dict[str, SpecifierSet], dict[str, SpecifierSet], list[str]]:
    """An environment file as (conda name -> range, pip name -> range, pip options)."""
    entries = yaml.safe_load(read(path))["dependencies"]
    specs = [MatchSpec(entry) for entry in entries if isinstance(entry, str)]
    conda = {spec.name.normalized: as_range(spec.version) for spec in specs}
    lines = [line for entry in entries if isinstance(entry, dict) for line in entry["pip"]]
    pip = [Requirement(line) for line in lines if not line.startswith("-")]
    return conda, {normal(r.name): r.specifier for r in pip}, [line for line in lines if line.startswith("-")]


def test_environment_has_the_names_and_ranges_of_pyproject():
    conda, pip, _ = stated("environment.yml")
    both = {name: spec for name, spec in (conda | pip).items() if name not in TOOLS}
    assert both == wanted()
    assert len(conda) + len(pip) == len(conda | pip), "a package is listed for conda and for pip"


def test_only_what_conda_forge_lacks_is_left_to_pip():
    _, pip, options = stated("environment.yml")
    assert set(pip) == NOT_ON_CONDA_FORGE
    assert options == ["-e ."]


def test_environment_is_named_and_uses_conda_forge_only():
    environment = yaml.safe_load(read("environment.yml"))
    assert environment["name"] == "grokbook"
    assert environment["channels"] == ["conda-forge", "nodefaults"]


def test_python_range_is_the_one_of_pyproject():
    conda, _, _ = stated("environment.yml")
    assert conda["python"] == SpecifierSet(pyproject()["project"]["requires-python"])


def test_launch_environment_is_the_same_with_jupyterlab():
    conda, pip, options = stated("environment.yml")
    launch_conda, launch_pip, launch_options = stated(".binder/environment.yml")
    assert launch_conda.pop("jupyterlab")
    (python,) = launch_conda.pop("python")
    assert python.operator == "==" and python.version.removesuffix(".*") in conda.pop("python")
    assert (launch_conda, launch_pip) == (conda, pip)
    assert options and not launch_options, "postBuild installs the library, with the repository as its folder"


def test_launch_build_installs_the_library_and_opens_markdown_as_notebooks():
    script = read(".binder/postBuild")
    assert "pip install" in script and "--no-deps -e ." in script
    assert "jupytext-config set-default-viewer myst markdown" in script
