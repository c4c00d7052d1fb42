"""What tests ask of a page as it is written: the names that its prose uses, its functions."""

import ast
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

from companion.page import when
from companion.page.sources import load
from project_tree import PACKAGE, ROOT


def source(chapter: str) -> Path:
    """The notebook of a chapter by its number."""
    (path,) = (ROOT / "notebooks").glob(f"{chapter}_*.md")
    return path


def names_used(chapter: str) -> set[str]:
    """The numbers, texts and truths that prose and captions of a page ask for."""
    path = source(chapter)
    topic = path.stem.partition("_")[2]
    figures = PACKAGE / "grokbook_chapters" / topic / "figures.py"
    text = path.read_text("utf-8") + figures.read_text("utf-8")
    truths: set[str] = set()
    for block, half in re.findall(r"\{when\}(?: +([^\n]+)|`+([^;`]+);)", text):
        truths |= set(when.names(block or half))
    return truths | set(re.findall(r"\{glue:text\}`([^`:]+)", text))


def function(chapter: str, name: str) -> Callable:
    """A function that a page defines in sight; it may use numpy as `np`."""
    cells = [cell.source for cell in load(source(chapter)).notebook().cells]
    (written,) = [cell for cell in cells if f"def {name}(" in cell]
    tree = ast.parse(written)
    tree.body = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    scope = {"np": np}
    exec(compile(tree, f"page {chapter}", "exec"), scope)
    return scope[name]
