"""Files that a reader's editor rewrites, another program reads, or git checks out: nothing of them
is lost."""

import dataclasses
import subprocess
from pathlib import Path

import jupytext
import pytest
from papermill.translators import PythonTranslator

from companion.page import sources
from companion.project import of
from grokbook.errors import ChapterError, GrokbookError
from project_tree import ROOT

PAGES = [*sources.chapter_paths(ROOT), *sources.chapter_paths(ROOT / "examples" / "omnigrok")]
EDITORS = {
    "a mark in front": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "lines of Windows": lambda text: text.replace("\n", "\r\n").encode(),
    "lines of an old Mac": lambda text: text.replace("\n", "\r").encode(),
    "both": lambda text: b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode(),
}


def saved(source):
    """A chapter as JupyterLab saves it through jupytext: with the kernel's metadata and a time of
    its own."""
    notebook = jupytext.reads(source, fmt="md:myst")
    notebook.metadata["kernelspec"] = {
        "name": "python3",
        "display_name": "Python 3 (ipykernel)",
        "language": "python",
    }
    notebook.metadata["language_info"] = {"name": "python", "version": "3.11.7"}
    notebook.metadata["widgets"] = {"state": {}}
    for cell in notebook.cells:
        cell.metadata["execution"] = {"iopub.status.busy": "2026-11-24T10:00:00Z"}
    return jupytext.writes(notebook, fmt="md:myst")


def said(chapter):
    """All that a chapter's source says, but the source."""
    return dataclasses.replace(chapter, source="", path=Path(chapter.path.name))


@pytest.fixture(params=PAGES, ids=lambda path: path.stem)
def page(request):
    """A chapter of the book and of its example."""
    return request.param


def test_a_chapter_that_jupyterlab_saved_says_what_it_said(page, tmp_path):
    before = sources.load(page)
    again = tmp_path / page.name
    again.write_text(saved(page.read_text("utf-8")), "utf-8")
    after = sources.load(again)
    assert said(after) == said(before)
    code = [
        [cell.source for cell in one.notebook().cells if cell.cell_type == "code"]
        for one in (before, after)
    ]
    assert code[0] == code[1]


def test_a_chapter_names_its_language_and_papermill_reads_its_parameters(page):
    chapter = sources.load(page)
    notebook = chapter.notebook()
    cell = sources.parameters_cell(chapter.notebook())
    assert notebook.metadata["kernelspec"]["language"] == "python"
    read = PythonTranslator.inspect(cell) if cell else []
    assert [one.name for one in read] == [one.name for one in chapter.parameters]


def test_a_comment_that_papermill_cannot_read_is_refused():
    from companion.page.parameters import parse

    with pytest.raises(ChapterError, match="the comment of 'p' has an equals sign"):
        parse("p: int = 7  # with p >= 5")


@pytest.mark.parametrize("editor", EDITORS)
def test_whatever_editor_wrote_a_file_it_is_read_the_same(editor, project):
    source = project / "notebooks" / "01_tiny.md"
    described = project / "pyproject.toml"
    described.write_text('[tool.grokbook]\nchapters = "tiny"\n')
    before = sources.load(source)
    about = of(project)
    for path in (source, described):
        path.write_bytes(EDITORS[editor](path.read_text("utf-8")))
    assert sources.load(source) == before and of(project) == about


def test_another_encoding_is_named(project):
    source = project / "notebooks" / "01_tiny.md"
    described = project / "pyproject.toml"
    for path in (source, described):
        path.write_bytes("# größer".encode("latin-1"))
    with pytest.raises(
        ChapterError, match="^chapter 01_tiny: it must be text in UTF-8, but byte 4 is none of it"
    ):
        sources.load(source)
    with pytest.raises(
        GrokbookError, match="pyproject.toml cannot be read: it must be text in UTF-8"
    ):
        of(project)


# ------------------------------------------------------------------------------------------ a clone


@pytest.mark.parametrize("folder", [ROOT, ROOT / "examples" / "omnigrok"], ids=["book", "example"])
def test_a_clone_has_the_bytes_of_the_commit_whatever_its_system_does_to_lines(folder):
    listed = subprocess.run(
        ["git", "ls-files", "--eol"], cwd=folder, capture_output=True, check=True
    ).stdout.decode()
    known = [
        line.partition("\t")[0].split() + [line.partition("\t")[2]] for line in listed.splitlines()
    ]
    text = [line for line in known if line[0] not in ("i/-text", "i/none")]
    assert text and all(line[0] == "i/lf" and "eol=lf" in line for line in text)
    assert (folder / ".gitattributes").read_text() == (ROOT / ".gitattributes").read_text()
