"""What is done to pages that are ready: no icon font, mathematics only where there is some, a
description, a map."""

from __future__ import annotations

import html
import os
import re
import shutil
from pathlib import Path
from typing import Any

from grokbook_site import facts

_TAG = r"[ \t]*<{name}\b[^>]*\b(?:src|href)=\"[^\"]*{part}[^\"]*\"[^>]*>(?:</script>)?\n?"
_ICONS = re.compile(_TAG.format(name="(?:link|script)", part="vendor/fontawesome/"))
_MATHJAX = re.compile(
    r"[ \t]*<script>window\.MathJax.*?</script>\n?|" + _TAG.format(name="script", part="/mathjax/")
)
_THEBE = re.compile(
    r"(?s)[ \t]*<script\b(?:(?!</script>).)*thebe(?:(?!</script>).)*</script>\n?"
    r"|<script>kernelName = '\w+'</script>|[ \t]*<link\b[^>]*thebe[^>]*>\n?"
)
"""What Jupyter Book loads on every page to run its cells in a browser, and never uses here."""
_VIEWPORT = re.compile(r'\s*<meta name="viewport"[^>]*>')
_TABLE = re.compile(r'<table class="table">.*?</table>', re.DOTALL)
_FORMULA_ENDS = re.compile(
    r'<span class="math notranslate nohighlight">[^<]*</span>[.,;:!?)\u2019\u201d]+'
)
"""A formula in the text with the sign that follows it: a line does not end between them."""
_TOGGLE = '<summary><span class="toctree-toggle"'
"""What the theme opens a part of the contents with: an arrow, which has no name to be read out."""
_LONGEST = 160
_FIRST_SCRIPT = '<script data-cfasync="false">'
STORAGE = """<script>
  for (const name of ["localStorage", "sessionStorage"]) {
    try {
      window[name].setItem("gb-kept", "");
      window[name].removeItem("gb-kept");
    } catch {
      const held = new Map();
      const value = {
        getItem: (key) => (held.has(key) ? held.get(key) : null),
        setItem: (key, text) => { held.set(key, String(text)); },
        removeItem: (key) => { held.delete(key); },
      };
      Object.defineProperty(window, name, { value });
    }
  }
  </script>
  """
"""Before the theme's first script: where a browser keeps nothing for a site, a page remembers while
it is open."""

NOT_FOUND = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<title>Page not found: {title}</title>
<style>
  body {{ background: #fff; color: #222; font: 1.1rem/1.6 system-ui, sans-serif; }}
  main {{ max-width: 38rem; margin: 12vh auto; padding: 0 1.2rem; }}
  a {{ color: #0a58ca; }}
  @media (prefers-color-scheme: dark) {{
    body {{ background: #14181e; color: #ddd; }}
    a {{ color: #8ab4f8; }}
  }}
</style>
</head>
<body>
<main>
<h1>There is no page here</h1>
<p>It may have another name now: chapters are renamed when they are split.
<a id="start" href="index.html">Go to the first page of {title}</a>, which lists them all.</p>
</main>
<script>
  (async () => {{
    const parts = location.pathname.split("/").slice(0, -1);
    for (; parts.length; parts.pop()) {{
      const folder = parts.join("/") + "/";
      const there = await fetch(folder + "objects.inv").catch(() => null);
      if (there && there.ok && (await there.text()))
        return document.getElementById("start").setAttribute("href", folder + "index.html");
    }}
  }})();
</script>
</body>
</html>
"""
"""A page without files of its own: a server shows it at any depth, so it looks for the folder of
the book upwards."""


def describe(app: Any, pagename: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """The description of a page: a chapter's question, of any other page its first paragraph."""
    text = facts(app)["questions"].get(pagename.rpartition("/")[2]) or _first_paragraph(doctree)
    if text:
        said = html.escape(text, quote=True)
        context["metatags"] = (
            f'{context.get("metatags", "")}\n    <meta name="description" content="{said}" />'
        )


def _first_paragraph(doctree: Any) -> str:
    from docutils import nodes

    if doctree is None:
        return ""
    paragraph = next(iter(doctree.findall(nodes.paragraph)), nodes.paragraph())
    text = " ".join(paragraph.astext().split())
    return text if len(text) <= _LONGEST else text[:_LONGEST].rpartition(" ")[0] + " ..."


def finish(app: Any, exception: Exception | None) -> None:
    """Tidy every page, and put the pages beside them that no source makes."""
    if exception is not None:
        return
    folder = Path(app.outdir)
    drawings = once_each(folder / "narrow")
    all_drawings = {name: file for own in drawings.values() for name, file in own.items()}
    for page in folder.rglob("*.html"):
        if page.relative_to(folder).parts[0] in ("mathjax", "_static"):
            continue
        paths = {}
        # a plain page shows figures of chapters
        for name, file in drawings.get(page.stem, all_drawings).items():
            paths[name] = Path(os.path.relpath(file, page.parent)).as_posix()
        text = stacked(tidy(page.read_text(encoding="utf-8")), paths)
        page.write_text(_TABLE.sub(labelled, text), encoding="utf-8")
    for unused in ("vendor", "locales"):
        shutil.rmtree(folder / "_static" / unused, ignore_errors=True)
    for unused in folder.glob("_static/**/*.map"):
        unused.unlink()
    title = html.escape(app.config.html_title or "grokbook")
    (folder / "404.html").write_text(NOT_FOUND.format(title=title), encoding="utf-8")
    address = facts(app)["address"]
    if address:
        pages = sitemap(address, sorted(app.env.found_docs))
        (folder / "sitemap.xml").write_text(pages, encoding="utf-8")


def tidy(text: str) -> str:
    """The HTML of a page without the icon font and thebe, without MathJax where nothing is to be
    drawn, one viewport.

    A formula in the text and the sign that follows it stay in one line. Without a storage of the
    browser, which a reader may have blocked, the theme's scripts have one of the page (`STORAGE`).
    """
    text = text.replace(_FIRST_SCRIPT, STORAGE + _FIRST_SCRIPT, 1)
    text = _ICONS.sub("", _THEBE.sub("", text))
    text = text.replace('<div role="list" class="citation-list">', '<div class="citation-list">')
    named = _TOGGLE.replace("<summary>", '<summary aria-label="Pages of this part">')
    text = text.replace(_TOGGLE, named)
    if 'class="math' not in text:
        text = _MATHJAX.sub("", text)
    text = _FORMULA_ENDS.sub(r'<span class="gb-glued">\g<0></span>', text)
    before, *after = _VIEWPORT.split(text)
    once = '\n    <meta name="viewport" content="width=device-width, initial-scale=1" />'
    return before + (once if after else "") + "".join(after)


def once_each(folder: Path) -> dict[str, dict[str, Path]]:
    """The drawings for a narrow screen by page and figure.

    Of equal ones, as a chapter and its parameter sets have them, the first file serves all.
    """
    first: dict[bytes, Path] = {}
    drawings: dict[str, dict[str, Path]] = {}
    for file in sorted(folder.glob("*/*.svg")):
        serving = first.setdefault(file.read_bytes(), file)
        if serving != file:
            file.unlink()
        drawings.setdefault(file.parent.name, {})[file.stem] = serving
    return drawings


def stacked(text: str, drawings: dict[str, str]) -> str:
    """The HTML of a page whose figures have another drawing for a narrow screen, each a path from
    it.

    A figure is named by its id, one of a chapter that a plain page shows by its file.
    """
    for name, drawing in drawings.items():
        if name not in text:
            continue
        figure = re.compile(
            rf'(<figure[^>]* id="{name}"(?:(?!</figure>).)*?)(<img [^>]*>)|(<img'
            rf' [^>]*/{name}\.svg"[^>]*>)',
            re.DOTALL,
        )
        source = f'<source media="(max-width: 600px)" srcset="{drawing}" />'
        text = figure.sub(rf"\1<picture>{source}\2\3</picture>", text, count=1)
    return text


def labelled(table: re.Match[str]) -> str:
    """A table of Markdown whose cells name their columns: where it does not fit, its rows are
    blocks."""
    heads = re.findall(r"<th\b[^>]*>(.*?)</th>", table[0], re.DOTALL)
    heads = [re.sub("<[^>]*>", "", head).strip().replace('"', "&quot;") for head in heads]

    def named(row: re.Match[str]) -> str:
        names = iter(heads)
        return re.sub(r"<td\b", lambda _: f'<td data-label="{next(names)}"', row[0])

    return re.sub(r"<tr\b.*?</tr>", named, table[0], flags=re.DOTALL)


def sitemap(address: str, names: list[str]) -> str:
    """The pages of the book as a sitemap; `address` is where the site stands, as pyproject.toml
    says."""
    lines = [
        f"<url><loc>{html.escape(address.rstrip('/'))}/{name}.html</loc></url>" for name in names
    ]
    body = "\n".join(lines)
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{space}">\n{body}\n</urlset>\n'


def setup(app: Any) -> dict[str, bool]:
    app.connect("html-page-context", describe, priority=900)
    app.connect("build-finished", finish)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
