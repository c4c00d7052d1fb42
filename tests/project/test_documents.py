"""What README and CONTRIBUTING say can be typed, opened and cited; versions agree; licences are
there."""

import json
import re
import shlex

import pytest
import typer.main
import yaml

import grokbook
from companion import cli
from project_tree import ROOT, make_targets, pyproject, read

DOCUMENTS = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")


def spans(document: str) -> list[str]:
    """What a document tells one to type: lines of console blocks and code in running text."""
    text = read(document)
    blocks = re.findall(r"```(?:console|bash|sh)\n(.*?)```", text, re.DOTALL)
    lines = [line.partition("  #")[0].strip() for block in blocks for line in block.splitlines()]
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    return [line for line in lines if line] + re.findall(r"`([^`\n]+)`", prose)


def asked_of(program: str, document: str) -> list[list[str]]:
    """The arguments of every call of `program` in a document, variables such as PYTHON=... left
    out."""
    words = (shlex.split(span) for span in spans(document) if span.startswith(program))
    return [
        [w for w in line[1:] if "=" not in w or w.startswith("-")]
        for line in words
        if line[0] == program
    ]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_what_a_document_tells_one_to_type_or_open_exists(document):
    text = read(document)
    assert {word for call in asked_of("make", document) for word in call} <= make_targets()
    calls = [
        call
        for program in ("grokbook", ".venv/bin/grokbook")
        for call in asked_of(program, document)
        if call
    ]
    assert {call[0] for call in calls} <= set(typer.main.get_command(cli.app).commands)
    tests = {
        w
        for span in spans(document)
        if "-m pytest" in span
        for w in shlex.split(span)
        if w.startswith("tests")
    }
    links = re.findall(r"\]\((?!https?:|#)([^)\s#]+)", text)
    assert not [target for target in {*tests, *links} if not (ROOT / target).exists()]
    assert not re.findall(r"!\[\s*\]\(", text), "a picture has no alternative text"
    assert not re.search(r"\b(TODO|TBD|FIXME|XXX)\b|\?\?\?", text), "something is left to fill in"


def test_versions_papers_and_licences_agree_and_the_citation_is_valid():
    from check_jsonschema import main

    project, citation = pyproject()["project"], yaml.safe_load(read("CITATION.cff"))
    last = re.findall(r"^## \[(\d[^\]]*)\]", read("CHANGELOG.md"), re.MULTILINE)[0]
    assert grokbook.__version__ == project["version"] == citation["version"] == last
    assert citation["license"] == ["MIT", "CC-BY-4.0"] and citation["authors"] == project["authors"]
    cited = {i["value"] for r in citation["references"] for i in r["identifiers"]}
    assert cited == set(re.findall(r"arXiv:\d{4}\.\d{5}", read("README.md")))
    assert read("LICENSE").startswith("MIT License")
    assert all(f"Section {number} -- " in read("LICENSE-TEXT") for number in range(1, 9))
    assert all((ROOT / name).is_file() for name in project["license-files"])
    with pytest.raises(SystemExit) as done:
        main(["--builtin-schema", "vendor.citation-file-format", str(ROOT / "CITATION.cff")])
    assert not done.value.code


def test_what_an_archive_is_told_of_a_release_is_what_the_citation_says_and_no_doi_is_made_up():
    """The fields are those of Zenodo's deposit metadata; the DOI is the archive's to give."""
    told, citation = json.loads(read(".zenodo.json")), yaml.safe_load(read("CITATION.cff"))
    assert [told[name] for name in ("title", "version", "keywords")] == [
        citation[name] for name in ("title", "version", "keywords")
    ]
    assert told["description"].split() == citation["abstract"].split()
    assert told["creators"] == citation["authors"] and told["license"] == citation["license"][0]
    cited = [i["value"] for r in citation["references"] for i in r["identifiers"]]
    assert [each["identifier"] for each in told["related_identifiers"]] == cited
    given = citation.get("doi")
    assert told.get("doi") == given and (given is None or re.fullmatch(r"10\.\d{4,9}/\S+", given))
