"""What a student hands in costs nobody else a mark, whatever it holds and whatever its cells do."""

import copy
import csv
import io
import json
import os
from pathlib import Path

import pytest
from test_editions import CLOCK, HEAD, LABEL, key_of, made
from typer.testing import CliRunner

from companion.cli import app
from companion.teach import grading
from grokbook.errors import ParameterError
from processes import all_end

RIGHT = f"{LABEL}: right."


@pytest.fixture
def book(tmp_path):
    """A book of one chapter with an exercise."""
    folder = tmp_path / "book"
    (folder / "notebooks").mkdir(parents=True)
    (folder / "notebooks" / "06_clocks.md").write_text(HEAD + CLOCK)
    (folder / "pyproject.toml").write_text('[project]\nname = "grokbook"\nversion = "0.2.0"\n')
    return folder


@pytest.fixture
def edition(book, tmp_path):
    """Ada's notebook with the right answer."""
    notebook = made(book, tmp_path / "out", names=["Ada"])["Ada"]
    [answer] = [row["answer"] for row in key_of(tmp_path / "out")]
    return answered(notebook, f"half_step = {answer}")


def answered(notebook, source):
    """The notebook with another answer."""
    changed = copy.deepcopy(notebook)
    for cell in changed["cells"]:
        cell["source"] = source if cell["id"] == LABEL else cell["source"]
    return changed


def marked(book, tmp_path):
    """The rows of the table by the file that was handed in."""
    text = grading.marks(book, tmp_path / "out" / "key.csv", tmp_path / "in", lambda said: None)
    text.encode()
    return {row["file"]: row for row in csv.DictReader(io.StringIO(text))}


def changed_cell(notebook, **parts):
    """The notebook whose answer has other parts."""
    changed = copy.deepcopy(notebook)
    for cell in changed["cells"]:
        if cell["id"] == LABEL:
            cell.update(parts)
    return changed


def hostile(good):
    """Notebooks that are none, by name; each as a text."""
    about = {
        "a name of no character": good | {"metadata": {"grokbook": {"variant": "\ud800"}}},
        "a name that is a list": good | {"metadata": {"grokbook": {"variant": ["Ada"]}}},
        "no table": good | {"metadata": [1]},
        "cells that are a text": good | {"cells": "abc"},
        "cells that are numbers": good | {"cells": [1, 2]},
        "metadata of a cell": changed_cell(good, metadata=[1]),
        "marks of a cell": changed_cell(good, metadata={"nbgrader": "x"}),
        "no source": changed_cell(good, source=None),
        "a source of numbers": changed_cell(good, source=[1]),
        "another format": good | {"nbformat": 99},
        "a list": [],
    }
    return {name: json.dumps(value) for name, value in about.items()} | {
        "deep": '{"cells":' + "[" * 10**5
    }


@pytest.mark.slow
def test_a_notebook_that_is_none_costs_nobody_else_a_row(book, edition, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    for name, text in hostile(edition).items():
        (folder / f"{name}.ipynb").write_text(text)
    (folder / "large.ipynb").touch()
    os.truncate(folder / "large.ipynb", grading.LARGEST + 1)
    os.mkfifo(folder / "waits.ipynb")
    elsewhere = tmp_path / "elsewhere.ipynb"
    elsewhere.write_text(json.dumps(edition))
    (folder / "link.ipynb").symlink_to(elsewhere)
    (folder / "no end.ipynb").symlink_to("/dev/zero")
    (folder / "gone.ipynb").symlink_to(tmp_path / "nothing")
    (folder / "folder.ipynb").mkdir()
    Path(os.fsdecode(os.fsencode(folder) + b"/good\xff.ipynb")).write_text(json.dumps(edition))
    rows = marked(book, tmp_path)
    assert rows.pop("good .ipynb")["told"] == RIGHT
    assert len(rows) == len(hostile(edition)) + 6
    wrong = ("cannot be read", "the key has no exercise")
    assert not {
        name: row
        for name, row in rows.items()
        if not row["told"].startswith(wrong) or row["points"]
    }


def test_copies_that_an_editor_or_an_archiver_made_are_not_marked(tmp_path):
    copies = (".ipynb_checkpoints/a-checkpoint.ipynb", "__MACOSX/._a.ipynb", "Ben/._b.ipynb")
    for name in ("Ada/a.ipynb", "b.ipynb", *copies):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    found = [str(file.relative_to(tmp_path)) for file in grading._handed_in(tmp_path)]
    assert found == ["Ada/a.ipynb", "b.ipynb"]


ENDS = {
    "dies": ("import os; os._exit(0)", "Kernel died"),
    "says much": (
        "while True: print('x' * 100_000)",
        "its cells say more than 1,000,000 characters",
    ),
    "never ends": (
        "import time\nwhile True:\n    try: time.sleep(100)\n    except KeyboardInterrupt: pass",
        "it took more than 12 s",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ENDS)
def test_a_run_that_does_not_come_to_its_end_is_ended_and_named(
    book, edition, tmp_path, monkeypatch, name
):
    """With whatever it started."""
    if name == "never ends":
        monkeypatch.setattr(grading, "LONGEST", 2)
        monkeypatch.setattr(grading, "LONGEST_IN_ALL", 12.0)
    monkeypatch.setattr(grading, "MOST_SAID", 1_000_000)
    source, said = ENDS[name]
    (tmp_path / "in").mkdir()
    child = "import subprocess\nstarted = subprocess.Popen(['sleep', '300'])\n"
    child += f"open({str(tmp_path / 'id')!r}, 'w').write(str(started.pid))\n"
    (tmp_path / "in" / "a.ipynb").write_text(json.dumps(answered(edition, child + source)))
    [row] = marked(book, tmp_path).values()
    assert (row["name"], row["points"], row["of"]) == ("Ada", "0", "2") and row["told"] == said
    assert all_end([int((tmp_path / "id").read_text())])


HEADS = "name,exercise,parameters,answer\n"


@pytest.mark.parametrize(
    "text",
    [
        HEADS + 'Ada,a,"' + "[" * 10**5 + '",1\n',
        HEADS + "Ada,a," + "1" * 200_000 + ",1\n",
        HEADS + 'Ada,a,"[1]",1\n',
        HEADS + "Ada,a,null,1\n",
        HEADS + "Ada,a\n",
        "\ud800",
    ],
)
def test_a_key_that_is_none_is_one_sentence(tmp_path, text):
    key = tmp_path / "key.csv"
    key.write_bytes(text.encode(errors="surrogatepass"))
    with pytest.raises(ParameterError, match="is no key.csv of an edition"):
        grading.parameters(key)


def test_a_key_that_has_no_end_is_one_sentence():
    with pytest.raises(ParameterError, match="is no key.csv of an edition: .*no regular file"):
        grading.parameters(Path(os.devnull))


def test_marks_that_have_no_place_are_refused_before_anything_is_marked(tmp_path, monkeypatch):
    monkeypatch.setattr(grading, "marks", lambda *_: pytest.fail("marked"))
    for out, said in (
        (tmp_path, "is a folder; name a file"),
        (Path("/proc/none/marks.csv"), "cannot be written"),
    ):
        result = CliRunner().invoke(app, ["teach", "grade", "key.csv", "in", str(out)])
        assert isinstance(result.exception, ParameterError) and said in str(result.exception)
