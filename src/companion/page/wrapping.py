"""Python code wrapped to the width of a page: other line breaks, the same program."""

from __future__ import annotations

import ast
import io
import re
import textwrap
import tokenize
from collections.abc import Iterator

from companion.python_source import parsed

COLUMNS = 78
"""Columns that code on a page has."""

_BEFORE = {
    "for": 1,
    "if": 1,
    "else": 1,
    "and": 2,
    "or": 2,
    "&": 3,
    "|": 3,
    "+": 3,
    "-": 3,
    "*": 4,
    "/": 4,
    "@": 4,
}
_TEXT = re.compile(r"(?P<before>[^\"]*?)(?P<f>f?)\"(?P<text>[^\"]*)\"(?P<after>[^\"]*)")
_VALUE = re.compile(r"( *(?:return |[\w., ]+ = ))([^#]*[^#({\[,])")
_ENDS = (tokenize.NAME, tokenize.NUMBER, tokenize.STRING, getattr(tokenize, "FSTRING_END", -1))
_CODE = (*_ENDS, tokenize.OP, getattr(tokenize, "FSTRING_START", -1))


def wrapped(code: str, columns: int = COLUMNS) -> str:
    """The code with lines of at most `columns` where brackets allow it; the same code when the
    program would change.

    A line is broken after a comma, or before an operator or a word such as `for`, at the outermost
    bracket possible.

    >>> print(wrapped("total = add(first_number, second_number)", 30))
    total = add(first_number,
                second_number)
    """
    lines, number = code.splitlines(), 0
    while number < len(lines):
        if len(lines[number]) > columns and (parts := _broken(lines, number, columns)):
            lines[number : number + 1] = parts
            number += not parts[0].lstrip().startswith("#") and len(parts[0]) <= columns
        else:
            number += 1
    made = "\n".join(lines)
    return made if _same(made, code) else code


def _same(made: str, code: str) -> bool:
    try:
        return ast.dump(parsed(textwrap.dedent(made))) == ast.dump(parsed(textwrap.dedent(code)))
    except SyntaxError:
        return False


def _broken(lines: list[str], number: int, columns: int) -> list[str] | None:
    """The line in two, or its comment above it; None where there is no place to break it."""
    line = lines[number]
    indent = len(line) - len(line.lstrip())
    tokens = list(_tokens("\n".join(lines)))
    comment = next(
        (t for t in tokens if t.start[0] == number + 1 and t.type == tokenize.COMMENT), None
    )
    if comment and comment.start[1] > indent:
        return [" " * indent + comment.string, line[: comment.start[1]].rstrip()]
    places = [
        place for place in _places(tokens, number + 1, indent) if indent < place[2] <= columns
    ]
    parts = []
    for _, _, column, hang in sorted(places, key=lambda place: (place[0], place[1], -place[2])):
        hang = hang if hang <= columns // 2 + indent else indent + 4
        parts.append([line[:column].rstrip(), " " * hang + line[column:].lstrip()])
    whole = next((part for part in parts if len(part[1]) <= columns), None)
    return (
        whole
        or (not parts and _text_broken(line, columns))
        or _in_brackets(line, indent)
        or next(iter(parts), None)
    )


def _text_broken(line: str, columns: int) -> list[str] | None:
    """A line with one text, which is continued on the next line; outside the braces of a formatted
    text."""
    found = _TEXT.fullmatch(line)
    if not found:
        return None
    start = found.start("text")
    spaces = (m.end() for m in re.finditer(" ", line[: columns - 1]) if m.end() > start)
    at = max(
        (end for end in spaces if line.count("{", start, end) == line.count("}", start, end)),
        default=0,
    )
    quote = len(found["before"])
    return (
        [line[:at] + '"', " " * quote + found["f"] + '"' + line[at:]]
        if at and at < found.end("text")
        else None
    )


def _in_brackets(line: str, indent: int) -> list[str] | None:
    """A value that stands in brackets on lines of its own."""
    found = _VALUE.fullmatch(line)
    balanced = found and all(found[2].count(a) == found[2].count(b) for a, b in ("()", "[]", "{}"))
    return (
        [found[1] + "(", " " * (indent + 4) + found[2], " " * indent + ")"]
        if found and balanced
        else None
    )


def _tokens(code: str) -> Iterator[tokenize.TokenInfo]:
    try:
        yield from tokenize.generate_tokens(io.StringIO(code).readline)
    except (tokenize.TokenError, IndentationError):
        return


def _places(
    tokens: list[tokenize.TokenInfo], number: int, indent: int
) -> Iterator[tuple[int, int, int, int]]:
    """Where line `number` may be broken: depth of brackets, rank, column of the break, column of
    the next line."""
    opened: list[
        tuple[int, bool]
    ] = []  # column of what follows the bracket, and whether it is an index
    before, target = None, False
    for token in tokens:
        here = token.start[0] == number
        if (
            here
            and opened
            and token.string in _BEFORE
            and before
            and before.type in _ENDS + (tokenize.OP,)
        ):
            binary = before.type in _ENDS or before.string in ")]}"
            if binary and (token.type != tokenize.NAME or before.string not in _BEFORE):
                yield len(opened), _BEFORE[token.string], token.start[1], opened[-1][0]
        target = token.string != "in" and (target or token.string == "for")
        if token.type == tokenize.OP and token.string in "([{":
            index = token.string == "[" and before is not None and before.type == tokenize.NAME
            opened.append((token.end[1] if here else indent, index))
        elif token.type == tokenize.OP and token.string in ")]}":
            opened.pop()
        elif here and opened and token.string == "," and not target:
            yield len(opened), 5 * opened[-1][1], token.end[1], opened[-1][0]
        before = token if token.type in _CODE else before
