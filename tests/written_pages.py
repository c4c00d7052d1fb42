"""What tests ask of a page as it is written: the names that its prose uses, its functions."""

import ast
import re
from collections.abc import Callable
from pathlib import Path

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
    text = path.read_text("utf-8")
    if figures.is_file():
        text += figures.read_text("utf-8")
    truths: set[str] = set()
    for block, half in re.findall(r"\{when\}(?: +([^\n]+)|`+([^;`]+);)", text):
        truths |= set(when.names(block or half))
    return truths | set(re.findall(r"\{glue:text\}`([^`:]+)", text))


def functions(chapter: str, *names: str) -> list[Callable]:
    """Functions that a page defines in sight, one using another; they may use what the page
    imports."""
    scope: dict = {}
    for cell in load(source(chapter)).notebook().cells:
        if cell.cell_type != "code":
            continue
        wanted = ast.Import | ast.ImportFrom | ast.FunctionDef
        tree = ast.parse(cell.source)
        tree.body = [node for node in tree.body if isinstance(node, wanted)]
        exec(compile(tree, f"page {chapter}", "exec"), scope)
    return [scope[name] for name in names]
