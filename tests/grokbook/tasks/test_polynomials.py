"""Polynomials read from text: the right values, and nothing but polynomials."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grokbook.errors import ParameterError
from grokbook.tasks.polynomials import evaluate_mod, is_symmetric, parse_polynomial

OPERATIONS = {
    "add": ("y+x", lambda x, y: x + y),
    "subtract": ("  x - y ", lambda x, y: x - y),
    "multiply": ("y*x", lambda x, y: x * y),
    "x2_plus_y2": ("(x + y)**2 - 2*x*y", lambda x, y: x * x + y * y),
    "x3_plus_y3": ("(x+y)*(x^2 - x*y + y^2)", lambda x, y: x * x * x + y * y * y),
    "x2_plus_xy_plus_y2": ("x^2 + x*y + y^2", lambda x, y: x * x + x * y + y * y),
    "x3_plus_xy_plus_y3": ("x*x*x - -(x*y) + y**3", lambda x, y: x * x * x + x * y + y * y * y),
}
"""The operations of Gu et al. 2025, section 6.1 and Figs 12-19: as a text, and in Python's own
unbounded integers."""


@pytest.mark.parametrize("p", [2, 3, 5, 13])
@pytest.mark.parametrize("name", OPERATIONS)
def test_a_named_operation_and_its_text_have_the_values_of_plain_python(name, p):
    text, by_hand = OPERATIONS[name]
    x, y = np.divmod(np.arange(p * p), p)
    assert evaluate_mod(name, x, y, p).tolist() == [
        by_hand(*divmod(n, p)) % p for n in range(p * p)
    ]
    assert parse_polynomial(text) == parse_polynomial(name)


monomials = st.tuples(st.integers(-(10**6), 10**6), st.integers(0, 6), st.integers(0, 6))


@given(st.lists(monomials, min_size=1, max_size=5), st.sampled_from([2, 3, 7, 97]), st.data())
def test_any_sum_of_monomials_has_the_values_of_plain_python(terms, p, data):
    text = " + ".join(f"({c})*x**{a}*y**{b}" for c, a, b in terms)
    x, y = (data.draw(st.integers(0, p - 1)) for _ in "xy")
    expected = sum(c * x**a * y**b for c, a, b in terms) % p
    assert evaluate_mod(text, np.array([x]), np.array([y]), p).tolist() == [expected]


@pytest.mark.parametrize(
    ("text", "commutes"),
    [("(x + y + 1)**64", True), ("(x + y + 1)**32 * (x - y + 2)**32", False), ("x - x", True)],
)
def test_thousands_of_terms_have_the_values_of_plain_python(text, commutes):
    """2,145 terms at degree 64: by Python's own powers, on a full grid and where p exceeds the
    number of operands."""
    for p, x, y in (
        (7, *np.divmod(np.arange(49), 7)),
        (2_147_483_647, np.array([3, 2**31 - 5]), np.array([10**9, 8])),
    ):
        expected = [eval(text, {"x": int(a), "y": int(b)}) % p for a, b in zip(x, y, strict=True)]
        assert evaluate_mod(text, x, y, p).tolist() == expected
    assert is_symmetric(text) is commutes


@given(st.lists(monomials, min_size=1, max_size=4))
def test_symmetry_is_that_of_exchanging_the_operands(terms):
    text = " + ".join(f"({c})*x**{a}*y**{b}" for c, a, b in terms)
    swapped = " + ".join(f"({c})*x**{b}*y**{a}" for c, a, b in terms)
    assert is_symmetric(f"{text} + {swapped}")
    assert is_symmetric(text) == (parse_polynomial(text) == parse_polynomial(swapped))


NO_POLYNOMIALS = {
    "is not made of integers": (
        "x.real",
        "__import__('os').system('true')",
        "(lambda: 1)()",
        "z + x",
        "x / y",
        "x == y",
        "True*x",
        "'a'*9",
    ),
    "an exponent must be a non-negative integer written as a number": (
        "x**y",
        "x**-1",
        "9**9**9**9",
    ),
    "the power 999999999 takes its degree above 64": ("x**999999999", "9**999999999"),
    "the degree 128 is above 64": ("(x + y + 1)**64 * (x + y + 1)**64",),
    "the power 64 could take a coefficient above 1024 bits": ("((9**64)**5*(x + y + 1))**64",),
    "a coefficient has more than 1024 bits": ("(9**64)**5*(9**64)**5", "1" * 390),
    "a text of 401 characters is longer than 400": ("x" + " + x" * 100,),
    "it cannot be read": ("(" * 150 + "x", "x y", "", "x\x00"),
}


@pytest.mark.parametrize(
    ("text", "part"), [(text, part) for part, texts in NO_POLYNOMIALS.items() for text in texts]
)
@pytest.mark.timeout(10)
def test_what_is_no_polynomial_is_refused_with_one_sentence(text, part):
    with pytest.raises(ParameterError) as caught:
        parse_polynomial(text)
    message = str(caught.value)
    assert part in message and message.endswith(".") and "\n" not in message
    assert "use an integer polynomial in x and y or one of add, subtract" in message


@pytest.mark.timeout(10)
@pytest.mark.parametrize(
    "text", ["(" * 190 + "x" + ")" * 190, "-" * 399 + "x", "+" * 399 + "x", "x" + "+1" * 199]
)
def test_a_deep_or_long_text_within_the_limit_is_read(text):
    assert parse_polynomial(text).total_degree() == 1


CODE = """import builtins, sympy
from grokbook.tasks import polynomials
def refuse(*a, **k): raise SystemExit('evaluated')
builtins.eval = builtins.exec = sympy.sympify = sympy.parse_expr = sympy.S = refuse
print(polynomials.parse_polynomial('x**2 + 3*x*y - 1').terms())
"""


def test_the_parser_calls_neither_eval_nor_sympify():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[((2, 0), 1), ((1, 1), 3), ((0, 0), -1)]", done.stderr
