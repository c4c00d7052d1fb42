"""`grokbook new companion`: a folder with all that a companion to another paper needs, built by this machine.

What is written lies in `companion/` beside this module, files that end in `.in`: `@WORD@` in them, and `NAME` in a
path, is filled in.
"""

from __future__ import annotations

import importlib.util
import keyword
import re
from datetime import date
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="Begin something of your own.", no_args_is_help=True)

TEMPLATE = Path(__file__).with_name("companion")


@app.callback()
def _several() -> None:
    """Begin something of your own."""


@app.command()
def companion(
    folder: Annotated[Path, typer.Argument(help="A new folder, or an empty one; its name is the package's.")],
    paper: Annotated[str, typer.Option(help="How the paper is cited, such as 'Liu et al. 2023'.")] = "Author 2026",
) -> None:
    """Write a companion for a paper: a notebook, its runs and claim, a test, CI; `grokbook build` makes its site."""
    written(folder, paper)
    print(f"companion  {folder}\nnext       cd {folder} && grokbook build")


def written(folder: Path, paper: str) -> None:
    """Write the files of a companion into a new folder; whatever goes wrong, nothing of it is left.

    Raises ParameterError for a folder that is not empty, or whose name is no new module's, and for a paper without a
    name; RecordError where the folder cannot be written.
    """
    from grokbook import __version__
    from grokbook.errors import ParameterError, shown
    from grokbook.files import filled, is_plain, whole_folder

    folder = Path(folder).absolute()
    name = re.sub(r"[-. ]", "_", folder.name).lower()
    fits = re.fullmatch(r"[a-z]\w*", name, re.ASCII) and is_plain(name) and not keyword.iskeyword(name)
    if not fits or importlib.util.find_spec(name):
        rule = "a folder's name becomes that of its package: letters, digits and _, no module or word of Python"
        raise ParameterError(f"{shown(folder.name)} does not name a companion; {rule}.")
    key = "".join(re.findall(r"[a-z0-9]", paper.lower()))
    if not key.isidentifier() or re.search(r'["\\{}\n]', paper):
        raise ParameterError(f"--paper {shown(paper)} is not how a paper is cited, such as 'Liu et al. 2023'.")
    year = next(iter(re.findall(r"\d{4}", paper)), str(date.today().year))
    words = {"NAME": name, "PAPER": paper, "KEY": key, "YEAR": year, "VERSION": __version__}
    with whole_folder(folder) as place:
        for source in sorted(TEMPLATE.rglob("*.in")):
            inside = source.relative_to(TEMPLATE).as_posix().removesuffix(".in").replace("NAME", name)
            (place / inside).parent.mkdir(parents=True, exist_ok=True)
            (place / inside).write_text(filled(source, words), encoding="utf-8")
