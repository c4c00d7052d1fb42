"""Chapter sources: what is read of them, how they are named, what is refused."""

import types

import pytest

from companion import announced
from companion.page import sources
from grokbook.errors import ChapterError, ParameterError
from small_project import CHAPTER


def write(project, text, name="02_other.md"):
    """Add a chapter to the project."""
    path = project / "notebooks" / name
    path.write_text(text)
    return path


@pytest.mark.parametrize("name", ["01", "1", "tiny", "01_tiny", "01_tiny.md"])
def test_a_source_is_found_by_number_or_name_and_read(project, name):
    chapter = sources.find(project, name)
    assert (chapter.name, chapter.number, chapter.title) == ("01_tiny", "01", "A tiny chapter")
    assert chapter.question == "Does a tiny chapter reach its page?"
    assert [p.name for p in chapter.parameters] == ["p", "train_fraction", "steps"]
    assert list(chapter.presets) == ["smoke", "laptop", "paper"]


def test_a_name_that_means_no_chapter_is_refused(project):
    with pytest.raises(ParameterError, match="'tinny' is not a chapter of this book; .* 01_tiny"):
        sources.find(project, "tinny")


@pytest.mark.parametrize("name", ["02b", "2b", "holes", "02b_holes.md"])
def test_a_chapter_of_several_pages_has_a_letter_and_its_number_alone_is_refused_with_all_of_them(
    project, name
):
    for other in ("02a_discs.md", "02b_holes.md"):
        write(project, CHAPTER, other)
    assert sources.find(project, name).number == "02b"
    assert [path.stem for path in sources.chapter_paths(project)] == [
        "01_tiny",
        "02a_discs",
        "02b_holes",
    ]
    with pytest.raises(ParameterError, match=r"'02' is not a chapter .* 02a_discs, 02b_holes\.$"):
        sources.find(project, "02")


def test_the_chapter_of_a_topic_is_looked_up_in_the_project_at_hand(project, monkeypatch):
    monkeypatch.setenv("GROKBOOK_HOME", str(project))
    assert (announced.chapter_of("tiny"), announced.chapter_of("uniformity")) == (
        "01_tiny",
        "uniformity",
    )
    monkeypatch.delenv("GROKBOOK_HOME")
    assert announced.chapter_of("uniformity") == "03_uniformity"


def test_the_values_of_a_page_are_default_then_preset_then_override(project):
    chapter = sources.find(project, "01")
    assert chapter.page("smoke").values == {"p": 23, "train_fraction": 0.5, "steps": 30}
    page = chapter.page("smoke", {"p": "29", "steps": "30"})
    assert (page.values["p"], page.changed) == (29, {"p": 29})
    with pytest.raises(
        ParameterError, match="'latop' is not a preset of chapter 01_tiny; did you mean 'laptop'"
    ):
        chapter.page("latop")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("  question: Does a tiny chapter reach its page?\n", "", "with a `question`"),
        (
            "    paper: {p: 97, steps: 1_000}\n",
            "",
            "presets must be smoke, laptop, paper, not smoke, laptop",
        ),
        ("{p: 97, steps: 1_000}", "{q: 97}", "preset paper: 'q' is not a parameter"),
        (
            "{p: 97, steps: 1_000}",
            "{p: 98}",
            "preset paper: p = 98 is not prime; the nearest primes are 97 and 101",
        ),
        (
            "  papers:",
            "  paper:",
            "'paper' is not a key of the front matter; did you mean 'papers'",
        ),
        (
            "  papers:",
            "  example: {p: 58}\n  papers:",
            "preset smoke: p = 58 is not prime; the nearest primes are 53",
        ),
        ("  papers:", "  seconds: {laptop: soon}\n  papers:", "seconds has laptop: 'soon'"),
        ("# A tiny chapter", "A tiny chapter", "no title"),
        ("p: int = 59 ", "p = 59 ", "may hold only lines"),
        ("tags: [figure]", "tags: [parameters]", "2 cells are tagged `parameters`"),
    ],
)
def test_what_is_wrong_with_a_source_is_named(project, old, new, said):
    text = CHAPTER.replace(old, new, 1)
    if "no title" in said:
        text = text.replace("## One section", "One section")
    with pytest.raises(ChapterError, match="chapter 02_other: ") as refused:
        sources.load(write(project, text))
    assert said in str(refused.value)


def test_the_plan_gets_the_parameters_it_names_and_may_refuse_them_together(project, monkeypatch):
    def plan(p, steps):
        if steps < p:
            raise ParameterError(f"steps = {steps} is less than p = {p}.")
        return {"given": (p, steps)}

    monkeypatch.setattr(sources, "topic", lambda name: types.SimpleNamespace(plan=plan))
    planned = sources.load(
        write(project, CHAPTER.replace("  presets:", "  seconds: {laptop: 12}\n  presets:"))
    )
    assert planned.page("laptop").experiments() == {"given": (59, 200)}
    with pytest.raises(ParameterError, match="steps = 5 is less than p = 59"):
        planned.page("laptop", {"steps": 5}).experiments()
    assert planned.seconds == {"laptop": 12}
