"""Parameters: what the cell says is what is read; every refusal is one sentence with the value and the rule."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grokbook.book import parameters
from grokbook.book.parameters import Parameter, coerce, is_prime, merge, parse, refusal, rewrite
from grokbook.errors import ChapterError, ParameterError

CELL = """# the task
p: int = 97                  # prime modulus
train_fraction: float = 0.3  # share of the pairs
split: str = "random"        # how pairs are drawn: "é"
hole: int | None = None      # width of the hole
primes: list[int] = [47, 97]  # moduli
d_model: int = 128           # width
"""


def test_each_line_is_a_parameter_with_type_default_help_and_rule():
    p, fraction, split, hole, primes, width = parse(CELL)
    assert p == Parameter("p", "int", 97, "prime modulus", "prime")
    assert (fraction.type, fraction.default, fraction.rule) == ("float", 0.3, "(0, 1)")
    assert split.help == 'how pairs are drawn: "é"'
    assert hole.default is None
    assert primes.default == [47, 97]
    assert width.rule == "multiple of n_heads"


def test_a_rule_of_the_front_matter_goes_before_the_standard_one():
    assert parse(CELL, {"p": ">= 2"})[0].rule == ">= 2"


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("p = 97", "may hold only lines"),
        ("import os", "not 'import os'"),
        ("p: int = q", "the default of 'p' is not a literal"),
        ("p: int =", "is not Python"),
    ],
)
def test_other_statements_are_refused(cell, said):
    with pytest.raises(ChapterError, match=said):
        parse(cell)


def test_a_rule_for_no_parameter_is_refused():
    with pytest.raises(ChapterError, match="rule for 'q', which is no parameter"):
        parse("p: int = 5", {"q": "prime"})


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("p", "100", "p = 100 is not prime; the nearest primes are 97 and 101."),
        ("p", "1", "p = 1 is not prime; the nearest prime is 2."),
        ("train_fraction", "1", "train_fraction = 1.0 must lie in (0, 1); for example 0.3, its default."),
        ("split", "sqare", "split = 'sqare' is not one of random, square, strip; did you mean 'square'?"),
        ("hole", "-1", "hole = -1 must be >= 0; the nearest allowed value is 0."),
        ("primes", "47,98", "primes = 98 is not prime; the nearest primes are 97 and 101."),
        ("d_model", "30", "d_model = 30 is not a multiple of 4 (n_heads); the nearest are 28 and 32."),
        ("p", "abc", "p = 'abc' is not a whole number (int)."),
        ("p", 3.5, "p = 3.5 is not a whole number; the nearest are 3 and 4."),
        ("p", True, "p = True is not a whole number (int)."),
        ("train_fraction", "nan", "train_fraction = 'nan' is not a number (float)."),
        ("split", 3, "split = 3 is not a text (str); put it in quotes."),
        ("primes", 3, "primes = 3 is not a list; write the values with commas between them."),
    ],
)
def test_a_refusal_names_value_rule_and_nearest_choice(name, value, sentence):
    with pytest.raises(ParameterError) as refused:
        merge(parse(CELL), {name: value})
    assert str(refused.value) == sentence


def test_an_unknown_name_is_refused_with_the_likeliest_one():
    with pytest.raises(ParameterError) as refused:
        merge(parse(CELL), {"train_fracton": 0.3}, what="chapter 01")
    assert "'train_fracton' is not a parameter of chapter 01; did you mean 'train_fraction'?" in str(refused.value)
    assert "p, train_fraction, split" in str(refused.value)


def test_the_multiple_is_of_the_chapters_own_number_of_heads():
    two = parse("n_heads: int = 3  # heads\nd_model: int = 12  # width")
    assert merge(two, {"d_model": 9})["d_model"] == 9
    with pytest.raises(ParameterError, match=r"multiple of 3 \(n_heads\)"):
        merge(two, {"d_model": 8})


def test_a_rule_may_have_several_clauses():
    layers = Parameter("layers", "int", 1, "", ">= 1 and <= 4")
    assert refusal(layers, 4) is None
    assert refusal(layers, 5) == "layers = 5 must be <= 4; the nearest allowed value is 4."


def test_an_unknown_rule_is_an_error_of_the_chapter():
    with pytest.raises(ChapterError, match="'purple' of parameter 'p'"):
        refusal(Parameter("p", "int", 5, "", "purple"), 5)


@pytest.mark.parametrize(
    ("value", "kind", "converted"),
    [
        ("1e4", "int", 10_000),
        ("10_000", "int", 10_000),
        (2.0, "int", 2),
        ("3", "float", 3.0),
        (3, "float", 3.0),
        ("True", "bool", True),
        ("no", "bool", False),
        ("none", "int | None", None),
        ("5", "int | None", 5),
        ("[2, 3]", "list[int]", [2, 3]),
        ("2,3", "tuple[int, ...]", (2, 3)),
    ],
)
def test_values_become_the_type_that_the_cell_says(value, kind, converted):
    got = coerce("x", value, kind)
    assert got == converted
    assert type(got) is type(converted)


def test_rewriting_changes_values_and_nothing_else():
    new = rewrite(CELL, {"p": 113, "split": "square", "hole": 5, "primes": [7]})
    assert new.splitlines()[1] == "p: int = 113                  # prime modulus"
    assert new.splitlines()[3] == "split: str = 'square'        # how pairs are drawn: \"é\""
    assert [p.default for p in parse(new)] == [113, 0.3, "square", 5, [7], 128]
    assert [p.help for p in parse(new)] == [p.help for p in parse(CELL)]


def test_a_value_that_is_the_default_keeps_its_writing():
    assert rewrite("steps: int = 2_500  # steps", {"steps": 2500}) == "steps: int = 2_500  # steps"


def test_a_default_over_several_lines_is_replaced_whole():
    assert (
        rewrite("a: list[int] = [\n  1,\n  2,\n]  # x\nb: int = 1", {"a": [3]}) == "a: list[int] = [3]  # x\nb: int = 1"
    )


@given(st.integers(-(10**6), 10**6), st.floats(-1e6, 1e6), st.text(max_size=8))
def test_what_is_written_back_is_what_is_read(whole, real, text):
    cell = 'a: int = 1  # ä\nb: float = 0.5  # b\nc: str = "x"  # c'
    read = {p.name: p.default for p in parse(rewrite(cell, {"a": whole, "b": real, "c": text}))}
    assert read == {"a": whole, "b": real, "c": text}


@given(st.integers(1, 3000))
def test_primes_have_no_divisor(n):
    assert is_prime(n) == (n > 1 and not any(n % d == 0 for d in range(2, n)))


def test_every_standard_rule_is_one_that_is_known():
    for name, rule in parameters.STANDARD_RULES.items():
        value = "float32" if name == "dtype" else "random" if name == "split" else 8
        refusal(Parameter(name, "int", value, "", rule), value)
    assert ast.parse(CELL)
