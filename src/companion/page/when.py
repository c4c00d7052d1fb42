"""Conditions of sentences: truths that cells publish, boolean expressions over their names, parsed
and never run."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from grokbook.errors import ParameterError
from grokbook.logic import all_of, any_of

KEY = "when-"
"""What stands before a condition's name in the key under which it is glued."""

HALF = re.compile(r"\{when\}(`+)([^;`]*);\s*(.*?)(?<!`)\1(?!`)", re.DOTALL)
"""A conditional half sentence in prose; its groups are the marks around it, the condition and the
words."""

BLOCK = re.compile(r"^(:{3,})\{when\} *([^\n]+)\n(.*?)^\1 *$", re.DOTALL | re.MULTILINE)
"""Conditional paragraphs in prose; its groups are as those of `HALF`."""

_ALLOWED = ast.BoolOp | ast.And | ast.Or | ast.UnaryOp | ast.Not | ast.Name | ast.Load
"""What a condition is made of."""

Known = Mapping[str, tuple[bool | None, str]]
"""By name whether a condition holds (None: not known), and the numbers that decided as short text
("" for none)."""


def glued(truth: bool | None, said: str) -> str:
    """What is glued of a condition; `read` takes it back."""
    return json.dumps([truth, said], ensure_ascii=False)


def read(values: Mapping[str, Any]) -> dict[str, tuple[bool | None, str]]:
    """The conditions among the glued values of a page, by name."""
    found = {}
    for key, value in values.items():
        if key.startswith(KEY):
            truth, numbers = json.loads(value)
            found[key.removeprefix(KEY)] = (truth, numbers)
    return found


def names(expression: str) -> list[str]:
    """The names in a condition such as `fits and not (slow or late)`, in order, each once.

    Raises ParameterError for anything but names, `and`, `or`, `not` and brackets.
    """
    _parsed(expression)
    words = re.findall(r"\w+", expression)
    return [word for word in dict.fromkeys(words) if word not in ("and", "or", "not")]


def holds(expression: str, known: Known) -> bool | None:
    """Whether a condition holds; None where that hangs on something that is not known.

    Raises ParameterError as `names` does, and for a name that is not among the known ones, which it
    lists.

    >>> holds("fits and not late", {"fits": (True, ""), "late": (None, "")}) is None
    True
    """
    if unknown := [name for name in names(expression) if name not in known]:
        hint = f"the page has {', '.join(sorted(known))}"
        if not known:
            hint = "no cell of the page publishes it"
        raise ParameterError(
            f"the condition {expression!r} names {', '.join(unknown)}, which is not known; {hint}."
        )
    return _truth(_parsed(expression), known)


def deciding(expression: str, known: Known) -> str:
    """The numbers given with the conditions of an expression, joined."""
    return "; ".join(filter(None, (known[name][1] for name in names(expression))))


def instead(condition: str, known: Known, words: str) -> str:
    """What stands in place of words whose condition does not hold; nothing where it does.

    They are repeated, so that a reader sees what it is that no longer holds.

    Raises ParameterError as `holds` does.

    >>> instead("late", {"late": (False, "step 90")}, "It waits.")
    'Does not hold here (step 90): It waits.'
    """
    truth = holds(condition, known)
    numbers = deciding(condition, known)
    if truth:
        return ""
    decided = f" ({numbers})" if numbers else ""
    if truth is None:
        return f"Not known here{decided}: what would decide it is missing."
    return f"Does not hold here{decided}: {words}"


def replaced(source: str, words: Callable[[str, str], str]) -> str:
    """Markdown with what `words` gives in place of each conditional text, from its condition and
    its own words."""

    def chosen(match: re.Match[str]) -> str:
        return words(match[2].strip(), match[3])

    return HALF.sub(chosen, BLOCK.sub(chosen, source))


def kept(source: str, known: Known) -> str:
    """The Markdown of a page as it is read: without the words whose condition does not hold.

    Words on which a name decides that is not known here are kept.

    >>> kept(
    ...     "It is {when}`late; late`.{when}`soon; So soon!`",
    ...     {"late": (True, ""), "soon": (False, "")},
    ... )
    'It is late.'
    """

    def chosen(condition: str, words: str) -> str:
        hidden = known.keys() >= set(names(condition)) and not holds(condition, known)
        return "" if hidden else words

    return replaced(source, chosen)


def _parsed(expression: str) -> ast.expr:
    try:
        tree = ast.parse(" ".join(expression.split()), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        tree = None
    if tree is None or not all(isinstance(node, _ALLOWED) for node in ast.walk(tree)):
        raise ParameterError(
            f"the condition {expression!r} must be names joined by and, or, not and brackets."
        )
    return tree


def _truth(node: Any, known: Known) -> bool | None:
    """Kleene's logic: what is not known decides nothing, and what decides needs nothing else."""
    if isinstance(node, ast.Name):
        return known[node.id][0]
    if isinstance(node, ast.UnaryOp):
        inner = _truth(node.operand, known)
        return None if inner is None else not inner
    joined = any_of if isinstance(node.op, ast.Or) else all_of
    return joined(_truth(part, known) for part in node.values)
