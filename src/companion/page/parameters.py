"""The typed parameters of a chapter: read from its source, checked by pydantic, written back into
it."""

from __future__ import annotations

import ast
import io
import math
import operator
import re
import tokenize
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError

from companion.python_source import parsed
from grokbook.errors import ChapterError, ParameterError, nearest, nearest_primes, shown

Values = Mapping[str, Any]
"""Values of parameters, by name."""

STANDARD_RULES: dict[str, str] = {
    "p": ">= 5 and prime",
    "train_fraction": "(0, 1)",
    "steps": ">= 2",
    "n_seeds": "[1, 1000]",
    "seed": "[0, 4294967295]",
    "weight_decay": ">= 0",
    "d_model": "[1, 4096] and multiple of 4",
    "shift": "[0, 4096]",
}
"""Rules that hold for a parameter of this name in every chapter, unless its front matter says
otherwise."""

LARGEST_PRIME = 997
LARGEST_INTEGER = 1_000_000
LONGEST_TEXT = 200
"""Bounds of a modulus, of any other whole number whose rule names none, and of the characters of a
text."""

_ONE_OF = re.compile(r"one of (.+)")
_SIGNS = {">=": operator.ge, ">": operator.gt, "<=": operator.le, "<": operator.lt}
_FINITE = ConfigDict(allow_inf_nan=False)
_KINDS: dict[str, TypeAdapter[Any]] = {
    "int": TypeAdapter(int),
    "float": TypeAdapter(float, config=_FINITE),
    "bool": TypeAdapter(bool),
    "str": TypeAdapter(str),
}
_REFUSALS = {
    "int": "is not a whole number (int).",
    "float": "is not a number (float).",
    "bool": "is neither true nor false.",
    "str": (
        f"is not a text (str) of one line, at most {LONGEST_TEXT} characters; put it in quotes."
    ),
}
"""What is said of a value that is none of a kind."""


@dataclass(frozen=True)
class Parameter:
    """One line of a chapter's `parameters` cell: `p: int = 97  # prime modulus`."""

    name: str
    type: str
    default: Any
    help: str
    rule: str | None = None


def parse(source: str, rules: Mapping[str, str] | None = None) -> tuple[Parameter, ...]:
    """The annotated literals of a `parameters` cell, in order, with the comment of each line as its
    help.

    Raises ChapterError for a statement that is not `name: type = literal`, for an equals sign in a
    comment, and for a rule of no parameter.

    >>> parse("p: int = 97  # prime modulus")
    (Parameter(name='p', type='int', default=97, help='prime modulus',
     rule='<= 997 and >= 5 and prime'),)
    """
    nodes = _assignments(source)
    known = {**STANDARD_RULES, **(rules or {})}
    comments = _comments(source)
    found = []
    for name, node in nodes.items():
        kind = ast.unparse(node.annotation)
        text = comments.get(node.end_lineno or 0, "")
        if "=" in text:
            hint = "papermill takes such a line for no parameter; write words, or ≤ and ≥"
            raise ChapterError(f"the comment of {name!r} has an equals sign, but {hint}.")
        rule = _bounded(kind, known.get(name))
        found.append(Parameter(name, kind, _literal(node, name), text, rule))
    if other := set(rules or {}) - set(nodes):
        raise ChapterError(
            f"the front matter has a rule for {min(other)!r}, which is no parameter of the chapter."
        )
    return tuple(found)


def _comments(source: str) -> dict[int, str]:
    """The comments of the cell by line."""
    found = {}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            found[token.start[0]] = token.string.lstrip("# ").strip()
    return found


def _assignments(source: str) -> dict[str, ast.AnnAssign]:
    """The annotated assignments of the cell by name; anything else in it is an error."""
    try:
        body = parsed(source).body
    except SyntaxError as error:
        raise ChapterError(
            f"the parameters cell is not Python: {error.msg} in line {error.lineno}."
        ) from None
    found = {}
    for node in body:
        if not isinstance(node, ast.AnnAssign) or node.value is None:
            raise ChapterError(
                "the parameters cell may hold only lines `name: type = literal  # help`, not"
                f" {ast.unparse(node)!r}."
            )
        found[ast.unparse(node.target)] = node
    return found


def _literal(node: ast.AnnAssign, name: str) -> Any:
    try:
        return ast.literal_eval(node.value)  # type: ignore[arg-type]
    except ValueError:
        raise ChapterError(f"the default of {name!r} is not a literal value.") from None


def _bounded(kind: str, rule: str | None) -> str | None:
    """The rule, for whole numbers with an upper bound in front: what takes long is not tried on
    large ones."""
    clauses = rule.split(" and ") if rule else []
    if kind == "int" and not any(re.match(r"<|[(\[]|one of", clause) for clause in clauses):
        clauses.insert(0, f"<= {LARGEST_PRIME if 'prime' in clauses else LARGEST_INTEGER}")
    return " and ".join(clauses) or None


def rewrite(source: str, values: Values) -> str:
    """The cell's source with the defaults replaced by `values`; comments and layout stay as they
    are.

    >>> rewrite("p: int = 97  # prime modulus", {"p": 113})
    'p: int = 113  # prime modulus'
    """
    text = source
    for name, node in _assignments(source).items():
        if name in values and not same(values[name], _literal(node, name)):
            line = ast.get_source_segment(source, node) or ""
            written = ast.get_source_segment(source, node.value) or ""  # type: ignore[arg-type]
            changed = repr(values[name]).join(line.rsplit(written, 1))
            text = f"\n{text}".replace(f"\n{line}", f"\n{changed}", 1)[1:]
    return text


def same(left: Any, right: Any) -> bool:
    """Equal in value and in type (True is not 1, 1 is not 1.0)."""
    return type(left) is type(right) and left == right


# ------------------------------------------------------------------------------------------- values


def merge(
    parameters: Sequence[Parameter], *layers: Values, what: str = "this chapter"
) -> dict[str, Any]:
    """Defaults, then each layer over them; every value converted to its type and held against its
    rule.

    Raises ParameterError for a name that is not a parameter, a wrong type, or a broken rule.
    """
    values = {parameter.name: parameter.default for parameter in parameters}
    given: dict[str, Any] = {}
    for layer in layers:
        given |= layer
    for name in given:
        if name not in values:
            raise ParameterError(unknown("parameter", name, list(values), what))

    def speaks_of_others(parameter: Parameter) -> bool:
        return not values.keys().isdisjoint(re.findall(r"\w+", parameter.rule or ""))

    for parameter in sorted(parameters, key=speaks_of_others):
        value = read(parameter, given.get(parameter.name, parameter.default), values)
        if parameter.name in given:
            values[parameter.name] = value
    return values


def unknown(kind: str, name: str, choices: Sequence[str], where: str) -> str:
    """The sentence that refuses a name: what it is not, the likeliest meant, and all there are.

    >>> unknown("preset", "latop", ["smoke", "laptop", "paper"], "chapter 01")
    "'latop' is not a preset of chapter 01; did you mean 'laptop'? There are smoke, laptop, paper."
    """
    near = nearest(name, choices, 0.5)
    hint = f"did you mean {near!r}? There are" if near else "there are"
    return f"{shown(name)} is not a {kind} of {where}; {hint} {', '.join(choices) or 'none'}."


def read(parameter: Parameter, value: Any, values: Values | None = None) -> Any:
    """`value` (from YAML or the command line) as the parameter's type and within its rule, as
    pydantic finds.

    A rule may speak of other parameters, which `values` holds. Raises ParameterError with the
    value, the rule and the nearest valid choice.

    >>> read(Parameter("steps", "int", 100, ""), "1e4")
    10000
    >>> read(Parameter("square", "int", 45, "", "[0, p - 2]"), 97, {"p": 97})
    Traceback (most recent call last):
    grokbook.errors.ParameterError: square = 97 must lie in [0, p - 2];
     the nearest allowed value is 95.
    """
    kind = _KINDS.get(parameter.type)
    if kind is None:
        raise ChapterError(
            f"the type {parameter.type!r} of {parameter.name!r} is none that grokbook can read."
        )
    plain = value
    if isinstance(value, str) and parameter.type != "str":
        plain = _written(value.strip())
    why = _REFUSALS[parameter.type]
    readable = not isinstance(value, str) or (value.isprintable() and len(value) <= LONGEST_TEXT)
    if not readable or (isinstance(plain, bool) and parameter.type != "bool"):  # True is no number
        raise ParameterError(f"{parameter.name} = {shown(value)} {why}")
    try:
        converted = kind.validate_python(plain)
    except ValidationError as error:
        if error.errors()[0]["type"] == "int_from_float":
            below = math.floor(plain)
            why = f"is not a whole number; the nearest are {below} and {below + 1}."
        raise ParameterError(f"{parameter.name} = {shown(plain)} {why}") from None
    for clause in parameter.rule.split(" and ") if parameter.rule else ():
        if broken := _broken(parameter, clause, converted, values or {}):
            raise ParameterError(f"{parameter.name} = {shown(plain)} {broken}")
    return converted


def _written(text: str) -> Any:
    """The literal that a text of the command line writes, such as 1e4; else the text."""
    try:
        return ast.literal_eval(text)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return text


# -------------------------------------------------------------------------------------------- rules


def _broken(parameter: Parameter, clause: str, value: Any, values: Values) -> str | None:
    """Why a value breaks a clause of the rule, with the nearest valid choice; None where it does
    not."""
    if clause == "prime":
        return _not_prime(value)
    if clause == "odd":
        return None if value % 2 else f"is not odd; the nearest are {value - 1} and {value + 1}."
    if _ONE_OF.fullmatch(clause):
        return not_one_of(str(value), choices(parameter))
    if multiple := re.fullmatch(r"multiple of (\d+)", clause):
        return _not_multiple(value, int(multiple[1]))
    bounds = _bounds(clause)
    if not bounds:
        raise ChapterError(
            f"the rule {clause!r} of parameter {parameter.name!r} is none that grokbook knows."
        )
    must = "must lie in" if len(bounds) == 2 else "must be"
    for sign, text in bounds.items():
        limit = _number(text, values)
        if not _SIGNS[sign](value, limit):
            near = f"for example {parameter.default!r}, its default"
            if "=" in sign:
                near = f"the nearest allowed value is {limit}"
            return f"{must} {clause}; {near}."
    return None


def _not_prime(value: int) -> str | None:
    # without sympy, which takes most of a second to import: values are small
    if value > 1 and all(value % divisor for divisor in range(2, math.isqrt(value) + 1)):
        return None
    near = nearest_primes(value)
    which = "prime is" if len(near) == 1 else "primes are"
    return f"is not prime; the nearest {which} {' and '.join(map(str, near))}."


def _bounds(clause: str) -> dict[str, str]:
    """The bounds of a clause as written, by their sign: `[0, p - 2]`, `>= 5`; none of one that says
    something else."""
    interval = re.fullmatch(r"([(\[])(.+),(.+)([)\]])", clause)
    if interval:
        low = ">=" if interval[1] == "[" else ">"
        high = "<=" if interval[4] == "]" else "<"
        return {low: interval[2], high: interval[3]}
    bound = re.fullmatch(r"(>=|<=|>|<)(.+)", clause)
    return {bound[1]: bound[2]} if bound else {}


def choices(parameter: Parameter) -> list[str]:
    """The values that a rule lists, `one of a, b`; none where it lists none."""
    for clause in (parameter.rule or "").split(" and "):
        if found := _ONE_OF.fullmatch(clause):
            return re.split(", *", found[1])
    return []


def not_one_of(value: str, known: Sequence[str], where: str = "") -> str | None:
    """Why a text is none of those that are known, with the most alike; None where it is. `where`
    names a long list.

    >>> not_one_of("decay-doubled", ["decay-double", "free"])
    "is not one of decay-double, free; did you mean 'decay-double'?"
    """
    if value in known:
        return None
    refusal = f"is not one of {where or ', '.join(known)}"
    near = nearest(value, known)
    return f"{refusal}; did you mean {near!r}?" if near else f"{refusal}."


def _number(text: str, values: Values) -> float:
    """What a bound writes: `2`, `1e-3`, the name of another parameter, or `p - 2`."""
    name, _, less = text.strip().partition(" - ")
    number = values[name] - int(less or 0) if name in values else float(name)
    return int(number) if number == int(number) else number


def _not_multiple(value: int, step: int) -> str | None:
    if value % step == 0:
        return None
    low = value // step * step
    near = f"the nearest are {low} and {low + step}" if low > 0 else f"the nearest is {step}"
    return f"is not a multiple of {step}; {near}."
