"""The cookbook: its recipes are run, kept while nothing changed, and refused where one fails or
warns."""

import json

import pytest

from companion.site import cookbook
from grokbook.errors import ChapterError

HEAD = "---\njupytext: {text_representation: {extension: .md, format_name: myst}}\n"
HEAD += "kernelspec: {name: python3, display_name: Python 3}\n---\n\n# Recipes\n\n"


def project(folder, *cells):
    """A checkout whose cookbook has these cells."""
    (folder / "book").mkdir(exist_ok=True)
    text = HEAD + "\n\n".join(f"```{{code-cell}} ipython3\n{cell}\n```" for cell in cells)
    (folder / "book" / "cookbook.md").write_text(text)
    (folder / "source").mkdir(exist_ok=True)
    return folder


def test_recipes_are_run_in_a_folder_of_their_own_and_kept_while_nothing_changed(
    tmp_path, monkeypatch
):
    root = project(tmp_path, "import os\nopen('x', 'w').close()\nprint(6 * 7, os.listdir())")
    cookbook.put(root, root / "source")
    made = json.loads((root / "source" / "cookbook.ipynb").read_text())
    assert "".join(made["cells"][-1]["outputs"][0]["text"]) == "42 ['x']\n"
    monkeypatch.setattr(cookbook, "_run", lambda page: pytest.fail("it was run again"))
    cookbook.put(root, root / "source")
    monkeypatch.setattr(cookbook, "_run", lambda page: b"{}")
    cookbook.put(project(tmp_path, "print(43)"), root / "source")
    assert (root / "source" / "cookbook.ipynb").read_bytes() == b"{}"


def test_a_recipe_that_fails_or_warns_stops_the_build(tmp_path):
    with pytest.raises(ChapterError, match="the cookbook, code cell 1, .*: ZeroDivisionError"):
        cookbook.put(project(tmp_path, "1 / 0"), tmp_path / "source")
    with pytest.raises(ChapterError, match="wrote to standard error: careful"):
        cookbook.put(
            project(tmp_path, "import sys\nprint('careful', file=sys.stderr)"), tmp_path / "source"
        )
    assert not (tmp_path / "source" / "cookbook.ipynb").exists()
