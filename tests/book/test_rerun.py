"""`grokbook run`: refusals before anything runs; results in a folder of their own."""

import json

import nbformat
import pytest

from grokbook.book import chapters, rerun, standalone
from grokbook.errors import ParameterError


def test_a_wrong_value_is_refused_before_anything_runs(project, said, monkeypatch):
    monkeypatch.setattr(rerun, "execute", lambda *a, **k: pytest.fail("something ran"))
    with pytest.raises(ParameterError, match="p = 100 is not prime; the nearest primes are 97 and 101"):
        rerun.rerun(project, "01", "laptop", {"p": "100"}, progress=said)
    assert not (project / "runs").exists()


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


def test_the_folder_is_named_by_what_differs(project):
    chapter = chapters.find(project, "01")
    plain = chapter.values("laptop")
    assert rerun.folder_name(chapter, plain, "laptop") == "01_tiny-laptop"
    odd = {**plain, "steps": "a/b"}
    assert rerun.folder_name(chapter, odd, "laptop").startswith("01_tiny-laptop-")
    assert "/" not in rerun.folder_name(chapter, odd, "laptop")
