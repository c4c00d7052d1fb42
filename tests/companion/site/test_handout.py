"""The handout of a session: one page, which asks before it shows."""

from concurrent.futures import ThreadPoolExecutor
from io import BytesIO

import pytest
from bs4 import BeautifulSoup

from companion.teach.handout import handout, written
from grokbook.errors import ChapterError
from project_tree import ROOT

SITE = ROOT / "site"
ADDRESS = "https://example.org/book/chapters/handed.html"
HANDED = """<article><section><h1>A title</h1><div class="gb-dek"><p>A question?</p></div>
<div class="tag_gb-lead"><figure><img alt="A curve." src="data:,"/>
<figcaption><p>It rises.</p></figcaption></figure></div>
<p><strong>Predict first.</strong> Does it rise?</p><section><h2>More</h2><p>Predict first: how far?</p></section>
<section><h2>Exercises</h2><div class="exercise"><p class="admonition-title">First</p>
<section><p>Find <b>it</b>.</p><pre>code</pre></section></div></section>
<p>After this chapter you can</p><ul><li>see it</li></ul></section></article>"""


def read(folder, text=HANDED, formulas=4):
    page = folder / "handed.html"
    page.write_text(text)
    return BeautifulSoup(written(page, formulas, ADDRESS), "html.parser")


def test_a_handout_asks_before_it_shows_and_has_the_words_of_its_exercises(tmp_path):
    assert read(tmp_path).main.get_text(" ", strip=True) == (
        "A title A question? Before the answer is shown Predict first: how far? "
        "You can, after this session see it Exercises First Find it . Formulas The picture It rises. "
        f"The chapter: {ADDRESS}"
    )


def test_a_page_without_goals_gets_a_sentence(tmp_path):
    with pytest.raises(ChapterError, match="handed has no list of what a reader can do"):
        read(tmp_path, "<article><section><h1>One</h1></section></article>")


def test_what_the_words_of_an_exercise_name_has_its_value_on_paper(tmp_path):
    """On the page the code stands below; once a handout asked for `few` and `many` alone. The words
    are those of a slide, whose test has the other cases."""
    words = "<p>Of <code>few</code> and <code>many</code>?</p><pre>few = 11\nmany = 97\nwidth = 64</pre>"
    text = HANDED.replace("<p>Find <b>it</b>.</p><pre>code</pre>", words)
    said = read(tmp_path, text).select_one(".exercises")
    assert [one.get_text() for one in said.select("code")[2:]] == ["few = 11", "many = 97"]
    assert "Given:" in said.get_text()


def test_a_handout_of_a_page_that_asks_nothing_has_no_lines_to_answer_on(tmp_path):
    assert read(tmp_path, HANDED.replace("Predict first", "Look")).select(".lines") == []


@pytest.mark.browser
@pytest.mark.xdist_group("paper")
@pytest.mark.skipif(not (SITE / "intro.html").is_file(), reason="the site is not built")
@pytest.mark.parametrize(
    "name", ["01_what_is_grokking", "04a_coverage", "08_lyapunov_phase_portrait"]
)
def test_it_is_one_page_with_goals_exercises_picture_and_drawn_formulas(name):
    pypdf = pytest.importorskip("pypdf", reason="pypdf is not installed: `make setup-dev`")
    page = SITE / "chapters" / f"{name}.html"
    # this thread may have a browser of other tests, and may not have two
    with ThreadPoolExecutor(1) as thread:
        made = pypdf.PdfReader(BytesIO(thread.submit(handout, page, ADDRESS).result()))
    text = " ".join(made.pages[0].extract_text().split())
    assert len(made.pages) == 1 and "Exercises" in text and ADDRESS in text and "\\(" not in text
    goals = BeautifulSoup(page.read_text("utf-8"), "html.parser").select_one(".gb-drawer ul")
    assert all(li.get_text().split()[0] in text for li in goals.find_all("li"))
