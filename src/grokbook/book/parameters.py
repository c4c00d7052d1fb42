"""The typed parameters of a chapter: read from its source, checked against rules, written back into it."""

from __future__ import annotations

import ast
import io
import math
import re
import tokenize
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grokbook.errors import ChapterError, ParameterError, nearest, shown

STANDARD_RULES: dict[str, str] = {
    "p": "prime",
    "primes": "prime",
    "train_fraction": "(0, 1)",
    "steps": ">= 1",
    "n_seeds": ">= 1",
    "seed": ">= 0",
    "learning_rate": "> 0",
    "weight_decay": ">= 0",
    "n_heads": ">= 1",
    "d_model": "multiple of n_heads",
    "layers": ">= 1",
    "n_layers": ">= 1",
    "batch_size": ">= 1",
    "hole": ">= 0",
    "shift": ">= 0",
    "threshold": "(0, 1]",
    "split": "one of random, square, strip",
    "dtype": "one of float32, bfloat16",
}
"""Rules that hold for a parameter of this name in every chapter, unless its front matter says otherwise."""

_STAND_IN = {"n_heads": 4}  # the library's default, where a chapter has no such parameter


@dataclass(frozen=True)
class Parameter:
    """One line of a chapter's `parameters` cell: `p: int = 97  # prime modulus`."""

    name: str
    type: str
    default: Any
    help: str
    rule: str | None = None


def parse(source: str, rules: Mapping[str, str] | None = None) -> tuple[Parameter, ...]:
    """The annotated literals of a `parameters` cell, in order, with the comment of each line as its help.

    Raises ChapterError for a statement that is not `name: type = literal` and for a rule of no parameter.

    >>> parse("p: int = 97  # prime modulus")
    (Parameter(name='p', type='int', default=97, help='prime modulus', rule='prime'),)
    """
    comments = _comments(source)
    known = {**STANDARD_RULES, **(rules or {})}
    found = []
    for node in _assignments(source):
        name, annotation = node.target.id, ast.unparse(node.annotation)  # type: ignore[union-attr]
        default = _literal(node, name)
        found.append(Parameter(name, annotation, default, comments.get(node.end_lineno or 0, ""), known.get(name)))
    names = [parameter.name for parameter in found]
    for name in set(rules or {}) - set(names):
        raise ChapterError(f"the front matter has a rule for {name!r}, which is no parameter of the chapter.")
    return tuple(found)


def _assignments(source: str) -> list[ast.AnnAssign]:
    """The annotated assignments of the cell; anything else in it is an error."""
    try:
        body = ast.parse(source).body
    except SyntaxError as error:
        raise ChapterError(f"the parameters cell is not Python: {error.msg} in line {error.lineno}.") from None
    for node in body:
        named = isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None
        if not named:
            raise ChapterError(
                f"the parameters cell may hold only lines `name: type = literal  # help`, not {ast.unparse(node)!r}."
            )
    return body  # type: ignore[return-value]


def _literal(node: ast.AnnAssign, name: str) -> Any:
    try:
        return ast.literal_eval(node.value)  # type: ignore[arg-type]
    except ValueError:
        raise ChapterError(f"the default of {name!r} is not a literal value.") from None


def _comments(source: str) -> dict[int, str]:
    """Line number -> text of the comment on that line."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return {t.start[0]: t.string.lstrip("# ").strip() for t in tokens if t.type == tokenize.COMMENT}


def rewrite(source: str, values: Mapping[str, Any]) -> str:
    """The cell's source with the defaults replaced by `values`; comments and layout stay as they are.

    >>> rewrite("p: int = 97  # prime modulus", {"p": 113})
    'p: int = 113  # prime modulus'
    """
    lines = source.encode().splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    data = source.encode()
    for node in reversed(_assignments(source)):
        name, value = node.target.id, node.value  # type: ignore[union-attr]
        if name not in values or same(values[name], ast.literal_eval(value)):  # type: ignore[arg-type]
            continue
        begin = starts[value.lineno - 1] + value.col_offset  # type: ignore[union-attr]
        end = starts[value.end_lineno - 1] + value.end_col_offset  # type: ignore[union-attr,operator]
        data = data[:begin] + repr(values[name]).encode() + data[end:]
    return data.decode()


def same(left: Any, right: Any) -> bool:
    """Equal in value and in type (True is not 1, 1 is not 1.0)."""
    return type(left) is type(right) and left == right


# ---------------------------------------------------------------------------------------------- values


def merge(parameters: Sequence[Parameter], *layers: Mapping[str, Any], what: str = "this chapter") -> dict[str, Any]:
    """Defaults, then each layer over them; every value converted to its type and held against its rule.

    Raises ParameterError for a name that is not a parameter, a wrong type, or a broken rule.
    """
    known = {parameter.name: parameter for parameter in parameters}
    values = {parameter.name: parameter.default for parameter in parameters}
    for layer in layers:
        for name, value in layer.items():
            if name not in known:
                raise ParameterError(unknown("parameter", name, list(known), what))
            values[name] = coerce(name, value, known[name].type)
    for parameter in parameters:
        sentence = refusal(parameter, values[parameter.name], values)
        if sentence:
            raise ParameterError(sentence)
    return values


def unknown(kind: str, name: str, choices: Sequence[str], where: str) -> str:
    """The sentence that refuses a name: what it is not, the likeliest meant, and all there are.

    >>> unknown("preset", "latop", ["smoke", "laptop", "paper"], "chapter 01")
    "'latop' is not a preset of chapter 01; did you mean 'laptop'? There are smoke, laptop, paper."
    """
    near = nearest(name, choices, 0.5)
    hint = f"did you mean {near!r}? There are" if near else "there are"
    return f"{shown(name)} is not a {kind} of {where}; {hint} {', '.join(choices) or 'none'}."


def coerce(name: str, value: Any, annotation: str) -> Any:
    """`value` (from YAML or the command line) as the type written in the parameters cell.

    Raises ParameterError when it is not of that type.

    >>> coerce("steps", "1e4", "int"), coerce("fraction", "0.3", "float"), coerce("hole", "none", "int | None")
    (10000, 0.3, None)
    """
    options = [option.strip() for option in annotation.split("|")]
    if "None" in options:
        if value is None or (isinstance(value, str) and value.strip().lower() in ("none", "null")):
            return None
        annotation = next((option for option in options if option != "None"), "str")
    sequence = re.fullmatch(r"(list|tuple)\[(\w+)(?:, ?\.\.\.)?\]", annotation)
    if sequence:
        items = [coerce(name, item, sequence[2]) for item in _items(name, value)]
        return items if sequence[1] == "list" else tuple(items)
    if annotation not in _CONVERT:
        raise ChapterError(f"the type {annotation!r} of parameter {name!r} is none that grokbook can read.")
    return _CONVERT[annotation](name, value)


def _items(name: str, value: Any) -> list[Any]:
    if isinstance(value, str):
        return [part for part in (part.strip() for part in value.strip("[]() ").split(",")) if part]
    if isinstance(value, (list, tuple)):
        return list(value)
    raise ParameterError(f"{name} = {value!r} is not a list; write the values with commas between them.")


def _whole(name: str, value: Any) -> int:
    number = None if isinstance(value, bool) else _parse_number(value)
    if number is None:
        raise ParameterError(f"{name} = {value!r} is not a whole number (int).")
    if number != int(number):
        low = math.floor(number)
        raise ParameterError(f"{name} = {value} is not a whole number; the nearest are {low} and {low + 1}.")
    return int(number)


def _real(name: str, value: Any) -> float:
    number = None if isinstance(value, bool) else _parse_number(value)
    if number is None:
        raise ParameterError(f"{name} = {value!r} is not a number (float).")
    return float(number)


def _parse_number(value: Any) -> int | float | None:
    if isinstance(value, str):
        for convert in (int, float):
            try:
                value = convert(value.strip())
                break
            except ValueError:
                continue
    return value if isinstance(value, (int, float)) and math.isfinite(value) else None


def _truth(name: str, value: Any) -> bool:
    words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    if isinstance(value, bool):
        return value
    if str(value).strip().lower() in words:
        return words[str(value).strip().lower()]
    raise ParameterError(f"{name} = {value!r} is neither true nor false.")


def _text(name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    raise ParameterError(f"{name} = {value!r} is not a text (str); put it in quotes.")


_CONVERT: dict[str, Callable[[str, Any], Any]] = {"int": _whole, "float": _real, "bool": _truth, "str": _text}


# ----------------------------------------------------------------------------------------------- rules


def refusal(parameter: Parameter, value: Any, values: Mapping[str, Any] | None = None) -> str | None:
    """The sentence that refuses `value` under the parameter's rule, or None when the value is allowed.

    >>> refusal(Parameter("p", "int", 97, "", "prime"), 100)
    'p = 100 is not prime; the nearest primes are 97 and 101.'
    """
    if parameter.rule is None or value is None:
        return None
    for one in value if isinstance(value, (list, tuple)) else [value]:
        for clause in parameter.rule.split(" and "):
            sentence = _clause(parameter, clause.strip())(one, {**_STAND_IN, **(values or {})})
            if sentence:
                return f"{parameter.name} = {one!r} {sentence}"
    return None


_Check = Callable[[Any, Mapping[str, Any]], "str | None"]


def _clause(parameter: Parameter, clause: str) -> _Check:
    """The check that a clause of a rule stands for: value, all values -> sentence or None."""
    if clause == "prime":
        return lambda value, _: _not_prime(value)
    if interval := re.fullmatch(r"([(\[])\s*(\S+)\s*,\s*(\S+)\s*([)\]])", clause):
        opening, low, high, closing = interval.groups()
        bounds = [(">=" if opening == "[" else ">", low), ("<=" if closing == "]" else "<", high)]
        return lambda value, _: _outside(value, clause, bounds, parameter.default)
    if bound := re.fullmatch(r"(>=|<=|>|<)\s*(\S+)", clause):
        return lambda value, _: _outside(value, clause, [(bound[1], bound[2])], parameter.default)
    if multiple := re.fullmatch(r"multiple of (\w+)", clause):
        return lambda value, values: _not_multiple(value, multiple[1], values)
    if choices := re.fullmatch(r"one of (.+)", clause):
        return lambda value, _: _not_one_of(value, [choice.strip() for choice in choices[1].split(",")])
    raise ChapterError(f"the rule {clause!r} of parameter {parameter.name!r} is none that grokbook knows.")


def is_prime(n: int) -> bool:
    """Whether n is a prime number (trial division; moduli here are small).

    >>> [n for n in range(20) if is_prime(n)]
    [2, 3, 5, 7, 11, 13, 17, 19]
    """
    return n >= 2 and all(n % divisor for divisor in range(2, math.isqrt(n) + 1))


def _not_prime(value: int) -> str | None:
    if is_prime(value):
        return None
    above = next(n for n in range(max(value, 1) + 1, 2 * max(value, 1) + 2) if is_prime(n))
    below = next((n for n in range(value - 1, 1, -1) if is_prime(n)), None)
    near = f"the nearest primes are {below} and {above}" if below else f"the nearest prime is {above}"
    return f"is not prime; {near}."


_HOLDS: dict[str, Callable[[float, float], bool]] = {
    ">=": lambda a, b: a >= b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    "<": lambda a, b: a < b,
}


def _outside(value: Any, clause: str, bounds: Sequence[tuple[str, str]], default: Any) -> str | None:
    for sign, text in bounds:
        number = float(text)
        if _HOLDS[sign](value, number):
            continue
        rule = f"must lie in {clause}" if len(bounds) > 1 else f"must be {clause}"
        closed = sign in (">=", "<=")
        near = f"the nearest allowed value is {text}" if closed else f"for example {default!r}, its default"
        return f"{rule}; {near}."
    return None


def _not_multiple(value: int, of: str, values: Mapping[str, Any]) -> str | None:
    step = int(of) if of.isdigit() else values.get(of)
    if not isinstance(step, int) or step < 1 or (value > 0 and value % step == 0):
        return None
    low = value // step * step
    near = f"the nearest are {low} and {low + step}" if low > 0 else f"the nearest is {step}"
    name = "" if of.isdigit() else f" ({of})"
    return f"is not a multiple of {step}{name}; {near}."


def _not_one_of(value: Any, choices: Sequence[str]) -> str | None:
    if str(value) in choices:
        return None
    near = nearest(str(value), choices)
    hint = f"; did you mean {near!r}?" if near else "."
    return f"is not one of {', '.join(choices)}{hint}"
