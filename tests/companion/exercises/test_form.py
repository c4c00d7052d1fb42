"""The form of an exercise: read as an object, given other parameters, folded for the page; checks
that give reasons."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.exercises import registry as asked
from companion.exercises.parser import TABLE, folded, objectives, read, table
from companion.exercises.registry import check, near, number
from companion.exercises.sandbox import after, run, told
from grokbook.errors import ChapterError, ParameterError, WrongAnswer
from project_tree import ROOT

BLOCK = """```python
from companion.exercises import check

steps = 100     # until it is 1/e
fit_step = 400
half_step = ...
check("ex-06-clock", half_step, steps=steps, fit_step=fit_step)
```
"""
SOURCE = f"""# A page

````{{exercise}} A clock
:label: ex-06-clock

*Difficulty 2 of 3, 15 minutes, objective 3.* When is it
halfway?

{BLOCK}
**Hint 1.** It has
two lines.

**Hint 2.** Solve.
````

````{{solution}} ex-06-clock
:class: dropdown

```python
import math
half_step = fit_step + steps * math.log(2)
```

The fit step drops out.
````

```{{exercise}} In the old form
:label: ex-old

*Difficulty 1 of 3, 10 minutes.* Words.
```
"""


def one(source=SOURCE):
    return read(source)[0]


def test_an_exercise_is_read_as_it_stands_on_the_page():
    assert [exercise.label for exercise in read(SOURCE)] == ["ex-06-clock"]
    found = one()
    assert (found.title, found.difficulty, found.minutes, found.objective) == ("A clock", 2, 15, 3)
    assert found.words == "When is it\nhalfway?" and found.hints == ("It has\ntwo lines.", "Solve.")
    assert found.stub == "steps = 100     # until it is 1/e\nfit_step = 400\nhalf_step = ...\n"
    assert found.call == 'check("ex-06-clock", half_step, steps=steps, fit_step=fit_step)'
    assert found.solution == "The fit step drops out." and found.code.startswith("import math")
    assert found.answers() == ["half_step"] and not found.essay


def test_other_parameters_change_the_stub_and_stand_as_values_in_the_call():
    stub, call = one().with_given({"steps": 70, "fit_step": 5})
    assert stub == "steps = 70     # until it is 1/e\nfit_step = 5\nhalf_step = ...\n"
    assert call == 'check("ex-06-clock", half_step, steps=70, fit_step=5)'
    with pytest.raises(ChapterError, match="needs one line `b = ...`"):
        one().with_given({"b": 1})


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("**Hint 2.** Solve.", "", "has two hints"),
        (BLOCK, "", "one block of Python"),
        ("objective 3.*", "objective 3, in words.*", "has none; found 1"),
        ("from companion.exercises import check\n", "", "its block imports check"),
        ("fit_step=fit_step)\n", "fit_step=fit_step)\nlast = 1\n", "ends with check"),
        ("{solution} ex-06-clock", "{solution} ex-06-clocks", "no solution"),
    ],
)
def test_a_form_that_is_not_kept_is_named(old, new, said):
    assert old in SOURCE
    with pytest.raises(ChapterError, match=said):
        read(SOURCE.replace(old, new))


def test_hints_fold_each_for_itself_and_nothing_else_changes():
    text = folded(SOURCE)
    assert (
        text.count(":::{admonition} Hint") == 2 and "*Needed is:* A step, to three digits" in text
    )
    assert "Solve.\n:::\n````\n" in text, "the last hint ends within its exercise"
    assert text.partition("````{solution}")[2] == SOURCE.partition("````{solution}")[2]
    assert folded("**Hint 1.** A paragraph of the text.") == "**Hint 1.** A paragraph of the text."


def test_code_runs_for_itself_and_the_check_gives_its_reason(capsys):
    found = one()
    given = {"steps": 70, "fit_step": 5}
    names = run(found, given)
    assert told(found, names) is None and names["half_step"] == pytest.approx(53.520303, rel=1e-8)
    assert "counts from step 0" in told(found, after(names, found.label, "half_step -= fit_step"))
    assert (
        names["half_step"] == pytest.approx(53.520303, rel=1e-8) and capsys.readouterr().out == ""
    )
    with pytest.raises(ChapterError, match="^ex-06-clock: NameError: name 'p' is not defined"):
        after({}, found.label, "p + 1")


def test_a_check_says_what_is_wrong_in_one_sentence_without_a_traceback(capsys):
    given = {"steps": 100, "fit_step": 400}
    check("ex-06-clock", 469.3147, **given)
    assert capsys.readouterr().out == "ex-06-clock: right.\n"
    with pytest.raises(
        WrongAnswer,
        match="cannot be read .* Needed is: A step, to three digits or to the whole step before or after.",
    ) as said:
        check("ex-06-clock", "soon", **given)
    assert said.value._render_traceback_() == [str(said.value)]
    with pytest.raises(WrongAnswer, match="still `...`. Needed is: A step"):
        check("ex-06-clock", ..., **given)
    with pytest.raises(
        ParameterError, match="no exercise is called 'ex-06-clok'; the nearest is ex-06-clock."
    ):
        check("ex-06-clok", 1)
    with pytest.raises(ParameterError, match="answered in words"):
        check("ex-06-own", 1)


def test_a_variant_is_drawn_from_its_name_alone():
    """The numbers are those of sha256, so that every version of Python and every machine draws
    them."""
    clock = asked.asked("ex-06-clock")
    assert clock.drawn("Ada") == clock.drawn("Ada") == {"steps": 434, "fit_step": 1323}
    assert clock.drawn("Ada") != clock.drawn("Ben")


def test_the_table_of_exercises_has_a_row_for_each_with_its_link_and_its_objective():
    goals = "\n**After this chapter you can**\n\n- look;\n- see\n  it;\n- tell a clock.\n\n**You need** nothing.\n"
    text = table({"06_clocks": goals + SOURCE, "07_none": "# Nothing"})
    (row,) = text.splitlines()[2:]
    assert "[A clock](chapters/06_clocks.ipynb#ex-06-clock)" in row and "tell a clock" in row
    assert objectives(goals) == ["look;", "see it;", "tell a clock."] and not objectives(
        "# Nothing"
    )
    assert (ROOT / "book" / "teaching.md").read_text().count(TABLE) == 1


NUMBERS = (
    st.floats(1e-9, 1e9)
    | st.floats(-1e9, -1e-9)
    | st.integers(-1_000_000, 1_000_000)
    | st.just(0.0)
)


@given(NUMBERS, st.integers(asked.DIGITS, 12))
def test_a_number_is_right_however_it_is_rounded_to_three_digits_or_more(right, digits):
    written = float(f"{right:.{digits}g}")
    assert near(written, right) and list(number(written, right, "wrong", ("typical", written))) in (
        [],
        [(None, "typical")],
    )
    assert near([written, 1], [right, 1]) and near([[written]], right)


@given(NUMBERS, st.sampled_from([-1, 1]))
def test_a_number_that_is_off_by_a_hundredth_or_rounded_to_two_digits_is_not_right_and_is_told_which(
    right, sign
):
    off = right * (1 + sign / 90) if right else 0.01
    typical = ("typical", off)
    told = [name for made, name in number(off, right, "wrong", typical) if made]
    assert not near(off, right) and told[0] == "typical"
    rough = float(f"{right:.2g}")
    if not near(rough, right):
        assert [name for made, name in number(rough, right, "wrong") if made][0] == asked.ROUGH


@pytest.mark.parametrize(
    ("value", "right", "within", "is_near"),
    [
        ([1, 2], [1, 2, 3], 0, False),
        (1, [1, 1], 0, False),
        (float("nan"), 1, 0, False),
        (1, float("inf"), 0, False),
        (469, 469.3147, 1, True),
        (470, 469.3147, 1, True),
        (471, 469.3147, 1, False),
    ],
)
def test_only_as_many_numbers_as_are_asked_for_are_right_and_a_step_has_two_whole_ones(
    value, right, within, is_near
):
    assert near(value, right, within=within) == is_near


def test_a_chapter_s_exercises_are_checked_without_the_modules_of_other_chapters():
    """A student waits for what the check needs, and no longer."""
    code = """import sys; from companion.exercises import check
check("ex-07-falls", 0.3, 3.0, [0.3, 0] * 10 + [0], "only smaller", n=20, F=0.3)
print([name for name in sys.modules if name.endswith(".exercises")])"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "separability_and_depth" in done.stdout and "images" not in done.stdout
