"""Building: only what changed, the last good page stays, refusals come before anything runs."""

import json
import shutil

import pytest

from grokbook.book import build as building
from grokbook.book import chapters, site
from grokbook.errors import ChapterError, ParameterError

from .conftest import CHAPTER


def said_by(progress):
    return progress.console.file.getvalue()


def notebook(root):
    return root / "book" / "chapters" / "01_tiny.ipynb"


@pytest.fixture
def nothing_runs(monkeypatch):
    """Executing a chapter or running Sphinx fails the test."""

    def refuse(*arguments, **options):
        pytest.fail("something ran")

    monkeypatch.setattr(building, "execute", refuse)
    monkeypatch.setattr(site, "sphinx", refuse)


def test_a_build_makes_page_card_and_site(built_once):
    card = json.loads((built_once / "book" / "chapters" / "01_tiny.json").read_text())
    assert (card["preset"], card["figures"]) == ("laptop", ["fig-tiny"])
    assert card["parameters"] == {"p": 59, "train_fraction": 0.5, "steps": 200}
    assert (built_once / "site" / "chapters" / "01_tiny.html").is_file()
    assert not list((built_once / "book" / "_build").iterdir())


def test_a_build_without_change_does_nothing_and_says_so(built, said, nothing_runs):
    assert building.build(built, "laptop", progress=said) == []
    assert "nothing to do: 1 chapters and the site are up to date" in said_by(said)


@pytest.mark.parametrize("changed", ["source", "preset", "library", "records"])
def test_the_key_holds_everything_a_page_depends_on(project, changed, monkeypatch):
    def key():
        chapter = chapters.find(project, "01")
        preset = "smoke" if changed == "preset" and again else "laptop"
        monkeypatch.setattr(building, "_records", lambda *a: {"x": again} if changed == "records" else {})
        return building.key(project, chapter, chapter.values(preset), preset)

    again = False
    first = key()
    assert key() == first
    again = True
    if changed == "source":
        (project / "notebooks" / "01_tiny.md").write_text(CHAPTER + "\nMore.\n")
    if changed == "library":
        monkeypatch.setattr(building, "rooms_fingerprint", lambda rooms: "another")
    assert key() != first


def test_the_records_of_a_key_are_found_in_the_manifest():
    manifest = {"format": 1, "records": {"gu2025/fig5/abc.nc": {"sha256": "1"}, "gu2025/fig5/def.nc": {"sha256": "2"}}}
    assert building._mentioning(manifest, ["abc"]) == {"gu2025/fig5/abc.nc": {"sha256": "1"}}


@pytest.mark.parametrize(("preset", "only"), [("latop", []), ("laptop", ["tinny"])])
def test_unknown_names_are_refused_before_anything_runs(built, preset, only, said, nothing_runs):
    with pytest.raises(ParameterError, match="did you mean"):
        building.build(built, preset, only, progress=said)


def test_a_failing_cell_fails_the_build_and_the_last_good_page_stays(built, said):
    before = notebook(built).read_bytes(), (built / "site" / "chapters" / "01_tiny.html").read_bytes()
    source = built / "notebooks" / "01_tiny.md"
    source.write_text(CHAPTER.replace("fig, ax = plt", "1 / 0\nfig, ax = plt"))
    with pytest.raises(ChapterError, match="chapter 01_tiny, code cell 2, .*: ZeroDivisionError: division by zero"):
        building.build(built, "laptop", progress=said)
    assert (notebook(built).read_bytes(), (built / "site" / "chapters" / "01_tiny.html").read_bytes()) == before
    assert sorted(p.name for p in notebook(built).parent.iterdir()) == ["01_tiny.ipynb", "01_tiny.json"]


def test_an_interrupted_build_leaves_the_last_good_page(built, said, monkeypatch):
    before = notebook(built).read_bytes()

    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(building, "execute", interrupted)
    with pytest.raises(KeyboardInterrupt):
        building.build(built, "smoke", progress=said)
    assert notebook(built).read_bytes() == before
    with building.lock(built):
        pass


def test_a_page_that_was_removed_is_executed_again(built, said, monkeypatch):
    ran = []
    monkeypatch.setattr(building, "_bring_up_to_date", lambda root, chapter, *rest: ran.append(chapter.name))
    monkeypatch.setattr(site, "bring_up_to_date", lambda *a, **k: True)
    shutil.rmtree(built / "book" / "chapters")
    building.build(built, "laptop", progress=said)
    assert ran == ["01_tiny"]
