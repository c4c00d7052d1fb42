"""Show the installed code of a function on a page: what is printed is what ran."""

from __future__ import annotations

import ast
import inspect
import textwrap
from typing import Any

from companion.page import say
from companion.page.safe import fenced
from companion.python_source import parsed
from grokbook.errors import ParameterError


def source(function: Any, lines: int = 20) -> None:
    """Show the code of an installed function or class, without its docstring, and where it lives.

    Raises ParameterError when it is longer than `lines`: then it belongs in two functions.
    """
    say(markdown(function, lines))


def markdown(function: Any, lines: int = 20) -> str:
    """The Markdown of `source`: a line that names the function and its module, then the code.

    >>> from companion.page.parameters import same
    >>> print(markdown(same).splitlines()[0])
    `same`, from the installed module `companion.page.parameters`:
    """
    code = without_docstring(function)
    count = sum(1 for line in code.splitlines() if line.strip())
    name = getattr(function, "__qualname__", repr(function))
    if count > lines:
        raise ParameterError(f"the code of {name} has {count} lines; a page shows at most {lines}.")
    return (
        f"`{name}`, from the installed module `{function.__module__}`:\n\n{fenced(code, 'python')}"
    )


def without_docstring(function: Any) -> str:
    """The source of a function or class, its indentation and docstring removed, comments kept."""
    target = inspect.unwrap(function)
    try:
        text = textwrap.dedent(inspect.getsource(target))
    except (OSError, TypeError) as error:
        raise ParameterError(f"the source of {function!r} cannot be read ({error}).") from None
    lines = text.rstrip().splitlines()
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    documented: list[Any] = [
        n for n in ast.walk(parsed(text)) if isinstance(n, kinds) and ast.get_docstring(n)
    ]
    for node in sorted(documented, key=lambda n: -n.lineno):
        first = node.body[0]
        end = first.end_lineno
        while end < len(lines) and not lines[end].strip():
            end += 1
        lines[first.lineno - 1 : end] = (
            [] if len(node.body) > 1 else [" " * first.col_offset + "..."]
        )
    return "\n".join(lines)
