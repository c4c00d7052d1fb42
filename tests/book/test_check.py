"""The check of the built site finds what is broken, and nothing in a site that is in order."""

import pytest
from PIL import Image

from grokbook.book import check

SVG = '<svg xmlns="http://www.w3.org/2000/svg"><defs><path d="M0 0"/></defs><path d="M0 0h9v9z" fill="#fff"/>{}</svg>'


def page(article):
    return f"<html><body><article>{article}</article></body></html>"


@pytest.fixture
def html(tmp_path):
    """A site of one page with one figure, in order."""
    (tmp_path / "chapters").mkdir()
    (tmp_path / "a.svg").write_text(SVG.format('<path d="M0 0L5 5"/>'))
    write(tmp_path, '<figure id="fig-a"><img src="../a.svg" alt="A line."></figure>')
    return tmp_path


def write(html, article):
    (html / "chapters" / "01_x.html").write_text(page(article))


def problems(html, figures=("fig-a",)):
    return check.problems(html, {"01_x": list(figures)})


def test_a_site_in_order_has_no_problems(html):
    assert problems(html) == []


def test_a_built_site_is_in_order(built_once):
    assert check.problems(built_once / "site", {"01_tiny": ["fig-tiny"]}) == []


@pytest.mark.parametrize(
    ("article", "said"),
    [
        ("<p>nothing</p>", "the figure fig-a is missing"),
        ('<figure id="fig-a"></figure>', "the figure fig-a is empty"),
        ('<figure id="fig-a"><img src="../a.svg"></figure>', "a.svg has no alt text"),
        ('<figure id="fig-a"><img src="../b.svg" alt="x"></figure>', "b.svg does not exist"),
        ('<p id="fig-a">Traceback (most recent call last)</p>', "contains 'Traceback"),
        ('<p id="fig-a">No key found</p>', "contains 'No key '"),
        ('<p id="fig-a"><a href="02.html">x</a></p>', "the link 02.html leads nowhere"),
        ('<p id="fig-a"><a href="#nowhere">x</a></p>', "#nowhere leads to an anchor that is not there"),
        ('<p id="fig-a"><a href="01_x.html#gone">x</a></p>', "an anchor that is not there"),
    ],
)
def test_what_is_broken_is_named_with_its_page(html, article, said):
    write(html, article)
    assert [p for p in problems(html) if p.startswith("chapters/01_x.html: ") and said in p]


def test_code_that_speaks_of_a_traceback_is_not_one(html):
    write(html, '<p id="fig-a"></p><div class="cell_input"><pre>Traceback (most recent call last)</pre></div>')
    assert problems(html) == []


def test_a_chapter_without_a_page_is_named(html):
    assert check.problems(html, {"02_y": []}) == ["chapter 02_y has no page"]


def test_a_picture_of_one_colour_is_empty_and_one_with_a_line_is_not(tmp_path):
    plain, drawn = tmp_path / "plain.png", tmp_path / "drawn.png"
    picture = Image.effect_noise((64, 64), 0).convert("RGB")
    picture.save(plain, compress_level=0)
    picture.putpixel((3, 3), (200, 0, 0))
    picture.save(drawn, compress_level=0)
    assert check.is_empty_image(plain)
    assert not check.is_empty_image(drawn)


def test_a_drawing_with_only_its_ground_is_empty(tmp_path):
    path = tmp_path / "a.svg"
    path.write_text(SVG.format(""))
    assert check.is_empty_image(path)
