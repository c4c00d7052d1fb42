"""The fenced blocks of a Markdown text: code and directives."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

_DIRECTIVE = re.compile(r"\{(?P<name>[\w:-]+)\} *(?P<title>.*)")
_OPTION = re.compile(r":([\w-]+):(?: +(.*))?\n?")


@dataclass(frozen=True)
class Block:
    """A fenced block of Markdown: its name, title and options where it is a directive, what stands
    in it, and all of it as it is written."""

    name: str
    title: str
    options: Mapping[str, str]
    body: str
    source: str


@cache
def _parser() -> Any:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.colon_fence import colon_fence_plugin

    return MarkdownIt("commonmark").use(colon_fence_plugin).disable("inline", True)


def blocks(source: str) -> Iterator[str | Block]:
    """The prose of a source and its fenced blocks, in order; joined they are the source.

    Example:
        >>> prose, tip = blocks("Before.\\n:::{tip}\\nDo.\\n:::\\n")
        >>> prose, tip.name, tip.body
        ('Before.\\n', 'tip', 'Do.')
    """
    lines = source.splitlines(keepends=True)
    end = 0
    for token in _parser().parse(source):
        if token.type not in ("fence", "colon_fence"):
            continue
        first, last = token.map
        if end < first:
            yield "".join(lines[end:first])
        yield _block(token.info.strip(), token.content, "".join(lines[first:last]))
        end = last
    if end < len(lines):
        yield "".join(lines[end:])


def _block(info: str, content: str, source: str) -> Block:
    directive = _DIRECTIVE.fullmatch(info)
    if directive is None:
        return Block("", "", {}, content, source)
    options = {}
    while option := _OPTION.match(content):
        options[option[1]] = option[2] or ""
        content = content[option.end() :]
    return Block(
        directive["name"], directive["title"].strip(), options, content.strip("\n"), source
    )
