"""What README and CONTRIBUTING say can be typed, opened and cited; versions agree; licences are there."""

from __future__ import annotations

import re
import shlex

import pytest
import yaml
from project_tree import ROOT, make_targets, pyproject, read

import grokbook

DOCUMENTS = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")


def spans(document: str) -> list[str]:
    """What a document tells one to type: lines of console blocks and code in running text."""
    text = read(document)
    blocks = re.findall(r"```(?:console|bash|sh)\n(.*?)```", text, re.DOTALL)
    lines = [line.partition("  #")[0].strip() for block in blocks for line in block.splitlines()]
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    return [line for line in lines if line] + re.findall(r"`([^`\n]+)`", prose)


def asked_of(program: str, document: str) -> list[list[str]]:
    """The arguments of every call of `program` in a document, variables such as PYTHON=... left out."""
    words = (shlex.split(span) for span in spans(document) if span.startswith(program))
    return [
        [w for w in line[1:] if "=" not in w or w.startswith("-")] for line in words if line[0] == program
    ]


def cli_commands() -> set[str]:
    """The subcommands of `grokbook`."""
    import typer.main

    from grokbook import cli

    return set(typer.main.get_command(cli.app).commands)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_make_target_named_exists(document):
    named = {word for call in asked_of("make", document) for word in call}
    assert named <= make_targets()


@pytest.mark.parametrize("document", DOCUMENTS)
@pytest.mark.parametrize("program", ["grokbook", ".venv/bin/grokbook"])
def test_every_subcommand_named_exists(document, program):
    named = {call[0] for call in asked_of(program, document) if call}
    assert named <= cli_commands() if named else True


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_link_and_picture_leads_to_a_file(document):
    targets = re.findall(r"\]\((?!https?:|#)([^)\s#]+)", read(document))
    assert not [target for target in targets if not (ROOT / target).exists()]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_picture_has_an_alternative_text(document):
    assert not re.findall(r"!\[\s*\]\(", read(document))


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_path_to_test_exists(document):
    calls = [span for span in spans(document) if "-m pytest" in span]
    paths = {word for span in calls for word in shlex.split(span) if word.startswith("tests")}
    assert not [path for path in paths if not (ROOT / path).exists()]


def test_readme_shows_a_picture_that_the_project_made():
    assert re.findall(r"!\[[^\]]{40,}\]\((book/_static/\S+\.(?:png|svg))\)", read("README.md"))


def test_readme_names_the_two_commands_first():
    block = re.search(r"```console\n(.*?)```", read("README.md"), re.DOTALL)[1]
    assert [line.partition("#")[0].strip() for line in block.splitlines()] == ["make book", "make test"]


def test_readme_says_which_chapters_are_written():
    rows = re.findall(r"^\| (\d\d) [^|]*\|[^|]*\| ([^|]*?) \|$", read("README.md"), re.MULTILINE)
    assert [number for number, _ in rows] == [f"{n:02d}" for n in range(1, 19)]
    written = {number for number, state in rows if "written" in state}
    assert written == {path.name[:2] for path in (ROOT / "notebooks").glob("[0-9][0-9]_*.md")}


def test_readme_has_nothing_left_to_fill_in():
    assert not re.search(r"\b(TODO|TBD|FIXME|XXX)\b|\?\?\?", "".join(read(d) for d in DOCUMENTS))


def test_versions_agree():
    version = pyproject()["project"]["version"]
    assert grokbook.__version__ == version
    assert yaml.safe_load(read("CITATION.cff"))["version"] == version
    assert re.findall(r"^## \[(\d[^\]]*)\]", read("CHANGELOG.md"), re.MULTILINE)[0] == version


def test_citation_is_valid_and_names_the_licences():
    from check_jsonschema import main

    with pytest.raises(SystemExit) as done:
        main(["--builtin-schema", "vendor.citation-file-format", str(ROOT / "CITATION.cff")])
    assert not done.value.code
    citation = yaml.safe_load(read("CITATION.cff"))
    assert citation["license"] == ["MIT", "CC-BY-4.0"]
    assert citation["authors"] == pyproject()["project"]["authors"]


def test_readme_and_citation_name_the_same_papers():
    cited = {i["value"] for r in yaml.safe_load(read("CITATION.cff"))["references"] for i in r["identifiers"]}
    assert cited == set(re.findall(r"arXiv:\d{4}\.\d{5}", read("README.md")))


def test_licences_are_whole():
    assert read("LICENSE").startswith("MIT License")
    text = read("LICENSE-TEXT")
    assert "Creative Commons Attribution 4.0 International Public License" in text
    assert all(f"Section {number} -- " in text for number in range(1, 9))
    assert all((ROOT / name).is_file() for name in pyproject()["project"]["license-files"])


def test_changelog_has_the_form_of_keep_a_changelog():
    headings = re.findall(r"^## (.*)$", read("CHANGELOG.md"), re.MULTILINE)
    assert headings[0] == "[Unreleased]"
    assert all(re.fullmatch(r"\[\d+\.\d+\.\d+\] - (\d{4}-\d\d-\d\d|unreleased)", h) for h in headings[1:])
    kinds = set(re.findall(r"^### (.*)$", read("CHANGELOG.md"), re.MULTILINE))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
