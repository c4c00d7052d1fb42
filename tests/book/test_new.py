"""A companion to another paper: what `grokbook new companion` writes and refuses; what a project says of itself."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from grokbook import files
from grokbook.build import companions, new, site
from grokbook.errors import GrokbookError, ParameterError, RecordError
from grokbook.page import sources
from grokbook.paths import frame
from grokbook.project import PACKAGE, Project, of

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "omnigrok"


@pytest.fixture
def begun(tmp_path):
    new.written(tmp_path / "Norms-2026", "Noether et al. 1918")
    return tmp_path / "Norms-2026"


def test_what_is_written_is_a_project_whose_pages_can_be_read(begun):
    project = of(begun)
    assert project == Project(begun, "norms_2026", "0.1.0", "norms_2026", "01_first_look") and project.own
    assert project.verdicts == begun / "data" / "verdicts.json"
    assert [chapter.papers for chapter in sources.load_all(begun)] == [("noetheretal1918",)]
    files = [path for path in begun.rglob("*") if path.is_file()]
    assert len(files) == len(list(new.TEMPLATE.rglob("*.in")))
    assert not [path for path in files if re.search(r"@[A-Z]+@", path.read_text("utf-8")) or path.suffix == ".in"]
    assert "year = {1918}" in (begun / "book" / "references.bib").read_text()


def test_its_claims_are_found_by_the_command_without_an_installation(begun):
    options = {"cwd": begun, "capture_output": True, "text": True, "check": True}
    said = subprocess.run([sys.executable, "-m", "grokbook", "claims"], **options).stdout
    assert "A1" in said and "noetheretal1918, section 1" in said and "G27" not in said


@pytest.mark.parametrize(
    ("name", "paper", "said"),
    [
        ("full", "Me 2026", "is there and not an empty folder; name a new one"),
        ("full/file", "Me 2026", "is there and not an empty folder; name a new one"),
        ("json", "Me 2026", "'json' does not name a companion; a folder's name becomes that of its package"),
        ("2fast", "Me 2026", "'2fast' does not name a companion"),
        ("class", "Me 2026", "'class' does not name a companion"),
        ("Nul", "Me 2026", "'Nul' does not name a companion"),
        ("..", "Me 2026", "does not name a companion"),
        ("fine", "2026", "--paper '2026' is not how a paper is cited, such as 'Liu et al. 2023'"),
        ("fine", 'M"e 2026', "is not how a paper is cited"),
    ],
)
def test_what_is_refused_is_one_sentence_and_leaves_nothing(tmp_path, name, paper, said):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(ParameterError, match=re.escape(said)):
        new.written(tmp_path / name, paper)
    assert sorted(tmp_path.rglob("*")) == before


def test_where_nothing_can_be_written_or_writing_fails_nothing_is_left(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    with pytest.raises(RecordError, match="mine was not written: Not a directory"):
        new.written(tmp_path / "file" / "mine", "Me 2026")
    monkeypatch.setattr(files, "filled", lambda template, words: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        new.written(tmp_path / "mine", "Me 2026")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_an_empty_folder_is_filled(tmp_path):
    (tmp_path / "mine").mkdir()
    new.written(tmp_path / "mine", "Me 2026")
    assert (tmp_path / "mine" / "pyproject.toml").is_file()


def test_a_project_without_a_table_of_its_own_is_this_book(tmp_path):
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "clone"\n')
    assert of(tmp_path) == Project(tmp_path) and of(tmp_path).chapters == PACKAGE and not of(tmp_path).own
    assert of(tmp_path / "absent") == Project(tmp_path / "absent")
    assert of(ROOT).verdicts.is_file() and (ROOT / "notebooks" / f"{of(ROOT).ledger}.md").is_file()


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ('chapter = "mine"', "[tool.grokbook] has chapter = 'mine'; did you mean chapters?"),
        ("chapters = 3", "[tool.grokbook] has chapters = 3, which is no text."),
        ('ledger = "../../x"', "[tool.grokbook] has ledger = '../../x'; a name has 1 to 240 bytes"),
        ('chapters = "a..b"', "chapters = 'a..b' of [tool.grokbook] is no package"),
        ('chapters = "nowhere_1918.deeper"', "chapters = 'nowhere_1918.deeper' of [tool.grokbook] is no package"),
        ('chapters = "nowhere_1918"', "chapters = 'nowhere_1918' of [tool.grokbook] is no package"),
        ("chapters =", "cannot be read"),
    ],
)
def test_a_table_that_is_wrong_is_one_sentence(tmp_path, table, said, monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "pyproject.toml").write_text(f"[tool.grokbook]\n{table}\n")
    with pytest.raises(GrokbookError, match=re.escape(said)):
        of(tmp_path).package()


def test_a_site_has_the_frame_of_this_book_under_what_the_project_says(begun):
    made, book = (yaml.safe_load(text) for text in (site.configuration(begun), (frame() / "_config.yml").read_text()))
    assert made["title"] == "norms_2026" and made["html"]["favicon"] == book["html"]["favicon"]
    assert made["sphinx"] == book["sphinx"] and "Made with grokbook" in made["html"]["extra_footer"]
    assert yaml.safe_load(site.configuration(ROOT)) == book


def test_the_example_has_the_frame_that_is_written_and_the_actions_are_those_of_this_project(begun):
    for name in (".gitignore", "book/references.md", "book/_toc.yml", "book/how_to_rerun.md"):
        written, kept = ((folder / name).read_text() for folder in (begun, EXAMPLE))
        known = written.replace("first_look", "start_and_decay").replace("strong=1.2", "n_seeds=5")
        assert known == kept
    theirs, ours = ((folder / ".github" / "workflows" / "ci.yml").read_text() for folder in (begun, ROOT))
    used = re.findall(r"uses: (\S+@\w{40})", theirs)
    assert len(used) == 2 and set(used) <= set(re.findall(r"uses: (\S+)", ours))


def test_an_installed_companion_is_in_the_table_of_contents_of_the_book_alone(tmp_path, monkeypatch):
    """What an installation of the example leaves: its metadata and entry points. Without an address it is refused."""
    said = tomllib.loads((EXAMPLE / "pyproject.toml").read_text("utf-8"))["project"]
    place = tmp_path / "omnigrok-0.1.0.dist-info"
    place.mkdir()
    points = [f"{name} = {value}" for name, value in said["entry-points"][companions.GROUP].items()]
    (place / "entry_points.txt").write_text("\n".join([f"[{companions.GROUP}]", *points, ""]))
    head = f"Metadata-Version: 2.4\nName: omnigrok\nVersion: 0.1.0\nSummary: {said['description']}\n"
    (place / "METADATA").write_text(head + "".join(f"Project-URL: {n}, {url}\n" for n, url in said["urls"].items()))
    before = site.key(ROOT)
    monkeypatch.syspath_prepend(tmp_path)
    (entry,) = site.beside(ROOT)
    assert entry == {"title": said["description"], "url": said["urls"]["Homepage"]} and site.beside(EXAMPLE) == []
    toc = yaml.safe_load(site.filtered_toc((ROOT / "book" / "_toc.yml").read_text(), [], site.beside(ROOT)))
    assert toc["parts"][-1] == {"caption": "Companions", "chapters": [entry]} and site.key(ROOT) != before
    (place / "METADATA").write_text(head)
    with pytest.raises(GrokbookError, match=r"the companion omnigrok names no address in \[project.urls\]"):
        site.beside(ROOT)
