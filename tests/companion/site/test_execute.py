"""Executing a chapter: the parameters cell is rewritten, the kernel is ours, a failing cell is
named."""

import json
import re
import sys

import nbformat
import pytest

from companion.page import sources
from companion.site import execute, outputs
from grokbook.errors import ChapterError
from small_project import CHAPTER


def chapter(project, text):
    path = project / "notebooks" / "02_other.md"
    path.write_text(text)
    return sources.load(path)


@pytest.fixture
def executed(built_once):
    return nbformat.read(built_once / "book" / "chapters" / "01_tiny.ipynb", as_version=4)


ROW = {
    "experiment": "made/up",
    "key": "k" * 16,
    "origin": "trained",
    "dtype": "float32",
    "seeds": [3],
}
ROW["provenance"] = [{"seeds": [3], "seconds": 90, "device": "CPU", "recorded_on": "2026-11-24"}]


def test_values_are_written_into_the_parameters_cell_itself_and_the_box_names_the_data_of_the_kernel(
    project, said
):
    given = f"from grokbook.runs.provenance import USED\nUSED += 2 * [{ROW}]\nfig, ax = plt"
    page = chapter(project, CHAPTER.replace("fig, ax = plt", given)).page("smoke")
    notebook = execute.execute(page, project, said).notebook
    cell = sources.parameters_cell(notebook)
    assert "p: int = 23                    # prime modulus" in cell.source
    assert "steps: int = 30              # optimiser steps" in cell.source
    box = notebook.cells[-1].source
    assert box.count("**Data** `made/up`") == 1 and "seeds 3, float32, CPU: trained while" in box


def test_a_printed_notebook_has_one_parameters_cell_no_progress_lines_and_ends_with_how_it_was_made(
    executed,
):
    cells = [cell for _, cell in outputs.code_cells(executed)]
    assert [cell for cell in cells if "injected-parameters" in cell.metadata.get("tags", [])] == []
    assert [o for cell in cells for o in cell.outputs if o.output_type == "stream"] == []
    assert executed.cells[-1].id == "provenance"
    assert "grokbook run 01 --preset laptop" in executed.cells[-1].source


def test_two_executions_differ_in_nothing_but_the_box(built_once, executed, said):
    again = execute.execute(
        sources.find(built_once, "01").page("laptop"), built_once, said, strict=True
    )
    assert json.dumps(again.notebook.cells[:-1], sort_keys=True) == json.dumps(
        executed.cells[:-1], sort_keys=True
    )
    assert again.figures == ["fig-tiny"]
    assert "step 10 of 30" in said.stream.getvalue()


def test_a_failing_cell_is_named_with_chapter_heading_and_error(project, said):
    text = CHAPTER.replace(
        "fig, ax = plt", 'raise RuntimeError("the loss became NaN\\nand more")\nfig, ax = plt'
    )
    found = chapter(project, text)
    with pytest.raises(ChapterError) as failed:
        execute.execute(found.page("smoke"), project, said)
    assert (
        str(failed.value)
        == 'chapter 02_other, code cell 3, under "One section": RuntimeError: the loss became NaN'
    )


def test_no_kernel_or_profile_of_the_user_is_taken_for_ours(project, said, monkeypatch, tmp_path):
    foreign = tmp_path / "foreign" / "kernels"
    for name in ("python3", "grokbook"):
        (foreign / name).mkdir(parents=True)
        (foreign / name / "kernel.json").write_text(
            json.dumps({"argv": ["false"], "display_name": "x"})
        )
    startup = tmp_path / "ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "own.py").write_text("raise SystemExit")
    (tmp_path / "start.py").write_text("planted = 1")
    monkeypatch.setenv("PYTHONSTARTUP", str(tmp_path / "start.py"))
    monkeypatch.setenv("JUPYTER_PATH", str(foreign.parent))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    asks = "import os\nassert os.environ['GROKBOOK_CORES'] == '3'\nassert os.getcwd() == os.environ['WANTED']\n"
    asks += "assert 'planted' not in globals()\nfig, ax"
    found = chapter(project, CHAPTER.replace("fig, ax", asks))
    environment = {"GROKBOOK_CORES": "3", "WANTED": str(project)}
    execute.execute(found.page("smoke"), project, said, environment=environment)
    assert list(temporary.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="kernels are forks on Linux")
def test_kernels_are_forks_of_one_process_of_one_thread_that_has_loaded_libraries_and_nothing_of_ours(
    project, said
):
    asks = """import os, sys
parent, ours = os.getppid(), {name for name in sys.modules if name.startswith("grokbook")}
assert "torch" in sys.modules and ours <= {"grokbook", "grokbook.version", "grokbook.errors", "grokbook.machine"}, ours
open("parents", "a").write(f"{parent} {os.listdir(f'/proc/{parent}/task')}\\n")
import sys
import matplotlib"""
    found = chapter(project, CHAPTER.replace("import sys\nimport matplotlib", asks))
    for _ in range(2):
        execute.execute(found.page("smoke"), project, said)
    one, other = (project / "parents").read_text().splitlines()
    assert one == other and one == f"{one.split()[0]} ['{one.split()[0]}']"


def test_a_kernel_that_dies_is_an_error_of_its_chapter(project, said):
    found = chapter(
        project,
        CHAPTER.replace("fig, ax = plt", "import os\nos.kill(os.getpid(), 9)\nfig, ax = plt"),
    )
    with pytest.raises(
        ChapterError, match=r"^chapter 02_other: its kernel died \(was the memory used up\?\)\.$"
    ):
        execute.execute(found.page("smoke"), project, said)


def test_what_the_page_cannot_print_is_an_error_of_the_chapter(project, said):
    found = chapter(project, re.sub(r"(?s)---\ntags.*?---\n", "", CHAPTER))
    with pytest.raises(
        ChapterError,
        match='chapter 02_other, code cell 3, under "One section" shows an image without',
    ):
        execute.execute(found.page("smoke"), project, said)
