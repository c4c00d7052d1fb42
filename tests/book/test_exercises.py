"""Exercises: their code runs below the chapter's last cell, each for itself; what fails is named; no page shows it."""

import json

import pytest

from grokbook.build import execute
from grokbook.check import exercises
from grokbook.errors import ChapterError
from grokbook.page import sources

from .conftest import CHAPTER

EXERCISE = """
````{{exercise}} Second
:label: ex-more

Begin with

    import math

**Check:** {check}
````

````{{solution}} ex-more
:class: dropdown

Some words.

```python
{code}
```

```text
not Python
```
````
"""


def source(check="`p` is what it is.", code="twice = 2 * p"):
    return CHAPTER + EXERCISE.format(check=check, code=code)


def attempt(text, **names):
    given = {one.label: (one.blocks, one.checks) for one in exercises.read(text).values()}
    exercises.attempt(given, names)


def test_code_of_exercise_and_solution_belongs_together_and_other_text_is_none():
    found = exercises.read(source("`math.pi` and `twice`,\nor `f(x)`."))
    assert list(found) == ["ex-tiny", "ex-more"] and not found["ex-tiny"].blocks
    assert found["ex-more"].blocks == ["import math\n", "twice = 2 * p\n"]
    assert found["ex-more"].checks == ["math.pi", "twice", "f(x)"]
    assert len(exercises.cells(source())) == 1 and exercises.cells("# No exercise") == []


@pytest.mark.parametrize(
    ("check", "code", "said"),
    [
        ("`p`", "thrice = 3 * q", "ex-more: NameError: name 'q' is not defined"),
        ("`p`", "assert p == 60, 'not 59'", "ex-more: AssertionError: not 59"),
        ("`math.sqrt(-p)`", "pass", "ex-more: ValueError: "),
        ("`root(x)` of your own x", "pass", "calls root, which is not defined on the page"),
        ("`module.root(x)`", "pass", "calls module, which is not defined on the page"),
        ("`grokbook.nowhere`", "pass", "ex-more: ModuleNotFoundError"),
        ("`root(4)`, after `from math import rot`", "pass", "ex-more: ImportError"),
    ],
)
def test_what_fails_as_printed_is_named(check, code, said):
    with pytest.raises(ChapterError, match="^ex-more: ") as failed:
        attempt(source(check, code), p=59)
    assert said in str(failed.value)


@pytest.mark.parametrize(
    "check",
    ["`fit_step`", "`isqrt(x)`, after `from math import isqrt`", "`grokbook.cli`", "`lines of`", "`[s for s in [p]]`"],
)
def test_words_formulas_and_what_the_reader_chooses_are_not_held_against_a_check(check):
    attempt(source(check), p=59)


def test_no_exercise_leans_on_another_and_other_pages_are_not_asked(monkeypatch):
    monkeypatch.setenv("GROKBOOK_FINDINGS", "somewhere")
    code = "import os\nassert 'GROKBOOK_FINDINGS' not in os.environ\nlean = p"
    names = {"p": 59}
    both = {"a": ([code], []), "b": (["lean"], []), "c": (["1 / 0"], [])}
    with pytest.raises(ChapterError, match=r"^b: NameError: .*; c: ZeroDivisionError: division by zero$"):
        exercises.attempt(both, names)
    assert names == {"p": 59}


def test_a_strict_execution_runs_them_and_the_page_is_without(project, said):
    path = project / "notebooks" / "01_tiny.md"
    path.write_text(source(code="import sys\nprint('a warning', file=sys.stderr)"))
    found = sources.load(path)
    strict, plain = (execute.execute(found.page("smoke"), project, said, strict=s) for s in (True, False))
    assert json.dumps(strict.notebook.cells[:-1]) == json.dumps(plain.notebook.cells[:-1])
    path.write_text(source(code="1 / 0"))
    failing = sources.load(path).page("smoke")
    with pytest.raises(ChapterError, match="^chapter 01_tiny, exercises: .*ex-more: ZeroDivisionError"):
        execute.execute(failing, project, said, strict=True)
    execute.execute(failing, project, said)
