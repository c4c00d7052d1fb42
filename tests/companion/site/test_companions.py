"""A companion to another paper: the example, and what a project says of itself."""

import re
import subprocess
import sys

import pytest
import yaml

from companion.page import sources
from companion.project import PACKAGE, Project, of
from companion.site import staging as site
from grokbook.errors import GrokbookError
from grokbook.paths import frame
from project_tree import ROOT

EXAMPLE = ROOT / "examples" / "omnigrok"


def test_a_project_without_a_table_of_its_own_is_this_book(tmp_path):
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "clone"\n')
    assert (
        of(tmp_path) == Project(tmp_path)
        and of(tmp_path).chapters == PACKAGE
        and not of(tmp_path).own
    )
    assert of(tmp_path / "absent") == Project(tmp_path / "absent")
    assert of(ROOT).verdicts.is_file() and (ROOT / "notebooks" / f"{of(ROOT).ledger}.md").is_file()


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ('chapter = "mine"', "[tool.grokbook] has chapter = 'mine'; it has chapters and ledger"),
        ("chapters = 3", "[tool.grokbook] has chapters = 3; it has chapters and ledger"),
        (
            'ledger = "../../x"',
            "[tool.grokbook] has ledger = '../../x'; it has chapters and ledger",
        ),
        ('chapters = "a..b"', "chapters = 'a..b' of [tool.grokbook] is no package"),
        (
            'chapters = "nowhere_1918.deeper"',
            "chapters = 'nowhere_1918.deeper' of [tool.grokbook] is no package",
        ),
        ('chapters = "nowhere_1918"', "chapters = 'nowhere_1918' of [tool.grokbook] is no package"),
        ("chapters =", "cannot be read"),
    ],
)
def test_a_table_that_is_wrong_is_one_sentence(tmp_path, table, said, monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "pyproject.toml").write_text(f"[tool.grokbook]\n{table}\n")
    with pytest.raises(GrokbookError, match=re.escape(said)):
        of(tmp_path).package()


def test_the_example_is_a_project_of_its_own_whose_pages_can_be_read():
    project = of(EXAMPLE)
    assert (
        project == Project(EXAMPLE, "omnigrok", "0.1.0", "omnigrok", "01_start_and_decay")
        and project.own
    )
    assert project.verdicts == EXAMPLE / "data" / "verdicts.json"
    assert [chapter.papers for chapter in sources.load_all(EXAMPLE)] == [("omnigrok2023",)]


def test_its_claims_are_found_by_the_command_without_an_installation():
    options = {"cwd": EXAMPLE, "capture_output": True, "text": True, "check": True}
    said = subprocess.run([sys.executable, "-m", "grokbook", "claims"], **options).stdout
    assert "OG1" in said and "omnigrok2023, our reading" in said and "G27" not in said


def test_a_site_has_the_frame_of_this_book_under_what_the_project_says():
    made = yaml.safe_load(site.configuration(EXAMPLE))
    book = yaml.safe_load((frame() / "_config.yml").read_text())
    assert made["html"]["favicon"] == book["html"]["favicon"] and made["title"] != book["title"]
    assert made["sphinx"] == book["sphinx"] and "Made with grokbook" in made["html"]["extra_footer"]
    assert yaml.safe_load(site.configuration(ROOT)) == book
