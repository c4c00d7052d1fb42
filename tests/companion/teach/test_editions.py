"""Editions: what students and instructors get, variants that never share an answer, bad input,
nbgrader."""

import csv
import dataclasses
import io
import json
import os
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from companion.cli import app
from companion.exercises import parser
from companion.exercises import registry as asked
from companion.teach import editions, worksheet
from grokbook.errors import ChapterError, ParameterError, WrongAnswer

HEAD = """---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {name: python3, display_name: Python 3}
grokbook:
  question: Is a clock early?
  presets: {smoke: {}, laptop: {}, paper: {}}
---
# Clocks

**After this chapter you can**

- tell a clock
  of {cite:t}`gu2025` from a prophet;
- write.

**You need** nothing.
"""
CLOCK = """
````{exercise} Which clock is early?
:label: ex-06-clock

*Difficulty 2 of 3, 10 minutes, objective 1.* When is it halfway?

```python
import numpy as np
from companion.exercises import check

steps = 100
fit_step = 400
half_step = ...  # a step
check("ex-06-clock", half_step,
      steps=steps, fit_step=fit_step)
```

**Hint 1.** Count from the fit.

**Hint 2.** Solve it.
````

````{solution} ex-06-clock
:class: dropdown

```python
half_step = fit_step + np.log(2) * steps
```

The fit step drops out.
````
"""
OWN = """
````{exercise} Your own
:label: ex-06-own

*Difficulty 3 of 3, 40 minutes, objective 2, in words.* Write.

**Hint 1.** Begin.

**Hint 2.** End.
````

````{solution} ex-06-own
:class: dropdown

There is no general answer.
````
"""
LABEL = "ex-06-clock"


@pytest.fixture
def root(tmp_path):
    """A book of two chapters, one of which has exercises."""
    folder = tmp_path / "book"
    (folder / "notebooks").mkdir(parents=True)
    (folder / "notebooks" / "06_clocks.md").write_text(HEAD + CLOCK + OWN)
    (folder / "notebooks" / "07_none.md").write_text(HEAD)
    project = '[project]\nname = "grokbook"\nversion = "0.2.0"\nurls.Repository = "https://example.org/grokbook"\n'
    (folder / "pyproject.toml").write_text(project)
    return folder


def made(root, out, **options):
    """The notebooks of an edition by the first folder inside "hand_out" or "source"."""
    editions.write(root, out, **{"keyed": False, **options})
    inside = [path for part in ("hand_out", "source") for path in (out / part).rglob("*.ipynb")]
    return {path.parts[len(out.parts) + 1]: json.loads(path.read_text()) for path in inside}


def sources(notebook):
    return {cell["id"]: "".join(cell["source"]) for cell in notebook["cells"]}


def key_of(out):
    return list(csv.DictReader(io.StringIO((out / "key.csv").read_text())))


def test_a_student_gets_words_stub_check_and_hints_and_no_solution(root, tmp_path):
    out = tmp_path / "out"
    cells = sources(made(root, out)["06_clocks"])
    assert "%pip install -q jupytext https://example.org/grokbook/releases" in cells.pop("install")
    parts = [f"{LABEL}-{part}" for part in ("words", "given", "check", "reasons", "hints")]
    assert {"head", LABEL, *parts, "ex-06-own-words", "ex-06-own", "ex-06-own-hints"} == set(cells)
    assert "1. tell a clock of gu2025 from a prophet;\n2. write." in cells["head"]
    assert "Is a clock early?" in cells["head"]
    assert cells[f"{LABEL}-given"] == "import numpy as np\n\nsteps = 100\nfit_step = 400"
    assert (
        cells[LABEL] == "half_step = ...  # a step"
        and "Count from the fit." in cells[f"{LABEL}-hints"]
    )
    assert "*Needed is:* A step, to three digits" in cells[f"{LABEL}-words"]
    text = "".join(cells.values())
    assert "np.log" not in text and "drops out" not in text and "general answer" not in text
    assert {path.name for path in out.iterdir()} == {"hand_out", "key.csv"}, "the key lies apart"


def test_the_notebook_runs_alone_and_its_check_takes_the_solution_only(root, tmp_path):
    cells = sources(made(root, tmp_path / "s")["06_clocks"])
    keyed = sources(made(root, tmp_path / "i", keyed=True)["06_clocks"])
    names = {}
    exec(cells[f"{LABEL}-given"] + "\n" + cells[LABEL], names)
    with pytest.raises(WrongAnswer, match="is still `...`"):
        exec(cells[f"{LABEL}-check"], names)
    exec(keyed[LABEL], names)
    exec(cells[f"{LABEL}-check"], names)
    assert keyed[LABEL].startswith("half_step = ...  # a step\n### BEGIN SOLUTION\n")
    assert cells[f"{LABEL}-check"] == keyed[f"{LABEL}-check"]


def test_a_course_of_nbgrader_has_its_source_and_no_solution_in_plain_text(root, tmp_path):
    made(root, tmp_path / "out", keyed=True)
    inside = {
        path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.*")
    }
    assert inside == {
        "key.csv",
        "nbgrader_config.py",
        "keys/06_clocks.md",
        "source/06_clocks/06_clocks.ipynb",
    }


def test_an_instructor_reads_solutions_typical_mistakes_and_what_they_are_told(root, tmp_path):
    made(root, tmp_path / "out", keyed=True)
    text = (tmp_path / "out" / "keys" / "06_clocks.md").read_text()
    assert "The fit step drops out." in text and "is told: this counts from step 0" in text
    own = text.partition("There is no general answer.")[2]
    assert all(f"\n- {point}" in own for point in asked.asked("ex-06-own").points)


def test_variants_have_a_key_and_nobody_can_use_another_ones_answer(root, tmp_path):
    out = tmp_path / "out"
    found = made(root, out, variants=20)
    rows = [row for row in key_of(out) if row["exercise"] == LABEL]
    assert sorted(found) == sorted(row["variant"] for row in rows) and len(rows) == 20
    for row in rows:
        given = json.loads(row["parameters"])
        cells = sources(found[row["variant"]])
        stub = f"steps = {given['steps']}\nfit_step = {given['fit_step']}"
        assert stub in cells[f"{LABEL}-given"]
        asked.check(LABEL, float(row["answer"]), **given)
        for other in {one["answer"] for one in rows} - {row["answer"]}:
            with pytest.raises(WrongAnswer):
                asked.check(LABEL, float(other), **given)


def test_a_variant_is_the_same_among_few_and_among_many(root, tmp_path):
    made(root, tmp_path / "few", variants=1)
    made(root, tmp_path / "many", variants=3)
    assert key_of(tmp_path / "few")[0] == key_of(tmp_path / "many")[0]
    first = json.loads(key_of(tmp_path / "few")[0]["parameters"])
    assert first == asked.asked(LABEL).drawn("01")


def test_an_instructor_has_a_key_of_each_variant_in_a_folder_of_its_number(root, tmp_path):
    made(root, tmp_path / "i", variants=2, keyed=True)
    names = [path.name for path in sorted((tmp_path / "i" / "keys").iterdir())]
    assert names == ["01", "02"]
    for name in names:
        assert f"Variant {name}." in (tmp_path / "i/keys" / name / "06_clocks.md").read_text()


def test_parameters_at_which_a_typical_wrong_answer_is_right_too_are_not_drawn(monkeypatch):
    [clock] = parser.read(CLOCK)
    seen = []
    monkeypatch.setattr(
        editions, "blurred", lambda exercise, names: seen.append(names["steps"]) or len(seen) == 1
    )
    [one] = editions.draw([clock], ["Ada"])
    assert one.given == asked.asked(LABEL).drawn("Ada #2") and len(seen) == 2


def test_who_would_share_an_answer_draws_again_until_the_choices_end(monkeypatch):
    [clock] = parser.read(CLOCK)
    few = dataclasses.replace(asked.asked(LABEL), draws={"steps": (50, 100, 150)})
    monkeypatch.setattr(editions, "asked", lambda label: few)
    drawn = editions.draw([clock], ["a", "b", "c"])
    assert sorted(one.given["steps"] for one in drawn) == [50, 100, 150]
    with pytest.raises(ChapterError, match="ex-06-clock has too few choices for 4 variants"):
        editions.draw([clock], ["a", "b", "c", "d"])


@pytest.mark.parametrize(
    ("one", "other", "are_alike"),
    [
        ((1000.0, [None, "a"]), (1000.5, [None, "a"]), True),
        ({"a": 0.0}, {"a": 5e-4}, True),
        ([1000], [1001], False),
        ([1000], [1000], True),
        ([545, None], [545, 3], False),
        ({"a": 1}, {"b": 1}, False),
        ([pd.NA], [pd.NA], True),
        ([pd.NA], [0], False),
        ([1], [1, 2], False),
    ],
)
def test_answers_are_alike_to_three_digits_and_whole_ones_when_equal(one, other, are_alike):
    assert editions.alike(one, other) == are_alike


def test_slow_answers_are_not_computed(monkeypatch):
    [clock] = parser.read(CLOCK)
    slow = dataclasses.replace(asked.asked(LABEL), quick={"steps": 50})
    monkeypatch.setattr(editions, "asked", lambda label: slow)
    [one] = editions.draw([clock], ["Ada"])
    assert one.answers is None and editions.SLOW in editions.key([one])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--chapters", "33"], "'33' is not a chapter"),
        (["--chapters", "07"], "chapter 07_none has no exercises with a check"),
        (["--chapters", " , "], "--chapters ' , ' names no chapter"),
    ],
)
def test_bad_input_is_one_sentence_and_nothing_is_written(
    root, tmp_path, monkeypatch, options, said
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("grokbook.paths.project_root", lambda: root)
    before = sorted(tmp_path.rglob("*"))
    result = CliRunner().invoke(app, ["teach", "student", "out", *options])
    assert isinstance(result.exception, ParameterError) and said in str(result.exception)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_folder_that_is_not_empty_is_left_as_it_is_and_a_failure_leaves_nothing(
    root, tmp_path, monkeypatch
):
    out = tmp_path / "out"
    out.mkdir()
    made(root, out)  # an empty one is taken
    with pytest.raises(ParameterError, match="is there and not an empty folder"):
        editions.write(root, out, keyed=False)
    monkeypatch.setattr(worksheet, "notebook", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        editions.write(root, tmp_path / "other", keyed=False)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["book", "out"]


# --------------------------------------------------------- the real tools, where they are installed


def tool(name, *arguments, folder):
    """What a command of the machine says, with the library of this checkout; skipped where it is
    not installed."""
    program = shutil.which(name)
    if program is None:
        pytest.skip(f"{name} is not installed")
    environment = os.environ | {"PYTHONPATH": str(Path(editions.__file__).parents[2])}
    done = subprocess.run(
        [program, *arguments], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.mark.slow
def test_nbgrader_takes_the_instructors_edition_as_source_and_marks_the_students(root, tmp_path):
    """generate_assignment, autograde and export of the real nbgrader: all points, none, and one to
    mark by hand."""
    course = tmp_path / "course"
    made(root, course, keyed=True)
    tool("nbgrader", "generate_assignment", "06_clocks", folder=course)
    released = "release/06_clocks/06_clocks.ipynb"
    # of a student who has answered nothing yet: each check fails, and none for another reason
    assert "failed" in tool("nbgrader", "validate", released, folder=course)
    release = sources(
        json.loads((course / "release" / "06_clocks" / "06_clocks.ipynb").read_text())
    )
    assert release[LABEL].startswith("half_step = ...")
    assert not [text for text in release.values() if "raise NotImplementedError" in text]
    texts = [path.read_text() for path in (course / "release").rglob("*") if path.is_file()]
    assert texts and not [text for text in texts if "np.log" in text or "no general answer" in text]
    student = made(root, tmp_path / "student")["06_clocks"]
    for who, answer in (
        ("right", "half_step = fit_step + np.log(2) * steps"),
        ("wrong", "half_step = 400"),
    ):
        for cell in student["cells"]:
            cell["source"] = answer if cell["id"] == LABEL else cell["source"]
        folder = course / "submitted" / who / "06_clocks"
        folder.mkdir(parents=True)
        (folder / "06_clocks.ipynb").write_text(json.dumps(student))
    tool("nbgrader", "autograde", "06_clocks", folder=course)
    tool("nbgrader", "export", folder=course)
    rows = {row["student_id"]: row for row in csv.DictReader((course / "grades.csv").open())}
    assert {who: float(row["score"]) for who, row in rows.items()} == {"right": 2.0, "wrong": 0.0}
    assert {float(row["max_score"]) for row in rows.values()} == {5.0}
