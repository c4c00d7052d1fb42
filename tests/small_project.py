"""A small project in a temporary folder (the book's own frame, a tiny chapter that trains nothing);
a browser."""

import io
import os
import shutil
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path

import pytest
from filelock import FileLock

from companion.page import interactive, tables
from companion.site.book import build
from companion.site.browser import chromium_path
from companion.site.terminal import Progress
from project_tree import ROOT
from visited import in_scheme, pages, served, visit

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
FLAGS += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]

CHAPTER = """---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {name: python3, display_name: Python 3}
grokbook:
  question: Does a tiny chapter reach its page?
  papers: [gu2025]
  presets:
    smoke: {p: 23, steps: 30}
    laptop: {}
    paper: {p: 97, steps: 1_000}
---
# A tiny chapter

It cites {cite}`gu2025`.

```{code-cell} ipython3
:tags: [parameters]
p: int = 59                    # prime modulus
train_fraction: float = 0.5    # share of the pairs used for training
steps: int = 2_00              # optimiser steps
```

## One section

The modulus is {glue:text}`modulus`; see {numref}`fig-tiny` and {eq}`eq-tiny`.

$$ \\mathrm{MED}(\\boldsymbol\\phi) = \\frac1p \\sum_i \\lVert \\phi_{i+1} - \\phi_i \\rVert $$ (eq-tiny)

```{code-cell} ipython3
import sys
import matplotlib.pyplot as plt
import pandas as pd
from companion import page
print("grokbook: step 10 of 30", file=sys.stderr)
page.draw_as_the_book()
page.publish({"modulus": p})
page.table(pd.DataFrame({"n": [1, 2], "square": [1.0, None]}), "Two squares.")
page.say("It is **bold**.")
page.data("tiny.json", {"claims": [{"id": "X1", "computed": True, "value": p}, {"id": "X2", "computed": False}]})
```

```{code-cell} ipython3
---
tags: [figure]
mystnb:
  figure:
    name: fig-tiny
    caption: "Four squares, no seed, $p$ = {glue:text}`modulus`."
  image: {alt: "A curve that rises ever faster."}
---
fig, ax = plt.subplots(figsize=(4, 2))
ax.plot([0, 1, 4, 9])
fig
```

```{exercise} First
:label: ex-tiny
Show that it is zero for equal embeddings.
```

```{solution} ex-tiny
:class: dropdown
All differences vanish.
```
"""


def make_project(folder: Path) -> Path:
    """The frame of the book with one tiny chapter, in `folder`."""
    ignored = shutil.ignore_patterns("_build", "chapters", "__pycache__", "cookbook.md")
    shutil.copytree(ROOT / "book", folder / "book", ignore=ignored)
    for name in ("pyproject.toml", "CITATION.cff"):
        shutil.copyfile(ROOT / name, folder / name)
    (folder / "notebooks").mkdir()
    (folder / "notebooks" / "01_tiny.md").write_text(CHAPTER)
    toc = "format: jb-book\nroot: intro\nparts:\n  - caption: Chapters\n    numbered: 1\n    chapters:\n"
    toc += "      - file: chapters/01_tiny\n      - file: chapters/07_absent\n"
    toc += "  - caption: More\n    chapters:\n      - file: references\n"
    (folder / "book" / "_toc.yml").write_text(toc)
    (folder / "book" / "intro.md").write_text("# Home\n\nMathematics: $x^2$.\n")
    return folder


@pytest.fixture
def project(tmp_path) -> Path:
    """A project in which nothing was executed."""
    return make_project(tmp_path)


@pytest.fixture(scope="session")
def made_once(tmp_path_factory) -> Callable[[str, Callable[[Path], object]], Path]:
    """The folder of a name, filled by one worker of pytest-xdist for all of them; not to be
    changed."""
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if os.environ.get("PYTEST_XDIST_WORKER") else own

    def folder(name, fill):
        root = shared / name
        with FileLock(root.with_suffix(".lock")):
            if not root.exists():
                made = tmp_path_factory.mktemp(name)
                fill(made)
                made.rename(root)
        return root

    return folder


@pytest.fixture(scope="session")
def built_once(made_once) -> Path:
    """A project that was built; not to be changed."""
    return made_once(
        "built", lambda root: build(make_project(root), "laptop", strict=True, progress=silent())
    )


@pytest.fixture
def built(built_once, tmp_path) -> Path:
    """A copy of the built project."""
    root = tmp_path / "project"
    shutil.copytree(built_once, root)
    return root


def silent() -> Progress:
    """Reports without a terminal; `silent().stream.getvalue()` is what they said."""
    return Progress(io.StringIO())


@pytest.fixture
def said() -> Progress:
    return silent()


@pytest.fixture(scope="session")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="session")
def address():
    """The local address of the built site."""
    with served(ROOT / "site") as place:
        yield place


@pytest.fixture(scope="module")
def script_of(browser):
    """A figure's script on an empty page, after what `before` does there: script_of(script) gives
    computed(name of a function, list of arguments)."""
    opened = []

    def load(script, before=""):
        page = browser.new_page()
        opened.append(page)
        page.add_script_tag(content=before + tables.script(script))
        call = f"([name, calls]) => calls.map(c => window.{interactive.SCRIPTS[script][0]}[name](...c))"
        return lambda name, calls: page.evaluate(call, [name, calls])

    yield load
    for page in opened:
        page.close()


@pytest.fixture
def open_page(browser):
    """What opens pages for one test; a page that trains is closed before the next test is slowed by
    it."""
    with pages(browser) as load:
        yield load


@pytest.fixture(scope="module")
def opened_at(browser):
    """Like `open_page`, but a page is loaded once a module for each width; only the colour scheme
    is changed on it."""
    opened = {}
    with pages(browser) as open_new:

        def load(url, width=1280, scheme="light", **options):
            key = (url, width, *sorted(options.items()))
            if key not in opened:
                opened[key] = open_new(url, width, scheme, **options)
            in_scheme(opened[key], scheme)
            return opened[key]

        yield load


@pytest.fixture(scope="session")
def facts(browser, address):
    """What is to be known of a page of the site, by its name; gathered by one visit when it is
    first asked for."""
    return lru_cache(maxsize=None)(partial(visit, browser, address))
