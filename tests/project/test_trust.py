"""Short forms of the trials of `.ci/trust`: what they find fault with; that a few calls leave
nothing behind."""

import dataclasses
import hashlib
import json
import os
import runpy
import sys

import numpy as np
import pandas as pd
import pytest
from project_tree import ROOT

sys.path.insert(0, str(ROOT / ".ci" / "trust"))
import leaks
import soak
import tables

KEPT = []


@pytest.fixture
def alone(tmp_path, monkeypatch):
    """A temporary folder of our own, and no process but this one."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("GROKBOOK_CORES", "1")
    monkeypatch.setattr(
        "grokbook.runs.provenance.commit", lambda: ("unknown", False)
    )  # git is not what is tried


@pytest.mark.parametrize("call", [leaks.trained, leaks.recorded])
def test_a_few_calls_of_training_leave_no_file_thread_or_process(alone, call):
    """10,000 calls, and the memory: `.ci/trust/leaks.py`."""
    found = leaks.repeated(call, 12)
    assert not any(found.left.values()) and abs(found.growth) < 0.05


@pytest.mark.parametrize(
    ("leak", "kind"),
    [
        (lambda number: KEPT.append(open(os.devnull)), "files"),  # noqa: SIM115  that is the leak
        (lambda number: open(leaks.tempfile.mkstemp()[1]).close(), "temporary"),
    ],
)
def test_what_is_left_open_or_lies_about_is_found(alone, leak, kind):
    found = leaks.repeated(leak, 12)
    assert found.left[kind] >= 10 and found.wrong
    while KEPT:
        KEPT.pop().close()


def test_memory_that_grows_is_found(alone):
    found = leaks.repeated(lambda number: KEPT.append(bytearray(b"x" * 2**20) * 4), 20)
    assert found.growth > leaks.GROWTH and found.wrong
    KEPT.clear()


def test_the_soak_s_runs_are_all_there_once_and_what_is_lost_is_found(alone, tmp_path):
    assert [
        sum(len(s.seeds) * soak.CELLS for s in soak.sweeps(runs)) for runs in (16, 400, 2000)
    ] == [16, 400, 2000]
    assert len({s.key for s in soak.sweeps(2000)}) == 10
    made = soak.Soak(tmp_path, 8, 1)
    wrong = " ".join(made.wrong(soak.Store(tmp_path / "serial")))
    assert (
        "is recorded 0 times" in wrong and "soak/0: train_loss is not that of a serial run" in wrong
    )


def test_a_table_is_put_between_its_marks_and_nowhere_else(tmp_path):
    mark = "% a: .ci/trust/a.py"
    page = tmp_path / "page.md"
    page.write_text(f"before\n{mark}\nold\n{mark}\nafter\n")
    tables.write("a", "new", page)
    assert page.read_text() == f"before\n{mark}\n\nnew\n\n{mark}\nafter\n"
    tables.write("a", tables.table(("x", "y"), [("one", 1), ("two", 2)]), page)
    assert tables.rows("a", page) == [["one", "1"], ["two", "2"]]
    page.write_text("no marks")
    with pytest.raises(ValueError):
        tables.write("a", "new", page)


def test_a_release_has_every_record_as_it_is_and_as_a_tidy_table(alone, tmp_path):
    """One record of two seeds: the same bytes, and a row for each run and logged step."""
    made = dataclasses.replace(leaks.small(0), steps=10)
    store = leaks.Store(tmp_path / "store")
    curves = leaks.load_or_run(
        leaks.Experiment("made/up", made, (0, 1)), store, progress=False, device="cpu"
    )
    release = runpy.run_path(str(ROOT / ".ci" / "release.py"))["release"]
    assert release(store, tmp_path / "out") == 1
    (record,) = (tmp_path / "out").rglob("*.nc")
    entry = json.loads((tmp_path / "out" / "MANIFEST.json").read_text())["records"][
        "made/up/" + record.name
    ]
    assert hashlib.sha256(record.read_bytes()).hexdigest() == entry["sha256"]
    table = pd.read_csv(record.with_suffix(".csv.gz"))
    assert len(table) == curves.sizes["seed"] * curves.sizes["step"] and {"seed", "step"} <= set(
        table
    )
    np.testing.assert_allclose(
        table.train_loss, curves.train_loss.transpose("seed", "step").values.ravel(), rtol=1e-6
    )


@pytest.mark.parametrize("name", ["soak", "leaks"])
def test_a_script_says_what_it_does_and_has_its_marks_on_the_page(name, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", [name, "--help"])
    with pytest.raises(SystemExit):
        runpy.run_path(str(ROOT / ".ci" / "trust" / f"{name}.py"), run_name="__main__")
    assert "--write" in capsys.readouterr().out
    assert tables.PAGE.read_text().count(f"% {name}: .ci/trust/{name}.py\n") == 2
