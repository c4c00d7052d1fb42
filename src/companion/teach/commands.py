"""`grokbook teach`: what a lecturer hands out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grokbook.files import atomic_write, refuse_unwritable

app = typer.Typer(help="What a lecturer hands out.", no_args_is_help=True)

Chapter = Annotated[str, typer.Argument(help="Number or name of a chapter.")]
Out = Annotated[Path, typer.Argument(help="Folder to write into; it is made if need be.")]
Site = Annotated[
    Path | None, typer.Option(help="Folder of a built site; default: that of this checkout.")
]
New = Annotated[Path, typer.Argument(help="A new folder, or an empty one.")]
Chapters = Annotated[
    str | None, typer.Option(help="Numbers such as 01,06; default: all that have exercises.")
]
Variants = Annotated[
    int, typer.Option(min=0, help="So many variants, each with parameters of its own.")
]


@app.command()
def slides(chapter: Chapter, out: Out, site: Site = None) -> None:
    """Write the slides of a chapter as one HTML file that needs no network: reveal.js, speaker
    notes (key s)."""
    from companion.teach import pages
    from companion.teach.slides import slides as made

    refuse_unwritable(out, f"OUT = {out}")
    folder = pages.site_folder(site)
    page = pages.chapter_page(chapter, folder)
    _write("slides", out / f"{page.stem}_slides.html", made(page, folder / "mathjax").encode())


def _write(kind: str, place: Path, content: bytes) -> None:
    atomic_write(place, content)
    print(f"{kind:9} {place}")


@app.command()
def student(
    out: New,
    chapters: Chapters = None,
    variants: Variants = 0,
) -> None:
    """Write the exercises as notebooks with checks and without solutions, and beside them a key."""
    _edition(out, chapters, variants, keyed=False)


@app.command()
def instructor(
    out: New,
    chapters: Chapters = None,
    variants: Variants = 0,
) -> None:
    """Write what one marks by: solutions, typical wrong answers, points; without variants a
    course of nbgrader, too."""
    _edition(out, chapters, variants, keyed=True)


def _edition(out: Path, chapters: str | None, variants: int, *, keyed: bool) -> None:
    from companion.page.safe import counted
    from companion.teach import editions
    from grokbook.paths import project_root

    made = editions.write(project_root(), out, keyed=keyed, chapters=chapters, variants=variants)
    print(f"{counted(made, 'notebook')} and the key  {out}")


@app.command()
def handout(chapter: Chapter, out: Out, site: Site = None) -> None:
    """Print the handout of a session on a chapter: one page, with the question, the picture,
    formulas, exercises."""
    from companion.teach import pages
    from companion.teach.handout import handout as made

    folder = pages.site_folder(site)
    refuse_unwritable(out, f"OUT = {out}")
    page = pages.chapter_page(chapter, folder)
    address = pages.address(page.relative_to(folder).as_posix())
    _write("handout", out / f"{page.stem}_handout.pdf", made(page, address))


@app.command("paper")
def paper_(out: Out, site: Site = None) -> None:
    """Print the whole book as one PDF, with Chromium."""
    from companion.teach import pages, paper
    from grokbook.paths import project_root

    folder = pages.site_folder(site)
    refuse_unwritable(out, f"OUT = {out}")
    names = paper.pages_in_order(project_root(), folder)
    made = paper.printed(folder, names, pages.address())
    _write("paper", out / "grokbook.pdf", made)
