"""What a mutation is: every small change of a module's text that a mutation run may make, found in its syntax tree."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

COMPARED = {
    ast.Lt: "<= >", ast.LtE: "< >", ast.Gt: ">= <", ast.GtE: "> <", ast.Eq: "!=", ast.NotEq: "==",
    ast.In: "not in", ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is",
}  # fmt: skip
COMPUTED = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.Pow: "*", ast.FloorDiv: "/", ast.Mod: "*",
    ast.BitAnd: "|", ast.BitOr: "&", ast.MatMult: "*",
}  # fmt: skip
CALLED = {
    "any": "all", "all": "any", "min": "max", "max": "min", "argmin": "argmax", "argmax": "argmin", "amin": "amax",
    "amax": "amin", "sum": "mean", "mean": "median", "median": "mean", "minimum": "maximum", "maximum": "minimum",
    "nanmin": "nanmax", "nanmax": "nanmin", "sin": "cos", "cos": "sin", "floor": "ceil", "ceil": "floor",
}  # fmt: skip
DROPPED = {"conj", "conjugate", "abs", "sorted", "sqrt"}
GUARDED = re.compile(r"[Ll]ock\b|fsync|sha256|censor|\bseeds?\b")
"""What must never change unseen: locks, fsync, checksums, censoring, seeds."""


@dataclass(frozen=True)
class Change:
    """One change: in `module` (path below the package), function `where` ("" at its top), of `kind`, at `line`.

    `name` is what stays the same when lines move: module, function, old and new text, and which of several alike.
    """

    module: str
    where: str
    kind: str
    line: int
    start: int
    end: int
    old: str
    new: str
    whole: str
    nth: int = 0

    @property
    def name(self) -> str:
        told = f"{self.module} {self.where}: {' '.join(self.whole.split())[:90]} | {self.old[:60]} -> {self.new[:60]}"
        return " ".join(told.split()) + (f" ({self.nth})" if self.nth else "")

    @property
    def guard(self) -> bool:
        """Whether it takes a lock, an fsync, a checksum, censoring or a seed away."""
        told = self.kind in ("lock", "seed", "call removed", "comparison", "mask inverted", "filter off", "condition")
        return told and bool(GUARDED.search(self.old))

    def applied(self, text: str) -> str:
        """The module's text with this change."""
        content = text.encode()
        return (content[: self.start] + self.new.encode() + content[self.end :]).decode()


def changes(module: str, text: str) -> list[Change]:
    """Every change of a module, in the order of its text; docstrings, types, messages and patterns are left alone."""
    content, lines = text.encode(), [0]
    for line in content.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    found, seen = [], {}

    def visit(node: ast.AST, where: str, whole: ast.AST, inside: str) -> None:
        if isinstance(node, ast.stmt) and not isinstance(node, ast.FunctionDef | ast.ClassDef):
            whole = node
        for target, kind, new in _of(node, inside):
            start, end = (lines[r - 1] + c for r, c in _span(target))
            old = content[start:end].decode()
            told = ast.unparse(whole) if isinstance(whole, ast.stmt) else old
            found.append(Change(module, where, kind, target.lineno, start, end, old, new, told.split("\n")[0]))
        for name, value in ast.iter_fields(node):
            for child in value if isinstance(value, list) else [value]:
                if not isinstance(child, ast.AST) or _left_alone(node, name, child):
                    continue
                deeper = isinstance(child, ast.FunctionDef | ast.ClassDef) and "(" not in where
                called = f"{where}.{child.name}".lstrip(".") if deeper else where
                if isinstance(child, ast.FunctionDef) and deeper:
                    called += "()"
                here = {"slice": "index"}.get(name, inside if not isinstance(node, ast.stmt) else "")
                visit(child, called, whole if not deeper else child, here)

    visit(ast.parse(text), "", ast.Pass(), "")
    numbered = []
    for change in found:
        seen[change.name] = seen.get(change.name, -1) + 1
        numbered.append(Change(**{**change.__dict__, "nth": seen[change.name]}))
    return numbered


def _span(node: ast.AST) -> tuple[tuple[int, int], tuple[int, int]]:
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)


def _left_alone(parent: ast.AST, field: str, child: ast.AST) -> bool:
    """Types, messages, texts, patterns, imports, `__all__` and docstrings: nothing there changes a number."""
    if field in ("annotation", "returns", "pattern", "ops"):
        return True
    if isinstance(child, ast.JoinedStr | ast.Raise | ast.Assert):
        return True
    if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
        return True
    if isinstance(child, ast.If) and re.search("TYPE_CHECKING|__main__", ast.unparse(child.test)):
        return True
    return isinstance(child, ast.Call) and re.search(r"Error$|^warnings|^print$", ast.unparse(child.func)) is not None


def _of(node: ast.AST, inside: str) -> Iterator[tuple[ast.AST, str, str]]:
    """The changes of one node: what is replaced, the kind, and by which text."""
    text = ast.unparse
    match node:
        case ast.Compare(left, [op], [right]):
            for other in re.findall("not in|is not|\\S+", COMPARED[type(op)]):
                yield node, "comparison", f"({text(left)} {other} {text(right)})"
        case ast.BoolOp(op, values):
            other = " or " if isinstance(op, ast.And) else " and "
            yield node, "boolean", f"({other.join(f'({text(value)})' for value in values)})"
        case ast.BinOp(left, op, right) if type(op) in COMPUTED and not _words(left, right):
            yield node, "sign", f"(({text(left)}) {COMPUTED[type(op)]} ({text(right)}))"
        case ast.UnaryOp(ast.USub(), operand) if not isinstance(operand, ast.Constant) or not inside:
            yield node, "sign", f"({text(operand)})"
        case ast.UnaryOp(ast.Invert() | ast.Not(), operand):
            yield node, "mask inverted", f"({text(operand)})"
        case ast.Constant(bool() as value):
            yield node, "constant", str(not value)
        case ast.Constant(int() as value):
            yield node, inside or "constant", str(value + 1)
        case ast.Constant(float() as value) if value == value and abs(value) < 1e300:
            yield node, "constant", repr(value * 1.1 if value else 0.1)
        case ast.IfExp(test, body, orelse):
            yield node, "condition", f"(({text(orelse)}) if {text(test)} else ({text(body)}))"
        case ast.If(test):
            yield test, "condition", f"(not ({text(test)}))"
        case ast.comprehension(ifs=[test, *_]):
            yield test, "filter off", "True"
        case ast.Expr(ast.Call() as call):
            yield call, "call removed", "None"
        case ast.With(items=[item, *_]) if re.search("[Ll]ock", text(item.context_expr)):
            yield item.context_expr, "lock", "__import__('contextlib').nullcontext()"
        case ast.Continue() | ast.Break():
            yield node, "call removed", "pass"
    if isinstance(node, ast.Call):
        yield from _of_call(node)


def _of_call(node: ast.Call) -> Iterator[tuple[ast.AST, str, str]]:
    text, name = ast.unparse, getattr(node.func, "attr", getattr(node.func, "id", ""))
    if name in CALLED and not (name in ("min", "max") and "key" in text(node)):
        func = text(node.func)
        yield node.func, "min, max, any, all, mean", func[: -len(name)] + CALLED[name]
    if name in DROPPED and (node.args or isinstance(node.func, ast.Attribute)):
        module = isinstance(node.func, ast.Name) or text(node.func.value) in ("np", "torch", "math", "sp")
        yield node, "function dropped", f"({text(node.args[0] if module and node.args else node.func.value)})"
    if name == "where" and len(node.args) == 3:
        test, yes, no = map(text, node.args)
        yield node, "mask inverted", f"{text(node.func)}({test}, {no}, {yes})"
    for argument in (*node.args, *(k.value for k in node.keywords)):
        if isinstance(argument, ast.Name | ast.Attribute) and text(argument).split(".")[-1] == "seed":
            yield argument, "seed", "0"
    for keyword in node.keywords:
        match keyword.value:
            case ast.Constant(int() as axis) if keyword.arg in ("axis", "dim"):
                yield keyword.value, "axis", str(int(not axis))
            case ast.UnaryOp(ast.USub(), ast.Constant(1)) if keyword.arg in ("axis", "dim"):
                yield keyword.value, "axis", "0"
        if keyword.arg:
            kept = ast.Call(node.func, node.args, [k for k in node.keywords if k is not keyword])
            yield node, "keyword dropped", text(kept)


def _words(*sides: ast.AST) -> bool:
    """Whether a side of `+` or `%` is a text, a list or a type."""
    literal = ast.JoinedStr | ast.List | ast.Tuple | ast.Dict | ast.Set | ast.ListComp
    return any(
        isinstance(s, literal) or isinstance(s, ast.Constant) and not isinstance(s.value, int | float | complex)
        for s in sides
    )
