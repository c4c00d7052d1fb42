"""`grokbook run`: results in a folder of their own (what it refuses: test_cli.py)."""

import json

import nbformat

from grokbook.book import chapters, rerun, standalone


def test_a_run_writes_notebook_and_page_and_leaves_the_book_alone(built, said, monkeypatch):
    before = (built / "book" / "chapters" / "01_tiny.ipynb").read_bytes()
    pages = []
    monkeypatch.setattr(standalone, "write_html", lambda root, name, notebooks, target: pages.append(target))
    notebook, page = rerun.rerun(built, "tiny", "smoke", {"p": "29"}, progress=said)
    assert notebook == built / "runs" / "01_tiny-smoke-p-29" / "01_tiny.ipynb"
    assert pages == [page]
    assert "p: int = 29" in chapters.parameters_cell(nbformat.read(notebook, as_version=4)).source
    assert json.loads(notebook.with_suffix(".json").read_text())["parameters"]["p"] == 29
    assert "about" in said.console.file.getvalue()
    assert (built / "book" / "chapters" / "01_tiny.ipynb").read_bytes() == before
    chapter = chapters.find(built, "01")
    odd = rerun.folder_name(chapter, {**chapter.values("laptop"), "steps": "a/b"}, "laptop")
    assert odd.startswith("01_tiny-laptop-") and "/" not in odd
