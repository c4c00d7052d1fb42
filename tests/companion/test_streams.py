"""What processes share: a start-up file prints, reads and writes of it where it likes, and nothing
of ours breaks."""

import io
import json
import os
import pwd
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from companion import cli
from companion.claims import choose, export
from companion.site import kernel
from grokbook.training.pool import Pool

NOISE = """import os, sys
print("a line of somebody else")
print('{"value": 7}')
print(12345, file=sys.stderr)
"""


NOBODY = """import pwd
def nobody(uid):
    raise KeyError(uid)
pwd.getpwuid = nobody
"""


@pytest.fixture
def starting(tmp_path, monkeypatch):
    """A function that lets every Python that is started run some code before anything else."""

    def first(code):
        (tmp_path / "sitecustomize.py").write_text(code)
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.setenv(
            "PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
        )
        return tmp_path

    kernel._loaded.cache_clear()
    yield first
    kernel._loaded.cache_clear()


@pytest.fixture
def noisy(starting):
    return starting(NOISE)


def test_a_process_of_the_pool_answers_on_a_pipe_of_its_own(noisy):
    with Pool(1) as pool:
        assert pool.submit(max, 1, 2).result() == 2
        assert pool.submit(os.system, "echo 3").result() == 0


def ran(folder):
    """What a cell prints that a kernel has run."""
    cell = nbformat.v4.new_code_cell("print(6 * 7)")
    notebook = nbformat.v4.new_notebook(cells=[cell])
    with kernel.Kernels().options(folder, {}) as options:
        NotebookClient(notebook, **options).execute()
    return notebook.cells[0].outputs[0].text


def test_a_kernel_starts_and_runs_a_cell(noisy):
    assert ran(noisy) == "42\n"


def test_a_kernel_starts_for_a_user_without_a_home(starting, monkeypatch):
    def nobody(uid):
        raise KeyError(uid)

    folder = starting(NOBODY)
    monkeypatch.setattr(pwd, "getpwuid", nobody)
    monkeypatch.delenv("HOME")
    assert ran(folder) == "42\n"


# ---------------------------------------------------------------------------------- what is printed

ENCODINGS = ("ascii", "cp1252", "latin-1", "shift_jis", "koi8-r", "utf-8", "utf-16")


def said(monkeypatch, encoding, *arguments):
    """Exit code and standard output of a command on a terminal with this encoding."""
    screen = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(screen, encoding=encoding, newline="\n"))
    monkeypatch.setattr(sys, "argv", ["grokbook", *arguments])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    return ended.value.code, screen.getvalue().decode(encoding)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_command_prints_in_every_encoding_and_json_stays_json(monkeypatch, encoding):
    foreign = next(one for one in choose() if not f"{one.statement}{one.rule}".isascii())
    code, text = said(monkeypatch, encoding, "claims", "--json", "--id", foreign.id)
    there = export.document([foreign])
    assert code == 0 and json.loads(text)["claims"] == there["claims"]
    code, text = said(monkeypatch, encoding, "claims", "--id", foreign.id)
    assert code == 0 and foreign.id in text


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
def test_output_that_cannot_be_written_is_one_line(monkeypatch, capfd):
    with open("/dev/full", "w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        monkeypatch.setattr(sys, "argv", ["grokbook", "--version"])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        monkeypatch.undo()
        os.dup2(os.open(os.devnull, os.O_WRONLY), full.fileno())
    assert (
        ended.value.code == 1 and capfd.readouterr().err == "grokbook: No space left on device.\n"
    )
