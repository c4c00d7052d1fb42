"""What a page offers to take away: its notebook, executed, with its numbers in it, and the same as
Markdown.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from companion.checks.drift import glued
from companion.claims.verdicts import settled, with_former
from companion.project import described, urls
from companion.site import state
from companion.site.baked import Known, Label, baked, markdown
from companion.site.variants import Sets

NUMBERS = "numbers.json"
"""Where a build of the site leaves what references print (book/_ext/grokbook_site.py)."""


def put(root: Path, html: Path, sets: Sets) -> None:
    """Put the notebooks of all executed chapters and of their variants beside the pages of a built
    site; `sets` are the variants by chapter.

    Raises ChapterError where a page holds something for which a notebook has no form.
    """
    from pybtex.database import parse_file

    folder = html / "downloads"
    (folder / "sets").mkdir(parents=True)
    works = root / "book" / "references.bib"
    site = Known(
        labels=labels_of(html),
        verdicts=with_former(settled()),
        bibliography=parse_file(str(works)) if works.is_file() else None,
        address=urls(root).get("Documentation", ""),
    )
    install = install_cells(root)
    for name, variants in sets.items():
        _write(folder / name, state.notebook(root, name), site, install)
        for variant in variants:
            labels = dict(site.labels)
            for label, value in site.labels.items():
                if label.endswith(variant.ending):
                    labels[label.removesuffix(variant.ending)] = value
            known = replace(site, labels=labels)
            _write(folder / "sets" / variant.file, variant.notebook, known, install)
    (html / NUMBERS).unlink()


def labels_of(html: Path) -> dict[str, Label]:
    """What a built site prints for each label."""
    content = json.loads((html / NUMBERS).read_text("utf-8"))
    return {label: Label(**about) for label, about in content.items()}


def _write(place: Path, notebook: Any, site: Known, install: list[Any]) -> None:
    """Write an executed notebook as `.ipynb` and `.md` for whoever takes it away; `install` are
    its first cells."""
    import nbformat

    plain = baked(notebook, replace(site, values=glued(notebook)))
    plain.cells[:0] = install
    # not `with_suffix`: the name of a variant may have a point
    place.with_name(f"{place.name}.ipynb").write_text(nbformat.writes(plain), encoding="utf-8")
    place.with_name(f"{place.name}.md").write_text(markdown(plain), encoding="utf-8")


def released(root: Path) -> str:
    """The address of this version's wheel among the releases; empty where pyproject.toml names no
    repository."""
    about = described(root)
    repository = urls(root).get("Repository")
    if not repository:
        return ""
    version = about["version"]
    wheel = f"{about['name'].replace('-', '_')}-{version}-py3-none-any.whl"
    return f"{repository}/releases/download/v{version}/{wheel}"


def with_wheel(notebook: Any, root: Path) -> Any:
    """The notebook with `install_cells` in front."""
    notebook.cells[:0] = install_cells(root)
    return notebook


def install_cells(root: Path) -> list[Any]:
    """A cell that installs the wheel of this version from its release, where that is missing, as in
    Colab; no cell where pyproject.toml names no repository."""
    from nbformat.v4 import new_code_cell

    wheel = released(root)
    if not wheel:
        return []
    name = described(root)["name"]
    text = (
        f"# Where {name} is missing, as in Colab: this version, from its release.\n"
        "from importlib.util import find_spec\n\n"
        f'if find_spec("{name.replace("-", "_")}") is None:\n'
        f"    %pip install -q jupytext {wheel}"
    )
    return [new_code_cell(text, id="install")]
