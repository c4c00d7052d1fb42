"""Parameters: what the cell says is what is read; every refusal is one sentence with the value and
the rule."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.page.parameters import (
    LARGEST_INTEGER,
    STANDARD_RULES,
    Parameter,
    merge,
    parse,
    read,
    rewrite,
)
from grokbook.errors import ChapterError, ParameterError

CELL = """# the task
p: int = 97                  # prime modulus
train_fraction: float = 0.3  # share of the pairs
split: str = "random"        # how pairs are drawn: "é"
hole: int = 5                # width of the hole
side: int = 11               # side of a grid
d_model: int = 128           # width
steps: int = 100
"""
RULES = {
    "split": "one of random, square, strip",
    "hole": "[0, p - 2]",
    "side": "odd",
}


def test_each_line_is_a_parameter_with_type_default_help_and_rule():
    p, fraction, split, hole, _, width, steps = parse(CELL, RULES)
    assert p == Parameter("p", "int", 97, "prime modulus", "<= 997 and >= 5 and prime")
    assert (fraction.type, fraction.default, fraction.rule) == ("float", 0.3, "(0, 1)")
    assert split.help == 'how pairs are drawn: "é"'
    assert (hole.type, hole.default) == ("int", 5)
    assert width.rule == "[1, 4096] and multiple of 4"
    assert (steps.rule, steps.help) == ("<= 1000000 and >= 2", "")
    # the front matter goes before the standard rule
    assert parse(CELL, {"p": "[2, 9]"})[0].rule == "[2, 9]"


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("p = 97", "may hold only lines"),
        ("import os", "not 'import os'"),
        ("p: int = q", "the default of 'p' is not a literal"),
        ("p: int =", "is not Python"),
        ("p: int = 5", "rule for 'q', which is no parameter"),
        ("q: complex = 5", "the type 'complex' of 'q' is none"),
        ("q: int = 5", "the rule 'purple' of parameter 'q' is none"),
    ],
)
def test_what_a_chapter_writes_wrongly_is_named(cell, said):
    with pytest.raises(ChapterError, match=said):
        merge(parse(cell, {"q": "purple"} if "q:" in cell or "5" in cell else {}))


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("p", "100", "p = 100 is not prime; the nearest primes are 97 and 101."),
        ("p", "1", "p = 1 must be >= 5; the nearest allowed value is 5."),
        ("p", "3", "p = 3 must be >= 5; the nearest allowed value is 5."),
        ("p", "9973", "p = 9973 must be <= 997; the nearest allowed value is 997."),
        (
            "p",
            str(10**18 + 3),
            "p = 1000000000000000003 must be <= 997; the nearest allowed value is 997.",
        ),
        (
            "steps",
            "1e15",
            "steps = 1000000000000000.0 must be <= 1000000; the nearest allowed value is 1000000.",
        ),
        (
            "train_fraction",
            "1",
            "train_fraction = 1 must lie in (0, 1); for example 0.3, its default.",
        ),
        (
            "split",
            "sqare",
            "split = 'sqare' is not one of random, square, strip; did you mean 'square'?",
        ),
        ("hole", "-1", "hole = -1 must lie in [0, p - 2]; the nearest allowed value is 0."),
        ("hole", "97", "hole = 97 must lie in [0, p - 2]; the nearest allowed value is 95."),
        ("side", "6", "side = 6 is not odd; the nearest are 5 and 7."),
        ("d_model", "30", "d_model = 30 is not a multiple of 4; the nearest are 28 and 32."),
        ("d_model", "2", "d_model = 2 is not a multiple of 4; the nearest is 4."),
        ("p", "abc", "p = 'abc' is not a whole number (int)."),
        ("p", "{[]: 1}", "p = '{[]: 1}' is not a whole number (int)."),
        ("p", 3.5, "p = 3.5 is not a whole number; the nearest are 3 and 4."),
        ("p", True, "p = True is not a whole number (int)."),
        ("train_fraction", "nan", "train_fraction = 'nan' is not a number (float)."),
        ("train_fraction", "1e999", "train_fraction = inf is not a number (float)."),
        (
            "split",
            3,
            "split = 3 is not a text (str) of one line, at most 200 characters; put it in quotes.",
        ),
    ],
)
def test_a_refusal_names_value_rule_and_nearest_choice(name, value, sentence):
    with pytest.raises(ParameterError) as refused:
        merge(parse(CELL, RULES), {name: value})
    assert str(refused.value) == sentence


@pytest.mark.parametrize("name", ["p", "split", "train_fraction"])
@pytest.mark.parametrize("value", ["9" * 100_000, "x" * 100_000, "a\nb\x1b" * 30_000])
def test_a_value_of_any_length_is_refused_in_a_line(name, value):
    with pytest.raises(ParameterError) as refused:
        merge(parse(CELL, RULES), {name: value})
    assert len(str(refused.value)) < 200 and "\n" not in str(refused.value)


@given(st.integers(LARGEST_INTEGER + 1))
def test_no_whole_number_is_without_a_bound(large):
    """Every rule of the table, and none at all, refuses a number that would fill the memory or
    never end."""
    for name in [*STANDARD_RULES, "other"]:
        (parameter,) = parse(f"{name}: int = 4")
        if parameter.rule.startswith(("[", "<=")) and (name != "seed" or large >= 2**32):
            with pytest.raises(ParameterError, match=f"^{name} = .* must "):
                read(parameter, large)


def test_a_rule_may_speak_of_another_parameter_that_is_given_too():
    two = parse("hole: int = 5  # hole\np: int = 11  # modulus", {"hole": "[0, p - 2]"})
    assert merge(two, {"hole": "15", "p": "17"}) == {"hole": 15, "p": 17}
    with pytest.raises(ParameterError, match="the nearest allowed value is 9"):
        merge(two, {"hole": 15})


CONVERTED = {
    "int": [("1e4", 10_000), ("10_000", 10_000), (2.0, 2)],
    "float": [("3", 3.0), (3, 3.0)],
    "bool": [("True", True), ("no", False)],
    "str": [("a b", "a b")],
}


@pytest.mark.parametrize(("kind", "pairs"), CONVERTED.items())
def test_values_become_the_type_that_the_cell_says(kind, pairs):
    for value, converted in pairs:
        got = read(Parameter("x", kind, None, ""), value)
        assert got == converted and type(got) is type(converted)


def test_rewriting_changes_values_and_nothing_else():
    new = rewrite(CELL, {"p": 113, "split": "square", "hole": 6, "steps": 100})
    assert new.splitlines()[1] == "p: int = 113                  # prime modulus"
    assert new.splitlines()[3] == "split: str = 'square'        # how pairs are drawn: \"é\""
    assert [p.default for p in parse(new)] == [113, 0.3, "square", 6, 11, 128, 100]
    assert [p.help for p in parse(new)] == [p.help for p in parse(CELL)]
    assert rewrite("steps: int = 2_500  # steps", {"steps": 2500}) == "steps: int = 2_500  # steps"
    folded = rewrite("aa: int = 1\na: int = (\n  1\n)  # x\nb: int = 1", {"a": 3})
    assert folded.splitlines()[0] == "aa: int = 1" and parse(folded)[1].default == 3


@given(st.integers(-(10**6), 10**6), st.floats(-1e6, 1e6), st.text(max_size=8))
def test_what_is_written_back_is_what_is_read(whole, real, text):
    cell = 'a: int = 1  # ä\nb: float = 0.5  # b\nc: str = "x"  # c'
    written = {p.name: p.default for p in parse(rewrite(cell, {"a": whole, "b": real, "c": text}))}
    assert written == {"a": whole, "b": real, "c": text}


@given(st.integers(1, 997))
def test_a_modulus_is_taken_exactly_when_it_has_no_divisor(n):
    (p,) = parse("p: int = 7", {"p": "prime"})
    if n > 1 and not any(n % d == 0 for d in range(2, n)):
        assert read(p, n) == n
    else:
        with pytest.raises(ParameterError, match="is not prime"):
            read(p, n)
