"""A small project in a temporary folder: the book's own frame, two tiny chapters that train nothing."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import pytest

from grokbook.book.build import build
from grokbook.book.terminal import Progress

ROOT = Path(__file__).resolve().parents[2]

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
:tags: [figure]
import sys
import matplotlib.pyplot as plt
import pandas as pd
from grokbook.book import page, parameters, show
print("grokbook: step 10 of 30", file=sys.stderr)
fig, ax = plt.subplots(figsize=(4, 2))
ax.plot([0, 1, 4, 9])
page.glue("modulus", p)
page.figure(fig, "fig-tiny", f"Four squares, no seed, $p = {p}$.", "A curve that rises ever faster.")
page.table(pd.DataFrame({"n": [1, 2], "square": [1.0, None]}), "Two squares.", {"square": ".1f"})
show.source(parameters.is_prime)
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
    ignored = shutil.ignore_patterns("_build", "chapters", "__pycache__")
    shutil.copytree(ROOT / "book", folder / "book", ignore=ignored)
    shutil.copyfile(ROOT / "pyproject.toml", folder / "pyproject.toml")
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
def built_once(tmp_path_factory) -> Path:
    """A project that was built; not to be changed."""
    root = make_project(tmp_path_factory.mktemp("built"))
    build(root, "laptop", strict=True, progress=Progress(io.StringIO()))
    return root


@pytest.fixture
def built(built_once, tmp_path) -> Path:
    """A copy of the built project."""
    root = tmp_path / "project"
    shutil.copytree(built_once, root)
    return root


@pytest.fixture
def said() -> Progress:
    """Reports without a terminal; `said.console.file.getvalue()` is what they said."""
    return Progress(io.StringIO())
