"""The Content-Security-Policy of a page: which scripts may run in it, and that it asks for nothing
elsewhere.

A script is a file of the site, or one that stands in the page and whose sha256 its policy names:
those of the theme, and in the text of the page, where data are, those of this package
(`page/scripts`) alone. None runs in an attribute, none is made of words (`eval`). What is allowed
besides, and why:

- `worker-src blob:` and `'wasm-unsafe-eval'` on a page that trains: each run is a worker, made of
  the page's script, in which a program of WebAssembly multiplies matrices.
- `style-src 'unsafe-inline'`: MathJax writes its styles as it draws, and map, mosaic and pairs of
  figures have their places in attributes. A style can send nothing: pictures and fonts come from
  the site or from the page itself.
- `frame-src` and one more script in slides: the speaker's window is a page that a script writes,
  with two frames in it.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from companion.page import tables
from companion.page.interactive import SCRIPTS
from grokbook.errors import ChapterError

_MOUNT = re.compile(r"""Grokbook\w+\.mount\(document\.\w+\("[\w.-]+"\)\);""")
_SCRIPT = re.compile(r"(?is)<script\b([^>]*)>(.*?)</script>")
_PRESSED = re.compile(r'(<button\b[^>]*? )onclick="(?:window\.)?(\w+)\(\)"')
_CHARSET = re.compile(r'<meta charset="utf-8" ?/?>')


def protect(html: Path) -> list[str]:
    """Give every page under `html` its policy (what lies in `_static` is no page); what these will
    refuse."""
    refused = []
    for path in sorted(html.rglob("*.html")):
        if "_static" in path.relative_to(html).parts:
            continue
        text = path.read_text(encoding="utf-8")
        path.write_text(protected(text), encoding="utf-8")
        for script in _scripts(text):
            if not script.may_run:
                name = path.relative_to(html).as_posix()
                begin = script.text.strip()[:60]
                refused.append(f"{name}: its policy refuses a script in its text, {begin!r}")
    return refused


def protected(
    text: str, own: str = "'self'", more: Sequence[str] = (), frames: str = "'none'"
) -> str:
    """The HTML of a page with its policy; what its buttons call, `onclick`, is named in
    `data-press` (grokbook.js).

    Args:
        own: what the page may load from: `'self'`, the site; nothing for a page in one file.
        more: texts of scripts that it runs besides those that stand in it.
        frames: what it may show in frames.

    Raises ChapterError for a page that does not begin as a page does.

    >>> protected('<head><meta charset="utf-8"></head><script>go()</script>')[42:126]
    'iv="Content-Security-Policy" content="default-src \\'none\\'; script-src \\'self\\' \\'sha256-'
    """
    text = _PRESSED.sub(r'\1data-press="\2"', text)
    scripts = [script.text for script in _scripts(text) if script.may_run]
    allowed = [f"'sha256-{_digest(script)}'" for script in dict.fromkeys([*scripts, *more])]
    worker = "'none'"
    if any("new Worker(" in script for script in scripts):
        allowed.insert(0, "'wasm-unsafe-eval'")
        worker = "blob:"
    rules = {
        "default-src": "'none'",
        "script-src": " ".join([own, *allowed]),
        "worker-src": worker,
        "style-src": f"{own} 'unsafe-inline'",
        "img-src": f"{own} data:",
        "font-src": f"{own} data:",
        "connect-src": own or "'none'",
        "frame-src": frames,
        "form-action": own or "'none'",
        "base-uri": "'none'",
    }
    policy = "; ".join(f"{name} {sources.strip()}" for name, sources in rules.items())
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    page, count = _CHARSET.subn(lambda charset: charset[0] + meta, text, count=1)
    if not count:
        raise ChapterError(
            "a page has no line on its characters, <meta charset>, after which its policy stands."
        )
    return page


class _Script(NamedTuple):
    """A script that stands in a page; in the text of the page only those of the book may run."""

    text: str
    may_run: bool


def _scripts(text: str) -> list[_Script]:
    article = range(text.find("<article"), text.rfind("</article"))
    scripts = []
    for match in _SCRIPT.finditer(text):
        if not re.search(r"\b(src|type)=", match[1]):
            may_run = match.start() not in article or _is_of_the_book(match[2])
            scripts.append(_Script(match[2], may_run))
    return scripts


def _is_of_the_book(text: str) -> bool:
    """Whether a script is one of this package with the line that hands it its element."""
    for name in (*SCRIPTS, "ledger"):
        known = tables.script(name)
        if text.lstrip().startswith(known):
            return _MOUNT.fullmatch(text.lstrip()[len(known) :].strip()) is not None
    return False


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
