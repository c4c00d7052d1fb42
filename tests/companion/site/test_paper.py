"""The book on paper: every page of it, open, with its colours, and no link into this machine."""

from concurrent.futures import ThreadPoolExecutor
from io import BytesIO

import pytest

from companion.teach import paper
from project_tree import ROOT

pypdf = pytest.importorskip("pypdf", reason="pypdf is not installed: `make setup-dev`")
ADDRESS = "https://example.org/book"
BOX = '<i style="display:inline-block;width:9px;height:9px;background:#f00"></i>'
PAGE = f"""<!DOCTYPE html><head><meta charset="utf-8"><title>One</title></head><body><article><section>
<p>{BOX} grokking <a href="two.html#eq">two</a> <a href="https://arxiv.org/abs/1">paper</a></p>
<div class="solution">Solved.</div><details><summary>More</summary>Inside.</details><details class="hide"><summary>Code</summary>p = 5</details>
</section></article></body>"""


@pytest.fixture
def site(tmp_path):
    """Two pages of a site that are written down here."""
    (tmp_path / "chapters").mkdir()
    (tmp_path / "chapters" / "one.html").write_text(PAGE)
    (tmp_path / "chapters" / "two.html").write_text(PAGE.replace("One", "Two"))
    return tmp_path


def read(site, names, address=None):
    """The PDF of some pages, made in a thread of its own: this one may have a browser of other
    tests, and not two."""
    with ThreadPoolExecutor(1) as thread:
        made = thread.submit(paper.printed, site, names, address).result()
    return pypdf.PdfReader(BytesIO(made))


def links(reader):
    """The addresses that a PDF leads to."""
    found = []
    for page in reader.pages:
        for note in page.get("/Annots") or []:
            found.append(note.get_object()["/A"]["/URI"])
    return found


@pytest.mark.browser
@pytest.mark.xdist_group("paper")
@pytest.mark.parametrize("address", [None, ADDRESS])
def test_each_page_is_open_has_a_bookmark_its_colours_and_no_link_into_this_machine(site, address):
    reader = read(site, ["chapters/one", "chapters/two"], address)
    bookmarks = [entry for entry in reader.outline if not isinstance(entry, list)]
    assert [str(entry.title) for entry in bookmarks] == ["One", "Two"]
    assert len(reader.pages) == 2
    for page in reader.pages:
        text = page.extract_text()
        assert "p = 5" not in text
        assert text.index("Inside.") < text.index("Solutions") < text.index("Solved.")
        assert b"1 0 0 rg" in page.get_contents().get_data(), "the colour behind a word"
    other = [f"{ADDRESS}/chapters/two.html#eq"] if address else []
    assert links(reader) == [*other, "https://arxiv.org/abs/1"] * 2


@pytest.mark.browser
@pytest.mark.xdist_group("paper")
@pytest.mark.skipif(not (ROOT / "site" / "intro.html").is_file(), reason="the site is not built")
def test_a_chapter_has_no_blank_page_and_its_formulas_are_drawn():
    reader = read(ROOT / "site", ["chapters/01_what_is_grokking"], ADDRESS)
    texts = [page.extract_text().strip() for page in reader.pages]
    assert len(texts) > 5 and "\\(" not in "".join(texts)
    for text, page in zip(texts, reader.pages, strict=True):
        assert len(text) > 60 or "/XObject" in page["/Resources"]
    assert not [link for link in links(reader) if not link.startswith("https://")]


def test_pages_stand_in_the_order_of_the_contents_and_only_those_that_are_built(tmp_path):
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "_toc.yml").write_text(
        "root: intro\nparts:\n- chapters: [{file: chapters/b}, {file: chapters/c},"
        " {file: a, sections: [{file: a/one}, {file: a/two}]}]\n"
    )
    for name in ("a", "a/one", "intro", "chapters/b"):
        page = tmp_path / "site" / f"{name}.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text("")
    assert paper.pages_in_order(tmp_path, tmp_path / "site") == [
        "intro",
        "chapters/b",
        "a",
        "a/one",
    ]
