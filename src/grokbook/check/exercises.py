"""The code of a chapter's exercises, run as a reader would: below the last cell, each exercise for itself.

`grokbook build --strict` executes them with the chapter and leaves them off its page.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

from grokbook.errors import ChapterError
from grokbook.exercises import form
from grokbook.fingerprint import parsed

KEY = "grokbook_added"
"""What marks a cell that a build adds and no page shows, in its metadata, with its name in messages."""

@dataclass
class Exercise:
    """The code that stands in an exercise and its solution, in order, and the inline code of its check."""

    label: str
    blocks: list[str] = field(default_factory=list)
    checks: list[str] = field(default_factory=list)


def read(source: str) -> dict[str, Exercise]:
    """The exercises of a chapter's source by label, those of their solutions' code with them."""
    found: dict[str, Exercise] = {}
    for _, kind, named, body in form.DIRECTIVE.findall(source):
        label = re.search(r"^:label: *(\S+)", body, re.MULTILINE) if kind == "exercise" else None
        one = found.setdefault(label[1] if label else named.strip(), Exercise(label[1] if label else named.strip()))
        for part, code in _code(re.sub(r"^:\w+:.*\n", "", body, flags=re.MULTILINE)):
            getattr(one, part).append(code)
    return found


def _code(body: str) -> Iterator[tuple[str, str]]:
    """The blocks of Python in a text, and the inline code of the paragraphs that begin with **Check**."""
    from markdown_it import MarkdownIt

    for token in MarkdownIt().parse(body):
        if token.type == "code_block" or (token.type == "fence" and token.info.strip() in ("", "python")):
            yield "blocks", token.content
        elif token.type == "inline" and token.content.startswith("**Check"):
            yield from (("checks", child.content) for child in token.children or () if child.type == "code_inline")


def cells(source: str) -> list[Any]:
    """The code cell that tries every exercise that has code, below the last cell; none where there is none.

    An exercise with a check that gives reasons needs no page; the tests run it.
    """
    from nbformat.v4 import new_code_cell

    old = read(source).keys() - {one.label for one in form.read(source)}
    given = {one.label: (one.blocks, one.checks) for one in read(source).values() if one.label in old}
    given = {label: code for label, code in given.items() if any(code)}
    made = f"from grokbook.check import exercises\nexercises.attempt({given!r}, globals())"
    return [new_code_cell(made, metadata={KEY: "exercises"})] if given else []


def attempt(given: Mapping[str, tuple[list[str], list[str]]], namespace: Mapping[str, Any]) -> None:
    """Run the blocks of each exercise in its own copy of the page's names, then every check that can be run.

    A check is run where all its names are there; where the reader is to choose one, the functions that it calls must
    be. Words that are no call (`fit_step`) are none. What other pages were given is not asked for.

    Raises ChapterError with the error of each exercise that fails.
    """
    failed = []
    with mock.patch.dict(os.environ):
        os.environ.pop("GROKBOOK_FINDINGS", None)
        for label, (blocks, checks) in given.items():
            names = dict(namespace)
            try:
                for block in blocks:
                    exec(compile(block, f"<{label}>", "exec"), names)
                for check in sorted(checks, key=lambda text: not text.startswith(("from ", "import "))):
                    _check(check, names)
            except Exception as error:
                failed.append(f"{label}: {type(error).__name__}: {error}")
    if failed:
        raise ChapterError("; ".join(failed))


def _check(text: str, names: dict[str, Any]) -> None:
    try:
        tree = parsed(text.strip())
    except SyntaxError:
        return
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    loaded = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    stored = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    missing = {name for name in loaded - stored if name not in names and not hasattr(builtins, name)}
    if re.fullmatch(r"grokbook(\.\w+)+", text):
        importlib.import_module(text)
    elif isinstance(tree.body[0], ast.Import | ast.ImportFrom) or (calls and not missing):
        exec(compile(tree, "<check>", "exec"), names)
    elif unknown := missing & {ast.unparse(call).partition(".")[0] for call in calls}:
        raise NameError(f"the check `{text}` calls {min(unknown)}, which is not defined on the page")
