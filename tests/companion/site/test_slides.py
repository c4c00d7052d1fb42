"""Slides of a chapter: headings, figures, first sentences and equations, no paragraph; explorables
work in them."""

import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from typer.testing import CliRunner

from companion import cli
from companion.teach import commands, pages
from companion.teach.slides import exercise, of_chapter
from grokbook.errors import GrokbookError, ParameterError
from project_tree import ROOT
from visited import barred

SITE = ROOT / "site"
ON_SITE = pytest.mark.skipif(
    not (SITE / "intro.html").is_file(), reason="the site is not built: run `grokbook build`"
)

MOVED = ".querySelector('[data-options]')"

PAGE = """<article><section id="top"><h1>A title</h1><div class="gb-dek"><p>A question?</p></div>
<div class="cell tag_gb-lead"><figure id="fig-a"><img alt="A curve." src="data:,"/>
<figcaption><p><span class="caption-text">It rises by <b>two</b>. Seed 0.</span></p></figcaption></figure></div>
<blockquote><div><p><strong>Answer.</strong> One thing. Another thing, by Fig. 2.</p></div></blockquote>
<section><h2>An idea</h2><p>Why it is so.</p><div class="math">x</div><p>Between.</p><div class="math">y</div>
<p><strong>Predict first.</strong> How many?</p><p>After the question.</p>
<details><div class="math">folded</div></details></section>
<section><h2>A proof</h2><p>Beside it.</p>
<div class="proof theorem admonition" id="thm"><p class="admonition-title">Theorem 1</p>
<section class="theorem-content" id="proof-content"><p>All are equal.</p></section></div></section>
<section><h2>What was shown, what was not</h2><ul><li><p><strong>Shown.</strong> This. More.</p></li></ul></section>
<section><h2>Exercises</h2><div class="exercise admonition"><p class="admonition-title">First</p>
<section id="exercise-content"><p>Do <b>it</b>.</p><pre>code</pre>
<div class="gb-hint admonition"><p>A hint.</p></div></section></div>
<div class="exercise admonition"><p class="admonition-title">Second</p></div></section>
<section><h2>Further reading</h2><p>A book.</p></section></section></article>"""


@pytest.fixture(scope="module")
def made():
    """The slides of a page that is written down here."""
    return of_chapter(BeautifulSoup(PAGE, "html.parser").select_one("article section"))


def test_every_kind_is_on_a_slide_in_the_order_of_the_page_and_what_folds_is_on_none(made):
    assert [slide.kind for slide in made] == [
        *("title", "mathematics", "question", "figure", "theorem", "answer", "text", "exercises")
    ], "what shows the answer comes after the prediction, the answer after all that leads to it"
    seen = "".join("".join(slide.body) for slide in made)
    assert not [text for text in ("folded", "A book", "code", "A hint") if text in seen]


def test_a_slide_is_one_section_whatever_the_page_has_inside(made):
    """To reveal.js a section in a section is a slide of its own, without notes and with an address
    of its own."""
    for slide in made:
        body = BeautifulSoup("".join(slide.body), "html.parser")
        assert not body.select("section, [id=proof-content], [id=exercise-content]")


def test_words_on_a_slide_are_first_sentences_and_paragraphs_are_notes(made):
    equations, question, figure, theorem, answer, shown, exercises = made[1:]
    assert figure.body[0] == '<p class="said">It rises by <b>two</b>.</p>'
    assert figure.notes == ["Seed 0.", "A curve."], (
        "the rest of the caption, and the alternative text"
    )
    assert answer.body == ["<ul><li>One thing.</li><li>Another thing, by Fig. 2.</li></ul>"]
    assert equations.notes == ["Why it is so.", "Between."] and len(equations.body) == 2
    assert equations.body[1] == '<p class="said">Between.</p><div class="math">y</div>', (
        "a formula has its sentence"
    )
    assert theorem.notes == ["Beside it."] and "All are equal." in theorem.body[0]
    assert question.notes == ["After the question."] and "How many?" in question.body[0]
    assert shown.body == ["<ul><li><strong>Shown.</strong> This.</li></ul>"]
    assert exercises.body == [
        "<p><strong>First</strong></p><p>Do <b>it</b>.</p>",
        "<p><strong>Second</strong></p>",
    ]


def test_a_chapter_that_is_not_built_and_a_folder_that_is_none_get_a_sentence(tmp_path):
    with pytest.raises(GrokbookError, match="no built site in .*; `grokbook build` makes it"):
        pages.site_folder(tmp_path)
    (tmp_path / "index.html").write_text("")
    with pytest.raises(GrokbookError, match="01_what_is_grokking is not in the built site"):
        pages.chapter_page("01", tmp_path)
    with pytest.raises(ParameterError, match="index.html is a file, not a folder"):
        commands.slides("01", tmp_path / "index.html" / "below", tmp_path)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Slides by the command, of four chapters of the built site: figures moved by hand,
    theorems."""
    out = tmp_path_factory.mktemp("slides")
    for chapter in ("01", "03", "08", "11"):
        done = CliRunner().invoke(
            cli.app, ["teach", "slides", chapter, str(out), "--site", str(SITE)]
        )
        assert done.exit_code == 0, done.output
    return {path.name[:2]: path for path in out.iterdir()}


@pytest.fixture
def shown(written, open_page):
    """Slides in a browser, once mathematics is drawn."""

    def load(chapter, **options):
        page = open_page(written[chapter].as_uri(), height=720, **options)
        page.wait_for_function("window.Reveal && Reveal.isReady()")
        return page

    return load


@ON_SITE
@pytest.mark.browser
@pytest.mark.xdist_group("slides")
@pytest.mark.parametrize("chapter", ["01", "03", "08", "11"])
def test_each_slide_fits_its_screen_with_drawn_mathematics_and_loads_nothing(shown, chapter):
    page = shown(chapter)
    too_high = []
    for k in range(page.evaluate("Reveal.getTotalSlides()")):
        page.evaluate(f"Reveal.slide({k})")
        page.wait_for_timeout(60)
        # of the slide and of a figure that is moved by hand, which must not be cut either
        high = (
            "(s => s ? [s.scrollHeight - s.clientHeight, s.scrollWidth - s.clientWidth] : [0, 0])"
        )
        over = [page.evaluate(f"{high}(Reveal.getCurrentSlide(){inner})") for inner in ("", MOVED)]
        too_high += [(k, over)] * (max(over[0] + over[1]) > 2)
    assert too_high == []
    assert page.locator(".math mjx-container").count() == page.locator(".math").count() > 5
    assert page.locator("[data-mjx-error], mjx-merror").count() == 0
    assert page.seen["errors"] == [] and page.seen["failed"] == []
    assert not [url for url in page.seen["requests"] if not re.match("file:|data:|blob:", url)]
    assert barred(page, {}) == []


@ON_SITE
@pytest.mark.browser
@pytest.mark.xdist_group("slides")
def test_a_network_trains_on_a_slide_and_keys_inside_a_figure_do_not_turn_it(shown):
    page = shown("01")
    number = page.evaluate("Reveal.getSlides().findIndex(s => s.querySelector('#fig-train-area'))")
    page.evaluate(f"Reveal.slide({number})")
    page.locator("#fig-train-area button[data-act=train]").click()
    page.wait_for_function("document.getElementById('fig-train-area').dataset.step > 5")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("Reveal.getIndices().h") == number
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("Reveal.getIndices().h") == number + 1


@ON_SITE
@pytest.mark.browser
@pytest.mark.xdist_group("slides")
def test_a_start_is_dragged_on_a_slide_to_where_the_pointer_is(shown):
    page = shown("08")
    page.evaluate(
        "Reveal.slide(Reveal.getSlides().findIndex(s => s.querySelector('#fig-flow-explorer-area')))"
    )
    root = page.locator("#fig-flow-explorer-area")
    before = root.inner_text()
    slider = root.locator("input[type=range]").first
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert root.inner_text() != before


@ON_SITE
@pytest.mark.browser
@pytest.mark.xdist_group("slides")
def test_the_speaker_s_window_shows_notes_of_the_slide(shown):
    page = shown("01")
    page.evaluate("Reveal.slide(3)")
    with page.expect_popup() as opened:
        page.keyboard.press("s")
    notes = opened.value.locator(".speaker-controls-notes .value")
    notes.wait_for(state="attached")
    opened.value.wait_for_function(
        "document.querySelector('.speaker-controls-notes .value').textContent.length > 20"
    )
    said = page.evaluate(
        "Reveal.getCurrentSlide().querySelector('.notes').textContent.trim().slice(0, 30)"
    )
    assert said in notes.inner_text()


def test_the_wheel_brings_what_slides_are_made_with():
    vendor = Path(pages.__file__).with_name("vendor")
    assert {path.name for path in vendor.iterdir()} == {
        "LICENSES.md",
        "notes.js",
        "reveal.css",
        "reveal.js",
    }
    assert "Hakim El Hattab" in (vendor / "LICENSES.md").read_text()


@pytest.mark.parametrize(
    ("code", "given"),
    [
        ("few = 11\nmany = 97\nwidth = 64\nother = 5", ["few = 11", "many = 97"]),
        ("few, many = (3, 2.5)", ["few, many = (3, 2.5)"]),
        ("few = ...\nmany = count(few)", []),
        ("pip install few", []),
        ("", []),
    ],
)
def test_what_the_words_of_an_exercise_name_has_its_value_on_the_slide(code, given):
    """On the page the code stands below; a slide would ask for `few` and `many` alone."""
    words = "<p>Of <code>few</code> and <code>many</code>?</p>"
    task = f'<div class="exercise"><p class="admonition-title">First</p><section>{words}'
    task += f"<pre>{code}</pre></section></div>"
    made = exercise(BeautifulSoup(task, "html.parser").div)
    shown = BeautifulSoup(made, "html.parser")
    assert [one.get_text() for one in shown.select("code")[2:]] == given
    assert ("Given:" in shown.get_text()) == bool(given)
