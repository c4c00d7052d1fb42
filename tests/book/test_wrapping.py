"""Code wrapped for the page: no line too long, and the same program."""

import ast
import importlib
import inspect
import pkgutil

import pytest

import grokbook.measures
import grokbook.theory
from companion.page.show import without_docstring
from companion.page.wrapping import COLUMNS, wrapped


def functions():
    """The functions of two rooms of the library, which pages show."""
    for room in (grokbook.measures, grokbook.theory):
        for found in pkgutil.iter_modules(room.__path__, room.__name__ + "."):
            module = importlib.import_module(found.name)
            for _, one in inspect.getmembers(module, inspect.isfunction):
                if one.__module__ == module.__name__:
                    yield one


def test_the_program_stays_the_same_and_nearly_every_line_fits():
    codes = [without_docstring(one) for one in functions()]
    made = [wrapped(code) for code in codes]
    assert [
        c
        for c, m in zip(codes, made, strict=True)
        if ast.dump(ast.parse(c)) != ast.dump(ast.parse(m))
    ] == []
    long = [line for code in made for line in code.splitlines() if len(line) > COLUMNS]
    before = [line for code in codes for line in code.splitlines() if len(line) > COLUMNS]
    assert len(long) < len(before) / 15


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("f(aaaaaaaa, bbbbbbbb, cccccccc)", "f(aaaaaaaa, bbbbbbbb,\n  cccccccc)"),
        ("x = [a for a, b in pairs if a > b]", "x = [a for a, b in pairs\n     if a > b]"),
        (
            "value = first if condition else second",
            "value = (\n    first if condition\n    else second\n)",
        ),
        ('print("one two three four five six")', 'print("one two three "\n      "four five six")'),
        ("x = 1  # why this is a one, in words", "# why this is a one, in words\nx = 1"),
        ("name_without_any_place_to_break_it_at", "name_without_any_place_to_break_it_at"),
    ],
)
def test_where_a_line_is_broken(line, expected):
    assert wrapped(line, 25) == expected
