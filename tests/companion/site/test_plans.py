"""What a lecturer reads: what a chapter needs comes from the chapters, minutes and marks add up, links lead
somewhere."""

import re
from types import SimpleNamespace

import pytest
import yaml

from companion.page import sources
from companion.project import of
from companion.site.staging import KNOBS, NEEDS, fill_pages
from project_tree import ROOT

PLANS = (ROOT / "book" / "plans.md").read_text(encoding="utf-8")


def section(title):
    return PLANS.partition(f"## {title}\n")[2].partition("\n## ")[0]


def test_chapters_are_listed_in_the_order_of_their_numbers_and_after_what_they_need():
    """All claims, which need every chapter, stand last."""
    toc = yaml.safe_load((ROOT / "book" / "_toc.yml").read_text("utf-8"))
    files = [chapter["file"] for part in toc["parts"] for chapter in part["chapters"]]
    every = {sources.page_of(one.name): one for one in sources.load_all(ROOT)}
    listed = [every[file] for file in files if file in every]
    numbers = [one.number for one in listed]
    assert listed[-1].name == of(ROOT).ledger
    assert numbers[:-1] == sorted(numbers[:-1])
    for at, chapter in enumerate(listed):
        assert set(chapter.needs) <= set(numbers[:at]), chapter.name


def test_the_list_of_what_is_needed_stands_in_the_place_of_its_line_and_names_every_chapter(
    tmp_path,
):
    teaching = ROOT / "book" / "teaching.md"
    (tmp_path / "teaching.md").write_text(teaching.read_text("utf-8"), "utf-8")
    fill_pages(ROOT, tmp_path, [path.stem for path in sources.chapter_paths(ROOT)], {})
    text = (tmp_path / "teaching.md").read_text("utf-8")
    linked = set(re.findall(r"\(chapters/(\w+)\.ipynb\): needs ", text))
    toc = yaml.safe_load((ROOT / "book" / "_toc.yml").read_text("utf-8"))
    files = [chapter["file"] for part in toc["parts"] for chapter in part["chapters"]]
    listed = {file.removeprefix("chapters/") for file in files if file.startswith("chapters/")}
    assert NEEDS not in text and linked == listed - {of(ROOT).ledger}


def test_what_can_be_turned_has_a_row_a_chapter_with_its_sets_and_its_example(tmp_path):
    chapter = next(one for one in sources.load_all(ROOT) if one.number == "11")
    eight = SimpleNamespace(name="eight symbols", file=f"{chapter.name}-eight")
    page = tmp_path / "how.md"
    page.write_text(KNOBS)
    fill_pages(
        ROOT, tmp_path, [path.stem for path in sources.chapter_paths(ROOT)], {chapter.name: [eight]}
    )
    rows = page.read_text("utf-8").splitlines()[2:]
    assert len(rows) == len(sources.load_all(ROOT)) - 1
    (row,) = [row for row in rows if row.startswith("| [11 ")]
    assert f"[eight symbols](chapters/{chapter.name}-eight.ipynb)" in row
    for name, value in chapter.example.items():
        assert f"`-p {name}={value}`" in row


def test_the_key_of_the_flow_is_its_limit():
    """Question 4, by the library: the limit point of the start (0, b, b) at target 1."""
    from grokbook.theory.triple_product import limit_point

    b = 7**0.5 / 2
    assert limit_point((0.0, b, b), target=1.0) == pytest.approx((0.5, 2**0.5, 2**0.5))


def test_every_exercise_and_figure_that_a_plan_names_is_in_its_chapter():
    texts = {path.stem: path.read_text("utf-8") for path in (ROOT / "notebooks").glob("*.md")}
    named = re.findall(r"\(chapters/(\w+)\.ipynb(?:#([\w-]+))?\)", PLANS)
    assert named and not [
        (name, figure)
        for name, figure in named
        if figure and not re.search(rf'"{figure}"|name: {figure}\b', texts[name])
    ]
    titles = re.findall(r"exercise \*([^*]+)\*", " ".join(PLANS.split()), re.IGNORECASE)
    cells = re.findall(r"^\| 2 \|.*\| ([^|]+) \|$", section("One term"), re.MULTILINE)
    titles += [one for cell in cells for one in cell.split("; ") if one[0].isupper()]
    assert titles and not [
        one for one in titles if not any(f"}} {one}\n" in text for text in texts.values())
    ]
