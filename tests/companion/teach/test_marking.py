"""The recipe of *Marking*: notebooks that were handed in are run, and a table has what the checks
say."""

import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pandas as pd
import pytest

from project_tree import ROOT

RIGHT = """from companion.exercises import check
check("ex-08-hand", [-0.719059, -1.05216, 1.32176], d_1=0.59, d_2=1.23, sign=-1)"""
WRONG = RIGHT.replace("-0.719059", "0.719059")


@pytest.mark.slow
def test_the_recipe_runs_what_was_handed_in_and_tells_right_from_wrong(tmp_path, monkeypatch):
    (tmp_path / "handed_in").mkdir()
    for name, code in {"anna": RIGHT, "berta": WRONG}.items():
        cells = [nbformat.v4.new_code_cell("1 / 0"), nbformat.v4.new_code_cell(code)]
        notebook = nbformat.v4.new_notebook(cells=cells)
        nbformat.write(notebook, tmp_path / "handed_in" / f"{name}.ipynb")
    marking = (ROOT / "book" / "teaching.md").read_text("utf-8").split("\n## Marking\n")[1]
    (command,) = re.findall(r"(?m)^jupyter (execute .*) handed_in/\*\.ipynb$", marking)
    (table,) = re.findall(r"(?s)```python\n(.*?)```", marking)
    monkeypatch.chdir(tmp_path)
    files = sorted(map(str, (tmp_path / "handed_in").iterdir()))
    jupyter = str(Path(sys.executable).with_name("jupyter-execute"))
    run = [jupyter, *command.split()[1:], *files]
    subprocess.run(run, check=True, capture_output=True, timeout=300)
    exec(table, {})
    marks = pd.read_csv("marks.csv").set_index("notebook")
    assert marks.exercise.tolist() == ["ex-08-hand"] * 2
    assert marks.check["anna"] == "right."
    assert marks.check["berta"] != "right."
