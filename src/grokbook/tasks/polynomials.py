"""Integer polynomials in two unknowns x and y, read from text and evaluated modulo p. No `eval`
anywhere."""

from __future__ import annotations

import ast
import operator
from functools import lru_cache

import numpy as np
import sympy

from grokbook.errors import ParameterError, shown

OPERATIONS: dict[str, str] = {
    "add": "x + y",
    "subtract": "x - y",
    "multiply": "x * y",
    "x2_plus_y2": "x**2 + y**2",
    "x3_plus_y3": "x**3 + y**3",
    "x2_plus_xy_plus_y2": "x**2 + x*y + y**2",
    "x3_plus_xy_plus_y3": "x**3 + x*y + y**3",
}
"""The operations the papers train on, by name, as polynomials in the operands x and y."""

_MAX_TEXT = 400
_MAX_DEGREE = 64
_MAX_BITS = 1024
_BINARY = {ast.Add: operator.add, ast.Sub: operator.sub}
_UNKNOWNS = {"x": sympy.Symbol("x"), "y": sympy.Symbol("y")}


def _refuse(text: str, rule: str) -> ParameterError:
    known = ", ".join(OPERATIONS)
    return ParameterError(
        f"operation {shown(text)}: {rule}; use an integer polynomial in x and y or one of {known}."
    )


def _power(base: sympy.Poly, exponent: ast.expr, text: str) -> sympy.Poly:
    if not (isinstance(exponent, ast.Constant) and type(exponent.value) is int):
        raise _refuse(text, "an exponent must be a non-negative integer written as a number")
    if exponent.value * max(base.total_degree(), 1) > _MAX_DEGREE:
        raise _refuse(text, f"the power {exponent.value} takes its degree above {_MAX_DEGREE}")
    if exponent.value * sum(abs(int(c)) for c in base.coeffs()).bit_length() > 2 * _MAX_BITS:
        raise _refuse(
            text, f"the power {exponent.value} could take a coefficient above {_MAX_BITS} bits"
        )
    return base**exponent.value


def _product(a: sympy.Poly, b: sympy.Poly, text: str) -> sympy.Poly:
    if (degree := a.total_degree() + b.total_degree()) > _MAX_DEGREE:
        raise _refuse(text, f"the degree {degree} is above {_MAX_DEGREE}")
    return a * b


def _bounded(poly: sympy.Poly, text: str) -> sympy.Poly:
    """The polynomial itself, unless its degree or a coefficient is beyond what a task may ask
    for."""
    if poly.total_degree() > _MAX_DEGREE:
        raise _refuse(text, f"the degree {poly.total_degree()} is above {_MAX_DEGREE}")
    if max(abs(int(c)).bit_length() for c in poly.coeffs()) > _MAX_BITS:
        raise _refuse(text, f"a coefficient has more than {_MAX_BITS} bits")
    return poly


def _as_poly(value: int | sympy.Symbol) -> sympy.Poly:
    return sympy.Poly(value, *_UNKNOWNS.values(), domain=sympy.ZZ)


def _build(node: ast.expr, text: str) -> sympy.Poly:
    """The polynomial of a syntax tree in which only + - * ** integers, x and y occur."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return _bounded(_as_poly(node.value), text)
    if isinstance(node, ast.Name) and node.id in _UNKNOWNS:
        return _as_poly(_UNKNOWNS[node.id])
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        value = _build(node.operand, text)
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        return _bounded(_power(_build(node.left, text), node.right, text), text)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return _bounded(_product(_build(node.left, text), _build(node.right, text), text), text)
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        return _bounded(
            _BINARY[type(node.op)](_build(node.left, text), _build(node.right, text)), text
        )
    raise _refuse(
        text, f"{shown(ast.unparse(node))} is not made of integers, x, y, +, -, * and powers alone"
    )


def parse_polynomial(operation: str) -> sympy.Poly:
    """The polynomial f(x, y) with integer coefficients that `operation` names or spells.

    `operation` is a name of `OPERATIONS` or a text such as `"x**2 + 3*x*y - 1"` (`^` is read as a
    power). The text is walked as a syntax tree from which only integers, x, y, sums, differences,
    products and integer powers are taken; nothing is ever evaluated as Python.

    Raises ParameterError for anything else, for a degree above 64, a coefficient above 1024 bits
    and a text longer than 400 characters.

    Example:
        >>> parse_polynomial("add").as_expr()
        x + y
        >>> parse_polynomial("(x + y)^2").terms()
        [((2, 0), 1), ((1, 1), 2), ((0, 2), 1)]

    Source: the operations are those of Gu et al. 2025, section 6.1 and Figs 12-19.
    """
    if not isinstance(operation, str):
        raise ParameterError(f"operation must be a text, got {shown(operation)}.")
    return _parse(operation)


@lru_cache(maxsize=256)
def _parse(operation: str) -> sympy.Poly:
    text = OPERATIONS.get(operation, operation).replace("^", "**").strip()
    if len(text) > _MAX_TEXT:
        raise _refuse(
            text[:40] + "...", f"a text of {len(text)} characters is longer than {_MAX_TEXT}"
        )
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _refuse(operation, "it cannot be read") from None
    return _build(tree, text)


def _powers(values: np.ndarray, top: int, p: int) -> list[np.ndarray]:
    """values^0, ..., values^top modulo p."""
    powers = [np.ones_like(values) % p]
    for _ in range(top):
        powers.append(powers[-1] * values % p)
    return powers


def _distinct(values: np.ndarray, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Every residue that occurs (or all of them, where that is less work), and the place of each
    value among them."""
    if p <= values.size:
        return np.arange(p), values
    distinct, places = np.unique(values, return_inverse=True)
    return distinct, places.reshape(values.shape)


def evaluate_mod(operation: str, x: np.ndarray, y: np.ndarray, p: int) -> np.ndarray:
    """f(x, y) mod p for integer arrays x and y of one shape; values in 0 .. p-1, int64.

    Every product is reduced modulo p at once, so nothing overflows for p below 2**31. The work on
    the arrays grows with the degree in x alone, whatever the number of terms: `(x + y + 1)**64` has
    2,145 of them.
    """
    x = np.asarray(x, dtype=np.int64) % p
    y = np.asarray(y, dtype=np.int64) % p
    terms = parse_polynomial(operation).terms()
    (of_x, at_x), (of_y, at_y) = (_distinct(values, p) for values in (x, y))
    x_powers = _powers(of_x, max(a for (a, _), _ in terms), p)
    y_powers = _powers(of_y, max(b for (_, b), _ in terms), p)
    # the polynomial in y that stands beside each power of x
    inner = [np.zeros_like(of_y) for _ in x_powers]
    for (a, b), coefficient in terms:
        inner[a] = (inner[a] + int(coefficient) % p * y_powers[b]) % p
    total = np.zeros(np.broadcast(x, y).shape, dtype=np.int64)
    for x_power, in_y in zip(x_powers, inner, strict=True):
        if in_y.any():
            total = (total + x_power[at_x] * in_y[at_y]) % p
    return total


def is_symmetric(operation: str) -> bool:
    """Whether f(x, y) = f(y, x) as polynomials: whether the operation commutes."""
    terms = dict(parse_polynomial(operation).terms())
    return terms == {(b, a): coefficient for (a, b), coefficient in terms.items()}
