"""`grokbook teach`: what a lecturer takes from the built book."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="Slides and handouts of a chapter.", no_args_is_help=True)

Chapter = Annotated[str, typer.Argument(help="Number or name of a chapter.")]
Out = Annotated[Path, typer.Argument(help="Folder to write into; it is made if need be.")]
Site = Annotated[Path | None, typer.Option(help="Folder of a built site; default: that of this checkout.")]


@app.command()
def slides(chapter: Chapter, out: Out, site: Site = None) -> None:
    """Write the slides of a chapter as one HTML file that needs no network: reveal.js, speaker notes (key s)."""
    from grokbook.files import atomic_write
    from grokbook.paths import project_root
    from grokbook.teach import pages
    from grokbook.teach.slides import slides as made

    folder = pages.site_folder(site)
    page = pages.chapter_page(project_root(), chapter, folder)
    target = pages.folder(out) / f"{page.stem}_slides.html"
    atomic_write(target, made(page, folder / "mathjax").encode())
    print(f"slides    {target}")
