"""The book on paper: no page is blank, references say their page, fonts are in the file, nothing is
cut."""

import re
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO

import pytest
from bs4 import BeautifulSoup

from companion.teach import paper
from companion.teach.handout import handout, written
from grokbook.errors import ChapterError
from project_tree import ROOT

SITE = ROOT / "site"
CHAPTERS = (
    "chapters/01_what_is_grokking",
    "chapters/03_uniformity",
    "chapters/03a_norms_and_starts",
)
ON_ONE_PAGE = (
    "chapters/01_what_is_grokking",
    "chapters/04a_coverage",
    "chapters/08_lyapunov_phase_portrait",
)
ADDRESS = "https://example.org/book"
MOST_BYTES = 40_000_000

HEAD = "<head><link rel='stylesheet' href='../_static/a.css'/></head>"
ONE = f"""{HEAD}<article><section id="one"><h1>One</h1><a href="two.html#eq">Eq. 1</a><a href="#one">here</a>
<a href="three.html">three</a><a href="https://arxiv.org">paper</a><div class="gb-drawer">Run</div>
<details id="fold"><summary>More</summary>Inside.</details><img src="../_images/a.svg" alt="A."/>
<div class="gb-train" id="fig-t-area" data-options="{{}}"></div><noscript><img src="data:," alt="Still."/></noscript>
<script>mount("fig-t-area")</script>
<section><div class="exercise admonition"><p class="admonition-title">Task</p><section><p>Do it.</p></section></div>
<div class="solution admonition">Solved.</div></section>
<section><h2>Further reading</h2></section></section></article>"""
TWO = f"{HEAD}<article><section id='one'><h1>Two</h1><div class='math' id='eq'>x</div></section></article>"


@pytest.fixture
def site(tmp_path):
    """Two pages of a site that are written down here."""
    (tmp_path / "chapters").mkdir()
    (tmp_path / "chapters" / "one.html").write_text(ONE)
    (tmp_path / "chapters" / "two.html").write_text(TWO)
    return tmp_path


def joined(site, address=None):
    text = paper.document(
        site, ["chapters/one", "chapters/two"], "http://127.0.0.1:1/", "Book", address
    )
    return BeautifulSoup(text, "html.parser")


def test_labels_are_unique_in_the_whole_and_links_lead_to_them_with_their_page(site):
    soup = joined(site)
    labels = [tag["id"] for tag in soup.find_all(id=True)]
    assert len(labels) == len(set(labels))
    links = {a.get_text(): a["href"] for a in soup.select("article a")}
    assert links == {
        "Eq. 1": "#chapters/two--eq",
        "here": "#chapters/one--one",
        "paper": "https://arxiv.org",
    }, "what the document does not have is words"
    assert [tag["data-to"] for tag in soup.select(".gb-at")] == ["chapters/two--eq"]
    online = {a.get_text(): a["href"] for a in joined(site, ADDRESS).select("article a")}
    assert online["three"] == f"{ADDRESS}/chapters/three.html"


def test_a_moved_figure_is_a_still_with_its_address_folds_are_open_and_the_drawer_is_left_out(site):
    soup = joined(site, ADDRESS)
    assert soup.select_one("img.gb-still")["alt"] == "Still." and not soup.select(
        "[data-options], article script"
    )
    assert soup.select_one(".gb-online a")["href"] == f"{ADDRESS}/chapters/one.html#fig-t"
    assert soup.details.has_attr("open") and "Run" not in soup.main.get_text()
    assert soup.find("img", alt="A.")["src"] == "_images/a.svg"


def test_solutions_stand_at_the_end_of_their_chapter(site):
    one, two = joined(site).select("article")
    said = one.get_text(" ", strip=True)
    assert (
        said.endswith("Do it. Further reading Solutions Solved.")
        and "Solutions" not in two.get_text()
    )


def test_without_an_address_of_the_site_paper_names_none(site):
    """A path on somebody's disk, such as chapters/one.html, leads nowhere from paper."""
    soup = joined(site)
    assert soup.select_one(".gb-online").get_text() == "It can be moved on the site."
    assert ".html" not in soup.get_text()
    assert ".html" not in BeautifulSoup(handed_out(site, None), "html.parser").get_text()


HANDED = f"""{HEAD}<article><section><h1>A title</h1><div class="gb-dek"><p>A question?</p></div>
<div class="tag_gb-lead"><figure><img alt="A curve." src="data:,"/>
<figcaption><p>It rises.</p></figcaption></figure></div>
<p><strong>Predict first.</strong> Does it rise?</p><section><h2>More</h2><p>Predict first: how far?</p></section>
<section><h2>Exercises</h2><div class="exercise"><p class="admonition-title">First</p>
<section><p>Find <b>it</b>.</p><pre>code</pre></section></div></section>
<p>After this chapter you can</p><ul><li>see it</li></ul></section></article>"""


def handed_out(site, address):
    page = site / "chapters" / "handed.html"
    page.write_text(HANDED)
    return written(page, "chapters/handed.html", "http://127.0.0.1:1/", 4, address)


def test_a_handout_asks_before_it_shows_and_has_the_words_of_its_exercises(site):
    said = BeautifulSoup(handed_out(site, ADDRESS), "html.parser").main.get_text(" ", strip=True)
    assert said == (
        "A title A question? Before the answer is shown Predict first: how far? You can, after this session see it "
        "Exercises First Find it . Formulas The picture It rises. "
        f"The chapter: {ADDRESS}/chapters/handed.html"
    )


pypdf = pytest.importorskip("pypdf", reason="pypdf is not installed: `make setup-dev`")
pytestmark_site = pytest.mark.skipif(
    not (SITE / "intro.html").is_file(), reason="the site is not built"
)


def apart(work, *given):
    """What `work` returns, from a thread of its own: this one has a browser of other tests, and may
    not have two."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(work, *given).result()


@pytest.fixture(scope="module")
def book():
    """Three chapters as a PDF, with the pages that were measured before they were printed."""
    return apart(three_chapters)


def three_chapters():
    with paper.printer() as page:
        made = paper.printed(page, SITE, CHAPTERS, "Three chapters", ADDRESS)
        cut = page.evaluate(
            """() => { const wide = document.querySelector('main').getBoundingClientRect().right + 1;
              return [...document.querySelectorAll('table, .math mjx-container, figure, img, svg')]
                .filter(e => e.getBoundingClientRect().right > wide).map(e => e.outerHTML.slice(0, 80)); }"""
        )
        high = page.evaluate(
            """() => [...document.querySelectorAll('table')].filter(e => getComputedStyle(e).breakInside !== 'avoid'
              && e.getBoundingClientRect().height <= 930).length"""
        )
    return pypdf.PdfReader(BytesIO(made)), made, cut, high


@pytest.mark.browser
@pytest.mark.xdist_group("paper")
def test_a_legend_of_coloured_boxes_has_its_colours_on_every_print(site):
    """Chromium leaves out what is behind words unless it is told otherwise; a diagram can then not
    be read."""
    box = '<i style="display:inline-block;width:9px;height:9px;background:#f00"></i> grokking'
    page = site / "chapters" / "handed.html"
    page.write_text(HANDED.replace('<img alt="A curve." src="data:,"/>', f"<div>{box}</div>"))
    (site / "index.html").write_text("A built site.")

    def printed():
        with paper.printer() as opened:
            return [handout(opened, page, site), paper.printed(opened, site, ["chapters/handed"])]

    for made in apart(printed):
        drawn = b"".join(
            each.get_contents().get_data() for each in pypdf.PdfReader(BytesIO(made)).pages
        )
        assert b"1 0 0 rg" in drawn


@pytest.mark.browser
@pytest.mark.xdist_group("paper")
@pytest.mark.parametrize(("goals", "least", "most"), [(1, 300, 400), (26, 100, 300)])
def test_a_tall_picture_takes_the_room_that_the_words_leave(site, goals, least, most):
    """A picture of 1 by 2 is as high as it can be on the one page; the numbers are points, 45 mm
    are 128 of them."""
    tall = (
        "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='100' height='200'%3E"
    )
    tall += "%3Crect width='100' height='200' fill='red'/%3E%3C/svg%3E"
    page = site / "chapters" / "handed.html"
    page.write_text(
        HANDED.replace("data:,", tall).replace("<li>see it</li>", "<li>see it</li>" * goals)
    )
    (site / "index.html").write_text("A built site.")

    def printed():
        with paper.printer() as opened:
            made = handout(opened, page, site)
            return made, opened.evaluate("document.querySelector('figure img').clientHeight * 0.75")

    made, height = apart(printed)
    assert least < height < most and len(pypdf.PdfReader(BytesIO(made)).pages) == 1


def fonts(reader):
    """Whether each font of a PDF is in the file, by its name."""
    found = {}
    for page in reader.pages:
        for font in (page["/Resources"].get("/Font") or {}).values():
            font = font.get_object()
            inner = font["/DescendantFonts"][0].get_object() if "/DescendantFonts" in font else font
            about = (inner.get("/FontDescriptor") or {}) and inner["/FontDescriptor"].get_object()
            there = font["/Subtype"] == "/Type3" or any(
                key.startswith("/FontFile") for key in about
            )
            found[str(font.get("/BaseFont", font.get("/Name")))] = there
    return found


@pytest.mark.browser
@pytest.mark.xdist_group("paper")
@pytestmark_site
class TestPrinted:
    """Three chapters, printed once."""

    def test_no_page_is_blank_and_each_has_its_number(self, book):
        texts = [page.extract_text().strip() for page in book[0].pages]
        assert len(texts) > 15 and all(text.endswith(str(n)) for n, text in enumerate(texts, 1))
        bare = [
            n
            for n, (text, page) in enumerate(zip(texts, book[0].pages, strict=True), 1)
            if len(text) < 60 and "/XObject" not in page["/Resources"]
        ]
        assert bare == [1], "only the cover has so few words"

    def test_nothing_is_wider_than_the_text_and_no_table_that_fits_a_page_is_cut(self, book):
        assert book[2] == [] and book[3] == 0

    def test_chapters_and_sections_are_bookmarks(self, book):
        flat = [
            x for entry in book[0].outline for x in (entry if isinstance(entry, list) else [entry])
        ]
        titles = [str(x.title) for x in flat if not isinstance(x, list)]
        assert (
            any(t.endswith("What is grokking?") for t in titles)
            and "Part of it can be copied" in titles
        )

    def test_a_reference_to_another_chapter_says_the_page_where_it_is(self, book):
        reader = book[0]
        text = "\n".join(page.extract_text() for page in book[0].pages)
        assert "(p. 000)" not in text
        said = {int(n) for n in re.findall(r"\(p\. (\d+)\)", text)}
        starts = {
            reader.get_destination_page_number(e) + 1
            for e in reader.outline
            if not isinstance(e, list)
        }
        assert said and all(1 < n <= len(reader.pages) for n in said) and said & starts

    def test_links_lead_inside_or_to_the_web_and_none_to_this_machine(self, book):
        uris = [
            str(note.get_object()["/A"]["/URI"])
            for page in book[0].pages
            for note in page.get("/Annots") or []
            if "/URI" in (note.get_object().get("/A") or {})
        ]
        assert uris and not [uri for uri in uris if not uri.startswith("https://")]
        assert any(uri.startswith(f"{ADDRESS}/chapters/01") for uri in uris), (
            "the address of a figure that is moved"
        )

    def test_fonts_are_in_the_file_and_it_is_small(self, book):
        found = fonts(book[0])
        assert found and all(found.values()) and len(book[1]) < MOST_BYTES * len(CHAPTERS) / 24

    @pytest.mark.parametrize("chapter", ON_ONE_PAGE)
    def test_a_handout_is_one_page_with_goals_and_exercises(self, chapter):
        page = SITE / f"{chapter}.html"

        def printed():
            with paper.printer() as opened:
                return handout(opened, page, SITE, ADDRESS)

        reader = pypdf.PdfReader(BytesIO(apart(printed)))
        text = " ".join(reader.pages[0].extract_text().split())
        assert (
            len(reader.pages) == 1 and "Exercises" in text and f"{ADDRESS}/{chapter}.html" in text
        )
        goals = BeautifulSoup(page.read_text("utf-8"), "html.parser").select_one(".gb-drawer ul")
        assert all(li.get_text().split()[0] in text for li in goals.find_all("li"))


def test_a_page_without_goals_gets_a_sentence(site):
    with pytest.raises(ChapterError, match="one has no list of what a reader can do"):
        written(site / "chapters" / "one.html", "chapters/one.html", "x", 0, None)


@pytest.mark.parametrize(("rows", "kept"), [(25, 25), (26, 12), (185, 12)])
@pytest.mark.parametrize("address", [None, ADDRESS])
def test_a_long_table_has_its_first_rows_and_says_where_the_rest_is(site, rows, kept, address):
    """Once the tables of one chapter were sixty of its eighty-six sheets."""
    body = "".join(f"<tr><td>arm {n}</td></tr>" for n in range(rows))
    table = f"<table><thead><tr><th>Arm</th></tr></thead><tbody>{body}</tbody></table>"
    page = site / "chapters" / "one.html"
    page.write_text(ONE.replace("Inside.", f"{table}{table}"))
    fold = joined(site, address).select_one("#chapters\\/one--fold")
    assert [len(one.select("tbody > tr")) for one in fold.select("table")] == [kept, kept]
    assert fold.select_one("thead").get_text() == "Arm" and "open" in fold.attrs
    said = [one.get_text() for one in fold.select("table + p.gb-online")]
    place = f": {ADDRESS}/chapters/one.html" if address else ""
    words = f"The first 12 of {rows} rows; all are on the site{place}."
    assert said == ([] if kept == rows else [words, words])


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
def test_what_the_words_of_an_exercise_name_has_its_value_on_paper(site, code, given):
    """On the page the code stands below; once a handout asked for `few` and `many` alone."""
    words = "<p>Of <code>few</code> and <code>many</code>?</p>"
    page = site / "chapters" / "handed.html"
    page.write_text(
        HANDED.replace("<p>Find <b>it</b>.</p><pre>code</pre>", f"{words}<pre>{code}</pre>")
    )
    made = written(page, "chapters/handed.html", "http://127.0.0.1:1/", 4, ADDRESS)
    said = BeautifulSoup(made, "html.parser").select_one(".exercises")
    assert [one.get_text() for one in said.select("code")[2:]] == given
    assert ("Given:" in said.get_text()) == bool(given)


def test_a_handout_of_a_page_that_asks_nothing_has_no_lines_to_answer_on(site):
    page = site / "chapters" / "handed.html"
    page.write_text(HANDED.replace("Predict first", "Look"))
    made = written(page, "chapters/handed.html", "http://127.0.0.1:1/", 4, ADDRESS)
    assert BeautifulSoup(made, "html.parser").select(".lines") == []
