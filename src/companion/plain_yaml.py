"""YAML that somebody else wrote, read as data that are no larger than their text."""

from __future__ import annotations

import re
import textwrap
from typing import Any

import yaml

from grokbook.errors import ParameterError


class _NoAliases:
    """A loader that refuses `*name`: nine of them in each of nine lists are 9^9 items to whoever
    copies, prints or compares what was read."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        loader: Any = self
        if loader.check_event(yaml.AliasEvent):
            event = loader.peek_event()
            where = f"*{event.anchor} in line {event.start_mark.line + 1}"
            raise ParameterError(f"YAML here has no aliases ({where}); write the value out.")
        return super().compose_node(parent, index)  # type: ignore[misc]


class _Data(_NoAliases, yaml.SafeLoader):
    """Numbers, texts, dates, lists and tables."""


def data(text: str) -> Any:
    """What a text says, with scalars of their types.

    Raises ParameterError for what is no YAML, is nested too deeply, or has an alias.

    >>> data("p: 7\\nsteps: [20, 30]")
    {'p': 7, 'steps': [20, 30]}
    """
    try:
        return yaml.load(text, _Data)
    except ParameterError:
        raise
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f" (line {mark.line + 1})" if mark else ""
        raise ParameterError(f"it is not YAML, or was written only in part{where}.") from None


def check_notebook(source: str) -> None:
    """Refuse a source of a notebook where its front matter, or what stands above the code of a
    cell, is none of what `data` reads: jupytext reads both with aliases, and copies them.

    Raises ParameterError.
    """
    from jupytext.myst import get_parser

    for token in get_parser().parse(source):
        if token.type == "front_matter":
            data(token.content)
        elif token.type == "fence" and re.match(r"\{(code|raw)-cell\}", token.info):
            data(_options(token.content))


def _options(cell: str) -> str:
    """The options of a cell as YAML: between two lines of dashes, or lines that begin with a
    colon."""
    first, _, rest = cell.partition("\n")
    if first.startswith("---"):
        return textwrap.dedent(re.split(r"^-{3,}", rest, maxsplit=1, flags=re.MULTILINE)[0])
    head = re.match(r"(\s*:.*(\n|$))*", cell)
    return re.sub(r"^\s*:", "", head[0], flags=re.MULTILINE) if head else ""
