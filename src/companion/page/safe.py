"""Text from data (a record, a parameter, a reader) as Markdown: it renders as its own characters
and does nothing.

In HTML the standard library's `html.escape` does the same.
"""

from __future__ import annotations

import re

from grokbook.errors import line


def counted(number: int, name: str) -> str:
    """A number of things, one or several.

    >>> counted(1, "seed"), counted(12_000, "run"), counted(0, "cell")
    ('1 seed', '12,000 runs', '0 cells')
    """
    return f"{number:,} {name}{'' if number == 1 else 's'}"


def words(value: object) -> str:
    r"""The text of a value as Markdown in which nothing begins: no markup, mathematics, role, HTML,
    block.

    >>> print(words("a {ref}`b` <i> | $x$"), words("- item"), words("3.11"))
    a \{ref\}\`b\` \<i\> \| \$x\$ \- item 3.11
    """
    inert = re.sub(r"[\\`*_{}\[\]<>$|~^&#!]", r"\\\g<0>", line(value))
    return re.sub(r"^(\d+(?=[.)](?: |$))|(?=[-+=:%(]))", r"\1\\", inert)


def code(value: object) -> str:
    """The text of a value as inline code, whatever backticks it holds.

    >>> print(code("p = 97"), code("a`b"))
    `p = 97` `` a`b ``
    """
    text = line(value) or " "
    fence = "`" * (_longest_run(text) + 1)
    return f"{fence} {text} {fence}" if len(fence) > 1 else f"`{text}`"


def fenced(text: str, language: str) -> str:
    """Lines as a block of code that no line of theirs can end.

    >>> print(fenced("x = 1", "python"))
    ```python
    x = 1
    ```
    """
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _longest_run(text: str) -> int:
    """The largest number of backticks in a row."""
    return max(map(len, re.findall("`+", text)), default=0)
