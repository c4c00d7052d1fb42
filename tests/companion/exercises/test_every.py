"""Each exercise of the book: its solution passes, its stub and its typical wrong answers fail with
the right words."""

import ast
import inspect
import itertools
from string import Formatter

import numpy as np
import pytest

from companion.exercises.parser import objectives, read
from companion.exercises.registry import asked, modules
from companion.exercises.sandbox import after, blurred, run, told
from companion.page import sources
from companion.teach import editions
from project_tree import ROOT

PATHS = sources.chapter_paths(ROOT)
BY_CHAPTER = {path.stem: read(path.read_text(encoding="utf-8")) for path in PATHS}
ALL = [one for found in BY_CHAPTER.values() for one in found]
CODED = [one for one in ALL if not one.essay]
NAMES = [f"student {n}" for n in range(200)]


@pytest.fixture(scope="module", params=CODED, ids=lambda one: one.label)
def solved(request):
    """An exercise with the names after its stub and solution, at the values with which it is
    quick."""
    return request.param, run(request.param, asked(request.param.label).quick)


def test_the_stub_fails_and_the_solution_passes(solved):
    exercise, names = solved
    stub, _ = exercise.with_given(asked(exercise.label).quick)
    assert "..." in stub and told(exercise, names) is None
    unanswered = dict.fromkeys(exercise.answers(), ...)
    assert "is still `...`" in told(exercise, names | unanswered)


def test_typical_wrong_answers_are_told_why(solved):
    exercise, names = solved
    wrong = asked(exercise.label).wrong
    reasons = set()
    for code, words in wrong.items():
        said = told(exercise, after(names, exercise.label, code))
        assert said is not None and words in said, code
        reasons.add(said)
    assert len(reasons) == len(wrong) >= 2


def rounded(value, digits):
    """An answer whose numbers have so many significant digits; whole numbers, texts and all else
    stay."""
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        value = value.tolist()
    if isinstance(value, float):
        return float(f"{value:.{digits}g}")
    if isinstance(value, dict):
        return dict(zip(value, rounded([*value.values()], digits), strict=True))
    if isinstance(value, list | tuple):
        return type(value)(rounded(one, digits) for one in value)
    return value


def test_right_answers_may_be_rounded_to_three_digits_or_more(solved):
    exercise, names = solved
    for digits in (3, 4, 5, 8):
        answers = {name: rounded(names[name], digits) for name in exercise.answers()}
        assert told(exercise, names | answers) is None, answers


def test_no_typical_wrong_answer_is_right_too(solved):
    assert not blurred(*solved)


def named_reasons(one):
    """The names of reasons in the code of a check, each with how many numbers are given for it."""
    for node in ast.walk(ast.parse(inspect.getsource(one.check))):
        if isinstance(node, ast.Yield) and isinstance(node.value.elts[1], ast.Constant):
            yield node.value.elts[1].value, len(node.value.elts) - 2
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "number":
            yield from (
                (part.value, 0) for part in ast.walk(node.args[2]) if isinstance(part, ast.Constant)
            )
        elif isinstance(node, ast.Tuple) and getattr(node.elts[0], "value", None) in one.reasons:
            yield node.elts[0].value, 0  # with the value of a typical wrong answer
        elif isinstance(node, ast.Assign) and getattr(node.value, "value", None) in one.reasons:
            yield node.value.value, 0


def test_checks_name_the_reasons_that_are_written_and_give_what_these_print():
    for one in (asked(each.label) for each in CODED):
        given = set(inspect.signature(one.check).parameters)
        known = {name: given | set(map(str, range(count))) for name, count in named_reasons(one)}
        assert set(known) == set(one.reasons), one.label
        printed = {
            name: {part for _, part, *_ in Formatter().parse(one.reasons[name]) if part}
            for name in known
        }
        assert all(printed[name] <= known[name] for name in known), one.label


@pytest.mark.parametrize("exercise", CODED, ids=lambda one: one.label)
def test_variants_fit_their_stub_and_hardly_ever_meet(exercise):
    """Every parameter that is drawn stands in the stub and reaches the check as a value; 200 names
    draw 190 or more."""
    one = asked(exercise.label)
    drawn = [one.drawn(name) for name in NAMES]
    stub, call = exercise.with_given(drawn[0])
    assert all(f"{name}={value!r}" in call for name, value in drawn[0].items())
    compile(stub, exercise.label, "exec")
    assert len({repr(given) for given in drawn}) >= 190


QUICK = [one for one in CODED if not asked(one.label).quick]


@pytest.mark.slow
@pytest.mark.parametrize("exercise", QUICK, ids=lambda one: one.label)
def test_variants_have_answers_of_their_own(exercise):
    """Of five names one or none draws again; then none share an answer, and each may be rounded."""
    drawn = editions.draw([exercise], NAMES[:5])
    own = asked(exercise.label).drawn
    assert sum(one.given != own(one.name) for one in drawn) <= 1
    for one in drawn:
        answers = dict(zip(exercise.answers(), one.answers, strict=True))
        if any(isinstance(answer, str) for answer in one.answers):  # a key names types
            names = run(exercise, one.given)
        else:
            stub, _ = exercise.with_given(one.given)
            names = after({}, exercise.label, stub) | answers
        answers = {name: rounded(names[name], 3) for name in answers}
        assert told(exercise, names | answers) is None and not blurred(exercise, names), one.given
    for one, other in itertools.combinations(drawn, 2):
        assert not editions.alike(one.answers, other.answers)


def test_what_is_asked_stands_on_a_page_and_has_an_objective_there():
    assert {one.label for one in ALL} == set(modules())
    for path in PATHS:
        goals = objectives(path.read_text(encoding="utf-8"))
        for one in BY_CHAPTER[path.stem]:
            assert 1 <= one.objective <= len(goals), one.label


def test_essays_are_at_most_a_quarter_and_have_a_marking_key():
    essays = [one for one in ALL if one.essay]
    assert 4 * len(essays) <= len(ALL) and all(len(asked(one.label).points) >= 3 for one in essays)
