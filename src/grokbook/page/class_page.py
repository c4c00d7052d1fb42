"""The page for a class: one file, no server; groups train in their browsers and bring their numbers together."""

from __future__ import annotations

from pathlib import Path

from grokbook.page import tables

NAME = "class.html"
"""Where it stands in the site."""

_PAGE = """<!DOCTYPE html>
<html lang="en" data-theme="light">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="Train a network before a class, give each group a setting, plot what they find.">
<link rel="icon" href="data:,">
<title>In class: grokbook</title>
<style>
:root {{ --pst-color-background: #fff; --link: #0a58ca; color-scheme: light; }}
html[data-theme="dark"] {{ --pst-color-background: #14181e; --link: #8ab4f8; color-scheme: dark; }}
body {{ background: var(--pst-color-background); margin: 0; font: 1rem/1.5 system-ui, sans-serif; }}
main {{ max-width: 84rem; margin: 0 auto; padding: .6rem clamp(.8rem, 3vw, 3rem) 3rem; }}
nav a {{ color: var(--link); display: inline-block; padding: .3rem 0; }}
</style>
</head>
<body>
<main>
<nav aria-label="Book"><a href="intro.html">The book</a></nav>
<noscript><p>This page trains networks in the browser and needs JavaScript.</p></noscript>
<article class="gb-class" id="gb-class"></article>
</main>
<script>
(() => {{
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => {{ document.documentElement.dataset.theme = dark.matches ? "dark" : "light"; }};
  dark.addEventListener("change", follow);
  follow();
}})();
</script>
<script>{code}</script>
<script>{scripts}</script>
<script>GrokbookClass.mount(document.getElementById("gb-class"));</script>
</body>
</html>
"""


def class_page() -> str:
    """The HTML of the page: the page that trains in large type, a link and QR code to join, the plot of the class.

    >>> text = class_page()
    >>> "GrokbookClass.mount" in text and "Kazuhiko Arase" in text
    True
    """
    code = Path(__file__).with_name("scripts").joinpath("vendor", "qrcode.js").read_text(encoding="utf-8")
    return _PAGE.format(code=code, scripts=tables.script("class_page"))
